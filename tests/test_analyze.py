"""Questions to a motor, held against closed forms derived here and against brute force."""

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from backemf import analyze
from backemf.actuator import Supply
from backemf.errors import ParameterError
from backemf.motor import (
    Cogging,
    Coulomb,
    Dahl,
    Drag,
    Gearbox,
    Harmonic,
    Limits,
    LoadDependent,
    LoadShare,
    LuGre,
    Magnet,
    Motor,
    Ratings,
    Rotor,
    Saturation,
    Stage,
    Stribeck,
    Thermal,
    TwoNodeThermal,
    Winding,
)
from backemf.physics.thermal import one_node, two_nodes

K, R, V = 0.0603, 1.13, 48.0
TWO = TwoNodeThermal(
    winding_resistance=1.93, winding_capacitance=21.5, housing_resistance=4.65, housing_capacitance=174.0
)
ONE = Thermal(resistance=2.2, capacitance=150.0)
POWERS = ("copper", "conversion", "iron", "drag", "friction", "gear", "mechanical")


def brushed_motor(**parts) -> Motor:
    """A motor like the RE 40: 48 V, 1.13 Ω, 60.3 mN·m/A."""
    known = {
        "winding": Winding(resistance=R, inductance=0.33e-3),
        "magnet": Magnet(torque_constant=K, back_emf_constant=K),
        "rotor": Rotor(inertia=1.37e-5),
        "thermal": TWO,
        "friction": Coulomb(coulomb=K * 0.0686),
        "ratings": Ratings(voltage=V, current=3.33, winding_temperature=155.0),
    }
    return Motor(**known | parts)


def geared_motor(**parts) -> Motor:
    """A joint with everything: saturation, iron loss, LuGre friction, drag, a lossy train of two stages."""
    magnet = Magnet(
        torque_constant=0.09,
        back_emf_constant=0.095,
        temperature_coefficient=-0.001,
        iron_loss=2e-5,
        saturation=Saturation(knee_current=20.0, scale=0.05, torque=1.2),
    )
    stages = (Stage(ratio=3.0, efficiency=0.95, inertia=1e-5), Stage(ratio=3.0, efficiency=0.93, back_efficiency=0.85))
    known = {
        "winding": Winding(resistance=0.2),
        "magnet": magnet,
        "rotor": Rotor(inertia=6e-5),
        "thermal": ONE,
        "friction": LuGre(coulomb=0.02, stiction=0.035, stribeck_velocity=1.5, stiffness=20.0, viscous=2e-5),
        "drag": Drag(coefficients=(3e-5, 3e-7)),
        "cogging": Cogging(harmonics=(Harmonic(amplitude=0.01, periodicity=42),)),
        "gearbox": Gearbox(stages=stages),
        "limits": Limits(peak_current=40.0, continuous_current=12.0, derating_start=90.0, derating_end=120.0),
        "ratings": Ratings(voltage=24.0, current=12.0, winding_temperature=120.0),
    }
    return Motor(**known | parts)


def loaded_motor() -> Motor:
    """Friction that grows with the load, in both directions."""
    share = LoadShare(drive=0.1, back=0.15)
    bump = Stribeck(velocity=2.0, coulomb=0.01, load=LoadShare(drive=0.05, back=0.05))
    return geared_motor(friction=LoadDependent(coulomb=0.02, viscous=1e-5, load=share, stribeck=bump))


# --- constants


def test_stall_current_is_voltage_over_resistance_and_stall_torque_follows():
    """At standstill there is no back-EMF, so i = v/R and the torque is Kt·v/R."""
    c = analyze.constants(brushed_motor())
    assert c.stall_current == pytest.approx(V / R, rel=1e-12)
    assert c.stall_torque == pytest.approx(K * V / R, rel=1e-12)
    assert c.gradient == pytest.approx(R / K**2, rel=1e-12)
    assert c.mechanical_time_constant == pytest.approx(R * 1.37e-5 / K**2, rel=1e-12)
    assert c.electrical_time_constant == pytest.approx(0.33e-3 / R, rel=1e-12)


