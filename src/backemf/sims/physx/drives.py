"""Drives of joints in USD stages: UsdPhysics' drive, PhysX's performance envelope and joint axis, by name.

USD counts angles in degrees, everything here in radians; a stage in other units than metres and kilograms is converted.
The schemas of PhysX need not be installed: their names are written as they are, and PhysX reads them. A stage is a
`Usd.Stage`, the path of a file, or the text of a .usda file.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from pathlib import Path

from ...actuator.torque_limits import DriveEnvelope
from ...checks import Maybe, Number
from ...errors import ParameterError, errors_at
from ...parts import flag, number, one, part, word
from ..digits import round_digits
from ..joint import single
from ..types import Field, Fields
from ..usd import applied_schemas, open_stage, save, usd
from ..usd_types import Prim, Stage, StageSource
from .law import Envelope
from .solver import JointDrive

FLOAT_MAX = 3.4028234663852886e38
"""The largest number of a USD float, by which PhysX takes the place of inf."""
JOINTS = {
    "PhysicsRevoluteJoint": ("angular",),
    "PhysicsPrismaticJoint": ("linear",),
    "PhysicsJoint": ("rotX", "rotY", "rotZ"),
}
"""Joints that can have an envelope, and the instance names of their axes."""
INSTANCES = tuple(name for names in JOINTS.values() for name in names)
LINEAR = ("linear", "transX", "transY", "transZ", "distance")
"""Instance names of the axes along which a joint slides."""
UNITS = ("metersPerUnit", "kilogramsPerUnit")
DEGREE = math.pi / 180.0
DRIVE, ENVELOPE, AXIS = "PhysicsDriveAPI", "PhysxDrivePerformanceEnvelopeAPI", "PhysxJointAxisAPI"

Row = tuple[str, int, int, float]
"""Field, the powers of an effort and of a way in its unit, and the value where it is not given."""
_DRIVE: dict[str, Row] = {
    "stiffness": ("stiffness", 1, -1, 0.0),
    "damping": ("damping", 1, -1, 0.0),
    "targetPosition": ("position_target", 0, 1, 0.0),
    "targetVelocity": ("velocity_target", 0, 1, 0.0),
    "maxForce": ("max_effort", 1, 0, math.inf),
}
_ENVELOPE: dict[str, Row] = {
    "maxActuatorVelocity": ("max_actuator_velocity", 0, 1, math.inf),
    "velocityDependentResistance": ("velocity_dependent_resistance", 1, -1, 0.0),
    "speedEffortGradient": ("speed_effort_gradient", -1, 1, 0.0),
}
_AXIS: dict[str, Row] = {
    "armature": ("armature", 1, -1, 0.0),
    "maxJointVelocity": ("max_joint_velocity", 0, 1, math.inf),
    "staticFrictionEffort": ("static_friction", 1, 0, 0.0),
    "dynamicFrictionEffort": ("dynamic_friction", 1, 0, 0.0),
    "viscousFrictionCoefficient": ("viscous_friction", 1, -1, 0.0),
}


@part
class JointAxis:
    """`PhysxJointAxisAPI`: what belongs to the joint itself and acts outside the envelope."""

    armature: Number = number("kg·m²", default=0.0, least=0.0)
    """Inertia of the drive at the joint; of a linear joint its mass [kg]."""
    max_joint_velocity: Maybe = number("rad/s", default=None, above=0.0)
    """Largest velocity of the joint; None: no limit."""
    static_friction: Number = number("N·m", default=0.0, least=0.0)
    """Friction at rest."""
    dynamic_friction: Number = number("N·m", default=0.0, least=0.0)
    """Friction when sliding."""
    viscous_friction: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Friction per velocity."""


@part
class UsdDrive:
    """The drive of one axis of a joint in a USD stage; of a linear axis in N, m and their ratios."""

    instance: str = word(*INSTANCES, default="angular")
    """Axis: angular, linear, rotX, rotY or rotZ."""
    acceleration: bool = flag(default=False)
    """Whether the gains are accelerations per error, so that the inertia does not count."""
    stiffness: Number = number("N·m/rad", default=0.0, least=0.0)
    """Effort per position error."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Effort per velocity error."""
    position_target: Number = number("rad", default=0.0)
    """Position to hold."""
    velocity_target: Number = number("rad/s", default=0.0)
    """Velocity to hold."""
    max_effort: Maybe = number("N·m", default=None, least=0.0)
    """Largest effort; None: no limit, or with an envelope the envelope's."""
    envelope: DriveEnvelope | None = one(DriveEnvelope, default=None)
    """Performance envelope; None: the largest effort holds at any speed."""
    axis: JointAxis | None = one(JointAxis, default=None)
    """Properties of the joint's axis; None: the stage gives none."""

    def __post_init__(self) -> None:
        if self.envelope is not None and self.max_effort is not None:
            raise ParameterError("UsdDrive.max_effort together with an envelope: give DriveEnvelope.max_effort alone")

    def joint_drive(self, **solver: Field) -> JointDrive:
        """What PhysX computes with it on a joint of an articulation; `solver` are iterations and the like.

        A drive without an envelope has one that ends at its largest effort and at no speed. The armature is for the
        response of the joint.
        """
        if self.acceleration:
            raise ParameterError("UsdDrive.acceleration = True: the law is that of force drives")
        most = FLOAT_MAX if self.max_effort is None else self.max_effort
        limit = self.envelope or DriveEnvelope(max_effort=most, max_actuator_velocity=FLOAT_MAX)
        axis = self.axis or JointAxis()
        held = ("static_friction", "dynamic_friction", "viscous_friction", "max_joint_velocity")
        figures = {name: getattr(axis, name) for name in held}
        envelope = Envelope(limit=limit)
        return JointDrive(envelope=envelope, stiffness=self.stiffness, damping=self.damping, **figures, **solver)


