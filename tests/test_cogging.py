"""Cogging: a torque that depends on the rotor's angle, and gives back what it takes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import backemf as be

HARMONICS = ((0.004, 14.0, 0.3), (0.0015, 42.0, -1.1), (0.0007, 84.0, 2.0))


def motor(ratio=None) -> be.Motor:
    """A motor without current: only cogging acts."""
    return be.Motor(
        winding=be.Winding(resistance=1e15),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
        cogging=be.Cogging(harmonics=tuple(be.Harmonic(amplitude=a, periodicity=n, phase=p) for a, n, p in HARMONICS)),
        gearbox=None if ratio is None else be.Gearbox(stages=(be.Stage(ratio=ratio),)),
    )


def torque_at(angle, ratio=None):
    step = motor(ratio).compile("numpy")
    return step(step.initial(), 0.0, angle, 0.0, 1e-3)[1].torque


def test_harmonics_add_up():
    """The torque is the sum of A·sin(Np·θ + φ)."""
    angle = np.linspace(-4.0, 4.0, 501)
    expected = sum(a * np.sin(n * angle + p) for a, n, p in HARMONICS)
    assert torque_at(angle) == pytest.approx(expected, abs=1e-17)


def test_the_mean_over_a_turn_is_zero():
    """Whole periods per turn cancel."""
    angle = 2 * math.pi * np.arange(1000) / 1000
    assert abs(torque_at(angle).mean()) <= 1e-16
    assert torque_at(angle + 2 * math.pi) == pytest.approx(torque_at(angle), abs=1e-15)


def test_a_revolution_does_no_net_work():
    """Turned once round and back to where it began, cogging has given as much as it took."""
    step = motor().compile("numpy")
    steps, dt = 2000, 1e-4
    speed = 2 * math.pi / (steps * dt)
    # held at the start of each step, the angle samples the turn evenly
    out = step(step.initial(), 0.0, speed * dt * np.arange(steps), speed, dt)[1]
    work = out.cogging_power * dt
    assert np.abs(work).sum() > 0.01
    assert abs(work.sum()) <= 1e-15
    assert out.cogging_power == pytest.approx(out.mechanical_power, abs=1e-12)


def test_it_follows_the_rotor_through_a_gearbox():
    """Behind a ratio N the angle is N·q and the joint feels N times the torque."""
    joint = np.linspace(-1.0, 1.0, 101)
    assert torque_at(joint, ratio=7.0) == pytest.approx(7.0 * torque_at(7.0 * joint), abs=1e-16)


def test_a_rotor_settles_into_a_detent():
    """With a little drag a free rotor comes to rest where the torque is zero and pushes back."""
    resting = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.02, back_emf_constant=0.02),
        rotor=be.Rotor(inertia=1e-5),
        cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.004, periodicity=14.0),)),
    )
    run = be.simulate(resting, be.Inertia(inertia=0.0), 0.0, duration=3.0, dt=1e-3, position=0.1)
    detent = run["position"][-1]
    assert abs(run["velocity"][-1]) <= 1e-6
    assert abs(math.sin(14 * detent)) <= 1e-6 and math.cos(14 * detent) < 0
