"""Real PhysX reads the drive of every case, and its joint has each quantity once."""

import sys
from pathlib import Path

import pytest
from rig import joint_in_physx

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from contract import MOTORS, make_case

from backemf.sims import physx


@pytest.mark.parametrize("motor", MOTORS)
def test_every_quantity_reaches_the_joint_once(motor):
    """Armature, friction and the largest effort of the running joint are those of the case."""
    thing, want = make_case(motor, "ideal-pd")
    with joint_in_physx(physx.write(thing, "/World/arm/joint").drive) as joint:
        assert joint.get("jointArmature") == pytest.approx(want.inertia, rel=1e-5)
        assert joint.get("jointDynamicFriction") == pytest.approx(want.dry, rel=1e-5)
        assert joint.get("jointViscousFriction", -1) == pytest.approx(want.viscous, rel=1e-5)
        assert joint.get("jointMaxForce") == pytest.approx(want.torque, rel=1e-5)
