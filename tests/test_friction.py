"""Dry friction that holds exactly, and drag of any order."""

from __future__ import annotations

import math

import numpy as np
import pytest

import backemf as be
from backemf.checks import Number
from backemf.motor.friction import Bristles, DryFriction
from backemf.parts import FAMILIES, number, part
from backemf.physics.bristle import bristles_of
from backemf.physics.friction import budget_of
from backemf.physics.ops import absolute

R, K, J, FC = 1.0, 0.05, 2e-5, 0.02


def motor(friction=None, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=R),
        magnet=be.Magnet(torque_constant=K, back_emf_constant=K),
        rotor=be.Rotor(inertia=J),
        friction=friction,
        **parts,
    )


DRY = be.Coulomb(coulomb=FC)
FREE = be.Inertia(inertia=1e-5)


@pytest.mark.parametrize("share", [0.0, 0.3, -0.7, 0.999])
def test_below_its_torque_coulomb_friction_sticks_exactly(share):
    """A torque below Fc moves nothing, not even by rounding, for any length of time."""
    run = be.simulate(motor(DRY), FREE, share * FC * R / K, duration=1.0, dt=1e-3)
    assert (run["velocity"] == 0.0).all() and (run["position"] == 0.0).all()
    assert (run["torque"] == 0.0).all()


def test_above_its_torque_it_slides():
    """Kt·(v - Ke·w)/R = Fc gives the speed it settles at."""
    volts = 3 * FC * R / K
    run = be.simulate(motor(DRY), FREE, volts, duration=1.0, dt=1e-3)
    assert run["velocity"][-1] == pytest.approx((volts - FC * R / K) / K, rel=1e-10)


def test_just_above_and_just_below():
    """One part in a million decides between standing and creeping."""
    volts = FC * R / K
    still, creeping = (be.simulate(motor(DRY), FREE, volts * (1 + e), duration=0.5, dt=1e-3) for e in (-1e-6, 1e-6))
    assert (still["velocity"] == 0.0).all()
    assert creeping["velocity"][-1] == pytest.approx(1e-6 * volts / K, rel=1e-6)


@pytest.mark.parametrize("dt", [1e-5, 1e-3, 0.1])
def test_it_stops_without_turning_back(dt):
    """A coasting rotor loses Fc·dt/J of speed per step, then stands: no step ends with the other sign."""
    # an open circuit: a resistance so large that the back-EMF drives no current
    coasting = be.Motor(
        winding=be.Winding(resistance=1e12),
        magnet=be.Magnet(torque_constant=K, back_emf_constant=K),
        rotor=be.Rotor(inertia=J),
        friction=DRY,
    )
    start = 7.0
    run = be.simulate(coasting, FREE, 0.0, duration=max(5 * dt, 0.03), dt=dt, velocity=start)
    expected = np.maximum(start - FC / (J + 1e-5) * run.time, 0.0)
    assert run["velocity"] == pytest.approx(expected, abs=1e-9)
    assert (run["velocity"] >= 0.0).all() and run["velocity"][-1] == 0.0


def test_a_pendulum_is_held_at_an_angle():
    """Gravity m·g·l·sin(q) below Fc leaves the arm where it is; above, it falls until friction holds it."""
    load = be.Pendulum(mass=0.05, length=0.1)
    steepest = 0.05 * 9.80665 * 0.1
    held_at = math.asin(0.9 * FC / steepest)
    run = be.simulate(motor(DRY), load, 0.0, duration=1.0, dt=1e-3, position=held_at)
    assert (run["position"] == held_at).all()
    run = be.simulate(motor(DRY), load, 0.0, duration=3.0, dt=1e-3, position=math.asin(1.0))
    assert run["velocity"][-1] == 0.0
    assert steepest * abs(math.sin(run["position"][-1])) < FC
    assert run["position"][-1] != pytest.approx(math.pi / 2, abs=0.1)


def test_a_stuck_joint_passes_no_torque_and_makes_no_heat():
    """While friction holds, it balances the motor's torque and does no work."""
    volts = 0.5 * FC * R / K
    step = motor(DRY).compile("numpy")
    _, out = step(step.initial(), volts, 0.0, 0.0, 1e-3, 0.0, 1e-4)
    assert out.motor_torque == pytest.approx(0.5 * FC, rel=1e-14)
    assert abs(out.torque) <= 1e-17
    assert out.friction_power == 0.0


