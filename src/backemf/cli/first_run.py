"""Words of a first run, for someone who has only chosen a motor."""

from __future__ import annotations

from ..actuator import Actuator
from .drive import controllers
from .words import COMMANDS

STEPS = {"deg": "step value=90deg time=10ms", "rpm": "step value=300rpm time=10ms", "Nm": "step value=0.1Nm time=10ms"}
"""A target that most joints can follow, by its unit."""


def first_run(actuator: Actuator, volts: float) -> dict[str, str]:
    """Load, controller, command, duration and step of `backemf simulate`.

    A motor with three times its own inertia gets a step of the voltage [V]; limits alone, which know no voltage, get a
    torque.
    """
    motor = actuator.motor
    inertia = 1e-3 if motor is None or motor.rotor is None else 3.0 * float(motor.reflected_inertia)
    linear = motor is not None and motor.motion == "linear"
    return {
        "load": f"inertia inertia={f'{inertia:.3g}kg' if linear else inertia_words(inertia)}",
        "controller": "torque" if motor is None else "voltage",
        "command": "1 N*m" if motor is None else target_words("voltage", volts),
        "duration": "0.5 s",
        "dt": "0.1 ms",
    }


def inertia_words(value: float) -> str:
    """An inertia [kg·m²] in the unit in which it is short."""
    return f"{1e7 * value:.3g}g*cm^2" if value < 9.99e-5 else f"{value:.3g}kg*m^2"


def target_words(main: str, volts: float) -> str:
    """A step for an input of a controller, in its unit; of a voltage to so many volts [V]."""
    return STEPS.get(COMMANDS[main][0], f"step value={volts:g}V time=10ms")


def input_of(controller: str) -> str:
    """The input that a controller follows, by its words; the voltage where they name none."""
    kind = controllers().get(controller.split(" ")[0])
    if kind is None:
        return "voltage"
    return "velocity" if "follows=velocity" in controller.replace(" ", "") else kind.main  # pyright: ignore[reportAttributeAccessIssue]
