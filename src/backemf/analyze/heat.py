"""Heat in closed form: a winding at a held current is a linear system, R(T) included.

With x the rises above ambient, one node or two, and the copper heating with i²·R(T):

    x' = A·x + b        A = what flows to the neighbours, and i²·R0·α back into the winding

A has real eigenvalues, so the solution is a sum of exponentials, exact for any time.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..checks import Maybe, Number
from ..motor import Motor, Thermal
from ..physics.mechanics import iron_power
from ..physics.winding import resistance
from .given import array, finite, limit_of, thermal_of
from .roots import bisect, grow


@dataclass(frozen=True, kw_only=True)
class Temperatures:
    """Temperatures of the parts of a motor."""

    winding: np.ndarray
    """Winding temperature [°C]."""
    housing: np.ndarray | None
    """Housing temperature [°C]; None for a model of one node."""


@dataclass(frozen=True)
class Flow:
    """x' = A·x + b of the rises, through the eigenvalues of A and the projections on their modes."""

    matrix: np.ndarray
    """A, shape (..., n, n) [1/s]."""
    heating: np.ndarray
    """b, shape (..., n) [K/s]."""
    rates: np.ndarray
    """Eigenvalues of A, the slowest first, shape (..., n) [1/s]."""
    modes: np.ndarray
    """Projections on the modes, shape (..., n, n, n), the mode ahead of row and column [1]."""

    def after(self, rise: np.ndarray, time: np.ndarray) -> np.ndarray:
        """Rises after a time, shape (..., n) [K]."""
        start = self.heating + (self.matrix @ rise[..., None])[..., 0]
        return rise + _apply(self.modes, _integral(self.rates, time[..., None]), start)

    def gain(self, time: np.ndarray) -> np.ndarray:
        """exp(A·time), shape (..., n, n) [1]."""
        return np.sum(np.exp(self.rates * time[..., None])[..., None, None] * self.modes, axis=-3)


def _apply(modes: np.ndarray, weights: np.ndarray, vector: np.ndarray) -> np.ndarray:
    """The vector, each of its modes weighted."""
    return (np.sum(weights[..., None, None] * modes, axis=-3) @ vector[..., None])[..., 0]


def _integral(rate: np.ndarray, time: np.ndarray) -> np.ndarray:
    """Integral of exp(rate·t) from 0 to `time` [s]."""
    u = rate * time
    small = np.abs(u) < 1e-8
    with np.errstate(over="ignore", invalid="ignore"):
        return np.where(small, time * (1.0 + 0.5 * u), np.expm1(u) / np.where(rate == 0.0, 1.0, rate))


def flow(motor: Motor, current: Number = 0.0, motor_speed: Number = 0.0) -> Flow:
    """The heat flow at a held current [A] and rotor speed [rad/s]."""
    t = thermal_of(motor)
    square = finite("current", current) ** 2
    copper = square * resistance(t.ambient, motor.winding)
    feedback = square * motor.winding.resistance * motor.winding.temperature_coefficient
    iron = iron_power(motor, finite("motor_speed", motor_speed)) + 0.0 * copper
    if isinstance(t, Thermal):
        a = (feedback - 1.0 / t.resistance) / t.capacitance + 0.0 * iron
        matrix, heating = a[..., None, None], _stack([(copper + iron) / t.capacitance + 0.0 * a])
        return Flow(matrix, heating, matrix[..., 0], np.ones_like(matrix)[..., None])
    c1, c2 = t.winding_capacitance, t.housing_capacitance
    inner, outer = 1.0 / t.winding_resistance, 1.0 / t.housing_resistance
    rows = _stack([(feedback - inner) / c1, inner / c1, inner / c2, -(inner + outer) / c2, copper / c1, iron / c2])
    matrix, heating = rows[..., :4].reshape((*rows.shape[:-1], 2, 2)), rows[..., 4:]
    # two real eigenvalues, since both nodes only warm each other
    a11, a12, a21, a22 = (rows[..., k] for k in range(4))
    mean, spread = 0.5 * (a11 + a22), np.sqrt(0.25 * (a11 - a22) ** 2 + a12 * a21)
    fast = mean - spread
    determinant = a11 * a22 - a12 * a21
    slow = np.where(mean < 0.0, determinant / fast, mean + spread)
    identity = np.eye(2)
    apart = (2.0 * spread)[..., None, None]
    first = (matrix - fast[..., None, None] * identity) / apart
    return Flow(matrix, heating, np.stack([slow, fast], axis=-1), np.stack([first, identity - first], axis=-3))


def _stack(values: list[Number]) -> np.ndarray:
    return np.stack(np.broadcast_arrays(*map(array, values)), axis=-1)


