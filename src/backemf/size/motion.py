"""Motions of a joint that repeat: moves in a triangle or trapezoid of speed, sines, and samples of any kind.

A motion is cut into cells, each with its middle's values, so that the corners of a move lie between cells and the sums
over a move of constant accelerations are exact.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..checks import Number
from ..errors import ParameterError
from ..parts import flag, number, part, table, word

SAMPLES = 1000
"""Cells of a motion that is given as a formula, about [1]."""
APART = 0.05
"""Largest share by which a velocity may differ from the slope of its positions, as RMS [1]."""


@dataclass(frozen=True, eq=False)
class Cells:
    """A motion in cells, each with the values of its middle."""

    dt: np.ndarray
    """Length of each cell [s]."""
    position: np.ndarray
    """Position [rad]."""
    velocity: np.ndarray
    """Velocity [rad/s]."""
    acceleration: np.ndarray
    """Acceleration [rad/s²]."""
    smooth: np.ndarray
    """1 where the motion goes over from the cell before without a jump, else 0 [1]."""
    torque: np.ndarray | None = None
    """Torque at the joint, where the motion itself says it [N·m]."""

    @property
    def duration(self) -> float:
        """How long the motion takes [s]."""
        return float(self.dt.sum())

    @property
    def time(self) -> np.ndarray:
        """Middle of each cell since the start of the motion [s]."""
        return np.cumsum(self.dt) - 0.5 * self.dt


class Motion:
    """What all motions have."""

    @property
    def needs_load(self) -> bool:
        """Whether the torque follows from a load; else the motion says it."""
        return True

    def cells(self, samples: int = SAMPLES) -> Cells:
        """The motion in about so many cells."""
        raise NotImplementedError


@part(family="motion", called="triangle")
class TriangleMove(Motion):
    """A move with constant acceleration for one half and deceleration for the other, and the same way back."""

    angle: Number = number("rad")
    """How far it goes."""
    duration: Number = number("s", above=0.0)
    """How long the way takes, one way."""
    start: Number = number("rad", default=0.0)
    """Position at which it begins."""
    returns: bool = flag(default=True)
    """Whether it goes back the same way; else the next repeat begins where this one ends."""

    def cells(self, samples: int = SAMPLES) -> Cells:
        return _ramps(float(self.angle), float(self.duration), 0.5, float(self.start), self.returns, samples)


@part(family="motion", called="trapezoid")
class TrapezoidMove(Motion):
    """A move that accelerates, keeps its speed and decelerates, and the same way back."""

    angle: Number = number("rad")
    """How far it goes."""
    duration: Number = number("s", above=0.0)
    """How long the way takes, one way."""
    ramp: Number = number("1", default=1.0 / 3.0, above=0.0, below=0.5)
    """Share of the duration that the acceleration takes, and as much the deceleration."""
    start: Number = number("rad", default=0.0)
    """Position at which it begins."""
    returns: bool = flag(default=True)
    """Whether it goes back the same way; else the next repeat begins where this one ends."""

    def cells(self, samples: int = SAMPLES) -> Cells:
        return _ramps(
            float(self.angle), float(self.duration), float(self.ramp), float(self.start), self.returns, samples
        )


@part(family="motion", called="sine")
class SineMotion(Motion):
    """offset + amplitude·sin(2π·frequency·t), for one period."""

    amplitude: Number = number("rad")
    """Peak of the position about its middle."""
    frequency: Number = number("Hz", above=0.0)
    """Frequency."""
    offset: Number = number("rad", default=0.0)
    """Middle of the position."""

    def cells(self, samples: int = SAMPLES) -> Cells:
        turn = 2.0 * np.pi * float(self.frequency)
        # an even number of cells, so that none has its middle where the speed is 0
        count = 4 * max(samples // 4, 2)
        dt = np.full(count, 1.0 / (float(self.frequency) * count))
        phase = turn * (np.cumsum(dt) - 0.5 * dt)
        size = float(self.amplitude)
        return _with_reversals(
            Cells(dt, float(self.offset) + size * np.sin(phase), size * turn * np.cos(phase),
                  -size * turn * turn * np.sin(phase), np.ones(count))
        )  # fmt: skip


@part(family="motion", called="samples")
class SampledMotion(Motion):
    """A motion by its samples: any of position, velocity and acceleration that says the others, and maybe a torque."""

    time: np.ndarray = table("s")
    """Times of the samples, rising."""
    position: np.ndarray | None = table("rad", default=None)
    """Position; None: the way since the first sample, by the velocity."""
    velocity: np.ndarray | None = table("rad/s", default=None)
    """Velocity; None: the slope of the position."""
    acceleration: np.ndarray | None = table("rad/s²", default=None)
    """Acceleration; None: the slope of the velocity."""
    torque: np.ndarray | None = table("N·m", default=None)
    """Torque that the joint needs besides that of its motor's own inertia and losses; None: a load says it."""
    closed: bool = flag(default=True)
    """Whether the motion goes on from its last sample to its first, as a gait does."""
    name: str = word(default="")
    """File that it is from, for messages."""

    def __post_init__(self) -> None:
        place = f"{self.name}: " if self.name else "SampledMotion: "
        for each in ("time", "position", "velocity", "acceleration", "torque"):
            value = getattr(self, each)
            if value is not None:
                try:
                    object.__setattr__(self, each, np.asarray(value, dtype=float))
                except (TypeError, ValueError):
                    raise ParameterError(f"{place}{each} must be a list of numbers") from None
        _check_samples(self, place)

    @property
    def needs_load(self) -> bool:
        """Whether the torque follows from a load."""
        return self.torque is None

    def cells(self, samples: int = SAMPLES) -> Cells:
        """Cells around the samples, and around so many values between them that there are about `samples` of all."""
        time, closed = self.time, self.closed
        if self.position is not None:
            velocity = slope(time, self.position, closed) if self.velocity is None else self.velocity
            position = self.position
        else:
            assert self.velocity is not None
            velocity = self.velocity
            way = np.cumsum(0.5 * np.diff(time) * (velocity[1:] + velocity[:-1]))
            position = np.concatenate([[0.0], way])
        acceleration = slope(time, velocity, closed) if self.acceleration is None else self.acceleration
        fine = _between(time, max(-(-samples // (len(time) - 1)), 1))
        position, velocity, acceleration = (
            _around(np.interp(fine, time, column)) for column in (position, velocity, acceleration)
        )
        torque = None if self.torque is None else _around(np.interp(fine, time, self.torque))
        ends = np.concatenate([fine[:1], _middles(fine), fine[-1:]])
        cells = Cells(np.diff(ends), position, velocity, acceleration, np.ones(len(fine)), torque)
        if not closed:
            cells.smooth[0] = 0.0
        return _with_reversals(cells)


def _check_samples(motion: SampledMotion, place: str) -> None:
    """Check that the samples make a motion; raise `ParameterError` with one sentence if not."""
    time = motion.time
    if time.ndim != 1 or len(time) < 4:
        raise ParameterError(f"{place}has {time.size} samples; a motion needs 4 or more")
    falls = np.flatnonzero(np.diff(time) <= 0.0)
    if len(falls):
        k = int(falls[0]) + 1
        raise ParameterError(
            f"{place}time {time[k]:g} s in row {k + 1} comes after {time[k - 1]:g} s: the samples are out of order; "
            "sort them by time"
        )
    if not np.isfinite(time).all():
        raise ParameterError(f"{place}time must be finite in every row")
    for name in ("position", "velocity", "acceleration", "torque"):
        value = getattr(motion, name)
        if value is not None and (value.shape != time.shape or not np.isfinite(value).all()):
            raise ParameterError(f"{place}{name} must have one finite value for each of the {len(time)} times")
    if motion.position is None and motion.velocity is None:
        raise ParameterError(f"{place}has neither a position nor a velocity: add a column of one of them")
    if motion.position is not None and motion.velocity is not None:
        _check_slope(place, "velocity", "position", time, motion.position, motion.velocity, "rad/s")
    if motion.velocity is not None and motion.acceleration is not None:
        _check_slope(place, "acceleration", "velocity", time, motion.velocity, motion.acceleration, "rad/s²")


def _check_slope(
    place: str, name: str, of: str, time: np.ndarray, values: np.ndarray, given: np.ndarray, unit: str
) -> None:
    """Check that a column is the derivative of another one."""
    found, said = np.diff(values) / np.diff(time), _middles(given)
    size = float(np.sqrt(np.mean(said**2)) + np.sqrt(np.mean(found**2)))
    off = found - said
    if size > 0.0 and float(np.sqrt(np.mean(off**2))) > APART * size:
        k = int(np.argmax(np.abs(off)))
        raise ParameterError(
            f"{place}the {name} is not the derivative of the {of}: at {0.5 * (time[k] + time[k + 1]):.4g} s the {of} "
            f"changes by {found[k]:.4g} {unit}, and the {name} is {said[k]:.4g}; correct the units, or leave one "
            "column out"
        )


def slope(time: np.ndarray, values: np.ndarray, closed: bool) -> np.ndarray:
    """Slope at each sample, of second order; a closed motion goes on from its end to its start [unit/s]."""
    if not closed:
        return np.gradient(values, time, edge_order=2)
    # the last sample is the first one of the next round, where the values say so; else it is one sample further
    before = values[-2] - values[-1] + values[0]
    after = values[1] - values[0] + values[-1]
    longer = np.concatenate([[time[0] - (time[-1] - time[-2])], time, [time[-1] + (time[1] - time[0])]])
    return np.gradient(np.concatenate([[before], values, [after]]), longer)[1:-1]


def _middles(values: np.ndarray) -> np.ndarray:
    return 0.5 * (values[1:] + values[:-1])


def _between(time: np.ndarray, count: int) -> np.ndarray:
    """The times with as many equal steps from each to the next [s]."""
    steps = np.arange(count) / count
    return np.append((time[:-1, None] + np.diff(time)[:, None] * steps).ravel(), time[-1])


def _around(values: np.ndarray) -> np.ndarray:
    """Values of the cells around samples: peaks keep their size; the cells at the ends are halves."""
    first, last = 0.75 * values[0] + 0.25 * values[1], 0.75 * values[-1] + 0.25 * values[-2]
    return np.concatenate([[first], values[1:-1], [last]])


def _with_reversals(cells: Cells) -> Cells:
    """The cells, with a jump where the velocity changes its sign, as dry friction does."""
    way = np.sign(cells.velocity)
    return replace(cells, smooth=np.where(way == np.roll(way, 1), cells.smooth, 0.0))


def _ramps(angle: float, duration: float, ramp: float, start: float, returns: bool, samples: int) -> Cells:
    """A move of constant accelerations: up, along, down, and maybe back."""
    way = _one_way(angle, duration, ramp, start, samples // 2 if returns else samples)
    if not returns:
        return way
    back = _one_way(-angle, duration, ramp, start + angle, samples // 2)
    return Cells(*(np.concatenate([getattr(way, name), getattr(back, name)])
                   for name in ("dt", "position", "velocity", "acceleration", "smooth")))  # fmt: skip


def _one_way(angle: float, duration: float, ramp: float, start: float, samples: int) -> Cells:
    rise = ramp * duration
    top = angle / (duration - rise)
    pieces = [(rise, top / rise), (duration - 2.0 * rise, 0.0), (rise, -top / rise)]
    rows: list[list[np.ndarray]] = []
    position, velocity = start, 0.0
    for length, acceleration in pieces:
        if length <= 1e-12 * duration:
            continue
        count = max(round(samples * length / duration), 2)
        dt = np.full(count, length / count)
        t = np.cumsum(dt) - 0.5 * dt
        smooth = np.ones(count)
        # the acceleration jumps where a piece begins
        smooth[0] = 0.0
        rows.append([dt, position + velocity * t + 0.5 * acceleration * t * t, velocity + acceleration * t,
                     np.full(count, acceleration), smooth])  # fmt: skip
        position += velocity * length + 0.5 * acceleration * length * length
        velocity += acceleration * length
    return Cells(*(np.concatenate(columns) for columns in zip(*rows, strict=True)))
