"""What Newton's own drives, clamps and delay compute, against `Pipeline`, batched and at every edge."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import warp as wp
from newton.actuators import (
    Actuator,
    ClampingDCMotor,
    ClampingMaxEffort,
    ClampingPositionBased,
    Delay,
    DrivePD,
    DrivePID,
)
from rig import DT, Host, array, course

import backemf as be
from backemf.actuator.torque_limits import clamp, dc_bounds
from backemf.sims.newton import DcMotor, Drive, MaxEffort, Pipeline, PositionBased

COUNT, STEPS = 30, 40
RNG = np.random.default_rng(5)
KP, KI, KD, BIAS = (
    RNG.uniform(low, high, COUNT).astype(np.float32) for low, high in ((2, 9), (5, 30), (0, 1), (-1, 1))
)


def finite_or_none(x):
    """None for Newton's infinity."""
    return None if np.isinf(x).all() else x.astype(float)


def row(x) -> wp.array:
    return array(np.broadcast_to(np.asarray(x, dtype=np.float32), (COUNT,)))


def both(drive, clamps, pipeline: Pipeline, steps=None, reset_at: int | None = None):
    """Torques of Newton and of the law over one course."""
    host, given = Host(COUNT), course(COUNT, STEPS)
    delay = None if steps is None else Delay(array(steps, wp.int32), int(np.max(steps)))
    actuator = Actuator(host.indices, drive, delay=delay, clamping=clamps)
    before, after = actuator.state(), actuator.state()
    memory, rows = pipeline.initial((COUNT,)), []
    mask = np.arange(COUNT) % 4 == 1
    for k, (p, pv, effort, q, v) in enumerate(zip(*given, strict=True)):
        if k == reset_at:
            before.reset(array(mask, wp.bool))
            memory = pipeline.reset(memory, mask)
        host.set(p, pv, effort, q, v)
        actuator.step(host.state, host.control, before, after, dt=DT)
        before, after = after, before
        command = be.Command(position=p.astype(float), velocity=pv.astype(float), effort=effort.astype(float))
        memory, torque = pipeline.step(memory, command, q.astype(float), v.astype(float), DT)
        rows.append((host.forces().copy(), torque))
    found, expected = (np.array(x) for x in zip(*rows, strict=True))
    return found, expected


def agree(found, expected, tolerance: float = 2e-6) -> None:
    assert np.abs(expected).max() > 0.1
    assert np.abs(found - expected).max() <= tolerance * np.abs(expected).max()


def test_pd():
    """A PD with a gain, a bias and a feedforward for each joint."""
    law = Pipeline(drive=Drive(kp=KP.astype(float), kd=KD.astype(float), const_effort=BIAS.astype(float)))
    agree(*both(DrivePD(array(KP), array(KD), array(BIAS)), [], law))


@pytest.mark.parametrize("most", [np.inf, 0.004])
def test_pid(most):
    """The integral takes this step's error before it is used, and stays within its limit; a mask resets it."""
    drive = DrivePID(array(KP), array(KI), array(KD), row(most), array(BIAS))
    law = Pipeline(
        drive=Drive(
            kp=KP.astype(float),
            ki=KI.astype(float),
            kd=KD.astype(float),
            integral_max=None if np.isinf(most) else most,
            const_effort=BIAS.astype(float),
        )
    )
    agree(*both(drive, [], law, reset_at=17), 1e-5)


def test_our_pid_is_one_step_behind_newtons():
    """Ours uses the integral of the steps before: with an error of 1 and ki = 1, dt·k against dt·(k + 1)."""
    host = Host(1)
    actuator = Actuator(host.indices, DrivePID(*(row(x)[:1] for x in (0.0, 1.0, 0.0, np.inf))))
    before, after = actuator.state(), actuator.state()
    step = be.Actuator(controller=be.TorquePid(ki=1.0)).compile("numpy")
    state = step.initial(())
    for k in range(5):
        host.set(1.0, 0.0, 0.0, 0.0, 0.0)
        actuator.step(host.state, host.control, before, after, dt=DT)
        before, after = after, before
        state, out = step(state, be.Command(position=1.0), 0.0, 0.0, DT)
        assert host.forces()[0] == pytest.approx(DT * (k + 1), rel=1e-6)
        assert out.torque == pytest.approx(DT * k, rel=1e-12)


@pytest.mark.parametrize("most", [np.inf, 2.0, 0.0])
def test_max_effort(most):
    """A flat limit, none, and zero."""
    law = Pipeline(drive=Drive(kp=9.0), clamps=(MaxEffort(max_effort=None if np.isinf(most) else most),))
    found, expected = both(DrivePD(row(9.0), row(0.0)), [ClampingMaxEffort(row(most))], law)
    assert np.abs(found - expected).max() <= 1e-5
    assert np.abs(found).max() == pytest.approx(most) if np.isfinite(most) else np.abs(found).max() > 9.0


EDGES = [
    (stall, speed, most)
    for stall, speed, most in itertools.product((np.inf, 5.0, 0.0), (np.inf, 4.0), (np.inf, 7.0, 3.0, 0.0))
    if np.isfinite(stall) or np.isinf(speed)
]


