"""Where MuJoCo 4.0's `dcmotor` follows physics, our motor is the same motor: to 1e-9 of peak, step by step."""

from dataclasses import replace

import numpy as np
import pytest
from long import some_now
from mujoco_rig import NEWEST, Rig, drive, of_peak, replay

from backemf.motor import (
    Cogging,
    Drag,
    Gearbox,
    Harmonic,
    Limits,
    LuGre,
    Magnet,
    Motor,
    Rotor,
    Stage,
    Thermal,
    Winding,
)
from backemf.physics.bristle import bristle_rate, gaussian_level, stribeck_level

pytestmark = NEWEST
COUNT = 12
"""Random motors of each kind."""
DT, STEPS = 0.001, 1500
TOLERANCE = 1e-9


def log_uniform(rng: np.random.Generator, low: float, high: float) -> np.ndarray:
    return np.exp(rng.uniform(np.log(low), np.log(high), COUNT))


def motors(kind: str) -> tuple[Motor, np.ndarray, np.ndarray]:
    """Random motors of a kind, the inertia on their hinges and their largest voltage."""
    rng = np.random.default_rng(sorted(KINDS).index(kind))
    constant = log_uniform(rng, 0.005, 0.2)
    resistance = log_uniform(rng, 0.1, 10.0)
    volts = rng.uniform(6.0, 48.0, COUNT)
    traits = KINDS[kind]
    if "cogging" in traits:
        # slow enough that a step passes a fraction of a slot: slots that fly past unresolved make any motor chaotic
        volts = constant * rng.uniform(10.0, 60.0, COUNT)
    winding = {"resistance": resistance}
    parts = {}
    if "inductive" in traits:
        winding["inductance"] = resistance * DT * log_uniform(rng, 0.2, 20.0)
    if "thermal" in traits or "cooled" in traits:
        # the winding warms by 20 to 100 K within a second of stall, and cools in days or in a second
        capacitance = volts**2 / resistance / rng.uniform(20.0, 100.0, COUNT)
        cooling = 1e6 if "thermal" in traits else rng.uniform(0.3, 3.0, COUNT)
        parts["thermal"] = Thermal(
            resistance=cooling / capacitance, capacitance=capacitance, ambient=rng.uniform(-20.0, 50.0, COUNT)
        )
        winding["temperature_coefficient"] = rng.uniform(0.003, 0.005, COUNT)
        winding["reference_temperature"] = rng.uniform(15.0, 30.0, COUNT)
    stall_torque = constant * volts / resistance
    if "cogging" in traits:
        harmonic = Harmonic(
            amplitude=stall_torque * rng.uniform(0.01, 0.1, COUNT),
            periodicity=rng.integers(2, 9, COUNT).astype(float),
            phase=rng.uniform(-3.0, 3.0, COUNT),
        )
        parts["cogging"] = Cogging(harmonics=(harmonic,))
    if "gear" in traits:
        ratio = log_uniform(rng, 2.0, 200.0) * rng.choice([-1.0, 1.0], COUNT)
        parts["gearbox"] = Gearbox(stages=(Stage(ratio=ratio),))
        parts["drag"] = Drag(coefficients=(constant**2 / resistance * rng.uniform(0.01, 0.5, COUNT),))
    if "limited" in traits:
        parts["limits"] = Limits(continuous_current=volts / resistance * rng.uniform(0.2, 0.8, COUNT))
    # the hinge reaches its speed within 50 to 500 ms; a third of its inertia is the rotor's
    felt = rng.uniform(0.05, 0.5, COUNT) * constant**2 / resistance
    if "lugre" in traits:
        coulomb = stall_torque * rng.uniform(0.02, 0.1, COUNT)
        stiffness = felt * (rng.uniform(0.05, 0.3, COUNT) / DT) ** 2
        parts["friction"] = LuGre(
            coulomb=coulomb,
            stiction=coulomb * rng.uniform(1.0, 2.0, COUNT),
            stribeck_velocity=volts / constant * rng.uniform(0.01, 0.1, COUNT),
            stiffness=stiffness,
            damping=felt / DT * rng.uniform(0.01, 0.3, COUNT),
        )
    magnet = Magnet(torque_constant=constant, back_emf_constant=constant)
    motor = Motor(winding=Winding(**winding), magnet=magnet, rotor=Rotor(inertia=felt / 3), **parts)
    return motor, (2 / 3) * felt * motor.ratio**2, volts


