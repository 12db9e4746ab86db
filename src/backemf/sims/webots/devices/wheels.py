"""The wheels of a DifferentialWheels as its robot has them: two motors, what their encoders count, and their power."""

from __future__ import annotations

import math
from random import Random

from ..nodes.former import SIDES, WheelDrive
from .motor import Motor
from .other import Sampler


class Wheels:
    """Both wheels of a robot."""

    name = "encoders"

    def __init__(self, drive: WheelDrive, motors: list[Motor]):
        by_name = {motor.name: motor for motor in motors}
        self.drive = drive
        self.motors = [by_name[f"{side} wheel motor"] for side in SIDES]
        self.speeds = [math.nan, math.nan]
        """As they were commanded, in units of `speed_unit`, left and right."""
        self.encoders = [0.0, 0.0]
        """What the script sees of the encoders."""
        self.sampler = Sampler()
        self._counts = [0.0, 0.0]
        self._late = [0.0, 0.0]
        self._positions = [motor._axis.position for motor in self.motors]
        for motor in self.motors:
            if not motor._axis.dynamic:
                # in kinematic mode what is available is an acceleration
                motor._axis.available = drive.max_acceleration

    def set_speeds(self, left: float, right: float) -> None:
        """Command both wheels, no faster than the largest speed."""
        self.speeds = [left, right]
        most = self.drive.max_speed
        for motor, speed in zip(self.motors, self.speeds, strict=True):
            motor.setPosition(math.inf)
            motor.setVelocity(min(max(speed * self.drive.speed_unit, -most), most))

    def set_encoders(self, left: float, right: float) -> None:
        """Let the encoders count on from other numbers."""
        self.encoders, self._counts = [left, right], [left, right]

    def power(self) -> float:
        """What the motors take from the battery [W]."""
        known = [abs(speed * self.drive.speed_unit) for speed in self.speeds if speed == speed]
        return self.drive.consumption * sum(known) / 2.0

    def count(self, random: Random) -> None:
        """Count what the wheels turned in a step; ODE's hinges are read before a step, so that theirs comes late."""
        drive = self.drive
        for i, motor in enumerate(self.motors):
            axis = motor._axis
            turned, self._positions[i] = axis.position - self._positions[i], axis.position
            if axis.dynamic:
                turned, self._late[i] = self._late[i], turned
            elif drive.slip_noise > 0.0:
                turned *= 1.0 + drive.slip_noise * random.uniform(-1.0, 1.0)
            if drive.encoder_noise > 0.0:
                turned *= 1.0 + drive.encoder_noise * random.uniform(-1.0, 1.0)
            if drive.encoder_noise >= 0.0 and drive.encoder_resolution >= 0.0:
                self._counts[i] += drive.encoder_resolution * turned

    def _measure(self, simulation: object) -> float:
        self.encoders = list(self._counts)
        return 0.0
