"""The whole way: a real motor from its datasheet to a load that moves and a winding that heats up.

Leaves a page of pictures in out/ (or in the folder named by BACKEMF_OUT).
"""

import os
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

import backemf as be
from backemf.progress import progress_bar

MOTOR = "maxon-re40-148877"
ANGLE = 60.0
"""Where the arm is lifted to [degrees from hanging]."""
LOAD = be.Pendulum(mass=0.4, length=0.1)
LIFT_TIME = 2.0
"""Seconds for the lift."""
DURATION = 120.0
"""Seconds in all, long enough for the winding to heat up."""
DT = 5e-4
HOTTEST = 125.0
"""Winding temperature that we allow [°C]."""

PICTURES = 9
"""Pictures on the page: two of the run, seven of the motor."""

console = Console()


def volts_for_angle(motor: be.Motor, angle: float) -> float:
    """Volts at which a cold motor holds the arm at an angle [rad]: v = R·i with Kt·i = m·g·l·sin(angle)."""
    torque = LOAD.mass * LOAD.gravity * LOAD.length * np.sin(angle)
    return motor.winding.resistance * torque / motor.magnet.torque_constant


def print_findings(sheet: be.Datasheet, findings: list[be.Finding]) -> None:
    console.rule(f"1  the datasheet of the {sheet.name}")
    for finding in findings:
        console.print(f"  {finding}", highlight=False)


def print_constants(motor: be.Motor) -> None:
    console.rule("2  what follows from it")
    table = Table(box=None, pad_edge=False, show_header=False)
    for name, symbol, value, unit in be.analyze.constants(motor).rows():
        table.add_row(f"  {name}", symbol, be.units.format_quantity(value, unit) if unit else f"{value:.4g}")
    console.print(table)


def print_run(run: be.Run) -> None:
    degrees, temperature = np.degrees(run["position"]), run["winding_temperature"]
    risen = round(2.5 * LIFT_TIME / DT)
    console.print(f"  asked for {ANGLE:.0f}° with a constant voltage, nothing fed back")
    console.print(f"  at {run.time[risen]:3.0f} s: {degrees[risen]:.1f}°, {temperature[risen]:.0f} °C in the winding")
    console.print(
        f"  at {run.time[-1]:3.0f} s: {degrees[-1]:.1f}°, {temperature[-1]:.0f} °C: hot copper carries less current"
    )
    energy = {name: values[-1] for name, values in run.energy().items()}
    copper = energy["copper"] / energy["electrical"]
    console.print(f"  {energy['electrical']:.0f} J of electrical energy, {copper:.1%} of it became heat in the copper")
    for finding in run.findings():
        console.print(f"  {finding}", highlight=False)


def main() -> None:
    began = time.perf_counter()
    folder = Path(os.environ.get("BACKEMF_OUT", "out"))
    folder.mkdir(parents=True, exist_ok=True)

    sheet = be.Datasheet.load(MOTOR)
    findings = sheet.check()
    print_findings(sheet, findings)

    # the sheet says nothing of the hottest winding, so we choose
    motor = sheet.replace(thermal=replace(sheet.thermal, max_winding_temperature=HOTTEST)).motor()
    print_constants(motor)

    console.rule(f"3  an arm lifted to {ANGLE:.0f}° and held for {DURATION:.0f} s")
    lift = be.Trapezoid(value=volts_for_angle(motor, np.radians(ANGLE)), rise=LIFT_TIME, hold=2 * DURATION)
    run = be.simulate(motor, LOAD, lift, DURATION, DT, progress=True)
    print_run(run)

    console.rule("4  pictures")
    with progress_bar("  drawing", PICTURES, patience=0.0) as advance:
        page = be.plot.page(
            folder / "demo.html", sheet.name, motor, run, findings=findings, progress=lambda picture: advance(1)
        )
    run.plot(folder / "demo.png")
    console.print(f"  {page} and {folder / 'demo.png'}, {time.perf_counter() - began:.1f} s in all")


if __name__ == "__main__":
    main()
