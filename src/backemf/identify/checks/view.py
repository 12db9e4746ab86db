"""What a check sees: the log of one joint, and the figures of its motor where it is known."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from ...analyze import constants
from ...checks import concrete
from ...datasheet import Finding
from ...datasheet.finding import Severity
from ...errors import ParameterError
from ...motor import Motor
from ...units import format_quantity
from ..channels import CHANNELS
from ..signals import LEAST, mean_over, slope_over

if TYPE_CHECKING:
    from ...actuator import Actuator
    from ..log import Log


@dataclass(frozen=True)
class MotorFigures:
    """What a motor can do at most, at the joint; None: it is not known."""

    speed: float | None = None
    """Speed without load [rad/s]."""
    current: float | None = None
    """Current at stall [A]."""
    torque: float | None = None
    """Torque at stall [N·m]."""
    voltage: float | None = None
    """Rated voltage [V]."""
    ratio: float = 1.0
    """Turns of the motor for each of the joint [1]."""

    @classmethod
    def of(cls, given: Motor | Actuator | None) -> MotorFigures:
        """The figures of a motor, or of an actuator's at its supply."""
        supply = getattr(given, "supply", None)
        motor = given if isinstance(given, Motor) else getattr(given, "motor", None)
        if given is None:
            return cls()
        if not isinstance(motor, Motor):
            raise ParameterError(f"motor = {type(given).__name__}: must be a motor, or an actuator with one")
        volts = None if supply is None else _largest(supply.voltage)
        rated = None if motor.ratings is None or motor.ratings.voltage is None else _largest(motor.ratings.voltage)
        try:
            known = constants(motor, voltage=volts)
        except ParameterError:
            return cls(voltage=rated, ratio=_largest(motor.ratio))
        ratio = _largest(motor.ratio)
        return cls(
            speed=_largest(known.no_load_speed) / ratio,
            current=_largest(known.stall_current),
            torque=_largest(known.stall_torque) * ratio,
            voltage=rated,
            ratio=ratio,
        )


def _largest(value: Any) -> float:
    """A number, or the largest of a batch."""
    return float(np.max(np.asarray(concrete(value))))


@dataclass(frozen=True)
class View:
    """The log of one joint, with what several checks need."""

    log: Log
    motor: MotorFigures

    def has(self, *names: str, least: int = LEAST) -> bool:
        """Whether these channels are there, with enough samples."""
        return all(name in self.log and len(self.log[name]) >= least for name in names)

    @cached_property
    def slope(self) -> np.ndarray:
        """Slope of the position at its times [rad/s]."""
        return slope_over(self.log.times("position"), self.log["position"])

    @cached_property
    def velocity(self) -> np.ndarray:
        """Measured velocity, smoothed like the slope of the position [rad/s]."""
        return mean_over(self.log["velocity"])


def finding(channel: str, severity: Severity, explanation: str, cause: str) -> Finding:
    """A finding about a channel, or about the time or the file."""
    return Finding(channel, None, None, severity, explanation, cause)


def amount(value: float, channel: str) -> str:
    """A value of a channel with its unit."""
    unit = CHANNELS[channel].unit
    return format_quantity(float(value), "K" if unit == "degC" else unit, 3)


def seconds(value: float) -> str:
    """A time with its unit."""
    return format_quantity(float(value), "s", 3)
