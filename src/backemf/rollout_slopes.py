"""How a run changes with some of its numbers: derivatives that go forward in time beside the states, in one launch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

from .actuator import Actuator, Command
from .checks import Number, quote
from .engines import load as load_engine
from .errors import ParameterError
from .hooks import call_hook
from .loads import Load
from .motor import Motor
from .parts import without_neutral
from .physics.state import Output
from .rollout import Here, check_rollout
from .rollout_needs import require_run
from .rollout_tracing import leaves_of

T = TypeVar("T")


def rollout_slopes(
    actuator: Actuator | Motor,
    load: Load,
    commands: Command | Number | Sequence[Number],
    dt: float,
    by: str | Sequence[str],
    *,
    observe: Callable[[Here, Output], T] | Sequence[str],
    position: Number = 0.0,
    velocity: Number = 0.0,
    initial: Mapping[str, Number] | None = None,
    start: Here | None = None,
    every: int = 1,
    precision: str | None = None,
    device: object = None,
) -> tuple[Here, T, dict[str, T]]:
    """A rollout on Warp, and the derivatives of what it observes by some numbers of the actuator and the load.

    They are computed in the same launch: each number costs about as much as the run itself, and tells of every motor
    how it would change if its own number did. That is what a search by a few numbers among many candidates needs; for
    many numbers and one result take `jax.grad` of `rollout`. Where a run begins is held fixed.

    Args:
        actuator: A `Motor`, or an `Actuator` with its supply.
        load: What it moves.
        commands: As for `rollout`.
        dt: Step [s].
        by: Dotted names of numbers, such as "motor.friction.coulomb", "controller.kp" or "load.inertia".
        observe: What to keep, as for `rollout`.
        position: Joint position at the start [rad].
        velocity: Joint velocity at the start [rad/s].
        initial: States of the motor at the start by name.
        start: Where everything is at first, in place of these three.
        every: Keep that of every n-th step.
        precision: "float32" or "float64", as for `rollout`.
        device: Where it runs, such as "cuda"; None: Warp's default.

    Returns:
        Where motor and load are at the end, what was observed, and by name of each number the derivatives of that.
    """
    actuator = without_neutral(require_run("rollout_slopes", actuator, load))
    check_rollout(actuator, load, dt, position, velocity, initial, start)
    names = require_names(by)
    load_engine("warp")
    here, seen, found = call_hook(
        "rollout_on_warp", actuator, load, commands, dt, position=position, velocity=velocity, initial=initial,
        start=start, observe=observe, every=every, precision=precision, device=device,
        by=require_numbers(actuator, load, names),
    )  # fmt: skip
    return here, seen, dict(zip(names, found, strict=True))


def require_names(by: str | Sequence[str]) -> tuple[str, ...]:
    """The names that are given; raises `ParameterError` where they are none."""
    names = (by,) if isinstance(by, str) else by
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"by = {quote(by)}: must be names of numbers, such as 'motor.winding.resistance'")
    return tuple(names)


def require_numbers(actuator: Actuator, load: Load, names: Sequence[str]) -> tuple[str, ...]:
    """The names of numbers as a run has them; raises `ParameterError` where there is no such number."""
    if not names:
        raise ParameterError("by names no number: give some, such as by=('motor.winding.resistance',)")
    known = leaves_of(actuator, load)
    full = tuple(name if name.startswith("load.") else f"actuator.{name}" for name in names)
    for name, own in zip(names, full, strict=True):
        if own not in known:
            there = ", ".join(each.removeprefix("actuator.") for each in known)
            raise ParameterError(f"by names {name!r}: there is no such number, or it has no effect; there are {there}")
        if full.count(own) > 1:
            raise ParameterError(f"by names {name!r} twice: name each number once")
    return full
