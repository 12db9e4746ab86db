"""The command line: backemf list | check | show | simulate."""

from __future__ import annotations

import io
import json
import math
import re
import sys
from dataclasses import MISSING, asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text
from typer.core import TyperGroup

from . import __version__, catalog, commands, loads, units
from .actuator import Actuator, Supply
from .datasheet import Datasheet
from .errors import BackemfError, ParameterError, UnitError


class OneSentence(TyperGroup):
    """Commands whose bad input ends in one sentence on the error stream and exit code 2."""

    def invoke(self, ctx: Any) -> Any:
        try:
            return super().invoke(ctx)
        except BackemfError as error:
            print(f"{type(error).__name__}: {error}", file=sys.stderr)
            raise typer.Exit(2) from None


app = typer.Typer(
    name="backemf",
    cls=OneSentence,
    help="Real motors for simulated robots: read a datasheet, check it, look at it, run it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="""\b
Try:
  backemf list
  backemf show maxon-re40-148867
  backemf simulate maxon-re40-148867 --command "24 V" --plot run.png

\b
Exit codes:
  0  all is well
  1  a datasheet contradicts itself
  2  bad input, said in one sentence
""",
)
out = Console()

MotorName = Annotated[
    str, typer.Argument(metavar="MOTOR", help="An id of the catalogue, as `backemf list` prints it, or a TOML file.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON in SI units for scripts instead of tables.")]


def main() -> None:
    """Run the command line."""
    for stream in (sys.stdout, sys.stderr):
        # a terminal that knows no Ω shows a question mark, and the program goes on
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    app()


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(f"backemf {__version__}")
        raise typer.Exit


@app.command("list", short_help="List the motors of the catalogue.")
def list_(json_: AsJson = False) -> None:
    """List the motors of the catalogue with the figures their makers print; a dash where they print none.

    The id in the first column is what the other commands take as MOTOR.
    """
    rows = [_summary(name, Datasheet.load(name)) for name in catalog.ids()]
    if json_:
        print(json.dumps(_plain(rows), indent=1, ensure_ascii=False))
        return
    # the kind is long: it is shown where the terminal has room for it
    columns = [column for column in _LIST_COLUMNS if column[1] != "kind" or out.width >= _ROOMY]
    table = _table(None)
    for title, _, unit in columns:
        # as Text, because rich reads a unit in brackets as a style
        table.add_column(Text(title), justify="left" if unit is None else "right", no_wrap=True)
    for row in rows:
        table.add_row(*(_bare(row[key], unit) for _, key, unit in columns))
    out.print(Text(f"{len(rows)} motors", style="bold"))
    out.print(table)


_ROOMY = 110
"""Width from which a table shows what is only nice to have [characters]."""
_LIST_COLUMNS = (
    ("id", "id", None),
    ("kind", "kind", None),
    ("voltage\n[V]", "voltage", "V"),
    ("R\n[Ω]", "resistance", "ohm"),
    ("Kt\n[mN·m/A]", "torque_constant", "mN*m/A"),
    ("no-load\n[rpm]", "no_load_speed", "rpm"),
    ("torque\n[N·m]", "nominal_torque", "N*m"),
    ("gear\n[:1]", "gear_ratio", "1"),
)


def _summary(name: str, sheet: Datasheet) -> dict[str, Any]:
    """What a table line says of a sheet, as printed by its maker, in SI."""
    ratio = math.prod(stage.ratio for stage in sheet.gear if stage.ratio is not None) if sheet.gear else None
    return {
        "id": name,
        "name": sheet.name,
        "maker": sheet.maker,
        "kind": sheet.kind,
        "voltage": sheet.electrical.nominal_voltage,
        "resistance": sheet.electrical.resistance,
        "torque_constant": sheet.electrical.kt,
        "no_load_speed": sheet.mechanical.no_load_speed,
        "nominal_torque": sheet.mechanical.nominal_torque,
        "gear_ratio": ratio,
    }


def _table(title: str | None) -> Table:
    if title is not None:
        # a title above the table, which would wrap it to its own width
        out.print(Text(title, style="bold"))
    return Table(header_style="bold", box=None, pad_edge=False)


def _bare(value: Any, unit: str | None) -> str:
    """A value in the unit of its column."""
    if value is None:
        return "-"
    if unit is None:
        return str(value)
    converted = units.convert(value, unit)
    return f"{converted:.0f}" if abs(converted) >= 1000 else f"{converted:.4g}"


def _cell(value: Any, unit: str) -> str:
    """A value with its unit."""
    return "-" if value is None else units.format_quantity(float(value), unit or "1")


_SEVERITY_STYLE = {"ok": "green", "info": "cyan", "warning": "yellow", "error": "bold red"}


@app.command(short_help="Compare the figures of a datasheet with each other.")
def check(motor: MotorName, json_: AsJson = False) -> None:
    """Compare every redundant figure of a datasheet with what the others predict.

    A ratio near 1 means that maker and physics agree. Exit code 1 if a figure contradicts the others.
    """
    sheet = Datasheet.load(motor)
    findings = sheet.check()
    if json_:
        print(json.dumps([_finding(f) for f in findings], indent=1, ensure_ascii=False))
    else:
        _print_findings(sheet, findings)
    if any(finding.severity == "error" for finding in findings):
        raise typer.Exit(1)


def _finding(finding: Any) -> dict[str, Any]:
    return {name: _plain(value) for name, value in (asdict(finding) | {"ratio": finding.ratio}).items()}


def _print_findings(sheet: Datasheet, findings: list[Any]) -> None:
    compared = [finding for finding in findings if finding.listed is not None]
    if not findings:
        out.print(f"{sheet.name}: nothing is said twice, so there is nothing to compare")
    if compared:
        table = _table(f"{sheet.name}: each figure against the others")
        for title in ("figure", "listed", "predicted", "ratio", ""):
            table.add_column(
                title, justify="right" if title in ("listed", "predicted", "ratio") else "left", no_wrap=True
            )
        for finding in compared:
            ratio = "-" if finding.ratio is None else f"{finding.ratio:.3f}"
            mark = Text(finding.severity, style=_SEVERITY_STYLE[finding.severity])
            values = (_cell(v, finding.unit) for v in (finding.listed, finding.predicted))
            table.add_row(finding.figure, *values, ratio, mark)
        out.print(table)
    # what agrees needs no sentence
    remarks = [finding for finding in findings if finding.severity != "ok"]
    if remarks:
        out.print()
    for finding in remarks:
        mark = Text(finding.severity, style=_SEVERITY_STYLE[finding.severity])
        out.print(Text.assemble(mark, f" {finding.figure}: {finding.explanation}"))


@app.command(short_help="Show a motor's figures and what follows from them.")
def show(
    motor: MotorName,
    voltage: Annotated[
        str | None, typer.Option(metavar="VOLTS", help='Supply, such as "24 V"; default: the nominal voltage.')
    ] = None,
    temperature: Annotated[
        str | None,
        typer.Option(metavar="CELSIUS", help='Winding temperature, such as "80 degC"; default: that of the datasheet.'),
    ] = None,
    page: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Also write an HTML page with pictures to this file.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Show a motor: its figures with their sources, and the constants that follow from them.

    Where a datasheet says too little for a motor, its figures are shown, then what is missing, with exit code 2.
    """
    from . import analyze

    volts = None if voltage is None else _quantity("--voltage", voltage, "V")
    if volts is not None and volts <= 0:
        raise ParameterError(f'--voltage: "{voltage}" must be above 0')
    celsius = None if temperature is None else _quantity("--temperature", temperature, "degC")
    if page is not None:
        _require_folder("--page", page)
    sheet = Datasheet.load(motor)
    if not json_:
        # what the maker says is worth seeing even where too little follows from it
        _print_figures(sheet)
    built = sheet.motor()
    if volts is None and (built.ratings is None or built.ratings.voltage is None):
        raise ParameterError(f'{motor}: the datasheet gives no nominal voltage: add one, such as --voltage "24 V"')
    constants = analyze.constants(built, voltage=volts, temperature=celsius)
    if page is not None:
        from . import plot

        plot.page(page, title=sheet.name, motor=built, findings=sheet.check())
    if json_:
        figures = [asdict(figure) for figure in sheet.figures()]
        derived = [dict(zip(("name", "symbol", "value", "unit"), row, strict=True)) for row in constants.rows()]
        print(json.dumps(_plain({"figures": figures, "constants": derived}), indent=1, ensure_ascii=False))
        return
    _print_constants(constants)
    if page is not None:
        out.print(f"wrote {page}", soft_wrap=True)


def _print_figures(sheet: Datasheet) -> None:
    table = _table(f"{sheet.name}: what the maker says")
    for title in ("figure", "value", "source"):
        table.add_column(title, justify="right" if title == "value" else "left", no_wrap=True)
    sources: list[str] = []
    for figure in sheet.figures():
        if figure.source not in sources:
            sources.append(figure.source)
        shown = _cell(figure.value, figure.unit) if isinstance(figure.value, float) else str(figure.value)
        table.add_row(f"{figure.table}.{figure.key}", shown, f"({sources.index(figure.source) + 1})")
    out.print(table)
    out.print()
    for number, source in enumerate(sources, start=1):
        out.print(Text(f"({number}) {source}"))
    for note in sheet.notes:
        out.print(Text(f"note: {note}", style="dim"))


def _print_constants(constants: Any) -> None:
    out.print()
    table = _table("What follows")
    for title in ("constant", "symbol", "value"):
        table.add_column(title, justify="right" if title == "value" else "left", no_wrap=True)
    for name, symbol, value, unit in constants.rows():
        table.add_row(name, symbol, _cell(value, unit))
    out.print(table)


@app.command(
    short_help="Run a motor with a load under a voltage command.",
    epilog="""\b
Commands, in volts over time:
  "24 V"                                   the same all the time
  "step value=24V time=0.1s before=0V"     one value, then another
  "sine amplitude=12V frequency=2Hz"       also phase=, offset=
  "chirp amplitude=12V start=1Hz end=50Hz duration=5s"
  "trapezoid value=24V rise=0.2s hold=1s"  also fall=, start=
  volts.csv                                columns: time, and the volts

\b
Loads, at the joint:
  "inertia inertia=2kg*cm^2"               also damping=
  "pendulum mass=0.5kg length=10cm"        also arm_mass=, damping=,
                                           gravity=, offset=
  "fan coefficient=1e-6N*m*s^2/rad^2"      also inertia=
  "torque torque=-0.1N*m"                  also inertia=
  "two-mass inertia=1kg*cm^2 far_inertia=5kg*cm^2 stiffness=20N*m/rad"
                                           also damping=, backlash=,
                                           far_torque=
  "locked"                                 a joint that is held still
  "motion path.csv"                        columns: time, and the position

\b
Examples:
  backemf simulate maxon-re40-148867 --command "24 V"
  backemf simulate maxon-re40-148867 --command "step value=48V time=0.1s" \\
      --load "inertia inertia=2kg*cm^2" \\
      --supply "voltage=48V resistance=0.1ohm"
  backemf simulate my-motor.toml --command volts.csv --load locked \\
      --duration "30 s" --dt "1 ms" -o run.parquet --plot run.png
""",
)
def simulate(
    motor: MotorName,
    command: Annotated[
        str, typer.Option(metavar="COMMAND", help='Volts over time, such as "24 V", a signal or a CSV file; see below.')
    ],
    load: Annotated[
        str, typer.Option(metavar="LOAD", help='What it moves, such as "inertia inertia=2kg*cm^2"; see below.')
    ] = "inertia inertia=0kg*m^2",
    duration: Annotated[str, typer.Option(metavar="TIME", help='How long, such as "500 ms".')] = "1 s",
    dt: Annotated[
        str, typer.Option(metavar="TIME", help='Step, such as "10 us"; any is stable, a short one is exact.')
    ] = "0.1 ms",
    supply: Annotated[
        str | None,
        typer.Option(
            metavar="SUPPLY",
            help='Battery, such as "voltage=48V resistance=50mohm"; also modulation_limit=, regeneration=no. '
            "Default: any voltage is there.",
        ),
    ] = None,
    every: Annotated[int, typer.Option(metavar="N", help="Record every n-th step only.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Write all channels: .parquet or .csv.")
    ] = None,
    plot: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Draw the run to this picture: .png, .svg or .pdf.")
    ] = None,
    json_: AsJson = False,
) -> None:
    """Run a motor with a load under a voltage command, and say where the energy went.

    The motor starts cold and at rest. Every quantity is written with its unit.
    """
    from .simulate import simulate as run_simulation

    _require_ending("--output", output, (".parquet", ".csv"))
    _require_ending("--plot", plot, (".png", ".svg", ".pdf"))
    sheet = Datasheet.load(motor)
    actuator = Actuator(sheet.motor(), None if supply is None else _built("--supply", Supply, supply))
    run = run_simulation(
        actuator,
        _load(load),
        _command(command),
        _quantity("--duration", duration, "s"),
        _quantity("--dt", dt, "s"),
        every=every,
        progress=not json_,
    )
    if output is not None:
        (run.to_parquet if output.suffix == ".parquet" else run.to_csv)(output)
    if plot is not None:
        run.plot(plot)
    last = {name: float(run[name][-1]) for name in _AT_THE_END}
    energy = {name: float(values[-1]) for name, values in run.energy().items()} if every == 1 else {}
    if json_:
        peak = {"current": float(abs(run["current"]).max())}
        answer = {"time": float(run.time[-1]), "end": last, "peak": peak, "energy": energy}
        print(json.dumps(_plain(answer), indent=1))
        return
    _print_run(sheet, run, last, energy)
    for path in (output, plot):
        if path is not None:
            out.print(f"wrote {path}", soft_wrap=True)


