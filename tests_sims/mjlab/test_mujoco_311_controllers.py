"""MuJoCo 3.11's controllers in volts, and ours: the same joint, command for command, to 1e-9 of peak."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from controller_rig import (
    Course,
    Joints,
    apart,
    joints,
    limit_share,
    moves,
    turned_by_mujoco,
    turned_by_us,
    volt_controller,
)
from mujoco_rig import Rig, mujoco

import backemf as be

pytestmark = pytest.mark.skipif(
    not mujoco.__version__.startswith("3.11."), reason="compares with MuJoCo 3.11, the last with controllers in volts"
)
COUNT, DT, STEPS = 8, 1e-3, 600
TOLERANCE = 1e-9
TRAITS = ["", "inductive", "gear", "inductive gear"]


def position_gains(j: Joints, integral: bool = False) -> dict[str, np.ndarray]:
    """Volts per radian of a loop with the wanted frequency, and a ki that leaves it stable [SI, at the joint]."""
    kp = np.abs(j.volts_per_torque) * j.total_inertia * j.frequency**2
    gains = {"kp": kp, "kd": 1.4 * kp / j.frequency}
    return gains | ({"ki": 0.2 * kp * j.frequency} if integral else {})


def velocity_gains(j: Joints, integral: bool = False) -> dict[str, np.ndarray]:
    """Volts per joint speed, and per radian behind the moving target [SI, at the joint]."""
    kp = 1.4 * np.abs(j.volts_per_torque) * j.total_inertia * j.frequency
    return {"kp": kp} | ({"ki": 0.5 * kp * j.frequency} if integral else {})


def both(actuator: be.Actuator, j: Joints, command: np.ndarray) -> tuple[Course, Course]:
    """The joint as we turn it and as MuJoCo turns it."""
    name = actuator.controller.main
    words = {"input": name, "controller": volt_controller(actuator)}
    given = {name: command}
    return turned_by_us(actuator, j.inertia, given, DT), turned_by_mujoco(actuator, j.inertia, given, DT, **words)


def commands(j: Joints, name: str) -> np.ndarray:
    """Steps of about the size that the joint can do [SI, at the joint]."""
    held, wave = moves(1, STEPS, COUNT, DT)
    return {"position": held, "velocity": 0.5 * j.frequency * (held + 0.2 * wave), "voltage": j.volts * held}[name]


def controllers(j: Joints, integral: bool) -> dict[str, object]:
    """A controller for each input."""
    return {
        "position": be.PositionPid(**position_gains(j, integral)),
        "velocity": be.VelocityPi(**velocity_gains(j, integral)),
        "voltage": be.Voltage(),
    }


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("name", ["position", "velocity", "voltage"])
def test_without_integral(name: str, traits: str):
    """kp·(p - q) - kd·q', kp·(v - q') and the bare voltage: the same motion, torque and current."""
    j = joints(21, COUNT, traits)
    actuator = be.Actuator(j.motor, controller=controllers(j, False)[name])
    assert apart(*both(actuator, j, commands(j, name))) < TOLERANCE


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("name", ["position", "velocity"])
def test_with_integral(name: str, traits: str):
    """ki·∫(p - q), and ki behind a target that moves on at the velocity: with their values before the step, in both."""
    j = joints(22, COUNT, traits)
    actuator = be.Actuator(j.motor, controller=controllers(j, True)[name])
    ours, theirs = both(actuator, j, commands(j, name))
    assert apart(ours, theirs) < TOLERANCE
    behind = 0.0 if name == "position" else ours.position
    share = np.abs(actuator.controller.ki * (ours.states["integral"][:-1] - behind) / j.volts_per_torque)
    assert (share.max(axis=0) > 0.01 * np.abs(ours.torque).max(axis=0)).all()


def some_steps(share: np.ndarray) -> bool:
    """Whether something happened to every motor, and to none of them always."""
    return bool((share > 0.02).all() and (share < 0.98).all())


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("name", ["position", "velocity", "voltage"])
def test_slew(name: str, traits: str):
    """slewmax holds back the input: rad/s, rad/s² or V/s at the actuator."""
    j = joints(23, COUNT, traits)
    rate = {"position": 15.0, "velocity": 8.0 * j.frequency, "voltage": 15.0 * j.volts}[name]
    actuator = be.Actuator(j.motor, controller=controllers(j, False)[name], slew=rate)
    ours, theirs = both(actuator, j, commands(j, name))
    assert apart(ours, theirs) < TOLERANCE
    assert some_steps(limit_share(ours, "slew"))


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("name", ["position", "velocity"])
def test_voltage_limit(name: str, traits: str):
    """Vmax clips the voltage of the loop."""
    j = joints(24, COUNT, traits)
    strong = np.abs(j.volts_per_torque) * j.total_inertia * j.frequency**2
    actuator = be.Actuator(j.motor, controller=controllers(j, True)[name], voltage_limit=0.2 * strong)
    ours, theirs = both(actuator, j, commands(j, name))
    assert apart(ours, theirs) < TOLERANCE
    assert some_steps(limit_share(ours, "voltage"))


@pytest.mark.parametrize("traits", TRAITS)
def test_integral_limit_of_a_position(traits: str):
    """Imax stops the integral of the position error at its bound and lets it move back."""
    j = joints(25, COUNT, traits)
    bound = 0.2 / j.frequency
    controller = be.PositionPid(**position_gains(j, True), integral_limit=bound)
    ours, theirs = both(be.Actuator(j.motor, controller=controller), j, commands(j, "position"))
    assert apart(ours, theirs) < TOLERANCE
    assert some_steps((np.abs(ours.states["integral"]) >= bound).mean(axis=0))


@pytest.mark.parametrize("traits", TRAITS)
def test_all_limits_of_a_position_at_once(traits: str):
    """Slew, integral limit and voltage limit together."""
    j = joints(26, COUNT, traits)
    bound = 0.2 / j.frequency
    strong = np.abs(j.volts_per_torque) * j.total_inertia * j.frequency**2
    controller = be.PositionPid(**position_gains(j, True), integral_limit=bound)
    actuator = be.Actuator(j.motor, controller=controller, slew=15.0, voltage_limit=0.25 * strong)
    ours, theirs = both(actuator, j, commands(j, "position"))
    assert apart(ours, theirs) < TOLERANCE
    assert some_steps((np.abs(ours.states["integral"]) >= bound).mean(axis=0))
    assert some_steps(limit_share(ours, "slew")) and some_steps(limit_share(ours, "voltage"))


def test_integral_limit_of_a_velocity_that_is_not_reached():
    """Where neither bound is reached, a velocity's moving target goes the same way in both."""
    j = joints(27, COUNT, "gear")
    controller = be.VelocityPi(**velocity_gains(j, True), integral_limit=1e3)
    ours, theirs = both(be.Actuator(j.motor, controller=controller), j, commands(j, "velocity"))
    assert apart(ours, theirs) < TOLERANCE


