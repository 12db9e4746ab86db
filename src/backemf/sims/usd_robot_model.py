"""Joints of a USD stage, by the names of their prims."""

from __future__ import annotations

import math
from pathlib import Path

from ..errors import ParameterError
from .robot_model import BALL, FIXED, FREE, HINGE, SLIDE, Allowed, ModelJoint, RobotModel
from .usd import applied_schemas, open_stage
from .usd_types import Prim, Stage

KINDS = {
    "PhysicsRevoluteJoint": HINGE, "PhysicsPrismaticJoint": SLIDE, "PhysicsFixedJoint": FIXED,
    "PhysicsSphericalJoint": BALL, "PhysicsJoint": FREE, "PhysicsDistanceJoint": FREE,
}  # fmt: skip
"""Our word for each type of joint."""
AXES = {HINGE: "angular", SLIDE: "linear"}
LARGEST = 1e30
"""An effort beyond this means that there is no limit."""


def read_model(path: Path) -> RobotModel:
    """The joints of a USD file."""
    stage = open_stage(path)
    joints: list[ModelJoint] = []
    drivers = actuators_of(stage)
    for prim in stage.TraverseAll():
        kind = KINDS.get(str(prim.GetTypeName()))
        if kind is None or not prim.IsActive():
            continue
        name = prim.GetName()
        again = next((joint.place for joint in joints if joint.name == name), None)
        if again is not None and kind in (HINGE, SLIDE):
            raise ParameterError(f"{path}: {again} and {prim.GetPath()} are joints of the same name; rename one")
        joints.append(_joint(prim, name, kind, stage, drivers.get(str(prim.GetPath()), [])))
    if not any(joint.is_driven for joint in joints):
        raise ParameterError(f"{path}: has no PhysicsRevoluteJoint or PhysicsPrismaticJoint that a motor could drive")
    return RobotModel(path=path, format="USD", joints=tuple(joints), problems=_problems(stage))


def actuators_of(stage: Stage) -> dict[str, list[str]]:
    """Paths of the NewtonActuator prims of a stage, by the joints that they target."""
    found: dict[str, list[str]] = {}
    for prim in stage.TraverseAll():
        targets = prim.GetRelationship("newton:targets")
        if str(prim.GetTypeName()) == "NewtonActuator" and targets:
            for target in targets.GetTargets():
                found.setdefault(str(target), []).append(str(prim.GetPath()))
    return found


def _problems(stage: Stage) -> tuple[str, ...]:
    if stage.HasAuthoredMetadata("metersPerUnit"):
        return ()
    return ("the stage does not say metersPerUnit: it is taken as 1 m here, and as 0.01 m by USD; author it",)


def _joint(prim: Prim, name: str, kind: str, stage: Stage, drivers: list[str]) -> ModelJoint:
    axis = AXES.get(kind, "")
    applied = applied_schemas(prim)
    degree = math.radians(1.0) if kind == HINGE else _size(stage, "metersPerUnit")
    mass, metre = _size(stage, "kilogramsPerUnit"), _size(stage, "metersPerUnit")
    effort = mass * metre * (metre if kind == HINGE else 1.0)
    limits = []
    if f"PhysicsDriveAPI:{axis}" in applied:
        most = _value(prim, f"drive:{axis}:physics:maxForce")
        if most is not None and most < LARGEST:
            limits.append(Allowed(f"maxForce of the {axis} drive", most * effort, "N·m" if kind == HINGE else "N"))
    fast = _value(prim, f"physxJointAxis:{axis}:maxJointVelocity")
    fast = _value(prim, "physxJoint:maxJointVelocity") if fast is None else fast
    if fast is not None and fast < LARGEST:
        limits.append(Allowed("maxJointVelocity", fast * degree, "rad/s" if kind == HINGE else "m/s"))
    ends = [_value(prim, f"physics:{word}Limit") for word in ("lower", "upper")]
    span = None
    if ends[0] is not None and ends[1] is not None and max(map(abs, (ends[0], ends[1]))) < LARGEST:
        span = (ends[0] * degree, ends[1] * degree)
    armature = _first(prim, f"physxJointAxis:{axis}:armature", "physxJoint:armature", "newton:armature")
    inertia = effort if kind == HINGE else mass
    return ModelJoint(
        name=name,
        kind=kind,
        place=str(prim.GetPath()),
        follows=_followed(prim, applied),
        armature=None if armature is None else armature * inertia,
        span=span,
        limits=tuple(limits),
        actuators=tuple(drivers + [f"{axis} drive"] * (f"PhysicsDriveAPI:{axis}" in applied)),
    )


def _followed(prim: Prim, applied: list[str]) -> str:
    """The joint that one mimics, by PhysX's or Newton's schema."""
    for schema in applied:
        if schema.startswith(("PhysxMimicJointAPI", "NewtonMimicAPI")):
            word = "newton:mimicJoint"
            if schema.startswith("Physx"):
                word = f"physxMimicJoint:{schema.partition(':')[2]}:referenceJoint"
            targets = prim.GetRelationship(word)
            paths = [str(path) for path in targets.GetTargets()] if targets else []
            return paths[0].rpartition("/")[2] if paths else "another joint"
    return ""


def _first(prim: Prim, *names: str) -> float | None:
    return next((value for name in names if (value := _value(prim, name)) is not None), None)


def _value(prim: Prim, name: str) -> float | None:
    there = prim.GetAttribute(name)
    value = there.Get() if there and there.HasAuthoredValue() else None
    if value is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return float(value)


def _size(stage: Stage, name: str) -> float:
    """Size of a unit of a stage in SI; 1 where the stage does not say."""
    return float(stage.GetMetadata(name)) if stage.HasAuthoredMetadata(name) else 1.0