_AT_THE_END = ("position", "velocity", "current", "winding_temperature", "torque")
_NOTHING = 1e-9
"""What is smaller than this share of the largest value is rounding, and shown as 0 or left out [1]."""


def _print_run(sheet: Datasheet, run: Any, last: dict[str, float], energy: dict[str, float]) -> None:
    table = _table(f"{sheet.name} after {run.time[-1]:g} s")
    table.add_column("at the end")
    table.add_column("", justify="right")
    for name, value in last.items():
        if name == "position":
            # many turns: a practical unit of angle would not help
            table.add_row(name, f"{value:.0f} rad" if abs(value) >= 1000 else f"{value:.4g} rad")
            continue
        small = abs(value) < _NOTHING * float(abs(run[name]).max())
        table.add_row(name.replace("_", " "), units.format_quantity(0.0 if small else value, run.unit(name)))
    table.add_row("largest current", units.format_quantity(float(abs(run["current"]).max()), "A"))
    out.print(table)
    if energy:
        out.print()
        table = _table("Where the energy went")
        table.show_header = False
        table.add_column("")
        table.add_column("", justify="right")
        largest = max(abs(value) for value in energy.values())
        for name, value in energy.items():
            if abs(value) > _NOTHING * largest:
                table.add_row(name, f"{value:.4g} J")
        out.print(table)


