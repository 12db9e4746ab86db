"""Delay: commands that travel for a while before the actuator sees them.

Each command is written into a ring of frames; what arrives is the frame that is `lag` steps old, or a mixture of two
where the lag is no whole number. Until the first command has arrived, the actuator holds the joint where it was at the
reset. The lag changes by a schedule; since a command cannot overtake another one on a wire, it grows by no more than
one step per step unless re-ordering is asked for.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..checks import Maybe, concrete, no_number, require
from ..errors import ParameterError
from ..physics.draws import mixed, uniform
from ..physics.ops import counted, floor, minimum, picked, where
from ..tree import kind_of_numbers
from .command import TARGETS

SCHEDULES = ("constant", "episode", "period", "step", "mjlab", "isaaclab")
FRAMES_UNKNOWN = 32
"""Frames of a delay in seconds whose step is not known when the state is made."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Delay:
    """How long commands are under way; give `steps` or `seconds`, one value or (shortest, longest)."""

    steps: Any = None
    """Delay in steps; whole numbers are drawn from a range of whole numbers [1]."""
    seconds: Any = None
    """Delay in seconds, interpolated between steps [s]."""
    schedule: str | None = None
    """When a new delay is drawn from the range: "constant" (drawn once), "episode" (at each reset), "period", "step";
    "mjlab" and "isaaclab" do exactly what mjlab 1.6.0 and Isaac Lab do. None: "episode" for a range."""
    period: int = 0
    """Steps between two draws of the schedules "period" and "mjlab"; mjlab's 0 means every step [1]."""
    hold_probability: Maybe = None
    """Chance that a draw is skipped and the delay stays [1]; None or 0: never."""
    staggered: bool = True
    """Whether each environment draws at a phase of its own within the period."""
    per: str = "environment"
    """"environment": all joints (the last axis of the batch) share a delay; "joint": each has its own."""
    targets: tuple[str, ...] | None = None
    """Inputs that are delayed, of "position", "velocity", "effort", "voltage"; None: all that the controller takes."""
    reorder: bool = False
    """Whether a younger command may overtake an older one, so that the older acts after it."""
    frames: int | None = None
    """Length of the ring; None: as long as the delay needs [steps]."""
    whole: bool | None = None
    """Whether delays are whole steps, so that nothing is interpolated; None: if `steps` are whole numbers."""

    def __post_init__(self) -> None:
        if (self.steps is None) == (self.seconds is None):
            raise ParameterError("Delay: give either steps or seconds")
        for name in ("steps", "seconds"):
            check_range(self, name)
        if self.whole is None:
            object.__setattr__(self, "whole", self.steps is not None and all_whole(self.steps))
        if isinstance(self.schedule, str) and self.schedule not in SCHEDULES:
            raise ParameterError(f"Delay.schedule = {self.schedule!r}: must be one of {', '.join(SCHEDULES)}")
        check_choice(self, "per", ("environment", "joint"))
        self._check_schedule()
        self._check_targets()
        longest = None if self.steps is None else concrete(self.longest)
        if self.frames is not None and longest is not None and math.ceil(longest.max()) > self.frames - 1:
            raise ParameterError(
                f"Delay.steps = {self.steps} is longer than its buffer of frames = {self.frames}: "
                f"give frames >= {math.ceil(longest.max()) + 1}, or leave it out"
            )

    def _check_schedule(self) -> None:
        if not isinstance(self.period, int) or isinstance(self.period, bool) or self.period < 0:
            raise ParameterError(f"Delay.period = {self.period!r}: must be a whole number of steps, 0 or more")
        if self.frames is not None and (not isinstance(self.frames, int) or self.frames < 1):
            raise ParameterError(f"Delay.frames = {self.frames!r}: must be a whole number of steps, 1 or more")
        if self.schedule == "period" and self.period < 1:
            raise ParameterError("Delay.schedule = 'period': give the period in steps, e.g. period=10")
        if self.period and self.schedule not in ("period", "mjlab"):
            raise ParameterError(
                f"Delay.period = {self.period} would never take effect: it belongs to schedule='period' or 'mjlab'"
            )
        require(self, "hold_probability", ">=")
        require(self, "hold_probability", "<=", 1.0)
        if self.hold_probability is not None and self.schedule not in ("period", "step", "mjlab"):
            raise ParameterError(
                "Delay.hold_probability would never take effect: it belongs to schedule='period', 'step' or 'mjlab'"
            )
        if self.named and not self.whole:
            raise ParameterError(f"Delay.schedule = {self.schedule!r}: needs whole steps=(shortest, longest)")

    def _check_targets(self) -> None:
        if self.targets is None:
            return
        names = (self.targets,) if isinstance(self.targets, str) else tuple(self.targets)
        for name in names:
            if name not in TARGETS:
                raise ParameterError(f"Delay.targets names {name!r}: must be of {', '.join(TARGETS)}")
        object.__setattr__(self, "targets", names)

    @property
    def named(self) -> bool:
        """Whether the schedule is another program's, rules at a reset and all."""
        return self.schedule in ("mjlab", "isaaclab")

    @property
    def value(self) -> Any:
        """The delay in its own unit."""
        return self.seconds if self.steps is None else self.steps

    @property
    def shortest(self) -> Any:
        """Shortest delay in its own unit."""
        return self.value[0] if isinstance(self.value, tuple) else self.value

    @property
    def longest(self) -> Any:
        """Longest delay in its own unit."""
        return self.value[1] if isinstance(self.value, tuple) else self.value

    @property
    def drawn(self) -> bool:
        """Whether delays are drawn, so that there is a present one to remember."""
        return isinstance(self.value, tuple) or self.named

    def length(self, dt: float | None) -> int:
        """Frames of the ring for a step of `dt`; raises one sentence where the buffer is too short for it."""
        if self.steps is not None:
            return self.frames or math.ceil(float(np.max(np.asarray(self.longest)))) + 1
        if dt is None:
            return self.frames or FRAMES_UNKNOWN
        # a hair of rounding in seconds/dt is no further frame
        needed = math.ceil(float(np.max(np.asarray(self.longest))) / dt - 1e-9) + 1
        if self.frames is not None and needed > self.frames:
            raise ParameterError(
                f"Delay.seconds = {self.seconds} at dt = {dt:g} s is longer than its buffer of frames = {self.frames}: "
                f"give frames >= {needed}, or leave it out"
            )
        return self.frames or needed


