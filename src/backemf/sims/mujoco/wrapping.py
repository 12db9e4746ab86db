"""The actuators that a MuJoCo model already has, as a set of ours: what can be, with a row for what cannot."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ...actuator import Actuator
from ...errors import ParameterError
from ...robot.actuator_set import ActuatorSet
from ..loss import Loss
from ..on_joint import OnJoint, Unread
from .imported import read_actuators
from .kinds import kind_of
from .reading import installed_version
from .stripped import compiled_model


class WrappedSet(ActuatorSet):
    """Actuators of a model's joints, and those of the model that stay as they are."""

    def __init__(
        self,
        joints: Sequence[str],
        actuators: Mapping[str, Actuator],
        unread: Sequence[Unread],
        losses: Mapping[str, Any],
    ):
        super().__init__(joints, actuators)
        self.unread: tuple[Unread, ...] = tuple(unread)
        """What is left as it is in the model, each with the reason: tendons, muscles, two actuators on a joint."""
        self.losses: dict[str, tuple[Loss, ...]] = dict(losses)
        """What the model says and the actuator does not, by joint; joints that lose nothing are left out."""


def wrap(model: Any, joints: str | Sequence[str] | None = None) -> WrappedSet:
    """The actuators of a model, one per joint: an `MjModel`, a path to an MJCF file, or its text.

    A `<motor>` becomes `Torque`, a `<position>` `IdealPd`, a `<velocity>` `TorquePid`, a `<dcmotor>` its motor with its
    controller. Each takes the targets that MuJoCo's takes and refuses others. Commands are at the joint: positions in
    rad, velocities in rad/s, efforts in N·m, with MuJoCo's gear already applied. `joints` are patterns (regular
    expressions that match a whole name) of the joints that are meant, all if left out. What cannot be wrapped stays as
    it is in the model, with a row in `unread`. The joints are in the model's order.
    """
    mujoco, compiled = compiled_model(model)
    driven = {index: joint_of(mujoco, compiled, index) for index in range(len(compiled.actuator_trntype))}
    wanted = meant(driven, joints)
    rows = read_actuators(model, version=installed_version() or "4.0")
    found: dict[str, OnJoint] = {}
    unread: list[Unread] = []
    for index in wanted:
        row = rows[index]
        problem = None if isinstance(row, Unread) else reason_to_leave(mujoco, compiled, index, driven)
        if problem is not None:
            row = Unread(name=named(compiled, index), kind=kind_of(mujoco, compiled, index), why=problem)
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


def joint_of(mujoco: Any, model: Any, index: int) -> str | None:
    """Name of the joint that an actuator drives by itself; None where it drives something else."""
    kinds = (int(mujoco.mjtTrn.mjTRN_JOINT), int(mujoco.mjtTrn.mjTRN_JOINTINPARENT))
    if int(model.actuator_trntype[index]) not in kinds:
        return None
    return str(model.joint(int(model.actuator_trnid[index, 0])).name)


def meant(driven: dict[int, str | None], joints: Any) -> list[int]:
    """The actuators of the joints that patterns match; all without a pattern."""
    if joints is None:
        return list(driven)
    patterns = (joints,) if isinstance(joints, str) else joints
    if not isinstance(patterns, (list, tuple)) or not patterns:
        raise ParameterError(f"joints = {joints!r}: must be patterns of joint names, such as '.*_knee'")
    known = list(dict.fromkeys(joint for joint in driven.values() if joint))
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
    return [index for index, joint in driven.items() if joint in hits]


def named(model: Any, index: int) -> str:
    """Name of an actuator, or its number."""
    return model.actuator(index).name or f"number {index}"


def reason_to_leave(mujoco: Any, model: Any, index: int, driven: dict[int, str | None]) -> str | None:
    """Why an actuator that can be read is left as it is in the model; None where it is not."""
    joint, name = driven[index], named(model, index)
    if not joint:
        return f"actuator {name!r} drives a joint without a name: name it in the model"
    others = [i for i, its in driven.items() if its == joint and i != index]
    if others:
        names = ", ".join(repr(named(model, i)) for i in others)
        return (
            f"joint {joint!r} has {len(others) + 1} actuators, {name!r} beside {names}, and a motor stands for one: "
            "leave one of them"
        )
    own_motor = model.actuator_gaintype[index] == int(mujoco.mjtGain.mjGAIN_DCMOTOR)
    if model.actuator_actadr[index] >= 0 and not own_motor:
        return (
            f"actuator {name!r} on joint {joint!r} has states of its own, which no motor of ours stands for: give the "
            "joint an Actuator yourself"
        )
    return None