def time_constants(motor: Motor) -> tuple[np.ndarray, ...]:
    """Time constants of the exponentials without current, the slowest first [s]."""
    rates = flow(motor).rates
    return tuple(-1.0 / rates[..., k] for k in range(rates.shape[-1]))


def steady_temperature(motor: Motor, current: Number, motor_speed: Number = 0.0) -> Temperatures:
    """Steady temperatures at a held current [A] and rotor speed [rad/s], R(T) included.

    Infinite where the winding runs away: α·i²·R0·Rth >= 1, the hotter copper makes more heat than it sheds.
    """
    t = thermal_of(motor)
    square = finite("current", current) ** 2
    iron = array(iron_power(motor, finite("motor_speed", motor_speed)))
    feedback = motor.winding.temperature_coefficient * square * motor.winding.resistance * t.resistance
    left = 1.0 - feedback
    outer = t.resistance if isinstance(t, Thermal) else t.housing_resistance
    cold = square * t.resistance * resistance(t.ambient, motor.winding) + outer * iron
    rise = np.where(left > 0.0, cold / np.where(left > 0.0, left, 1.0), np.inf)
    winding = t.ambient + rise
    if isinstance(t, Thermal):
        return Temperatures(winding=winding, housing=None)
    with np.errstate(invalid="ignore"):
        copper = np.where(left > 0.0, square * resistance(winding, motor.winding), np.inf)
    return Temperatures(winding=winding, housing=t.ambient + outer * (copper + iron))


def time_to_limit(
    motor: Motor,
    current: Number,
    start: Number | tuple[Number, Number] | None = None,
    limit: Number | None = None,
    motor_speed: Number = 0.0,
) -> np.ndarray:
    """Time [s] until the winding reaches a limit [°C] at a held current [A] and rotor speed [rad/s]; inf if never.

    `start` is the winding temperature [°C], or those of winding and housing as a pair; None: both at ambient. A number
    for a model of two nodes leaves the housing at ambient. `limit` is the rated winding temperature if None. Exact,
    with R(T).
    """
    t = thermal_of(motor)
    heat = flow(motor, current, motor_speed)
    rise = _start(motor, start, heat.rates.shape[-1])
    target = limit_of(motor, limit) - t.ambient
    # the rate of the winding is a sum of exponentials, k·exp(rate·t)
    slopes = heat.heating + (heat.matrix @ rise[..., None])[..., 0]
    k = np.sum(heat.modes[..., 0, :] * slopes[..., None, :], axis=-1)
    winding, missing = rise[..., 0], target - rise[..., 0]

    def remaining(time: np.ndarray) -> np.ndarray:
        return missing - np.sum(k * _integral(heat.rates, time[..., None]), axis=-1)

    # the winding turns round once at most: before that, or after it, the limit may be met
    turn = _turning(k, heat.rates)
    before = remaining(turn) <= 0.0
    shape = np.broadcast_shapes(np.shape(missing), np.shape(turn))
    low = np.broadcast_to(np.where(before, 0.0, turn), shape)
    scale = np.broadcast_to(1.0 / np.abs(heat.rates).max(axis=-1), shape)
    high = np.where(before, turn, grow(remaining, low + scale))
    met = np.isfinite(high) & ~(_ends_below(missing, k, heat.rates) & ~before)
    found = bisect(remaining, low, np.where(met, high, low))
    return np.where(missing <= 0.0, 0.0, np.where(met, found, np.inf)) + 0.0 * winding


def _turning(k: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """When the rate of the winding changes sign [s]; 0 where it never does."""
    if k.shape[-1] == 1:
        return np.zeros(k.shape[:-1])
    slow, fast = k[..., 0], k[..., 1]
    with np.errstate(divide="ignore", invalid="ignore"):
        time = np.log(-fast / slow) / (rates[..., 0] - rates[..., 1])
    return np.where((slow * fast < 0.0) & (time > 0.0), time, 0.0)


def _ends_below(missing: np.ndarray, k: np.ndarray, rates: np.ndarray) -> np.ndarray:
    """Whether the winding stays below the limit, once it has turned."""
    stays = np.all(rates < 0.0, axis=-1)
    safe = np.where(rates < 0.0, rates, -1.0)
    return np.where(stays, np.sum(-k / safe, axis=-1) <= missing, k[..., 0] <= 0.0)


def _start(motor: Motor, start: Maybe | tuple[Number, Number], nodes: int) -> np.ndarray:
    """Rises at the beginning, shape (..., nodes) [K]."""
    ambient = thermal_of(motor).ambient
    pair = start if isinstance(start, tuple) else (ambient if start is None else start, ambient)
    return _stack([finite("start", value) - ambient for value in pair[:nodes]])