def test_friction_of_a_sliding_host_is_coulombs():
    """A host that holds the speed sees Kt·i - Fc, against the motion in both directions."""
    step = motor(DRY).compile("numpy")
    for speed in (30.0, -30.0):
        _, out = step(step.initial(), K * speed, 0.0, speed, 1e-3, 0.0, 1e12)
        assert out.torque == pytest.approx(-math.copysign(FC, speed), rel=1e-12)
        assert out.friction_power == pytest.approx(FC * 30.0, rel=1e-12)


def test_a_host_with_a_load_is_held_exactly():
    """Told of a load torque, friction balances motor and load together: the joint's acceleration is zero."""
    step = motor(DRY).compile("numpy")
    _, out = step(step.initial(), 0.0, 0.0, 0.0, 1e-3, 0.6 * FC, 1e-4)
    assert out.torque == pytest.approx(-0.6 * FC, rel=1e-12)
    _, out = step(step.initial(), 0.0, 0.0, 0.0, 1e-3, 1.7 * FC, 1e-4)
    assert out.torque == pytest.approx(-FC, rel=1e-12)


@pytest.mark.parametrize("orders", [1, 2, 3, 5])
def test_drag_is_a_polynomial_of_any_order(orders):
    """B1·w + B2·w|w| + B3·w³ + ... against the motion."""
    coefficients = tuple(3e-5 / 20.0**n * (n + 1) for n in range(orders))
    step = motor(drag=be.Drag(coefficients=coefficients)).compile("numpy")
    for speed in (-35.0, 0.0, 12.0):
        _, out = step(step.initial(), K * speed, 0.0, speed, 1e-3)
        size = sum(b * abs(speed) ** n for n, b in enumerate(coefficients, start=1))
        assert out.torque == pytest.approx(-math.copysign(size, speed), rel=1e-13, abs=1e-18)
        assert out.drag_power == pytest.approx(size * abs(speed), rel=1e-13)


def test_the_reported_slope_is_the_derivative_of_the_torque():
    """-d(torque)/d(speed) of winding and drag, for a host that integrates implicitly."""
    step = motor(drag=be.Drag(coefficients=(1e-5, 2e-6, 3e-8))).compile("numpy")

    def torque(speed):
        return step(step.initial(), 5.0, 0.0, speed, 1e-3)[1].torque

    for speed in (-40.0, 15.0, 90.0):
        _, out = step(step.initial(), 5.0, 0.0, speed, 1e-3)
        assert out.torque_slope == pytest.approx((torque(speed - 1e-3) - torque(speed + 1e-3)) / 2e-3, rel=1e-8)


# --- a friction of one's own


@part
class Grease(DryFriction):
    """Dry friction that grows with the square of the speed."""

    coulomb: Number = number("N·m", least=0.0)
    per_square: Number = number("N·m·s²/rad²", least=0.0)


@budget_of(Grease)
def grease_budget(f: Grease, speed: float, motor_torque: float, load_torque: float) -> float:
    return f.coulomb + f.per_square * speed * speed


@part
class Felt(Bristles):
    """Bristles whose friction falls with the speed."""

    coulomb: Number = number("N·m", above=0.0)
    stiffness: Number = number("N·m/rad", above=0.0)
    fades: Number = number("rad/s", above=0.0)


@bristles_of(Felt)
def felt_bristles(f: Felt, speed: float) -> tuple[float, float, float]:
    return f.coulomb / (1.0 + absolute(speed) / f.fades), f.stiffness, 0.0


@pytest.mark.parametrize("engine", ["numpy", "jax"])
def test_a_friction_of_ones_own_is_a_part_and_its_law(engine, monkeypatch):
    """At a steady speed Kt·(v - Ke·w)/R is the friction that the law gives there, for a budget and for bristles."""
    for own in (Grease(coulomb=FC, per_square=1e-6), Felt(coulomb=FC, stiffness=100.0, fades=50.0)):
        # what `part(family="friction")` does, for this test alone
        monkeypatch.setitem(FAMILIES["friction"], type(own).__name__, type(own))
        run = be.simulate(motor(own), FREE, 6.0, duration=1.0, dt=1e-4, engine=engine, every=100)
        w = run["velocity"][-1]
        law = FC + 1e-6 * w * w if isinstance(own, Grease) else FC / (1.0 + w / 50.0)
        assert K * (6.0 - K * w) / R == pytest.approx(law, rel=1e-6)
        assert ("bristle" in run.channels) == isinstance(own, Felt)
