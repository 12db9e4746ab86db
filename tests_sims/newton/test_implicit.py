"""Our actuators in Newton's implicit mode."""

from __future__ import annotations

import newton
import numpy as np
import pytest
import warp as wp
from newton.actuators import Actuator, DrivePD, JointSpaceResponse
from rig import BATTERY, motor

import backemf as be
from backemf.sims.newton import BackemfActuator, BackemfClamp, BackemfDrive

INERTIA, DT = 0.02, 0.01


def model_of(drive_class, clamping=None, **arguments) -> newton.Model:
    """One link of 0.02 kg·m² on a hinge."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * INERTIA))
    joint = builder.add_joint_revolute(-1, link, axis=wp.vec3(0.0, 0.0, 1.0), armature=0.0)
    builder.add_articulation([joint])
    builder.add_actuator(drive_class, index=0, clamping=clamping, **arguments)
    return builder.finalize()


def effort(model: newton.Model, steps: int = 1, q: float = 0.0, v: float = 0.0, target: float = 0.5) -> list[float]:
    """Torques of a link that is held where it is, found at the end of each step."""
    response = JointSpaceResponse(model)
    (actuator,) = model.actuators
    state, control = model.state(), model.control()
    state.joint_q.fill_(q)
    state.joint_qd.fill_(v)
    control.joint_target_q.fill_(target)
    control.joint_act.fill_(0.1)
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    response.refresh(state)
    actuator.set_effort_mode_implicit(response)
    before, after = actuator.state(), actuator.state()
    found = []
    for _ in range(steps):
        control.joint_f.zero_()
        actuator.step(state, control, before, after, dt=DT)
        before, after = after, before
        found.append(float(control.joint_f.numpy()[0]))
    return found


def test_a_pd_of_ours_is_newtons():
    """A PD is a straight line, so that the implicit solve of ours and of Newton's own drive are one, and closed:

    tau·(1 + h·A·(kd + h·kp)) = kp·(p - q - h·v) - kd·v + effort
    """
    theirs = effort(model_of(DrivePD, kp=40.0, kd=2.0), q=0.1, v=1.5)[0]
    ours = effort(model_of(BackemfDrive, actuator=be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=2.0))),
                  q=0.1, v=1.5)[0]  # fmt: skip
    assert ours == pytest.approx(theirs, rel=1e-5)
    free = 40.0 * (0.5 - 0.1 - DT * 1.5) - 2.0 * 1.5 + 0.1
    assert ours == pytest.approx(free / (1.0 + DT / INERTIA * (2.0 + DT * 40.0)), rel=1e-4)


def test_a_motor_is_solved_along_its_slopes():
    """A motor's torque at the end of the step: its own torque and slopes at the beginning, in the closed form."""
    kind = be.Actuator(motor(), BATTERY, controller=be.PositionPid(kp=20.0, ki=5.0, kd=0.5))
    step = kind.compile("numpy")
    _, out = step(step.initial(()), 0.5, 0.1, 1.5, DT)
    by_v, by_q = -float(out.torque_slope), -float(out.torque_stiffness)
    expected = (float(out.torque) + DT * by_q * 1.5) / (1.0 - DT / INERTIA * (by_v + DT * by_q))
    assert abs(expected - float(out.torque)) > 0.01 * abs(expected)
    found = effort(model_of(BackemfDrive, actuator=kind), q=0.1, v=1.5)[0]
    assert found == pytest.approx(expected, rel=1e-4)


def test_states_go_on():
    """The integral and the heat go on step by step, as in the explicit mode."""
    kind = be.Actuator(motor(), BATTERY, controller=be.PositionPid(kp=2.0, ki=30.0))
    found = effort(model_of(BackemfDrive, actuator=kind), steps=20)
    assert (np.diff(found) > 0.0).all()
    model = model_of(BackemfDrive, actuator=kind)
    model.actuators[0].__class__ = BackemfActuator
    assert effort(model, steps=20) == found


def test_our_clamp_inside_the_solve():
    """A knee curve of ours holds at the velocity after the step."""
    knee = be.KneeCurve(driving_effort=1.0, braking_effort=3.0, knee_speed=0.2, no_load_speed=1.0)
    clamp = [(BackemfClamp, {"limits": knee})]
    torque = effort(model_of(DrivePD, clamp, kp=100.0, kd=0.0))[0]
    after = DT / INERTIA * torque
    assert 0.2 < after < 1.0
    assert torque == pytest.approx(1.0 * (1.0 - after) / 0.8, rel=1e-3)


def test_gradients_are_refused_by_newton():
    """Newton's implicit mode has none, and says so."""
    index = wp.zeros(1, dtype=wp.uint32)
    actuator = Actuator(index, BackemfDrive(be.Actuator(controller=be.IdealPd(stiffness=1.0))), requires_grad=True)
    with pytest.raises(NotImplementedError, match="not differentiable"):
        actuator.set_effort_mode_implicit(None)
