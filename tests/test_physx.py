"""PhysX's drive performance envelope: its law against the inequalities, datasheets, and USD files."""

from __future__ import annotations

import math
import os
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import backemf as be
from backemf import ParameterError
from backemf.sims import physx

LIMIT = be.DriveEnvelope(
    max_effort=5.0, max_actuator_velocity=10.0, velocity_dependent_resistance=0.1, speed_effort_gradient=1.0
)
SIZES = st.floats(0.05, 20.0)
MAYBE = st.one_of(st.just(0.0), st.floats(0.01, 5.0))
SIGNED = st.floats(-30.0, 30.0)


@st.composite
def envelopes(draw) -> be.DriveEnvelope:
    return be.DriveEnvelope(
        max_effort=draw(SIZES),
        max_actuator_velocity=draw(SIZES),
        velocity_dependent_resistance=draw(MAYBE),
        speed_effort_gradient=draw(MAYBE),
    )


@st.composite
def cases(draw) -> tuple[be.DriveEnvelope, float, float, float, float]:
    """An envelope, an impulse asked for, a free velocity, a response and a time step."""
    dt = draw(st.floats(1e-3, 0.1))
    return draw(envelopes()), draw(SIGNED) * dt, draw(SIGNED), draw(st.floats(0.05, 50.0)), dt


def slack(limit: be.DriveEnvelope, impulse, free_velocity, response, dt):
    """Room left in each of the two inequalities, in shares of their right-hand sides."""
    effort, velocity = np.abs(impulse) / dt, np.abs(free_velocity + response * impulse)
    by_effort = limit.max_effort - effort - limit.velocity_dependent_resistance * velocity
    by_speed = limit.max_actuator_velocity - velocity - limit.speed_effort_gradient * effort
    return np.minimum(by_effort / limit.max_effort, by_speed / limit.max_actuator_velocity)


# --- PhysX's law


@given(cases())
def test_solved_impulse_keeps_both_limits_or_is_nothing(case):
    """The impulse is 0, or both inequalities hold at the velocity after it; it never exceeds or opposes its demand."""
    limit, asked, free, response, dt = case
    given = float(physx.Envelope(limit=limit).solve(asked, free, response, dt))
    assert math.isfinite(given) and abs(given) <= abs(asked) and given * asked >= 0.0
    assert given == 0.0 or slack(limit, given, free, response, dt) >= -1e-9


@given(cases())
def test_solved_impulse_is_the_best_of_a_grid(case):
    """No impulse between nothing and the demand keeps both limits and is nearer to the demand."""
    limit, asked, free, response, dt = case
    given = float(physx.Envelope(limit=limit).solve(asked, free, response, dt))
    grid = np.linspace(0.0, asked, 2001)
    fitting = np.abs(grid[slack(limit, grid, free, response, dt) >= 1e-9])
    best = fitting.max() if fitting.size else 0.0
    assert abs(given) >= best - 1e-12
    # and where a grid impulse fits, the best one is next to the solution
    assert not fitting.size or abs(given) <= best + abs(asked) / 2000.0 + 1e-6 * abs(asked)


@given(cases(), st.sampled_from(physx.law.QUADRANTS))
def test_solution_is_symmetric(case, quadrants):
    """Everything backwards gives the same impulse backwards."""
    limit, asked, free, response, dt = case
    law = physx.Envelope(limit=limit, quadrants=quadrants)
    assert law.solve(-asked, -free, response, dt) == -law.solve(asked, free, response, dt)
    assert law.clamp(-asked, -free) == -law.clamp(asked, free)


@given(envelopes(), SIGNED, SIGNED, st.sampled_from(physx.law.QUADRANTS))
def test_explicit_clamp_is_the_solution_for_an_immovable_joint(limit, effort, velocity, quadrants):
    """Where the impulse does not change the velocity, the solver's answer is the effort clamped at the velocity."""
    law, dt = physx.Envelope(limit=limit, quadrants=quadrants), 0.5
    assert law.solve(effort * dt, velocity, 0.0, dt) / dt == pytest.approx(law.clamp(effort, velocity), abs=1e-12)


def test_explicit_clamp_of_physx_is_the_drive_envelope():
    """At 2 rad/s the effort line leaves 5 - 0.1·2, at 8 rad/s the speed line (10 - 8)/1, beyond the top nothing."""
    law = physx.Envelope(limit=LIMIT)
    speeds = np.array([2.0, -2.0, 8.0, -8.0, 12.0, -12.0])
    np.testing.assert_allclose(law.clamp(100.0, speeds), [4.8, 4.8, 2.0, 2.0, 0.0, 0.0])
    np.testing.assert_allclose(law.bounds(speeds)[0], [-4.8, -4.8, -2.0, -2.0, 0.0, 0.0])


def test_where_the_two_slopes_cancel_an_overspeed_has_no_solution():
    """With gradient/dt equal to the response, |v + rP| + rP stays above the top speed for every P at v = -12."""
    law = physx.Envelope(limit=replace(LIMIT, speed_effort_gradient=0.02, velocity_dependent_resistance=0.0))
    assert law.solve(5.0, -12.0, 2.0, 0.01) == 0.0
    assert law.solve(0.01, -9.0, 2.0, 0.01) == 0.01