_LOADS = {
    "inertia": loads.Inertia,
    "pendulum": loads.Pendulum,
    "fan": loads.Fan,
    "torque": loads.ConstantTorque,
    "two-mass": loads.TwoMass,
    "locked": loads.LockedRotor,
}
_SIGNALS = {
    "step": commands.Step,
    "sine": commands.Sine,
    "chirp": commands.Chirp,
    "trapezoid": commands.Trapezoid,
}
_UNITS = {
    "inertia": "kg*m^2", "far_inertia": "kg*m^2", "mass": "kg", "arm_mass": "kg", "length": "m", "gravity": "m/s^2",
    "offset": "rad", "stiffness": "N*m/rad", "backlash": "rad", "far_torque": "N*m", "torque": "N*m",
    "coefficient": "N*m*s^2/rad^2", "damping": "N*m*s/rad", "value": "V", "before": "V", "amplitude": "V", "time": "s",
    "frequency": "Hz", "phase": "rad", "duration": "s", "rise": "s", "hold": "s", "fall": "s", "voltage": "V",
    "resistance": "ohm", "modulation_limit": "1",
}  # fmt: skip
_SIGNAL_UNITS = {"offset": "V", "start": "Hz", "end": "Hz"}
_SWITCH = {"true": True, "yes": True, "false": False, "no": False}


