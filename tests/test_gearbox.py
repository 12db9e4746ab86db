"""The gear train: reflected inertia and drag, efficiency by direction, backlash."""

from __future__ import annotations

import math

import numpy as np
import pytest

import backemf as be

R, K, J = 1.0, 0.05, 2e-5


def motor(gearbox, **parts) -> be.Motor:
    return be.Motor(
        **{
            "winding": be.Winding(resistance=R),
            "magnet": be.Magnet(torque_constant=K, back_emf_constant=K),
            "rotor": be.Rotor(inertia=J),
            "gearbox": gearbox,
        }
        | parts
    )


def hold_speed(gearbox, volts, speed, **parts):
    """One step at a joint speed that nothing changes: a huge inertia hangs on the joint."""
    step = motor(gearbox, **parts).compile("numpy")
    return step(step.initial(), volts, 0.0, speed, 1e-4, 0.0, 1e9)[1]


def test_inertias_reflect_with_the_square_of_the_ratio_behind_them():
    """Three stages: (J + J1)·(N1·N2·N3)² + J2·(N2·N3)² + J3·N3²."""
    stages = (be.Stage(ratio=4.0, inertia=1e-6), be.Stage(ratio=5.0, inertia=3e-6), be.Stage(ratio=-3.0, inertia=7e-6))
    geared = motor(be.Gearbox(stages=stages))
    expected = (J + 1e-6) * 60.0**2 + 3e-6 * 15.0**2 + 7e-6 * 3.0**2
    assert geared.reflected_inertia == pytest.approx(expected, rel=1e-14)
    assert geared.armature == geared.reflected_inertia
    assert geared.ratio == -60.0


def test_the_joint_accelerates_with_the_reflected_inertia():
    """From rest a voltage v gives N·Kt·v/R over N²·J + JL, to first order in the step."""
    ratio, load, dt = 20.0, 1e-2, 1e-9
    run = be.simulate(motor(be.Gearbox(stages=(be.Stage(ratio=ratio),))), be.Inertia(inertia=load), 2.0, dt, dt)
    assert run["velocity"][0] / dt == pytest.approx(ratio * K * 2.0 / R / (ratio**2 * J + load), rel=1e-6)


def test_torque_and_speed_change_by_the_ratio():
    """Without loss N times the torque comes at 1/N of the speed: power passes."""
    direct, geared = hold_speed(None, 5.0, 60.0), hold_speed(be.Gearbox(stages=(be.Stage(ratio=-12.0),)), 5.0, -5.0)
    assert geared.torque == pytest.approx(-12.0 * direct.torque, rel=1e-13)
    assert geared.rotor_speed == pytest.approx(60.0)
    assert geared.mechanical_power == pytest.approx(direct.mechanical_power, rel=1e-13)


@pytest.mark.parametrize("order", [1, 2, 3, 4])
def test_drag_of_order_n_reflects_with_the_ratio_to_the_n_plus_1(order):
    """At the joint the term is N^(n+1)·Bn·w^n: n powers from the speed and one from the torque."""
    ratio, speed, b = 8.0, 1.7, 1e-7
    drag = be.Drag(coefficients=(0.0,) * (order - 1) + (b,))
    plain, dragged = (hold_speed(be.Gearbox(stages=(be.Stage(ratio=ratio),)), 1.0, speed, drag=d) for d in (None, drag))
    assert plain.torque - dragged.torque == pytest.approx(ratio ** (order + 1) * b * speed**order, rel=1e-9)


TRAIN = be.Gearbox(
    stages=(be.Stage(ratio=5.0, efficiency=0.9), be.Stage(ratio=4.0, efficiency=0.8, back_efficiency=0.6))
)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_driving_motor_loses_its_share(direction):
    """While the motor drives, η·N of its torque arrives: 0.9·0.8 through two stages."""
    speed = direction * 2.0
    volts = K * 20 * speed + direction * 3.0
    out = hold_speed(TRAIN, volts, speed)
    assert out.motor_torque == pytest.approx(direction * K * 3.0 / R, rel=1e-12)
    assert out.torque == pytest.approx(0.72 * 20 * out.motor_torque, rel=1e-9)
    assert out.gear_power == pytest.approx(0.28 * out.motor_torque * 20 * speed, rel=1e-9)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_a_driven_motor_gets_its_share_of_the_load(direction):
    """While the load drives, the motor gets η·(load torque)/N, so braking it takes N·τ/η with η = 0.9·0.6."""
    speed = direction * 2.0
    volts = K * 20 * speed - direction * 3.0
    out = hold_speed(TRAIN, volts, speed)
    assert out.torque == pytest.approx(20 * out.motor_torque / 0.54, rel=1e-9)
    assert out.gear_power > 0


def test_a_lossless_train_costs_nothing():
    """Stages that pass all power on have no loss at all."""
    assert be.Gearbox(stages=(be.Stage(ratio=3.0), be.Stage(ratio=2.0, efficiency=1.0))).lossless
    assert hold_speed(be.Gearbox(stages=(be.Stage(ratio=3.0),)), 4.0, 1.0).gear_power == 0.0


