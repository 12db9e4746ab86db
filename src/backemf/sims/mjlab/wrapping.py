"""The actuators that a robot already has, as `MotorActuatorCfg`s: one for all joints that are alike."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from ...errors import ParameterError
from ...robot.actuator_set import ActuatorSet
from ..joint_patterns import fits
from ..loss import Loss
from ..on_joint import OnJoint, Unread
from ..room import Source
from ..types import Field, Fields

if TYPE_CHECKING:
    from .plugin import MotorActuatorCfg


Wrappable: TypeAlias = ActuatorSet | Sequence[OnJoint | Unread] | Source
"""Actuators that were read from a model, or a configuration of mjlab."""


@dataclass(frozen=True)
class Wrapped:
    """The actuators of a model inside mjlab, and those that are not."""

    actuators: tuple[MotorActuatorCfg, ...]
    """For `EntityArticulationInfoCfg(actuators=...)`; each takes the place of what its joints have."""
    unread: tuple[Unread, ...] = ()
    """What stays as it is, each with the reason: tendons, muscles, two actuators on a joint."""
    losses: Mapping[str, tuple[Loss, ...]] = field(default_factory=dict)
    """What reading them lost, by joint; joints of which nothing was lost are left out."""


def wrap(actuators: Wrappable, joints: str | Sequence[str] | None = None, **fields: Field) -> Wrapped:
    """Configs for the actuators that a robot already has: those of its XML, or those of mjlab.

        mjlab.wrap(mujoco.read_actuators(spec.compile(), version="3.11"))
        mjlab.wrap(get_go1_robot_cfg())

    Args:
        actuators: What `mujoco.read_actuators` or `mujoco.wrap` found in a model; or a configuration of mjlab, as
            `read_actuators` takes it: a robot, some actuators, a text or a file.
        joints: Patterns (regular expressions that match a whole name) of the joints of a model that are meant; None:
            all.
        fields: Fields of every `MotorActuatorCfg`, such as eager=True. For a model `existing` is "replace" unless
            given, since the configs stand for what is there.
    """
    rows, exact = rows_of(actuators)
    if joints is not None and not exact:
        raise ParameterError(
            f"joints = {joints!r}: a configuration of mjlab names its joints by its own patterns; leave joints out, or "
            "give some of its actuators"
        )
    wanted = select_rows(rows, joints)
    names = [row.joint for row in wanted if isinstance(row, OnJoint)]
    unread: list[Unread] = []
    groups: list[tuple[Fields, list[str]]] = []
    for row in wanted:
        if isinstance(row, Unread):
            unread.append(row)
            continue
        try:
            values = {**values_of(row, names.count(row.joint) if exact else 1), **fields}
            config(values, [row.joint], exact)
        except ParameterError as error:
            kind = type(row.actuator.controller).__name__
            unread.append(Unread(name=row.joint, kind=kind, why=f"joint {row.joint!r}: {error}"))
            continue
        like = next((its for known, its in groups if alike(known, values)), None)
        if like is None:
            groups.append((values, [row.joint]))
        else:
            like.append(row.joint)
    if not groups:
        reasons = "; ".join(str(row) for row in unread[:2]) or "there are none"
        raise ParameterError(f"wrap: no actuator can be wrapped: {reasons}")
    done = {joint for _, its in groups for joint in its}
    losses = {row.joint: row.losses for row in wanted if isinstance(row, OnJoint) and row.joint in done and row.losses}
    return Wrapped(tuple(config(values, its, exact) for values, its in groups), tuple(unread), losses)


def config(values: Fields, joints: list[str], exact: bool) -> MotorActuatorCfg:
    """One config for joints that are alike, whose names are exact, or patterns as mjlab's configs have them."""
    from .plugin import MotorActuatorCfg

    names = [re.escape(joint) for joint in joints] if exact else [x for joint in joints for x in joint.split(", ")]
    existing = {"existing": "replace"} if exact else {}
    return MotorActuatorCfg(**{**existing, **values, "target_names_expr": tuple(names)})


def alike(first: Fields, second: Fields) -> bool:
    """Whether two joints have the same config; arrays, which differ between joints, are not compared."""
    try:
        return bool(first == second)
    except ValueError:
        return False


def rows_of(actuators: Wrappable) -> tuple[list[OnJoint | Unread], bool]:
    """What there is, one row each, and whether the rows have names of joints rather than patterns."""
    if isinstance(actuators, ActuatorSet):
        # a set that was made from a model knows what it leaves out and what was lost
        losses = getattr(actuators, "losses", {})
        rows = [OnJoint(actuator=actuators[name], joint=name, losses=losses.get(name, ())) for name in actuators.joints]
        return [*rows, *getattr(actuators, "unread", ())], True
    if isinstance(actuators, (list, tuple)) and all(isinstance(row, (OnJoint, Unread)) for row in actuators):
        return list(actuators), True
    from .reading import read_actuators

    return read_actuators(actuators), False


def select_rows(rows: list[OnJoint | Unread], joints: str | Sequence[str] | None) -> list[OnJoint | Unread]:
    """The rows of the joints that are meant; what was not read has no joint and stays."""
    if joints is None:
        return rows
    patterns = (joints,) if isinstance(joints, str) else tuple(joints)
    known = list(dict.fromkeys(row.joint for row in rows if isinstance(row, OnJoint)))
    hits: set[str] = set()
    for pattern in patterns:
        if not isinstance(pattern, str):
            raise ParameterError(f"joints = {joints!r}: must be patterns of joint names, such as '.*_knee'")
        found = {joint for joint in known if fits(pattern, joint)}
        if not found:
            raise ParameterError(f"joints: {pattern!r} matches no joint; there are {', '.join(known) or 'none'}")
        hits |= found
    return [row for row in rows if isinstance(row, Unread) or row.joint in hits]


def values_of(row: OnJoint, count: int) -> Fields:
    """Fields of the config of one joint; raises ParameterError if it cannot have one."""
    if not row.joint:
        raise ParameterError("it has no name, and mjlab finds joints by name; name it in the model")
    if count > 1:
        raise ParameterError(f"{count} actuators drive it, and a motor stands for one; leave one of them")
    # inertia goes with the rotor where there is one, friction is that of the joint's bearings
    alone = replace(row, coulomb=0.0, stiction=None, viscous=0.0)
    values = {"armature": row.armature} if row.actuator.motor is None else {}
    values |= {"frictionloss": row.coulomb, "viscous_damping": row.viscous}
    return {"actuator": alone.fold(), **{name: value for name, value in values.items() if value > 0.0}}