def test_user_effort_is_inside_the_envelope():
    """What the user applies at the joint is taken from the drive: their sum is what fits the envelope."""
    law = physx.Envelope(limit=LIMIT)
    alone = law.solve(1.0, 2.0, 2.0, 0.01)
    for effort in (3.0, -3.0):
        assert law.solve(1.0, 2.0, 2.0, 0.01, effort) + 0.01 * effort == pytest.approx(alone)


# --- a motor's quadrants


@given(envelopes(), SIGNED)
def test_physical_envelope_is_physx_while_driving(limit, velocity):
    """Below the top speed and where drag leaves something, the largest effort along the motion is the same in both."""
    fast = abs(velocity)
    same = fast <= limit.max_actuator_velocity and limit.velocity_dependent_resistance * fast <= limit.max_effort
    high = [physx.Envelope(limit=limit, quadrants=kind).bounds(fast)[1] for kind in ("physx", "physical")]
    assert not same or high[1] == pytest.approx(high[0], abs=1e-12)


@given(envelopes(), SIGNED)
def test_physical_braking_is_never_weaker(limit, velocity):
    """Losses and back-EMF help a motor to brake, at any speed."""
    fast = abs(velocity)
    low = [physx.Envelope(limit=limit, quadrants=kind).bounds(fast)[0] for kind in ("physx", "physical")]
    assert low[1] <= low[0] + 1e-12


def test_without_losses_the_physical_envelope_is_the_dc_motor_clip():
    """v_max and v_max/k are the no-load speed and the stall torque of the clip, in all four quadrants."""
    limit = replace(LIMIT, velocity_dependent_resistance=0.0)
    clip = be.DcClip(saturation_effort=10.0, velocity_limit=10.0, effort_limit=5.0)
    speed = np.linspace(-25.0, 25.0, 101)
    found = physx.Envelope(limit=limit, quadrants="physical").bounds(speed)
    for bound, expected in zip(found, be.actuator.torque_limits.dc_bounds(speed, clip), strict=True):
        np.testing.assert_allclose(bound, expected, atol=1e-12)


def test_a_motor_brakes_an_overspeed_that_physx_lets_run():
    """Beyond the top speed back-EMF brakes with (v - v_max)/k even where the drive asks for nothing."""
    assert physx.Envelope(limit=LIMIT).clamp(0.0, 12.0) == 0.0
    assert physx.Envelope(limit=LIMIT, quadrants="physical").clamp(0.0, 12.0) == pytest.approx(-2.0)


def test_a_mechanical_top_speed_does_not_brake_by_itself():
    """Without a gradient nothing drives beyond the top speed, and braking is free up to the effort's own line."""
    law = physx.Envelope(limit=replace(LIMIT, speed_effort_gradient=0.0), quadrants="physical")
    np.testing.assert_allclose(law.bounds(12.0), [-5.0 - 1.2, 0.0])
    assert law.solve(1.0, 9.9, 2.0, 0.1) == pytest.approx(0.05)
    assert law.solve(1.0, 12.0, 2.0, 0.1) == 0.0


@given(cases())
def test_physical_solution_keeps_the_current_limit(case):
    """|effort + resistance·velocity| <= max_effort at the velocity after the impulse, always."""
    limit, asked, free, response, dt = case
    given = float(physx.Envelope(limit=limit, quadrants="physical").solve(asked, free, response, dt))
    after = free + response * given
    assert abs(given / dt + limit.velocity_dependent_resistance * after) <= limit.max_effort * (1.0 + 1e-9) + 1e-9


# --- engines


def numbers(seed: int = 0):
    draw = np.random.default_rng(seed)
    return 0.1 * draw.standard_normal(200), 9.0 * draw.standard_normal(200), np.exp(draw.standard_normal(200))


@pytest.mark.parametrize("quadrants", physx.law.QUADRANTS)
@pytest.mark.parametrize("engine", ["jax", "torch"])
def test_engines_agree(engine, quadrants):
    """A batch gives the same impulses, clamps and steps from JAX and PyTorch as from NumPy."""
    law = physx.Envelope(limit=LIMIT, quadrants=quadrants)
    drive = physx.JointDrive(envelope=law, stiffness=20.0, damping=1.0, position_iterations=3)
    asked, free, response = numbers()
    array = be.engines.load(engine).array
    there = [array(x) for x in (asked, free, response)]
    pairs = [(law.solve(asked, free, response, 0.01), law.solve(*there, 0.01, engine=engine))]
    pairs += [(law.clamp(50 * asked, free), law.clamp(50 * there[0], there[1], engine=engine))]
    pairs += zip(drive.step(asked, free, response, 0.01), drive.step(*there, 0.01, engine=engine), strict=True)
    for expected, found in pairs:
        assert np.ptp(expected) > 0.0
        np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-4, atol=2e-5)


