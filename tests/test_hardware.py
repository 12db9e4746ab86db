"""Inertias, linear axes, linkages and gains, held against energies, powers and the laws of the motor itself."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from backemf.analyze import operating_point
from backemf.design.gains import (
    Gains,
    bandwidth_from_gains,
    gains_from_bandwidth,
    torque_gains,
    volt_gains,
)
from backemf.design.hardware import (
    Belt,
    LeadScrew,
    Linkage,
    PlanetaryStage,
    planetary_ratio,
    reflected_inertia,
)
from backemf.errors import ParameterError
from backemf.motor import Gearbox, Magnet, Motor, Rotor, Stage, Winding

sizes = st.floats(1e-7, 1e-2)
reductions = st.floats(0.2, 20.0) | st.floats(-20.0, -0.2)


def geared_motor(*ratios: float, **parts) -> Motor:
    known = {
        "winding": Winding(resistance=0.2),
        "magnet": Magnet(torque_constant=0.09, back_emf_constant=0.14),
        "gearbox": Gearbox(stages=tuple(Stage(ratio=n) for n in ratios)) if ratios else None,
    }
    return Motor(**known | parts)


# --- gear trains


def test_two_stages_are_mjlabs_formula_to_the_last_bit():
    """The 7520-14 motor of the Unitree G1: J0·(g1·g2)² + J1·g2² + J2 of mjlab's configuration is 0.010178 kg·m²."""
    j0, j1, j2 = 0.489e-4, 0.098e-4, 0.533e-4
    g1, g2 = 4.5, 1 + (48 / 22)
    armature = reflected_inertia((j0, j1, j2), (g1, g2))
    assert armature == j0 * (g1 * g2) ** 2 + j1 * g2**2 + j2
    assert armature == pytest.approx(0.010177520, abs=5e-9)


@pytest.mark.parametrize(
    ("inertias", "ratios", "armature"),
    [
        # the motors of mjlab's G1: rotor inertias, gears and what its two-stage formula gives for them
        ((0.139e-4, 0.017e-4, 0.169e-4), (1, 1 + 46 / 18, 1 + 56 / 16), 0.003609725),
        ((0.489e-4, 0.098e-4, 0.533e-4), (1, 4.5, 1 + 48 / 22), 0.010177520),
        ((0.489e-4, 0.109e-4, 0.738e-4), (1, 4.5, 5), 0.025101925),
        ((0.068e-4, 0.0, 0.0), (1, 5, 5), 0.00425),
    ],
)
def test_the_leading_one_of_mjlabs_tuples_is_the_rotor(inertias, ratios, armature):
    """With or without the 1 in front, the number is that of mjlab's formula."""
    j0, j1, j2 = inertias
    one, g1, g2 = ratios
    assert one == 1
    assert reflected_inertia(inertias, ratios) == j0 * (g1 * g2) ** 2 + j1 * g2**2 + j2
    assert reflected_inertia(inertias, ratios) == reflected_inertia(inertias, (g1, g2))
    assert reflected_inertia(inertias, ratios) == pytest.approx(armature, abs=5e-10)


def test_a_real_stage_of_one_to_one_has_one_inertia_more():
    """Both inertias of a 1:1 stage turn with the input of the next."""
    assert reflected_inertia((1e-5, 2e-5, 0.0), (1, 5)) == pytest.approx((1e-5 + 2e-5) * 25)


def test_one_stage_takes_plain_numbers():
    """One ratio: J·N²."""
    assert reflected_inertia(2e-5, 9.0) == pytest.approx(2e-5 * 81.0)


def test_inertias_may_be_arrays_of_a_batch():
    """An array is a batch of motors, a tuple is a train of stages."""
    rotor = np.array([1e-5, 2e-5])
    assert reflected_inertia((rotor, 1e-4), (10.0,)) == pytest.approx(rotor * 100.0 + 1e-4)


