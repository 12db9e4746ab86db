"""Every plot, for a real motor with a gearbox, bristle friction and cogging added to it.

Writes SVG files to out/ (or to the folder named by BACKEMF_OUT).
"""

import os
from dataclasses import replace
from pathlib import Path

import backemf as be
from backemf.sims.mime.pictures import mime_verification


def geared_motor() -> be.Motor:
    """The RE 40 behind a two-stage planetary gear, with the friction and drag that such a train has."""
    sheet = be.Datasheet.load("maxon-re40-148877")
    # the sheet does not give the highest winding temperature, so we choose one
    sheet = sheet.replace(thermal=replace(sheet.thermal, max_winding_temperature=125.0))
    return sheet.motor(
        friction=be.LuGre(coulomb=0.006, stiction=0.011, stribeck_velocity=8.0, stiffness=12.0, damping=0.002),
        drag=be.Drag(coefficients=(4e-6, 2e-8)),
        cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.002, periodicity=13.0),)),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=4.0, efficiency=0.9), be.Stage(ratio=4.0, efficiency=0.9))),
        limits=be.Limits(peak_current=12.0),
    )


def position_control(motor: be.Motor, **parts) -> be.Run:
    """A quarter turn under a position controller; `parts` delay or slow down the command."""
    controller = be.PositionPid(kp=40.0, kd=1.2)
    servo = be.Actuator(motor, be.Supply(voltage=18.0), controller=controller, **parts)
    return be.simulate(servo, be.Inertia(inertia=0.02), be.commands.Step(value=1.57, time=0.05), 0.4)


def main() -> None:
    folder = Path(os.environ.get("BACKEMF_OUT", "out"))
    folder.mkdir(parents=True, exist_ok=True)
    motor = geared_motor()
    run = be.simulate(motor, be.Inertia(inertia=0.02), be.commands.Trapezoid(value=40.0, rise=0.05, hold=0.5), 1.0)
    pictures = be.plot
    of_motor = (
        pictures.operating_range,
        pictures.torque_speed,
        pictures.current_envelope,
        pictures.loss_envelope,
        pictures.heating,
        pictures.hysteresis,
        pictures.stribeck,
        pictures.efficiency_map,
        pictures.simplified_limits,
    )
    for draw, what in [
        *((draw, motor) for draw in of_motor),
        (pictures.step_response, run),
        (pictures.energy_balance, run),
    ]:
        path = folder / f"{draw.__name__}.svg"
        draw(what, path=path)
        print(path)
    for name, parts in (
        ("position_control", {"delay": be.Delay(seconds=0.02), "slew": 20.0}),
        ("position_control_at_once", {}),
    ):
        path = folder / f"{name}.svg"
        position_control(motor, **parts).plot(path)
        print(path)
    mime_verification(folder / "mime_verification.svg")
    print(folder / "mime_verification.svg")


if __name__ == "__main__":
    main()
