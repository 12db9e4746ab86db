"""The command line: backemf list | check | show | simulate."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import asdict, fields
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from . import __version__, catalog, commands, loads, units
from .actuator import Actuator, Supply
from .datasheet import Datasheet
from .errors import BackemfError, ParameterError

app = typer.Typer(
    name="backemf",
    help="Real motors for simulated robots: read a datasheet, check it, look at it, run it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    epilog="Exit codes: 0 all is well; 1 a datasheet contradicts itself; 2 bad input, said in one sentence.",
)
out = Console()

MotorName = Annotated[str, typer.Argument(metavar="MOTOR", help="A catalogue id (see `backemf list`) or a TOML file.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts instead of a table.")]


def main() -> None:
    """Run the command line; bad input becomes one sentence and exit code 2."""
    try:
        app()
    except BackemfError as error:
        Console(stderr=True, soft_wrap=True).print(Text(f"{type(error).__name__}: {error}"))
        sys.exit(2)


@app.callback(invoke_without_command=True)
def _version(version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False) -> None:
    if version:
        print(f"backemf {__version__}")
        raise typer.Exit


@app.command("list")
def list_(json_: AsJson = False) -> None:
    """List the motors of the catalogue."""
    sheets = [(name, Datasheet.load(name)) for name in catalog.ids()]
    rows = [_summary(name, sheet) for name, sheet in sheets]
    if json_:
        print(json.dumps(rows, indent=1, ensure_ascii=False))
        return
    table = Table(title=f"{len(rows)} motors", header_style="bold", box=None, pad_edge=False)
    for title, key, unit in _LIST_COLUMNS:
        table.add_column(title, justify="left" if unit is None else "right", no_wrap=unit is not None or key == "id")
    for row in rows:
        table.add_row(*(_cell(row[key], unit) for _, key, unit in _LIST_COLUMNS))
    out.print(table)


_LIST_COLUMNS = (
    ("id", "id", None),
    ("kind", "kind", None),
    ("voltage", "voltage", "V"),
    ("R", "resistance", "ohm"),
    ("Kt", "torque_constant", "N*m/A"),
    ("no-load speed", "no_load_speed", "rad/s"),
    ("nominal torque", "nominal_torque", "N*m"),
    ("gear", "gear_ratio", "1"),
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


def _cell(value: Any, unit: str | None) -> str:
    if value is None:
        return "-"
    if unit is None:
        return str(value)
    return f"{value:.4g}" if unit == "1" else units.format_quantity(value, unit)


_SEVERITY_STYLE = {"ok": "green", "info": "cyan", "warning": "yellow", "error": "bold red"}


@app.command()
def check(motor: MotorName, json_: AsJson = False) -> None:
    """Compare every redundant figure of a datasheet with what the others predict.

    Exit code 1 if a figure contradicts the others.
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
    table = Table(title=sheet.name, header_style="bold", box=None, pad_edge=False)
    for title in ("figure", "listed", "predicted", "ratio", "", "what it means"):
        table.add_column(title, justify="right" if title in ("listed", "predicted", "ratio") else "left")
    for finding in findings:
        style = _SEVERITY_STYLE[finding.severity]
        ratio = "-" if finding.ratio is None else f"{finding.ratio:.3f}"
        listed, predicted = (_cell(v, finding.unit or "1") for v in (finding.listed, finding.predicted))
        mark = Text(finding.severity, style=style)
        table.add_row(finding.figure, listed, predicted, ratio, mark, finding.explanation)
    out.print(table if findings else f"{sheet.name}: nothing is said twice, so there is nothing to compare")


@app.command()
def show(
    motor: MotorName,
    voltage: Annotated[str | None, typer.Option(help='Supply, such as "24 V"; default: the nominal voltage.')] = None,
    temperature: Annotated[str | None, typer.Option(help='Winding temperature, such as "80 degC".')] = None,
    page: Annotated[Path | None, typer.Option(help="Also write an HTML page with pictures to this file.")] = None,
    json_: AsJson = False,
) -> None:
    """Show a motor: its figures with their sources, and the constants that follow from them."""
    from . import analyze

    sheet = Datasheet.load(motor)
    built = sheet.motor()
    constants = analyze.constants(
        built,
        voltage=None if voltage is None else units.parse(voltage, "V"),
        temperature=None if temperature is None else units.parse(temperature, "degC"),
    )
    if page is not None:
        from . import plot

        plot.page(page, title=sheet.name, motor=built, findings=sheet.check())
    if json_:
        figures = [asdict(figure) for figure in sheet.figures()]
        derived = [dict(zip(("name", "symbol", "value", "unit"), row, strict=True)) for row in constants.rows()]
        print(json.dumps(_plain({"figures": figures, "constants": derived}), indent=1, ensure_ascii=False))
        return
    _print_figures(sheet)
    _print_constants(constants)
    if page is not None:
        out.print(f"wrote {page}")


def _print_figures(sheet: Datasheet) -> None:
    table = Table(title=f"{sheet.name}: what the maker says", header_style="bold", box=None, pad_edge=False)
    for title in ("figure", "value", "source"):
        table.add_column(title, justify="right" if title == "value" else "left")
    for figure in sheet.figures():
        shown = _cell(figure.value, figure.unit or "1") if isinstance(figure.value, float) else str(figure.value)
        table.add_row(f"{figure.table}.{figure.key}", shown, figure.source)
    out.print(table)
    for note in sheet.notes:
        out.print(Text(f"note: {note}", style="dim"))


