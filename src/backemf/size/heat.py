"""The temperatures of a task in its periodic steady state, without simulating it.

The heat of winding and housing is a linear system, so that a cycle takes the modes z of its exponentials to
E·z + y, where E = exp(rate·T) and y is what one cycle alone would leave. The state that comes back after n repeats of a
motion of length T and a rest of length t is

    z0 = (y·(1 - Eⁿ)/(1 - E)·e + r) / (1 - Eⁿ·e)        e = exp(rate·t), r what the rest leaves

Motions in a row grow warmer, and lose more: they are taken in a few groups, each with a y of its own.

The copper's power is R(T)·i², with i ~ 1/flux(T): one scalar equation for the mean temperature, solved by Newton's
method from below, which tells a winding that runs away from one that settles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from ..analyze.heat import flow
from ..motor import Motor, Thermal
from ..physics.magnet import flux
from ..physics.thermal import one_node, two_nodes
from ..physics.winding import resistance
from ..values import Number
from .sweeps import Mode

GROUPS = 8
"""Most groups of motions in a row [1]."""
NEWTON = 40
"""Most steps of Newton's method; it stops as soon as nothing changes [1]."""


@dataclass(frozen=True)
class Rhythm:
    """How a motion repeats."""

    duration: float
    """Length of one motion [s]."""
    repeats: int
    """Motions in a row [1]."""
    rest: float
    """Pause after them [s]."""

    @property
    def cycle(self) -> float:
        """Length of the whole cycle [s]."""
        return self.repeats * self.duration + self.rest


def modes_of(motor: Motor, count: int) -> tuple[Mode, ...]:
    """The exponentials of a motor's heat, with one number per pair; none without a thermal model."""
    if motor.thermal is None:
        return ()
    found = flow(motor)
    t = motor.thermal
    if isinstance(t, Thermal):
        gain = _each(1.0 / t.capacitance, count)
        return (Mode(_each(found.rates[..., 0], count), gain, 0.0 * gain, gain, 0.0 * gain),)
    c1, c2 = t.winding_capacitance, t.housing_capacitance
    return tuple(
        Mode(
            _each(found.rates[..., k], count), _each(found.modes[..., k, 0, 0] / c1, count),
            _each(found.modes[..., k, 1, 0] / c1, count), _each(found.modes[..., k, 0, 1] / c2, count),
            _each(found.modes[..., k, 1, 1] / c2, count),
        )
        for k in range(2)
    )  # fmt: skip


def _each(value: Number, count: int) -> np.ndarray:
    return np.ascontiguousarray(np.broadcast_to(np.asarray(value, dtype=float), (count,)))


def outer_resistance(motor: Motor) -> Number:
    """Thermal resistance that the heat of the iron passes [K/W]."""
    t = motor.thermal
    assert t is not None
    return t.resistance if isinstance(t, Thermal) else t.housing_resistance


def mean_temperature(motor: Motor, ambient: Number, square: np.ndarray, iron: Number) -> np.ndarray:
    """Mean winding temperature of the periodic steady state [°C]; inf where the winding runs away.

    `square` is the mean of i² with the winding at ambient [A²], `iron` the mean iron loss [W]. The temperature solves
    T = ambient + Rth·R(T)·square·(flux(ambient)/flux(T))² + R2·iron.
    """
    assert motor.thermal is not None
    total, other = motor.thermal.resistance, np.asarray(outer_resistance(motor)) * np.asarray(iron)
    slope = motor.winding.resistance * motor.winding.temperature_coefficient
    weak = motor.magnet.temperature_coefficient
    strong = flux(ambient, motor.magnet)
    square = np.asarray(square, dtype=float)
    with np.errstate(all="ignore"):
        celsius = np.asarray(ambient + other + 0.0 * square, dtype=float)
        for _ in range(NEWTON):
            field = flux(celsius, motor.magnet)
            copper = total * square * (strong / field) ** 2
            ohms = resistance(celsius, motor.winding)
            missing = ambient + copper * ohms + other - celsius
            steepness = copper * (slope - 2.0 * ohms * weak / field) - 1.0
            step = np.where(steepness < 0.0, -missing / steepness, np.inf)
            step = np.where(np.isfinite(celsius), step, 0.0)
            celsius = np.where(field > 0.0, celsius + step, np.inf)
            if not (np.abs(step) > 1e-9 * np.abs(celsius)).any():
                break
    return np.where(celsius < 1e6, celsius, np.inf)


