"""Our torque limits as a clamp around Newton's own drives."""

from __future__ import annotations

import newton
import numpy as np
import pytest
import warp as wp
from newton.actuators import Actuator, DrivePD, JointSpaceResponse
from rig import DT, Host, course

import backemf as be
from backemf.actuator.torque_limits import clamp, tightest
from backemf.motorfile import dumps
from backemf.sims.newton import BackemfClamp

COUNT = 40
LIMITS = {
    "envelope": be.DriveEnvelope(
        max_effort=3.0, max_actuator_velocity=6.0, velocity_dependent_resistance=0.1, speed_effort_gradient=0.7
    ),
    "knee": be.KneeCurve(driving_effort=2.0, braking_effort=3.0, knee_speed=1.0, no_load_speed=5.0),
    "unitree": be.KneeCurve.unitree(x1=2.0, x2=9.0, y1=0.9, y2=1.1),
    "table": be.TorqueSpeedTable(speed=[0.0, 3.0, 6.0], driving=[1.0, 0.7, 0.1], braking=[1.0, 1.0, 0.4]),
    "line": be.DcClip(saturation_effort=3.0, velocity_limit=4.0, effort_limit=2.0),
    "several": (
        be.AngleTable(angle=[-0.5, 0.0, 0.5], effort=[0.5, 1.0, 0.3]),
        be.KneeCurve.unitree(x1=2.0, x2=9.0, y1=0.9, y2=1.1),
    ),
}


def rows(limits) -> tuple[be.Actuator, list]:
    return be.Actuator(limits=limits), list(zip(*course(COUNT, 20), strict=True))


@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("straight", [False, True])
def test_the_clamp_is_our_limit(name, straight):
    """20 random steps of a PD of Newton's, clamped: what NumPy's bounds leave, to rounding."""
    actuator, steps = rows(LIMITS[name])
    host = Host(COUNT, straight=straight)
    gains = [wp.full(COUNT, x, dtype=wp.float32) for x in (9.0, 0.5)]
    theirs = Actuator(host.indices, DrivePD(*gains), clamping=[BackemfClamp(LIMITS[name])])
    cut = 0.0
    for p, pv, effort, q, v in steps:
        host.set(p, pv, effort, q, v)
        theirs.step(host.state, host.control, dt=DT)
        asked = (9.0 * (p - q) + 0.5 * (pv - v) + effort).astype(float)
        expected = clamp(asked, *tightest(actuator.limits, q.astype(float), v.astype(float)))
        assert np.abs(host.forces() - expected).max() < 2e-5
        cut = max(cut, np.abs(asked - expected).max())
    assert cut > 1.0


@pytest.mark.parametrize("name", LIMITS)
def test_the_implicit_form_is_the_same(name):
    """The function that Newton's implicit solve calls gives the same bounds, its numbers in a row of an array."""
    actuator, steps = rows(LIMITS[name])
    ours = BackemfClamp(LIMITS[name])
    ours.finalize(wp.get_device("cpu"), COUNT)
    base, function = 2, ours.evaluate_clamp
    block = wp.zeros((COUNT, base + ours.param_width()), dtype=wp.float32)
    ours.bind_params(block[:, base:])

    @wp.kernel(enable_backward=False, module="unique")
    def probe(x: wp.array2d(dtype=wp.float64), params: wp.array2d(dtype=wp.float32), out: wp.array(dtype=wp.float64)):
        i = wp.tid()
        out[i] = function(x[i, 0], x[i, 1], x[i, 2], params, i, wp.static(base))

    for p, _, _, q, v in steps:
        x = np.stack([20.0 * p, q, v], axis=1).astype(float)
        out = wp.zeros(COUNT, dtype=wp.float64)
        wp.launch(probe, dim=COUNT, inputs=[wp.array(x, dtype=wp.float64), block], outputs=[out])
        expected = clamp(x[:, 0], *tightest(actuator.limits, x[:, 1], x[:, 2]))
        assert np.abs(out.numpy() - expected).max() < 1e-5


