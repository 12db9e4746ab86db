"""Gradients through our actuators inside Newton, through every state, beside JAX's of the same course."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import warp as wp
from newton.actuators import Actuator, DrivePID
from rig import BATTERY, BRISTLES, DT, motor

import backemf as be
from backemf.sims.newton import BackemfActuator, BackemfDrive

COUNT, TURNS = 4, 25
RNG = np.random.default_rng(2)
Q0, TARGET = 0.1 * RNG.normal(size=COUNT), 0.3 + 0.1 * RNG.normal(size=COUNT)
KINDS = {
    "PID, delay and heat": (
        be.Actuator(motor(), controller=be.PositionPid(kp=20.0, ki=60.0, kd=0.5), delay=be.Delay(steps=2.5)),
        ("motor.winding.resistance", "motor.magnet.back_emf_constant", "controller.ki"),
    ),
    "current loop and bristles": (
        be.Actuator(
            motor(friction=BRISTLES),
            BATTERY,
            controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, current_bandwidth=300.0),
        ),
        ("controller.current_bandwidth", "motor.friction.stiffness", "controller.kp"),
    ),
    "PD and DC clip": (
        be.Actuator(
            controller=be.IdealPd(stiffness=8.0, damping=0.5),
            limits=be.DcClip(saturation_effort=5.0, velocity_limit=3.0, effort_limit=3.0),
        ),
        ("controller.stiffness", "controller.damping"),
    ),
}


def replace_number(part, name: str, value):
    """The part with one number changed, by its dotted name."""
    head, _, rest = name.partition(".")
    return replace(part, **{head: replace_number(getattr(part, head), rest, value) if rest else value})


def value_of(part, name: str) -> float:
    for each in name.split("."):
        part = getattr(part, each)
    return part


@wp.kernel(enable_backward=True)
def move_joint(
    f: wp.array(dtype=float),
    q: wp.array(dtype=float),
    v: wp.array(dtype=float),
    q1: wp.array(dtype=float),
    v1: wp.array(dtype=float),
    loss: wp.array(dtype=float),
):
    """A joint of 0.02 kg·m² a step later, and its squared distance to a place."""
    i = wp.tid()
    v1[i] = v[i] + 0.1 * f[i]
    q1[i] = q[i] + 0.002 * v1[i]
    wp.atomic_add(loss, 0, (q1[i] - 0.3) * (q1[i] - 0.3))


def wide(x) -> wp.array:
    return wp.array(np.broadcast_to(x, (COUNT,)).astype(np.float32), requires_grad=True)


def of_newton(kind: be.Actuator, names, make):
    """Loss and its slopes by Newton's actuator and a tape."""
    numbers = {n: wide(value_of(kind, n)) for n in names}
    for n, x in numbers.items():
        kind = replace_number(kind, n, x)
    index = wp.array(np.arange(COUNT, dtype=np.uint32))
    actuator = make(index, BackemfDrive(kind), requires_grad=True)
    before, after = actuator.state(), actuator.state()
    q, v, command = wide(Q0), wide(0.2), wide(TARGET)
    start, loss = q, wp.zeros(1, dtype=float, requires_grad=True)
    zero = wp.zeros(COUNT, dtype=float)
    tape = wp.Tape()
    with tape:
        for _ in range(TURNS):
            f = wp.zeros(COUNT, dtype=float, requires_grad=True)
            control = SimpleNamespace(joint_target_q=command, joint_target_qd=zero, joint_act=None, joint_f=f)
            actuator.step(SimpleNamespace(joint_q=q, joint_qd=v), control, before, after, dt=DT)
            before, after = after, before
            q1, v1 = wide(0.0), wide(0.0)
            wp.launch(move_joint, dim=COUNT, inputs=[f, q, v], outputs=[q1, v1, loss])
            q, v = q1, v1
    tape.backward(loss)
    slopes = {n: x.grad.numpy() for n, x in numbers.items()}
    return loss.numpy()[0], slopes | {"start": start.grad.numpy(), "command": command.grad.numpy()}


def of_jax(kind: be.Actuator, names):
    """The same by JAX, in float64."""

    def loss(numbers, q, command):
        actuator = kind
        for n, x in numbers.items():
            actuator = replace_number(actuator, n, x)
        step = actuator.compile("jax")
        state, v, total = step.initial((COUNT,)), jnp.full(COUNT, 0.2), 0.0
        several = len(actuator.controller.inputs) > 1
        for _ in range(TURNS):
            given = be.Command(position=command, velocity=jnp.zeros(COUNT)) if several else command
            state, out = step(state, given, q, v, DT)
            v = v + 0.1 * out.torque
            q = q + 0.002 * v
            total = total + ((q - 0.3) ** 2).sum()
        return total

    with jax.enable_x64(True):
        numbers = {n: jnp.full(COUNT, value_of(kind, n)) for n in names}
        value, (by_number, by_q, by_command) = jax.value_and_grad(loss, argnums=(0, 1, 2))(
            numbers, jnp.asarray(Q0), jnp.asarray(TARGET)
        )
        slopes = {n: np.asarray(x) for n, x in by_number.items()}
        return float(value), slopes | {"start": np.asarray(by_q), "command": np.asarray(by_command)}


@pytest.mark.parametrize("make", [Actuator, BackemfActuator])
@pytest.mark.parametrize("name", KINDS)
def test_gradients_are_those_of_jax(name, make):
    """25 steps through integral, delay, heat, current and bristles: a tape around Newton's step equals JAX to 1e-4."""
    kind, names = KINDS[name]
    value, slopes = of_newton(kind, names, make)
    expected, theirs = of_jax(kind, names)
    assert value == pytest.approx(expected, rel=1e-5)
    for n, x in theirs.items():
        assert np.abs(x).max() > 1e-8, n
        assert np.abs(slopes[n] - x).max() <= 1e-4 * np.abs(x).max(), n


def last_effort(drive, turns: int) -> float:
    """d(torque of the last step)/d(target) by a tape, with a step of 1 s and a joint that does not move."""
    actuator = Actuator(wp.zeros(1, dtype=wp.uint32), drive, requires_grad=True)
    before, after = actuator.state(), actuator.state()
    target = wp.ones(1, dtype=float, requires_grad=True)
    zero = wp.zeros(1, dtype=float)
    tape = wp.Tape()
    with tape:
        for _ in range(turns):
            f = wp.zeros(1, dtype=float, requires_grad=True)
            control = SimpleNamespace(joint_target_q=target, joint_target_qd=zero, joint_act=None, joint_f=f)
            actuator.step(SimpleNamespace(joint_q=zero, joint_qd=zero), control, before, after, dt=1.0)
            before, after = after, before
    assert f.numpy()[0] == pytest.approx(3.0)
    f.grad.fill_(1.0)
    tape.backward()
    return float(target.grad.numpy()[0])


def test_newtons_pid_forgets_its_integral():
    """ki = 1 and an error of 1 for three steps: the torque is 3, and so is its slope; Newton 1.8 says 1, ours 3."""
    one, nothing, endless = (wp.full(1, x, dtype=float) for x in (1.0, 0.0, np.inf))
    assert last_effort(DrivePID(nothing, one, nothing, endless), 3) == pytest.approx(1.0)
    # ours uses the integral of the steps before this one
    assert last_effort(BackemfDrive(be.Actuator(controller=be.TorquePid(ki=1.0))), 4) == pytest.approx(3.0)
