"""Random joints in real PhysX beside our law of its solver: external forces, friction, velocity limits."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from rig import GRAVITY, INERTIA, joint_in_physx

import backemf as be
from backemf.sims import physx

RESPONSE = 1.0 / INERTIA
ARM = 0.3
"""Where the mass of a link with weight is [m]."""


class Case:
    """A random joint: drive, envelope, friction, velocity limit, solver and what is asked of it."""

    def __init__(self, seed: int, often: bool, rubs: bool = False, held: bool = False, heavy: bool = False) -> None:
        draw = random.Random(seed)

        def maybe(low: float, high: float) -> float:
            return draw.choice([0.0, draw.uniform(low, high)])

        self.limit = be.DriveEnvelope(
            max_effort=draw.uniform(0.5, 20.0),
            max_actuator_velocity=draw.uniform(2.0, 30.0),
            velocity_dependent_resistance=maybe(0.01, 0.5),
            speed_effort_gradient=maybe(0.05, 3.0),
        )
        self.gains = {"stiffness": maybe(1.0, 400.0), "damping": draw.uniform(0.1, 20.0)}
        self.dt = draw.choice([0.002, 0.005, 0.01, 0.02])
        self.positions, self.velocities = draw.choice([1, 2, 4, 8, 32]), draw.choice([0, 1, 4])
        self.often = often
        static = draw.choice([0.0, draw.uniform(0.05, 3.0), draw.uniform(2.0, 12.0)]) if rubs else 0.0
        self.friction = {
            "static_friction": static,
            "dynamic_friction": static * draw.uniform(0.2, 1.0),
            "viscous_friction": maybe(0.01, 1.0) if rubs else 0.0,
        }
        self.top = draw.uniform(1.0, 10.0) if held else None
        self.arm = ARM if heavy else 0.0
        self.start = draw.choice([0.0, draw.uniform(-1.0, 1.0), draw.uniform(-8.0, 8.0)])
        self.asked = {
            "position_target": draw.uniform(-2.0, 2.0),
            "velocity_target": maybe(-8.0, 8.0),
            "effort": maybe(-10.0, 10.0),
        }

    @property
    def drive(self) -> physx.UsdDrive:
        axis = physx.JointAxis(max_joint_velocity=self.top, **self.friction)
        return physx.UsdDrive(envelope=self.limit, axis=axis, **self.gains)

    @property
    def law(self) -> physx.JointDrive:
        return self.drive.joint_drive(
            position_iterations=self.positions,
            velocity_iterations=self.velocities,
            forces_every_iteration=self.often,
        )

    def joint(self):
        return joint_in_physx(
            self.drive,
            positions=self.positions,
            velocities=self.velocities,
            often=self.often,
            arm=self.arm,
            gravity=GRAVITY if self.arm else 0.0,
        )

    def begin(self, joint) -> None:
        joint.set("jointPosition", 0.0, 1)
        joint.set("jointVelocity", self.start, 1)
        joint.set("jointPositionTarget", self.asked["position_target"], 1)
        joint.set("jointVelocityTarget", self.asked["velocity_target"], 1)
        joint.set("jointActuationForce", self.asked["effort"])

    def errors(self, law: physx.JointDrive, steps: int = 40) -> tuple[float, float]:
        """Largest difference of velocity [rad/s] and position [rad] after a step, each from PhysX's own state."""
        found = []
        with self.joint() as joint:
            self.begin(joint)
            for _ in range(steps):
                before = joint.state()
                load = GRAVITY * self.arm * math.cos(before[0])
                expected = law.step(*before, RESPONSE, self.dt, load=load, **self.asked)
                position, velocity = joint.step(self.dt)
                moved = math.remainder(position - float(expected[0]), 4.0 * math.pi)
                found.append((abs(velocity - float(expected[1])), abs(moved)))
        speeds, places = zip(*found, strict=True)
        return max(speeds), max(places)


def assert_close(case: Case) -> None:
    """Forty steps; friction that stops a swinging link has a larger error, in the one step in which it does."""
    stops = case.arm and case.friction["static_friction"]
    velocity, position = case.errors(case.law)
    assert velocity < (1e-3 if stops else 1e-4)
    assert position < 1e-4


@pytest.mark.parametrize("often", [True, False])
@pytest.mark.parametrize("seed", range(12))
def test_external_forces_per_iteration_or_per_step(seed, often):
    """Efforts and weight that enter in every iteration, or once per step as Isaac Lab has it."""
    case = Case(seed, often, heavy=seed % 2 == 0)
    assert_close(case)


@pytest.mark.parametrize("often", [True, False])
@pytest.mark.parametrize("seed", range(100, 112))
def test_static_dynamic_and_viscous_friction(seed, often):
    """Sliding, sticking and breaking away, under gravity and without."""
    case = Case(seed, often, rubs=True, heavy=seed % 2 == 0)
    assert_close(case)


@pytest.mark.parametrize("often", [True, False])
@pytest.mark.parametrize("seed", range(200, 208))
def test_largest_joint_velocity(seed, often):
    """The joint is held to maxJointVelocity, whatever drive, effort and weight ask for."""
    case = Case(seed, often, held=True, rubs=seed % 3 == 0, heavy=seed % 2 == 0)
    assert_close(case)


