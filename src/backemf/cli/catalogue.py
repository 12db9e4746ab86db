"""backemf list"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Annotated, Any

import typer
from rich.text import Text

from .. import catalog
from ..datasheet import Datasheet
from ..errors import ParameterError, UnitError
from ..units import convert, parse
from .app import AsJson, app, console
from .tables import bare, plain, print_columns

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


def summary(name: str, sheet: Datasheet) -> dict[str, Any]:
    """What a table line says of a sheet, in SI: figures of the motor and of the gearbox output apart."""
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
    maker: Annotated[str | None, typer.Option(metavar="NAME", help="Only this maker, such as maxon.")] = None,
    torque: Annotated[
        str | None,
        typer.Option(metavar="RANGE", help='Largest torque at the output, such as ">5 N*m" or "2..10 N*m".'),
    ] = None,
    speed: Annotated[
        str | None, typer.Option(metavar="RANGE", help='Top speed at the output, such as ">200 rpm".')
    ] = None,
    voltage: Annotated[
        str | None, typer.Option(metavar="RANGE", help='Nominal voltage, such as "24 V" or "<30 V".')
    ] = None,
    json_: AsJson = False,
) -> None:
    """List the motors of the catalogue with the figures their makers print; a dash where they print none.

    The id in the first column is what the other commands take as MOTOR. "whole motor" has winding, inertia, friction
    and heat; "partial motor" lacks one of the last three; "limits only" has a torque and a top speed. Figures of the
    motor stand before the gear ratio, those of the output behind it; a peak that is not printed is the stall torque.
    """
    wanted = [
        *_within("--torque", torque, "N*m", lambda row: _either(row, "output_peak_torque", "motor_peak_torque")),
        *_within("--speed", speed, "rad/s", lambda row: _either(row, "output_speed", "motor_speed")),
        *_within("--voltage", voltage, "V", lambda row: row["voltage"]),
    ]
    rows = [summary(name, Datasheet.load(name)) for name in catalog.ids()]
    if maker is not None:
        rows = _made_by(maker, rows)
    rows = [row for row in rows if all(fits(row) for fits in wanted)]
    if json_:
        print(json.dumps(plain(rows), indent=1, ensure_ascii=False))
        return
    columns = [column for column in COLUMNS if console().width >= column[3]]
    console().print(Text(f"{len(rows)} motors", style="bold"))
    cells = [[_shown(row[key], unit) for _, key, unit, _ in columns] for row in rows]
    print_columns([title for title, *_ in columns], cells, [unit is not None for _, _, unit, _ in columns])


def _shown(value: Any, unit: str | None) -> str:
    """A figure with three digits; how much a sheet says, in its first word."""
    if unit is None or value is None:
        return bare(value, unit).removesuffix(" motor").removesuffix(" only")
    return f"{float(f'{convert(value, unit):.3g}'):.5g}"


def _either(row: dict[str, Any], *keys: str) -> float | None:
    return next((row[key] for key in keys if row[key] is not None), None)


def _made_by(maker: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = [row for row in rows if maker.strip().lower() in row["maker"].lower()]
    if not found:
        makers = sorted({row["maker"] for row in rows if row["maker"]}, key=str.lower)
        raise ParameterError(f"--maker {maker}: nobody of that name; there are {', '.join(makers)}")
    return found


def _within(
    option: str, text: str | None, unit: str, value_of: Callable[[dict[str, Any]], float | None]
) -> list[Callable[[dict[str, Any]], bool]]:
    """Whether a figure of a line lies in a range such as `>5 N*m`, `2..10 N*m` or `24 V`."""
    if text is None:
        return []
    low, high = _range(option, text, unit)
    return [lambda row: (value := value_of(row)) is not None and low <= value <= high]


def _range(option: str, text: str, unit: str) -> tuple[float, float]:
    compared = re.fullmatch(r"\s*([<>])=?\s*(.+)", text)
    if compared:
        bound = _quantity(option, compared[2], unit)
        return (bound, float("inf")) if compared[1] == ">" else (0.0, bound)
    if ".." in text:
        first, _, last = text.partition("..")
        high = _quantity(option, last, unit)
        # "2..10 N*m": one unit for both
        named = re.search(r"[^\d\s.eE+-].*", last)
        whole = first if re.search(r"[A-Za-zΩ]", first) else f"{first} {named[0] if named else ''}"
        low = _quantity(option, whole, unit)
        if low > high:
            raise ParameterError(f'{option} "{text}": the lower end comes first')
        return low, high
    value = _quantity(option, text, unit)
    return 0.99 * value, 1.01 * value


def _quantity(option: str, text: str, unit: str) -> float:
    try:
        return parse(text, unit)
    except UnitError as error:
        raise UnitError(f"{option}: {error}") from None