def test_plain_floats_give_the_same():
    """One joint on Python's own numbers."""
    law = physx.Envelope(limit=LIMIT)
    found = law.solve(1.0, 2.0, 2.0, 0.01, engine="python")
    assert type(found) is float and found == pytest.approx(float(law.solve(1.0, 2.0, 2.0, 0.01)), rel=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("quadrants", physx.law.QUADRANTS)
def test_gradients_are_finite_and_those_of_differences(quadrants):
    """JAX's slopes in the demand, the velocity and all four numbers are finite, and match central differences."""
    jax = pytest.importorskip("jax")
    asked, free, response = numbers(1)
    with jax.enable_x64(True):

        def total(figures, asked, free):
            limit = be.DriveEnvelope(**figures)
            law = physx.Envelope(limit=limit, quadrants=quadrants)
            return law.solve(asked, free, response, 0.01, engine="jax").sum()

        figures = {name: getattr(LIMIT, name) for name in be.DriveEnvelope.__dataclass_fields__}
        slopes = jax.grad(total, argnums=(0, 1, 2))(figures, asked, free)
        assert all(np.isfinite(leaf).all() for leaf in jax.tree.leaves(slopes))
        for name in figures:
            moved = [total({**figures, name: figures[name] + step}, asked, free) for step in (1e-7, -1e-7)]
            expected = float(moved[0] - moved[1]) / 2e-7
            assert float(slopes[0][name]) == pytest.approx(expected, rel=1e-4, abs=1e-6)
            assert expected != 0.0


@pytest.mark.parametrize("quadrants", physx.law.QUADRANTS)
@pytest.mark.parametrize("zero", ["velocity_dependent_resistance", "speed_effort_gradient", "neither"])
def test_gradients_are_finite_at_rest_and_at_every_corner(zero, quadrants):
    """At no demand, at no speed, at the top speed and for an immovable joint, with and without each slope."""
    torch = pytest.importorskip("torch")
    limit = LIMIT if zero == "neither" else replace(LIMIT, **{zero: 0.0})
    law = physx.Envelope(limit=limit, quadrants=quadrants)
    free = torch.tensor([0.0, 10.0, -10.0, 12.0, -12.0, 0.0], requires_grad=True)
    for asked in (0.0, 1.0, -1.0):
        for response in (0.0, 2.0):
            demand = torch.full_like(free, asked, requires_grad=True)
            law.solve(demand, free, response, 0.01, engine="torch").sum().backward()
            law.clamp(demand, free, engine="torch").sum().backward()
            assert torch.isfinite(demand.grad).all() and torch.isfinite(free.grad).all()


def test_unsaturated_drive_is_an_implicit_pd():
    """After the impulse, effort = stiffness·(error at the end) + damping·(velocity error at the end)."""
    wide = replace(LIMIT, max_effort=1e6, max_actuator_velocity=1e6, speed_effort_gradient=0.0)
    drive = physx.JointDrive(envelope=physx.Envelope(limit=wide), stiffness=40.0, damping=2.0, position_iterations=1)
    q, v, effort = drive.step(0.1, 1.0, 2.0, 0.02, position_target=0.5, velocity_target=0.3)
    assert effort == pytest.approx(40.0 * (0.5 - q) + 2.0 * (0.3 - v))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: physx.Envelope(limit=LIMIT, quadrants="four"), "Envelope.quadrants = 'four': must be one of"),
        (lambda: physx.Envelope(limit=5.0), "Envelope.limit = 5.0: must be DriveEnvelope"),
        (lambda: physx.JointDrive(envelope=physx.Envelope(limit=LIMIT), stiffness=-1.0), "JointDrive.stiffness = -1"),
        (
            lambda: physx.JointDrive(envelope=physx.Envelope(limit=LIMIT), position_iterations=0),
            "JointDrive.position_iterations = 0: must be a whole number",
        ),
    ],
)
def test_impossible_envelopes_are_one_sentence(make, message):
    """The field, its value and the remedy."""
    with pytest.raises(ParameterError) as caught:
        make()
    assert message in str(caught.value) and "\n" not in str(caught.value)


# --- datasheets

SHEET = {"voltage": 48.0, "resistance": 0.3, "torque_constant": 0.1, "ratio": 50.0, "efficiency": 0.8}


@pytest.mark.parametrize(
    ("more", "effort", "by"),
    [
        ({"controller_current": 20.0, "motor_torque": 3.0, "gear_torque": 200.0}, 80.0, "controller current"),
        ({"controller_current": 40.0, "motor_torque": 3.0, "gear_torque": 200.0}, 120.0, "motor torque"),
        ({"controller_current": 40.0, "motor_torque": 3.0, "gear_torque": 90.0}, 90.0, "gear torque"),
        ({}, 0.8 * 50.0 * 0.1 * (0.9 * 48.0) / 0.3, "stall"),
    ],
)
def test_max_effort_is_the_most_restrictive_limit(more, effort, by):
    """η·N·Kt·i of the controller, η·N·τ of the motor, the gear's own, or η·N·Kt·V·0.9/R where nothing else is known."""
    found = physx.from_numbers(**SHEET, **more)
    assert found.limit.max_effort == pytest.approx(effort)
    assert found.effort_by == by and len(found.efforts) == len(more) + 1


