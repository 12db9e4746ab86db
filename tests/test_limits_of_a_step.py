"""Bounds that move with speed, within one step: what is solved is what is reported, so no energy comes from nowhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.actuator.limit_slopes import column_slope, tightest_slopes
from backemf.actuator.torque_limits import tightest
from backemf.physics.state import TORQUE

R, K, J, V = 0.3, 0.03, 1.4e-5, 24.0


def motor(**parts) -> be.Motor:
    winding = be.Winding(resistance=R, inductance=parts.pop("inductance", None))
    magnet = be.Magnet(torque_constant=K, back_emf_constant=K, saturation=parts.pop("saturation", None))
    return be.Motor(winding=winding, magnet=magnet, rotor=be.Rotor(inertia=J), **parts)


PLAY = be.Gearbox(stages=(be.Stage(ratio=9.0, efficiency=0.8),), backlash=0.01)
BRISTLES = be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=50.0)
KINDS = {
    "bare": {},
    "inductive": {"inductance": 1e-3},
    "backlash": {"gearbox": PLAY},
    "inductive backlash": {"inductance": 1e-3, "gearbox": PLAY},
    "bristles": {"friction": BRISTLES},
    "capped": {"limits": be.Limits(peak_current=4.0)},
    "rate": {"limits": be.Limits(current_rate=2000.0)},
}
FADING = be.KneeCurve.unitree(x1=150.0, x2=400.0, y1=0.3, y2=0.5)
LIMITS = {
    "clip": be.DcClip(saturation_effort=0.4, velocity_limit=300.0, effort_limit=0.3),
    "knee": be.KneeCurve(driving_effort=0.2, braking_effort=0.6, knee_speed=20.0, no_load_speed=300.0),
    "braking fades": FADING,
    "cut off": be.DriveEnvelope(max_effort=0.3, max_actuator_velocity=200.0),
    "envelope": be.DriveEnvelope(
        max_effort=0.3,
        max_actuator_velocity=300.0,
        velocity_dependent_resistance=5e-4,
        speed_effort_gradient=500.0,
    ),
    "table": be.TorqueSpeedTable(
        speed=[0.0, 100.0, 200.0, 300.0], driving=[0.4, 0.35, 0.1, 0.05], braking=[0.2, 0.3, 0.5, 0.6]
    ),
    "contradiction": (be.DcClip(saturation_effort=0.4, velocity_limit=100.0, effort_limit=0.3), FADING),
}


def slowed_down(limit, ratio: float):
    """The limit of a joint behind gears: as many times the torque at a fraction of the speed."""
    if isinstance(limit, tuple):
        return tuple(slowed_down(one, ratio) for one in limit)
    speeds = ("velocity_limit", "knee_speed", "no_load_speed", "max_actuator_velocity", "speed")
    torques = ("saturation_effort", "effort_limit", "driving_effort", "braking_effort", "max_effort", "driving")
    scales = dict.fromkeys(speeds, 1.0 / ratio) | dict.fromkeys((*torques, "braking"), ratio)
    scales |= {"velocity_dependent_resistance": ratio**2, "speed_effort_gradient": ratio**-2}
    scaled = {name: value * scales[name] for name, value in vars(limit).items() if name in scales}
    return replace(limit, **scaled)


def given_and_stored(run, motor: be.Motor, dt: float, inertia: float, start: float):
    """Energy that the supply has given up to each step, and what motor and load have more than at the start [J]."""
    rotor = run["rotor_speed"] if "gap" in run.data else motor.ratio * run["velocity"]
    stored = 0.5 * inertia * run["velocity"] ** 2 + 0.5 * J * rotor**2
    if motor.winding.inductance != 0.0:
        stored = stored + 0.5 * motor.winding.inductance * run["current"] ** 2
    if "bristle" in run.data:
        stored = stored + 0.5 * BRISTLES.stiffness * run["bristle"] ** 2
    at_first = 0.5 * (inertia + J * motor.ratio**2) * start**2
    given = dt * np.cumsum(run["electrical_power"] - run["conversion_power"])
    return given, stored - at_first


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", LIMITS)
@pytest.mark.parametrize("dt", [3e-3, 0.1])
def test_no_step_gets_more_than_the_supply_gives(kind, name, dt):
    """Driven back and forth across its limits, a motor never has more than it had and was given."""
    driven = motor(**KINDS[kind])
    limit = slowed_down(LIMITS[name], driven.ratio) if driven.gearbox is not None else LIMITS[name]
    actuator = be.Actuator(driven, be.Supply(voltage=V), limits=limit)
    inertia, start = 2e-5 * driven.ratio**2, 600.0 / driven.ratio
    command = be.commands.Sine(amplitude=30.0, frequency=1.0 / (40.0 * dt))
    run = be.simulate(actuator, be.Inertia(inertia), command, duration=80 * dt, dt=dt, velocity=start, engine="numpy")
    given, gained = given_and_stored(run, driven, dt, inertia, start)
    size = np.abs(given).max() + np.abs(gained).max()
    assert (gained <= given + 1e-9 * size).all()


def test_the_line_of_a_limit_and_the_drive_at_its_end_agree():
    """What a step integrates is what its winding gave: no power is left over beside that of drag, whatever limits."""
    for limit in LIMITS.values():
        actuator = be.Actuator(motor(inductance=1e-4), be.Supply(voltage=V), limits=limit)
        run = be.simulate(
            actuator, be.Inertia(1e-5), be.commands.Sine(amplitude=30.0, frequency=5.0), duration=1.0, dt=5e-3,
            velocity=700.0, engine="numpy",
        )  # fmt: skip
        assert np.abs(run["numerical_power"]).max() <= 1e-9 * np.abs(run["electrical_power"]).max()


def test_a_limit_that_ends_at_a_speed_holds_the_joint_there():
    """At full voltage the joint comes to the top speed in any step, gives what the load takes there, and stays."""
    cut_off = be.DriveEnvelope(max_effort=0.3, max_actuator_velocity=200.0)
    actuator = be.Actuator(motor(), be.Supply(voltage=V), limits=cut_off)
    for dt in (1e-3, 0.2):
        run = be.simulate(
            actuator, be.ConstantTorque(torque=-0.1, inertia=1e-4), V, duration=50 * dt + 0.5, dt=dt, engine="numpy"
        )
        assert run["velocity"][-1] == pytest.approx(200.0, rel=2e-6)
        assert K * run["current"][-1] == pytest.approx(0.1, rel=1e-6)


def test_a_limit_that_brakes_harder_than_it_drives_does_so_in_a_run():
    """0.6 N·m against the motion where 0.2 N·m are allowed along it: the first step brakes with 0.6 N·m / Kt."""
    knee = be.KneeCurve(driving_effort=0.2, braking_effort=0.6, knee_speed=20.0, no_load_speed=300.0)
    actuator = be.Actuator(motor(), be.Supply(voltage=V), limits=knee)
    run = be.simulate(actuator, be.Inertia(1e-3), V, duration=1e-3, dt=1e-4, velocity=-100.0, engine="numpy")
    assert run["current"][0] == pytest.approx(0.6 / K, rel=1e-3)
    assert (run["current"] <= 0.6 / K).all()


def test_a_saturated_motor_has_one_torque_per_ampere_within_a_step():
    """Flat bounds and slanted ones are compared as currents; a step along either loses no energy to the other."""
    saturation = be.Saturation(knee_current=2.0, scale=0.1, torque=0.02)
    knee = be.KneeCurve(driving_effort=0.5, braking_effort=0.3, knee_speed=10.0, no_load_speed=100.0)
    iron = motor(saturation=saturation, limits=be.Limits(peak_current=20.0))
    actuator = be.Actuator(iron, be.Supply(voltage=48.0), limits=knee)
    for dt in (1e-3, 0.05):
        run = be.simulate(actuator, be.Inertia(1e-5), 48.0, duration=50 * dt, dt=dt, engine="numpy")
        given, gained = given_and_stored(run, iron, dt, 1e-5, 0.0)
        assert (gained <= given + 1e-9 * np.abs(given).max()).all()


# --- slopes and flags


def test_the_slope_of_a_table_is_that_of_its_segment_up_to_each_point():
    """A hair below a point it is the slope before it, at the point the slope behind it, beyond the last one 0."""
    speeds, torques = [0.0, 100.0, 200.0], [1.0, 0.9, 0.2]
    below = np.array([1e-9, 100.0 - 1e-9, 100.0, 200.0 - 1e-9, 200.0, 300.0])
    assert column_slope(below, speeds, torques) == pytest.approx([-1e-3, -1e-3, -7e-3, -7e-3, 0.0, 0.0])


@pytest.mark.parametrize("order", [1, -1])
def test_limits_that_contradict_each_other_have_the_slope_of_the_one_that_is_left(order):
    """Above its no-load speed the clip asks for 20 N·m of braking; a table allows as much as its braking column."""
    clip = be.DcClip(saturation_effort=9.0, velocity_limit=5.0, effort_limit=20.0)
    table = be.TorqueSpeedTable(speed=[0.0, 100.0], driving=[0.05, 0.05], braking=[0.02, 0.04])
    limits, width = (clip, table)[::order], 1e-3
    low, high = tightest(limits, 0.0, 60.0)
    further, _ = tightest(limits, 0.0, 60.0 + width)
    assert low == high == pytest.approx(-0.032)
    assert tightest_slopes(limits, 0.0, 60.0) == pytest.approx(((low - further) / width,) * 2)


def test_a_bound_falls_from_rest_on():
    """At rest the torque of either direction is on the edge of its falling part: both slopes are that of the fall."""
    table = be.TorqueSpeedTable(speed=[0.0, 100.0], driving=[1.0, 0.5])
    assert tightest_slopes((table,), 0.0, 0.0) == (0.005, 0.005)


def one_step(actuator, command, speed, dt=1e-3, **initial):
    step = actuator.compile("numpy")
    return step(step.initial(**initial), command, 0.0, speed, dt)[1]


def test_a_torque_limit_that_changes_nothing_is_not_flagged():
    """The motor's own 1 A is reached either way; what the clip asks for in the other direction was never wanted."""
    clip = be.DcClip(saturation_effort=1.0, velocity_limit=100.0, effort_limit=2.0)
    capped = motor(limits=be.Limits(peak_current=1.0))
    within = be.Actuator(capped, limits=clip)
    # at 150 rad/s it asks for 0.5 N·m to 2 N·m of braking; 0 V give 15 A·Kt = 0.45 N·m, -5 V 0.95 N·m
    assert one_step(within, -5.0, 150.0).limit & TORQUE == 0
    assert one_step(within, 24.0, 150.0).limit & TORQUE