def test_no_load_speed_with_linear_drag():
    """Kt(v - Ke·w)/R = B·w gives w0 = v·Kt/(Kt·Ke + R·B)."""
    kt, ke, b = 0.05, 0.06, 2e-4
    motor = brushed_motor(
        magnet=Magnet(torque_constant=kt, back_emf_constant=ke), friction=None, drag=Drag(coefficients=(b,))
    )
    expected = V * kt / (kt * ke + R * b)
    c = analyze.constants(motor)
    assert c.no_load_speed == pytest.approx(expected, rel=1e-12)
    assert c.no_load_current == pytest.approx(b * expected / kt, rel=1e-9)


def test_no_load_speed_with_quadratic_drag():
    """Kt(v - Ke·w)/R = B2·w² is a quadratic with one positive root."""
    b2 = 1e-6
    motor = brushed_motor(friction=None, drag=Drag(coefficients=(0.0, b2)))
    slope = K * K / R
    expected = (-slope + np.sqrt(slope**2 + 4 * b2 * K * V / R)) / (2 * b2)
    assert analyze.constants(motor).no_load_speed == pytest.approx(expected, rel=1e-12)


def test_no_load_current_is_that_of_coulomb_friction():
    """With Coulomb friction alone the current is τc/Kt at any speed."""
    c = analyze.constants(brushed_motor())
    assert c.no_load_current == pytest.approx(0.0686, rel=1e-9)
    assert c.no_load_speed == pytest.approx((V - R * 0.0686) / K, rel=1e-12)


def test_a_motor_too_weak_for_its_friction_stands_still():
    c = analyze.constants(brushed_motor(friction=Coulomb(coulomb=1.0)), voltage=10.0)
    assert c.no_load_speed == 0.0
    assert c.no_load_current == pytest.approx(10.0 / R)


def test_no_load_balance_with_everything():
    """At no load the joint gets no torque, whatever the losses are."""
    for motor in (geared_motor(), loaded_motor(), brushed_motor(friction=Dahl(coulomb=0.01, stiffness=10.0))):
        c = analyze.constants(motor, temperature=80.0)
        point = analyze.operating_point(motor, c.voltage, c.no_load_speed / motor.ratio, 80.0)
        assert abs(point.joint_torque) < 1e-9 * c.stall_torque


def test_maximum_efficiency_with_coulomb_friction():
    """(i - i0)·Kt·w over v·i with w = (v - R·i)/Ke is largest at i = sqrt(i0·is), and there (1 - sqrt(i0/is))²."""
    c = analyze.constants(brushed_motor())
    assert c.max_efficiency == pytest.approx((1 - np.sqrt(0.0686 * R / V)) ** 2, rel=1e-12)
    assert c.efficient_current == pytest.approx(np.sqrt(0.0686 * V / R), rel=1e-6)


def test_maximum_power_is_at_half_the_no_load_speed():
    c = analyze.constants(brushed_motor())
    assert c.powerful_speed == pytest.approx(0.5 * c.no_load_speed, rel=1e-6)
    assert c.max_power == pytest.approx(0.25 * (c.stall_torque - K * 0.0686) * c.no_load_speed, rel=1e-12)


def test_hot_constants_follow_copper_and_magnet():
    motor = geared_motor()
    c = analyze.constants(motor, temperature=105.0)
    assert c.resistance == pytest.approx(0.2 * (1 + 0.0039 * 80))
    assert c.torque_constant == pytest.approx(0.09 * (1 - 0.001 * 80))
    assert c.motor_constant == pytest.approx(c.torque_constant / np.sqrt(c.resistance))


def test_stall_torque_saturates():
    """120 A are 100 A beyond the knee: 0.09·20 + 1.2·log2(1 + 0.05·100)."""
    assert analyze.constants(geared_motor()).stall_torque == pytest.approx(0.09 * 20 + 1.2 * np.log2(6.0))


def test_two_node_time_constants_are_the_eigenvalues():
    c = analyze.constants(brushed_motor())
    a = np.array([[-1 / 1.93 / 21.5, 1 / 1.93 / 21.5], [1 / 1.93 / 174, -(1 / 1.93 + 1 / 4.65) / 174]])
    expected = np.sort(-1 / np.linalg.eigvals(a).real)
    np.testing.assert_allclose([c.fast_thermal_time_constant, c.slow_thermal_time_constant], expected, rtol=1e-10)
    assert c.winding_time_constant == pytest.approx(1.93 * 21.5)
    assert c.housing_time_constant == pytest.approx(4.65 * 174)


