"""Synthetic rigs: logs of drives whose numbers are known."""

from dataclasses import replace

import numpy as np

import backemf as be
from backemf.identify.rig_parts import Sensor

TRUTH = be.Motor(
    winding=be.Winding(resistance=3.4),
    magnet=be.Magnet(torque_constant=0.35, back_emf_constant=0.35),
    rotor=be.Rotor(inertia=1.8e-3),
    friction=be.LoadDependent(coulomb=0.03, viscous=0.01),
    ratings=be.Ratings(voltage=7.4),
)
"""A servo, all figures at its output."""


def pendulum_rig(kp: float = 2.0) -> be.Rig:
    """A pendulum on a servo of a fixed gain."""
    return be.Rig(
        be.Pendulum(mass=0.49, length=0.1),
        firmware=be.DutyServo(kp=kp),
        supply=be.Supply(voltage=7.4),
        sensors={"position": Sensor(quantisation=2.0 * np.pi / 4096)},
    )


def pendulum_logs(motor: be.Motor = TRUTH, count: int = 3, seconds: float = 4.0, noise: float = 1e-3) -> list[be.Log]:
    """Sines of rising frequency, steps and a slow triangle, 200 samples a second at uneven times."""
    generator = np.random.default_rng(0)
    rig = pendulum_rig()
    logs = []
    for k in range(count):
        grid = np.arange(0.0, seconds, 1e-3)
        target = (
            1.2 * np.sin(2.0 * np.pi * (0.3 + 0.4 * grid) * grid),
            1.0 * np.sign(np.sin(2.0 * np.pi * 0.7 * grid)),
            1.5 * (2.0 / np.pi) * np.arcsin(np.sin(2.0 * np.pi * 0.4 * grid)),
        )[k % 3] * (0.8 + 0.2 * k)
        drive = rig.actuator_for(be.Actuator(motor), _bare())
        # with steps so short that they do not matter
        run = be.simulate(drive, rig.load.build(), be.commands.Samples(np.repeat(target, 40)), seconds, 25e-6)
        time = np.sort(generator.uniform(0.0, seconds - 2e-3, int(200 * seconds)))
        time[0] = 0.0
        position = np.interp(time, np.concatenate([[0.0], run.time]), np.concatenate([[0.0], run["position"]]))
        position = position + noise * generator.normal(size=len(time))
        logs.append(
            be.Log.from_arrays(
                None,
                {"position_command": (grid, target), "position": (time, position)},
                meta={"number": k},
                name=f"log {k}",
            )
        )
    return logs


def _bare() -> be.Log:
    return be.Log.from_arrays([0.0, 1.0], {"position": [0.0, 0.0]})


def off_by(motor: be.Motor, share: float) -> be.Motor:
    """A prior whose resistance, constants and friction are off."""
    return replace(
        motor,
        winding=be.Winding(resistance=3.4 * (1.0 + share)),
        magnet=be.Magnet(torque_constant=0.35 * (1.0 - 0.5 * share), back_emf_constant=0.35 * (1.0 - 0.5 * share)),
        friction=be.LoadDependent(coulomb=0.05, viscous=0.005),
    )