def all_whole(steps: Any) -> bool:
    """Whether a number of steps, or both ends of a range, are whole by their type."""
    ends = steps if isinstance(steps, tuple) else (steps,)
    return all(isinstance(x, (int, np.integer)) or (isinstance(x, np.ndarray) and x.dtype.kind in "iu") for x in ends)


def check_range(delay: Delay, name: str) -> None:
    """Raise one sentence if a delay is no number of 0 or more, or a range that falls; a list becomes a tuple."""
    value = getattr(delay, name)
    if isinstance(value, list):
        object.__setattr__(delay, name, tuple(value))
        value = getattr(delay, name)
    ends = value if isinstance(value, tuple) else (value,)
    if value is None:
        return
    if len(ends) not in (1, 2) or any(no_number(x) or x is None for x in ends):
        raise ParameterError(f"Delay.{name} = {value!r}: must be a number, or two of them, (shortest, longest)")
    known = [concrete(x) for x in ends]
    if any(x is not None and not (np.isfinite(x) & (x >= 0)).all() for x in known):
        raise ParameterError(f"Delay.{name} = {value!r}: must be a finite number of 0 or more")
    if len(ends) == 2 and known[0] is not None and known[1] is not None and (known[0] > known[1]).any():
        raise ParameterError(f"Delay.{name} = {value!r}: the shortest comes first")


def check_choice(part: object, name: str, choices: tuple[str, ...]) -> None:
    """Raise one sentence if a word is none of those it may be."""
    value = getattr(part, name)
    if value not in choices:
        raise ParameterError(f"{type(part).__name__}.{name} = {value!r}: must be one of {', '.join(choices)}")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Draws:
    """Random numbers handed to a step in place of its own, to repeat another program draw for draw."""

    lag: Any = None
    """Delay drawn in this step, per environment [steps]."""
    hold: Any = None
    """Number in [0, 1) that is compared with the hold probability, per environment [1]."""
    phase: Any = None
    """Phase drawn at the last reset, per environment [steps]."""


# --- the laws


def drawn_lag(delay: Delay, key, counter, dt, like):
    """A delay from the range [steps]."""
    low, high = delay.shortest, delay.longest
    u = uniform(key, counter, like)
    if delay.whole:
        return low + floor(u * (high - low + 1))
    return (low + u * (high - low)) / (1.0 if delay.seconds is None else dt)


def due(delay: Delay, clock, phase):
    """Whether a new delay is drawn in this step, `clock` steps after the reset; None: in no step but the first."""
    if delay.schedule == "step" or (delay.schedule == "mjlab" and delay.period == 0):
        return clock >= 0
    if delay.schedule in ("period", "mjlab"):
        return (clock + phase) % delay.period == 0
    return None


def next_lag(delay: Delay, state, dt, draws: Draws | None):
    """The delay of this step [steps]."""
    if not delay.drawn:
        return delay.shortest if delay.seconds is None else delay.shortest / dt
    draws = Draws() if draws is None else draws
    clock, first = state.clock, state.clock == 0
    # counters 0 and 1 belong to the reset, each step has two of its own
    candidate = drawn_lag(delay, state.key, 2 * clock + 2, dt, state.lag) if draws.lag is None else draws.lag
    change = due(delay, clock, state.phase if draws.phase is None else draws.phase)
    if change is None:
        return where(first, candidate, state.lag)
    if delay.hold_probability is not None:
        hold = uniform(state.key, 2 * clock + 3, state.lag) if draws.hold is None else draws.hold
        change = change & (hold >= delay.hold_probability)
    if delay.schedule == "mjlab":
        # mjlab's lag is 0 after a reset, until its first draw
        return where(change, candidate, where(first, 0.0, state.lag))
    lag = where(change | first, candidate, state.lag)
    return lag if delay.reorder else where(first, lag, minimum(lag, state.lag + 1.0))


def first_phase(delay: Delay, key):
    """Phase of an environment within the period, drawn at its reset [steps]."""
    return mixed(key, 1) % max(delay.period, 1)


def arrived(delay: Delay, line, head, lag, clock, resting):
    """The target that is `lag` steps old, where so many have come since the reset; else the resting one.

    A ring of n frames whose newest is in slot h holds the frame of age a in slot (h - a) mod n.
    """
    size = len(line)
    if delay.named:
        # the other programs fill their buffers with the first command
        return picked(line, (head - counted(minimum(lag, clock))) % size)
    older = floor(minimum(lag, size - 1.0))
    frame = where(older > clock, resting, picked(line, (head - counted(older)) % size))
    if delay.whole:
        return frame
    # between two frames, the share of the older one
    share = lag - older
    later = minimum(older + 1.0, size - 1.0)
    earlier = where(later > clock, resting, picked(line, (head - counted(later)) % size))
    return where(share > 0.0, frame + share * (earlier - frame), frame)
