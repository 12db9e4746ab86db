"""backemf list"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any

from rich.text import Text

from .. import catalog
from ..datasheet import Datasheet
from ..errors import ParameterError
from ..units import convert
from .app import AsJson, app, console, option
from .tables import print_columns, print_json

Row = dict[str, Any]
"""A row of the catalogue: texts and numbers, by the names of `summary`."""
COLUMNS: tuple[tuple[str, str, str | None, int], ...] = (
    ("id", "id", None, 0),
    ("kind", "kind", None, 150),
    ("it says", "says", None, 0),
    ("supply\n[V]", "voltage", "V", 0),
    ("R\n[Ω]", "resistance", "ohm", 110),
    ("Kt\n[mN·m/A]", "torque_constant", "mN*m/A", 110),
    ("motor\n[rpm]", "motor_speed", "rpm", 0),
    ("rated\n[N·m]", "motor_torque", "N*m", 110),
    ("peak\n[N·m]", "motor_peak_torque", "N*m", 0),
    ("gear\n[:1]", "gear_ratio", "1", 0),
    ("output\n[rpm]", "output_speed", "rpm", 0),
    ("rated\n[N·m]", "output_torque", "N*m", 110),
    ("peak\n[N·m]", "output_peak_torque", "N*m", 0),
)
"""Title, key, unit, and the width of a terminal from which the column is shown [characters]."""
SPEED, RATED, PEAK = ((f"output_{name}", f"motor_{name}") for name in ("speed", "torque", "peak_torque"))
"""Keys of a figure in `summary`: at the output, where there is a gear, and of the motor."""
SHORT = {
    "voltage": ("supply [V]", "V", ("voltage",)),
    "speed": ("speed [rpm]", "rpm", SPEED),
    "rated": ("rated [N·m]", "N*m", RATED),
    "peak": ("peak [N·m]", "N*m", PEAK),
    "mass": ("mass [kg]", "kg", ("mass",)),
}
"""Title, unit and keys of the figures of `output_row`."""
SAYS = {"whole": "whole motor", "partial": "partial motor", "limits": "limits only"}
"""How much a sheet may say, by the word of the option."""


def summary(name: str, sheet: Datasheet) -> Row:
    """The figures of a sheet in a row of the table, in SI: those of the motor and of the gearbox output apart."""
    from ..datasheet.solve import solve

    s = solve(sheet)
    f = s.figures
    geared, behind = bool(sheet.gear), sheet.conventions.figures_at == "output"
    # figures at the output of an unknown gear say nothing of the motor
    rotor, output = geared or not behind, geared or behind
    speed = f.no_load_speed if f.no_load_speed is not None else f.max_speed
    peak = f.peak_torque if f.peak_torque is not None else f.stall_torque
    up = f.ratio * f.efficiency

    def at(there: bool, value: float | None, factor: float = 1.0) -> float | None:
        return value * factor if there and value is not None else None

    return {
        "id": name,
        "name": sheet.name,
        "maker": sheet.maker,
        "kind": sheet.kind,
        "says": sheet.says,
        "voltage": f.nominal_voltage,
        "resistance": s.resistance,
        "torque_constant": at(rotor, s.kt),
        "motor_speed": at(rotor, speed),
        "motor_torque": at(rotor, f.nominal_torque),
        "motor_peak_torque": at(rotor, peak),
        "gear_ratio": f.ratio if geared else None,
        "output_speed": at(output, speed, 1.0 / f.ratio),
        "output_torque": at(output, f.nominal_torque, up),
        "output_peak_torque": at(output, peak, up),
        "mass": sheet.mechanical.mass,
    }


@app.command("list")
def list_(
    maker: Annotated[str | None, option("NAME", "Only this maker, such as maxon.")] = None,
    torque: Annotated[
        str | None, option("RANGE", 'Largest torque at the output, such as ">5 N*m" or "2..10 N*m".')
    ] = None,
    speed: Annotated[str | None, option("RANGE", 'Top speed at the output, such as ">200 rpm".')] = None,
    voltage: Annotated[str | None, option("RANGE", 'Nominal voltage, such as "24 V" or "<30 V".')] = None,
    mass: Annotated[str | None, option("RANGE", 'Mass, such as "<500 g".')] = None,
    says: Annotated[str | None, option("WORD", "Only sheets that say this much: whole, partial or limits.")] = None,
    json_: AsJson = False,
) -> None:
    """List the motors of the catalogue with the figures their makers print; a dash where they print none.

    The id in the first column is the MOTOR of the other commands. A "whole motor" has winding, inertia, friction and
    heat; a "partial motor" lacks one of the last three; "limits only" is a torque and a top speed. Figures of the motor
    are left of the gear ratio, those of the output right of it; a peak that is not printed is the stall torque.
    """
    rows = filter_rows(
        [summary(name, Datasheet.load(name)) for name in catalog.ids()],
        maker=maker, torque=torque, speed=speed, voltage=voltage, mass=mass, says=says,
    )  # fmt: skip
    if json_:
        print_json(rows)
        return
    columns = [column for column in COLUMNS if console().width >= column[3]]
    console().print(Text(f"{len(rows)} motors", style="bold"))
    cells = [[_cell(row[key], unit) for _, key, unit, _ in columns] for row in rows]
    print_columns([title for title, *_ in columns], cells, [unit is not None for _, _, unit, _ in columns])


def filter_rows(
    rows: list[Row],
    *,
    maker: str | None = None,
    torque: str | None = None,
    speed: str | None = None,
    voltage: str | None = None,
    mass: str | None = None,
    says: str | None = None,
) -> list[Row]:
    """The rows of which all that is asked for is known and within its range."""
    if maker is not None:
        makers = sorted({row["maker"] for row in rows if row["maker"]}, key=str.lower)
        rows = [row for row in rows if maker.strip().lower() in row["maker"].lower()]
        if not rows:
            raise ParameterError(f"--maker {maker}: there is no such maker; there are {', '.join(makers)}")
    if says is not None:
        if says not in SAYS:
            raise ParameterError(f"--says {says}: must be one of {', '.join(SAYS)}")
        rows = [row for row in rows if row["says"] == SAYS[says]]
    for name, text, unit, keys in (
        ("--torque", torque, "N*m", PEAK),
        ("--speed", speed, "rad/s", SPEED),
        ("--voltage", voltage, "V", ("voltage",)),
        ("--mass", mass, "kg", ("mass",)),
    ):
        if text is not None:
            low, high = _range(name, text, unit)
            known = [(row, known_figure(row, keys)) for row in rows]
            rows = [row for row, value in known if value is not None and low <= value <= high]
    return rows


def search_rows(rows: list[Row], text: str) -> list[Row]:
    """The rows in whose id, name, maker and kind every word of a text occurs."""
    words = text.lower().split()
    texts = [" ".join(str(row[key]) for key in ("id", "name", "maker", "kind")).lower() for row in rows]
    return [row for row, known in zip(rows, texts, strict=True) if all(word in known for word in words)]


def output_row(row: Row) -> Row:
    """A row for a screen: id, name, how much it says, and the figures of `SHORT`, at the output where it is known."""
    figures = {key: known_figure(row, keys) for key, (_, _, keys) in SHORT.items()}
    rounded = {k: None if v is None else round_figure(v, SHORT[k][1]) for k, v in figures.items()}
    return {"id": row["id"], "name": row["name"], "says": first_word(row["says"]), **rounded}


def known_figure(row: Row, keys: Sequence[str]) -> float | None:
    """The first of some figures of a row that is known, such as that at the output before that of the motor."""
    return next((row[key] for key in keys if row[key] is not None), None)


def _cell(value: str | float | None, unit: str | None) -> str:
    """A figure with three digits in the unit of its column; of how complete a sheet is, the first word."""
    if value is None:
        return "-"
    if unit is None or isinstance(value, str):
        return first_word(str(value))
    return f"{round_figure(value, unit):.5g}"


def round_figure(value: float, unit: str) -> float:
    """A figure in a unit, with three digits."""
    return float(f"{convert(value, unit):.3g}")


def first_word(says: str) -> str:
    """How complete a sheet is, in one word: whole, partial or limits."""
    return says.removesuffix(" motor").removesuffix(" only")


def _range(name: str, text: str, unit: str) -> tuple[float, float]:
    """Lowest and highest value of a range such as `>5 N*m`, `2..10 N*m` or `24 V`, which is met within 1 %."""
    # a list without filters does without the parts, which load NumPy
    from .words import between, quantity

    compared = re.fullmatch(r"\s*([<>])=?\s*(.+)", text)
    if compared:
        bound = quantity(name, compared[2], unit)
        return (bound, float("inf")) if compared[1] == ">" else (0.0, bound)
    ends = between(name, text, unit)
    if not isinstance(ends, tuple):
        return 0.99 * ends, 1.01 * ends
    if ends[0] > ends[1]:
        raise ParameterError(f'{name} "{text}": the lower end comes first')
    return ends
