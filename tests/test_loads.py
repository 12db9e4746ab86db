"""Loads against their closed forms: where a motor comes to rest, how fast it swings, what it feels."""

import math
import sys
import types
from dataclasses import replace

import numpy as np
import pytest

import backemf as be
from backemf.checks import Number
from backemf.loads import BaseLoad, Reaction, reaction_of
from backemf.parts import FAMILIES, number, part

R, KT, KE, J = 2.0, 0.05, 0.06, 3e-5
STEPS = 4000
MOTOR = be.Motor(
    winding=be.Winding(resistance=R),
    magnet=be.Magnet(torque_constant=KT, back_emf_constant=KE),
    rotor=be.Rotor(inertia=J),
)
SOFT = replace(MOTOR, winding=be.Winding(resistance=1e9))
"""A motor whose terminals are as good as open: only its inertia is felt."""
GRAVITY = 9.80665


def run_for(motor, load, command, duration, **options):
    return be.simulate(motor, load, command, duration, duration / STEPS, **options)


def crossings(time, values):
    """Moments at which a signal passes zero upwards, between the samples."""
    k = np.flatnonzero((values[:-1] < 0) & (values[1:] >= 0))
    return time[k] - values[k] * (time[k + 1] - time[k]) / (values[k + 1] - values[k])


def frequency(time, values):
    """Cycles per second from the first to the last upward crossing."""
    moments = crossings(time, values - values.mean())
    return (len(moments) - 1) / (moments[-1] - moments[0])


def test_bearing_drag_of_an_inertia_lowers_the_speed():
    """Kt·(v - Ke·w)/R = D·w gives w = (Kt·v/R)/(Kt·Ke/R + D)."""
    run = run_for(MOTOR, be.Inertia(inertia=1e-5, damping=1e-3), 12.0, 1.0)
    assert run["velocity"][-1] == pytest.approx((KT * 12.0 / R) / (KT * KE / R + 1e-3), rel=1e-9)


def test_a_constant_torque_takes_its_share_of_the_speed():
    """w = (v - R·T/Kt)/Ke against a torque T, and the current is T/Kt."""
    run = run_for(MOTOR, be.ConstantTorque(torque=-0.1), 12.0, 1.0)
    assert run["velocity"][-1] == pytest.approx((12.0 - R * 0.1 / KT) / KE, rel=1e-9)
    assert run["current"][-1] == pytest.approx(0.1 / KT, rel=1e-9)
    assert run["load_torque"][-1] == pytest.approx(-0.1, rel=1e-12)


def test_a_constant_torque_alone_accelerates_evenly():
    """w = T/(J + Jload)·t, exact, and the position is off by half a step only."""
    run = run_for(SOFT, be.ConstantTorque(torque=0.02, inertia=7e-5), 0.0, 0.1)
    rate = 0.02 / (J + 7e-5)
    assert np.allclose(run["velocity"], rate * run.time, rtol=1e-6, atol=0)
    assert run["position"][-1] == pytest.approx(0.5 * rate * 0.1**2, rel=2.0 / STEPS)


def test_a_shorted_motor_lets_a_weight_down_slowly():
    """The back-EMF brakes: w = R·T/(Kt·Ke)."""
    run = run_for(MOTOR, be.ConstantTorque(torque=0.1), 0.0, 1.0)
    assert run["velocity"][-1] == pytest.approx(R * 0.1 / (KT * KE), rel=1e-9)


def test_a_pendulum_rests_where_gravity_balances_the_motor():
    """m·g·l·sin(q) = Kt·v/R, with half the arm's mass at its end."""
    load = be.Pendulum(mass=0.3, arm_mass=0.1, length=0.1, damping=0.02)
    run = run_for(MOTOR, load, 8.0, 10.0)
    moment = (0.3 + 0.05) * GRAVITY * 0.1
    assert math.sin(run["position"][-1]) == pytest.approx(KT * 8.0 / R / moment, rel=1e-6)
    assert abs(run["velocity"][-1]) < 1e-6


def test_an_offset_turns_the_pendulum():
    """Without a motor's torque it hangs at -offset."""
    run = run_for(MOTOR, be.Pendulum(mass=0.3, length=0.1, offset=0.7, damping=0.02), 0.0, 10.0)
    assert run["position"][-1] == pytest.approx(-0.7, rel=1e-6)


