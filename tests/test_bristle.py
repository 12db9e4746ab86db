"""Friction with memory: Dahl and LuGre."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import backemf as be
from backemf.physics import bristle as bristle_laws
from backemf.physics.bristle import bristle_mean, bristle_step, estimated_settling, settled_speed
from backemf.physics.ops import CLOSE, refine

COULOMB, STICTION, WS, STIFFNESS = 0.02, 0.035, 0.8, 40.0


def motor(friction) -> be.Motor:
    """A motor whose winding is out of the way: no current flows at any speed."""
    return be.Motor(
        winding=be.Winding(resistance=1e15),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=2e-5),
        friction=friction,
    )


def lugre(**changes) -> be.LuGre:
    given = {"coulomb": COULOMB, "stiction": STICTION, "stribeck_velocity": WS, "stiffness": STIFFNESS}
    return be.LuGre(**given | changes)


def drive(friction, speeds, dt, **initial):
    """Torque against the motion of each held step, and the states after it."""
    step = motor(friction).compile("numpy")
    state, torques, states = step.initial(**initial), [], []
    for speed in speeds:
        state, out = step(state, 0.0, 0.0, speed, dt)
        torques.append(float(-out.torque))
        states.append(float(state.bristle))
    return np.array(torques), np.array(states)


@pytest.mark.parametrize("exponent", [None, 1.0, 2.0, 0.5])
@pytest.mark.parametrize("speed", [1e-3, 0.3, -0.8, 2.0, -50.0])
def test_steady_sliding_is_the_stribeck_curve(exponent, speed):
    """Once the bristles are bent, friction is Fc + (Fs - Fc)·exp(-|w/ws|^γ) + viscous·w, in every direction."""
    friction = lugre(stribeck_exponent=exponent, damping=0.01, viscous=4e-4)
    dt = 40 * STICTION / STIFFNESS / abs(speed)
    torque, _ = drive(friction, [speed] * 2, dt)
    level = COULOMB + (STICTION - COULOMB) * math.exp(-(abs(speed / WS) ** (2.0 if exponent is None else exponent)))
    assert torque[-1] == pytest.approx(math.copysign(level, speed) + 4e-4 * speed, rel=1e-12)


def test_an_exponent_of_two_is_the_default_and_needs_no_power():
    """Given as a number it is left out, and an array of twos gives the same torque."""
    assert lugre(stribeck_exponent=2.0).stribeck_exponent == 2.0
    a, _ = drive(lugre(), [0.5, 0.9, -0.2], 1e-3)
    b, _ = drive(lugre(stribeck_exponent=np.array(2.0)), [0.5, 0.9, -0.2], 1e-3)
    assert a == pytest.approx(b, rel=1e-14)


@pytest.mark.parametrize("dt", [1e-6, 1e-4, 1e-2, 1.0])
def test_the_bristles_step_along_their_exponential(dt):
    """At a held speed z(t) = zss + (z0 - zss)·exp(-σ|w|t/g), hit exactly by a step of any length."""
    speed, start = -0.6, 2e-4
    level = COULOMB + (STICTION - COULOMB) * math.exp(-((speed / WS) ** 2))
    steady = -level / STIFFNESS
    _, z = drive(lugre(), [speed], dt, bristle=start)
    assert z[0] == pytest.approx(steady + (start - steady) * math.exp(-STIFFNESS * abs(speed) * dt / level), rel=1e-12)


def test_the_torque_of_a_step_is_its_mean():
    """Splitting a step in a thousand gives the same mean torque: the impulse is exact."""
    whole, _ = drive(lugre(damping=0.01), [0.7], 1e-3)
    parts, _ = drive(lugre(damping=0.01), [0.7] * 1000, 1e-6)
    assert parts.mean() == pytest.approx(whole[0], rel=1e-11)


@pytest.mark.parametrize("friction", [be.Dahl(coulomb=COULOMB, stiffness=STIFFNESS), lugre()])
def test_small_displacements_meet_a_spring(friction):
    """For turns far below g/σ0 the torque is σ0·θ and comes back with θ."""
    tiny = 1e-6 * COULOMB / STIFFNESS
    torque, z = drive(friction, [tiny / 1e-3, 0.0, -tiny / 1e-3, 0.0], 1e-3)
    assert torque[1] == pytest.approx(STIFFNESS * tiny, rel=2e-6)
    assert z[0] == pytest.approx(tiny, rel=2e-6)
    assert abs(z[2]) <= 3e-6 * tiny


def dahl_loop(amplitude: float, steps: int) -> float:
    """Work of the third cycle between ±amplitude at a constant speed, by the exact mean torques [J]."""
    speed, dt = 1.0, 2 * amplitude / steps
    leg = [speed] * steps + [-speed] * steps
    torque, _ = drive(be.Dahl(coulomb=COULOMB, stiffness=STIFFNESS), leg * 3, dt)
    return float((torque * np.array(leg * 3) * dt)[-2 * steps :].sum())


@pytest.mark.parametrize("reach", [0.5, 2.0, 10.0])
@pytest.mark.parametrize("steps", [1, 7, 100])
def test_the_area_of_a_dahl_loop(reach, steps):
    """With zc = Fc/σ and dz/dθ = 1 ∓ z/zc the periodic loop turns at ±zc·tanh(A/zc) and encloses
    4·Fc·(A - zc·tanh(A/zc)), however coarse the steps."""
    zc = COULOMB / STIFFNESS
    amplitude = reach * zc
    expected = 4 * COULOMB * (amplitude - zc * math.tanh(reach))
    # the third cycle is periodic up to what the first two have not yet forgotten
    left = math.exp(-8 * reach)
    assert dahl_loop(amplitude, steps) == pytest.approx(expected, rel=1e-11 + 40 * left)


def test_a_large_dahl_loop_is_a_coulomb_loop():
    """For A far above zc the loop's area nears 4·Fc·A, missing 4·Fc·zc."""
    zc = COULOMB / STIFFNESS
    amplitude = 1000 * zc
    area = dahl_loop(amplitude, 50)
    assert area == pytest.approx(4 * COULOMB * amplitude, rel=1.1e-3)
    assert area == pytest.approx(4 * COULOMB * (amplitude - zc), rel=1e-11)


