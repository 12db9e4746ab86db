"""One joint's actuator out of many: the numbers of its pattern, and which of several actuators has it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields, replace
from typing import Any, ClassVar, Protocol, Self, TypeVar

from ..errors import ParameterError
from .joint_patterns import fits, patterns_of
from .on_joint import Unread


class Configured(Protocol):
    """A dataclass with the fields of an actuator in a configuration, for some joints."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def joints(self) -> tuple[str, ...]: ...
    @property
    def robots(self) -> tuple[str, ...]: ...
    def at(self, joint: str, /) -> Self: ...


class OnLine(Configured, Protocol):
    """One that stands on a line of a text."""

    @property
    def line(self) -> int: ...


C = TypeVar("C", bound=Configured)
L = TypeVar("L", bound=OnLine)


def for_joint(configured: C, joint: str, absent: Callable[[str], float | None] | None = None) -> C:
    """The same actuator for one joint: of each dictionary, the number whose pattern fits the whole name.

    Where none fits, it is `absent(name of the field)`; without that, an error.
    """
    if not any(fits(pattern, joint) for pattern in configured.joints):
        raise ParameterError(f"at({joint!r}): the actuator has the joints {', '.join(configured.joints)}")
    picked = {}
    for name, value in tables_of(configured).items():
        fitting = [number for pattern, number in value.items() if pattern == joint]
        fitting = fitting or [number for pattern, number in value.items() if fits(pattern, joint)]
        if not fitting and absent is not None and absent(name) is not None:
            fitting = [absent(name)]
        if len(fitting) != 1:
            many = "no pattern fits" if not fitting else "several patterns fit"
            raise ParameterError(f"at({joint!r}): {name} = {value}: {many}")
        picked[name] = fitting[0]
    return replace(configured, joints=(joint,), **picked)


def tables_of(configured: Configured) -> dict[str, dict[str, float]]:
    """The fields of an actuator that have one number per pattern of joint names."""
    values = {entry.name: getattr(configured, entry.name) for entry in fields(configured)}
    return {name: value for name, value in values.items() if isinstance(value, dict) and name != "network"}


def by_pattern(configured: L) -> list[L]:
    """The same actuator for each pattern of joints with different numbers, the pattern as the joint's name."""
    tables = list(tables_of(configured).values())
    rows = patterns_of(configured.joints, tables)
    if not rows:
        raise ParameterError(
            f"line {configured.line}: no pattern of joint names fits all of its dictionaries: give joint="
        )
    if not tables:
        return [replace(configured, joints=(pattern,)) for pattern, _ in rows]
    return [replace(configured.at(name), joints=(pattern,)) for pattern, name in rows]


def one_of(found: Sequence[C | Unread], joint: str | None, file: str) -> C:
    """The one actuator of a text, or the one for a joint; raise ParameterError unless exactly one fits.

    `joint` may name the robot as well, as in "FRANKA_PANDA_CFG/panda_joint1". What cannot be read is passed over, but
    for the joint that is asked for.
    """
    robots = {name for each in found for name in getattr(each, "robots", ())}
    robot, _, name = (joint or "").partition("/")
    if joint is None or robot not in robots:
        robot, name = "", joint or ""
    rows = [each for each in found if not robot or robot in getattr(each, "robots", ())]
    good = [each for each in rows if not isinstance(each, Unread)]
    if joint is not None:
        good = [each for each in good if any(fits(pattern, name) for pattern in each.joints)]
    if len(good) == 1:
        return good[0] if joint is None else for_joint(good[0], name)
    for row in rows if not good else ():
        if not isinstance(row, Unread):
            continue
        named = joint is not None and any(_fits_quietly(pattern, name) for pattern in row.name.split(", "))
        if named or len(rows) == 1:
            raise ParameterError(row.why)
    shown = "; ".join(dict.fromkeys(_label(each) for each in found))
    which = "give joint=" if joint is None else f"joint = {joint!r} fits {len(good)} of them"
    if len(good) > 1 and joint is not None and not robot:
        named = ", ".join(dict.fromkeys(name for each in good for name in each.robots))
        which += f": put the robot before it, as in joint={good[0].robots[0]}/{name}, of {named}" if named else ""
    raise ParameterError(f"{file or 'text'}: it has {len(found)} actuators, for the joints {shown}: {which}")


def _label(each: Configured | Unread) -> str:
    return f"{each.name} (not read)" if isinstance(each, Unread) else ", ".join(each.joints)


def single_number(configured: Configured, name: str) -> float:
    """A number of an actuator for one joint; 0 where it has none."""
    value = getattr(configured, name)
    if isinstance(value, dict):
        raise ParameterError(f"{name} = {value}: one number per pattern; give joint=")
    return 0.0 if value is None else float(value)


def _fits_quietly(pattern: str, joint: str) -> bool:
    try:
        return fits(pattern, joint)
    except ParameterError:
        return False
