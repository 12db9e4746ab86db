"""The smallest case that still violates a check: parts are dropped and numbers rounded as long as it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import backemf as be
from backemf.errors import BackemfError
from backemf.tree import map_numbers

from .cases import HELD, Case, kept_states, map_numbers_of, picked
from .examine import Violation, examine


def smallest(case: Case, violation: Violation, violates: Callable[[Case, str], bool] | None = None) -> Case:
    """A case of one motor that violates the same check with as few parts as possible."""
    violates = is_violated if violates is None else violates

    def still(other: Case) -> bool:
        try:
            return violates(other, violation.check)
        except (BackemfError, TypeError, AttributeError, ValueError):
            return False

    best = picked(case, violation.motor)
    for shorter in (one_step(case, violation), first_steps(case, violation)):
        if shorter is not None and still(shorter):
            best = shorter
            break
    for change in CHANGES:
        other = attempt(best, change)
        if other is not None and still(other):
            best = other
    for digits in (2, 3, 5):
        rounded = map_numbers_of(best, lambda part, digits=digits: map_numbers(part, lambda x: significant(x, digits)))
        if still(rounded):
            return rounded
    return best


def is_violated(case: Case, check: str) -> bool:
    """Whether a case violates a check."""
    return check in examine(case).counts


def one_step(case: Case, violation: Violation) -> Case | None:
    """Only the step that goes wrong, from the state before it."""
    step = violation.before
    if step is None or case.actuator.delay is not None or (step.index > 0 and case.memory):
        return None
    shape = case.shape
    cut = replace(
        case,
        state=step.before,
        position=np.broadcast_to(step.position, shape).copy(),
        velocities=(np.broadcast_to(step.velocity, shape).copy(),),
        commands=(step.command,),
    )
    return picked(cut, violation.motor)


def first_steps(case: Case, violation: Violation) -> Case | None:
    """All steps up to the one that goes wrong."""
    count = len(case.commands) if violation.step < 0 else violation.step + 1
    one = picked(case, violation.motor)
    return replace(one, commands=one.commands[:count], velocities=one.velocities[: count if case.way == HELD else 1])


def significant(x: Any, digits: int) -> Any:
    """Numbers with so many digits; whole numbers stay."""
    x = np.asarray(x)
    if x.dtype.kind != "f":
        return x
    return np.array([float(f"{value:.{digits - 1}e}") for value in x.reshape(-1)]).reshape(x.shape)


def attempt(case: Case, change: Callable[[Any], Any]) -> Case | None:
    """The case with its actuator changed; None where that is no actuator, or changes nothing."""
    try:
        actuator = change(case.actuator)
        if actuator is None or actuator is case.actuator:
            return None
        return replace(case, actuator=actuator, state=kept_states(case.state, actuator))
    except (BackemfError, TypeError, AttributeError):
        return None


def dropped(part: str) -> Callable[[Any], Any]:
    """A change that drops a field of the actuator, such as "motor.limits.current_rate"."""
    *path, name = part.split(".")

    def change(actuator: Any) -> Any:
        return within(actuator, path, name)

    return change


NEUTRAL = {
    "modulation_limit": 1.0,
    "temperature_coefficient": 0.0,
    "limits": (),
    "substeps": 1,
    "kd": 0.0,
    "damping": 0.0,
}
"""What a field without effect holds where that is not None."""


def within(part: Any, path: list[str], name: str) -> Any:
    """The part with a field below it dropped; None where it is not there."""
    if part is None:
        return None
    if path:
        inner = within(getattr(part, path[0], None), path[1:], name)
        return None if inner is None else replace(part, **{path[0]: inner})
    neutral = (
        () if name == "limits" and isinstance(part, be.Actuator) else None if name == "limits" else NEUTRAL.get(name)
    )
    if not hasattr(part, name) or getattr(part, name) is neutral:
        return None
    return replace(part, **{name: neutral})


def with_one_constant(actuator: Any) -> Any:
    magnet = replace(actuator.motor.magnet, back_emf_constant=actuator.motor.magnet.torque_constant)
    return replace(actuator, motor=replace(actuator.motor, magnet=magnet))


def without_derating(actuator: Any) -> Any:
    limits = actuator.motor.limits
    if not limits.derates:
        return None
    cool = be.Limits(peak_current=limits.rated_current, current_rate=limits.current_rate)
    return replace(actuator, motor=replace(actuator.motor, limits=cool))


def lossless(actuator: Any) -> Any:
    gearbox = actuator.motor.gearbox
    stages = tuple(replace(s, efficiency=None, back_efficiency=None) for s in gearbox.stages)
    return replace(actuator, motor=replace(actuator.motor, gearbox=replace(gearbox, stages=stages)))


def one_limit(actuator: Any) -> Any:
    return replace(actuator, limits=actuator.limits[:1]) if len(actuator.limits) > 1 else None


def changes() -> Iterator[Callable[[Any], Any]]:
    """Everything that can be left out of an actuator, the large parts first."""
    for part in ("delay", "slew", "command_range", "substeps", "limits"):
        yield dropped(part)
    yield one_limit
    for part in ("spring", "supply", "supply.curve", "voltage_limit", "motor.limits", "motor.gearbox"):
        yield dropped(part)
    for part in ("motor.network", "motor.friction_over_angle", "motor.friction", "motor.drag", "motor.thermistor"):
        yield dropped(part)
    for part in ("motor.cogging", "motor.thermal", "motor.winding.inductance", "motor.magnet.saturation"):
        yield dropped(part)
    yield without_derating
    yield lossless
    yield with_one_constant
    for part in (
        "limits.current_rate",
        "gearbox.backlash",
        "magnet.iron_loss",
        "thermal",
        "magnet.temperature_coefficient",
    ):
        yield dropped(f"motor.{part}")
    for part in ("friction.load", "friction.quadratic", "friction.stribeck", "winding.temperature_coefficient"):
        yield dropped(f"motor.{part}")
    for part in (
        "supply.resistance",
        "supply.modulation_limit",
        "controller.ki",
        "controller.kd",
        "controller.damping",
    ):
        yield dropped(part)
    for part in ("friction", "controller.current_limit", "controller.dead_band", "controller.current_bandwidth"):
        yield dropped(part)


CHANGES = tuple(changes())