def test_constants_at_the_joint():
    motor = geared_motor()
    c = analyze.constants(motor)
    assert c.joint_no_load_speed == pytest.approx(c.no_load_speed / 9)
    assert c.reflected_inertia == pytest.approx(81 * 7e-5)
    # at standstill stiction and then the gears take their share
    assert c.joint_stall_torque == pytest.approx(9 * 0.95 * 0.93 * (c.stall_torque - 0.035))


def test_rows_name_what_is_there():
    rows = list(analyze.constants(brushed_motor()).rows())
    assert ("stall current", "is", pytest.approx(V / R), "A") in rows
    assert not any("gear" in name for name, *_ in rows)
    assert all(np.isfinite(value) for _, _, value, _ in rows)


def test_constants_of_a_batch_equal_those_of_each_motor():
    ohms = np.array([0.5, 1.13, 3.0])
    batch = analyze.constants(brushed_motor(winding=Winding(resistance=ohms)), voltage=np.array([[12.0], [48.0]]))
    assert batch.no_load_speed.shape == (2, 3)
    one = analyze.constants(brushed_motor(winding=Winding(resistance=3.0)), voltage=12.0)
    assert batch.no_load_speed[0, 2] == pytest.approx(one.no_load_speed, rel=1e-12)
    assert batch.max_efficiency[0, 2] == pytest.approx(one.max_efficiency, rel=1e-12)


# --- steady points


@settings(max_examples=60, deadline=None)
@given(
    volts=st.floats(-60, 60), speed=st.floats(-60, 60), celsius=st.floats(-20, 150), which=st.sampled_from([0, 1, 2])
)
def test_powers_of_a_steady_point_add_up(volts, speed, celsius, which):
    motor = (brushed_motor(), geared_motor(), loaded_motor())[which]
    point = analyze.operating_point(motor, volts, speed, celsius)
    total = sum(getattr(point, f"{name}_power") for name in POWERS)
    scale = abs(point.electrical_power) + abs(point.copper_power) + abs(point.mechanical_power) + 1e-9
    assert abs(point.electrical_power - total) < 1e-9 * scale
    # heat is never negative
    assert min(point.copper_power, point.iron_power, point.drag_power, point.friction_power, point.gear_power) >= -1e-12


@settings(max_examples=60, deadline=None)
@given(volts=st.floats(-60, 60), speed=st.floats(-60, 60), which=st.sampled_from([0, 1, 2]))
def test_point_at_torque_is_the_inverse_of_operating_point(volts, speed, which):
    motor = (brushed_motor(), geared_motor(), loaded_motor())[which]
    there = analyze.operating_point(motor, volts, speed)
    back = analyze.point_at_torque(motor, there.joint_torque, speed)
    if abs(speed) > 1e-6:
        assert float(back.voltage) == pytest.approx(volts, rel=1e-6, abs=1e-6)


def test_friction_holds_a_standing_motor():
    """A torque below the friction does not reach the joint; more of it arrives less the friction."""
    motor = brushed_motor(friction=Coulomb(coulomb=0.1))
    held = analyze.operating_point(motor, np.array([-1.0, 0.5, V]), 0.0)
    np.testing.assert_allclose(held.joint_torque, [0.0, 0.0, K * V / R - 0.1], atol=1e-15)


def test_gear_efficiency_follows_the_power():
    """Driving, the joint gets η of the torque; driven, the motor gets ηb of the joint's."""
    box = Gearbox(stages=(Stage(ratio=10.0, efficiency=0.8, back_efficiency=0.6),))
    motor = brushed_motor(friction=None, gearbox=box)
    speed = 40.0
    emf = K * 10 * speed
    drives = analyze.operating_point(motor, emf + R, speed)
    driven = analyze.operating_point(motor, emf - R, speed)
    assert drives.joint_torque == pytest.approx(10 * 0.8 * K)
    assert driven.joint_torque == pytest.approx(-10 * K / 0.6)
    # electrical over mechanical while generating
    assert drives.efficiency == pytest.approx(0.8 * emf / (emf + R))
    assert driven.efficiency == pytest.approx(0.6 * (emf - R) / emf)