@pytest.mark.parametrize(
    ("more", "velocity", "by"),
    [
        ({}, 0.9 * 48.0 / 0.1 / 50.0, "voltage"),
        ({"motor_speed": 400.0, "gear_input_speed": 450.0}, 8.0, "motor speed"),
        ({"motor_speed": 400.0, "gear_input_speed": 350.0}, 7.0, "gear input speed"),
    ],
)
def test_top_velocity_is_the_most_restrictive_limit(more, velocity, by):
    """0.9·V/(Ke·N), the motor's or the gear's fastest input over N."""
    found = physx.from_numbers(**SHEET, **more)
    assert found.limit.max_actuator_velocity == pytest.approx(velocity)
    assert found.velocity_by == by
    assert (found.limit.speed_effort_gradient == 0.0) == (by != "voltage")


def test_gradient_by_voltage_counts_the_gears_loss():
    """R/(Kt²·N²·η): a loaded gear needs more motor torque, so the speed falls faster."""
    found = physx.from_numbers(**SHEET)
    assert found.limit.speed_effort_gradient == pytest.approx(0.3 / (0.1**2 * 50.0**2 * 0.8))
    assert found.gradient_by == "voltage" and found.beyond_voltage == 0.0


def test_gradient_by_nominal_point():
    """(n0 - nN)/τN through the gear, for windings whose inductance counts; n0 is printed at 48 V, not at 0.9·48 V."""
    found = physx.from_numbers(**SHEET, nominal_speed=332.0, nominal_torque=2.0, no_load_speed=470.0)
    assert found.limit.speed_effort_gradient == pytest.approx((470.0 - 332.0) / 2.0 / (50.0**2 * 0.8))
    # the line moves down by the 4.8 V that the bridge does not pass on, at Ke = 0.1 V·s/rad
    assert found.limit.max_actuator_velocity == pytest.approx((470.0 - 4.8 / 0.1) / 50.0)
    assert found.gradient_by == "nominal point"


RPM = math.tau / 60.0
RE40 = {"nominal_speed": 6940.0 * RPM, "nominal_torque": 0.177, "no_load_speed": 7580.0 * RPM}
"""What the maker prints of a maxon RE 40 at 24 V."""


@pytest.mark.parametrize("modulation", [1.0, 0.95, 0.9, 0.5])
@pytest.mark.parametrize("voltage", [18.0, 24.0, 36.0])
def test_the_printed_gradient_does_not_depend_on_the_supply(voltage, modulation):
    """(7580 - 6940) rpm over 0.177 N·m is 379 rad/(s·N·m), with the guide's modulation of 0.9 and any other."""
    figures = {"resistance": 0.299, "torque_constant": 0.0302, "nominal_voltage": 24.0, **RE40}
    found = physx.from_numbers(voltage=voltage, modulation=modulation, **figures)
    assert found.limit.speed_effort_gradient == pytest.approx(379.0, abs=0.5)
    motor = be.Datasheet.load("maxon-re40-148867").motor()
    same = physx.from_motor(motor, be.Supply(voltage=voltage, modulation_limit=modulation), **RE40)
    by_mechanics = same.velocity_by == "motor speed"
    assert by_mechanics or same.limit.speed_effort_gradient == pytest.approx(379.0, abs=0.5)


@settings(deadline=None)
@given(
    free=st.floats(50.0, 2000.0),
    share=st.floats(0.05, 0.99),
    torque=st.floats(1e-3, 50.0),
    volts=st.floats(1.0, 400.0),
    ratio=st.floats(1.0, 200.0),
    efficiency=st.floats(0.3, 1.0),
    loss=st.floats(0.0, 0.1),
)
def test_envelope_passes_through_the_two_printed_points(free, share, torque, volts, ratio, efficiency, loss):
    """At the printed voltage the speed line has no torque at n0/N, and η·N·τN at nN/N; no current limits it here."""
    ke = (1.0 - loss) * volts / free
    found = physx.from_numbers(
        voltage=volts,
        resistance=1e-6 * volts * ke / torque,
        torque_constant=ke,
        modulation=1.0,
        ratio=ratio,
        efficiency=efficiency,
        nominal_speed=share * free,
        nominal_torque=torque,
        no_load_speed=free,
    )
    assert found.limit.max_actuator_velocity * ratio == pytest.approx(free, rel=1e-9)
    there = physx.Envelope(limit=found.limit).clamp(1e9, share * free / ratio)
    assert there == pytest.approx(efficiency * ratio * torque, rel=1e-9)


PRINTED = [
    name
    for name in be.Datasheet.catalog()
    if (sheet := be.Datasheet.load(name)).motion == "rotary"
    and None not in (sheet.mechanical.nominal_speed, sheet.mechanical.nominal_torque, sheet.mechanical.no_load_speed)
    and sheet.electrical.nominal_voltage is not None
    and sheet.conventions.figures_at == "motor"
]