@given(st.lists(st.tuples(sizes, reductions), min_size=1, max_size=4), sizes)
def test_reflected_inertia_has_the_energy_of_the_train(train, last):
    """Half the reflected inertia at 1 rad/s is the kinetic energy of every wheel at its own speed."""
    speed, energy = 1.0, 0.5 * last
    for inertia, ratio in reversed(train):
        speed *= ratio
        energy += 0.5 * inertia * speed**2
    inertias = (*(inertia for inertia, _ in train), last)
    assert reflected_inertia(inertias, tuple(ratio for _, ratio in train)) == pytest.approx(2.0 * energy)


@given(sizes, st.lists(st.tuples(sizes, reductions), min_size=1, max_size=3))
def test_reflected_inertia_agrees_with_the_gearbox(rotor, train):
    """A motor's own armature is the same number: the rotor turns with the input of the first stage."""
    stages = tuple(Stage(ratio=ratio, inertia=inertia) for inertia, ratio in train)
    motor = geared_motor(rotor=Rotor(inertia=rotor), gearbox=Gearbox(stages=stages))
    # nothing more turns with the joint; said because a first ratio of 1 could otherwise be the rotor's
    inertias = (rotor + train[0][0], *(inertia for inertia, _ in train[1:]), 0.0)
    assert reflected_inertia(inertias, tuple(ratio for _, ratio in train)) == pytest.approx(motor.reflected_inertia)


@pytest.mark.parametrize("inertias", [(1e-5,), (1e-5, 1e-5, 1e-5, 1e-5)])
def test_counts_that_do_not_fit_are_an_error(inertias):
    """Two stages have two inputs and one output."""
    with pytest.raises(ParameterError, match="do not fit 2 ratios"):
        reflected_inertia(inertias, (3.0, 3.0))


def test_negative_inertia_is_an_error():
    """The message names the place."""
    with pytest.raises(ParameterError, match=r"inertias\[1\] = -1e-05: must be a finite number of at least 0"):
        reflected_inertia((1e-5, -1e-5), (3.0,))


def test_planetary_ratio_of_known_gears():
    """The G1's second stage has a sun of 22 and a ring of 48 teeth."""
    assert planetary_ratio(22, 48) == pytest.approx(1 + 48 / 22)


def planet_speed(sun_teeth: float, ring_teeth: float, sun_speed: float) -> tuple[float, float]:
    """Carrier and planet speed by rolling: pitch points of meshing wheels move alike, the ring's stand still."""
    planet_teeth = (ring_teeth - sun_teeth) / 2
    # at the sun: s·w_s = (s + p)·w_c - p·w_p;  at the ring: 0 = (s + p)·w_c + p·w_p
    orbit = sun_teeth + planet_teeth
    matrix = np.array([[orbit, -planet_teeth], [orbit, planet_teeth]])
    carrier, planet = np.linalg.solve(matrix, [sun_teeth * sun_speed, 0.0])
    return carrier, planet


@given(st.integers(8, 60), st.integers(10, 60), st.tuples(sizes, sizes, sizes), st.floats(0.01, 1.0), st.integers(1, 6))
def test_planetary_stage_has_the_energy_of_its_wheels(sun, more, inertias, mass, planets):
    """Sun, carrier and planets, each at the speed that rolling gives it, have the energy of the one inertia."""
    ring = sun + more
    radius = 0.03
    part = PlanetaryStage(
        sun_teeth=sun,
        ring_teeth=ring,
        orbit_radius=radius,
        sun_inertia=inertias[0],
        planet_inertia=inertias[1],
        carrier_inertia=inertias[2],
        planet_mass=mass,
        planets=planets,
    )
    carrier, planet = planet_speed(sun, ring, 7.0)
    orbiting = mass * (radius * carrier) ** 2 + inertias[1] * planet**2
    energy = 0.5 * (inertias[0] * 7.0**2 + inertias[2] * carrier**2 + planets * orbiting)
    assert part.ratio == pytest.approx(7.0 / carrier)
    assert part.planet_ratio == pytest.approx(planet / carrier)
    assert 0.5 * part.output_inertia * carrier**2 == pytest.approx(energy)
    assert 0.5 * part.input_inertia * 7.0**2 == pytest.approx(energy)