def _load(text: str) -> Any:
    word, _, rest = text.strip().partition(" ")
    if word == "motion":
        table = commands.from_csv(rest.strip(), unit="rad")
        return loads.PrescribedMotion(time=table.time, position=table.values)
    if word not in _LOADS:
        raise ParameterError(f"--load {text!r}: must begin with one of {', '.join((*_LOADS, 'motion'))}")
    return _built("--load", _LOADS[word], rest)


def _command(text: str) -> Any:
    word, _, rest = text.strip().partition(" ")
    if text.strip().lower().endswith(".csv"):
        return commands.from_csv(text.strip())
    if word in _SIGNALS:
        special = _SIGNAL_UNITS | ({"start": "s"} if word == "trapezoid" else {})
        return _built("--command", _SIGNALS[word], rest, special)
    if word[:1].isalpha():
        raise ParameterError(f"--command {text!r}: must be volts, a CSV file, or begin with {', '.join(_SIGNALS)}")
    return _quantity("--command", text, "V")


def _quantity(what: str, text: str, unit: str) -> float:
    """The SI value of an option, whose name stands in the error."""
    try:
        value = units.parse(text, unit)
    except UnitError as error:
        raise UnitError(f"{what}: {error}") from None
    if unit == "Hz" and not text.strip().endswith("Hz"):
        # rad/s and rpm have the same dimension and another meaning
        raise UnitError(f'{what}: "{text}" is no frequency in hertz: write it like "2 Hz"')
    return value


