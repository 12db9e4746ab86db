"""Estimates, as the commands print them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated

from rich.console import Console
from rich.text import Text

from ..motor import Estimate, Motor
from ..values import Json, Number
from .app import console, flag
from .tables import titled_table

WithEstimates = Annotated[
    bool, flag("--estimate", "Estimate what the datasheet does not give, such as the rotor's inertia.")
]


def hint(estimates: Sequence[Estimate]) -> str:
    """One line that says what could be estimated; empty if nothing can."""
    if not estimates:
        return ""
    many = f"{len(estimates)} figures are" if len(estimates) > 1 else "1 figure is"
    return f"{many} not printed and could be estimated: --estimate"


def print_estimates(estimates: Sequence[Estimate], terminal: Console | None = None) -> None:
    """A table of estimates with their ranges, and the rules below it."""
    if not estimates:
        return
    terminal = terminal or console()
    terminal.print()
    right = ("value", "90 % range")
    table = titled_table("Estimates, not the maker's figures", ("figure", *right, "rule"), right, terminal)
    for number, estimate in enumerate(estimates, start=1):
        value, low, high = estimate.texts()
        table.add_row(estimate.name, value, f"{low} .. {high}", f"[{number}]")
    terminal.print(table)
    terminal.print()
    for number, estimate in enumerate(estimates, start=1):
        terminal.print(Text(f"[{number}] {estimate.rule}"))


def as_dicts(motor: Motor | None) -> list[dict[str, Json]]:
    """The estimates of a motor for JSON."""
    return [] if motor is None else [asdict(estimate) for estimate in motor.valid_estimates]


def resting_on_estimates(motor: Motor, **given: float | None) -> set[str]:
    """Names of the derived constants that change with an estimate."""
    from .. import analyze
    from ..random.randomize import rebuild

    def values(of: Motor) -> dict[str, Number]:
        return {name: value for name, _, value, _ in analyze.constants(of, **given).rows()}

    plain, found = values(motor), set()
    for estimate in motor.valid_estimates:
        other = values(rebuild(motor, {estimate.name: 1.1 * estimate.value}))
        found |= {name for name, value in plain.items() if value != other.get(name)}
    return found
