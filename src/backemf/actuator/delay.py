"""Delay: commands that travel for a while before the actuator sees them.

Each command is written into a ring of frames; what arrives is the frame that is `lag` steps old, or a mixture of two
where the lag is no whole number. Until the first command has arrived, the actuator holds the joint where it was at the
reset. The lag changes by a schedule; since a command cannot overtake another one on a wire, it grows by no more than
one step per step unless re-ordering is asked for.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ..checks import Number, concrete, no_number, quote
from ..errors import ParameterError
from ..parts import acts, count, flag, number, numbers, part, word, words
from ..physics.command import TARGETS
from ..physics.draws import mix, uniform
from ..physics.ops import floor, minimum, pick, to_integer, where
from ..physics.state import State
from ..values import Array, Bits, Maybe

SCHEDULES = ("constant", "episode", "period", "step", "mjlab", "isaaclab")
FRAMES_UNKNOWN = 32
"""Frames of a delay in seconds whose step is not known when the state is made."""


@part
class Delay:
    """How long commands are under way; give `steps` or `seconds`, one value or (shortest, longest)."""

    steps: Number | tuple[Number, ...] | None = numbers("steps", default=None)
    """Delay in steps; whole numbers are drawn from a range of whole numbers."""
    seconds: Number | tuple[Number, ...] | None = numbers("s", default=None)
    """Delay in seconds, interpolated between steps."""
    schedule: str | None = word(*SCHEDULES, default=None)
    """When a new delay is drawn from the range: "constant" (drawn once), "episode" (at each reset), "period", "step";
    "mjlab" and "isaaclab" do exactly what mjlab 1.6.0 and Isaac Lab do. None: "episode" for a range."""
    period: int = count("steps", default=0)
    """Steps between two draws of the schedules "period" and "mjlab"; mjlab's 0 means every step."""
    hold_probability: Number = number("1", default=0.0, least=0.0, most=1.0, neutral=0.0)
    """Chance that a draw is skipped and the delay stays."""
    staggered: bool = flag(default=True)
    """Whether each environment draws at a phase of its own within the period."""
    per: str = word("environment", "joint", default="environment")
    """"environment": all joints (the last axis of the batch) share a delay; "joint": each has its own."""
    targets: tuple[str, ...] | None = words(*TARGETS, default=None)
    """Inputs that are delayed, of "position", "velocity", "effort", "voltage"; None: all that the controller takes."""
    reorder: bool = flag(default=False)
    """Whether a younger command may overtake an older one, so that the older acts after it."""
    frames: int | None = count("steps", default=None, least=1)
    """Length of the ring; None: as long as the delay needs."""
    whole: bool | None = flag(default=None)
    """Whether delays are whole steps, so that nothing is interpolated; None: if `steps` are whole numbers."""

    def __post_init__(self) -> None:
        if (self.steps is None) == (self.seconds is None):
            raise ParameterError("Delay: give either steps or seconds")
        for name in ("steps", "seconds"):
            check_range(self, name)
        self._check_whole()
        self._check_schedule()
        self._check_targets()
        self._check_shared()
        longest = None if self.steps is None else concrete(self.longest)
        if self.frames is not None and longest is not None and math.ceil(longest.max()) > self.frames - 1:
            raise ParameterError(
                f"Delay.steps = {self.steps} is longer than its buffer of frames = {self.frames}: "
                f"give frames >= {math.ceil(longest.max()) + 1}, or leave it out"
            )

    def _check_whole(self) -> None:
        if self.whole is None:
            object.__setattr__(self, "whole", self.steps is not None and all_whole(self.steps))
        known = [concrete(end) for end in (self.shortest, self.longest)]
        if self.whole and self.steps is not None and any(x is not None and (x % 1.0).any() for x in known):
            raise ParameterError(f"Delay.whole = True, but steps = {self.steps}: give whole numbers, or whole=False")

    def _check_schedule(self) -> None:
        if self.schedule == "period" and self.period < 1:
            raise ParameterError("Delay.schedule = 'period': give the period in steps, e.g. period=10")
        if self.period and self.schedule not in ("period", "mjlab"):
            raise ParameterError(
                f"Delay.period = {self.period} would never take effect: it belongs to schedule='period' or 'mjlab'"
            )
        if not self.staggered and not self.period:
            raise ParameterError("Delay.staggered = False would never take effect: there is no period to stagger")
        if self.reorder and self.schedule not in ("period", "step"):
            raise ParameterError(
                "Delay.reorder = True would never take effect: only a delay that is drawn anew while commands are "
                "under way re-orders them, by schedule='period' or 'step'"
            )
        if acts(self, "hold_probability") and self.schedule not in ("period", "step", "mjlab"):
            raise ParameterError(
                "Delay.hold_probability would never take effect: it belongs to schedule='period', 'step' or 'mjlab'"
            )
        if self.is_foreign and (self.steps is None or not self.whole):
            raise ParameterError(f"Delay.schedule = {quote(self.schedule)}: needs whole steps=(shortest, longest)")
        if self.schedule in ("period", "step") and not self.is_random:
            unit = "seconds" if self.steps is None else "steps"
            raise ParameterError(
                f"Delay.schedule = {quote(self.schedule)} would never take effect: "
                f"one value is never drawn anew, give {unit}=(shortest, longest)"
            )

    def _check_targets(self) -> None:
        if self.targets is None:
            return
        names = (self.targets,) if isinstance(self.targets, str) else self.targets
        if not isinstance(names, (tuple, list)) or not names:
            raise ParameterError(f"Delay.targets = {quote(self.targets)}: must be some of {', '.join(TARGETS)}")
        for name in names:
            if not isinstance(name, str) or name not in TARGETS:
                raise ParameterError(f"Delay.targets names {quote(name)}: must be of {', '.join(TARGETS)}")
        object.__setattr__(self, "targets", tuple(names))

    def _check_shared(self) -> None:
        # one draw serves all joints of an environment, so that its range cannot be one per joint
        known = [concrete(end) for end in (self.shortest, self.longest)]
        each = any(x is not None and x.ndim and x.shape[-1] > 1 for x in known)
        if self.is_random and self.per == "environment" and each:
            raise ParameterError("Delay.per = 'environment', but the range has one value per joint: give per='joint'")

    @property
    def is_foreign(self) -> bool:
        """Whether the schedule is another program's, rules at a reset and all."""
        return self.schedule in ("mjlab", "isaaclab")

    @property
    def value(self) -> Number | tuple[Number, ...]:
        """The delay in its own unit."""
        known: Any = self.seconds if self.steps is None else self.steps
        return known

    @property
    def shortest(self) -> Number:
        """Shortest delay in its own unit."""
        return self.value[0] if isinstance(self.value, tuple) else self.value

    @property
    def longest(self) -> Number:
        """Longest delay in its own unit."""
        return self.value[1] if isinstance(self.value, tuple) else self.value

    @property
    def is_random(self) -> bool:
        """Whether delays are drawn, so that there is a present one to remember."""
        return isinstance(self.value, tuple) or self.is_foreign

    @property
    def grows(self) -> bool:
        """Whether a delay that was drawn is reached step by step, so that there is one to remember."""
        kept = self.schedule == "period" or (self.schedule == "step" and acts(self, "hold_probability"))
        return self.is_random and kept and not self.reorder

    def length(self, dt: Number | None) -> int:
        """Frames of the ring for a step of `dt`; raises ParameterError where the buffer is too short for it."""
        if self.steps is None and dt is None:
            return self.frames or FRAMES_UNKNOWN
        try:
            longest = float(np.max(np.asarray(self.longest)))
        except (TypeError, RuntimeError):  # an array that gradients are taken of, whose value is not known yet
            if self.frames is None:
                raise ParameterError("Delay.frames: give the length of the ring, the delay is not known yet") from None
            return self.frames
        if self.steps is not None or dt is None:
            return self.frames or math.ceil(longest) + 1
        # a hair of rounding in seconds/dt is no further frame
        if not math.isfinite(longest / dt):
            raise ParameterError(f"Delay.seconds = {self.seconds} at dt = {dt:g} s has no end: shorten it or raise dt")
        needed = math.ceil(longest / dt - 1e-9) + 1
        if self.frames is not None and needed > self.frames:
            raise ParameterError(
                f"Delay.seconds = {self.seconds} at dt = {dt:g} s is longer than its buffer of frames = {self.frames}: "
                f"give frames >= {needed}, or leave it out"
            )
        return self.frames or needed


