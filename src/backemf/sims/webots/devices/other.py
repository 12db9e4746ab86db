"""Devices as a controller script sees them: `Device`, `PositionSensor` and `Brake` of the module `controller`.

Names of methods and messages are those of Webots' library. It raises nothing: what it refuses is a line on the error
stream, and the call is ignored.
"""

from __future__ import annotations

import ctypes
import math
import operator
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self, SupportsIndex, TypeAlias

from ..backends.axis import Axis, log
from ..session import current
from .kinds import NODES

if TYPE_CHECKING:
    from ..simulation import Simulation

Reader: TypeAlias = Callable[[Any], Any]
"""A method that gives an attribute of its object."""


def double(value: float) -> float:
    """A number as the library takes it: it refuses what C would refuse."""
    return ctypes.c_double(value).value


def period_of(value: SupportsIndex) -> int:
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


def reader(path: str) -> Reader:
    """A method that gives an attribute, such as `_axis.motor.max_torque`."""
    get = operator.attrgetter(path)
    return lambda self: get(self)


def beside(kind: str) -> property:
    """The device of a kind on the same joint; None: none."""

    def get(self: Device) -> Device | None:
        devices = current(kind).devices
        return next((each for each in devices if each._axis is self._axis and type(each).__name__ == kind), None)

    return property(get)


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
        found = next((device for device in simulation.devices if name in (device._tag, device._name)), None)
        if found is None and isinstance(name, str):
            empty = "Error: wb_robot_get_device() called with NULL or empty argument."
            log(f'Warning: "{name}" device not found.' if name else empty)
        if found is None or not isinstance(self, found._kind):
            from .lost import lost_class

            self.__class__ = lost_class(type(self))
            return
        # two objects of one device share all they know
        self.__dict__ = found.__dict__

    @classmethod
    def _make(cls, name: str, tag: int, axis: Axis) -> Self:
        """The device of an axis, as the simulation makes it."""
        device = object.__new__(cls)
        device._name, device._tag, device._axis = name, tag, axis
        device._kind = cls
        device._begin()
        return device

    def _begin(self) -> None:
        """What a device knows at first."""

    # a device of a joint is no solid, and has no model
    model = ""
    node_type = 0
    name = property(reader("_name"))
    getName, getModel, getNodeType = reader("_name"), reader("model"), reader("node_type")

    @property
    def type(self) -> int:
        """ROTATIONAL or LINEAR."""
        return 0 if self._axis.rotates else 1


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

    def _measure(self, simulation: Simulation) -> float:
        """What it reads now."""
        raise NotImplementedError

    def disable(self) -> None:
        self.enable(0)

    def _set_period(self, p: int | None) -> None:
        self.enable(0 if p is None else p)

    getSamplingPeriod = reader("_sampler.period")
    sampling_period = property(getSamplingPeriod, _set_period)


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

    def _measure(self, simulation: Simulation) -> float:
        position = self._axis.position
        if self._noise > 0.0:
            position += self._noise * simulation.random.gauss(0.0, 1.0)
        if self._resolution > 0.0:
            position = self._resolution * math.floor(position / self._resolution + 0.5)
        return position

    value = property(getValue)
    motor, brake, node_type = beside("Motor"), beside("Brake"), NODES["POSITION_SENSOR"]
    getMotor, getBrake, getType = reader("motor"), reader("brake"), reader("type")


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

    motor, position_sensor, node_type = beside("Motor"), beside("PositionSensor"), NODES["BRAKE"]
    getMotor, getPositionSensor, getType = reader("motor"), reader("position_sensor"), reader("type")
