"""`DifferentialWheels` of the module `controller`: a robot with two wheels, as until Webots R2018."""

from __future__ import annotations

import math
from collections.abc import Callable

from ..backends.axis import log
from .other import double, period_of
from .robot import Robot
from .wheels import Wheels

_PREFIX = "wb_differential_wheels_"


def _getter(function: str, read: Callable[[Wheels], float]) -> Callable[[DifferentialWheels], float]:
    """A method that gives a number of the wheels; not a number for another robot."""

    def get(self: DifferentialWheels) -> float:
        wheels = self._wheels(function)
        return math.nan if wheels is None else read(wheels)

    return get


def _encoder(side: int, function: str) -> Callable[[DifferentialWheels], float]:
    def read(wheels: Wheels) -> float:
        if wheels.sampler.period <= 0:
            log(f"Error: {_PREFIX}{function}() called for a disabled device! Please use: {_PREFIX}enable_encoders().")
        return wheels.encoders[side]

    return _getter(function, read)


class DifferentialWheels(Robot):
    """A robot whose two wheels are commanded together."""

    def _wheels(self, function: str) -> Wheels | None:
        """Its wheels; None, with an error line: the robot is not a DifferentialWheels."""
        wheels = self._simulation.wheels
        if wheels is None:
            log(
                f"Error: ignoring illegal call to {_PREFIX}{function}() in a 'Robot' controller: this function can "
                "only be used in a 'DifferentialWheels' controller."
            )
        return wheels

    def setSpeed(self, left: float, right: float) -> None:
        wheels, left, right = self._wheels("set_speed"), double(left), double(right)
        if wheels is None or _is_nan("set_speed", left, right):
            return
        most, unit = wheels.drive.max_speed, wheels.drive.speed_unit
        if max(left, right) * unit * 0.99999 > most:
            log(
                f"Error: {_PREFIX}set_speed({left:g},{right:g}) overflows maxSpeed/speedUnit: "
                f"{most:g}/{unit:g}={most / unit:g}."
            )
        wheels.set_speeds(left, right)

    def enableEncoders(self, ms: int) -> None:
        period, wheels = period_of(ms), self._wheels("enable_encoders")
        if period < 0:
            log(f"Error: {_PREFIX}enable_encoders() called with negative sampling period.")
        elif wheels is not None:
            wheels.sampler.period = period
            self._simulation.sample_from_next_step(wheels, wheels.sampler, "DifferentialWheels")

    def disableEncoders(self) -> None:
        self.enableEncoders(0)

    def setEncoders(self, left: float, right: float) -> None:
        wheels, left, right = self._wheels("set_encoders"), double(left), double(right)
        if wheels is not None and not _is_nan("set_encoders", left, right):
            wheels.set_encoders(left, right)

    getLeftSpeed = _getter("get_left_speed", lambda wheels: wheels.speeds[0])
    getRightSpeed = _getter("get_right_speed", lambda wheels: wheels.speeds[1])
    getMaxSpeed = _getter("get_max_speed", lambda wheels: wheels.drive.max_speed)
    getSpeedUnit = _getter("get_speed_unit", lambda wheels: wheels.drive.speed_unit)
    getEncodersSamplingPeriod = _getter("get_encoders_sampling_period", lambda wheels: wheels.sampler.period)
    getLeftEncoder, getRightEncoder = _encoder(0, "get_left_encoder"), _encoder(1, "get_right_encoder")


def _is_nan(function: str, *values: float) -> bool:
    found = any(value != value for value in values)
    if found:
        log(f"Error: {_PREFIX}{function}(): invalid NaN value passed as argument.")
    return found