@pytest.mark.parametrize("name", PRINTED)
def test_sheets_of_the_catalogue_pass_through_their_printed_points(name):
    """Of every sheet with a nominal point: no torque at n0, and τN at nN where nothing mechanical is slower."""
    sheet = be.Datasheet.load(name)
    try:
        motor = sheet.motor()
    except be.BackemfError:
        pytest.skip("the sheet has no winding")
    found = physx.from_datasheet(sheet, sheet.electrical.nominal_voltage)
    printed, n = sheet.mechanical, abs(motor.ratio)
    eta = 1.0 if motor.gearbox is None else motor.gearbox.efficiency
    assert found.velocities["voltage"] * n == pytest.approx(printed.no_load_speed, rel=1e-6)
    if found.velocity_by != "voltage":
        return
    k = found.limit.speed_effort_gradient
    assert found.limit.max_actuator_velocity - k * eta * n * printed.nominal_torque == pytest.approx(
        printed.nominal_speed / n, rel=1e-6
    )


def test_a_motor_without_a_printed_speed_has_its_own():
    """Without no_load_speed it is that of the motor at its rated voltage: friction and drag are in it."""
    motor = be.Datasheet.load("maxon-re40-148867").motor()
    point = {name: RE40[name] for name in ("nominal_speed", "nominal_torque")}
    free = float(be.analyze.constants(motor, 24.0).no_load_speed)
    for share in (1.0, 0.9):
        found = physx.from_motor(motor, be.Supply(voltage=24.0, modulation_limit=share), **point)
        assert found.limit.speed_effort_gradient == pytest.approx((free - RE40["nominal_speed"]) / 0.177)


def test_a_mechanical_limit_says_what_the_voltage_cannot_give():
    """With no gradient, 120 N·m are allowed up to 8 rad/s, where the voltage has (8.64 - 8)/k left."""
    found = physx.from_numbers(**SHEET, motor_torque=3.0, motor_speed=400.0)
    gradient = 0.3 / (0.1**2 * 50.0**2 * 0.8)
    assert found.beyond_voltage == pytest.approx(120.0 - 0.64 / gradient)


def test_resistance_is_the_motors_drag_at_the_joint():
    """Viscous drag is a straight line, η·N²·B, and is followed without error."""
    found = physx.from_numbers(**SHEET, drag=1e-4)
    assert found.limit.velocity_dependent_resistance == pytest.approx(0.8 * 50.0**2 * 1e-4)
    assert found.resistance_error < 1e-12


def test_resistance_follows_curved_drag_as_well_as_a_line_can():
    """The slope of least squares for B1·w + B2·w², and its worst error."""
    motor = be.Motor(
        winding=be.Winding(resistance=0.3),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        drag=be.Drag(coefficients=(1e-4, 1e-6)),
    )
    found = physx.from_motor(motor, 40.0)
    w = np.linspace(0.0, 400.0, 101)
    lost = 1e-4 * w + 1e-6 * w * w
    slope = np.linalg.lstsq(w[:, None], lost, rcond=None)[0][0]
    assert found.limit.velocity_dependent_resistance == pytest.approx(slope)
    assert found.resistance_error == pytest.approx(np.abs(slope * w - lost).max()) and found.resistance_error > 1e-3


def test_a_gear_limit_hides_drag_that_the_motor_can_spare():
    """The motor has 120 N·m where the gear bears 90: 30 N·m of drag cost nothing."""
    more = {"motor_torque": 3.0, "drag": 1e-3}
    free, geared = physx.from_numbers(**SHEET, **more), physx.from_numbers(**SHEET, **more, gear_torque=90.0)
    assert free.limit.velocity_dependent_resistance == pytest.approx(2.0)
    assert geared.limit.velocity_dependent_resistance == 0.0


def test_catalogue_motor_gives_the_simplified_envelope():
    """With the same current, the datasheet's way and `analyze.simplified` give one envelope."""
    motor = replace(be.Datasheet.load("mit-mini-cheetah").motor(), limits=be.Limits(peak_current=30.0))
    found = physx.from_motor(motor)
    expected = be.analyze.simplify(motor, be.DriveEnvelope).limit
    for name in be.DriveEnvelope.__dataclass_fields__:
        assert getattr(found.limit, name) == pytest.approx(getattr(expected, name))
    assert found.effort_by == "controller current"


def test_continuous_effort_takes_continuous_ratings():
    """The current and the gear torque that are allowed for ever."""
    motor = be.Motor(
        winding=be.Winding(resistance=0.3),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        ratings=be.Ratings(voltage=48.0, current=5.0, peak_current=20.0, gear_torque=0.4, gear_peak_torque=9.0),
    )
    assert physx.from_motor(motor).limit.max_effort == pytest.approx(2.0)
    assert physx.from_motor(motor, effort="continuous").limit.max_effort == pytest.approx(0.4)


