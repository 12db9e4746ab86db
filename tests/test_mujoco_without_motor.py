"""Actuators without a motor as MuJoCo's own elements, run by MuJoCo itself beside ours."""

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backemf as be
from backemf.sims import mujoco as room

TARGETS = ("position", "velocity", "effort")
HEAVY = 1e9
"""Inertia of the joint, so that its motion is given [kg·m²]."""
STEPS, DT = 60, 0.002

gain = st.floats(0.01, 200.0)
CONTROLLERS = st.one_of(
    st.just(be.Torque()),
    st.builds(
        be.IdealPd,
        stiffness=gain,
        damping=gain,
        listens=st.sampled_from([None, ("position",), ("position", "velocity"), ("position", "effort")]),
    ),
    st.builds(be.TorquePid, kp=gain, kd=gain, ki=gain),
    st.builds(be.TorquePid, kd=gain, follows=st.just("velocity"), listens=st.just(("velocity",))),
)
LIMITS = st.one_of(
    st.just(()),
    st.builds(be.EffortLimit, effort_limit=st.floats(0.1, 50.0)),
    st.builds(be.EffortRange, lowest=st.floats(-50.0, -0.1), highest=st.floats(0.1, 50.0)),
)


def side_by_side(actuator: be.Actuator, seed: int, joint: room.WrittenMotor | None = None):
    """Torques of MuJoCo and of ours along a random motion under random targets [N·m]."""
    written = room.write(actuator, "knee", timestep=DT) if joint is None else joint
    model = mujoco.MjModel.from_xml_string(written.text)
    model.opt.gravity[:] = 0.0
    model.body_inertia[-1] = HEAVY
    data = mujoco.MjData(model)
    rng = np.random.default_rng(seed)
    inputs = actuator.controller.inputs
    step = actuator.compile("numpy")
    state = step.initial(())
    found = np.zeros((2, STEPS))
    velocity = np.cumsum(rng.normal(size=STEPS))
    position = 0.3 + DT * np.cumsum(velocity)
    for k in range(STEPS):
        sent = dict(zip(inputs, rng.normal(scale=2.0, size=len(inputs)), strict=True))
        state, out = step(state, be.Command(**sent), position[k], velocity[k], DT)
        data.qpos[0], data.qvel[0] = position[k], velocity[k]
        data.ctrl[:] = list(sent.values())
        mujoco.mj_step(model, data)
        found[:, k] = data.qfrc_actuator[0], out.torque
    return found


@settings(deadline=None)
@given(CONTROLLERS, LIMITS, st.integers(0, 99))
def test_mujoco_gives_the_same_torque(controller, limits, seed):
    """Every controller in torque, with every flat limit: what is called kept is the same to rounding."""
    actuator = be.Actuator(controller=controller, limits=limits)
    written = room.write(actuator, "knee", timestep=DT)
    assert all(loss.status == "unknown" for loss in written.losses), written.losses
    theirs, ours = side_by_side(actuator, seed, room.write(actuator, "knee", timestep=DT))
    assert theirs == pytest.approx(ours, rel=2e-5, abs=2e-5 * np.abs(ours).max())


def test_an_integral_may_pass_its_limit_by_one_step():
    """MuJoCo stops the integral once it is beyond, we at the limit itself: ki times an error times the step apart."""
    controller = be.TorquePid(kp=1.0, kd=1.0, ki=5.0, integral_limit=0.0625)
    written = room.write(be.Actuator(controller=controller), "knee", timestep=DT)
    assert [loss.phenomenon for loss in written.losses if loss.status == "approximated"] == ["integral"]
    theirs, ours = side_by_side(be.Actuator(controller=controller), 0)
    apart = np.abs(theirs - ours).max()
    assert 0.0 < apart < 5.0 * DT * 10.0


def test_range_and_slew_are_those_of_the_first_input():
    """A range bounds the position alone; a slew limit needs a setpoint that MuJoCo begins at 0."""
    pd = be.IdealPd(stiffness=40.0, damping=2.0)
    theirs, ours = side_by_side(be.Actuator(controller=pd, command_range=(-0.5, 1.0)), 3)
    assert theirs == pytest.approx(ours, rel=1e-9)
    slow = be.Actuator(controller=pd, slew=3.0)
    written = room.write(slow, "knee", timestep=DT)
    assert 'slewmax="3"' in written.element
    assert {loss.phenomenon for loss in written.losses if loss.status != "unknown"} == {"slew"}


ELEMENTS = [
    (be.Torque(), "motor", "motor"),
    (be.IdealPd(stiffness=4.0, listens=("position",)), "position", "position"),
    (be.IdealPd(stiffness=4.0), "pid", "position"),
    (be.TorquePid(kd=4.0, follows="velocity", listens=("velocity",)), "velocity", "velocity"),
    (be.TorquePid(kd=4.0, follows="velocity"), "pid", "velocity"),
    (be.TorquePid(ki=1.0, follows="velocity", listens=("velocity",)), "intvelocity", "intvelocity"),
]


@pytest.mark.parametrize(("controller", "now", "before"), ELEMENTS)
def test_each_becomes_the_element_that_people_know(controller, now, before):
    """`<pid>` came with 3.12; before, a position servo is as near as it gets, and a row says so."""
    for version, tag in (("4.0", now), ("3.11", before)):
        written = room.write(be.Actuator(controller=controller), version=version)
        assert written.element.startswith(f"<{tag} ") and written.kind == tag
        lost = {loss.phenomenon for loss in written.losses if loss.status != "unknown"}
        assert ("controller" in lost) == (len(controller.inputs) > 1 and tag != "pid")


def test_the_joint_gets_its_own_inertia_and_friction():
    """Armature, dry friction and damping of a joint are written beside any actuator."""
    from backemf.sims.on_joint import OnJoint

    thing = OnJoint(actuator=be.Actuator(), armature=0.02, coulomb=0.3, viscous=0.1)
    assert room.write(thing).joint_attributes == {"armature": 0.02, "damping": 0.1, "frictionloss": 0.3}
