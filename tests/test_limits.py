"""The drive's limits: current, current rate, and a current limit that falls with temperature."""

from __future__ import annotations

import numpy as np
import pytest

import backemf as be
from backemf.physics.limits import derated_current
from backemf.physics.state import CURRENT, DERATING, RATE, VOLTAGE

R, L, K = 0.4, 1.0e-3, 0.05
TE = L / R


def motor(inductance=L, **parts) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=R, inductance=inductance, temperature_coefficient=0.0),
        magnet=be.Magnet(torque_constant=K, back_emf_constant=K),
        **parts,
    )


@pytest.mark.parametrize("dt", [0.1 * TE, TE, 10 * TE])
@pytest.mark.parametrize("inductance", [None, L])
def test_the_current_limit_limits_the_current_itself(inductance, dt):
    """24 V would drive 60 A; the drive lowers its voltage to R·10 A, so 10 A flow, push and heat."""
    step = motor(inductance, limits=be.Limits(peak_current=10.0)).compile("numpy")
    state = step.initial()
    for sign in (1.0, -1.0):
        highest = 0.0
        for _ in range(40):
            state, out = step(state, sign * 24.0, 0.0, 0.0, dt)
            highest = max(highest, abs(float(out.current)))
        assert highest <= 10.0 * (1 + 1e-13)
        assert out.current == pytest.approx(sign * 10.0, rel=1e-13)
        assert out.torque == pytest.approx(sign * K * 10.0, rel=1e-13)
        assert out.copper_power == pytest.approx(R * 10.0**2, rel=1e-12)
        assert out.voltage == pytest.approx(sign * R * 10.0, rel=1e-12)
        assert out.electrical_power == pytest.approx(R * 10.0**2, rel=1e-12)
        assert out.limit == CURRENT


def test_heat_follows_the_limited_current():
    """A limited motor settles at Rth·R·limit², not at the heat of the stall current."""
    hot = motor(limits=be.Limits(peak_current=10.0), thermal=be.Thermal(resistance=2.0, capacitance=10.0))
    step = hot.compile("numpy")
    state, _ = step(step.initial(current=10.0), 24.0, 0.0, 0.0, 1e4)
    assert state.winding_rise == pytest.approx(2.0 * R * 10.0**2, rel=1e-12)


@pytest.mark.parametrize("dt", [TE / 2, 5 * TE])
@pytest.mark.parametrize("inductance", [None, L])
def test_the_current_rate_holds_over_the_step(inductance, dt):
    """|Δi| <= rate·dt over every step, at te = 2·dt and at dt = 5·te, and equal to it while the limit acts."""
    rate = 800.0
    step = motor(inductance, limits=be.Limits(current_rate=rate)).compile("numpy")
    state, acted = step.initial(), 0
    rng = np.random.default_rng(1)
    for command in rng.uniform(-24.0, 24.0, 200):
        before = float(state.current)
        state, out = step(state, command, 0.0, 0.0, dt)
        change = abs(float(state.current) - before)
        assert change <= rate * dt * (1 + 1e-12)
        if out.limit == RATE:
            acted += 1
            assert change == pytest.approx(rate * dt, rel=1e-11)
    assert 20 < acted < 200


def test_a_rate_that_is_never_reached_changes_nothing():
    """With room to spare the current is that of the free winding."""
    free, limited = (motor(limits=limits).compile("numpy") for limits in (None, be.Limits(current_rate=1e9)))
    _, a = free(free.initial(), 24.0, 0.0, 0.0, TE)
    _, b = limited(limited.initial(), 24.0, 0.0, 0.0, TE)
    assert a.current == b.current and b.limit == 0


DERATING_LIMITS = be.Limits(
    peak_current=40.0, continuous_current=10.0, derating_start=80.0, derating_end=120.0, safe_current=5.0
)


def at_temperature(celsius: float, **parts):
    hot = motor(None, limits=DERATING_LIMITS, thermal=be.Thermal(resistance=2.0, capacitance=10.0), **parts)
    step = hot.compile("numpy")
    return step(step.initial(winding_rise=celsius - 25.0), 24.0, 0.0, 0.0, 1e-6)[1]