# --- envelope and map


def test_envelope_is_the_parallelogram_of_the_current_limit():
    """τ = clip(K/R(±v - K·w), ±K·imax)."""
    motor = brushed_motor(friction=None)
    e = analyze.envelope(motor, V, current_limit=10.0)
    for sign, torque in ((1, e.max_torque), (-1, e.min_torque)):
        expected = np.clip(K / R * (sign * V - K * e.motor_speed), -K * 10, K * 10)
        np.testing.assert_allclose(torque, expected, atol=1e-9)
    # it closes where the back-EMF uses up the voltage and the limit
    assert e.motor_speed[-1] == pytest.approx((V + R * 10) / K)
    assert e.max_torque[-1] == pytest.approx(e.min_torque[-1], abs=1e-9)


def test_beyond_the_corner_the_current_cannot_be_held():
    e = analyze.envelope(brushed_motor(), V, 10.0, joint_speed=np.array([0.0, 1.1 * (V + R * 10) / K]))
    assert np.isfinite(e.max_torque[0]) and np.isnan(e.max_torque[1])


def test_coulomb_friction_makes_the_envelope_jump_at_standstill():
    """From one side of standstill to the other the torque falls by 2·τc."""
    tau = 0.05
    e = analyze.envelope(brushed_motor(friction=Coulomb(coulomb=tau)), V, 5.0)
    middle = np.flatnonzero(e.motor_speed == 0.0)
    assert len(middle) == 2
    assert e.max_torque[middle[0]] - e.max_torque[middle[1]] == pytest.approx(2 * tau)
    np.testing.assert_allclose(e.loss_torque[middle], [-tau, tau])


def test_envelope_is_the_same_backwards():
    e = analyze.envelope(geared_motor())
    np.testing.assert_allclose(e.max_torque, -e.min_torque[::-1], rtol=1e-12)


def test_a_train_that_turns_round_keeps_the_larger_torque_on_top():
    box = Gearbox(stages=(Stage(ratio=-9.0, efficiency=0.9),))
    e = analyze.envelope(geared_motor(gearbox=box))
    keep = np.isfinite(e.max_torque)
    assert (e.max_torque[keep] >= e.min_torque[keep]).all()


def test_a_supply_with_resistance_sags_at_stall():
    """At full duty the internal resistance is in series with the winding."""
    supply = Supply(voltage=V, resistance=0.5, modulation_limit=0.9)
    e = analyze.envelope(brushed_motor(friction=None), supply, joint_speed=np.zeros(1))
    assert e.max_current[0] == pytest.approx(0.9 * V / (R + 0.81 * 0.5))


def test_the_drive_limits_the_envelope_less_when_cool():
    cool, hot = (analyze.envelope(geared_motor(), temperature=t, joint_speed=np.zeros(1)) for t in (25.0, 130.0))
    assert cool.max_current[0] == 40.0
    assert hot.max_current[0] == 12.0


def test_efficiency_map_knows_its_reach():
    m = analyze.efficiency_map(brushed_motor(), samples=41)
    assert m.efficiency.shape == (41, 41)
    assert np.isnan(m.efficiency[-1, -1])
    assert np.nanmax(np.abs(m.voltage)) <= V * (1 + 1e-6)
    assert np.nanmax(m.efficiency) < 1.0


def test_efficiency_map_in_four_quadrants():
    """Braking gently at speed feeds power back; braking hard makes heat on both sides."""
    motor = brushed_motor()
    torques = np.array([-2.0, -0.2, 0.2])
    m = analyze.efficiency_map(motor, quadrants=4, joint_speed=np.array([-300.0, 300.0]), joint_torque=torques)
    assert m.mechanical_power[1, 1] < 0 and m.electrical_power[1, 1] < 0
    assert m.efficiency[1, 1] == pytest.approx(m.electrical_power[1, 1] / m.mechanical_power[1, 1])
    assert m.efficiency[0, 1] == 0.0 and m.electrical_power[0, 1] > 0
    # backwards with the opposite torque it is the same
    assert m.efficiency[2, 1] == pytest.approx(m.efficiency[1, 0])
    with pytest.raises(ParameterError, match="quadrants = 2"):
        analyze.efficiency_map(motor, quadrants=2)