POINT = {"nominal_speed": 400.0, "nominal_torque": 1.0, "no_load_speed": 480.0}
BARE = be.Motor(
    winding=be.Winding(resistance=0.3), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1), name="bare"
)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            {"nominal_speed": 100.0, "nominal_torque": 1.0},
            "nominal_speed = 100.0 rad/s: give its voltage, nominal_voltag",
        ),
        ({"no_load_speed": 100.0}, "nominal_speed and nominal_torque are given together"),
        ({"nominal_torque": 1.0}, "nominal_speed and nominal_torque are given together"),
        ({"effort": "continuous"}, "effort = 'continuous': the motor has no continuous current; give Ratings(current="),
        ({"effort": "often"}, "effort = 'often': must be 'peak' or 'continuous'"),
    ],
)
def test_what_a_motor_does_not_say_is_one_sentence(more, message):
    """A nominal point without its voltage, half of one, and a continuous torque that nobody rates."""
    with pytest.raises(ParameterError) as caught:
        physx.from_motor(BARE, 48.0, **more)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"nominal_speed": 100.0}, "nominal_speed, nominal_torque and no_load_speed are given together"),
        ({"nominal_voltage": 100.0}, "nominal_speed, nominal_torque and no_load_speed are given together"),
        ({"nominal_speed": 100.0, "nominal_torque": 1.0}, "nominal_speed, nominal_torque and no_load_speed are given"),
        ({**POINT, "nominal_speed": 500.0}, "nominal_speed = 500.0 rad/s: must be below the no-load speed, 480 rad/s"),
        ({**POINT, "nominal_speed": math.nan}, "nominal_speed = nan: a configuration holds one finite number"),
        ({**POINT, "nominal_torque": 0.0}, "nominal_torque = 0.0: must be greater than 0"),
        ({**POINT, "no_load_speed": -1.0}, "no_load_speed = -1.0 rad/s: must be greater than 0"),
        ({**POINT, "nominal_voltage": 0.0}, "nominal_voltage = 0.0 V: must be greater than 0"),
        ({**POINT, "nominal_voltage": 480.0}, "no_load_speed = 480 rad/s at 480 V: at the supply's voltage, 43.2 V"),
        ({"controller_current": -1.0}, "Limits.peak_current = -1"),
    ],
)
def test_impossible_datasheets_are_one_sentence(more, message):
    """The figure, its value and what it must be."""
    with pytest.raises(ParameterError, match="^" + message.replace("(", r"\(")):
        physx.from_numbers(**SHEET, **more)


# --- USD files

ROBOT = """#usda 1.0
(
    defaultPrim = "arm"
)
def Xform "arm"
{
    def PhysicsRevoluteJoint "hinge"
    {
    }
    def PhysicsPrismaticJoint "slide" (prepend apiSchemas = ["SomethingElseAPI"])
    {
        float physxJointAxis:linear:armature = 7
    }
}
"""
HINGE = physx.UsdDrive(
    stiffness=40.0,
    damping=2.0,
    position_target=0.5,
    velocity_target=-1.0,
    envelope=LIMIT,
    axis=physx.JointAxis(armature=0.01, max_joint_velocity=30.0, dynamic_friction=0.1, viscous_friction=0.02),
)


def usd(name: str):
    return pytest.importorskip(f"pxr.{name}")


def robot(folder: Path) -> Path:
    path = folder / "robot.usda"
    path.write_text(ROBOT)
    return path


def close(first: object, second: object) -> bool:
    """Equal to the rounding of USD's floats."""
    if hasattr(first, "__dataclass_fields__"):
        names = type(first).__dataclass_fields__
        return type(first) is type(second) and all(close(getattr(first, n), getattr(second, n)) for n in names)
    return first == second or (isinstance(first, float) and first == pytest.approx(second, rel=1e-6))


@pytest.mark.parametrize("suffix", [".usda", ".usdc"])
def test_angular_drive_is_written_in_degrees(tmp_path, suffix):
    """deg/s, torque per degree and deg/s per torque, under the names of the schemas."""
    path = tmp_path / f"robot{suffix}"
    assert usd("Sdf").Layer.OpenAsAnonymous(str(robot(tmp_path))).Export(str(path))
    physx.author(HINGE, path, "hinge")
    stage = usd("Usd").Stage.Open(str(path))
    prim = stage.GetPrimAtPath("/arm/hinge")
    applied = ["PhysicsDriveAPI", "PhysxDrivePerformanceEnvelopeAPI", "PhysxJointAxisAPI"]
    assert prim.GetPrimTypeInfo().GetAppliedAPISchemas() == [f"{name}:angular" for name in applied]
    expected = {
        "drive:angular:physics:maxForce": 5.0,
        "drive:angular:physics:stiffness": math.radians(40.0),
        "drive:angular:physics:targetPosition": math.degrees(0.5),
        "physxDrivePerformanceEnvelope:angular:maxActuatorVelocity": math.degrees(10.0),
        "physxDrivePerformanceEnvelope:angular:velocityDependentResistance": math.radians(0.1),
        "physxDrivePerformanceEnvelope:angular:speedEffortGradient": math.degrees(1.0),
        "physxJointAxis:angular:armature": 0.01,
        "physxJointAxis:angular:maxJointVelocity": math.degrees(30.0),
        "physxJointAxis:angular:viscousFrictionCoefficient": math.radians(0.02),
    }
    for name, value in expected.items():
        assert prim.GetAttribute(name).Get() == pytest.approx(value, rel=1e-6), name
    assert close(physx.read_drive(path), HINGE)