def test_a_pendulum_swings_at_its_frequency():
    """Small swings: f = sqrt(m·g·l/(J + m·l² + M·l²/3))/2π with the rotor's inertia on the axle."""
    mass, arm, length = 0.2, 0.06, 0.15
    stiffness = (mass + arm / 2) * GRAVITY * length
    inertia = J + (mass + arm / 3) * length**2
    load = be.Pendulum(mass=mass, arm_mass=arm, length=length)
    run = run_for(SOFT, load, 0.0, 4.0, position=0.01)
    assert frequency(run.time, run["position"]) == pytest.approx(
        math.sqrt(stiffness / inertia) / (2 * math.pi), rel=1e-3
    )


def test_a_pendulum_on_the_moon_swings_slower():
    """The frequency goes with the root of gravity."""
    found = [
        frequency(run.time, run["position"])
        for gravity in (GRAVITY, 1.62)
        for run in [run_for(SOFT, be.Pendulum(mass=0.2, length=0.15, gravity=gravity), 0.0, 8.0, position=0.01)]
    ]
    assert found[1] / found[0] == pytest.approx(math.sqrt(1.62 / GRAVITY), rel=2e-3)


def test_a_fan_settles_where_its_torque_meets_the_motor():
    """c·w² = Kt·(v - Ke·w)/R: the positive root of c·w² + Kt·Ke/R·w - Kt·v/R."""
    c = 2e-6
    speed = (-KT * KE / R + math.sqrt((KT * KE / R) ** 2 + 4 * c * KT * 12.0 / R)) / (2 * c)
    run = run_for(MOTOR, be.Fan(coefficient=c, inertia=1e-5), 12.0, 1.0)
    assert run["velocity"][-1] == pytest.approx(speed, rel=1e-9)
    assert KT * run["current"][-1] == pytest.approx(c * speed**2, rel=1e-9)


def test_a_fan_brakes_in_both_directions():
    """Reversing the volts reverses the run."""
    forward, backward = (run_for(MOTOR, be.Fan(coefficient=2e-6), v, 0.2) for v in (12.0, -12.0))
    assert np.allclose(forward["velocity"], -backward["velocity"], rtol=1e-12, atol=0)


def test_a_coasting_fan_slows_as_one_over_time():
    """J·dw/dt = -c·w² has the solution w = w0/(1 + c·w0·t/J)."""
    inertia, c, start = J + 1e-4, 1e-5, 300.0
    run = run_for(SOFT, be.Fan(coefficient=c, inertia=1e-4), 0.0, 0.5, velocity=start)
    assert np.allclose(run["velocity"], start / (1 + c * start * run.time / inertia), rtol=5e-3, atol=0)


PAIR = be.TwoMass(inertia=1e-4, far_inertia=4e-4, stiffness=10.0)


def test_two_masses_swing_against_each_other():
    """f = sqrt(k·(1/J1 + 1/J2))/2π, the rotor's inertia counted in J1."""
    run = run_for(SOFT, PAIR, 0.0, 0.2, velocity=0.0, position=0.0, initial={})
    assert np.abs(run["position"]).max() == 0.0
    # push the joint by volts for a moment: the motor's terminals are stiff enough for that
    kick = be.simulate(
        replace(SOFT, winding=be.Winding(resistance=1e3)),
        PAIR,
        be.commands.Step(value=0.0, time=1e-3, before=1e3),
        0.2,
        2e-5,
    )
    twist = kick["position"] - kick["far_position"]
    exact = math.sqrt(10.0 * (1 / (J + 1e-4) + 1 / 4e-4)) / (2 * math.pi)
    assert frequency(kick.time[100:], twist[100:]) == pytest.approx(exact, rel=3e-3)


def test_a_held_joint_leaves_the_far_mass_at_the_antiresonance():
    """With the joint held, the far mass swings at sqrt(k/J2)/2π: the joint does not answer there."""
    heavy = be.TwoMass(inertia=1e6, far_inertia=4e-4, stiffness=10.0, far_torque=1e-3)
    run = run_for(SOFT, heavy, 0.0, 0.2)
    exact = math.sqrt(10.0 / 4e-4) / (2 * math.pi)
    assert frequency(run.time, run["far_position"]) == pytest.approx(exact, rel=3e-3)


def test_the_pair_keeps_its_momentum():
    """Inner torques cancel: (J + J1)·w1 + J2·w2 stays what a moving start gave it."""
    load = be.TwoMass(inertia=1e-4, far_inertia=4e-4, stiffness=10.0, backlash=0.05)
    run = run_for(SOFT, load, 0.0, 0.2, velocity=3.0)
    momentum = (J + 1e-4) * run["velocity"] + 4e-4 * run["far_velocity"]
    assert np.allclose(momentum, (J + 1e-4 + 4e-4) * 3.0, rtol=1e-6, atol=0)