def test_command_range():
    """ctrlrange clips the input before all else."""
    j = joints(28, COUNT, "gear")
    actuator = be.Actuator(j.motor, controller=controllers(j, False)["position"], command_range=(-0.4, 0.6))
    bounds = np.sort(np.stack([-0.4 * j.motor.ratio, 0.6 * j.motor.ratio], axis=1), axis=1)
    given = {"position": commands(j, "position")}
    words = {"input": "position", "controller": volt_controller(actuator), "ctrlrange": bounds}
    ours = turned_by_us(actuator, j.inertia, given, DT)
    assert apart(ours, turned_by_mujoco(actuator, j.inertia, given, DT, **words)) < TOLERANCE
    assert some_steps(limit_share(ours, "command range"))


# --- where they differ


def one_joint(inductance: float | None = None, **parts) -> tuple[be.Actuator, float]:
    """A motor on a hinge, and the hinge's inertia."""
    motor = be.Motor(
        winding=be.Winding(resistance=np.array([1.2]), inductance=inductance),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
    )
    return be.Actuator(motor, **parts), 1e-3


def test_integral_limit_of_a_velocity_bounds_how_far_it_runs_ahead():
    """A wheel turns on for ever with our moving target 0.5 rad ahead at most; MuJoCo's stands still at 0.5 rad."""
    actuator, inertia = one_joint(controller=be.VelocityPi(kp=0.3, ki=4.0, integral_limit=0.5))
    target = {"velocity": np.full((3000, 1), 10.0)}
    words = {"input": "velocity", "controller": volt_controller(actuator)}
    theirs = turned_by_mujoco(actuator, inertia, target, DT, **words)
    ours = turned_by_us(actuator, inertia, target, DT)
    assert theirs.states["integral"].max() == 0.5
    assert ours.velocity[-1] == pytest.approx(10.0, rel=1e-6)
    # a target that stands still pulls back: kp·(10 - 0) + ki·(0.5 - q) = 0 at rest
    assert theirs.velocity[-1] == pytest.approx(0.0, abs=1e-6)
    assert theirs.position[-1] == pytest.approx(0.5 + 0.3 * 10.0 / 4.0, rel=1e-6)
    # ours is ahead by what the back-EMF of a free motor takes: ki·ahead = Ke·w
    ahead = ours.states["integral"][-1] - ours.position[-1]
    assert ahead == pytest.approx(0.05 * 10.0 / 4.0, abs=0.02)