def test_linear_drive_keeps_its_units(tmp_path):
    """A prismatic joint has no degrees; other schemas of the joint stay."""
    usd("Usd")
    path = robot(tmp_path)
    drive = replace(HINGE, instance="linear")
    physx.author(drive, path, "/arm/slide")
    assert close(physx.read_drive(path), drive)
    assert "float physxDrivePerformanceEnvelope:linear:maxActuatorVelocity = 10\n" in path.read_text()
    assert "SomethingElseAPI" in path.read_text()


def test_round_trip_changes_nothing(tmp_path):
    """Written, read and written again, the file is the same to the last byte."""
    usd("Usd")
    path = robot(tmp_path)
    physx.author(HINGE, path, "hinge")
    once = path.read_bytes()
    physx.author(physx.read_drive(path, "hinge"), path, "hinge")
    assert path.read_bytes() == once and once != ROBOT.encode()
    assert [entry.name for entry in tmp_path.iterdir()] == ["robot.usda"]


def test_text_is_a_layer_that_reads_back():
    """A layer of overs, which read takes as it is."""
    usd("Usd")
    text = physx.text(HINGE, "/arm/hinge")
    assert text.startswith("#usda") and 'over "hinge"' in text
    assert close(physx.read_drive(text), HINGE) and physx.joints(text) == ["/arm/hinge"]


def test_no_limit_is_inf_in_the_file(tmp_path):
    """What USD leaves out is no limit, which PhysX takes as the largest float; written again it is inf."""
    usd("Usd")
    bare = '#usda 1.0\ndef PhysicsRevoluteJoint "j" (apiSchemas = ["PhysicsDriveAPI:angular"{}])\n{{\n}}\n'
    assert physx.read_drive(bare.format("")) == physx.UsdDrive()
    drive = physx.read_drive(bare.format(', "PhysxDrivePerformanceEnvelopeAPI:angular"'))
    assert drive.envelope is not None and drive.envelope.max_actuator_velocity == physx.drives.FLOAT_MAX
    assert "maxActuatorVelocity = inf" in physx.text(drive, "/j") and "maxForce = inf" in physx.text(drive, "/j")
    free = physx.Envelope(limit=drive.envelope).solve(np.float32(3.0), np.float32(50.0), np.float32(2.0), 0.01)
    assert free == pytest.approx(3.0)


def test_a_dropped_envelope_leaves_nothing_behind(tmp_path):
    """A drive without an envelope, written over one that had it, removes the schema and its numbers."""
    usd("Usd")
    path = robot(tmp_path)
    physx.author(HINGE, path, "hinge")
    physx.author(physx.UsdDrive(stiffness=1.0, max_effort=3.0), path, "hinge")
    assert "Envelope:angular:" not in path.read_text() and "physxJointAxis:angular" not in path.read_text()
    assert close(physx.read_drive(path), physx.UsdDrive(stiffness=1.0, max_effort=3.0))


def test_open_stage_is_edited_in_place():
    """A Usd.Stage takes the drive without a file."""
    stage = usd("Usd").Stage.CreateInMemory()
    stage.DefinePrim("/j", "PhysicsJoint")
    drive = replace(HINGE, instance="rotY", acceleration=True)
    physx.author(drive, stage, "/j")
    assert close(physx.read_drive(stage), drive)