def test_a_far_torque_turns_the_whole_pair():
    """The pair gains momentum T·t."""
    load = replace(PAIR, far_torque=0.01, damping=1e-3)
    run = run_for(SOFT, load, 0.0, 0.2)
    momentum = (J + 1e-4) * run["velocity"] + 4e-4 * run["far_velocity"]
    assert np.allclose(momentum, 0.01 * run.time, rtol=1e-6, atol=0)


def test_a_damped_pair_ends_turning_as_one():
    """Both masses take the motor's no-load speed v/Ke."""
    run = run_for(MOTOR, replace(PAIR, damping=0.02), 6.0, 12.0)
    assert run["velocity"][-1] == pytest.approx(6.0 / KE, rel=1e-6)
    assert run["far_velocity"][-1] == pytest.approx(6.0 / KE, rel=1e-6)


def test_backlash_of_a_pair_is_a_dead_zone():
    """Until the joint has turned half the play, the far mass stands still and no torque comes back."""
    play = 0.2
    run = run_for(MOTOR, replace(PAIR, backlash=play), 6.0, 0.05)
    inside = run["position"] < 0.5 * play - 1e-9
    # the step in which the play closes already feels the spring
    inside &= np.append(inside[1:], False)
    assert inside.sum() > 100
    assert (run["far_position"][inside] == 0.0).all() and (run["load_torque"][inside] == 0.0).all()
    assert run["far_velocity"][-1] != 0.0


def test_a_spring_under_constant_torque_is_twisted_by_torque_over_stiffness():
    """A weight behind the spring, a locked-in motor torque: twist = T/k plus half the play."""
    load = replace(PAIR, damping=0.02, backlash=0.1, far_torque=-KT * 6.0 / R)
    run = run_for(MOTOR, load, 6.0, 3.0)
    twist = run["position"][-1] - run["far_position"][-1]
    assert twist == pytest.approx(KT * 6.0 / R / 10.0 + 0.05, rel=1e-6)


def test_a_stiff_spring_is_stable_at_any_step():
    """k so stiff that a period is a thousandth of the step: the pair turns as one inertia."""
    stiff = be.TwoMass(inertia=1e-4, far_inertia=4e-4, stiffness=1e6)
    one = be.Inertia(inertia=5e-4)
    runs = [run_for(MOTOR, load, 12.0, 4.0) for load in (stiff, one)]
    assert np.allclose(runs[0]["velocity"][-1], runs[1]["velocity"][-1], rtol=1e-3)


def test_a_driven_generator_shows_its_back_emf():
    """Turned at w, the open motor shows Ke·w; into its own terminals flows -Ke·w/R."""
    motion = be.PrescribedMotion(time=[0.0, 1.0], position=[0.0, 100.0])
    run = run_for(MOTOR, motion, 0.0, 0.5)
    assert np.allclose(run["velocity"], 100.0, rtol=1e-9, atol=0)
    assert np.allclose(run["back_emf"], KE * 100.0, rtol=1e-9, atol=0)
    assert np.allclose(run["current"], -KE * 100.0 / R, rtol=1e-9, atol=0)
    assert np.allclose(run["load_torque"], KT * KE * 100.0 / R, rtol=1e-9, atol=0)


def test_a_prescribed_motion_follows_its_table_and_holds_its_end():
    """Linear between the rows, still afterwards."""
    motion = be.PrescribedMotion(time=[0.0, 0.1, 0.2], position=[0.0, 1.0, 0.5])
    run = run_for(MOTOR, motion, 0.0, 0.4)
    assert np.allclose(run["position"], np.interp(run.time, motion.time, motion.position), rtol=1e-9, atol=1e-12)
    assert (run["velocity"][run.time > 0.2001] == 0.0).all()


def test_a_dynamometer_feels_friction_against_its_motion():
    """At constant speed without volts across an open motor, the load pulls with the Coulomb torque."""
    motor = replace(SOFT, friction=be.Coulomb(coulomb=5e-3))
    for speed in (10.0, -10.0):
        run = run_for(motor, be.PrescribedMotion(time=[0.0, 1.0], position=[0.0, speed]), 0.0, 0.5)
        assert np.allclose(run["load_torque"], math.copysign(5e-3, speed), rtol=1e-6, atol=0)