def all_whole(steps: Number | tuple[Number, ...] | None) -> bool:
    """Whether a number of steps, or both ends of a range, are whole by their type."""
    ends = steps if isinstance(steps, tuple) else (steps,)
    return all(isinstance(x, (int, np.integer)) or (isinstance(x, np.ndarray) and x.dtype.kind in "iu") for x in ends)


def check_range(delay: Delay, name: str) -> None:
    """Check that a delay is 0 or more, or a rising range; raise `ParameterError` if not. A list becomes a tuple."""
    value = getattr(delay, name)
    if isinstance(value, list):
        object.__setattr__(delay, name, tuple(value))
        value = getattr(delay, name)
    if value is None:
        return
    ends = value if isinstance(value, tuple) else (value,)
    wrong = any(x is None or no_number(x) or 0 in getattr(x, "shape", ()) for x in ends)
    if wrong or (isinstance(value, tuple) and len(value) != 2):
        raise ParameterError(f"Delay.{name} = {quote(value)}: must be a number, or two of them, (shortest, longest)")
    known = [concrete(x) for x in ends]
    if any(x is not None and not (np.isfinite(x) & (x >= 0)).all() for x in known):
        raise ParameterError(f"Delay.{name} = {quote(value)}: must be a finite number of 0 or more")
    if len(ends) == 2 and known[0] is not None and known[1] is not None and (known[0] > known[1]).any():
        raise ParameterError(f"Delay.{name} = {quote(value)}: the shortest comes first")


