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
ERROR_COLUMNS = ("over", "RMS", "worst", "of the peak", "at")
"""Titles of the table of torque errors."""


def print_statuses(title: str, losses: Iterable[Loss], terminal: Console) -> None:
    """One row for each phenomenon."""
    table = titled_table(title, ("phenomenon", "status", ""), terminal=terminal, wrap=("",))
    for loss in losses:
        table.add_row(loss.phenomenon, f"[{STATUS_STYLE[loss.status]}]{loss.status}[/]", escape(loss_words(loss)))
    terminal.print(table)


def loss_words(loss: Loss) -> str:
    """The note of a phenomenon, and whether it rests on an estimate."""
    return f"{loss.note} Rests on an estimate.".strip() if loss.estimates else loss.note


def print_errors(errors: Iterable[Error], terminal: Console) -> None:
    """The torque error over the operating range and each episode."""
    errors = list(errors)
    title = "Force error at the joint" if any(error.slides for error in errors) else "Torque error at the joint"
    table = titled_table(title, ERROR_COLUMNS, ERROR_COLUMNS[1:], terminal, wrap=ERROR_COLUMNS)
    for error in errors:
        table.add_row(*error_cells(error))
    terminal.print(table)


def error_cells(error: Error) -> tuple[str, str, str, str, str]:
    """A torque error in the `ERROR_COLUMNS`."""
    if error.unknown:
        return error.where, "unknown", "", "", error.unknown
    if error.worst <= NOTHING * error.peak:
        return error.where, "0", "0", "0 %", ""
    # a motor that friction holds gives no torque at all
    share = 100 * error.worst / error.peak if error.peak else None
    of_peak = "" if share is None else f"{share:.0f} %" if share >= 10 else f"{share:.2g} %"
    speed = format_quantity(error.speed, "m/s" if error.slides else "rad/s", 3)
    unit = "N" if error.slides else "N·m"
    return error.where, f"{error.rms:.3g} {unit}", f"{error.worst:.3g} {unit}", of_peak, speed