@pytest.mark.parametrize("dt", [1e-5, 1e-3, 1e-1])
@pytest.mark.parametrize("damping_exponent", [None, 2.0])
def test_friction_takes_energy(dt, damping_exponent):
    """Whatever the motion, the work on the bristles never falls below what they store: no energy comes from nothing."""
    rng = np.random.default_rng(5)
    speeds = rng.normal(size=(400, 300)) * 10 ** rng.uniform(-4, 2, 300)
    friction = lugre(damping=0.05, damping_exponent=damping_exponent)
    step = motor(friction).compile("numpy")
    state, work = step.initial(300), np.zeros(300)
    for speed in speeds:
        state, out = step(state, 0.0, 0.0, speed, dt)
        work += -out.torque * speed * dt
        stored = 0.5 * STIFFNESS * state.bristle**2
        assert (work >= stored * (1 - 1e-9)).all()
        assert (out.friction_power >= -1e-12 * np.abs(out.bristle_power)).all()


def test_the_torque_has_no_spikes():
    """|σ0·z| stays below stiction, and damping adds at most σ1·|w|·(1 + Fs/Fc), at any step and any reversal."""
    rng = np.random.default_rng(6)
    damping = 0.02
    for dt in (1e-6, 1e-3, 1.0):
        speeds = rng.normal(size=500) * 10 ** rng.uniform(-5, 2, 500)
        torque, z = drive(lugre(damping=damping), speeds, dt)
        assert (np.abs(z) * STIFFNESS <= STICTION * (1 + 1e-12)).all()
        assert (np.abs(torque) <= STICTION + damping * np.abs(speeds) * (1 + STICTION / COULOMB)).all()
        torque, _ = drive(be.Dahl(coulomb=COULOMB, stiffness=STIFFNESS), speeds, dt)
        assert (np.abs(torque) <= COULOMB * (1 + 1e-12)).all()


@pytest.mark.parametrize("exponent", [1.0, 2.0])
def test_micro_damping_fades_with_speed(exponent):
    """A step from rest adds σ1·exp(-|w/ws|^β) times the mean bending rate."""
    damping, dt = 0.03, 1e-5
    for speed in (0.1, 0.8, 3.0):
        torque, z = drive(lugre(damping=damping, damping_exponent=exponent), [speed], dt)
        plain, _ = drive(lugre(), [speed], dt)
        added = damping * math.exp(-((speed / WS) ** exponent)) * z[0] / dt
        assert torque[0] - plain[0] == pytest.approx(added, rel=1e-10)
    constant, z = drive(lugre(damping=damping), [3.0], dt)
    assert constant[0] - plain[0] == pytest.approx(damping * z[0] / dt, rel=1e-12)


