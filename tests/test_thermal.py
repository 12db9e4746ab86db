"""Heat: one lump or two, stepped exactly."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import expm

import backemf as be
from backemf.physics.thermal import one_node, two_nodes

ONE = be.Thermal(resistance=6.2, capacitance=18.0)
TAU = 6.2 * 18.0


def motor(thermal, alpha=0.0, limits=None) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=1.13, temperature_coefficient=alpha),
        magnet=be.Magnet(torque_constant=0.03, back_emf_constant=0.03),
        thermal=thermal,
        limits=limits,
    )


def test_steady_rise_is_thermal_resistance_times_power():
    """Once heat in equals heat out, T = Rth·P."""
    step = motor(ONE).compile("numpy")
    state, out = step(step.initial(), 3.0, 0.0, 0.0, 100 * TAU)
    assert state.winding_rise == pytest.approx(6.2 * 3.0**2 / 1.13, rel=1e-14)
    assert out.winding_temperature == pytest.approx(25.0 + 6.2 * 3.0**2 / 1.13, rel=1e-14)


def test_after_one_time_constant_63_percent_is_reached():
    """T(τ) = (1 - 1/e)·Rth·P, in one step or in a thousand."""
    step = motor(ONE).compile("numpy")
    for count in (1, 1000):
        state = step.initial()
        for _ in range(count):
            state, _ = step(state, 3.0, 0.0, 0.0, TAU / count)
        assert state.winding_rise == pytest.approx((1 - math.exp(-1)) * 6.2 * 3.0**2 / 1.13, rel=1e-12)


def test_cooling_is_an_exponential():
    """Without power the rise falls by 1/e per time constant."""
    step = motor(ONE).compile("numpy")
    state, _ = step(step.initial(winding_rise=80.0), 0.0, 0.0, 0.0, 2 * TAU)
    assert state.winding_rise == pytest.approx(80.0 * math.exp(-2.0), rel=1e-13)


@pytest.mark.parametrize("dt", [1e-6, 1e-3, 1.0, 1e3, 1e6])
def test_one_node_is_exact_at_any_step(dt):
    """T(dt) = Rth·P + (T0 - Rth·P)·exp(-dt/τ)."""
    expected = 70.0 + (6.2 * 12.0 - 70.0) * -math.expm1(-dt / TAU)
    assert one_node(70.0, 12.0, dt, ONE) == pytest.approx(expected, rel=1e-15)


def matrix(t: be.TwoNodeThermal) -> np.ndarray:
    """Rates of winding and housing, and of a constant that carries the powers, per [T1, T2, P1, P2]."""
    a = np.zeros((4, 4))
    a[0] = [-1 / (t.winding_resistance * t.winding_capacitance), 1 / (t.winding_resistance * t.winding_capacitance),
            1 / t.winding_capacitance, 0.0]  # fmt: skip
    a[1] = [1 / (t.winding_resistance * t.housing_capacitance),
            -(1 / t.winding_resistance + 1 / t.housing_resistance) / t.housing_capacitance,
            0.0, 1 / t.housing_capacitance]  # fmt: skip
    return a


@pytest.mark.parametrize("dt", [1e-6, 1e-3, 0.1, 10.0, 1e3])
def test_two_nodes_step_by_the_matrix_exponential(dt):
    """For 50 random pairs of nodes the step is expm(A·dt) on temperatures and held powers."""
    rng = np.random.default_rng(3)
    for _ in range(50):
        r1, r2 = 10 ** rng.uniform(-1, 1.5, 2)
        c1, c2 = 10 ** rng.uniform(-0.5, 3, 2)
        t = be.TwoNodeThermal(
            winding_resistance=r1, winding_capacitance=c1, housing_resistance=r2, housing_capacitance=c2
        )
        start = np.array([*rng.uniform(0, 100, 2), *rng.uniform(0, 30, 2)])
        expected = (expm(matrix(t) * dt) @ start)[:2]
        assert np.array(two_nodes(*start, dt, t)) == pytest.approx(expected, rel=1e-10)


TWO = be.TwoNodeThermal(
    winding_resistance=1.9, winding_capacitance=15.0, housing_resistance=4.7, housing_capacitance=230.0
)


def test_two_nodes_follow_their_closed_form():
    """From cold, T1(t) is a constant and two exponentials at the roots of s² + (k1 + k2 + k3)·s + k1·k3 = 0."""
    power, t = 10.0, 200.0
    k1, k2, k3 = 1 / (1.9 * 15.0), 1 / (1.9 * 230.0), 1 / (4.7 * 230.0)
    total = k1 + k2 + k3
    root = math.sqrt(total**2 / 4 - k1 * k3)
    fast, slow = -total / 2 - root, -total / 2 + root
    # T1(0) = 0 and dT1/dt(0) = P/C1 fix the two amplitudes around the steady rise
    steady = power * (1.9 + 4.7)
    a = (power / 15.0 + slow * steady) / (fast - slow)
    b = -steady - a
    expected = steady + a * math.exp(fast * t) + b * math.exp(slow * t)
    winding, _ = two_nodes(0.0, 0.0, power, 0.0, t, TWO)
    assert winding == pytest.approx(expected, rel=1e-12)


def test_two_nodes_settle_at_the_sum_of_their_resistances():
    """Copper heat passes both resistances, iron heat only the outer one."""
    winding, housing = two_nodes(0.0, 0.0, 8.0, 3.0, 1e7, TWO)
    assert housing == pytest.approx(4.7 * (8.0 + 3.0), rel=1e-12)
    assert winding == pytest.approx(4.7 * (8.0 + 3.0) + 1.9 * 8.0, rel=1e-12)


def test_one_big_step_equals_many_small_ones():
    """With held power a step of 500 s ends where 5000 steps of 0.1 s end."""
    one, two = 30.0, (50.0, 20.0)
    for _ in range(5000):
        one = one_node(one, 12.0, 0.1, ONE)
        two = two_nodes(*two, 12.0, 2.0, 0.1, TWO)
    assert one == pytest.approx(one_node(30.0, 12.0, 500.0, ONE), rel=1e-12)
    assert np.array(two) == pytest.approx(two_nodes(50.0, 20.0, 12.0, 2.0, 500.0, TWO), rel=1e-12)


def test_heat_of_the_whole_step_is_conserved():
    """What the nodes store and what leaves the housing is what the losses brought."""
    dt, powers = 0.5, (12.0, 2.0)
    t1, t2, out = 5.0, 1.0, 0.0
    start = 15.0 * t1 + 230.0 * t2
    for _ in range(4000):
        before = t2
        t1, t2 = two_nodes(t1, t2, *powers, dt, TWO)
        out += dt * 0.5 * (before + t2) / 4.7
    # the trapezoid over the outgoing heat is the only approximation here
    assert 15.0 * t1 + 230.0 * t2 - start == pytest.approx(sum(powers) * 2000.0 - out, rel=1e-6)


@pytest.mark.parametrize("thermal", [ONE, TWO])
def test_a_warm_winding_raises_its_own_heat_at_a_held_current(thermal):
    """At current i the copper feedback settles at i²R0·Rth/(1 - α·i²·R0·Rth)."""
    alpha, current = 0.0039, 1.8
    rth = thermal.resistance
    step = motor(thermal, alpha, be.Limits(peak_current=current)).compile("numpy")
    state = step.initial()
    for _ in range(400):
        state, _ = step(state, 12.0, 0.0, 0.0, 300.0)
    copper = current**2 * 1.13
    assert state.winding_rise == pytest.approx(copper * rth / (1 - alpha * copper * rth), rel=1e-10)


def test_a_warm_winding_lowers_its_own_heat_at_a_held_voltage():
    """At voltage v the rise solves T·(1 + α·T) = Rth·v²/R0."""
    alpha = 0.0039
    step = motor(ONE, alpha).compile("numpy")
    state = step.initial()
    for _ in range(400):
        state, _ = step(state, 4.0, 0.0, 0.0, 60.0)
    goal = 6.2 * 4.0**2 / 1.13
    assert state.winding_rise == pytest.approx((math.sqrt(1 + 4 * alpha * goal) - 1) / (2 * alpha), rel=1e-10)
