"""What a motion must stay within, and motions made smaller until they do."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..actuator import Actuator
from ..checks import Maybe
from ..loads import LockedRotor
from ..motor import Motor
from ..parts import number, part
from ..units import format_quantity
from .channels import CHANNELS
from .motions import Motion
from .prior import free_speed
from .rig import Rig

WIDEST = np.pi / 2.0
"""Largest position where none is given and the controller follows positions [rad]."""
MARGIN = 0.97
"""Share of a limit that a motion is made for which exceeds it [1]."""
SMALLEST = 0.03
"""Share of its commands below which a motion is given up [1]."""
TRIES = 8
"""How often a motion is made smaller [1]."""
ABOUT = {
    "position": "position", "velocity": "speed", "current": "current", "winding_temperature": "temperature",
}  # fmt: skip
"""Limits by the channel that each is held against."""


@part
class MotionLimits:
    """What a motion must stay within; what is not given is the drive's rating, and open where there is none."""

    position: Maybe = number("rad", default=None, above=0.0)
    """Largest joint position, either way from 0; None: 90° where the controller follows a position."""
    speed: Maybe = number("rad/s", default=None, above=0.0)
    """Largest joint velocity; None: that of the fastest rotor that the maker allows."""
    current: Maybe = number("A", default=None, above=0.0)
    """Largest current; None: the maker's peak current, or the continuous one."""
    temperature: Maybe = number("°C", default=None)
    """Hottest winding; None: the maker's."""


@dataclass(frozen=True, eq=False)
class Bounded:
    """A motion within the limits, or why there is none."""

    motion: Motion
    """The motion, as large as the limits allow."""
    peaks: Mapping[str, float]
    """Largest size of each limited channel, in SI."""
    reason: str = ""
    """Why it was dropped; empty: it was not."""


def bounds_of(limits: MotionLimits, actuator: Actuator, rig: Rig) -> dict[str, float]:
    """Largest size of each channel that is limited, in SI."""
    motor = actuator.motor
    found: dict[str, float | None] = {}
    if rig.load.kind is not LockedRotor:
        wide = WIDEST if actuator.controller.main == "position" else None
        found["position"] = _one(limits.position, wide)
        found["velocity"] = _one(limits.speed, _rated_speed(motor))
    if motor is not None:
        ratings = motor.ratings
        rated = [None, None] if ratings is None else [ratings.peak_current, ratings.current]
        found["current"] = _one(limits.current, *rated)
        if motor.thermal is not None:
            hottest = None if ratings is None else ratings.winding_temperature
            found["winding_temperature"] = _one(limits.temperature, hottest)
    return {name: value for name, value in found.items() if value is not None}


def _one(*values: Maybe) -> float | None:
    """The first number that is given; the smallest of an array."""
    return next((float(np.min(np.asarray(value, dtype=float))) for value in values if value is not None), None)


def _rated_speed(motor: Motor | None) -> float | None:
    rated = None if motor is None or motor.ratings is None else _one(motor.ratings.speed)
    return None if rated is None or motor is None else rated / abs(float(np.max(np.asarray(motor.ratio))))


def top_speed(actuator: Actuator, bounds: Mapping[str, float]) -> float | None:
    """Fastest that the joint may and can turn [rad/s]; None: nobody says."""
    motor, supply = actuator.motor, actuator.supply
    known = [bounds["velocity"]] if "velocity" in bounds else []
    if motor is not None:
        volts = None if supply is None else float(np.mean(np.asarray(supply.voltage)))
        rated = None if motor.ratings is None else motor.ratings.voltage
        if volts is not None or rated is not None:
            per_volt = 1.0 / float(np.mean(np.asarray(motor.magnet.back_emf_constant)))
            free = free_speed(motor) if volts is None else volts * per_volt
            known.append(free / abs(float(np.mean(np.asarray(motor.ratio)))))
    return min(known, default=None)


def shrink(
    motions: Sequence[Motion],
    bounds: Mapping[str, float],
    peaks_of: Callable[[Sequence[Motion]], Sequence[Mapping[str, float]]],
    ambient: float,
) -> list[Bounded]:
    """Each motion, made smaller until it stays within the limits, or dropped with the reason.

    Args:
        motions: What is tried.
        bounds: Largest size of each limited channel.
        peaks_of: Largest size of each limited channel for some motions, by a simulation.
        ambient: Temperature at the start [°C].
    """
    sizes = np.ones(len(motions))
    done: dict[int, Bounded] = {}
    for turn in range(TRIES):
        open_ = [k for k in range(len(motions)) if k not in done]
        tried = [motions[k].scaled(float(sizes[k])) for k in open_]
        for k, motion, peaks in zip(open_, tried, peaks_of(tried) if open_ else (), strict=True):
            over = {name: _excess(name, peaks[name], bound, ambient) for name, bound in bounds.items()}
            worst = max(over, key=lambda name: over[name], default="")
            if not all(np.isfinite(x) for x in peaks.values()):
                done[k] = Bounded(motion, peaks, "the joint does not stay finite")
            elif not worst or over[worst] <= 1.0:
                done[k] = Bounded(motion, peaks)
            elif turn == TRIES - 1 or sizes[k] * MARGIN / over[worst] < SMALLEST:
                done[k] = Bounded(motion, peaks, _reason(worst, peaks[worst], bounds[worst], float(sizes[k])))
            sizes[k] *= MARGIN / max(over.get(worst, 1.0), 1.0)
    return [done[k] for k in range(len(motions))]


def _excess(name: str, peak: float, bound: float, ambient: float) -> float:
    """Factor by which commands are too large; heat grows with their square [1]."""
    if name == "winding_temperature":
        return float(np.sqrt(max(peak - ambient, 0.0) / (bound - ambient))) if bound > ambient else np.inf
    return peak / bound


def _reason(name: str, peak: float, bound: float, size: float) -> str:
    unit = CHANNELS[name].unit
    words = f"the {ABOUT[name]} of {format_quantity(peak, unit, 3)} is above {format_quantity(bound, unit, 3)}"
    return words if size == 1.0 else f"{words} at {100.0 * size:.2g} % of its commands"
