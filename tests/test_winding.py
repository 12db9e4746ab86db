"""The winding: v = L·di/dt + R(T)·i + Ke·w."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from scipy.integrate import quad

import backemf as be
from backemf.physics.circuit import circuit_of, end_current, mean_current, mean_square_current
from backemf.physics.state import State

R, L, KT, KE = 1.13, 2.0e-3, 0.030, 0.041
TE = L / R
NODES, WEIGHTS = np.polynomial.legendre.leggauss(40)


def motor(inductance=None, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=R, inductance=inductance),
        magnet=be.Magnet(torque_constant=KT, back_emf_constant=KE),
        **parts,
    )


def one_step(motor, command, speed, dt, **initial):
    step = motor.compile("numpy")
    return step(step.initial(**initial), command, 0.0, speed, dt)


def test_stall_current_is_voltage_over_resistance():
    """At standstill there is no back-EMF, so i = v/R."""
    _, out = one_step(motor(), 24.0, 0.0, 1e-3)
    assert out.current == pytest.approx(24.0 / R, rel=1e-15)
    assert out.back_emf == 0.0


def test_without_inductance_the_current_follows_the_voltage_at_once():
    """i = (v - Ke·w)/R within the step, whatever the step, and there is no current to remember."""
    for dt in (1e-6, 1e-3, 1.0):
        state, out = one_step(motor(), 24.0, 100.0, dt)
        assert out.current == pytest.approx((24.0 - KE * 100.0) / R, rel=1e-15)
        assert out.electrical_power == pytest.approx(24.0 * (24.0 - KE * 100.0) / R, rel=1e-15)
        assert state.current is None


def test_an_inductance_of_zero_is_no_inductance():
    """L = 0 leaves the current state out."""
    assert motor(0.0).winding.inductance == 0.0
    assert motor(0.0).compile().initial().current is None


@pytest.mark.parametrize("dt", [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1.0])
def test_the_current_steps_along_its_exponential(dt):
    """At held voltage and speed i(t) = i∞ + (i0 - i∞)·exp(-t/te), hit exactly by a step of any length."""
    start, speed, volts = 3.0, 120.0, 24.0
    steady = (volts - KE * speed) / R
    state, out = one_step(motor(L), volts, speed, dt, current=start)
    assert state.current == pytest.approx(steady + (start - steady) * math.exp(-dt / TE), rel=1e-13)
    assert out.current == state.current


def test_one_long_step_equals_many_short_ones():
    """Exact steps compose: 1000 steps of dt end where one step of 1000·dt ends."""
    step = motor(L).compile("numpy")
    state = step.initial(current=-4.0)
    for _ in range(1000):
        state, _ = step(state, 12.0, 0.0, 50.0, 1e-5)
    once, _ = step(step.initial(current=-4.0), 12.0, 0.0, 50.0, 1e-2)
    assert state.current == pytest.approx(once.current, rel=1e-12)


def test_a_hot_winding_is_faster():
    """The inductance stays and the copper gets worse: te = L/R(T), so after L/R(T) 63 % of v/R(T) flow."""
    hot = motor(L, thermal=be.Thermal(resistance=10.0, capacitance=100.0, ambient=25.0))
    ohms = R * (1 + 0.0039 * 80.0)
    state, _ = one_step(hot, 24.0, 0.0, L / ohms, winding_rise=80.0)
    assert state.current == pytest.approx((1 - math.exp(-1.0)) * 24.0 / ohms, rel=1e-13)


@pytest.mark.parametrize("u", [1e-7, 1e-3, 0.05, 0.3, 2.0, 30.0, 700.0])
def test_mean_and_mean_square_current_are_the_integrals(u):
    """The averages over a step of u time constants are those of the exponential, by quadrature."""
    for start, steady in ((3.0, -5.0), (0.0, 8.0), (7.0, 7.0), (-2.0, -6.0)):

        def current(share, start=start, steady=steady):
            return steady + (start - steady) * math.exp(-share * u)

        # 40 Gauss points between ends that are close where the exponential is steep
        ends = [min(1.0, k / u) for k in (0.0, 1.0, 5.0, 20.0, 60.0)] + [1.0]

        def integral(f, ends=ends):
            return sum(
                (b - a) / 2 * (WEIGHTS @ [f((a + b + (b - a) * x) / 2) for x in NODES]) for a, b in pairwise(ends)
            )

        square = integral(lambda s, i=current: i(s) ** 2)
        # both are sums of terms of the size of the two currents, which is what rounding scales with
        size = max(abs(start), abs(steady))
        circuit = circuit_of(motor(L), State(current=start), u * L / R)
        assert abs(mean_current(circuit, steady) - integral(current)) <= 1e-13 * size
        assert abs(mean_square_current(circuit, steady) - square) <= 1e-13 * size**2
        assert end_current(circuit, steady) == pytest.approx(current(1.0), rel=1e-13, abs=1e-15)


def test_copper_power_is_the_mean_of_the_squared_current():
    """A step from rest heats with R·mean(i²), less than R·i² at its end."""
    _, out = one_step(motor(L), 24.0, 0.0, TE)
    steady = 24.0 / R
    square = quad(lambda t: (steady * (1 - math.exp(-t))) ** 2, 0.0, 1.0, epsrel=1e-13)[0]
    assert out.copper_power == pytest.approx(R * square, rel=1e-12)
    assert out.copper_power < R * out.current**2


def test_the_powers_of_a_rising_current_balance():
    """v·mean(i) = R·mean(i²) + Ke·w·mean(i) + L·Δ(i²)/2dt."""
    speed, dt = 150.0, 0.7 * TE
    state, out = one_step(motor(L), 24.0, speed, dt, current=2.0)
    mean = out.electrical_power / 24.0
    stored = 0.5 * L * (state.current**2 - 2.0**2) / dt
    assert out.magnetic_power == pytest.approx(stored, rel=1e-12)
    assert out.electrical_power == pytest.approx(out.copper_power + KE * speed * mean + stored, rel=1e-12)


def test_stall_torque_comes_from_kt_and_no_load_speed_from_ke():
    """Kt and Ke stay apart: the stall torque is Kt·v/R, and the torque vanishes at v/Ke."""
    _, stalled = one_step(motor(), 24.0, 0.0, 1e-3)
    assert stalled.torque == pytest.approx(KT * 24.0 / R, rel=1e-15)
    _, running = one_step(motor(), 24.0, 24.0 / KE, 1e-3)
    assert abs(running.torque) <= 1e-14 * stalled.torque


def test_a_free_motor_reaches_the_no_load_speed_with_the_mechanical_time_constant():
    """w(t) = v/Ke·(1 - exp(-t/tm)) with tm = R·J/(Kt·Ke)."""
    inertia = 1.4e-5
    mechanical = R * inertia / (KT * KE)
    free = motor(rotor=be.Rotor(inertia=inertia))
    dt = mechanical / 2000
    run = be.simulate(free, be.Inertia(inertia=0.0), 24.0, duration=20 * mechanical, dt=dt)
    assert run["velocity"][-1] == pytest.approx(24.0 / KE, rel=1e-8)
    # the speed of each step is that of its end, so the run is late by half a step at most
    expected = 24.0 / KE * -np.expm1(-run.time / mechanical)
    assert np.abs(run["velocity"] - expected).max() <= 0.5 * dt / mechanical * 24.0 / KE


def test_no_load_speed_with_drag_balances_torque():
    """Kt·(v - Ke·w)/R = B·w gives w = v·Kt/(Kt·Ke + R·B)."""
    drag = 2e-5
    free = motor(rotor=be.Rotor(inertia=1.4e-5), drag=be.Drag(coefficients=(drag,)))
    run = be.simulate(free, be.Inertia(inertia=0.0), 24.0, duration=2.0, dt=1e-3)
    assert run["velocity"][-1] == pytest.approx(24.0 * KT / (KT * KE + R * drag), rel=1e-10)