def _built(option: str, kind: type, text: str, special: dict[str, str] | None = None) -> Any:
    """An object from words such as `mass=0.5kg length=0.1 m`."""
    known = {entry.name: entry for entry in fields(kind)}
    names = f"one of {', '.join(known)}" if known else "nothing"
    stray, *words = re.split(r"(?:^|\s+)([\w-]+)\s*=", text.strip())
    if stray:
        raise ParameterError(f"{option}, {stray!r}: must be name=value with {names}")
    values: dict[str, Any] = {}
    for name, value in zip(words[::2], words[1::2], strict=True):
        if name not in known:
            raise ParameterError(f"{option}, '{name}={value.strip()}': must be name=value with {names}")
        unit = (special or {}).get(name) or _UNITS.get(name)
        if unit is not None:
            values[name] = _quantity(f"{option}, {name}", value.strip(), unit)
        elif value.strip().lower() in _SWITCH:
            values[name] = _SWITCH[value.strip().lower()]
        else:
            raise ParameterError(f"{option}, '{name}={value.strip()}': must be yes or no")
    missing = [name for name, entry in known.items() if name not in values and entry.default is MISSING]
    if missing:
        raise ParameterError(f"{option}: {kind.__name__} also needs {' and '.join(f'{name}=...' for name in missing)}")
    return kind(**values)


def _require_ending(option: str, path: Path | None, endings: tuple[str, ...]) -> None:
    """Say at once that a file cannot be written, not after a long run."""
    if path is None:
        return
    if path.suffix not in endings:
        raise ParameterError(f"{option} {path}: the name must end in {' or '.join(endings)}")
    _require_folder(option, path)


def _require_folder(option: str, path: Path) -> None:
    if not path.parent.is_dir():
        raise ParameterError(f"{option} {path}: there is no folder {path.parent}; make it first")
    if path.is_dir():
        raise ParameterError(f"{option} {path}: is a folder; give a file in it")


def _plain(value: Any) -> Any:
    """The same in what JSON knows: NaN and infinity become null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


if __name__ == "__main__":
    main()