@pytest.mark.parametrize(
    "load",
    [
        be.Inertia(inertia=np.array([1e-5, 1e-4]), damping=1e-4),
        be.ConstantTorque(torque=np.array([-0.1, 0.05]), inertia=1e-5),
        be.Pendulum(mass=np.array([0.1, 0.2]), length=0.1),
        be.Fan(coefficient=np.array([1e-6, 3e-6])),
        be.TwoMass(inertia=1e-4, far_inertia=np.array([1e-4, 4e-4]), stiffness=10.0, backlash=0.1),
    ],
    ids=lambda load: type(load).__name__,
)
def test_loads_of_a_batch_differ_by_motor(load):
    """Column k of a batch is the run with the k-th number."""
    together = be.simulate(MOTOR, load, 6.0, 0.1, 1e-3, engine="numpy")
    for k in range(2):
        own = {name: value[k] for name, value in vars(load).items() if isinstance(value, np.ndarray)}
        alone = be.simulate(MOTOR, replace(load, **own), 6.0, 0.1, 1e-3, engine="numpy")
        assert np.allclose(together["position"][:, k], alone["position"], rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize(
    "load",
    [
        be.Inertia(inertia=1e-5),
        be.ConstantTorque(torque=-0.1),
        be.Pendulum(mass=0.2, length=0.1, damping=1e-3),
        be.Fan(coefficient=1e-6),
        replace(PAIR, damping=0.01, backlash=0.01),
    ],
    ids=lambda load: type(load).__name__,
)
@pytest.mark.parametrize("dt", [1e-6, 1e-3, 1.0])
def test_every_load_is_finite_at_every_step(load, dt):
    """From a microsecond to a second nothing runs away: speeds stay within what 12 V can do."""
    run = be.simulate(MOTOR, load, 12.0, 100 * dt, dt, engine="numpy")
    assert np.isfinite(run["position"]).all()
    assert np.abs(run["velocity"]).max() < 2 * (12.0 / KE + R * 0.1 / (KT * KE))


@part
class ReturnSpring(BaseLoad):
    """A door closer: a spring around 0 and a damper."""

    stiffness: Number = number("N·m/rad", least=0.0)
    """Torque per angle."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Drag torque per speed."""
    inertia: Number = number("kg·m²", above=0.0)
    """Moment of inertia at the joint."""


@reaction_of(ReturnSpring)
def spring_of_a_door(load: ReturnSpring, memory, position: float, velocity: float, dt: float) -> Reaction:
    """Spring and damper at the end of the step."""
    torque = -load.stiffness * (position + dt * velocity) - load.damping * velocity
    return Reaction(load.inertia, torque, load.damping + dt * load.stiffness)


@pytest.mark.parametrize("engine", ["numpy", "jax"])
def test_a_new_load_is_a_part_and_its_law(engine, monkeypatch):
    """Declared in one file: `simulate` moves it like a load of a host's own with the same stiffness."""
    # what `part(family="load")` does, for this test alone
    monkeypatch.setitem(FAMILIES["load"], "ReturnSpring", ReturnSpring)
    door = ReturnSpring(stiffness=2.0, damping=1e-3, inertia=1e-3)
    run = be.simulate(MOTOR, door, 12.0, 0.05, 1e-3, position=0.5, engine=engine)
    step = be.Actuator(MOTOR).compile("python")
    state, position, velocity = step.initial(), 0.5, 0.0
    for k in range(50):
        state, out = step.coupled(
            state, 12.0, position, velocity, 1e-3, -2.0 * position - 1e-3 * velocity, 1e-3, load_damping=1e-3,
            load_stiffness=2.0,
        )  # fmt: skip
        position, velocity = out.joint_position, out.joint_velocity
        assert run["position"][k] == pytest.approx(position, rel=1e-11)
    assert run["position"][-1] < 0.5


LATE = """
from backemf.loads import BaseLoad, Reaction, reaction_of
from backemf.parts import number, part
from backemf.physics.ops import sin


@part
class Late(BaseLoad):
    inertia: float = number("kg·m²", above=0.0)


@reaction_of(Late)
def late(load, memory, position, velocity, dt):
    return Reaction(load.inertia, helper(position))


def helper(position):
    return -0.1 * sin(position)
"""


def test_a_load_may_come_after_its_table_was_bound(monkeypatch):
    """A module that is imported after a step was compiled, with a helper below the law: all engines know it."""
    be.Actuator(MOTOR).compile("jax")
    module = types.ModuleType("late_load")
    monkeypatch.setitem(sys.modules, "late_load", module)
    exec(LATE, vars(module))
    monkeypatch.setitem(FAMILIES["load"], "Late", module.Late)
    load = module.Late(inertia=1e-4)
    plain, compiled = (be.simulate(MOTOR, load, 12.0, 0.02, 1e-3, engine=engine) for engine in ("numpy", "jax"))
    np.testing.assert_allclose(compiled["position"], plain["position"], rtol=1e-11)
    free = be.simulate(MOTOR, be.Inertia(inertia=1e-4), 12.0, 0.02, 1e-3, engine="numpy")
    assert plain["position"][-1] < free["position"][-1]