def joints(stage: StageSource) -> list[str]:
    """Paths of all joints of a stage that have a drive."""
    opened = open_stage(stage)
    return [str(prim.GetPath()) for prim in drives_of(opened)]


def read_drive(stage: StageSource, joint: str | None = None, instance: str | None = None) -> UsdDrive:
    """The drive of a joint, by its path or name; None: of the only one."""
    opened = open_stage(stage)
    prim = _joint(opened, joint)
    applied = applied_schemas(prim)
    named = [name for name in INSTANCES if f"{DRIVE}:{name}" in applied]
    if instance is not None:
        named = [name for name in named if name == instance]
    if len(named) != 1:
        shown = ", ".join(name for name in applied if name.startswith(DRIVE)) or f"no {DRIVE}"
        raise ParameterError(f"{prim.GetPath()} has {shown}: give instance=, one of {', '.join(INSTANCES)}")
    return drive_of(prim, named[0])


def drive_of(prim: Prim, name: str) -> UsdDrive:
    """The drive of one axis of a joint's prim."""
    applied = applied_schemas(prim)
    found = values(prim, name, f"drive:{name}:physics:", _DRIVE)
    envelope = axis = None
    with errors_at(prim.GetPath()):
        if f"{ENVELOPE}:{name}" in applied:
            figures = values(prim, name, f"physxDrivePerformanceEnvelope:{name}:", _ENVELOPE)
            figures["max_effort"] = found.pop("max_effort")
            # PhysX replaces inf by the largest float, so that no limit is still a number
            envelope = DriveEnvelope(**{key: FLOAT_MAX if x is None else x for key, x in figures.items()})
        if f"{AXIS}:{name}" in applied:
            axis = JointAxis(**values(prim, name, f"physxJointAxis:{name}:", _AXIS))
        kind = prim.GetAttribute(f"drive:{name}:physics:type")
        acceleration = bool(kind) and kind.Get() == "acceleration"
        return UsdDrive(instance=name, acceleration=acceleration, envelope=envelope, axis=axis, **found)


def author(drive: UsdDrive, stage: StageSource, joint: str) -> None:
    """Make a joint of a stage, or of a file, say what the drive says. A file is replaced as a whole or not at all."""
    opened = open_stage(stage, text=False)
    prim = _joint(opened, joint, with_drive=False)
    fitting = JOINTS.get(str(prim.GetTypeName()))
    if fitting is None or drive.instance not in fitting:
        raise ParameterError(
            f"{prim.GetPath()} is a {prim.GetTypeName() or 'prim without a type'}: an {drive.instance} drive needs a "
            + next(kind for kind, names in JOINTS.items() if drive.instance in names)
        )
    _author(prim, drive)
    if isinstance(stage, (str, os.PathLike)):
        save(opened, Path(stage))


def text(drive: UsdDrive, joint: str) -> str:
    """A .usda layer that says so over a joint at a path, to be laid over a robot's stage."""
    Sdf, Usd = usd("Sdf", "Usd")
    if not Sdf.Path.IsValidPathString(str(joint)) or not Sdf.Path(str(joint)).IsAbsoluteRootOrPrimPath():
        raise ParameterError(f"joint = {joint!r}: must be the path of a prim, such as /World/robot/knee")
    stage = Usd.Stage.CreateInMemory()
    for name in UNITS:
        stage.SetMetadata(name, 1.0)
    _author(stage.OverridePrim(str(joint)), drive)
    return stage.GetRootLayer().ExportToString()


# --- one joint