def test_planetary_stage_becomes_a_stage_of_a_gearbox():
    """Behind a rotor it adds its output inertia to the joint."""
    part = PlanetaryStage(sun_teeth=20, ring_teeth=60, orbit_radius=0.02, planet_mass=0.01, carrier_inertia=3e-6)
    motor = geared_motor(rotor=Rotor(inertia=1e-5), gearbox=Gearbox(stages=(part.stage(efficiency=0.9),)))
    assert motor.reflected_inertia == pytest.approx(1e-5 * 16.0 + part.output_inertia)
    assert motor.gearbox is not None and motor.gearbox.efficiency == 0.9


def test_ring_smaller_than_the_sun_is_an_error():
    """Planets need room."""
    with pytest.raises(ParameterError, match="ring_teeth = 20 must be above sun_teeth = 30"):
        PlanetaryStage(sun_teeth=30, ring_teeth=20, orbit_radius=0.02)


# --- linear axes


@pytest.mark.parametrize("slide", [LeadScrew(lead=0.004), Belt(radius=0.02), Belt(radius=-0.02)])
def test_slide_keeps_power_energy_and_way(slide):
    """Without loss F·v = τ·w and m·v² = J·w², and every conversion has its inverse."""
    torque, speed, inertia = 0.3, -12.0, 4e-5
    force, velocity, mass = slide.force(torque), slide.velocity(speed), slide.mass(inertia)
    assert force * velocity == pytest.approx(torque * speed)
    assert mass * velocity**2 == pytest.approx(inertia * speed**2)
    assert slide.torque(force) == pytest.approx(torque)
    assert slide.back_torque(force) == pytest.approx(torque)
    assert slide.speed(velocity) == pytest.approx(speed)
    assert slide.inertia(mass) == pytest.approx(inertia)


def test_slide_is_mjlabs_reflection():
    """m = I/r², v = r·w, F = τ/r with r the transmission ratio in metres per radian."""
    r = 0.0254 / (2 * math.pi)
    screw = LeadScrew(lead=0.0254)
    assert screw.mass(1.7e-5) == pytest.approx(1.7e-5 / r**2)
    assert screw.velocity(300.0) == pytest.approx(300.0 * r)
    assert screw.force(0.4) == pytest.approx(0.4 / r)


def test_screw_loses_the_share_it_says():
    """Driving, the nut gets 40 % of the power; driven, the screw gets 10 %."""
    screw = LeadScrew(lead=0.01, efficiency=0.4, back_efficiency=0.1)
    assert screw.force(2.0) * screw.velocity(5.0) == pytest.approx(0.4 * 2.0 * 5.0)
    assert screw.torque(screw.force(2.0)) == pytest.approx(2.0)
    assert screw.back_torque(30.0) * 5.0 == pytest.approx(0.1 * 30.0 * screw.velocity(5.0))


def test_self_locking_screw_passes_nothing_back():
    """A back efficiency of 0 is a screw that the load cannot turn."""
    assert LeadScrew(lead=0.002, efficiency=0.3, back_efficiency=0.0).back_torque(1000.0) == 0.0


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: LeadScrew(lead=0.0), "LeadScrew.lead = 0: must not be zero"),
        (lambda: Belt(radius=float("nan")), "Belt.radius = nan: must be a finite number"),
        (lambda: Belt(radius=0.1, efficiency=1.2), "Belt.efficiency = 1.2: must be a finite number at most 1"),
    ],
)
def test_impossible_slide_is_an_error(make, words):
    """One sentence with the field and its value."""
    with pytest.raises(ParameterError, match=words):
        make()


# --- linkages


