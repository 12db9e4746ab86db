"""Drives of a stage as backemf actuators: every joint with a `PhysicsDriveAPI` is read, or a row says why not.

A drive listens to a position and a velocity target, and to efforts applied at the joint, which PhysX counts within the
drive's own limits. Other numbers of the stage, such as targets or a velocity limit of the joint, are in
`beside`, where `write` finds them again, and each has a row in `losses`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace

from ...actuator import Actuator
from ...actuator.controllers import IdealPd
from ...actuator.torque_limits import EffortLimit
from ...errors import ParameterError
from ..loss import APPROXIMATED, DROPPED, UNKNOWN, Loss
from ..on_joint import OnJoint, Unread
from ..usd import applied_schemas, open_stage
from ..usd_types import Prim, Stage, StageSource
from .about import ABOUT
from .drives import DRIVE, INSTANCES, JOINTS, LINEAR, JointAxis, UsdDrive, drive_of, prims, says, values

OLDER = {
    "armature": ("armature", 1, -1, 0.0),
    "maxJointVelocity": ("max_joint_velocity", 0, 1, float("inf")),
    "jointFriction": ("friction_coefficient", 0, 0, 0.0),
}
"""`PhysxJointAPI` of PhysX before 5.12, for all axes of a joint at once."""
UNBOUNDED = 1e6
"""What `PhysxJointAPI` has for no limit of the joint's velocity, in its own unit."""
SEEDS = ("armature", "friction", "damping", "velocityLimit")
"""Attributes of Newton that newer PhysX takes where a joint's axis says nothing."""


def read_actuators(stage: StageSource, *, version: str | None = None) -> list[OnJoint | Unread]:
    """Every drive of a stage, file or text, in the order of the stage: as an actuator, or why it is not one.

    A joint is named by its path, and an axis that is not the angular one stands behind it, such as /World/ball:rotX.
    """
    ABOUT.require_version(version)
    opened = open_stage(stage)
    place = f"{stage}, " if isinstance(stage, os.PathLike) or (isinstance(stage, str) and "\n" not in stage) else ""
    return [row for prim in prims(opened) for row in _rows(opened, prim, place)]


def read_actuator(
    stage: StageSource, joint: str | None = None, instance: str | None = None, *, version: str | None = None
) -> OnJoint:
    """The drive of a joint in a stage, file or text, as an actuator without a motor.

    `joint` is the joint's path or name, with an axis behind a colon where it has several drives, or `instance` says
    the axis; None: the only drive of the stage.
    """
    rows = read_actuators(stage, version=version)
    name, _, axis = (joint or "").partition(":")
    fitting = [
        row
        for row in rows
        if (not name or name in (_path(row), _path(row).rpartition("/")[2]))
        and all(wanted in (None, "", _axis(row)) for wanted in (axis, instance))
    ]
    if len(fitting) == 1:
        if isinstance(fitting[0], Unread):
            raise ParameterError(fitting[0].why)
        return fitting[0]
    shown = ", ".join(_name(row) for row in (fitting or rows)[:8])
    what = "" if joint is None else f" {joint!r}" + (f" with a drive {instance}" if instance else "")
    if not rows:
        raise ParameterError("the stage has no joint with a drive" + what)
    if not fitting:
        raise ParameterError(f"the stage has no joint with a drive{what}: give joint=, one of {shown}")
    raise ParameterError(f"the stage has {len(fitting)} joints it could be: give joint=, one of {shown}")


def _name(row: OnJoint | Unread) -> str:
    return row.joint if isinstance(row, OnJoint) else row.name


def _path(row: OnJoint | Unread) -> str:
    return _name(row).partition(":")[0]


def _axis(row: OnJoint | Unread) -> str:
    return _name(row).partition(":")[2] or "angular"


# --- one prim