# --- heat


@pytest.mark.parametrize("motor", [brushed_motor(), geared_motor()], ids=["two nodes", "one node"])
def test_continuous_torque_holds_the_winding_at_its_limit(motor):
    found = analyze.continuous_torque(motor, np.linspace(0.0, 30.0, 5))
    steady = analyze.steady_temperature(motor, found.current, found.motor_speed)
    np.testing.assert_allclose(steady.winding, motor.ratings.winding_temperature, rtol=1e-12)
    point = analyze.operating_point(motor, found.voltage, found.joint_speed, motor.ratings.winding_temperature)
    np.testing.assert_allclose(found.joint_torque[1:], point.joint_torque[1:], rtol=1e-12)


def test_iron_that_overheats_alone_leaves_no_torque():
    hot = geared_motor(magnet=Magnet(torque_constant=0.09, back_emf_constant=0.09, iron_loss=0.01))
    assert np.isnan(analyze.continuous_torque(hot, 30.0).joint_torque)


def test_steady_temperature_runs_away():
    """α·i²·R0·Rth >= 1: each kelvin makes more heat than a kelvin sheds."""
    edge = np.sqrt(1 / (0.0039 * R * 6.58))
    below, above = analyze.steady_temperature(brushed_motor(), np.array([0.99 * edge, edge * (1 + 1e-9)])).winding
    assert np.isfinite(below) and np.isinf(above)


def heat_winding(motor: Motor, pattern, dt: float, start):
    """Brute force: hold the loss over tiny steps, R(T) at the middle of each."""
    rise, change = list(start), 0.0
    for amperes in pattern:
        before = rise[0]
        power = amperes**2 * R * (1 + 0.0039 * (before + 0.5 * change))
        if isinstance(motor.thermal, Thermal):
            rise[0] = one_node(rise[0], power, dt, motor.thermal)
        else:
            rise = list(two_nodes(rise[0], rise[1], power, 0.0, dt, motor.thermal))
        change = rise[0] - before
        yield rise[0]


@pytest.mark.parametrize("thermal", [ONE, TWO], ids=["one node", "two nodes"])
@pytest.mark.parametrize(("amperes", "start"), [(12.0, (25.0, 25.0)), (9.0, (90.0, 60.0)), (25.0, (25.0, 110.0))])
def test_time_to_limit_against_brute_force(thermal, amperes, start):
    motor = brushed_motor(thermal=thermal)
    expected = float(analyze.time_to_limit(motor, amperes, start=start))
    assert np.isfinite(expected)
    steps = 4000
    *_, last = heat_winding(motor, np.full(steps, amperes), expected / steps, (start[0] - 25, start[1] - 25))
    assert last == pytest.approx(130.0, abs=0.02)


def test_time_to_limit_of_one_node_without_feedback():
    """Without R(T) the rise is P·Rth(1 - exp(-t/τ)): it passes 63 % at t = τ."""
    winding = Winding(resistance=R, temperature_coefficient=0.0)
    motor = brushed_motor(winding=winding, thermal=ONE)
    end = 2.2 * R * 4.0**2
    limit = 25.0 + end * (1 - np.exp(-1))
    assert analyze.time_to_limit(motor, 4.0, limit=limit) == pytest.approx(2.2 * 150, rel=1e-9)


def test_time_to_limit_at_its_edges():
    motor = brushed_motor()
    forever = float(analyze.continuous_torque(motor).current)
    times = analyze.time_to_limit(motor, forever * np.array([0.0, 0.999, 1.001]))
    assert np.isinf(times[:2]).all() and np.isfinite(times[2])
    assert analyze.time_to_limit(motor, 1.0, start=160.0) == 0.0
    # a hot housing warms an idle winding beyond a low limit
    assert 0 < analyze.time_to_limit(motor, 0.0, start=(40.0, 120.0), limit=60.0) < 60


