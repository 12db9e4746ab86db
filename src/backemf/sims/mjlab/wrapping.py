"""The actuators that a robot's model has already, as configs of our plug-in: one for the joints that are alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ...actuator.robot import ActuatorSet
from ...errors import ParameterError
from ..loss import Loss
from ..on_joint import OnJoint, Unread

if TYPE_CHECKING:
    from .plugin import MotorActuatorCfg


@dataclass(frozen=True)
class Wrapped:
    """The actuators of a model inside mjlab, and those that are not."""

    actuators: tuple[MotorActuatorCfg, ...]
    """For `EntityArticulationInfoCfg(actuators=...)`; each takes the place of what the model has on its joints."""
    unread: tuple[Unread, ...] = ()
    """What stays as it is in the model, each with the reason: tendons, muscles, two actuators on a joint."""
    losses: Mapping[str, tuple[Loss, ...]] = field(default_factory=dict)
    """What reading the model lost, by joint; joints of which nothing was lost are left out."""


def wrap(
    actuators: ActuatorSet | Iterable[OnJoint | Unread], joints: str | Sequence[str] | None = None, **fields: Any
) -> Wrapped:
    """Configs for the actuators of a model, as MuJoCo's room reads them.

        found = mujoco.read_actuators(spec.compile(), version="3.11")
        robot = EntityArticulationInfoCfg(actuators=mjlab.wrap(found).actuators)

    Args:
        actuators: What `mujoco.read_actuators` or `mujoco.wrap` found in the model.
        joints: Patterns (regular expressions that match a whole name) of the joints that are meant; None: all.
        fields: Fields of every `MotorActuatorCfg`, such as eager=True; `existing` is "replace" unless given.
    """
    rows = rows_of(actuators)
    wanted = chosen(rows, joints)
    names = [row.joint for row in wanted if isinstance(row, OnJoint)]
    unread: list[Unread] = []
    groups: list[tuple[dict[str, Any], list[str]]] = []
    for row in wanted:
        if isinstance(row, Unread):
            unread.append(row)
            continue
        try:
            values = values_of(row, names.count(row.joint)) | fields
            config(values, [row.joint])
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
        reasons = "; ".join(str(row) for row in unread[:2]) or "it has no actuators"
        raise ParameterError(f"wrap: no actuator of the model can be wrapped: {reasons}")
    done = {joint for _, its in groups for joint in its}
    losses = {row.joint: row.losses for row in wanted if isinstance(row, OnJoint) and row.joint in done and row.losses}
    return Wrapped(tuple(config(values, its) for values, its in groups), tuple(unread), losses)


def config(values: dict[str, Any], joints: list[str]) -> MotorActuatorCfg:
    """One config for joints that are alike."""
    from .plugin import MotorActuatorCfg

    names = tuple(re.escape(joint) for joint in joints)
    return MotorActuatorCfg(**{"existing": "replace", **values, "target_names_expr": names})


def alike(first: dict[str, Any], second: dict[str, Any]) -> bool:
    """Whether two joints have the same config; arrays, which differ between joints, are not compared."""
    try:
        return bool(first == second)
    except ValueError:
        return False


def rows_of(actuators: Any) -> list[OnJoint | Unread]:
    """What was found, one row each; raises one sentence for anything else."""
    if isinstance(actuators, ActuatorSet):
        return [OnJoint(actuator=actuators[joint], joint=joint) for joint in actuators.joints]
    rows = list(actuators) if isinstance(actuators, (list, tuple)) else None
    if rows is None or not all(isinstance(row, (OnJoint, Unread)) for row in rows):
        raise ParameterError(
            f"wrap({type(actuators).__name__}(...)): give what mujoco.read_actuators or mujoco.wrap finds in the model"
        )
    return rows


def chosen(rows: list[OnJoint | Unread], joints: str | Sequence[str] | None) -> list[OnJoint | Unread]:
    """The rows of the joints that are meant; what was not read has no joint and stays."""
    if joints is None:
        return rows
    patterns = (joints,) if isinstance(joints, str) else tuple(joints)
    known = list(dict.fromkeys(row.joint for row in rows if isinstance(row, OnJoint)))
    hits: set[str] = set()
    for pattern in patterns:
        try:
            found = {joint for joint in known if re.fullmatch(pattern, joint)}
        except (re.error, TypeError) as error:
            raise ParameterError(f"joints: {pattern!r} is not a regular expression ({error})") from None
        if not found:
            raise ParameterError(f"joints: {pattern!r} matches no joint; there are {', '.join(known) or 'none'}")
        hits |= found
    return [row for row in rows if isinstance(row, Unread) or row.joint in hits]


def values_of(row: OnJoint, count: int) -> dict[str, Any]:
    """Fields of the config of one joint; raises one sentence where it cannot have one."""
    if not row.joint:
        raise ParameterError("it has no name, and mjlab finds joints by name; name it in the model")
    if count > 1:
        raise ParameterError(f"{count} actuators drive it, and a motor stands for one; leave one of them")
    # inertia goes with the rotor where there is one, friction is that of the joint's bearings
    alone = replace(row, coulomb=0.0, stiction=None, viscous=0.0)
    values = {"armature": row.armature} if row.actuator.motor is None else {}
    values |= {"frictionloss": row.coulomb, "viscous_damping": row.viscous}
    return {"actuator": alone.folded(), **{name: value for name, value in values.items() if value > 0.0}}
