"""What a robot measures and pays for: sampled feedback, position sensors, the battery."""

from __future__ import annotations

from typing import Any, NamedTuple

from ...physics.ops import absolute, floor, maximum, minimum, where


class Sampled(NamedTuple):
    """A sensor's value as the controller sees it."""

    value: Any
    """The last sample; not a number before the first."""
    elapsed: Any
    """Time since it was enabled or sampled [s]."""


def enabled(shape_like: Any) -> Sampled:
    """A sensor that was enabled just now: there is no value before one sampling period is over."""
    nothing = 0.0 * shape_like
    return Sampled(nothing + float("nan"), nothing)


def sampled(sensor: Sampled, value: float, period: float, dt: float, on: Any = True) -> Sampled:
    """The sensor after a step of dt [s]; without power it keeps its value. A period of 0 means it is disabled."""
    elapsed = sensor.elapsed + dt
    # periods are whole milliseconds, so that half a microsecond takes up the rounding
    due = (elapsed >= period - 5e-7) & (period > 0.0) & on
    return Sampled(where(due, value, sensor.value), where(due, 0.0 * elapsed, elapsed))


def measured(position: float, noise: float, resolution: float, draw: float = 0.0) -> float:
    """What a `PositionSensor` reads [rad]: noise times a draw from the normal distribution, then its resolution.

    A resolution of -1 means any.
    """
    blurred = position + maximum(noise, 0.0) * draw
    step = where(resolution > 0.0, resolution, 1.0 + 0.0 * blurred)
    return where(resolution > 0.0, step * floor(blurred / step + 0.5), blurred)


def consumption(feedback: float, consumption_factor: float) -> float:
    """Electrical power of a motor [W]. It does not depend on the speed, and a motor that brakes pays as well."""
    return absolute(feedback) * consumption_factor


def propeller_effort(velocity: float, thrust: float, torque: float, max_torque: float) -> float:
    """What a propeller at a speed [rad/s] pays for: its thrust [N] plus its torque [N·m], in air at rest.

    `thrust` [N·s²] and `torque` [N·m·s²] are its constants per square of the speed.
    """
    square = velocity * velocity
    return absolute(thrust) * square + minimum(absolute(torque) * square, max_torque + 0.0 * square)


def drained(energy: float, power: float, dt: float) -> float:
    """Energy of a battery after a step [J]; an empty one stays empty, and a negative one means there is none."""
    return where(energy > 0.0, maximum(energy - power * dt, 0.0 * energy), energy)
