"""The names in our files and the schemas that PhysX publishes."""

from __future__ import annotations

import physx_usd_schemas  # noqa: F401 - registers the schemas
import pytest
from pxr import Usd

import backemf as be
from backemf.sims import physx

LIMIT = be.DriveEnvelope(max_effort=5.0, max_actuator_velocity=10.0)
DRIVE = physx.UsdDrive(envelope=LIMIT, axis=physx.JointAxis(armature=0.01))


@pytest.mark.parametrize("instance", physx.drives.INSTANCES)
def test_every_attribute_belongs_to_an_applied_schema(instance):
    """Nothing is written that the schemas do not define, with their types; nothing of PhysX's is left out."""
    stage = Usd.Stage.CreateInMemory()
    kind = next(kind for kind, names in physx.drives.JOINTS.items() if instance in names)
    prim = stage.DefinePrim("/j", kind)
    physx.author(physx.UsdDrive(instance=instance, envelope=LIMIT, axis=DRIVE.axis), stage, "/j")
    names = [f"{name}:{instance}" for name in (physx.drives.DRIVE, physx.drives.ENVELOPE, physx.drives.AXIS)]
    assert prim.GetAppliedSchemas() == names
    defined = prim.GetPrimDefinition()
    written = {attribute.GetName() for attribute in prim.GetAuthoredAttributes()}
    for attribute in prim.GetAuthoredAttributes():
        known = defined.GetAttributeDefinition(attribute.GetName())
        assert known and known.GetTypeName() == attribute.GetTypeName(), attribute.GetName()
    published = [name for name in defined.GetPropertyNames() if name.startswith(("drive:", "physxDrive", "physxJoint"))]
    assert written == set(published)


def test_defaults_are_those_of_the_schemas():
    """A drive with nothing but its schemas reads like one with PhysX's own fallbacks."""
    stage = Usd.Stage.CreateInMemory()
    prim = stage.DefinePrim("/j", "PhysicsRevoluteJoint")
    for name in (physx.drives.DRIVE, physx.drives.ENVELOPE, physx.drives.AXIS):
        prim.AddAppliedSchema(f"{name}:angular")
    top = physx.drives.FLOAT_MAX
    unlimited = be.DriveEnvelope(max_effort=top, max_actuator_velocity=top)
    assert physx.read_drive(stage) == physx.UsdDrive(envelope=unlimited, axis=physx.JointAxis())