def _rows(stage: Stage, prim: Prim, place: str) -> Iterator[OnJoint | Unread]:
    """The drives of one prim."""
    names = [name.partition(":")[2] for name in applied_schemas(prim) if name.partition(":")[0] == DRIVE]
    for name in names:
        path = str(prim.GetPath())
        label = path if name == "angular" else f"{path}:{name}"
        try:
            _require_driven(prim, name)
            yield _on_joint(stage, prim, name, label, several=len(names) > 1)
        except ParameterError as wrong:
            yield Unread(label, f"{DRIVE}:{name}", place + str(wrong))
    numbers = {entry.GetName().split(":")[1] for entry in prim.GetAuthoredPropertiesInNamespace("drive")}
    for name in sorted(numbers - set(names)):
        label = f"{prim.GetPath()}" if name == "angular" else f"{prim.GetPath()}:{name}"
        why = f"{prim.GetPath()} has drive:{name} without {DRIVE}:{name}: PhysX takes no notice of it; apply the schema"
        yield Unread(label, f"drive:{name}", place + why)


def _require_driven(prim: Prim, name: str) -> None:
    """Check that PhysX drives an axis; raise ParameterError if not."""
    path, kind = prim.GetPath(), str(prim.GetTypeName())
    enabled = prim.GetAttribute("physics:jointEnabled")
    if not prim.IsActive() or prim.IsAbstract():
        state = "inactive" if not prim.IsActive() else "a class, from which joints are made"
        raise ParameterError(f"{path} is {state}: there is no such joint in the simulation")
    if enabled and enabled.Get() is False:
        raise ParameterError(f"{path}.physics:jointEnabled = false: there is no such joint in the simulation")
    # an over without a type is laid over a joint of another file
    fitting = JOINTS.get(kind, () if kind else INSTANCES)
    if name in fitting:
        return
    if kind == "PhysicsJoint" and name in LINEAR:
        raise ParameterError(
            f"{path} has {DRIVE}:{name}: PhysX takes no notice of it in an articulation; make the joint a "
            f"PhysicsPrismaticJoint with {DRIVE}:linear"
        )
    has = ", ".join(f"{DRIVE}:{axis}" for axis in fitting) or "no drive"
    raise ParameterError(
        f"{path} has {DRIVE}:{name} on a {kind or 'prim without a type'}: PhysX takes no notice of it, and reads {has} "
        "there"
    )


def _on_joint(stage: Stage, prim: Prim, name: str, label: str, several: bool) -> OnJoint:
    """The drive of one axis as an actuator without a motor."""
    path, drive = prim.GetPath(), drive_of(prim, name)
    if drive.acceleration:
        raise ParameterError(
            f"{path}.drive:{name}:physics:type = 'acceleration': the drive's effort follows the inertia that PhysX "
            "finds, which the stage does not say; make it a force drive"
        )
    most = drive.max_effort if drive.envelope is None else drive.envelope.max_effort
    if most == 0.0:
        raise ParameterError(
            f"{path}.drive:{name}:physics:maxForce = 0: PhysX gives the drive no torque; raise it, or make it inf for "
            "no limit"
        )
    losses = [*_stage_losses(stage, prim, name, several)]
    drive = _standing_alone(prim, drive, losses)
    axis, losses_of_axis = _axis_of(prim, name, drive)
    losses += losses_of_axis
    if most is None and not prim.GetAttribute(f"drive:{name}:physics:maxForce").HasAuthoredValue():
        losses.append(Loss("effort limit", UNKNOWN, "The stage gives no maxForce: the drive's torque has no limit."))
    beside: dict[str, float] = {}
    for field, unit in (("position_target", _way(name)), ("velocity_target", f"{_way(name)}/s")):
        if value := float(getattr(drive, field)):
            beside[field] = value
            word = field.partition("_")[0]
            note = f"{value:.6g} {unit} is a command: give it as Command({word}=...)."
            losses.append(Loss(f"{word} target", DROPPED, note))
    if axis.max_joint_velocity is not None:
        beside["max_joint_velocity"] = float(axis.max_joint_velocity)
        note = f"PhysX limits the joint itself to {axis.max_joint_velocity:.6g} {_way(name)}/s; the actuator does not."
        losses.append(Loss("joint velocity limit", DROPPED, note))
    flat = () if drive.max_effort is None else (EffortLimit(effort_limit=drive.max_effort),)
    limits = flat if drive.envelope is None else (drive.envelope,)
    return OnJoint(
        actuator=Actuator(controller=IdealPd(stiffness=drive.stiffness, damping=drive.damping), limits=limits),
        joint=label,
        armature=float(axis.armature),
        coulomb=float(axis.dynamic_friction),
        stiction=float(axis.static_friction),
        viscous=float(axis.viscous_friction),
        beside=beside,
        losses=tuple(losses),
    )