@part
class Draws:
    """Random numbers handed to a step in place of its own, to repeat another program draw for draw."""

    lag: Maybe = None
    """Delay drawn in this step, in the shape of `State.lag`: (environment, 1), or one per joint [steps]."""
    hold: Maybe = None
    """Number in [0, 1) that is compared with the hold probability, in the same shape [1]."""
    phase: Bits | None = None
    """Phase drawn at the last reset, in the same shape [steps]."""


# --- the laws


def in_steps(delay: Delay, value: Number, dt: Number) -> Number:
    """A delay in its own unit, in steps; the nearest whole number of them where they are to be whole."""
    if delay.seconds is None:
        return value
    return floor(value / dt + 0.5) if delay.whole else value / dt


def drawn_lag(delay: Delay, key: Bits, counter: Bits, dt: Number, like: Number) -> Number:
    """A delay from the range [steps]."""
    low, high = in_steps(delay, delay.shortest, dt), in_steps(delay, delay.longest, dt)
    u = uniform(key, counter, like)
    if delay.whole:
        return low + floor(u * (high - low + 1))
    return low + u * (high - low)


def due(delay: Delay, clock: Bits, phase: Bits) -> Bits | None:
    """Whether a new delay is drawn in this step, `clock` steps after the reset; None: in no step but the first."""
    if delay.schedule == "step" or (delay.schedule == "mjlab" and delay.period == 0):
        return clock >= 0
    if delay.schedule in ("period", "mjlab"):
        return (clock + phase) % delay.period == 0
    return None


def next_lag(delay: Delay, state: State, dt: Number, draws: Draws | None) -> tuple[Number, Number]:
    """The delay of this step, and the one that it goes to [steps]."""
    aim = next_aim(delay, state, dt, draws)
    if delay.reorder or not delay.is_random or delay.schedule not in ("period", "step"):
        return aim, aim
    # a delay that grows faster than time would bring back commands that have already been overtaken
    return where(state.clock == 0, aim, minimum(aim, state.lag + 1.0)), aim


def next_aim(delay: Delay, state: State, dt: Number, draws: Draws | None) -> Number:
    """The delay that was last drawn [steps]."""
    if not delay.is_random:
        return in_steps(delay, delay.shortest, dt)
    draws = Draws() if draws is None else draws
    if delay.schedule == "constant":
        # the key stays at a reset, and so does what is drawn from it
        return drawn_lag(delay, state.key, 0, dt, any_line(state)) if draws.lag is None else draws.lag
    clock, first = state.clock, state.clock == 0
    before = state.lag if state.aim is None else state.aim
    # counters 0 and 1 belong to the reset, each step has two of its own
    candidate = drawn_lag(delay, state.key, 2 * clock + 2, dt, state.lag) if draws.lag is None else draws.lag
    phase = state.phase if draws.phase is None else draws.phase
    change = due(delay, clock, 0 if phase is None else phase)
    if change is None:
        return where(first, candidate, before)
    if acts(delay, "hold_probability"):
        hold = uniform(state.key, 2 * clock + 3, state.lag) if draws.hold is None else draws.hold
        change = change & (hold >= delay.hold_probability)
    if delay.schedule == "mjlab":
        # after a reset the delay is 0, as the state has it, until its first turn
        return where(change, candidate, before)
    return where(change | first, candidate, before)


def any_line(state: State) -> Array:
    """A line of frames, for its precision."""
    lines = (state.position_line, state.velocity_line, state.effort_line, state.voltage_line)
    return next(line for line in lines if line is not None)


def first_phase(delay: Delay, key: Bits) -> Bits:
    """Phase of an environment within the period, drawn at its reset [steps]."""
    return mix(key, 1) % max(delay.period, 1)


def arriving_target(delay: Delay, line: np.ndarray, head: Bits, lag: Number, clock: Bits, resting: Number) -> Number:
    """The target that is `lag` steps old, where so many have come since the reset; else the resting one.

    A ring of n frames whose newest is in slot h holds the frame of age a in slot (h - a) mod n.
    """
    size = len(line)
    if delay.is_foreign:
        # the other programs fill their buffers with the first command
        return pick(line, (head - to_integer(minimum(lag, clock))) % size)
    older = floor(minimum(lag, size - 1.0))
    frame = where(older > clock, resting, pick(line, (head - to_integer(older)) % size))
    if delay.whole:
        return frame
    # between two frames, the share of the older one
    share = lag - older
    later = minimum(older + 1.0, size - 1.0)
    earlier = where(later > clock, resting, pick(line, (head - to_integer(later)) % size))
    return where(share > 0.0, frame + share * (earlier - frame), frame)
