"""Real PhysX joints and our law of them, from the same file: end-of-step velocities, positions and efforts."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from rig import GRAVITY, INERTIA, joint_in_physx

import backemf as be
from backemf.sims import physx

RESPONSE = 1.0 / INERTIA
BOTH = be.DriveEnvelope(
    max_effort=5.0, max_actuator_velocity=10.0, velocity_dependent_resistance=0.1, speed_effort_gradient=1.0
)
ENVELOPES = {
    "both lines": BOTH,
    "effort alone": replace(BOTH, velocity_dependent_resistance=0.0, speed_effort_gradient=0.0),
    "gradient": replace(BOTH, velocity_dependent_resistance=0.0),
    "steep gradient": replace(BOTH, speed_effort_gradient=20.0),
    "resistance": replace(BOTH, speed_effort_gradient=0.0),
    "strong resistance": replace(BOTH, velocity_dependent_resistance=2.0, speed_effort_gradient=0.0),
    "light and fast": be.DriveEnvelope(
        max_effort=0.8, max_actuator_velocity=45.0, velocity_dependent_resistance=0.01, speed_effort_gradient=30.0
    ),
}
SPEEDS = (0.0, 2.0, 4.99, 8.0, 9.99, 12.0)
# float32 in degrees: 1e-6 of the speed, and as much again for each addition to it
CLOSE = {"rel": 3e-6, "abs": 1e-5}


def pulling(limit: be.DriveEnvelope, instance: str = "angular") -> physx.UsdDrive:
    """A velocity drive so stiff that the envelope alone decides."""
    return physx.UsdDrive(instance=instance, damping=1000.0, envelope=limit)


def put(joint, velocity: float, target: float, effort: float = 0.0) -> None:
    joint.set("jointPosition", 0.0, 1)
    joint.set("jointVelocity", velocity, 1)
    joint.set("jointVelocityTarget", target, 1)
    joint.set("jointActuationForce", effort)


def solve(limit: be.DriveEnvelope, velocity: float, target: float, dt: float, effort: float = 0.0) -> float:
    """Drive effort of one implicit solution over the whole step [N·m]."""
    drive = physx.JointDrive(envelope=physx.Envelope(limit=limit), damping=1000.0, position_iterations=1)
    free = velocity + dt * RESPONSE * effort
    asked = physx.pd_impulse(drive, 0.0, free, target, RESPONSE, dt)
    return float(physx.Envelope(limit=limit).solve(asked, velocity, RESPONSE, dt, effort)) / dt


@pytest.mark.parametrize("name", ENVELOPES)
def test_authored_envelope_arrives(name):
    """PhysX reads from the file the four numbers that were written, in degrees."""
    limit = ENVELOPES[name]
    with joint_in_physx(pulling(limit)) as joint:
        assert joint.get("jointMaxForce") == pytest.approx(limit.max_effort, rel=1e-6)
        assert joint.get("jointMaxActuatorVelocity", 1) == pytest.approx(limit.max_actuator_velocity, rel=1e-6)
        assert joint.get("jointSpeedEffortGradient", 1) == pytest.approx(limit.speed_effort_gradient, rel=1e-6)
        found = joint.get("jointVelocityDependentResistance", -1)
        assert found == pytest.approx(limit.velocity_dependent_resistance, rel=1e-6)


@pytest.mark.parametrize("dt", [0.002, 0.02])
@pytest.mark.parametrize("name", ENVELOPES)
def test_one_step_is_the_solved_impulse(name, dt):
    """With one position iteration: driving and braking, both ways, from rest to beyond the top speed."""
    limit = ENVELOPES[name]
    with joint_in_physx(pulling(limit), positions=1) as joint:
        for speed in SPEEDS:
            for velocity in (speed, -speed):
                for target in (200.0, -200.0):
                    put(joint, velocity, target)
                    after = joint.step(dt)[1]
                    effort = solve(limit, velocity, target, dt)
                    assert after == pytest.approx(velocity + dt * RESPONSE * effort, **CLOSE)
                    assert joint.get("jointProjectedForce") == pytest.approx(effort, abs=5e-4)


def test_linear_joint_obeys_the_same_law():
    """A prismatic joint, in metres and newtons, without degrees."""
    with joint_in_physx(pulling(BOTH, "linear"), positions=1) as joint:
        for velocity in (0.0, 2.0, -8.0, 12.0):
            for target in (200.0, -200.0):
                put(joint, velocity, target)
                expected = velocity + 0.01 * RESPONSE * solve(BOTH, velocity, target, 0.01)
                assert joint.step(0.01)[1] == pytest.approx(expected, **CLOSE)


@pytest.mark.parametrize("effort", [3.0, -3.0, 12.0, -12.0])
def test_user_effort_is_inside_the_envelope(effort):
    """What the user applies counts as the drive's own, even where it alone would leave the envelope."""
    with joint_in_physx(pulling(BOTH), positions=1) as joint:
        for velocity in (2.0, -8.0, 12.0):
            put(joint, velocity, 200.0, effort)
            expected = velocity + 0.01 * RESPONSE * (solve(BOTH, velocity, 200.0, 0.01, effort) + effort)
            assert joint.step(0.01)[1] == pytest.approx(expected, **CLOSE)


def test_beyond_the_top_speed_physx_runs_free_and_a_motor_brakes():
    """At 12 rad/s with a target of -200 rad/s nothing happens in PhysX; a motor brakes with 5 + 0.1·12 N·m."""
    with joint_in_physx(pulling(BOTH)) as joint:
        put(joint, 12.0, -200.0)
        for _ in range(10):
            assert joint.step(0.01)[1] == pytest.approx(12.0, abs=1e-5)
    assert physx.Envelope(limit=BOTH, quadrants="physical").clamp(-100.0, 12.0) == pytest.approx(-6.2)


