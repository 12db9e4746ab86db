"""The wheels of a DifferentialWheels as its robot has them: two motors, what their encoders count, and their power."""

from __future__ import annotations

import math
from random import Random

from ..nodes.former import SIDES, WheelDrive
from .motor import Motor
from .other import Sampler


def wheels_of(drive: WheelDrive | None, motors: list[Motor]) -> Wheels | None:
    """Both wheels of a robot; None: it does not have them, or one was left out for the name of its sensor."""
    names = [f"{side} wheel motor" for side in SIDES]
    found = sorted((motor for motor in motors if motor.name in names), key=lambda motor: names.index(motor.name))
    return None if drive is None or len(found) < len(names) else Wheels(drive, found)


class Wheels:
    """Both wheels of a robot."""

    name = "encoders"

    def __init__(self, drive: WheelDrive, motors: list[Motor]):
        self.drive, self.motors = drive, motors
        self.speeds = [math.nan, math.nan]
        """As they were commanded, in units of `speed_unit`, left and right."""
        self.encoders = [0.0, 0.0]
        """What the script sees of the encoders."""
        self.sampler = Sampler()
        self._stopped = False
        self._counts = [0.0, 0.0]
        self._late = [0.0, 0.0]
        self._positions = [motor._axis.position for motor in self.motors]
        self._give_power()

    def _give_power(self) -> None:
        """Let each motor use all that it may; in kinematic mode that is an acceleration."""
        for axis in (motor._axis for motor in self.motors):
            axis.available = axis.motor.max_torque if axis.dynamic else self.drive.max_acceleration

    def stop(self) -> None:
        """The battery is empty: the motors hold the wheels, whatever is commanded."""
        self._stopped = True
        self._give_power()
        for axis in (motor._axis for motor in self.motors):
            axis.take_position(math.inf)
            axis.target_velocity = axis.velocity = 0.0

    def set_speeds(self, left: float, right: float) -> None:
        """Command both wheels, no faster than the largest speed."""
        self.speeds = [left, right]
        most = 0.0 if self._stopped else self.drive.max_speed
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