def test_bristles_ring_at_their_natural_frequency():
    """Near rest a rotor on its bristles is a spring: it swings with sqrt(σ0/J)."""
    inertia = 2e-5 + 1e-5
    natural = math.sqrt(STIFFNESS / inertia)
    free = motor(be.Dahl(coulomb=10.0, stiffness=STIFFNESS))
    dt = 2 * math.pi / natural / 4000
    run = be.simulate(free, be.Inertia(inertia=1e-5), 0.0, 3 * 2 * math.pi / natural, dt, velocity=0.01)
    turns = np.flatnonzero(np.diff(np.sign(run["velocity"])) != 0)
    half_periods = np.array([b - a for a, b in pairwise(turns)]) * dt
    assert half_periods.mean() == pytest.approx(math.pi / natural, rel=2e-3)


def refine_where_needed(found, before, further):
    """What an engine with branches makes of a search: no further steps where the last one moved little."""
    return np.where(np.abs(found - before) > CLOSE * np.abs(found), further(), found)


@pytest.mark.parametrize("search", [refine, refine_where_needed], ids=["every step", "steps that are needed"])
@pytest.mark.parametrize(("bent", "within"), [(1.0, 1e-13), (2.5, 1e-10)])
def test_settled_speed_solves_its_equation(bent, within, search, monkeypatch):
    """J·w + dt·(σ0·mean(z) + σ1·mean(z')) = J·free over many orders of magnitude: to rounding of its terms with
    bristles bent up to the level of the present speed, and to 1e-10 where they relax from far above it."""
    monkeypatch.setattr(bristle_laws, "refine", search)
    rng = np.random.default_rng(7)
    n = 200_000
    inertia, level, stiffness = (10 ** rng.uniform(a, b, n) for a, b in ((-7, 0), (-4, 1), (0, 5)))
    # from none to critical damping of the bristles
    damping = rng.choice([0.0, 0.1, 1.0, 2.0], n) * np.sqrt(inertia * stiffness)
    dt = 10 ** rng.uniform(-5, -2, n)
    free = rng.choice([-1.0, 1.0], n) * 10 ** rng.uniform(-4, 3, n)
    bristle = rng.uniform(-bent, bent, n) * level / stiffness
    speed = settled_speed(free, inertia, bristle, level, stiffness, damping, dt)
    after = bristle_step(bristle, speed, level, stiffness, dt)
    mean = bristle_mean(bristle, speed, level, stiffness, dt)
    parts = [inertia * speed, dt * stiffness * mean, damping * (after - bristle), -inertia * free]
    size = np.abs(parts).sum(axis=0) + (damping / stiffness + dt) * level
    residual = np.abs(np.sum(parts, axis=0)) / size
    assert residual.max() <= within
    assert np.isfinite(speed).all()


def test_bristles_that_relax_do_not_push_in_the_estimate_either():
    """Bent beyond the level of the present speed they ease friction to nothing, however strong their damping is."""
    free, inertia, level, damping, dt = 30.0, 2e-3, 0.03, 70.0, 3e-3
    bent = np.linspace(0.0, 3.0, 301) * level / STIFFNESS
    for way in (1.0, -1.0):
        held, left = estimated_settling(way * free, inertia, way * bent, level, STIFFNESS, damping, dt)
        assert (way * held >= 0.0).all() and (way * left <= free).all()
        assert left[-1] == way * free


def test_a_spring_that_throws_a_joint_off_its_bristles_gives_no_more_than_it_holds():
    """The bristles slip beyond the level of the new speed; the step goes along the current limit, not the voltage."""
    amperes, torque_constant, stiffness, inertia = 5.2, 0.92, 140.0, 0.00155
    thrown = be.Actuator(
        be.Motor(
            winding=be.Winding(resistance=0.58),
            magnet=be.Magnet(torque_constant=torque_constant, back_emf_constant=torque_constant),
            rotor=be.Rotor(inertia=0.0014),
            friction=be.LuGre(coulomb=0.017, stiction=0.065, stribeck_velocity=2.9, stiffness=7.1, damping=71.0),
            limits=be.Limits(continuous_current=amperes),
        ),
        be.Supply(voltage=46.0, regeneration=False),
        spring=be.JointSpring(stiffness=stiffness),
    )
    start = -np.linspace(0.0, 0.3, 61)
    step = thrown.compile("numpy")
    state = step.initial(start.shape, bristle=0.0071)
    _, out = step.coupled(state, 0.0, start, 3.8, 0.0034, 0.0, 0.00015)
    assert np.abs(out.numerical_power).max() <= 1e-9 * np.abs(out.mechanical_power).max()
    end = start + 0.0034 * out.joint_velocity
    given = 0.5 * stiffness * (start**2 - end**2) + 0.5 * 7.1 * 0.0071**2
    assert (0.5 * inertia * (out.joint_velocity**2 - 3.8**2) <= given + 1e-12).all()