def test_two_motors_on_one_joint_add_up():
    """The sum rule: armature, stiffness and effort limit of two equal motors are twice one motor's."""
    pair = Linkage([[1.0], [1.0]])
    for value in (0.0036, 14.25, 0.9):
        assert pair.matrix(np.array([value, value])) == pytest.approx(np.array([[2 * value]]))
        assert pair.diagonal(value) == pytest.approx([2 * value])
    assert pair.effort_limit(25.0) == pytest.approx([50.0])


def test_ankle_has_the_sum_rule_on_both_joints_without_coupling():
    """Motors alike for pitch, against each other for roll: Jᵀ·I·J = 2·I, as mjlab has it for the G1's ankle."""
    ankle = Linkage([[1.0, 1.0], [1.0, -1.0]])
    assert ankle.matrix(0.0036) == pytest.approx(2 * 0.0036 * np.eye(2))
    assert ankle.effort_limit(25.0) == pytest.approx([50.0, 50.0])


def test_unequal_motors_couple_the_joints():
    """The diagonal is what one armature per joint can hold; the matrix shows what it leaves out."""
    ankle = Linkage([[1.0, 1.0], [1.0, -1.0]])
    assert ankle.matrix(np.array([0.003, 0.005])) == pytest.approx(np.array([[0.008, -0.002], [-0.002, 0.008]]))
    assert ankle.diagonal([0.003, 0.005]) == pytest.approx([0.008, 0.008])


numbers = st.floats(-3.0, 3.0)


@given(
    st.lists(numbers, min_size=6, max_size=6),
    st.lists(numbers, min_size=2, max_size=2),
    st.lists(sizes, min_size=3, max_size=3),
)
def test_linkage_keeps_power_and_energy(entries, speeds, inertias):
    """τᵀ·v = τ_motorᵀ·w and vᵀ·M·v = Σ I·w² for three motors on two joints."""
    linkage, v, inertia = Linkage(np.reshape(entries, (3, 2))), np.array(speeds), np.array(inertias)
    w, torque = linkage.motor_speed(v), np.array([0.4, -0.1, 0.7])
    assert linkage.joint_torque(torque) @ v == pytest.approx(torque @ w, abs=1e-12)
    assert v @ linkage.matrix(inertia) @ v == pytest.approx(inertia @ w**2, abs=1e-15)
    assert np.diag(linkage.matrix(inertia)) == pytest.approx(linkage.diagonal(inertia))


def test_effort_limit_is_the_largest_torque_of_all_signs():
    """Every corner of the motors' limits is tried."""
    linkage, limit = Linkage([[1.0, 0.3], [0.8, -1.1]]), np.array([20.0, 30.0])
    corners = np.array([[a, b] for a in (-1, 1) for b in (-1, 1)]) * limit
    reached = np.array([linkage.joint_torque(corner) for corner in corners])
    assert linkage.effort_limit(limit) == pytest.approx(reached.max(axis=0))


def test_linkage_takes_a_batch_of_configurations():
    """Leading axes of the Jacobian are environments."""
    jacobians = np.random.default_rng(0).normal(size=(5, 3, 2))
    together = Linkage(jacobians).matrix(np.array([1.0, 2.0, 3.0]))
    apart = [Linkage(j).matrix(np.array([1.0, 2.0, 3.0])) for j in jacobians]
    assert together == pytest.approx(np.array(apart))


def test_jacobian_of_one_row_is_an_error():
    """It says what it wants."""
    with pytest.raises(ParameterError, match="a row for each motor and a column for each joint"):
        Linkage([1.0, 1.0])


# --- gains


