"""backemf simulate"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from .. import units
from ..actuator import Actuator, Supply
from ..datasheet import Datasheet
from ..simulate import simulate as run_simulation
from .app import AsJson, MotorName, app, console
from .tables import plain, titled_table
from .words import built, command_from, load_from, quantity, require_ending


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
    require_ending("--output", output, (".parquet", ".csv"))
    require_ending("--plot", plot, (".png", ".svg", ".pdf"))
    sheet = Datasheet.load(motor)
    actuator = Actuator(sheet.motor(), None if supply is None else built("--supply", Supply, supply))
    run = run_simulation(
        actuator,
        load_from(load),
        command_from(command),
        quantity("--duration", duration, "s"),
        quantity("--dt", dt, "s"),
        every=every,
        progress=not json_,
    )
    if output is not None:
        (run.to_parquet if output.suffix == ".parquet" else run.to_csv)(output)
    if plot is not None:
        run.plot(plot)
    last = {name: float(run[name][-1]) for name in AT_THE_END}
    energy = {name: float(values[-1]) for name, values in run.energy().items()} if every == 1 else {}
    if json_:
        peak = {"current": float(abs(run["current"]).max())}
        answer = {"time": float(run.time[-1]), "end": last, "peak": peak, "energy": energy}
        print(json.dumps(plain(answer), indent=1))
        return
    _print_run(sheet, run, last, energy)
    for path in (output, plot):
        if path is not None:
            console().print(f"wrote {path}", soft_wrap=True)


AT_THE_END = ("position", "velocity", "current", "winding_temperature", "torque")
NOTHING = 1e-9
"""What is smaller than this share of the largest value is rounding, and shown as 0 or left out [1]."""


def _print_run(sheet: Datasheet, run: Any, last: dict[str, float], energy: dict[str, float]) -> None:
    table = titled_table(f"{sheet.name} after {run.time[-1]:g} s")
    table.add_column("at the end")
    table.add_column("", justify="right")
    for name, value in last.items():
        if name == "position":
            # many turns: a practical unit of angle would not help
            table.add_row(name, f"{value:.0f} rad" if abs(value) >= 1000 else f"{value:.4g} rad")
            continue
        small = abs(value) < NOTHING * float(abs(run[name]).max())
        table.add_row(name.replace("_", " "), units.format_quantity(0.0 if small else value, run.unit(name)))
    table.add_row("largest current", units.format_quantity(float(abs(run["current"]).max()), "A"))
    console().print(table)
    if energy:
        console().print()
        table = titled_table("Where the energy went")
        table.show_header = False
        table.add_column("")
        table.add_column("", justify="right")
        largest = max(abs(value) for value in energy.values())
        for name, value in energy.items():
            if abs(value) > NOTHING * largest:
                table.add_row(name, f"{value:.4g} J")
        console().print(table)
