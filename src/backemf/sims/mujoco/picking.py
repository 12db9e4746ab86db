"""Which actuator of a model is meant."""

from __future__ import annotations

from ...errors import ParameterError

MOST = 24
"""Names that an error lists."""


def picked(names: list[str | None], joints: list[str | None], joint: str | None, actuator: str | int | None) -> int:
    """Number of the actuator that is meant; raises one sentence where it is not clear which."""
    if not names:
        raise ParameterError("the model has no actuators: nothing to read")
    if isinstance(actuator, int) and not isinstance(actuator, bool):
        found = [actuator] if 0 <= actuator < len(names) else []
    else:
        found = [i for i, name in enumerate(names) if actuator is None or (name or None) == actuator]
    if not found:
        raise ParameterError(
            f"actuator = {actuator!r}: the model has no such actuator; it has {listed(range(len(names)), names)}"
        )
    if joint is not None:
        found = [i for i in found if joints[i] == joint]
        if not found:
            raise ParameterError(f"joint = {joint!r}: no actuator drives it; driven are {driven(joints)}")
    if len(found) == 1:
        return found[0]
    several = listed(found, names)
    if joint is None and len({joints[i] for i in found}) > 1:
        what = f"actuator = {actuator!r}" if actuator is not None else "the model"
        raise ParameterError(
            f"{what}: {len(found)} actuators fit; give joint=, one of {driven([joints[i] for i in found])}"
        )
    what = f"joint = {joints[found[0]]!r}" if actuator is None else f"actuator = {actuator!r}"
    raise ParameterError(f"{what}: {len(found)} actuators fit, {several}; say which with actuator=")


def listed(numbers: range | list[int], names: list[str | None]) -> str:
    """Actuators by their names, or their numbers where they have none."""
    return shortened([repr(names[number] or number) for number in numbers])


def driven(joints: list[str | None]) -> str:
    """Joints that have an actuator, each once."""
    return shortened([repr(joint) for joint in dict.fromkeys(joints) if joint]) or "no joints with a name"


def shortened(words: list[str]) -> str:
    """A list that fits in a sentence."""
    more = f" and {len(words) - MOST} more" if len(words) > MOST else ""
    return ", ".join(words[:MOST]) + more