@pytest.mark.parametrize("backlash", [None, 0.02])
def test_steady_lifting_and_lowering(backlash):
    """A weight T on the joint needs T/(N·η) to rise and holds with T·η/N as it sinks, at a steady speed, and rotor and
    joint turn in the ratio N."""
    gearbox = be.Gearbox(stages=(be.Stage(ratio=20.0, efficiency=0.7),), backlash=backlash)
    weight = be.ConstantTorque(torque=-1.0, inertia=1e-3)
    rising = be.simulate(motor(gearbox), weight, 6.0, duration=2.0, dt=1e-3)
    assert rising["velocity"][-1] > 0
    assert rising["motor_torque"][-1] == pytest.approx(1.0 / (20 * 0.7), rel=1e-8)
    sinking = be.simulate(motor(gearbox), weight, 0.0, duration=2.0, dt=1e-3)
    assert sinking["velocity"][-1] < 0
    assert sinking["motor_torque"][-1] == pytest.approx(1.0 * 0.7 / 20, rel=1e-8)
    for run in (rising, sinking):
        assert run["rotor_speed"][-1] == pytest.approx(20 * run["velocity"][-1], rel=1e-9)
        assert run["gear_power"][-1] > 0


def test_a_worm_gear_locks():
    """A load cannot turn the motor once the friction of the teeth exceeds it: with dry friction at the rotor
    multiplied by 1/η on its way out, a tiny back efficiency holds what an easy train lets sink."""
    weight = be.ConstantTorque(torque=-0.5, inertia=1e-3)
    friction = be.Coulomb(coulomb=0.005)

    def sunk(back):
        gearbox = be.Gearbox(stages=(be.Stage(ratio=20.0, efficiency=0.5, back_efficiency=back),))
        return be.simulate(motor(gearbox, friction=friction), weight, 0.0, duration=1.0, dt=1e-3)["position"][-1]

    # what reaches the rotor is back·0.5/20, to be compared with 0.005
    assert sunk(0.5) < -0.1
    assert abs(sunk(0.05)) <= 1e-9


PLAY = 0.02
LOOSE = be.Gearbox(stages=(be.Stage(ratio=10.0),), backlash=PLAY)


def test_the_rotor_crosses_the_play_before_the_joint_moves():
    """From the middle of the play nothing reaches the joint until the rotor has turned N·play/2."""
    run = be.simulate(motor(LOOSE), be.Inertia(inertia=1e-3), 1.0, duration=0.1, dt=1e-5)
    moving = int(np.argmax(run["velocity"] > 0))
    assert moving > 10
    turned = np.cumsum(run["rotor_speed"]) * 1e-5
    assert (run["velocity"][:moving] == 0).all() and (run["torque"][:moving] == 0).all()
    assert turned[moving - 1] <= 10 * PLAY / 2 < turned[moving + 1]


def test_the_gap_stays_within_the_play():
    """Swinging to and fro the rotor uses the whole play and never more."""
    command = be.commands.Sine(amplitude=2.0, frequency=5.0)
    run = be.simulate(motor(LOOSE), be.Inertia(inertia=1e-3), command, duration=1.0, dt=1e-4)
    half = 10 * PLAY / 2
    assert np.abs(run["gap"]).max() <= half * (1 + 1e-12)
    assert run["gap"].max() == pytest.approx(half, rel=1e-12)
    assert run["gap"].min() == pytest.approx(-half, rel=1e-12)


def test_lost_motion_equals_the_play():
    """The rotor's angle and N times the joint's differ by N·play between driving one way and the other."""
    command = np.repeat([1.0, -1.0], 2000)
    run = be.simulate(motor(LOOSE), be.Inertia(inertia=1e-3), command, duration=0.4, dt=1e-4)
    rotor = np.cumsum(run["rotor_speed"]) * 1e-4
    ahead = rotor - 10 * run["position"]
    assert ahead[1999] - ahead[-1] == pytest.approx(10 * PLAY, rel=1e-9)
    assert ahead[1999] == pytest.approx(10 * PLAY / 2, rel=1e-9)


def test_momentum_is_kept_at_contact():
    """A coasting rotor that hits a resting joint goes on with it at J·w/(J + JL/N²), whatever the step."""
    # no current flows, so only the impact changes the momentum
    coasting = motor(LOOSE, winding=be.Winding(resistance=1e15))
    load, start = 3e-3, 50.0
    for dt in (1e-5, 1e-3, 1e-2):
        run = be.simulate(
            coasting, be.Inertia(inertia=load), 0.0, duration=max(20 * dt, 0.01), dt=dt, initial={"rotor_speed": start}
        )
        momentum = J * run["rotor_speed"] + load / 10 * run["velocity"]
        # the step of the impact moves both by the rest of the play, and they part with the common speed afterwards
        assert momentum[-1] == pytest.approx(J * start, rel=1e-9)


def test_a_loose_train_carries_torque_like_a_tight_one():
    """Against its flank the joint follows the motor: the final speed under load is that without play."""
    load = be.Fan(coefficient=1e-2, inertia=1e-3)
    loose, tight = (
        be.simulate(motor(box), load, 5.0, duration=3.0, dt=1e-3)["velocity"][-1]
        for box in (LOOSE, be.Gearbox(stages=LOOSE.stages))
    )
    assert loose == pytest.approx(tight, rel=1e-6)


def test_backlash_leaves_the_rotor_out_of_the_armature():
    """A host adds no rotor inertia to a joint that the play decouples from it."""
    assert motor(LOOSE).armature == 0.0
    assert motor(LOOSE).reflected_inertia == pytest.approx(J * 100)


def test_a_stalled_joint_feels_the_efficiency():
    """Pushing against a locked joint the motor drives: η·N·Kt·v/R arrives."""
    gearbox = be.Gearbox(stages=(be.Stage(ratio=20.0, efficiency=0.7),))
    run = be.simulate(motor(gearbox), be.LockedRotor(), 3.0, duration=0.01, dt=1e-3)
    assert run["torque"][-1] == pytest.approx(0.7 * 20 * K * 3.0 / R, rel=1e-9)
    assert math.isclose(run["velocity"][-1], 0.0)
