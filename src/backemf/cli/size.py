"""backemf size"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ParameterError
from ..units import linear_words
from .app import AsJson, app, console, option
from .tables import print_columns, print_findings, print_json, print_written
from .words import require_ending

if TYPE_CHECKING:
    from ..size import Found
    from ..values import Json

COLUMNS = (
    ("motor and gear", "name", ""),
    ("gear\n[:1]", "ratio", ".4g"),
    ("mass\n[kg]", "mass", ".3g"),
    ("energy\n[J]", "energy", ".3g"),
    ("winding\n[°C]", "winding", ".0f"),
    ("inertia\n[kg·m²]", "inertia", ".2g"),
    ("peak\n[A]", "peak_current", ".3g"),
    ("RMS\n[A]", "rms_current", ".3g"),
    ("volts\n[V]", "voltage", ".3g"),
    ("tightest", "tightest", ""),
    ("left\n[%]", "margin", "%"),
)
"""Title, figure and format of each column."""
EXPENDABLE = ("voltage", "inertia", "rms_current", "energy", "peak_current", "ratio", "mass", "winding")
"""Columns that a narrow terminal goes without, in the order in which they go."""

MOST_REASONS = 5
"""Reasons for which candidates are left out that are printed, those of the most first [1]."""
FIGURE_OF = {"winding_temperature": "winding"}
"""Figure of what is wanted, where it has another name."""


@app.command(
    epilog="""\b
Examples:
  backemf size examples/tasks/arm.toml --top 5
  backemf catalogue import mgdb -o my-catalogue
  backemf size examples/tasks/arm.toml --from my-catalogue --report size.html
  backemf size examples/tasks/arm.toml --robot robot.toml
  backemf export robot.toml --to mujoco@4.0 -o robot_with_motors.xml