def test_two_nodes_apart_in_speed_are_one_node():
    """A housing at a vanishing resistance to the ambient leaves the winding alone."""
    motor = brushed_motor(
        thermal=TwoNodeThermal(
            winding_resistance=2.2, winding_capacitance=150.0, housing_resistance=1e-9, housing_capacitance=1.0
        )
    )
    one = brushed_motor(thermal=ONE)
    assert analyze.time_to_limit(motor, 12.0) == pytest.approx(float(analyze.time_to_limit(one, 12.0)), rel=1e-6)


@pytest.mark.parametrize("thermal", [ONE, TWO], ids=["one node", "two nodes"])
def test_intermittent_duty_against_brute_force(thermal):
    """A rhythm at the largest duty comes to rest with its peak at the limit."""
    motor, amperes, period, steps = brushed_motor(thermal=thermal), 10.0, 60.0, 300
    duty = float(analyze.intermittent_duty(motor, amperes, period))
    assert 0.05 < duty < 0.95
    on = round(duty * steps)
    # the share that the steps can make, so that both mean the same
    peak = float(analyze.peak_temperature(motor, amperes, on / steps, period))
    assert peak == pytest.approx(155.0, abs=3.0)
    pattern = np.tile(np.where(np.arange(steps) < on, amperes, 0.0), 120)
    settled = list(heat_winding(motor, pattern, period / steps, (80.0, 60.0)))
    assert 25.0 + max(settled[-steps:]) == pytest.approx(peak, abs=0.1)


@settings(max_examples=25, deadline=None)
@given(amperes=st.floats(4.0, 80.0), period=st.floats(0.01, 5000.0), two=st.booleans())
def test_intermittent_current_is_the_inverse_of_the_duty(amperes, period, two):
    motor = brushed_motor(thermal=TWO if two else Thermal(resistance=6.58, capacitance=100.0))
    duty = analyze.intermittent_duty(motor, amperes, period)
    assert 0.0 < duty < 1.0
    assert analyze.peak_temperature(motor, amperes, duty, period) == pytest.approx(155.0, rel=1e-6)
    assert analyze.intermittent_current(motor, duty, period) == pytest.approx(amperes, rel=1e-5)


def test_fast_rhythms_heat_by_their_mean_square():
    """When the period is short against every time constant, duty·i² is what counts."""
    motor = brushed_motor()
    forever = float(analyze.continuous_torque(motor).current)
    assert analyze.intermittent_duty(motor, 10.0, 1e-3) == pytest.approx((forever / 10.0) ** 2, rel=1e-4)
    assert analyze.intermittent_duty(motor, 0.9 * forever, 10.0) == 1.0


# --- what is missing is named


def test_missing_parts_are_named():
    bare = Motor(winding=Winding(resistance=1.0), magnet=Magnet(torque_constant=0.1, back_emf_constant=0.1))
    with pytest.raises(ParameterError, match=r"Motor.thermal is None: give thermal figures"):
        analyze.steady_temperature(bare, 1.0)
    with pytest.raises(ParameterError, match=r"give voltage="):
        analyze.constants(bare)
    with pytest.raises(ParameterError, match=r"give limit="):
        analyze.continuous_torque(brushed_motor(ratings=None))
    with pytest.raises(ParameterError, match="current_limit = -1"):
        analyze.envelope(brushed_motor(), current_limit=-1.0)
    with pytest.raises(ParameterError, match=r"duty = 1\.5"):
        analyze.intermittent_current(brushed_motor(), 1.5, 1.0)
    with pytest.raises(ParameterError, match="must be a finite number"):
        analyze.operating_point(brushed_motor(), np.nan)
    assert analyze.constants(bare, 12.0).no_load_speed == pytest.approx(120.0)


def test_friction_that_locks_is_an_error():
    locks = geared_motor(friction=LoadDependent(coulomb=0.01, load=LoadShare(drive=0.0, back=3.0)))
    with pytest.raises(ParameterError, match="locks"):
        analyze.operating_point(locks, -5.0, 20.0)


def test_analyze_loads_nothing_heavy():
    code = (
        "import sys, backemf.analyze; print([m for m in ('jax', 'torch', 'matplotlib', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