def copper_scale(motor: Motor, ambient: Number, celsius: np.ndarray) -> np.ndarray:
    """Copper loss at a temperature per i² at ambient, R(T)·(flux(ambient)/flux(T))² [Ω]."""
    weaker = flux(ambient, motor.magnet) / flux(celsius, motor.magnet)
    return np.asarray(resistance(celsius, motor.winding) * weaker * weaker, dtype=float)


def groups_of(repeats: int) -> list[int]:
    """Motions in a row in a few groups; those of one group are taken to lose alike, as they are about as warm [1]."""
    count = min(repeats, GROUPS)
    ends = [repeats * k // count for k in range(count + 1)]
    return [last - first for first, last in pairwise(ends)]


def periodic_modes(
    rate: np.ndarray, left: np.ndarray, rested: np.ndarray | float, rhythm: Rhythm,
    weights: Sequence[np.ndarray | float] | None = None,
) -> list[np.ndarray]:  # fmt: skip
    """A mode where each group of motions begins, and last where the last motion begins [J].

    `left` is what the last motion leaves of a mode that begins at 0, `rested` what the rest leaves of one [J].
    `weights` are what the motions of each group lose beside that; None: the same.
    """
    sizes = groups_of(rhythm.repeats)
    shares = [1.0] * len(sizes) if weights is None else weights
    motion, pause = rate * rhythm.duration, rate * rhythm.rest
    # 1 - E and 1 - Eⁿ without the difference of numbers close to 1
    one = -np.expm1(motion)

    def through(z: np.ndarray, share: np.ndarray | float, count: int) -> np.ndarray:
        if not count:
            return z
        grown = np.expm1(count * motion)
        return z + grown * z - grown / one * left * share

    end = np.zeros_like(rate)
    for size, share in zip(sizes, shares, strict=True):
        end = through(end, share, size)
    z = (end * np.exp(pause) + rested) / -np.expm1(rhythm.repeats * motion + pause)
    begins = []
    for size, share in zip(sizes, shares, strict=True):
        begins.append(z)
        z = through(z, share, size)
    return [*begins, through(begins[-1], shares[-1], sizes[-1] - 1)]


def warm_up_time(
    motor: Motor, ambient: Number, square: np.ndarray, iron: Number, limit: np.ndarray, steps: int = 600
) -> np.ndarray:
    """Time from cold until the mean winding temperature of a cycle reaches a limit [s]; inf if never.

    The law of the heat, stepped exactly with the copper loss of the temperature at each step's start.
    """
    t = motor.thermal
    assert t is not None
    rates = np.abs(flow(motor).rates)
    slow, fast = 1.0 / rates.min(axis=-1), 1.0 / rates.max(axis=-1)
    winding, housing = np.zeros_like(square), np.zeros_like(square)
    time, found = np.zeros_like(square), np.full_like(square, np.inf)
    with np.errstate(all="ignore"):
        # steps that grow from a part of the fast time constant to a part of the slow one
        dt = np.broadcast_to(0.01 * fast, square.shape).astype(float)
        growth = (np.maximum(slow / fast, 1.0) * 4.0) ** (1.0 / steps)
        for _ in range(steps):
            celsius = np.minimum(ambient + winding, 2000.0)
            copper = copper_scale(motor, ambient, celsius) * square
            before = winding
            if isinstance(t, Thermal):
                winding = np.asarray(one_node(winding, copper + iron, dt, t))
            else:
                winding, housing = (np.asarray(x) for x in two_nodes(winding, housing, copper, iron, dt, t))
            crossed = np.isinf(found) & (ambient + winding >= limit)
            share = (limit - ambient - before) / (winding - before)
            found = np.where(crossed, time + share * dt, found)
            time, dt = time + dt, dt * growth
    return found
