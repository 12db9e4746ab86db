"""The magnet: torque from current, voltage from speed, weaker when hot, saturating at high current."""

from __future__ import annotations

import math

import numpy as np
import pytest

import backemf as be
from backemf.physics.magnet import saturating_torque, saturating_torque_slope

R, K = 0.5, 0.05


def motor(magnet=None, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=R, temperature_coefficient=0.0),
        magnet=magnet or be.Magnet(torque_constant=K, back_emf_constant=K),
        **parts,
    )


def one_step(motor, command, speed, dt, **initial):
    step = motor.compile("numpy")
    return step(step.initial(**initial), command, 0.0, speed, dt)


def test_hot_magnets_give_less_torque_and_less_voltage():
    """Both constants fall with 1 + αm·(T - T0)."""
    magnet = be.Magnet(torque_constant=0.05, back_emf_constant=0.06, temperature_coefficient=-0.002)
    hot = motor(magnet, thermal=be.Thermal(resistance=5.0, capacitance=50.0, ambient=20.0))
    _, out = one_step(hot, 12.0, 100.0, 1e-3, winding_rise=85.0)
    flux = 1 - 0.002 * (20.0 + 85.0 - 25.0)
    current = (12.0 - 0.06 * flux * 100.0) / R
    assert out.back_emf == pytest.approx(0.06 * flux * 100.0, rel=1e-14)
    assert out.torque == pytest.approx(0.05 * flux * current, rel=1e-14)


def test_flux_never_turns_round():
    """Far beyond any magnet's temperature the flux is 0, not negative."""
    magnet = be.Magnet(torque_constant=K, back_emf_constant=K, temperature_coefficient=-0.01)
    molten = motor(magnet, thermal=be.Thermal(resistance=5.0, capacitance=50.0))
    _, out = one_step(molten, 12.0, 100.0, 1e-3, winding_rise=500.0)
    assert out.torque == 0.0 and out.back_emf == 0.0


MJ5208 = be.Saturation(knee_current=22.5, scale=0.02494, torque=0.6638)
"""The published torque law of the mj5208."""


def saturating(kt=0.0252) -> be.Magnet:
    return be.Magnet(torque_constant=kt, back_emf_constant=kt, saturation=MJ5208)


@pytest.mark.parametrize("amperes", [5.0, 22.5, 30.0, 60.0, 100.0])
def test_beyond_the_knee_torque_grows_with_the_logarithm(amperes):
    """torque = Kt·22.5 + 0.6638·log2(1 + 0.02494·(i - 22.5)) beyond 22.5 A, Kt·i below, odd in the current."""
    beyond = max(amperes - 22.5, 0.0)
    expected = 0.0252 * min(amperes, 22.5) + 0.6638 * math.log2(1 + 0.02494 * beyond)
    for sign in (1.0, -1.0):
        _, out = one_step(motor(saturating()), sign * amperes * R, 0.0, 1e-3)
        assert out.torque == pytest.approx(sign * expected, rel=1e-14)


def test_torque_is_continuous_at_the_knee():
    """A nanoampere around the knee changes the torque by no more than the steeper slope allows."""
    magnet, tiny = saturating(), 1e-9
    below, above = (saturating_torque(22.5 + side * tiny, 1.0, magnet, MJ5208) for side in (-1, 1))
    steepest = max(0.0252, 0.6638 * 0.02494 / math.log(2))
    assert abs(above - below) <= 2 * tiny * steepest * (1 + 1e-5)


def test_the_slope_of_the_torque_is_its_derivative():
    """On both sides of the knee and of zero, by central differences."""
    magnet, h = saturating(), 1e-5
    for amperes in (-80.0, -10.0, 1.0, 20.0, 25.0, 90.0):
        ahead, behind = (saturating_torque(amperes + side * h, 1.0, magnet, MJ5208) for side in (1, -1))
        slope = saturating_torque_slope(amperes, 1.0, magnet, MJ5208)
        assert slope == pytest.approx((ahead - behind) / (2 * h), rel=1e-8)


def test_torque_rises_with_current_all_the_way():
    """Saturation bends the curve and never turns it."""
    amperes = np.linspace(-200.0, 200.0, 4001)
    assert (np.diff(saturating_torque(amperes, 1.0, saturating(), MJ5208)) > 0).all()


def test_iron_loss_brakes_with_the_power_it_heats_with():
    """Kfe·w² of heat comes out of the shaft as a torque Kfe·w."""
    iron, speed = 3e-6, 800.0
    lossy = motor(be.Magnet(torque_constant=K, back_emf_constant=K, iron_loss=iron))
    _, out = one_step(lossy, K * speed, speed, 1e-3)
    assert out.current == 0.0
    assert out.torque == pytest.approx(-iron * speed, rel=1e-15)
    assert out.iron_power == pytest.approx(iron * speed**2, rel=1e-15)
    assert out.mechanical_power == pytest.approx(-out.iron_power, rel=1e-15)
    assert out.drag_power == 0.0


def test_iron_loss_heats_a_single_node():
    """Without current the rise heads for Rth·Kfe·w²."""
    iron, speed, dt = 3e-6, 800.0, 40.0
    thermal = be.Thermal(resistance=6.0, capacitance=20.0)
    lossy = motor(be.Magnet(torque_constant=K, back_emf_constant=K, iron_loss=iron), thermal=thermal)
    state, _ = one_step(lossy, K * speed, speed, dt)
    assert state.winding_rise == pytest.approx(6.0 * iron * speed**2 * -math.expm1(-dt / 120.0), rel=1e-14)


def test_iron_loss_heats_the_housing_of_two_nodes():
    """The iron sits in the housing: without current both nodes settle at the housing's resistance times the loss."""
    iron, speed = 3e-6, 800.0
    thermal = be.TwoNodeThermal(
        winding_resistance=4.0, winding_capacitance=5.0, housing_resistance=6.0, housing_capacitance=80.0
    )
    lossy = motor(be.Magnet(torque_constant=K, back_emf_constant=K, iron_loss=iron), thermal=thermal)
    state, _ = one_step(lossy, K * speed, speed, 1e6)
    assert state.housing_rise == pytest.approx(6.0 * iron * speed**2, rel=1e-12)
    assert state.winding_rise == pytest.approx(6.0 * iron * speed**2, rel=1e-12)
    first, _ = one_step(lossy, K * speed, speed, 1e-3)
    assert first.housing_rise == pytest.approx(iron * speed**2 * 1e-3 / 80.0, rel=1e-5)
    assert first.winding_rise < 1e-3 * first.housing_rise
