"""`Servo` of the module `controller`: a motor under the names of Webots 5 to 8, with a position of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..backends.axis import log
from ..session import current
from .motor import Motor
from .other import Sampler, period_of, reader

if TYPE_CHECKING:
    from ..simulation import Simulation


class Servo(Motor):
    """A motor as older scripts call it; every motor can be one."""

    _seen: Sampler

    def __init__(self, name: str | int):
        super().__init__(name)
        if "_tag" in self.__dict__:
            self.__dict__.setdefault("_seen", Sampler())

    def enablePosition(self, ms: int) -> None:
        period = period_of(ms)
        if period < 0:
            log("Error: wb_servo_enable_position() called with negative sampling period.")
            return
        self._seen.period = period
        current("Servo").sample_from_next_step(_Position(self), self._seen, "Servo")

    def disablePosition(self) -> None:
        self.enablePosition(0)

    def getPosition(self) -> float:
        if self._seen.period <= 0:
            log("Error: wb_servo_get_position() called for a disabled device! Please use: wb_servo_enable_position().")
        return self._seen.value

    def setControlP(self, p: float) -> None:
        self.setControlPID(p, 0.0, 0.0)

    getPositionSamplingPeriod = reader("_seen.period")
    setMotorForce, enableMotorForceFeedback = Motor.setAvailableForce, Motor.enableForceFeedback
    disableMotorForceFeedback, getMotorForceFeedback = Motor.disableForceFeedback, Motor.getForceFeedback
    getMotorForceFeedbackSamplingPeriod = Motor.getForceFeedbackSamplingPeriod


class _Position:
    """What a servo measures of itself."""

    def __init__(self, servo: Servo):
        self.name, self._axis = servo.name, servo._axis

    def _measure(self, simulation: Simulation) -> float:
        return self._axis.position
