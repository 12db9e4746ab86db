"""backemf show"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from ..datasheet import Datasheet
from ..errors import ParameterError
from ..motor import Motor
from ..motorfile import is_actuator_file, load_with_joint
from .app import AsJson, MotorName, app, console, option
from .estimates import WithEstimates, as_dicts, hint, print_estimates, resting_on_estimates
from .limits_only import show_limits
from .recordings import is_recording, show_recording
from .tables import cell, print_json, print_written, titled_table
from .words import above_zero, quantity, require_folder

if TYPE_CHECKING:
    from ..analyze import Constants


@app.command()
def show(
    motor: MotorName,
    voltage: Annotated[str | None, option("VOLTS", 'Supply, such as "24 V"; default: the nominal voltage.')] = None,
    temperature: Annotated[
        str | None, option("CELSIUS", 'Winding temperature, such as "80 degC"; default: that of the datasheet.')
    ] = None,
    page: Annotated[Path | None, option("FILE", "Also write an HTML page with pictures.")] = None,
    plot: Annotated[Path | None, option("FILE", "Also draw the operating range: .png, .svg or .pdf.")] = None,
    save: Annotated[Path | None, option("FILE", "Write a recording to this file: .parquet or .csv.")] = None,
    estimate: WithEstimates = False,
    json_: AsJson = False,
) -> None:
    """Show a motor: its figures with their sources, and the constants that follow from them.

    If a datasheet gives too little for a motor, this shows the limits of the joint and what is missing for a motor; if
    it gives no limits either, only what is missing, with exit code 2. For a recording, run.parquet or the
    run.parquet.part of a run that was killed, it shows the columns and where they end.
    """
    if is_recording(motor):
        show_recording(motor, save, json_)
        return
    if save is not None:
        raise ParameterError(f"--save {save}: is for recordings, such as run.parquet.part, and {motor} is not one")
    from .. import analyze

    volts = None if voltage is None else above_zero("--voltage", voltage, "V")
    celsius = None if temperature is None else quantity("--temperature", temperature, "degC")
    require_folder("--page", page)
    require_folder("--plot", plot)
    sheet = None if is_actuator_file(Path(motor)) else Datasheet.load(motor)
    if sheet is not None and not json_:
        # what the maker says is worth seeing even where too little follows from it
        _print_figures(sheet)
        if estimate:
            print_estimates(sheet.estimates())
        elif line := hint(sheet.estimates()):
            console().print(Text(line, style="dim"))
    if sheet is not None and sheet.says == "limits only":
        show_limits(sheet, page, plot, json_)
        return
    built = sheet.motor(estimate=estimate) if sheet is not None else _motor_of(motor)
    if volts is None and (built.ratings is None or built.ratings.voltage is None):
        raise ParameterError(f'{motor}: the datasheet gives no nominal voltage: add one, such as --voltage "24 V"')
    constants = analyze.constants(built, voltage=volts, temperature=celsius)
    from .. import plot as pictures

    if page is not None:
        findings = [] if sheet is None else sheet.check()
        pictures.page(page, title=built.name or Path(motor).stem, motor=built, findings=findings)
    if plot is not None:
        pictures.operating_range(built, volts, celsius, plot)
    soft = resting_on_estimates(built, voltage=volts, temperature=celsius)
    if json_:
        figures = [] if sheet is None else [asdict(figure) for figure in sheet.figures()]
        derived = [dict(zip(("name", "symbol", "value", "unit"), row, strict=True)) for row in constants.rows()]
        derived = [row | {"estimated": row["name"] in soft} for row in derived]
        print_json({"figures": figures, "estimates": as_dicts(built), "constants": derived})
        return
    _print_constants(constants, soft)
    print_written((page, plot))


def _motor_of(name: str) -> Motor:
    """The motor of a motor file, with the inertia and friction of its joint."""
    from ..sims.on_joint import OnJoint

    actuator, own = load_with_joint(name)
    joint = dict(own or {})
    folded = OnJoint(actuator=actuator, joint=joint.pop("name", ""), **joint).fold()
    if folded.motor is None:
        raise ParameterError(f"{name}: the actuator has no motor, so there are no constants to show; try export")
    return folded.motor


def _print_figures(sheet: Datasheet) -> None:
    title = f"{sheet.name}: {'what was identified' if sheet.identified else 'what the maker says'}"
    table = titled_table(title, ("figure", "value", "source"), right=("value",))
    sources: list[str] = []
    for figure in sheet.figures():
        if figure.source not in sources:
            sources.append(figure.source)
        shown = cell(figure.value, figure.unit) if isinstance(figure.value, float) else str(figure.value)
        table.add_row(f"{figure.table}.{figure.key}", shown, f"({sources.index(figure.source) + 1})")
    console().print(table)
    console().print()
    for number, source in enumerate(sources, start=1):
        console().print(Text(f"({number}) {source or 'no source is given'}"))
    if sheet.identified and sheet.source:
        console().print(Text(f"identified {sheet.identified}"))
    for note in sheet.notes:
        console().print(Text(f"note: {note}", style="dim"))


def _print_constants(constants: Constants, soft: set[str]) -> None:
    console().print()
    columns = ("constant", "symbol", "value", *([""] if soft else []))
    table = titled_table("What follows", columns, right=("value",))
    for name, symbol, value, unit in constants.rows():
        mark = ["estimate" if name in soft else ""] if soft else []
        table.add_row(name, symbol, cell(float(value), unit), *mark)
    console().print(table)
