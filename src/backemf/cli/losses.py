"""Tables of what is lost between a motor and a simulator: statuses and torque errors."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape

from ..units import format_quantity
from .tables import titled_table

if TYPE_CHECKING:
    from ..sims.loss import Loss
    from ..transfer.exported import Error

STATUS_STYLE = {"kept": "green", "approximated": "yellow", "dropped": "red", "unknown": "magenta"}
NOTHING = 1e-5
"""Share of the peak torque below which an error is that of the written digits [1]."""


def print_statuses(title: str, losses: Iterable[Loss], terminal: Console) -> None:
    """One row for each phenomenon."""
    table = titled_table(title, ("phenomenon", "status", ""), terminal=terminal, wrap=("",))
    for loss in losses:
        words = f"{loss.note} Rests on an estimate.".strip() if loss.estimates else loss.note
        table.add_row(loss.phenomenon, f"[{STATUS_STYLE[loss.status]}]{loss.status}[/]", escape(words))
    terminal.print(table)


def print_errors(errors: Iterable[Error], terminal: Console) -> None:
    """The torque error over the operating range and each episode."""
    right = ("RMS", "worst", "of the peak", "at")
    table = titled_table("Torque error at the joint", ("over", *right), right, terminal, wrap=("over", *right))
    for error in errors:
        if error.unknown:
            table.add_row(error.where, "unknown", "", "", error.unknown)
            continue
        if error.worst <= NOTHING * error.peak:
            table.add_row(error.where, "0", "0", "0 %", "")
            continue
        # a motor that friction holds gives no torque at all
        share = 100 * error.worst / error.peak if error.peak else None
        table.add_row(
            error.where,
            f"{error.rms:.3g} N·m",
            f"{error.worst:.3g} N·m",
            "" if share is None else f"{share:.0f} %" if share >= 10 else f"{share:.2g} %",
            format_quantity(error.speed, "rad/s", 3),
        )
    terminal.print(table)