def test_a_torque_limit_that_hurries_the_current_is_flagged():
    """No torque is asked for and none is allowed, but the rate alone would leave some: the limit acts."""
    none = be.DriveEnvelope(max_effort=1.0, max_actuator_velocity=10.0)
    slow = motor(limits=be.Limits(current_rate=1000.0))
    actuator = be.Actuator(slow, controller=be.Torque(), limits=none)
    out = one_step(actuator, 0.0, 50.0, current=5.0)
    assert out.current == pytest.approx(0.0, abs=1e-12) and out.limit & TORQUE
    assert one_step(be.Actuator(slow, controller=be.Torque()), 0.0, 50.0, current=5.0).current == pytest.approx(4.0)


# --- batteries


@pytest.mark.parametrize("regeneration", [True, False])
@pytest.mark.parametrize("kp", [0.1, 10.0, 1e3])
@pytest.mark.parametrize("dt", [1e-3, 0.1])
def test_a_loop_on_a_weak_battery_ends_its_step_where_the_bus_lets_it(regeneration, kp, dt):
    """Duty times bus is no straight line; the step meets it where it ends, so its energy is that of the battery."""
    supply = be.Supply(voltage=V, resistance=0.2, regeneration=regeneration)
    actuator = be.Actuator(motor(limits=be.Limits(peak_current=40.0)), supply, controller=be.VelocityPi(kp=kp))
    command = be.commands.Sine(amplitude=900.0, frequency=1.0 / (30.0 * dt))
    run = be.simulate(actuator, be.Inertia(2e-5), command, duration=120 * dt, dt=dt, engine="numpy")
    given, gained = given_and_stored(run, motor(), dt, 2e-5, 0.0)
    moved = dt * np.cumsum(np.abs(run["electrical_power"]))
    assert (gained <= given + 1e-3 * moved).all()