""",
)
def size(
    task: Annotated[Path, typer.Argument(metavar="TASK", help="What the joints have to do: a task in TOML.")],
    from_: Annotated[
        Path | None,
        option("DIR", "Folder of motor files, or an imported catalogue. Default: the own catalogue.", "--from"),
    ] = None,
    top: Annotated[int, option("N", "How many pairs to show.")] = 10,
    verify: Annotated[int, option("N", "Run the best N pairs forwards, and compare.")] = 0,
    report: Annotated[Path | None, option("FILE", "Write a page about it: .html.")] = None,
    robot: Annotated[Path | None, option("FILE", "Write the best pairs as a robot: .toml, for backemf export.")] = None,
    json_: AsJson = False,
) -> None:
    """Find the motors and gears that can do a task, and say why the others cannot.

    Every pair is run backwards through the task, to the periodic steady state of its heat.
    """
    from ..size import size as find

    require_ending("--report", report, (".html",))
    require_ending("--robot", robot, (".toml",))
    for name, value, least in (("--top", top, 1), ("--verify", verify, 0)):
        if value < least:
            raise ParameterError(f"{name} {value}: must be a whole number, {least} or more")
    found = find(task, from_)
    seen = found.verify(verify) if verify > 0 else []
    if report is not None:
        found.report(report, top)
    if robot is not None:
        found.robot().save(robot)
    if json_:
        checked = [
            {name: getattr(each, name) for name in (
                "joint", "name", "predicted_current", "simulated_current", "predicted_winding", "simulated_winding",
                "tracking_error", "torque_error", "limited",
            )} for each in seen
        ]  # fmt: skip
        print_json(found.answer(top) | ({"verified": checked} if seen else {}))
        return
    _print(found, top)
    for each in seen:
        console().print(
            f"{each.name}: {each.simulated_current:.3g} A simulated, {each.predicted_current:.3g} A predicted; "
            f"{each.simulated_winding:.1f} °C simulated, {each.predicted_winding:.1f} °C predicted",
            highlight=False,
        )
    if robot is not None:
        _print_short_gears(found)
    print_written((report, robot))


def _print_short_gears(found: Found) -> None:
    """A note for each joint whose gear has no rating in the robot."""
    from ..size.robot import is_gear_rating_short

    for name, joint in found.joints.items():
        if is_gear_rating_short(joint):
            words = "the motor also accelerates its rotor, so that the permissible torque of the gear is left out"
            print_findings([("info", f"joint {name}", f"{words} of the robot: simulators would limit the motor to it")])


def _print(found: Found, top: int) -> None:
    """The best pairs of every joint, and why others cannot."""
    for name, joint in found.joints.items():
        console().print(f"{name}: {len(joint)} of {joint.count} pairs can do it", style="bold", highlight=False)
        rows = found.table(top, name)
        if rows:
            columns, cells = _fitting(rows, found.task.wanted, console().width)
            slides = found.task.joints[name].slide is not None
            titles = [linear_words(title) if slides else title for title, *_ in columns]
            print_columns(titles, cells, [form != "" for _, _, form in columns])
        if joint.reasons():
            console().print(f"out: {joint.most_reasons()}", highlight=False)
        print_findings([("info", choice.name, choice.reason) for choice in joint.rejected(3)])
        reasons: dict[str, list[str]] = {}
        for each in joint.left_out:
            reasons.setdefault(each.reason.removeprefix(f"{each.name}.toml: "), []).append(each.name)
        for reason, names in sorted(reasons.items(), key=lambda row: -len(row[1]))[:MOST_REASONS]:
            many = f"{len(names)} left out, such as {names[0]}" if len(names) > 1 else f"{names[0]} left out"
            print_findings([("info", "candidates", f"{many}: {reason}")])


def _fitting(
    rows: list[dict[str, Json]], wanted: Sequence[str], width: int
) -> tuple[list[tuple[str, str, str]], list[list[str]]]:
    """Columns that are no wider than so many characters, and their cells.

    Where not all fit, the gear stands below its motor; then columns go, those of what is wanted last.
    """
    kept, folded = list(COLUMNS), _width(rows, COLUMNS, False) > width
    last = [FIGURE_OF.get(name, name) for name in wanted]
    for key in (*(each for each in EXPENDABLE if each not in last), *reversed(last)):
        if _width(rows, kept, folded) <= width:
            break
        kept = [column for column in kept if column[1] != key]
    return kept, [line for row in rows for line in _lines(row, kept, folded)]


def _width(rows: list[dict[str, Json]], columns: Sequence[tuple[str, str, str]], folded: bool) -> int:
    """Characters of the widest line."""
    titles = [title.split("\n") for title, *_ in columns]
    lines = [line for row in rows for line in _lines(row, columns, folded)]
    widest = [max(map(len, (*title, *cells))) for title, *cells in zip(titles, *lines, strict=True)]
    return sum(widest) + 2 * (len(widest) - 1)


def _lines(row: dict[str, Json], columns: Sequence[tuple[str, str, str]], folded: bool) -> list[list[str]]:
    """The cells of a pair: one line, or with its gear on a line of its own."""
    cells = [_cell(row[key], form) for _, key, form in columns]
    motor, plus, gear = cells[0].partition(" + ")
    if not folded or not plus:
        return [cells]
    return [[motor, *cells[1:]], [f"  + {gear}", *("" for _ in cells[1:])]]


def axis_of(wanted: str) -> tuple[str, str]:
    """Key among the figures of a pair, and title with unit, of something that is wanted."""
    from ..size.task import WANTED

    unit = WANTED[wanted][0].replace("degC", "°C").replace("*", "·")
    return FIGURE_OF.get(wanted) or wanted, f"{wanted.replace('_', ' ')} [{unit}]"


def rounded(row: Mapping[str, Json], columns: Sequence[tuple[str, str, str]]) -> dict[str, Json]:
    """The figures of a pair with as many digits as are printed, still numbers, so that a table can be sorted."""
    shown = {key: _rounded(row.get(key), form) for _, key, form in columns}
    return shown | {"tightest": str(shown["tightest"]).replace("_", " ")} if "tightest" in shown else shown


def _rounded(value: Json, form: str) -> Json:
    if not isinstance(value, (int, float)) or not form:
        return value
    return round(100 * value) if form == "%" else float(f"{value:{form}}")


def _cell(value: object, form: str) -> str:
    if not isinstance(value, (int, float)):
        return str(value)
    if value != value:
        return "–"
    return f"{100 * value:.0f}" if form == "%" else f"{value:{form}}"