@pytest.mark.parametrize(
    ("celsius", "amperes"), [(25.0, 40.0), (80.0, 40.0), (100.0, 22.5), (120.0, 5.0), (200.0, 5.0)]
)
def test_the_current_limit_falls_with_temperature(celsius, amperes):
    """The peak up to 80 °C, the safe current from 120 °C, their mean half-way."""
    assert at_temperature(celsius).current == pytest.approx(amperes, rel=1e-12)


def test_derating_is_smooth():
    """The limit and its slope are continuous: slope 0 at both ends, steepest half-way, never rising."""
    celsius = np.linspace(70.0, 130.0, 60001)
    limit = derated_current(celsius, 40.0, 5.0, 80.0, 120.0)
    slope = np.gradient(limit, celsius)
    assert (np.diff(limit) <= 0).all()
    # a smooth cubic has the slope -1.5·(40 - 5)/(120 - 80) in its middle and the curvature 6·35/40² at its ends
    assert slope.min() == pytest.approx(-1.5 * 35 / 40, rel=1e-6)
    assert np.abs(np.diff(slope)).max() <= 1.01 * 6 * 35 / 40**2 * (celsius[1] - celsius[0])


def test_without_a_safe_current_the_peak_gives_way_to_the_continuous_current():
    """A hot winding is left with what it can carry for ever."""
    limits = be.Limits(peak_current=40.0, continuous_current=10.0, derating_start=80.0, derating_end=120.0)
    hot = motor(None, limits=limits, thermal=be.Thermal(resistance=2.0, capacitance=10.0)).compile("numpy")
    _, out = hot(hot.initial(winding_rise=150.0), 24.0, 0.0, 0.0, 1e-6)
    assert out.current == pytest.approx(10.0, rel=1e-12)


def test_flags_say_which_limits_act():
    """Each bit of `limit` is one limit; several may act at once."""
    assert at_temperature(25.0).limit == CURRENT
    mild = motor(None, limits=DERATING_LIMITS, thermal=be.Thermal(resistance=2.0, capacitance=10.0)).compile("numpy")
    _, out = mild(mild.initial(winding_rise=75.0), R * 30.0, 0.0, 0.0, 1e-6)
    assert out.limit == CURRENT + DERATING
    _, out = mild(mild.initial(), R * 30.0, 0.0, 0.0, 1e-6)
    assert out.limit == 0
    fed = be.Actuator(motor(limits=be.Limits(current_rate=10.0)), be.Supply(voltage=24.0)).compile("numpy")
    _, out = fed(fed.initial(), 30.0, 0.0, 0.0, 1e-3)
    assert out.limit == VOLTAGE + RATE


def test_the_limiter_cannot_exceed_the_bus():
    """A back-EMF far above the bus drives current whatever the bridge does: it gives all it has, and no more."""
    speed, bus = 1000.0, 24.0
    fed = be.Actuator(motor(None, limits=be.Limits(peak_current=10.0)), be.Supply(voltage=bus)).compile("numpy")
    _, out = fed(fed.initial(), 0.0, 0.0, speed, 1e-3)
    assert out.voltage == pytest.approx(bus, rel=1e-14)
    assert out.current == pytest.approx((bus - K * speed) / R, rel=1e-14)
    assert abs(out.current) > 10.0


def test_requested_and_delivered_torque():
    """Without limits Kt·v/R would come; the limit leaves Kt·10 A of it, and both are told."""
    step = motor(None, limits=be.Limits(peak_current=10.0)).compile("numpy")
    _, out = step(step.initial(), 24.0, 0.0, 0.0, 1e-3)
    assert out.torque_requested == pytest.approx(K * 24.0 / R, rel=1e-14)
    assert out.torque == pytest.approx(K * 10.0, rel=1e-14)
    _, idle = step(step.initial(), 1.0, 0.0, 0.0, 1e-3)
    assert idle.torque_requested == idle.torque


def test_the_modulation_limit_counts_as_a_limit_of_the_torque():
    """A command above the bus is requested in full and delivered as far as the bus reaches."""
    fed = be.Actuator(motor(None), be.Supply(voltage=24.0, modulation_limit=0.9)).compile("numpy")
    _, out = fed(fed.initial(), 48.0, 0.0, 0.0, 1e-3)
    assert out.torque_requested == pytest.approx(K * 48.0 / R, rel=1e-14)
    assert out.torque == pytest.approx(K * 0.9 * 24.0 / R, rel=1e-14)
    assert out.limit == VOLTAGE