def _way(name: str) -> str:
    return "m" if name in LINEAR else "rad"


def _stage_losses(stage: Stage, prim: Prim, name: str, several: bool) -> Iterator[Loss]:
    """What the stage leaves open, or has for the joint in addition to its drive."""
    if not says(stage, "metersPerUnit"):
        note = "The stage gives no metersPerUnit: its numbers are read as SI, where USD's own default is centimetres."
        yield Loss("units", UNKNOWN, note)
    if name in LINEAR:
        note = "The axis slides: forces in N and ways in m stand where a joint that turns has N·m and rad."
        yield Loss("units", APPROXIMATED, note)
    if several and name not in LINEAR:
        note = "PhysX takes the position error of several axes from a quaternion; here each axis stands for itself."
        yield Loss("position error", APPROXIMATED, note)
    for schema in applied_schemas(prim):
        if "Mimic" in schema:
            yield Loss("mimic joint", DROPPED, f"{schema} ties the joint to another one, and nothing does here.")
    for attribute in SEEDS:
        seed = prim.GetAttribute(f"newton:{attribute}")
        if seed and seed.HasAuthoredValue():
            note = f"newton:{attribute} = {seed.Get()}: newer PhysX takes it where the joint's axis says nothing."
            yield Loss(f"newton:{attribute}", UNKNOWN, note)


def _standing_alone(prim: Prim, drive: UsdDrive, losses: list[Loss]) -> UsdDrive:
    """The drive without what PhysX takes away from joints outside of an articulation."""
    alone = prim.GetAttribute("physics:excludeFromArticulation")
    if not alone or alone.Get() is not True or (drive.envelope is None and drive.axis is None):
        return drive
    note = "The joint is not in its articulation: PhysX takes no notice of its envelope, armature and friction."
    losses.append(Loss("articulation", DROPPED, note))
    most = drive.max_effort if drive.envelope is None else drive.envelope.max_effort
    return replace(drive, max_effort=most, envelope=None, axis=None)


def _axis_of(prim: Prim, name: str, drive: UsdDrive) -> tuple[JointAxis, list[Loss]]:
    """Armature, friction and velocity limit as PhysX has them, and what of them is not in the actuator."""
    axis, losses = drive.axis or JointAxis(), []
    older = values(prim, name, "physxJoint:", OLDER)
    armature, top = axis.armature, axis.max_joint_velocity
    written = [n for n in OLDER if (found := prim.GetAttribute(f"physxJoint:{n}")) and found.HasAuthoredValue()]
    if "armature" in written and not armature and older["armature"] > 0.0:
        armature = older["armature"]
        note = "physxJoint:armature is that of older PhysX; PhysX 5.12 takes physxJointAxis alone."
        losses.append(Loss("rotor inertia", APPROXIMATED, note))
    raw = prim.GetAttribute("physxJoint:maxJointVelocity").Get() if "maxJointVelocity" in written else UNBOUNDED
    if top is None and raw < UNBOUNDED:
        top = older["max_joint_velocity"]
    if older["friction_coefficient"]:
        note = (
            f"physxJoint:jointFriction = {older['friction_coefficient']:.6g} is a share of the force that the joint "
            "transmits, which the running simulation alone knows."
        )
        losses.append(Loss("dry friction", DROPPED, note))
    static, dynamic = float(axis.static_friction), float(axis.dynamic_friction)
    if dynamic and not static and not axis.viscous_friction:
        note = f"dynamicFrictionEffort = {dynamic:.6g} without static or viscous friction has no effect in PhysX."
        losses.append(Loss("dry friction", DROPPED, note))
        dynamic = 0.0
    # friction that stops a sliding joint also holds it at rest
    friction = {"static_friction": max(static, dynamic), "dynamic_friction": dynamic}
    return replace(axis, armature=armature, max_joint_velocity=top, **friction), losses
