"""One step of the ladder, and the parameters it is made of."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ..actuator import Actuator
from ..motor import Motor
from ..tree import numbers
from .parameters import Parameter
from .prior import UNKNOWN, free_speed, spread_of, stall_torque
from .trials import Trials

MOTOR = "actuator.motor."
"""Beginning of the numbers of a motor in a bench."""


@dataclass(frozen=True)
class Rung:
    """One step of the ladder."""

    name: str
    """What it adds, in a few words."""
    parameters: tuple[Parameter, ...]
    """What it frees."""
    law: str = ""
    """The law that it is a part of, which stays or goes as a whole; empty: its own."""
    required: bool = False
    """Whether it stays whatever the cross-validation says: the first one."""

    @property
    def law_name(self) -> str:
        """The law that stays or goes as a whole."""
        return self.law or self.name


@dataclass(frozen=True)
class Sizes:
    """Usual torque and speed of a rotor, against which unknown numbers are measured."""

    torque: float
    """Torque of the rotor [N·m]."""
    speed: float
    """Its speed [rad/s]."""
    ratio: float
    """Rotor speed over joint speed [1]."""
    friction: float
    """Usual friction of the rotor, dry or at that speed [N·m]."""


def sizes_of(actuator: Actuator, trials: Trials) -> Sizes:
    """Of a motor, torque at standstill and speed without load; of a drive that gives any torque, those of the log."""
    motor = actuator.motor
    ratio = 1.0 if motor is None else abs(float(np.mean(np.asarray(motor.ratio))))
    if motor is not None and not gives_any_torque(actuator):
        return Sizes(stall_torque(motor), free_speed(motor), ratio, 0.02 * stall_torque(motor))
    torque = max(1.0 if trials.robot is None else _rms(trials.robot.torque), 1e-3) / ratio
    return Sizes(torque, max(_speed(trials), 1e-3) * ratio, ratio, 0.1 * torque)


def gives_any_torque(actuator: Actuator) -> bool:
    """Whether the torque that is asked for is there whatever the winding: resistance and Kt cancel."""
    return actuator.controller.asks == "torque" and actuator.supply is None


def of_motor(motor: Motor, name: str, unit: str) -> Parameter:
    """A number of the motor, as far off as its source allows."""
    spread, source = spread_of(motor, name)
    return Parameter(f"motor.{name}", (MOTOR + name,), spread, unit=unit, source=source)


def unless_known(motor: Motor, name: str, unit: str, reference: float) -> Iterator[Parameter]:
    """A number of the prior, or one that nobody gave and that starts at a usual size."""
    value = dict(numbers(motor)).get(name, 0.0)
    if np.any(np.asarray(value) > 0.0):
        yield of_motor(motor, name, unit)
    else:
        yield new(name, unit, reference)


def new(name: str, unit: str, reference: float) -> Parameter:
    """A number of the motor that nobody gave, of a usual size."""
    return Parameter(f"motor.{name}", (MOTOR + name,), UNKNOWN, unit=unit, reference=reference, source="usual size")


def _rms(values: np.ndarray) -> float:
    return float(np.sqrt(np.mean(values * values)))


def _speed(trials: Trials) -> float:
    """Usual speed of the joints, from their positions [rad/s]."""
    found = [reading for reading in trials.readings if reading.channel == "position"]
    if not found:
        return 1.0
    ways = [
        np.diff(values[there]) / np.diff(time[there])
        for values, time, there in zip(found[0].values, found[0].time, found[0].there, strict=True)
    ]
    return _rms(np.concatenate(ways))