def _print_constants(constants: Any) -> None:
    table = Table(title="what follows", header_style="bold", box=None, pad_edge=False)
    for title in ("constant", "symbol", "value"):
        table.add_column(title, justify="right" if title == "value" else "left")
    for name, symbol, value, unit in constants.rows():
        table.add_row(name, symbol, _cell(value, unit or "1"))
    out.print()
    out.print(table)


@app.command()
def simulate(
    motor: MotorName,
    command: Annotated[
        str,
        typer.Option(
            help='Volts over time: "24 V", a CSV file with time and volts, or a signal such as '
            '"step value=24V time=0.1s", "sine amplitude=12V frequency=2Hz", "chirp ...", "trapezoid ...".'
        ),
    ],
    load: Annotated[
        str,
        typer.Option(
            help='What it moves: "inertia inertia=2e-4kg*m^2", "pendulum mass=0.5kg length=0.1m", "locked", '
            '"fan coefficient=1e-6N*m*s^2/rad^2", "torque torque=-0.1N*m inertia=1e-4kg*m^2".'
        ),
    ] = "inertia inertia=0kg*m^2",
    duration: Annotated[str, typer.Option(help="How long.")] = "1 s",
    dt: Annotated[str, typer.Option(help="Step; any is stable, a short one is exact.")] = "0.1 ms",
    supply: Annotated[str | None, typer.Option(help='Battery, such as "voltage=48V resistance=50mohm".')] = None,
    every: Annotated[int, typer.Option(help="Record every n-th step.")] = 1,
    output: Annotated[Path | None, typer.Option("-o", "--output", help="Write all channels: .parquet or .csv.")] = None,
    plot: Annotated[Path | None, typer.Option(help="Draw the run to this picture (.png, .pdf, .svg).")] = None,
    json_: AsJson = False,
) -> None:
    """Run a motor with a load under a voltage command, and say where the energy went."""
    from .simulate import simulate as run_simulation

    if output is not None and output.suffix not in (".parquet", ".csv"):
        raise ParameterError(f"--output {output}: the name must end in .parquet or .csv")
    sheet = Datasheet.load(motor)
    actuator = Actuator(sheet.motor(), None if supply is None else _built("--supply", Supply, supply))
    run = run_simulation(
        actuator,
        _load(load),
        _command(command),
        units.parse(duration, "s"),
        units.parse(dt, "s"),
        every=every,
        progress=not json_ and sys.stderr.isatty(),
    )
    if output is not None:
        (run.to_parquet if output.suffix == ".parquet" else run.to_csv)(output)
    if plot is not None:
        run.plot(plot)
    last = {name: float(run[name][-1]) for name in ("position", "velocity", "current", "winding_temperature", "torque")}
    energy = {name: float(values[-1]) for name, values in run.energy().items()} if every == 1 else {}
    if json_:
        print(json.dumps(_plain({"time": float(run.time[-1]), "end": last, "energy": energy}), indent=1))
        return
    _print_run(sheet, run, last, energy)
    for path in (output, plot):
        if path is not None:
            out.print(f"wrote {path}")


def _print_run(sheet: Datasheet, run: Any, last: dict[str, float], energy: dict[str, float]) -> None:
    table = Table(title=f"{sheet.name} after {run.time[-1]:g} s", header_style="bold", box=None, pad_edge=False)
    table.add_column("at the end")
    table.add_column("", justify="right")
    for name, value in last.items():
        table.add_row(name, units.format_quantity(value, run.unit(name)))
    peak = float(abs(run["current"]).max())
    table.add_row("largest current", units.format_quantity(peak, "A"))
    out.print(table)
    if energy:
        table = Table(title="where the energy went", header_style="bold", box=None, pad_edge=False)
        table.add_column("")
        table.add_column("", justify="right")
        for name, value in energy.items():
            if value:
                table.add_row(name, units.format_quantity(value, "J"))
        out.print()
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


def _load(text: str) -> Any:
    word, _, rest = text.strip().partition(" ")
    if word not in _LOADS:
        raise ParameterError(f"--load {text!r}: must begin with one of {', '.join(_LOADS)}")
    return _built("--load", _LOADS[word], rest)


def _command(text: str) -> Any:
    word, _, rest = text.strip().partition(" ")
    if word.lower().endswith(".csv"):
        return commands.from_csv(text.strip())
    if word in _SIGNALS:
        special = _SIGNAL_UNITS | ({"start": "s"} if word == "trapezoid" else {})
        return _built("--command", _SIGNALS[word], rest, special)
    if word[:1].isalpha():
        raise ParameterError(f"--command {text!r}: must be volts, a CSV file, or begin with {', '.join(_SIGNALS)}")
    return units.parse(text, "V")


def _built(option: str, kind: type, text: str, special: dict[str, str] | None = None) -> Any:
    """An object from words such as `mass=0.5kg length=0.1m`."""
    known = {entry.name for entry in fields(kind)}
    values: dict[str, Any] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not equals or name not in known:
            raise ParameterError(f"{option}, {word!r}: must be name=value with one of {', '.join(sorted(known)) or 'none'}")
        unit = (special or {}).get(name) or _UNITS.get(name)
        values[name] = value.lower() in ("true", "yes") if unit is None else units.parse(value, unit)
    try:
        return kind(**values)
    except TypeError as error:
        missing = str(error).partition("argument")[2].strip(" s:")
        raise ParameterError(f"{option}: {kind.__name__} also needs {missing}") from None


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
