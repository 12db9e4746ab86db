"""Devices as a controller script sees them: `Device`, `PositionSensor` and `Brake` of the module `controller`.

Names of methods and messages are those of Webots' library. It raises nothing: what it refuses is a line on the error
stream, and the call is ignored.
"""

from __future__ import annotations

import ctypes
import math
from typing import TYPE_CHECKING, Any

from ..backends.axis import Axis, log
from ..session import current
from .kinds import NODES

if TYPE_CHECKING:
    from .motor import Motor

NOT_FOUND = 'Warning: "{}" device not found.'


def double(value: Any) -> float:
    """A number as the library takes it: it refuses what C would refuse."""
    return ctypes.c_double(value).value


def period_of(value: Any) -> int:
    """A sampling period or a duration [ms]; the library takes whole numbers alone."""
    if isinstance(value, bool) or not isinstance(value, int):
        try:
            whole = value.__index__()
        except AttributeError:
            raise TypeError(
                f"{value!r}: must be a whole number of milliseconds, such as int(robot.getBasicTimeStep())"
            ) from None
        return int(whole)
    return value


class Sampler:
    """What a sensor measures, at every sampling period after it was enabled."""

    def __init__(self) -> None:
        self.period = 0
        """As the controller set it [ms]; 0: disabled."""
        self.every = 0
        """Steps from one value to the next [1]; 0: disabled."""
        self.due = 0
        """Step in which the next value is there [1]."""
        self.value = math.nan
        """The last value."""

    def start(self, period: int, step: int, basic: float) -> None:
        """Enable it with a period [ms] at a step of a simulation whose step takes `basic` [ms]."""
        self.every = math.ceil(period / basic - 1e-9) if period > 0 else 0
        self.due = step + self.every


class Device:
    """A device of the robot; made by its name, it stands for the same device as `Robot.getDevice`."""

    _axis: Axis
    _name: str
    _tag: int
    _kind: type

    def __init__(self, name: str | int):
        simulation = current(type(self).__name__)
        if isinstance(name, int):
            found = next((device for device in simulation.devices if device._tag == name), None)
        else:
            found = next((device for device in simulation.devices if device._name == name), None)
            if found is None:
                log(
                    NOT_FOUND.format(name)
                    if name
                    else "Error: wb_robot_get_device() called with NULL or empty argument."
                )
        if found is None or not isinstance(self, found._kind):
            from .lost import lost

            self.__class__ = lost(type(self))
            return
        # two objects of one device share all they know
        self.__dict__ = found.__dict__

    @classmethod
    def _make(cls, name: str, tag: int, axis: Axis) -> Any:
        """The device of an axis, as the simulation makes it."""
        device = object.__new__(cls)
        device._name, device._tag, device._axis = name, tag, axis
        device._kind = cls
        device._begin()
        return device

    def _begin(self) -> None:
        """What a device knows at first."""

    def getName(self) -> str:
        return self._name

    def getModel(self) -> str:
        return ""

    def getNodeType(self) -> int:
        return self.node_type

    @property
    def name(self) -> str:
        return self._name

    @property
    def model(self) -> str:
        """Empty: a device of a joint is no solid, and has no such field."""
        return ""

    @property
    def node_type(self) -> int:
        return 0

    @property
    def type(self) -> int:
        """ROTATIONAL or LINEAR."""
        return 0 if self._axis.rotates else 1

    def _beside(self, kind: str) -> Any:
        """The device of the same joint of a kind; None: none."""
        devices = current(kind).devices
        return next((d for d in devices if d._axis is self._axis and type(d).__name__ == kind), None)


class Sensor(Device):
    """A device with a sampling period."""

    _sampler: Sampler

    def __init__(self, name: str | int, sampling_period: int | None = None):
        super().__init__(name)
        if isinstance(name, str) and "_sampler" in self.__dict__:
            basic = int(current("Sensor").basic)
            self.sampling_period = basic if sampling_period is None else sampling_period

    def enable(self, p: int) -> None:
        period = period_of(p)
        if period < 0:
            log("Error: wb_position_sensor_enable() called with negative sampling period.")
            return
        simulation = current("Sensor")
        self._sampler.period = period
        simulation.sample_from_next_step(self, self._sampler, "PositionSensor")

    def disable(self) -> None:
        self.enable(0)

    def getSamplingPeriod(self) -> int:
        return self._sampler.period

    @property
    def sampling_period(self) -> int:
        return self._sampler.period

    @sampling_period.setter
    def sampling_period(self, p: int | None) -> None:
        self.enable(0 if p is None else p)


class PositionSensor(Sensor):
    """Measures the position of a joint, counted on beyond a turn."""

    ROTATIONAL, LINEAR = 0, 1
    _noise: float
    _resolution: float

    def _begin(self) -> None:
        self._sampler = Sampler()
        self._noise, self._resolution = 0.0, -1.0

    def getValue(self) -> float:
        sampler = self._sampler
        if sampler.period <= 0:
            log(
                "Error: wb_position_sensor_get_value() called for a disabled device! "
                "Please use: wb_position_sensor_enable()."
            )
        return sampler.value

    def _measure(self, simulation: Any) -> float:
        """What it reads now."""
        position = self._axis.position
        if self._noise > 0.0:
            position += self._noise * simulation.random.gauss(0.0, 1.0)
        if self._resolution > 0.0:
            position = self._resolution * math.floor(position / self._resolution + 0.5)
        return position

    def getType(self) -> int:
        return self.type

    def getMotor(self) -> Motor | None:
        return self.motor

    def getBrake(self) -> Brake | None:
        return self.brake

    @property
    def value(self) -> float:
        return self.getValue()

    @property
    def motor(self) -> Motor | None:
        return self._beside("Motor")

    @property
    def brake(self) -> Brake | None:
        return self._beside("Brake")

    @property
    def node_type(self) -> int:
        return NODES["POSITION_SENSOR"]


class Brake(Device):
    """Adds damping to a joint."""

    ROTATIONAL, LINEAR = 0, 1

    def setDampingConstant(self, c: float) -> None:
        value = double(c)
        if value != value:
            log("Error: wb_brake_set_damping_constant() called with an invalid 'damping_constant' argument (NaN).")
        elif not 0.0 <= value < math.inf:
            # Webots takes such a constant, and its engine breaks down over it
            log(
                f"Error: wb_brake_set_damping_constant() called with 'damping_constant' = {value:g}, "
                "which must be 0 or more and finite."
            )
        else:
            current("Brake").brakes[self._axis] = value

    dampingConstant = property(fset=setDampingConstant)

    def getType(self) -> int:
        return self.type

    def getMotor(self) -> Motor | None:
        return self.motor

    def getPositionSensor(self) -> PositionSensor | None:
        return self.position_sensor

    @property
    def motor(self) -> Motor | None:
        return self._beside("Motor")

    @property
    def position_sensor(self) -> PositionSensor | None:
        return self._beside("PositionSensor")

    @property
    def node_type(self) -> int:
        return NODES["BRAKE"]