def test_limits_from_text():
    """The TOML text of an actuator brings its limits along, as USD carries them."""
    text = dumps(be.Actuator(limits=LIMITS["knee"]))
    resolved = BackemfClamp.resolve_arguments({"backemf:limits": text})
    assert BackemfClamp(**resolved).limits == (LIMITS["knee"],)


def test_what_is_no_limit_is_refused():
    """One sentence each."""
    with pytest.raises(be.ParameterError, match="give one or more"):
        BackemfClamp(())
    with pytest.raises(be.ParameterError, match=r"limits.0.effort_limit: a clamp holds one number"):
        BackemfClamp(be.EffortLimit(effort_limit=np.ones(3)))
    with pytest.raises(be.ParameterError, match="takes limits= alone"):
        BackemfClamp.resolve_arguments({"max_effort": 3.0})


def test_joints_with_other_numbers_share_a_clamp():
    """Twelve joints with knee curves of their own around Newton's PD: one row, and each joint has its own limit."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    knees = [be.KneeCurve(driving_effort=1.0 + 0.1 * k, braking_effort=3.0, knee_speed=1.0 + 0.2 * k, no_load_speed=5.0)
             for k in range(12)]  # fmt: skip
    for k, knee in enumerate(knees):
        link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 0.01))
        builder.add_articulation([builder.add_joint_revolute(-1, link)])
        limits = knee if k % 2 else dumps(be.Actuator(limits=knee))
        builder.add_actuator(DrivePD, index=k, clamping=[(BackemfClamp, {"limits": limits})], kp=50.0, kd=0.0)
    model = builder.finalize()
    (actuator,) = model.actuators
    state, control = model.state(), model.control()
    for target, speed in ((3.0, 0.3), (-3.0, 2.9), (3.0, 2.9)):
        control.joint_target_q.fill_(target)
        state.joint_qd.fill_(speed)
        control.joint_f.zero_()
        actuator.step(state, control, dt=DT)
        expected = [clamp(50.0 * target, *tightest((knee,), 0.0, np.float32(speed))) for knee in knees]
        assert control.joint_f.numpy() == pytest.approx(np.array(expected, dtype=float), rel=1e-5)


@pytest.mark.parametrize("implicit", [False, True])
def test_numbers_of_a_clamp_change_while_it_runs(implicit):
    """A limit that is changed holds in the next step, in the implicit mode too; wrong ones are one sentence."""
    builder = newton.ModelBuilder(gravity=(0.0, 0.0, 0.0))
    for k in range(2):
        link = builder.add_link(mass=1.0, inertia=wp.mat33(np.eye(3) * 100.0))
        builder.add_articulation([builder.add_joint_revolute(-1, link)])
        clamp = (BackemfClamp, {"limits": be.EffortLimit(effort_limit=2.0 + k)})
        builder.add_actuator(DrivePD, index=k, clamping=[clamp], kp=50.0, kd=0.0)
    model = builder.finalize()
    (actuator,), (clamp,) = model.actuators, model.actuators[0].clamping
    state, control = model.state(), model.control()
    control.joint_target_q.fill_(3.0)
    newton.eval_fk(model, state.joint_q, state.joint_qd, state)
    if implicit:
        response = JointSpaceResponse(model)
        response.refresh(state)
        actuator.set_effort_mode_implicit(response)

    def torques() -> list[float]:
        control.joint_f.zero_()
        actuator.step(state, control, dt=DT)
        return control.joint_f.numpy().tolist()

    assert torques() == pytest.approx([2.0, 3.0], rel=1e-4)
    clamp.set_numbers("limits.0.effort_limit", 1.5, indices=[1])
    assert torques() == pytest.approx([2.0, 1.5], rel=1e-4)
    clamp.numbers["limits.0.effort_limit"].assign(np.array([0.5, 0.75], dtype=np.float32))
    assert torques() == pytest.approx([0.5, 0.75], rel=1e-4)
    with pytest.raises(be.ParameterError, match=r"EffortLimit\.effort_limit = -1"):
        clamp.set_numbers("limits.0.effort_limit", -1.0)
    with pytest.raises(be.ParameterError, match=r"no such number; it has limits\.0\.effort_limit"):
        clamp.set_numbers("limits.0.most", 1.0)