def test_slew_begins_where_the_joint_is():
    """A joint at 1 rad that is told to stay there stays; MuJoCo's slew state begins at 0 and pulls it there first."""
    actuator, inertia = one_joint(controller=be.PositionPid(kp=10.0, kd=0.5), slew=2.0)
    rig = Rig(actuator.motor, inertia, DT, input="position", controller=volt_controller(actuator))
    rig.data.qpos[:] = 1.0
    theirs = rig.run(np.full((200, 1), 1.0))
    assert theirs.states["slew"][1] == pytest.approx(2.0 * DT)
    assert theirs.position.min() < 0.9
    step = actuator.compile("numpy")
    state, out = step(step.initial(1), np.array([1.0]), np.array([1.0]), np.array([0.0]), DT)
    assert out.torque == 0.0 and state.setpoint == 1.0 and out.limit == 0


def test_moving_target_begins_where_the_joint_is():
    """A joint at 1 rad that is told to stand still does so; MuJoCo's moving target begins at 0 and pulls it there."""
    actuator, inertia = one_joint(controller=be.VelocityPi(kp=0.3, ki=4.0))
    rig = Rig(actuator.motor, inertia, DT, input="velocity", controller=volt_controller(actuator))
    rig.data.qpos[:] = 1.0
    theirs = rig.run(np.zeros((1, 1)))
    assert theirs.torque == pytest.approx(-0.05 * 4.0 / 1.2)
    step = actuator.compile("numpy")
    _, out = step(step.initial(1), np.array([0.0]), np.array([1.0]), np.array([0.0]), DT)
    assert out.torque == 0.0


@pytest.mark.parametrize(("inductance", "let_through"), [(None, 24.0), (1.2e-3, 12.0)])
def test_voltage_limit_holds_in_voltage_mode(inductance: float | None, let_through: float):
    """12 V is all that a 12 V drive gives; MuJoCo's Vmax does not limit a voltage where there is no current state."""
    actuator, inertia = one_joint(inductance, voltage_limit=12.0)
    rig = Rig(actuator.motor, inertia, DT, input="voltage", controller=volt_controller(actuator))
    still = np.zeros((50, 1))
    theirs = rig.run(np.full((50, 1), 24.0), position=still, velocity=still)
    step = actuator.compile("numpy")
    state = step.initial(1)
    for _ in range(50):
        state, out = step(state, np.array([24.0]), np.zeros(1), np.zeros(1), DT)
    assert out.torque == pytest.approx(0.05 * 12.0 / 1.2, rel=1e-12)
    assert theirs.torque[-1] == pytest.approx(0.05 * let_through / 1.2, rel=1e-9)