SCENARIOS = {
    "driven up": ({"damping": 1000.0}, ENVELOPES["both lines"], 0.0, {"velocity_target": 200.0}),
    "effort limit": ({"damping": 1000.0}, ENVELOPES["effort alone"], 0.0, {"velocity_target": 8.0}),
    "gradient": ({"damping": 1000.0}, ENVELOPES["gradient"], 0.0, {"velocity_target": -200.0}),
    "steep gradient": ({"damping": 1000.0}, ENVELOPES["steep gradient"], -4.0, {"velocity_target": 200.0}),
    "resistance": ({"damping": 1000.0}, ENVELOPES["resistance"], 0.0, {"velocity_target": 200.0}),
    "strong resistance": ({"damping": 1000.0}, ENVELOPES["strong resistance"], 1.0, {"velocity_target": 200.0}),
    "braked": ({"damping": 1000.0}, ENVELOPES["both lines"], 9.5, {"velocity_target": 0.0}),
    "reversed": ({"damping": 1000.0}, ENVELOPES["both lines"], 9.5, {"velocity_target": -200.0}),
    "overspeed": ({"damping": 1000.0}, ENVELOPES["both lines"], 12.0, {"velocity_target": -200.0}),
    "user effort": ({"damping": 1.0}, ENVELOPES["both lines"], 2.0, {"effort": 2.5}),
    "user effort out of overspeed": ({"damping": 1.0}, ENVELOPES["both lines"], 12.0, {"effort": -2.5}),
    "position step": ({"stiffness": 40.0, "damping": 4.0}, ENVELOPES["both lines"], 0.0, {"position_target": 1.5}),
    "soft position": ({"stiffness": 3.0, "damping": 0.5}, ENVELOPES["both lines"], 1.0, {"position_target": 0.3}),
    "moving target": (
        {"stiffness": 40.0, "damping": 4.0},
        ENVELOPES["both lines"],
        0.0,
        {"position_target": 0.5, "velocity_target": 0.7},
    ),
    "light and fast": ({"damping": 1000.0}, ENVELOPES["light and fast"], 0.0, {"velocity_target": 200.0}),
}


@pytest.mark.parametrize("dt", [0.002, 0.02])
@pytest.mark.parametrize("positions", [4, 32])
@pytest.mark.parametrize("name", SCENARIOS)
def test_trajectories_agree(name, positions, dt):
    """Fifty steps with the solver's iterations stay within 1e-3 rad/s, each side going on from its own state."""
    gains, limit, velocity, given = SCENARIOS[name]
    law = physx.JointDrive(envelope=physx.Envelope(limit=limit), position_iterations=positions, **gains)
    with joint_in_physx(physx.UsdDrive(envelope=limit, **gains), positions=positions) as joint:
        put(joint, velocity, given.get("velocity_target", 0.0), given.get("effort", 0.0))
        joint.set("jointPositionTarget", given.get("position_target", 0.0), 1)
        state = (0.0, velocity)
        for _ in range(50):
            real = joint.step(dt)
            state = tuple(float(x) for x in law.step(*state, RESPONSE, dt, **given)[:2])
            assert real[1] == pytest.approx(state[1], abs=1e-3)
            # PhysX counts the angle of a joint without limits from -2π to 2π, and goes on at the other end
            assert math.remainder(real[0] - state[0], 4.0 * math.pi) == pytest.approx(0.0, abs=1e-3)


@pytest.mark.parametrize("velocities", [0, 1, 4])
def test_velocity_iterations_decide_where_the_envelope_holds(velocities):
    """With one, the whole step's effort fits the envelope at the end; without, each short step did for itself."""
    law = physx.JointDrive(
        envelope=physx.Envelope(limit=BOTH), damping=1000.0, position_iterations=4, velocity_iterations=velocities
    )
    with joint_in_physx(pulling(BOTH), positions=4, velocities=velocities) as joint:
        put(joint, 2.0, 200.0)
        position, velocity = joint.step(0.02)
        expected = law.step(0.0, 2.0, RESPONSE, 0.02, velocity_target=200.0)
        assert (position, velocity) == pytest.approx([float(x) for x in expected[:2]], abs=2e-6)
        excess = (velocity - 2.0) / (0.02 * RESPONSE) + 0.1 * velocity - 5.0
        assert (excess > 1e-3) == (velocities == 0)


def test_gravity_acts_outside_the_envelope():
    """A falling link is pulled beyond what the envelope holds; its weight is no part of the drive's effort."""
    arm, dt = 0.3, 0.002
    gains = {"stiffness": 40.0, "damping": 4.0}
    limit = replace(BOTH, max_effort=2.0)
    law = physx.JointDrive(envelope=physx.Envelope(limit=limit), position_iterations=4, **gains)
    with joint_in_physx(physx.UsdDrive(envelope=limit, **gains), positions=4, arm=arm, gravity=GRAVITY) as joint:
        put(joint, 0.0, 0.0)
        for _ in range(50):
            before = joint.state()
            load = GRAVITY * arm * math.cos(before[0])
            expected = law.step(*before, RESPONSE, dt, load=load)
            assert joint.step(dt)[1] == pytest.approx(float(expected[1]), abs=1e-4)
        assert joint.state()[1] > 0.1