KINDS = {
    "resistive": {"resistive"},
    "inductive": {"inductive"},
    "thermal": {"thermal"},
    "cogging": {"cogging"},
    "gear with linear drag": {"gear"},
    "current limit": {"limited"},
    "inductive, cogging, gear": {"inductive", "cogging", "gear"},
    "thermal, cogging, gear": {"thermal", "cogging", "gear"},
    "cooled": {"cooled"},
    "lugre": {"lugre"},
    "lugre, inductive, cogging, gear": {"lugre", "inductive", "cogging", "gear"},
}
"""Name of each kind of motor and what it has."""
FREE_RUNNING = [kind for kind, traits in KINDS.items() if not traits & {"cooled", "lugre"}]
"""Kinds whose every state MuJoCo steps as physics does."""
BRISTLED = [kind for kind, traits in KINDS.items() if "lugre" in traits]


def command(shape: str, volts: np.ndarray) -> np.ndarray:
    """Voltages (STEPS, COUNT) of a shape, different for each motor."""
    rng = np.random.default_rng(sorted(SHAPES).index(shape))
    t = DT * np.arange(STEPS)[:, None]
    if shape == "random steps":
        holds = rng.uniform(-1.0, 1.0, (STEPS // 50 + 1, COUNT))
        return volts * holds[np.arange(STEPS) // 50]
    if shape == "sine":
        return volts * np.sin(2 * np.pi * rng.uniform(0.5, 8.0, COUNT) * t + rng.uniform(-3.0, 3.0, COUNT))
    if shape == "chirp":
        return volts * np.sin(2 * np.pi * (rng.uniform(0.2, 1.0, COUNT) + rng.uniform(10.0, 30.0, COUNT) * t) * t)
    return volts * np.sign(np.sin(2 * np.pi * rng.uniform(1.0, 8.0, COUNT) * t + 0.1))


SHAPES = ["random steps", "sine", "chirp", "reversals"]


@pytest.mark.parametrize("shape", some_now(SHAPES, lambda shape: shape == "reversals"))
@pytest.mark.parametrize("kind", FREE_RUNNING)
def test_same_torque_and_states_along_the_same_motion(kind: str, shape: str):
    """Fed with MuJoCo's voltages, angles and speeds, our torque on the joint and every state are MuJoCo's."""
    motor, inertia, volts = motors(kind)
    theirs = Rig(motor, inertia, DT).run(command(shape, volts))
    ours = replay(motor, theirs)
    assert of_peak(ours.torque, theirs.torque) < TOLERANCE
    assert ours.states.keys() == theirs.states.keys()
    for name, state in ours.states.items():
        assert of_peak(state, theirs.states[name]) < TOLERANCE, name


@pytest.mark.parametrize("shape", some_now(SHAPES, lambda shape: shape == "random steps"))
@pytest.mark.parametrize("kind", FREE_RUNNING)
def test_same_motion_from_the_same_voltage(kind: str, shape: str):
    """Both turn the same hinge by their own torque and end up with the same angles, speeds, torques and states."""
    motor, inertia, volts = motors(kind)
    theirs = Rig(motor, inertia, DT).run(command(shape, volts))
    ours = drive(motor, inertia, theirs.voltage, DT)
    for name in ("position", "velocity", "torque"):
        assert of_peak(getattr(ours, name), getattr(theirs, name)) < TOLERANCE, name
    for name, state in ours.states.items():
        assert of_peak(state, theirs.states[name]) < TOLERANCE, name


@pytest.mark.parametrize("kind", KINDS)
def test_compared_hinges_turn_both_ways(kind: str):
    """Every random motor is seen turning forward and backward, so the comparison covers both."""
    motor, inertia, volts = motors(kind)
    speed = Rig(motor, inertia, DT).run(command("reversals", volts)).velocity
    assert (speed.max(axis=0) > 0).all() and (speed.min(axis=0) < 0).all()


def test_compared_currents_reach_and_leave_their_limit():
    """Every motor with a current limit is seen at the limit and below it."""
    motor, inertia, volts = motors("current limit")
    force = Rig(motor, inertia, DT).run(command("sine", volts)).force
    at_limit = np.isclose(np.abs(force), motor.magnet.torque_constant * motor.limits.continuous_current).mean(axis=0)
    assert (at_limit > 0.02).all() and (at_limit < 0.98).all()


def test_compared_windings_warm_up():
    """Every winding with a thermal model warms by enough to change its resistance by a per cent."""
    for kind in ("thermal", "thermal, cogging, gear", "cooled"):
        motor, inertia, volts = motors(kind)
        rise = Rig(motor, inertia, DT).run(command("reversals", volts)).states["winding_rise"]
        assert (motor.winding.temperature_coefficient * rise.max(axis=0) > 0.01).all(), kind


@pytest.mark.parametrize("kind", BRISTLED)
def test_compared_bristles_slip(kind: str):
    """Every motor with bristles is seen sliding, with the bristles bent as far as friction bends them."""
    motor, inertia, volts = motors(kind)
    bristle = Rig(motor, inertia, DT).run(command("reversals", volts)).states["bristle"]
    assert (motor.friction.stiffness * np.abs(bristle).max(axis=0) > 0.99 * motor.friction.coulomb).all()


def test_hot_winding_gives_the_same_torque():
    """With a thermal time constant of seconds, at MuJoCo's own temperature of each step, our torque is MuJoCo's."""
    motor, inertia, volts = motors("cooled")
    theirs = Rig(motor, inertia, DT).run(command("random steps", volts))
    ours = replay(motor, theirs, follow=("winding_rise",))
    assert of_peak(ours.torque, theirs.torque) < TOLERANCE
    # and the temperature matters: at the cold resistance the torque is another one
    cold = replace(theirs, states={"winding_rise": np.zeros_like(theirs.states["winding_rise"])})
    assert of_peak(replay(motor, cold, follow=("winding_rise",)).torque, theirs.torque) > 0.01


def locked_motor(resistance: float, thermal: Thermal, coefficient: float) -> Motor:
    """A motor for a locked rotor."""
    return Motor(
        winding=Winding(
            resistance=np.array([resistance]), temperature_coefficient=coefficient, reference_temperature=25.0
        ),
        magnet=Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=Rotor(inertia=1e-5),
        thermal=thermal,
    )


def stall(motor: Motor, volts: float, duration: float, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Winding rise of MuJoCo and of ours with the rotor held still [K]."""
    steps = round(duration / dt)
    still = np.zeros((steps, 1))
    theirs = Rig(motor, 1e-3, dt).run(np.full((steps, 1), volts), position=still, velocity=still)
    return theirs.states["winding_rise"][:, 0], replay(motor, theirs).states["winding_rise"][:, 0]


def test_temperature_difference_is_the_error_of_an_euler_step():
    """With R(T) and fast cooling the two temperatures differ in proportion to the step: half the step, half of it."""
    motor = locked_motor(1.2, Thermal(resistance=2.0, capacitance=0.3, ambient=20.0), 0.0039)
    apart = []
    for dt in (0.004, 0.002, 0.001):
        theirs, ours = stall(motor, 9.0, 1.2, dt)
        apart.append(np.abs(theirs - ours).max())
    assert apart[0] / apart[1] == pytest.approx(2.0, rel=0.02)
    assert apart[1] / apart[2] == pytest.approx(2.0, rel=0.02)


def test_our_temperature_is_exact_where_there_is_a_closed_form():
    """At stall with constant R the rise is Rth·P·(1 - exp(-t/tT)): ours to rounding, MuJoCo's off by h/(2e·tT)."""
    thermal = Thermal(resistance=2.0, capacitance=0.3, ambient=20.0)
    resistance, volts, dt = 1.2, 9.0, 0.002
    theirs, ours = stall(locked_motor(resistance, thermal, 0.0), volts, 1.2, dt)
    time_constant = thermal.resistance * thermal.capacitance
    t = dt * np.arange(len(ours))
    exact = thermal.resistance * volts**2 / resistance * -np.expm1(-t / time_constant)
    assert np.abs(ours - exact).max() / exact[-1] < 1e-13
    # Euler decays by (1 - h/tT) a step: too fast by exp(-t/tT)·t·h/(2·tT²), which is largest at t = tT
    steady = thermal.resistance * volts**2 / resistance
    assert np.abs(theirs - exact).max() == pytest.approx(steady * dt / (2 * np.e * time_constant), rel=0.01)


def test_inductive_winding_heats_with_the_current_of_the_whole_step():
    """While i = I(1 - exp(-t/te)) rises at stall, C·T is R times the integral of i²: ours to 1e-9, at any step.

    MuJoCo heats with the current at the start of the step: half the step, half the error.
    """
    thermal, time_constant, volts, duration = Thermal(resistance=1e9, capacitance=0.3, ambient=20.0), 0.004, 9.0, 0.016
    motor = locked_motor(1.2, thermal, 0.0)
    motor = replace(motor, winding=replace(motor.winding, inductance=1.2 * time_constant))
    decayed = np.exp(-duration / time_constant)
    squared = duration - 2 * time_constant * (1 - decayed) + 0.5 * time_constant * (1 - decayed**2)
    exact = volts**2 / 1.2 * squared / thermal.capacitance
    errors = []
    for dt in (0.004, 0.001, 0.0005):
        theirs, ours = stall(motor, volts, duration, dt)
        assert ours[-1] == pytest.approx(exact, rel=1e-9)
        errors.append(exact - theirs[-1])
    assert errors[1] / errors[2] == pytest.approx(2.0, rel=0.05)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", BRISTLED)
def test_same_bristles_along_the_same_motion(kind: str, shape: str):
    """Along MuJoCo's speeds our bristles and our current go where MuJoCo's go, through slip and reversal."""
    motor, inertia, volts = motors(kind)
    theirs = Rig(motor, inertia, DT).run(command(shape, volts))
    ours = replay(motor, theirs)
    assert ours.states.keys() == theirs.states.keys()
    for name, state in ours.states.items():
        assert of_peak(state, theirs.states[name]) < TOLERANCE, name


@pytest.mark.parametrize("level", ["gaussian", "power"])
@pytest.mark.parametrize("kind", BRISTLED)
def test_same_friction_law_at_the_same_instant(kind: str, level: str):
    """Our g(w) and z' at the start of the step, where MuJoCo samples, give its friction stiffness·z + damping·z'."""
    motor, inertia, volts = motors(kind)
    theirs = Rig(motor, inertia, DT).run(command("random steps", volts))
    friction = motor.friction
    w = motor.ratio * theirs.velocity
    g = gaussian_level(w, friction) if level == "gaussian" else stribeck_level(w, friction, 2.0)
    z = theirs.states["bristle"][:-1]
    held = friction.stiffness * z + friction.damping * bristle_rate(z, w, g, friction.stiffness)
    # what is left of our motor without bristles
    smooth = replace(motor, friction=None)
    ours = replay(smooth, theirs).torque - motor.ratio * held
    assert of_peak(ours, theirs.torque) < TOLERANCE


@pytest.mark.parametrize("kind", BRISTLED)
def test_same_torque_in_steady_sliding(kind: str):
    """At constant speed the bristles settle at g(w)/stiffness, and the whole step's torque is MuJoCo's."""
    motor, inertia, volts = motors(kind)
    rng = np.random.default_rng(7)
    no_load = volts / motor.magnet.back_emf_constant / np.abs(motor.ratio)
    speed = rng.uniform(0.02, 0.9, COUNT) * rng.choice([-1.0, 1.0], COUNT) * no_load
    velocity = np.broadcast_to(speed, (600, COUNT))
    position = np.cumsum(velocity, axis=0) * DT
    theirs = Rig(motor, inertia, DT).run(np.broadcast_to(volts, (600, COUNT)), position, velocity)
    ours = replay(motor, theirs)
    friction = motor.friction
    level = gaussian_level(motor.ratio * speed, friction)
    assert of_peak(friction.stiffness * np.abs(ours.states["bristle"][-200:]), level + np.zeros((200, 1))) < TOLERANCE
    assert of_peak(ours.torque[-200:], theirs.torque[-200:]) < TOLERANCE