def _author(prim: Prim, drive: UsdDrive) -> None:
    name, envelope = drive.instance, drive.envelope
    effort = drive.max_effort if envelope is None else envelope.max_effort
    (Sdf,) = usd("Sdf")
    kind = prim.CreateAttribute(f"drive:{name}:physics:type", Sdf.ValueTypeNames.Token, False, Sdf.VariabilityUniform)
    kind.Set("acceleration" if drive.acceleration else "force")
    for schema, group, prefix, table in (
        (DRIVE, drive, f"drive:{name}:physics:", _DRIVE),
        (ENVELOPE, envelope, f"physxDrivePerformanceEnvelope:{name}:", _ENVELOPE),
        (AXIS, drive.axis, f"physxJointAxis:{name}:", _AXIS),
    ):
        if group is None:
            # what a file said before must not be left behind
            if f"{schema}:{name}" in applied_schemas(prim):
                prim.RemoveAppliedSchema(f"{schema}:{name}")
            for attribute in table:
                prim.RemoveProperty(prefix + attribute)
            continue
        prim.AddAppliedSchema(f"{schema}:{name}")
        for attribute, row in table.items():
            value = effort if row[0] == "max_effort" else getattr(group, row[0])
            known = math.inf if value is None else single(row[0], value)
            known = math.inf if known >= FLOAT_MAX else known / size_of(prim.GetStage(), name, row)
            prim.CreateAttribute(prefix + attribute, Sdf.ValueTypeNames.Float, False).Set(round_digits(known))


def values(prim: Prim, instance: str, prefix: str, table: dict[str, Row]) -> Fields:
    """Fields and values of a schema's attributes; None for no limit."""
    found: Fields = {}
    for attribute, row in table.items():
        field, missing = row[0], row[-1]
        there = prim.GetAttribute(prefix + attribute)
        value = there.Get() if there and there.HasValue() else missing
        moving = bool(there) and there.GetNumTimeSamples() > 0
        if moving or isinstance(value, bool) or not isinstance(value, (int, float)):
            shown = "has time samples" if moving else f"= {value!r}"
            raise ParameterError(f"{prim.GetPath()}.{prefix}{attribute} {shown}: must be one number")
        unlimited = missing == math.inf and value >= FLOAT_MAX
        if not unlimited and not math.isfinite(value):
            raise ParameterError(f"{prim.GetPath()}.{prefix}{attribute} = {value}: must be a finite number")
        found[field] = None if unlimited else value * size_of(prim.GetStage(), instance, row)
    return found


def size_of(stage: Stage, instance: str, row: Row) -> float:
    """What a number of a stage is multiplied by for SI units and radians."""
    metres, kilograms = (_unit(stage, name) for name in UNITS)
    field, efforts, ways, _ = row
    if instance in LINEAR:
        return (kilograms * metres) ** efforts * metres**ways
    # an inertia has no degrees in it
    way = 1.0 if field == "armature" else DEGREE
    return (kilograms * metres * metres) ** efforts * way**ways


def _unit(stage: Stage, name: str) -> float:
    """Size of a unit of a stage in SI; 1 where the stage does not say."""
    size = single(name, stage.GetMetadata(name)) if says(stage, name) else 1.0
    if not 1e-9 <= size <= 1e9:
        raise ParameterError(f"{name} = {size:g}: must be a size of metres or kilograms, such as 1 or 0.01")
    return size


def says(stage: Stage, unit: str) -> bool:
    """Whether a stage says how large its unit is."""
    return bool(stage.HasAuthoredMetadata(unit))


# --- stages


def prims(stage: Stage) -> Iterator[Prim]:
    """Every prim of a stage, in its order; those of instances too."""
    (Usd,) = usd("Usd")
    yield from Usd.PrimRange.Stage(stage, Usd.TraverseInstanceProxies(Usd.PrimAllPrimsPredicate))


def drives_of(stage: Stage) -> Iterator[Prim]:
    """Every prim of a stage with a drive."""
    for prim in prims(stage):
        if any(name.partition(":")[0] == DRIVE for name in applied_schemas(prim)):
            yield prim


def _joint(stage: Stage, joint: str | None, with_drive: bool = True) -> Prim:
    """The prim of a joint, by path or name."""
    found = list(drives_of(stage)) if with_drive else [p for p in stage.TraverseAll() if str(p.GetTypeName()) in JOINTS]
    if joint is not None:
        found = [prim for prim in found if joint in (str(prim.GetPath()), prim.GetName())]
        if not found and str(joint).startswith("/") and not with_drive and stage.GetPrimAtPath(str(joint)):
            found = [stage.GetPrimAtPath(str(joint))]
    if len(found) == 1:
        return found[0]
    what = "joint with a drive" if with_drive else "joint"
    if not found:
        raise ParameterError(f"the stage has no {what}" + ("" if joint is None else f" {joint!r}"))
    shown = ", ".join(str(prim.GetPath()) for prim in found[:8])
    raise ParameterError(f"the stage has {len(found)} joints it could be: give joint=, one of {shown}")