@given(sizes, st.floats(0.1, 100.0), st.floats(0.0, 5.0))
def test_gains_put_the_poles_where_they_are_asked(inertia, hertz, damping):
    """J·s² + kd·s + kp has the poles of s² + 2·ζ·wn·s + wn²."""
    gains = gains_from_bandwidth(inertia, hertz, damping)
    wn = 2 * math.pi * hertz
    poles, wanted = np.roots([inertia, gains.kd, gains.kp]), np.roots([1.0, 2 * damping * wn, wn**2])
    assert np.sort_complex(poles) == pytest.approx(np.sort_complex(wanted), rel=1e-5)


@given(sizes, st.floats(0.1, 100.0), st.floats(0.0, 5.0))
def test_bandwidth_is_read_back_from_gains(inertia, hertz, damping):
    """The two functions are inverse to each other."""
    back = bandwidth_from_gains(inertia, gains_from_bandwidth(inertia, hertz, damping))
    assert back.bandwidth_hz == pytest.approx(hertz)
    assert back.damping_ratio == pytest.approx(damping)


@pytest.mark.parametrize("ratios", [(), (6.0,), (3.0, -2.0)])
@pytest.mark.parametrize(("error", "speed"), [(0.0, 3.0), (0.2, 0.0), (-0.1, -4.0)])
def test_volt_and_torque_gains_give_the_same_joint_torque(ratios, error, speed):
    """The motor under a volt law gives what the converted torque law says, back-EMF and gears included."""
    motor = geared_motor(*ratios)
    volts = Gains(kp=40.0, ki=3.0, kd=0.7)
    by_volts = volts.kp * error + volts.ki * 0.05 - volts.kd * speed
    newton = torque_gains(motor, volts)
    asked = newton.kp * error + newton.ki * 0.05 - newton.kd * speed
    assert operating_point(motor, by_volts, speed).joint_torque == pytest.approx(asked)


def test_mujocos_migration_is_the_motor_side():
    """With Kt = Ke = K and no gear: multiply by K/R and add K²/R to kd."""
    k, r = 0.05, 0.8
    motor = geared_motor(5.0, winding=Winding(resistance=r), magnet=Magnet(torque_constant=k, back_emf_constant=k))
    found = torque_gains(motor, Gains(10.0, 2.0, 0.3), side="motor")
    assert found == pytest.approx((10.0 * k / r, 2.0 * k / r, 0.3 * k / r + k * k / r))


@given(reductions, st.floats(0.01, 100.0), st.floats(0.0, 10.0), st.floats(0.0, 10.0))
def test_volt_gains_undo_torque_gains(ratio, kp, ki, kd):
    """There and back is where it was."""
    motor = geared_motor(ratio)
    assert volt_gains(motor, torque_gains(motor, Gains(kp, ki, kd))) == pytest.approx((kp, ki, kd), abs=1e-9)


def test_less_damping_than_the_back_emf_gives_needs_a_negative_gain():
    """Undamped torque control in volts has to work against the back-EMF: kd = -N·Ke."""
    assert volt_gains(geared_motor(6.0), Gains(kp=10.0)).kd == pytest.approx(-6.0 * 0.14)


def test_unknown_side_is_an_error():
    """It names the two."""
    with pytest.raises(ParameterError, match='side = \'rotor\': must be "joint" or "motor"'):
        torque_gains(geared_motor(), Gains(1.0), side="rotor")


def test_gradients_flow_through_hardware_and_gains():
    """JAX differentiates the way from a rotor's inertia to a volt gain: everything is linear in it."""
    jax = pytest.importorskip("jax")

    def stiffness(inertia, entry):
        at_joint = reflected_inertia((inertia, 1e-5), (6.0,))
        armature = Linkage(jax.numpy.array([[1.0, entry], [1.0, -1.0]])).diagonal(at_joint)[1]
        return volt_gains(geared_motor(6.0), gains_from_bandwidth(armature, 10.0, 1.0)).kp

    slope = jax.grad(stiffness)(2e-5, 1.0)
    per_armature = (20 * math.pi) ** 2 * 0.2 / (6.0 * 0.09)
    assert float(slope) == pytest.approx(per_armature * 2 * 36.0, rel=1e-5)
