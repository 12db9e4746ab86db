"""Commands over time: each command gives its value at any times.

Values are volts; with a controller, they are in the unit of its main input.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from . import units
from .checks import Maybe, Number, require_rising_table
from .csv_columns import read_columns
from .errors import ParameterError, UnitError
from .parts import number, part, table

_SAME_TIME = 1e-12
"""Times closer than this are one: a step counted as k·dt meets the edge that was meant [s]."""


class Signal:
    """A command over time; one of your own has a method `at`."""

    def at(self, time: np.ndarray) -> np.ndarray:
        """Values at given times [s], along the first axis."""
        raise NotImplementedError

    def sample(self, first: int, time: np.ndarray) -> np.ndarray:
        """Values of the steps from number `first` on, which begin at these times [s]."""
        return self.at(time)

    @property
    def steps(self) -> int | None:
        """How many steps it is made for; None: any."""
        return None


@part(kw_only=False)
class Constant(Signal):
    """The same value all the time; an array gives each motor its own."""

    value: Number = number(None)
    """Value."""

    def at(self, time: np.ndarray) -> np.ndarray:
        value = np.asarray(self.value, dtype=float)
        return np.broadcast_to(value, (len(time), *value.shape))


@part(kw_only=False)
class Samples(Signal):
    """One value per step, or one row of values for the motors of a batch."""

    values: np.ndarray = table(None)
    """Values by step."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", _numbers("command", self.values))
        if self.values.ndim == 0:
            raise ParameterError(f"Samples.values = {self.values}: must be a list with one value per step")
        if not np.isfinite(self.values).all():
            first = np.argwhere(~np.isfinite(self.values))[0]
            raise ParameterError(f"command[{', '.join(map(str, first))}] = {self.values[tuple(first)]}: must be finite")

    def sample(self, first: int, time: np.ndarray) -> np.ndarray:
        return self.values[first : first + len(time)]

    @property
    def steps(self) -> int | None:
        return len(self.values)


@part(family="signal")
class Step(Signal):
    """A jump from one value to another."""

    value: Number = number(None)
    """Value after the step."""
    time: Number = number("s", default=0.0)
    """When it comes."""
    before: Number = number(None, default=0.0)
    """Value before the step."""

    def at(self, time: np.ndarray) -> np.ndarray:
        t = _batch_times(time, self.time, self.value, self.before)
        return np.where(t >= self.time - _SAME_TIME, self.value, self.before).astype(float)


@part(family="signal")
class Sine(Signal):
    """offset + amplitude·sin(2π·frequency·t + phase)."""

    amplitude: Number = number(None)
    """Peak."""
    frequency: Number = number("Hz", least=0.0)
    """Frequency."""
    phase: Number = number("rad", default=0.0)
    """Phase at time 0."""
    offset: Number = number(None, default=0.0)
    """Middle."""

    def at(self, time: np.ndarray) -> np.ndarray:
        t = _batch_times(time, self.amplitude, self.frequency, self.phase, self.offset)
        return self.offset + self.amplitude * np.sin(2 * np.pi * self.frequency * t + self.phase)


@part(family="signal")
class Chirp(Signal):
    """A sine whose frequency rises evenly from one value to another."""

    amplitude: Number = number(None)
    """Peak."""
    start: Number = number("Hz", least=0.0)
    """Frequency at time 0."""
    end: Number = number("Hz", least=0.0)
    """Frequency at `duration`, held afterwards."""
    duration: Number = number("s", above=0.0)
    """How long the rise takes."""
    offset: Number = number(None, default=0.0)
    """Middle."""

    def at(self, time: np.ndarray) -> np.ndarray:
        t = _batch_times(time, self.amplitude, self.start, self.end, self.duration, self.offset)
        rising, after = np.minimum(t, self.duration), np.maximum(t - self.duration, 0.0)
        cycles = self.start * rising + 0.5 * (self.end - self.start) * rising**2 / self.duration + self.end * after
        return self.offset + self.amplitude * np.sin(2 * np.pi * cycles)