@pytest.mark.parametrize(("stall", "speed", "most"), EDGES)
def test_dc_motor(stall, speed, most):
    """Every mixture of finite, infinite and zero limits, at speeds far beyond the corner."""
    ClampingDCMotor.resolve_arguments({"saturation_effort": stall, "velocity_limit": speed, "max_motor_effort": most})
    names = {"saturation_effort": stall, "velocity_limit": speed, "max_motor_effort": most}
    limit = DcMotor(**{name: None if np.isinf(x) else x for name, x in names.items()})
    law = Pipeline(drive=Drive(kp=9.0), clamps=(limit,))
    found, expected = both(DrivePD(row(9.0), row(0.0)), [ClampingDCMotor(row(stall), row(speed), row(most))], law)
    assert np.isfinite(found).all()
    assert np.abs(found - expected).max() <= 2e-5


def test_the_dc_clip_is_newtons():
    """`DcClip` at 2000 speeds, corner and all: Newton's clamp to rounding, at ± the corner and at the no-load speed."""
    clip = be.DcClip(saturation_effort=5.0, velocity_limit=4.0, effort_limit=3.0)
    corner = 4.0 * (1.0 + 3.0 / 5.0)
    v = np.concatenate([np.linspace(-3 * corner, 3 * corner, 1993), [corner, -corner, 4.0, -4.0, 0.0, 1.6, -1.6]])
    v = v.astype(np.float32)
    index = array(np.arange(len(v)), wp.uint32)
    limits = [wp.full(len(v), x, dtype=wp.float32) for x in (5.0, 4.0, 3.0)]
    for asked in (-50.0, -1.0, 0.0, 1.0, 50.0):
        out = wp.zeros(len(v), dtype=wp.float32)
        src = wp.full(len(v), asked, dtype=wp.float32)
        ClampingDCMotor(*limits).modify_forces(src, out, src, array(v), index, index)
        expected = clamp(np.full(len(v), asked), *dc_bounds(v.astype(float), clip))
        assert np.abs(out.numpy() - expected).max() <= 2e-6


@pytest.mark.parametrize(
    ("angles", "efforts"),
    [((-0.3, 0.0, 0.4), (0.5, 2.0, 1.0)), ((0.1,), (0.7,)), ((-0.2, 0.1, 0.1, 0.4), (1.0, 0.3, 2.0, 1.0))],
)
def test_position_based(angles, efforts):
    """A table over the angle: between points, beyond its ends, of one point, and with a jump."""
    law = Pipeline(drive=Drive(kp=9.0), clamps=(PositionBased(positions=np.array(angles), efforts=np.array(efforts)),))
    clamp = ClampingPositionBased(lookup_positions=angles, lookup_efforts=efforts)
    agree(*both(DrivePD(row(9.0), row(0.0)), [clamp], law), 2e-5)


def test_clamps_follow_each_other():
    """Where a line excludes zero, the order of clamps counts, and it is that of the list."""
    line, flat = DcMotor(saturation_effort=5.0, velocity_limit=2.0, max_motor_effort=6.0), MaxEffort(max_effort=1.0)
    theirs = {line: lambda: ClampingDCMotor(row(5.0), row(2.0), row(6.0)), flat: lambda: ClampingMaxEffort(row(1.0))}
    torques = []
    for order in ((line, flat), (flat, line)):
        law = Pipeline(drive=Drive(kp=9.0), clamps=order)
        found, expected = both(DrivePD(row(9.0), row(0.0)), [theirs[x]() for x in order], law)
        agree(found, expected)
        torques.append(found)
    assert np.abs(torques[0] - torques[1]).max() > 1.0


def test_delay():
    """A delay of its own for each joint, 0 among them, with a reset of some: the first targets pass at once."""
    steps = np.arange(COUNT) % 6
    law = Pipeline(drive=Drive(kp=9.0, kd=0.5), delay_steps=steps)
    agree(*both(DrivePD(row(9.0), row(0.5)), [], law, steps, reset_at=15), 2e-6)


def test_newtons_delay_in_our_words():
    """The schedule "isaaclab" of `Delay` is Newton's delay, resets included."""
    given, host = course(COUNT, STEPS), Host(COUNT)
    actuator = Actuator(host.indices, DrivePD(row(9.0), row(0.5)), delay=Delay(wp.full(COUNT, 3, dtype=wp.int32), 3))
    ours = be.Actuator(
        controller=be.IdealPd(stiffness=9.0, damping=0.5), delay=be.Delay(steps=3, schedule="isaaclab", per="joint")
    )
    from rig import reference, run

    mask = np.arange(COUNT) % 4 == 1
    found = run(actuator, host, given, 15, mask)
    agree(found, reference(ours, given, 15, mask)["torque"])


def test_the_law_on_another_engine():
    """The same pipeline on JAX, in its float32."""
    import jax.numpy as jnp

    law = Pipeline(
        drive=Drive(kp=9.0, ki=20.0, kd=0.5, integral_max=0.003),
        clamps=(DcMotor(saturation_effort=5.0, velocity_limit=4.0, max_motor_effort=3.0),),
        delay_steps=2,
    )
    ours, theirs = law.initial((COUNT,)), law.initial((COUNT,))
    for p, _, _, q, v in zip(*course(COUNT, 10), strict=True):
        ours, torque = law.step(ours, p.astype(float), q.astype(float), v.astype(float), DT)
        theirs, other = law.step(theirs, jnp.asarray(p), jnp.asarray(q), jnp.asarray(v), DT, engine="jax")
        assert np.abs(np.asarray(other) - torque).max() < 1e-4
