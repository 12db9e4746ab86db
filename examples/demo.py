"""One motor from datasheet to simulator: checks, a servo under load, every simulator's model of it, and text to paste.

Writes a page, demo.html, to out/ (or in the folder named by BACKEMF_OUT), and the picture of the run, demo.svg.
"""

import os
import time
from dataclasses import replace
from html import escape
from pathlib import Path

import numpy as np
from rich.console import Console

import backemf as be
from backemf.plot import Section
from backemf.plot.page import constants_table, findings_table, picture, run_findings, table
from backemf.transfer.picture import simulators
from backemf.transfer.targets import NAMES, target_of

MOTOR = "maxon-re40-gp52c"
"""A 150 W motor with a planetary gear of 53:1."""
ARM = be.Pendulum(mass=8.0, length=0.35)
"""The load: 27 N·m where the arm is level, four times the continuous torque of the motor."""
SWING = be.commands.Sine(amplitude=1.35, frequency=0.2)
"""Target angle of the arm [rad from hanging]: up to either side every five seconds."""
DURATION, DT = 60.0, 2e-3
DERATING = be.Limits(peak_current=30.0, continuous_current=5.77, derating_start=80.0, derating_end=105.0)
"""Limits of the drive: 30 A up to 80 °C in the winding, falling to 5.77 A at 105 °C."""

console = Console()


def servo(motor: be.Motor) -> be.Actuator:
    """The motor behind a position controller, on a battery, with commands that arrive 4 ms late."""
    return be.Actuator(
        motor,
        be.Supply(voltage=24.0, resistance=0.15),
        controller=be.PositionPid(kp=80.0, ki=60.0, kd=1.5),
        delay=be.Delay(seconds=4e-3),
    )


# --- the parts of the page


def datasheet(sheet: be.Datasheet, motor: be.Motor) -> Section:
    findings = sheet.check()
    console.rule(f"1  the datasheet of the {sheet.name}")
    for finding in findings:
        console.print(f"  {finding}", highlight=False)
    drawn = be.plot.operating_range(motor)
    words = "Strong colour: continuous operation. Pale: for a short time, up to the voltage and the current limit."
    return Section(
        "1  A datasheet, checked",
        "<p>Every value on the datasheet is compared with what the others predict. What agrees can be trusted; "
        "a wrong unit or convention is named, with its cause.</p>"
        f'<div class="two">{picture(drawn, "operating range", words)}<div>{findings_table(findings)}</div></div>'
        f"<details><summary>Every constant that follows</summary>{constants_table(motor)}</details>",
    )


def closed_loop(run: be.Run, folder: Path) -> Section:
    console.rule(f"2  a servo swings an arm of {ARM.mass:.0f} kg for {DURATION:.0f} s")
    for finding in run.findings():
        console.print(f"  {finding}", highlight=False)
    derated = (run["limit"].astype(int) & be.physics.state.LIMITS["derating"]) != 0
    angle = np.degrees(np.abs(run["position"]))
    said = (
        f"After {run.time[derated][0]:.0f} s the winding is so hot that the drive lowers the current, and the arm, "
        f"which went up to {angle.max():.0f}°, ends at {angle[-round(5.0 / DT) :].max():.0f}°"
    )
    console.print(f"  {said}", highlight=False)
    response = be.plot.step_response(run, folder / "demo.svg")
    return Section(
        "2  A geared servo at work",
        f'<div class="two">{picture(response, "run", "The joint, the drive, the temperatures and the limits.")}'
        f"<div><p>A position controller swings an arm of {ARM.mass:.0f} kg. The battery sags, commands arrive 4 ms "
        f"late, gears lose a quarter of the power, and the winding heats up. {said}.</p>"
        f"{run_findings(run.findings())}"
        f"{picture(be.plot.energy_balance(run), 'energy', 'Where the energy of the battery went.')}</div></div>",
    )


def in_simulators(motor: be.Motor, found: dict[str, be.Exported]) -> Section:
    console.rule("3  the motor in each simulator")
    rows = []
    for name, export in found.items():
        counts = [
            sum(status.status == kind for status in export.statuses) for kind in ("kept", "approximated", "dropped")
        ]
        rows.append((escape(target_of(name).title), *map(str, counts)))
        console.print(f"  {target_of(name).title:14} {counts[0]} kept, {counts[1]} approximated, {counts[2]} dropped")
    drawn = simulators(motor, title="maxon RE 40 with GP 52 C")
    words = "Blue is the motor, orange the simulator's own actuator at full command."
    return Section(
        "3  The same motor in seven simulators",
        "<p>Each simulator's own law is run beside the motor. While the motor drives, most agree; while it brakes, all "
        "give too little: gear losses help a braking motor, and no simulator models that.</p>"
        f'<div class="one">{picture(drawn, "simulators", words)}</div>'
        + table(("simulator", "phenomena kept", "approximated", "dropped"), rows, numeric=(1, 2, 3)),
    )


def to_paste(found: dict[str, be.Exported]) -> Section:
    console.rule("4  what to paste")
    parts = []
    for k, (name, export) in enumerate(found.items()):
        losses = "".join(f"<li>{escape(loss.phenomenon)}: {escape(str(loss))}</li>" for loss in export.losses)
        parts.append(
            f"<details{' open' if k == 0 else ''}><summary>{escape(target_of(name).title)}</summary>"
            f"<pre>{escape(export.text)}</pre><p>What is lost:</p><ul>{losses}</ul></details>"
        )
    console.print(f"  the text for {len(found)} simulators, with what is lost, is on the page")
    return Section("4  What to paste", "".join(parts))


def main() -> None:
    began = time.perf_counter()
    folder = Path(os.environ.get("BACKEMF_OUT", "out"))
    folder.mkdir(parents=True, exist_ok=True)
    sheet = be.Datasheet.load(MOTOR)
    motor = sheet.motor()
    sections = [datasheet(sheet, motor)]
    run = be.simulate(servo(replace(motor, limits=DERATING)), ARM, SWING, DURATION, DT, progress=True)
    sections.append(closed_loop(run, folder))
    found = {name: be.export(motor, name, "knee", compare=False) for name in NAMES}
    sections += [in_simulators(motor, found), to_paste(found)]
    page = folder / "demo.html"
    page.write_text(be.plot.html("One motor, from its datasheet to every simulator", sections), encoding="utf-8")
    console.print(f"  {page}, {time.perf_counter() - began:.1f} s in total")
    console.print("  now pull at a motor yourself: make studio")


if __name__ == "__main__":
    main()
