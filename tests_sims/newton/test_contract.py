"""Newton's own parser reads every kind of actuator that is written for it, and its joint has each quantity once."""

import sys
from pathlib import Path

import newton
import numpy as np
import pytest
import warp as wp
from test_usd import FULL, KNEE, build_model, stage_with

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from contract import CASES, is_refused, make_case, totals_of

from backemf.sims import newton as room
from backemf.sims.on_joint import OnJoint


@pytest.mark.parametrize("kind", room.ABOUT.kinds)
def test_every_quantity_reaches_the_joint_once(kind):
    """Armature, friction and damping of the joint in Newton; a whole actuator keeps its friction to itself."""
    seen = set()
    for case in CASES:
        if is_refused("newton", kind, *case) or case[1] in ("voltage", "modes"):
            continue
        thing, want = make_case(*case)
        text = room.write(thing, KNEE, kind).text
        if text in seen:
            continue
        seen.add(text)
        builder = newton.ModelBuilder()
        stage = stage_with(text)
        assert builder.add_usd(stage)["actuator_count"] == 1
        own = room.read_actuator(stage)
        assert builder.joint_armature[-1] == pytest.approx(want.inertia, rel=1e-5)
        assert builder.joint_friction[-1] == pytest.approx(own.coulomb, rel=1e-5)
        assert builder.joint_damping[-1] == pytest.approx(own.viscous, rel=1e-5)
        found = totals_of(own)
        assert (found.inertia, found.dry, found.viscous) == pytest.approx(
            (want.inertia, want.dry, want.viscous), rel=1e-5
        )
    assert seen


@pytest.mark.parametrize("own", [0.0, 0.05])
def test_the_rotor_of_a_file_is_added_once(own):
    """The file says the whole armature, the joint's and the rotor's: `add_armature` adds nothing."""
    model = build_model(room.write(OnJoint(actuator=FULL, armature=own), KNEE, "backemf").text)
    for _ in range(3):
        assert model.joint_armature.numpy() == pytest.approx(FULL.motor.armature + own, rel=1e-6)
        room.add_armature(model)


def test_the_rotor_of_a_program_is_added_once():
    """A joint that is made in Python has its own armature: the rotor's is added to it, and a second call adds none."""
    builder = newton.ModelBuilder()
    link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
    builder.add_articulation([builder.add_joint_revolute(-1, link, armature=0.02)])
    builder.add_actuator(room.BackemfDrive, index=0, actuator=FULL)
    model = builder.finalize()
    for _ in range(2):
        room.add_armature(model)
        assert model.joint_armature.numpy() == pytest.approx(FULL.motor.armature + 0.02, rel=1e-6)


def test_the_rotor_of_a_file_reaches_a_solver_without_armature():
    """XPBD knows no armature: the rotor goes to the link about its axis, once, whatever the file says of the joint."""
    model = build_model(room.write(FULL, KNEE, "backemf").text)
    room.fuse(model, solver=newton.solvers.SolverXPBD)
    before = model.body_inertia.numpy().copy()
    for _ in range(2):
        room.add_armature(model)
        added = model.body_inertia.numpy() - before
        assert np.trace(added, axis1=1, axis2=2).max() == pytest.approx(FULL.motor.armature, rel=1e-4)
