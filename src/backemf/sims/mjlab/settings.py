"""mjlab's stiffness, damping and effort limit in a backemf actuator: read from it, and set in it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np

from ...actuator import Actuator, DcClip, DutyServo, EffortLimit, EffortRange, IdealPd, PositionPid, TorquePid
from ...actuator.controllers.learned import LearnedController
from ...checks import Maybe, Number, concrete
from ...errors import ParameterError
from ...tree import numbers

GAINS: dict[type, tuple[str, str]] = {
    IdealPd: ("stiffness", "damping"),
    TorquePid: ("kp", "kd"),
    PositionPid: ("kp", "kd"),
    DutyServo: ("kp", "kd"),
}
"""What mjlab calls stiffness and damping, in each controller that has it."""


def gains_of(actuator: Actuator) -> tuple[Number, Number]:
    """Proportional and derivative gain of the controller; zeros where it has none."""
    names = GAINS.get(type(actuator.controller))
    return (0.0, 0.0) if names is None else tuple(getattr(actuator.controller, name) for name in names)


def effort_limit_of(actuator: Actuator) -> Number:
    """The lowest flat limit of the joint torque [N·m]; inf where there is none."""
    tops = [limit.effort_limit for limit in actuator.limits if isinstance(limit, (DcClip, EffortLimit))]
    if not tops:
        return float("inf")
    return tops[0] if len(tops) == 1 else np.minimum.reduce([np.asarray(top, dtype=float) for top in tops])


def with_gains(actuator: Actuator, stiffness: Maybe, damping: Maybe) -> Actuator:
    """The actuator with these gains in its controller, each where it is not None."""
    own = gains_of(actuator)
    if all(given is None or _same(given, value) for given, value in zip((stiffness, damping), own, strict=True)):
        return actuator
    names = GAINS.get(type(actuator.controller))
    if names is None:
        raise ParameterError(
            f"MotorActuatorCfg.stiffness and damping: {type(actuator.controller).__name__} has no such gains; "
            "leave them out, or take a controller such as IdealPd"
        )
    changes = {name: value for name, value in zip(names, (stiffness, damping), strict=True) if value is not None}
    return replace(actuator, controller=replace(cast(Any, actuator.controller), **changes))


def with_effort_limit(actuator: Actuator, limit: Maybe) -> Actuator:
    """The actuator with this limit as the flat top of its limits; None: as it is."""
    if limit is None or _same(limit, effort_limit_of(actuator)):
        return actuator
    if isinstance(limit, (int, float)) and limit == float("inf"):
        return actuator
    tops = flat_tops(actuator)
    if not tops:
        return replace(actuator, limits=(*actuator.limits, EffortLimit(effort_limit=limit)))
    limits = list(actuator.limits)
    limits[only(tops, actuator, "MotorActuatorCfg.effort_limit")] = replace(limits[tops[0]], effort_limit=limit)
    return replace(actuator, limits=tuple(limits))


def flat_tops(actuator: Actuator) -> list[int]:
    """Which of the limits have an effort limit."""
    return [index for index, limit in enumerate(actuator.limits) if isinstance(limit, (DcClip, EffortLimit))]


def only(tops: list[int], actuator: Actuator, asker: str) -> int:
    """The one limit that has an effort limit; raises ParameterError if there is none, or more than one."""
    if not tops:
        raise ParameterError(
            f"{asker}: this actuator has no effort limit; give it one, e.g. MotorActuatorCfg(effort_limit=20.0, ...)"
        )
    if len(tops) > 1:
        kinds = " and ".join(type(actuator.limits[index]).__name__ for index in tops)
        raise ParameterError(f"{asker} is not clear: {kinds} both have an effort limit; keep one of them")
    return tops[0]


def _same(given: Maybe, own: Maybe) -> bool:
    """Whether two numbers or arrays that are known are equal; a config that is copied is given what it has."""
    first, second = concrete(given), concrete(own)
    return first is not None and second is not None and np.array_equal(first, second)


def with_flat_ranges(actuator: Actuator) -> Actuator:
    """The actuator with every torque range that is the same in both directions as a limit that can be randomised."""
    limits = tuple(
        EffortLimit(effort_limit=limit.highest) if isinstance(limit, EffortRange) and _symmetric(limit) else limit
        for limit in actuator.limits
    )
    return replace(actuator, limits=limits) if limits != actuator.limits else actuator


def _symmetric(limit: EffortRange) -> bool:
    """Whether a torque range is known and as far down as up."""
    low, high = concrete(limit.lowest), concrete(limit.highest)
    return low is not None and high is not None and np.array_equal(-low, high) and bool((high > 0.0).all())


def require_fit(actuator: Actuator, shape: tuple[int, ...]) -> None:
    """Check that the numbers of an actuator, except networks, fit the shape; raise ParameterError if not."""
    parts = [actuator] if not isinstance(actuator.controller, LearnedController) else list(actuator.limits)
    for name, value in (pair for part in parts for pair in numbers(part)):
        size = tuple(getattr(value, "shape", ()))
        if len(size) > len(shape) or any(a not in (1, b) for a, b in zip(size[::-1], shape[::-1], strict=False)):
            raise ParameterError(
                f"MotorActuatorCfg.actuator: {name} has the shape {size}, which does not fit (environments, joints) = "
                f"{tuple(shape)}"
            )