@part(family="signal")
class Trapezoid(Signal):
    """A ramp up, a constant value, and a ramp down."""

    value: Number = number(None)
    """Height."""
    rise: Number = number("s", least=0.0)
    """Time of the ramp up."""
    hold: Number = number("s", least=0.0)
    """Time at the top."""
    fall: Maybe = number("s", default=None, least=0.0)
    """Time of the ramp down; None: as long as the ramp up."""
    start: Number = number("s", default=0.0)
    """When the ramp up begins."""

    def at(self, time: np.ndarray) -> np.ndarray:
        fall = self.rise if self.fall is None else self.fall
        t = _batch_times(time, self.value, self.rise, self.hold, fall, self.start)
        return self.value * (_ramp(t, self.start, self.rise) - _ramp(t, self.start + self.rise + self.hold, fall))


def _ramp(t: np.ndarray, begin: Number, length: Number) -> np.ndarray:
    """0 before, 1 after, and a straight line in between; a ramp of no length is a jump."""
    length = np.asarray(length)
    slanted = np.clip((t - begin) / np.where(length > 0, length, 1.0), 0.0, 1.0)
    return np.where(length > 0, slanted, t >= begin - _SAME_TIME)


@part(kw_only=False)
class Table(Signal):
    """Values at given times, linear in between and held at the ends."""

    time: np.ndarray = table("s")
    """Times, rising."""
    values: np.ndarray = table(None)
    """Values at those times."""

    def __post_init__(self) -> None:
        for name in ("time", "values"):
            object.__setattr__(self, name, _numbers(f"Table.{name}", getattr(self, name)))
        require_rising_table(self, "time", "values")

    def at(self, time: np.ndarray) -> np.ndarray:
        return np.interp(time, self.time, self.values)


def from_csv(path: str | Path, column: str | None = None, time: str = "time", unit: str = "V") -> Table:
    """A command from two columns of a CSV file: time and value.

    A unit in the header, as in `time [ms]`, is converted; without one, time is in s and the value in `unit`. Without
    `column` the file has exactly one besides time.
    """
    path = Path(path)
    found = read_columns(path, time, column)
    sizes = (_unit_size(path, found.headings[0], "s"), _unit_size(path, found.headings[1], unit))
    return Table(found.times * sizes[0], found.values * sizes[1])


def _unit_size(path: Path, heading: str, unit: str) -> float:
    """How many `unit` one of the unit in a heading such as `time [ms]` is; 1 if it names none."""
    named = heading.partition("[")[2].partition("]")[0].strip()
    if not named:
        return 1.0
    try:
        return units.parse(f"1 {named}", unit)
    except UnitError as error:
        raise ParameterError(f"{path}, line 1, {heading.strip()}: {error}") from None


def as_command(command: Signal | ArrayLike) -> Signal:
    """A number becomes a `Constant`, a list or array becomes `Samples`."""
    if isinstance(command, Signal):
        return command
    if isinstance(command, (int, float, np.number)) and not isinstance(command, bool):
        return Constant(float(command))
    if isinstance(command, (list, tuple)) or hasattr(command, "__array__"):
        values = _numbers("command", command)
        return Constant(float(values)) if values.ndim == 0 else Samples(values)
    raise ParameterError(
        f"command = {command!r}: must be a number, an array with one value per step, or a command object"
    )


def _numbers(name: str, values: ArrayLike) -> np.ndarray:
    """A list or array as an array of numbers."""
    try:
        if not np.iscomplexobj(values) and np.asarray(values).dtype.kind != "b":
            return np.asarray(values, dtype=float)
    except (TypeError, ValueError, OverflowError):
        pass
    raise ParameterError(f"{name}: must be a list of numbers only, all rows of one length")


def _batch_times(time: np.ndarray, *values: Number) -> np.ndarray:
    """The times along the first axis, and the shape that the values share behind it."""
    try:
        shape = np.broadcast_shapes(*(np.shape(value) for value in values))
    except ValueError:
        shapes = ", ".join(str(np.shape(value)) for value in values if np.ndim(value))
        raise ParameterError(
            f"command: its arrays have the shapes {shapes}; give one value, or one per motor"
        ) from None
    return np.broadcast_to(time.reshape(time.shape + (1,) * len(shape)), (len(time), *shape))
