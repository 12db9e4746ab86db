"""The actuators that a MuJoCo model already has, as a backemf actuator set, with a row for each that cannot be."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from ...actuator import Actuator
from ...errors import ParameterError
from ...robot.actuator_set import ActuatorSet
from ..loss import Loss
from ..mujoco_types import ModelSource
from ..on_joint import OnJoint, Unread
from .imported import read_actuators
from .kinds import ModelActuator, actuators_of
from .reading import installed_version
from .stripped import compiled_source


class WrappedSet(ActuatorSet):
    """Actuators of a model's joints, and those of the model that stay unchanged."""

    def __init__(
        self,
        joints: Sequence[str],
        actuators: Mapping[str, Actuator],
        unread: Sequence[Unread],
        losses: Mapping[str, tuple[Loss, ...]],
    ):
        super().__init__(joints, actuators)
        self.unread: tuple[Unread, ...] = tuple(unread)
        """What stays unchanged in the model, each with the reason: tendons, muscles, two actuators on a joint."""
        self.losses: dict[str, tuple[Loss, ...]] = dict(losses)
        """What the actuator does not represent of the model, by joint; joints that lose nothing are left out."""


def wrap(model: ModelSource, joints: str | Sequence[str] | None = None) -> WrappedSet:
    """The actuators of a model, one per joint: an `MjModel`, a path to an MJCF file, or its text.

    A `<motor>` becomes `Torque`, a `<position>` `IdealPd`, a `<velocity>` `TorquePid`, a `<dcmotor>` its motor with its
    controller. Each takes the targets that MuJoCo's takes and refuses others. Commands are at the joint: positions in
    rad, velocities in rad/s, efforts in N·m, with MuJoCo's gear already applied. `joints` are patterns (regular
    expressions that match a whole name) of the joints to wrap, all if left out. What cannot be wrapped stays unchanged
    in the model, with a row in `unread`. The joints are in the model's order.
    """
    mujoco, compiled, *_ = compiled_source(model)
    actuators = actuators_of(mujoco, compiled)
    wanted = select(actuators, joints)
    rows = read_actuators(model, version=installed_version() or "4.0")
    found: dict[str, OnJoint] = {}
    unread: list[Unread] = []
    for actuator in wanted:
        row = rows[actuator.index]
        problem = None if isinstance(row, Unread) else reason_to_leave(actuator, actuators)
        if problem is not None:
            row = Unread(name=actuator.label, kind=actuator.kind, why=problem)
        if isinstance(row, Unread):
            unread.append(row)
        else:
            found[row.joint] = row
    if not found:
        reasons = "; ".join(str(row) for row in unread[:3]) or "it has no actuators"
        raise ParameterError(f"wrap: no actuator of the model can be wrapped: {reasons}")
    order = sorted(found, key=lambda joint: compiled.joint(joint).id)
    return WrappedSet(
        order,
        {re.escape(joint): found[joint].actuator for joint in order},
        unread,
        {joint: found[joint].losses for joint in order if found[joint].losses},
    )


def select(actuators: list[ModelActuator], joints: str | Sequence[str] | None) -> list[ModelActuator]:
    """The actuators of the joints that patterns match; all without a pattern."""
    if joints is None:
        return actuators
    patterns = (joints,) if isinstance(joints, str) else joints
    if not isinstance(patterns, (list, tuple)) or not patterns:
        raise ParameterError(f"joints = {joints!r}: must be patterns of joint names, such as '.*_knee'")
    known = list(dict.fromkeys(each.joint_name for each in actuators if each.joint_name))
    hits: set[str] = set()
    for pattern in patterns:
        try:
            matched = {joint for joint in known if re.fullmatch(pattern, joint)}
        except (re.error, TypeError) as error:
            raise ParameterError(f"joints: {pattern!r} is not a regular expression ({error})") from None
        if not matched:
            there = ", ".join(known) or "none"
            raise ParameterError(f"joints: {pattern!r} matches no joint that an actuator drives; there are {there}")
        hits |= matched
    return [each for each in actuators if each.joint_name in hits]


def reason_to_leave(actuator: ModelActuator, every: list[ModelActuator]) -> str | None:
    """Why an actuator that can be read stays unchanged in the model; None where it is wrapped."""
    joint, label = actuator.joint_name, actuator.label
    if not joint:
        return f"actuator {label!r} drives a joint without a name: name it in the model"
    others = [each.label for each in every if each.joint_name == joint and each.index != actuator.index]
    if others:
        return (
            f"joint {joint!r} has {len(others) + 1} actuators, {label!r} beside {', '.join(map(repr, others))}, and a "
            "motor replaces one: remove the others"
        )
    if actuator.model.actuator_actadr[actuator.index] >= 0 and not actuator.is_type("gain", "dcmotor"):
        return (
            f"actuator {label!r} on joint {joint!r} has its own states, which no backemf motor represents: give the "
            "joint an Actuator yourself"
        )
    return None
