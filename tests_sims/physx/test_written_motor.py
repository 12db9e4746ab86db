"""A motor written as a drive moves a joint of real PhysX as the law of what was written says."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import pytest
from rig import INERTIA, joint_in_physx

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from transfer_rig import geared_motor

import backemf as be
from backemf.sims import physx

MOTOR = geared_motor(drag=be.Drag(coefficients=(1e-4,)))
WRITTEN = physx.write(be.Actuator(MOTOR, controller=be.Torque()), "/World/arm/joint")
INSIDE = physx.read_actuator(WRITTEN.text)
MOVED = INERTIA + 20.0**2 * 2e-5
"""Inertia of the link and of the rotor [kg·m²]."""


def begin(joint, velocity: float, effort: float = 0.0) -> None:
    for name, value, degrees in (("jointPosition", 0.0, 1), ("jointVelocity", velocity, 1)):
        joint.set(name, value, degrees)
    joint.set("jointActuationForce", effort)


def test_rotor_inertia_arrives():
    """A torque within the envelope accelerates link and rotor, less the friction of the gears."""
    dt, effort, friction = 0.002, 5.0, 20.0 * 0.004
    with joint_in_physx(WRITTEN.drive) as joint:
        begin(joint, 0.0, effort)
        for _ in range(10):
            _, velocity = joint.step(dt)
    # viscous friction is a thousandth of the torque here
    assert velocity == pytest.approx(10 * dt * (effort - friction) / MOVED, rel=1e-3)


def test_friction_and_drag_of_the_motor_stop_the_joint():
    """Left alone, it slows down as J·w' = -coulomb - viscous·w: both arrive in PhysX's units."""
    dt, steps, start = 0.002, 500, 8.0
    dry, viscous = 20.0 * 0.004, 20.0**2 * 1e-4
    with joint_in_physx(WRITTEN.drive) as joint:
        begin(joint, start)
        for _ in range(steps):
            _, velocity = joint.step(dt)
    fading = math.exp(-viscous * dt * steps / MOVED)
    assert velocity == pytest.approx((start + dry / viscous) * fading - dry / viscous, rel=2e-3)


@pytest.mark.parametrize("speed", [0.5, 5.0, 10.0, 15.0, 19.0])
@pytest.mark.parametrize("way", [1.0, -1.0])
def test_full_torque_is_that_of_the_law(speed, way):
    """Driving and braking at any speed, one short step changes the velocity by what the law gives."""
    dt, effort = 1e-3, 2.0 * way * WRITTEN.drive.envelope.max_effort
    with joint_in_physx(WRITTEN.drive) as joint:
        begin(joint, speed, effort)
        _, velocity = joint.step(dt)
    law = INSIDE.law()
    # PhysX takes the envelope at the velocity after the step
    torque = law.step(law.initial(()), be.Command(position=0.0, velocity=velocity, effort=effort), 0.0, velocity, dt)[1]
    assert velocity - speed == pytest.approx(dt * float(torque) / MOVED, rel=0.01, abs=2e-5)


def test_a_motor_behind_a_screw_pushes_its_carriage():
    """m·v' = F - dry - viscous·v: rotor, friction and force arrive on the linear axis in kg and N."""
    dt, force, travel = 0.002, 200.0, 0.01 / (2.0 * math.pi)
    slide = be.design.LeadScrew(lead=0.01).motor(MOTOR)
    written = physx.write(be.Actuator(slide, controller=be.Torque()), "/World/arm/joint")
    rotor, friction = MOVED - INERTIA, 20.0 * 0.004
    with joint_in_physx(written.drive) as joint:
        begin(joint, 0.0, force)
        for _ in range(10):
            _, velocity = joint.step(dt)
    assert written.drive.instance == "linear"
    moved, viscous, left = INERTIA + rotor / travel**2, 20.0**2 * 1e-4 / travel**2, force - friction / travel
    assert velocity == pytest.approx(left / viscous * (1.0 - math.exp(-viscous * 10 * dt / moved)), rel=0.01)
