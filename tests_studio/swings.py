"""Logs of a simulated servo with a weight, small enough that a fit of one law takes seconds."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

import backemf as be

RIG = """
format = "backemf rig 1"

[load]
kind = "Pendulum"
mass = "0.49 kg"
length = "0.10 m"

[firmware]
kind = "ServoRegisters"
servo = "dynamixel xl330-m288"
position_p_gain = "log.kp"

[supply]
voltage = "7.3 V"
"""


def write_swings(folder: Path, headings: str = "time [s],goal_position [rad],position [rad]") -> list[Path]:
    """Two logs and their rig."""
    rig = folder / "rig.toml"
    rig.write_text(RIG)
    known = be.Rig.read(rig)
    motor = be.load("dynamixel-xl330-m288", estimate=True).motor
    real = replace(motor, friction=be.LoadDependent(coulomb=1.2e-4, viscous=5e-8))
    made = []
    for kp in (400, 800):
        time = np.arange(0.0, 2.0, 0.01)
        goal = 0.8 * np.sin(2.0 * np.pi * (0.3 + 0.2 * time) * time)
        log = be.Log.from_arrays(time, {"position": 0.0 * time}, meta={"kp": kp})
        drive, load = known.actuator_for(be.Actuator(real), log), be.Pendulum(mass=0.49, length=0.1)
        run = be.simulate(drive, load, be.commands.Samples(np.repeat(goal, 10)), 2.0, 1e-3)
        position = np.interp(time, run.time, run["position"])
        rows = [f"{t:.3f},{g:.5f},{p:.5f}" for t, g, p in zip(time, goal, position, strict=True)]
        made.append(folder / f"swing{kp}.csv")
        made[-1].write_text(f"# kp = {kp}\n{headings}\n" + "\n".join(rows) + "\n")
    return [*made, rig]
