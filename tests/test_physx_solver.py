"""One joint in PhysX's solver: friction, velocity limits, external forces and motors without speed, in closed form."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import backemf as be
from backemf import ParameterError
from backemf.sims import physx

WIDE = be.DriveEnvelope(max_effort=1e6, max_actuator_velocity=1e6)
FREE = physx.JointDrive(envelope=physx.Envelope(limit=WIDE), position_iterations=4)
SPEEDS = st.floats(-20.0, 20.0)


def after(drive: physx.JointDrive, velocity: float, response: float = 2.0, dt: float = 0.01, **given: float) -> float:
    return float(drive.step(0.0, velocity, response, dt, engine="python", **given)[1])


@pytest.mark.parametrize("often", [True, False])
@given(velocity=SPEEDS, effort=st.floats(-5.0, 5.0))
def test_static_friction_holds_what_it_can(often, velocity, effort):
    """Up to the static friction the joint stops within the step and stays; beyond it slides with dynamic friction."""
    rubs = replace(FREE, static_friction=3.0, dynamic_friction=2.0, position_iterations=1, forces_every_iteration=often)
    needed = abs(velocity / 2.0 + 0.01 * effort)
    found = after(rubs, velocity, effort=effort)
    pushed = velocity + 0.01 * 2.0 * effort
    if needed < 0.999 * 0.03:
        assert found == pytest.approx(0.0, abs=1e-12)
    elif needed > 1.001 * 0.03:
        assert found == pytest.approx(pushed - math.copysign(0.01 * 2.0 * 2.0, pushed))


def test_viscous_friction_is_that_of_the_velocity_before_it():
    """dv = -response·dt·viscous·v, and never more than stops the joint."""
    rubs = replace(FREE, viscous_friction=0.4, position_iterations=1, velocity_iterations=0)
    assert after(rubs, 5.0) == pytest.approx(5.0 * (1.0 - 2.0 * 0.01 * 0.4))
    assert after(replace(rubs, viscous_friction=1e6), 5.0) == pytest.approx(0.0)


def test_dynamic_friction_alone_is_none():
    """PhysX looks at static and viscous friction to tell which of its two models is meant."""
    assert after(replace(FREE, dynamic_friction=2.0), 5.0) == 5.0


@given(velocity=SPEEDS, coefficient=st.floats(0.0, 0.5), force=st.floats(0.0, 50.0))
def test_older_friction_is_a_share_of_the_transmitted_force(velocity, coefficient, force):
    """coefficient·force acts in every iteration, those of velocity too: 5 of h each for 4 and 1, until it stops."""
    rubs = replace(FREE, friction_coefficient=coefficient)
    most = 5 * 2.0 * (0.01 / 4) * coefficient * force
    expected = math.copysign(max(abs(velocity) - most, 0.0), velocity)
    assert after(rubs, velocity, transmitted=force) == pytest.approx(expected, abs=1e-9)
    assert after(replace(rubs, static_friction=1e-9), velocity, transmitted=force) == pytest.approx(velocity, abs=1e-6)


@pytest.mark.parametrize("often", [True, False])
@given(velocity=SPEEDS, effort=st.floats(-500.0, 500.0), top=st.floats(0.1, 10.0))
def test_no_joint_is_faster_than_its_limit(often, velocity, effort, top):
    """Before the step, in every iteration and at the end: the way of a step is at most top·dt."""
    held = replace(FREE, max_joint_velocity=top, forces_every_iteration=often)
    position, found, _ = held.step(0.0, velocity, 2.0, 0.01, effort=effort, engine="python")
    assert abs(found) <= top * (1 + 1e-12) and abs(position) <= 0.01 * top * (1 + 1e-12)


def test_forces_once_or_in_every_iteration_move_the_joint_differently():
    """A load alone gives the same velocity; the way is dt²·a, or (n + 1)/(2n) of it in n short steps."""
    often, once = FREE, replace(FREE, forces_every_iteration=False)
    first, second = (d.step(0.0, 0.0, 2.0, 0.1, load=3.0, engine="python") for d in (often, once))
    assert first[1] == pytest.approx(second[1]) == pytest.approx(0.6)
    assert second[0] == pytest.approx(0.06) and first[0] == pytest.approx(0.06 * 5 / 8)


@pytest.mark.parametrize("quadrants", physx.law.QUADRANTS)
@pytest.mark.parametrize("often", [True, False])
@pytest.mark.parametrize("engine", ["jax", "torch"])
def test_engines_agree(engine, often, quadrants):
    """A batch of joints with friction and a velocity limit, in both settings of the external forces."""
    limit = be.DriveEnvelope(
        max_effort=5.0, max_actuator_velocity=10.0, velocity_dependent_resistance=0.1, speed_effort_gradient=1.0
    )
    drive = physx.JointDrive(
        envelope=physx.Envelope(limit=limit, quadrants=quadrants),
        stiffness=20.0,
        damping=1.0,
        position_iterations=3,
        forces_every_iteration=often,
        static_friction=0.5,
        dynamic_friction=0.3,
        viscous_friction=0.02,
        max_joint_velocity=6.0,
    )
    draw = np.random.default_rng(4)
    position, velocity, response = draw.standard_normal(200), 5.0 * draw.standard_normal(200), np.full(200, 2.0)
    array = be.engines.load(engine).array
    there = [array(x) for x in (position, velocity, response)]
    pairs = zip(drive.step(position, velocity, response, 0.01), drive.step(*there, 0.01, engine=engine), strict=True)
    for expected, found in pairs:
        assert np.ptp(expected) > 0.0
        np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-4, atol=5e-5)


def test_gradients_through_friction_are_finite():
    """At rest, sliding, stuck and at the limit of the velocity, for every number of the joint."""
    jax = pytest.importorskip("jax")

    def total(numbers, velocity):
        drive = replace(FREE, **numbers)
        return drive.step(0.0, velocity, 2.0, 0.01, effort=1.0, engine="jax")[1].sum()

    numbers = {
        "static_friction": 0.5,
        "dynamic_friction": 0.3,
        "viscous_friction": 0.1,
        "max_joint_velocity": 6.0,
        "stiffness": 3.0,
    }
    slopes = jax.grad(total, argnums=(0, 1))(numbers, np.array([0.0, 1e-3, -2.0, 6.0, 9.0]))
    assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(slopes))


@pytest.mark.parametrize("velocity", [0.0, 3.0, -3.0])
def test_a_motor_without_speed_gives_no_torque(velocity):
    """A largest actuator velocity of 0 is accepted, as PhysX does, and nothing drives."""
    stuck = be.DriveEnvelope(max_effort=5.0, max_actuator_velocity=0.0, speed_effort_gradient=0.5)
    drive = physx.JointDrive(envelope=physx.Envelope(limit=stuck), damping=10.0)
    assert after(drive, velocity, velocity_target=100.0) == velocity
    for gradient in (0.0, 0.5):
        law = physx.Envelope(limit=replace(stuck, speed_effort_gradient=gradient))
        np.testing.assert_array_equal(law.clamp(100.0, np.array([0.0, 1.0, -1.0])), 0.0)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("static_friction", -1.0, "JointDrive.static_friction = -1"),
        ("viscous_friction", math.nan, "JointDrive.viscous_friction = nan"),
        ("max_joint_velocity", -1.0, "JointDrive.max_joint_velocity = -1"),
        ("friction_coefficient", "x", "JointDrive.friction_coefficient = 'x'"),
        ("forces_every_iteration", 1, "JointDrive.forces_every_iteration = 1: must be True or False"),
        ("velocity_iterations", 256, "JointDrive.velocity_iterations = 256: must be a whole number"),
    ],
)
def test_impossible_joints_are_one_sentence(field, value, message):
    """The field, its value and the remedy."""
    with pytest.raises(ParameterError) as caught:
        replace(FREE, **{field: value})
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)
