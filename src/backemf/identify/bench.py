"""Everything that a prediction depends on: the actuator, what it moves, its sensors, and how late commands are."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from typing import TypeVar

import numpy as np

from ..actuator import Actuator
from ..errors import ParameterError
from ..loads import Inertia, Load, LockedRotor
from ..parts import declaration_of, number, one, part
from ..random.randomize import rebuild
from ..tree import is_structure, is_table, numbers
from ..values import Foreign, Number
from .log import Log
from .rig import Rig
from .rig_parts import CommandPath, MeasuredMotion, RobotModel, Sensor

T = TypeVar("T")

PREDICTED = (
    "position", "velocity", "torque", "current", "duty", "bus_voltage", "winding_temperature", "housing_temperature",
)  # fmt: skip
"""Channels that a simulation gives."""


@part
class Sensors:
    """What lies between each quantity and its channel."""

    position: Sensor = one(Sensor, default=Sensor())
    """Of the joint position; its bias is also what the controller sees."""
    velocity: Sensor = one(Sensor, default=Sensor())
    """Of the joint velocity."""
    torque: Sensor = one(Sensor, default=Sensor())
    """Of the joint torque."""
    current: Sensor = one(Sensor, default=Sensor())
    """Of the current."""
    duty: Sensor = one(Sensor, default=Sensor())
    """Of the duty."""
    bus_voltage: Sensor = one(Sensor, default=Sensor())
    """Of the bus voltage."""
    winding_temperature: Sensor = one(Sensor, default=Sensor())
    """Of the winding's temperature."""
    housing_temperature: Sensor = one(Sensor, default=Sensor())
    """Of the housing's temperature."""


@part
class Start:
    """How far the first samples of a log are off, from which a simulation starts."""

    position: Number = number("rad", default=0.0)
    """True less measured position."""
    velocity: Number = number("rad/s", default=0.0)
    """True velocity less the one that was measured or follows from the first positions."""
    winding_temperature: Number = number("K", default=0.0)
    """True less measured temperature of the winding."""
    housing_temperature: Number = number("K", default=0.0)
    """True less measured temperature of the housing."""


@part
class Bench:
    """What is simulated for a log."""

    actuator: Actuator = one(Actuator)
    """The drive."""
    load: Load = one(family="load")
    """What it moves; of a robot, what a joint has besides its mass matrix."""
    sensors: Sensors = one(Sensors, default=Sensors())
    """What is between the quantities and their channels."""
    command: CommandPath = one(CommandPath, default=CommandPath())
    """How commands travel."""
    start: Start = one(Start, default=Start())
    """How far the start is off."""


def bench_of(actuator: Actuator, rig: Rig, log: Log) -> Bench:
    """The bench of one log, by what the rig says of it."""
    sensors = Sensors(**{name: rig.sensor_for(name, log) for name in PREDICTED})
    return Bench(
        actuator=rig.actuator_for(actuator, log), load=load_of(rig, log), sensors=sensors, command=rig.command_for(log)
    )


def name_in_bench(quantity: str) -> str:
    """Where a bench has a quantity of a rig, such as actuator.supply.voltage for supply.voltage."""
    where, _, field = quantity.partition(".")
    target = {"firmware": "actuator.controller", "supply": "actuator.supply"}.get(where, where)
    return f"{target}.{field}"


def load_of(rig: Rig, log: Log) -> Load:
    """What a rig's motor moves: nothing along a measured motion, and no inertia besides a robot's mass matrix."""
    if rig.load.kind is MeasuredMotion:
        return LockedRotor()
    if rig.load.kind is RobotModel:
        return Inertia(0.0)
    found: Foreign = rig.load_for(log)
    return found


def stack(parts: Sequence[T], place: str = "") -> T:
    """One part for several: a number in which they differ becomes an array, one for each."""
    first: Foreign = parts[0]
    if is_dataclass(first) and not isinstance(first, type):
        for other in parts[1:]:
            if type(other) is not type(first):
                raise ParameterError(
                    f"{place or 'the rig'}: {type(first).__name__} for one log and {type(other).__name__} for another: "
                    "identify them apart"
                )
        copy: Foreign = object.__new__(type(first))
        for entry in fields(first):
            values = [getattr(part, entry.name) for part in parts]
            if is_structure(entry) or is_table(entry):
                value = values[0]
            else:
                value = stack(values, f"{place}.{entry.name}" if place else entry.name)
            object.__setattr__(copy, entry.name, value)
        return copy
    if isinstance(first, tuple):
        columns: Foreign = list(zip(*parts, strict=True))  # type: ignore[arg-type]
        return tuple(stack(column, f"{place}.{k}") for k, column in enumerate(columns))  # type: ignore[return-value]
    if first is None or isinstance(first, (str, bool)):
        return parts[0]
    if any(other is None for other in parts):
        raise ParameterError(f"{place}: is given for some logs and not for others; identify them apart")
    arrays = [np.asarray(value, dtype=float) for value in parts]
    same: Foreign = first if all(np.array_equal(arrays[0], other) for other in arrays[1:]) else np.stack(arrays)
    return same


def values_of(bench: Bench, names: Sequence[str], lanes: int) -> np.ndarray:
    """The named numbers of a bench, (names, lanes)."""
    known = dict(numbers(bench))
    found = np.zeros((len(names), lanes))
    for row, name in zip(found, names, strict=True):
        row[:] = known[name]
    return found


def bench_among(bench: Bench, lanes: np.ndarray) -> Bench:
    """The bench of some of the lanes."""
    own = {name: np.asarray(value)[lanes] for name, value in numbers(bench) if np.ndim(value) > 0}
    return rebuild(bench, own)


def bounds_of(bench: Bench, name: str) -> tuple[float, float]:
    """Lowest and highest value that a number of the bench may have."""
    low, high = -np.inf, np.inf
    part: Foreign = bench
    for step in name.split("."):
        if isinstance(part, tuple):
            part = part[int(step)]
            continue
        entry = next(each for each in fields(part) if each.name == step)
        declared = declaration_of(entry)
        for test, bound in declared.bounds if declared is not None else ():
            if test.startswith(">"):
                low = bound if test == ">=" else np.nextafter(bound, np.inf)
            else:
                high = bound if test == "<=" else np.nextafter(bound, -np.inf)
        part = getattr(part, step)
    return float(low), float(high)
