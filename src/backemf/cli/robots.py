"""Whole robots, as the commands check and export them."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import typer
from rich.console import Console
from rich.markup import escape

from ..errors import ParameterError
from ..robot.robot import read_robot
from ..transfer.duty import DUTY_STEPS
from ..transfer.robots.exporting import RobotExported, export_robot, group_kinds
from ..transfer.robots.supply_current import SupplyCurrent
from ..units import format_quantity
from ..values import Json
from .app import console
from .losses import print_errors, print_statuses
from .tables import print_findings, print_json, print_written
from .words import above_zero, require_folder


def check_robot_file(path: str, json_: bool) -> None:
    """Print what does not fit together in a robot; the exit code is 1 if something cannot be."""
    robot = read_robot(path)
    findings = robot.check()
    if json_:
        print_json([asdict(finding) | {"ratio": finding.ratio} for finding in findings])
    else:
        console().print(f"[bold]{escape(robot.name or Path(path).name)}[/]")
        print_findings([(each.severity, each.figure, each.explanation) for each in findings])
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


def refuse_options(path: str, given: dict[str, object]) -> None:
    """Options of a single motor, which a robot file has itself."""
    for option, value in given.items():
        if value:
            raise ParameterError(f"{option} is for one motor: {path} is a robot; write it in its [joints] or [supply]")


def export_robot_file(
    path: str,
    to: str | None,
    output: Path | None,
    *,
    kind: str | None,
    effort: str,
    timestep: str | None,
    strict: bool,
    compare: bool,
    json_: bool,
) -> None:
    """Write a robot for a simulator, and print what is lost of each kind of joint."""
    from ..progress import progress_bar
    from ..transfer.robots.placing import place_drives
    from ..transfer.targets import NAMES

    if to is None:
        raise ParameterError(f"--to is missing: must be one of {', '.join((*NAMES, 'urdf'))}")
    require_folder("--output", output)
    robot = read_robot(path)
    step = None if timestep is None else above_zero("--timestep", timestep, "s")
    work = len(group_kinds(place_drives(robot))) * (DUTY_STEPS if compare else 1)
    with progress_bar("running both motors of each kind", work) as advance:
        found = export_robot(
            robot, to, output, kind=kind, effort=effort, timestep=step, strict=strict, compare=compare, advance=advance
        )
    if json_:
        print_json(robot_answer(found))
        return
    if output is None:
        print(found.text)
    terminal = Console(stderr=output is None)
    for one in found.kinds:
        shown = ", ".join(one.patterns[:4]) + (f" and {len(one.patterns) - 4} more" if len(one.patterns) > 4 else "")
        print_statuses(
            f"{shown} ({len(one.joints)} joint{'s' * (len(one.joints) > 1)}): what {found.title} makes of it",
            one.statuses,
            terminal,
        )
        for note in one.notes:
            terminal.print(f"note: {escape(note)}", soft_wrap=True)
        terminal.print()
        if one.errors:
            print_errors(one.errors, terminal)
            terminal.print()
    for line in change_lines(found.changes):
        terminal.print(escape(line), soft_wrap=True)
    for note in found.notes:
        terminal.print(f"note: {escape(note)}", soft_wrap=True)
    for line in supply_lines(found.supply):
        terminal.print(escape(line), soft_wrap=True)
    if output is not None:
        print_written([*(output.parent / name for name in found.files), output])


def change_lines(changes: list[str]) -> list[str]:
    """One line for changes that only differ in their names."""
    alike: dict[str, list[str]] = {}
    for change in changes:
        alike.setdefault(re.sub(r"'[^']*'", "''", change), []).append(change)
    more = [f"  (and {len(group) - 1} alike)" if len(group) > 1 else "" for group in alike.values()]
    return [f"{group[0]}{words}" for group, words in zip(alike.values(), more, strict=True)]


def supply_lines(total: SupplyCurrent) -> list[str]:
    """What all motors draw together, and what the supply gives."""
    if not total.peak:
        return ["supply: nothing is known of the motors' currents"]
    words = f"supply: {total.words}"
    words += f", {format_quantity(total.continuous, 'A')} continuously" if total.continuous else ""
    if total.without_continuous and total.continuous:
        words += f" ({len(total.without_continuous)} of them have no continuous current)"
    if total.share is not None:
        words += f"; it gives {total.available_peak:g} A, {100 * total.share:.0f} % of the peak"
    if total.available_continuous is not None:
        words += f", and {total.available_continuous:g} A continuously"
    lines = [words]
    bus = total.voltage_at_peak
    if total.supply is not None and total.supply.resistance and bus is not None:
        left = f"{bus:.3g} V are left" if bus > 0.0 else "nothing is left"
        lines.append(f"supply: of its {float(total.supply.voltage):g} V {left} under the sum of the peak currents")
    return lines


def robot_answer(found: RobotExported) -> dict[str, Json]:
    """What was written and lost, as `backemf export --json` prints it."""
    total = found.supply
    return {
        "to": found.to,
        "text": found.text,
        "files": {name: content.decode("utf-8", errors="replace") for name, content in found.files.items()},
        "kinds": [
            {
                "patterns": one.patterns,
                "joints": one.joints,
                "statuses": [asdict(row) for row in one.statuses],
                "errors": [asdict(row) for row in one.errors],
                "notes": one.notes,
            }
            for one in found.kinds
        ],
        "changes": found.changes,
        "notes": found.notes,
        "supply": {
            "peak": total.peak,
            "continuous": total.continuous,
            "largest": total.largest,
            "available_peak": total.available_peak,
            "available_continuous": total.available_continuous,
            "voltage_at_peak": total.voltage_at_peak,
            "unknown": total.without_peak,
        },
    }