LIGHT = {
    "fast": (0.9, 27.0, 0.3, 1.25, 9.8),
    "shallow": (0.3, 20.0, 0.5, -1.5, -4.8),
    "heavily loaded": (0.7, 30.0, 0.16, -1.0, -2.1),
}
"""Gradient, largest effort, damping, position target and effort of a drive with kp 60 on a light link."""


@pytest.mark.parametrize("name", LIGHT)
def test_trajectories_agree_with_forces_once_per_step(name):
    """kp 60, 10 ms, 4 iterations: within 1e-3 rad/s over 50 steps, where the other setting is 9 rad/s away."""
    gradient, most, damping, target, effort = LIGHT[name]
    dt, response = 0.01, 20.0
    limit = be.DriveEnvelope(max_effort=most, max_actuator_velocity=12.5, speed_effort_gradient=gradient)
    gains = {"stiffness": 60.0, "damping": damping}
    once = physx.JointDrive(
        envelope=physx.Envelope(limit=limit), position_iterations=4, forces_every_iteration=False, **gains
    )
    often = replace(once, forces_every_iteration=True)
    given = {"position_target": target, "effort": effort}
    drive = physx.UsdDrive(envelope=limit, **gains)
    with joint_in_physx(drive, positions=4, often=False, inertia=1.0 / response) as joint:
        for attribute in ("jointPosition", "jointVelocity"):
            joint.set(attribute, 0.0, 1)
        joint.set("jointPositionTarget", target, 1)
        joint.set("jointActuationForce", effort)
        state, other, apart = (0.0, 0.0), (0.0, 0.0), 0.0
        for _ in range(50):
            real = joint.step(dt)
            state = tuple(float(x) for x in once.step(*state, response, dt, **given)[:2])
            other = tuple(float(x) for x in often.step(*other, response, dt, **given)[:2])
            assert real[1] == pytest.approx(state[1], abs=1e-3)
            assert math.remainder(real[0] - state[0], 4.0 * math.pi) == pytest.approx(0.0, abs=1e-3)
            apart = max(apart, abs(other[1] - real[1]))
    assert apart > 9.0


@pytest.mark.parametrize("gradient", [0.0, 0.5])
@pytest.mark.parametrize("velocity", [0.0, 3.0, -3.0])
def test_a_motor_without_speed_gives_no_torque(velocity, gradient):
    """maxActuatorVelocity 0: accepted by PhysX, which neither drives the joint nor, with a gradient, brakes it."""
    limit = be.DriveEnvelope(max_effort=5.0, max_actuator_velocity=0.0, speed_effort_gradient=gradient)
    law = physx.JointDrive(envelope=physx.Envelope(limit=limit), damping=10.0, position_iterations=4)
    with joint_in_physx(physx.UsdDrive(damping=10.0, envelope=limit), positions=4) as joint:
        joint.set("jointPosition", 0.0, 1)
        joint.set("jointVelocity", velocity, 1)
        joint.set("jointVelocityTarget", 100.0, 1)
        for _ in range(10):
            before = joint.state()
            expected = float(law.step(*before, RESPONSE, 0.01, velocity_target=100.0)[1])
            assert joint.step(0.01)[1] == pytest.approx(expected, abs=1e-5)
        assert joint.state()[1] == pytest.approx(velocity, abs=1e-5)


def test_dynamic_friction_alone_is_none():
    """Without static and viscous friction PhysX takes its older model, in which dynamic friction has no place."""
    limit = be.DriveEnvelope(max_effort=5.0, max_actuator_velocity=50.0)
    drive = physx.UsdDrive(envelope=limit, axis=physx.JointAxis(dynamic_friction=2.0))
    law = physx.JointDrive(envelope=physx.Envelope(limit=limit), dynamic_friction=2.0)
    with joint_in_physx(drive) as joint:
        joint.set("jointPosition", 0.0, 1)
        joint.set("jointVelocity", 4.0, 1)
        assert joint.step(0.01)[1] == pytest.approx(4.0, abs=1e-5)
    assert law.step(0.0, 4.0, RESPONSE, 0.01)[1] == pytest.approx(4.0)


@pytest.mark.parametrize("effort", [8.0, -8.0, 2.0])
def test_a_plain_drive_counts_efforts_within_its_largest_force(effort):
    """Without an envelope too, PD and applied effort together are within maxForce: 5 N·m of a thousand."""
    drive = physx.UsdDrive(damping=1000.0, max_effort=5.0)
    with joint_in_physx(drive, positions=4) as joint:
        joint.set("jointPosition", 0.0, 1)
        joint.set("jointVelocity", 0.0, 1)
        joint.set("jointVelocityTarget", 100.0, 1)
        joint.set("jointActuationForce", effort)
        real = joint.step(0.01)[1]
    assert real == pytest.approx(0.01 * RESPONSE * 5.0, rel=1e-5)
    law = drive.joint_drive(position_iterations=4)
    found = law.step(0.0, 0.0, RESPONSE, 0.01, velocity_target=100.0, effort=effort)[1]
    assert real == pytest.approx(float(found), rel=1e-5)


def test_a_drive_without_force_gives_no_torque():
    """maxForce 0 is no missing limit: the drive does nothing."""
    with joint_in_physx(physx.UsdDrive(damping=1000.0, max_effort=0.0), positions=1) as joint:
        joint.set("jointPosition", 0.0, 1)
        joint.set("jointVelocity", 0.0, 1)
        joint.set("jointVelocityTarget", 100.0, 1)
        assert joint.step(0.01)[1] == pytest.approx(0.0, abs=1e-6)
