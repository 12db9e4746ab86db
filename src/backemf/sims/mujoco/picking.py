"""Which actuator of a model is selected."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ...errors import ParameterError

MOST = 24
"""Names that an error lists at most."""


def pick(
    names: Sequence[str | None], joints: Sequence[str | None], joint: str | None, actuator: str | int | None
) -> int:
    """Number of the selected actuator; raise ParameterError unless exactly one fits."""
    if not names:
        raise ParameterError("the model has no actuators: nothing to read")
    if isinstance(actuator, int) and not isinstance(actuator, bool):
        found = [actuator] if 0 <= actuator < len(names) else []
    else:
        found = [i for i, name in enumerate(names) if actuator is None or (name or None) == actuator]
    if not found:
        there = list_names(name or number for number, name in enumerate(names))
        raise ParameterError(f"actuator = {actuator!r}: the model has no such actuator; it has {there}")
    if joint is not None:
        found = [i for i in found if joints[i] == joint]
        if not found:
            raise ParameterError(f"joint = {joint!r}: no actuator drives it; driven are {list_joints(joints)}")
    if len(found) == 1:
        return found[0]
    if joint is None and len({joints[i] for i in found}) > 1:
        what = f"actuator = {actuator!r}" if actuator is not None else "the model"
        there = list_joints([joints[i] for i in found])
        raise ParameterError(f"{what}: {len(found)} actuators fit; give joint=, one of {there}")
    if actuator is not None:
        raise ParameterError(f"actuator = {actuator!r}: {len(found)} actuators have that name; give the number of one")
    several = list_names(names[i] or i for i in found)
    raise ParameterError(
        f"joint = {joints[found[0]]!r}: {len(found)} actuators fit, {several}; select one with actuator="
    )


def pick_motor(names: Sequence[str | None], motors: Sequence[bool], actuator: str | int | None) -> int:
    """Number of the selected dcmotor, of actuators that are `motors` or not; raise ParameterError if there is none."""
    numbers = [number for number, is_motor in enumerate(motors) if is_motor]
    known = list_names(names[number] or number for number in numbers) or "none"
    if actuator is None:
        if len(numbers) != 1:
            raise ParameterError(f"the model has {len(numbers)} dcmotors ({known}): select one with actuator=")
        return numbers[0]
    found = pick(names, [None] * len(names), None, actuator)
    if not motors[found]:
        raise ParameterError(
            f"actuator = {actuator!r} is not a dcmotor: its gain, bias and dynamics must all be; the dcmotors are "
            f"{known}"
        )
    return found


def list_joints(joints: Sequence[str | None]) -> str:
    """Joints that have an actuator, each once."""
    return list_names(joint for joint in dict.fromkeys(joints) if joint) or "no joints with a name"


def list_names(names: Iterable[str | int]) -> str:
    """Names and numbers, as many as an error has room for."""
    shown = [repr(name) for name in names]
    more = f" and {len(shown) - MOST} more" if len(shown) > MOST else ""
    return ", ".join(shown[:MOST]) + more