BAD = {
    "broken": ('#usda 1.0\ndef Xform "a" {{{', "the text of the stage: is not USD that can be read"),
    "no joint": ('#usda 1.0\ndef Xform "a"\n{\n}\n', "the stage has no joint with a drive"),
    "text for a number": (
        '#usda 1.0\ndef PhysicsRevoluteJoint "j" (apiSchemas = ["PhysicsDriveAPI:angular"])\n'
        '{\nstring drive:angular:physics:stiffness = "x"\n}\n',
        "/j.drive:angular:physics:stiffness = 'x': must be one number",
    ),
    "no number": (
        '#usda 1.0\ndef PhysicsRevoluteJoint "j" (apiSchemas = ["PhysicsDriveAPI:angular"])\n'
        "{\nfloat drive:angular:physics:damping = nan\n}\n",
        "/j.drive:angular:physics:damping = nan: must be a finite number",
    ),
    "time samples": (
        '#usda 1.0\ndef PhysicsRevoluteJoint "j" (apiSchemas = ["PhysicsDriveAPI:angular"])\n'
        "{\nfloat drive:angular:physics:damping.timeSamples = {0: 1, 1: 2}\n}\n",
        "/j.drive:angular:physics:damping has time samples: must be one number",
    ),
    "backward motor": (
        '#usda 1.0\ndef PhysicsRevoluteJoint "j" (apiSchemas = ["PhysicsDriveAPI:angular", '
        '"PhysxDrivePerformanceEnvelopeAPI:angular"])\n'
        "{\nfloat physxDrivePerformanceEnvelope:angular:maxActuatorVelocity = -1\n}\n",
        "/j: DriveEnvelope.max_actuator_velocity = -0.0174533: must be a finite number at least 0",
    ),
    "another axis": (
        '#usda 1.0\ndef PhysicsJoint "j" (apiSchemas = ["PhysicsDriveAPI:transX"])\n{\n}\n',
        "/j has PhysicsDriveAPI:transX: give instance=, one of angular",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_stages_are_one_sentence(name, capfd):
    """Where, what, and what it must be; USD's own warnings do not come along."""
    usd("Usd")
    source, message = BAD[name]
    with pytest.raises(ParameterError) as caught:
        physx.read_drive(source)
    assert str(caught.value).startswith(message) and "\n" not in str(caught.value)
    assert "Warning" not in capfd.readouterr().err


def test_missing_and_hostile_files_are_one_sentence(tmp_path):
    """A path without a file, a folder, and bytes that are no USD."""
    usd("Usd")
    noise = tmp_path / "noise.usdc"
    noise.write_bytes(b"PXR-USDC" + bytes(range(256)) * 40)
    for path, message in ((tmp_path / "none.usda", "no such file"), (tmp_path, "no such"), (noise, "is not USD")):
        with pytest.raises(ParameterError, match=message) as caught:
            physx.read_drive(path)
        assert "\n" not in str(caught.value)


def test_joints_are_named_when_one_has_to_be_chosen(tmp_path):
    """Two drives and no name, a name that nobody has, and a drive on the wrong kind of joint."""
    usd("Usd")
    path = robot(tmp_path)
    physx.author(HINGE, path, "hinge")
    physx.author(replace(HINGE, instance="linear"), path, "slide")
    before = path.read_bytes()
    with pytest.raises(ParameterError, match="2 joints it could be: give joint=, one of /arm/hinge, /arm/slide"):
        physx.read_drive(path)
    with pytest.raises(ParameterError, match="no joint with a drive 'knee'"):
        physx.read_drive(path, "knee")
    with pytest.raises(ParameterError, match="is a PhysicsPrismaticJoint: an angular drive needs a PhysicsRevolute"):
        physx.author(HINGE, path, "slide")
    assert path.read_bytes() == before


def test_written_file_keeps_its_permissions(tmp_path):
    """The file that takes the old one's place may be read by the same people."""
    usd("Usd")
    path = robot(tmp_path)
    os.chmod(path, 0o644)
    physx.author(HINGE, path, "hinge")
    assert path.stat().st_mode & 0o777 == 0o644


def test_a_file_that_cannot_be_written_stays_as_it_is(tmp_path):
    """A packed .usdz can be read and not written: one sentence, and nothing left beside it."""
    usd("Usd")
    path, packed = robot(tmp_path), tmp_path / "robot.usdz"
    physx.author(HINGE, path, "hinge")
    assert usd("UsdUtils").CreateNewUsdzPackage(str(path), str(packed))
    before, names = packed.read_bytes(), sorted(os.listdir(tmp_path))
    assert close(physx.read_drive(packed), HINGE)
    with pytest.raises(ParameterError, match=r"robot\.usdz: cannot be written; USD writes"):
        physx.author(HINGE, packed, "hinge")
    assert packed.read_bytes() == before and sorted(os.listdir(tmp_path)) == names


def test_references_that_lead_nowhere_or_in_a_circle_do_no_harm(tmp_path, capfd):
    """USD composes what it finds; the joint that is there is read."""
    usd("Usd")
    path = tmp_path / "circle.usda"
    joint = '(apiSchemas = ["PhysicsDriveAPI:angular"]\nreferences = [@circle.usda@</j>, @gone.usda@])'
    path.write_text(f'#usda 1.0\ndef PhysicsRevoluteJoint "j" {joint}\n{{\n}}\n')
    assert physx.read_drive(path) == physx.UsdDrive()
    assert "Warning" not in capfd.readouterr().err


def test_without_usd_core_one_sentence_names_the_extra(monkeypatch):
    """pip install 'backemf[usd]'."""
    import sys

    for name in ("pxr", "pxr.Sdf", "pxr.Tf", "pxr.Usd", "pxr.UsdUtils"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(be.MissingExtraError, match=r"backemf\[usd\]"):
        physx.read_drive("robot.usda")


def test_programs_of_the_page_run(tmp_path, monkeypatch):
    """Every program in docs/simulators/physx.md, one after the other."""
    usd("Usd")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.usda").write_text(ROBOT)
    page = (Path(__file__).parent.parent / "docs" / "simulators" / "physx.md").read_text(encoding="utf-8")
    programs = re.findall(r"```python\n(.*?)```", page, flags=re.DOTALL)
    scope: dict[str, object] = {}
    for program in programs:
        exec(program, scope)
    assert len(programs) >= 3
