"""MuJoCo 4.0's controllers in torque, and ours: the same joint, command for command, to 1e-9 of peak."""

from dataclasses import replace

import numpy as np
import pytest
from controller_rig import (
    INPUTS,
    Course,
    Joints,
    apart,
    joints,
    limit_share,
    moves,
    torque_controller,
    turned_by_mujoco,
    turned_by_us,
)
from mujoco_rig import NEWEST, Rig

import backemf as be

pytestmark = NEWEST
COUNT, DT, STEPS = 8, 1e-3, 400
TOLERANCE = 1e-9
TRAITS = ["", "inductive gear", "thermal gear"]
SUBSETS = [
    ("position",), ("velocity",), ("effort",), ("position", "velocity"), ("position", "effort"),
    ("velocity", "effort"), ("position", "velocity", "effort"),
]  # fmt: skip
"""Every combination of inputs."""
WITH_POSITION = [inputs for inputs in SUBSETS if "position" in inputs]


def gains(j: Joints, integral: bool = False) -> dict[str, np.ndarray]:
    """kp and kd of a loop with the wanted frequency and damping, and a ki that leaves it stable [SI, at the joint]."""
    kp = j.total_inertia * j.frequency**2
    return {"kp": kp, "kd": 1.4 * j.total_inertia * j.frequency} | ({"ki": 0.2 * kp * j.frequency} if integral else {})


def commands(j: Joints, inputs: tuple[str, ...], seed: int = 1) -> dict[str, np.ndarray]:
    """Positions in steps, velocities and efforts as waves of about their size [SI, at the joint]."""
    held, wave = moves(seed, STEPS, COUNT, DT)
    all_of_them = {
        "position": held,
        "velocity": 0.3 * j.frequency * wave,
        "effort": 0.3 * j.total_inertia * j.frequency**2 * (wave[::-1] if inputs != ("effort",) else held),
    }
    return {name: all_of_them[name] for name in inputs}


def both(actuator: be.Actuator, j: Joints, given: dict[str, np.ndarray]) -> tuple[Course, Course]:
    """The joint as we turn it and as MuJoCo turns it."""
    words = {"input": " ".join(INPUTS[name] for name in given), "controller": torque_controller(actuator)}
    return (
        turned_by_us(actuator, j.inertia, given, DT),
        turned_by_mujoco(actuator, j.inertia, given, DT, **words),
    )


def follows(inputs: tuple[str, ...]) -> str:
    """The first input, which MuJoCo limits the slew of."""
    return "position" if "position" in inputs else "velocity"


def positional(inputs: tuple[str, ...], gains: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Gains without kp where there is no position to go to."""
    return gains if "position" in inputs else gains | {"kp": 0.0}


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("inputs", SUBSETS, ids="+".join)
def test_pd_with_any_inputs(inputs: tuple[str, ...], traits: str):
    """kp·(p - q) + kd·(v - q') + effort as a voltage that makes up for the back-EMF: the same motion, every state."""
    j = joints(1, COUNT, traits)
    actuator = be.Actuator(j.motor, controller=be.TorquePid(**positional(inputs, gains(j)), follows=follows(inputs)))
    assert apart(*both(actuator, j, commands(j, inputs))) < TOLERANCE


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("inputs", WITH_POSITION, ids="+".join)
def test_pid_with_any_inputs(inputs: tuple[str, ...], traits: str):
    """The integral of the position error acts with its value before the step, in both."""
    j = joints(2, COUNT, traits)
    actuator = be.Actuator(j.motor, controller=be.TorquePid(**gains(j, integral=True)))
    ours, theirs = both(actuator, j, commands(j, inputs))
    assert apart(ours, theirs) < TOLERANCE
    share = np.abs(actuator.controller.ki * ours.states["integral"][:-1]).max(axis=0) / np.abs(ours.torque).max(axis=0)
    assert (share > 0.01).all(), "an integral without weight would prove nothing"


@pytest.mark.parametrize("inputs", WITH_POSITION, ids="+".join)
def test_ideal_pd(inputs: tuple[str, ...]):
    """The PD of the learning frameworks is the same PD."""
    j = joints(3, COUNT, "inductive gear")
    k = gains(j)
    actuator = be.Actuator(j.motor, controller=be.IdealPd(stiffness=k["kp"], damping=k["kd"]))
    assert apart(*both(actuator, j, commands(j, inputs))) < TOLERANCE


@pytest.mark.parametrize("traits", TRAITS)
def test_torque(traits: str):
    """A feedforward torque without any gain."""
    j = joints(4, COUNT, traits)
    assert apart(*both(be.Actuator(j.motor, controller=be.Torque()), j, commands(j, ("effort",)))) < TOLERANCE


def some_steps(course: Course, name: str) -> bool:
    """Whether a limit acted for every motor, and for none of them always."""
    share = limit_share(course, name)
    return bool((share > 0.02).all() and (share < 0.98).all())


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("inputs", SUBSETS, ids="+".join)
def test_voltage_limit(inputs: tuple[str, ...], traits: str):
    """Vmax clips the voltage that the controller asks for, back-EMF included."""
    j = joints(5, COUNT, traits)
    torque = np.abs(j.volts_per_torque) * j.total_inertia * j.frequency**2
    actuator = be.Actuator(
        j.motor,
        controller=be.TorquePid(**positional(inputs, gains(j)), follows=follows(inputs)),
        voltage_limit=(0.15 if "position" in inputs else 0.06) * torque,
    )
    ours, theirs = both(actuator, j, commands(j, inputs))
    assert apart(ours, theirs) < TOLERANCE
    assert some_steps(ours, "voltage")


@pytest.mark.parametrize("traits", TRAITS)
@pytest.mark.parametrize("inputs", [i for i in SUBSETS if i != ("effort",)], ids="+".join)
def test_slew(inputs: tuple[str, ...], traits: str):
    """slewmax holds back the first input, a position or a velocity, and no other one."""
    j = joints(6, COUNT, traits)
    given = commands(j, inputs)
    if inputs[0] == "velocity":
        given["velocity"] = 0.3 * j.frequency * moves(1, STEPS, COUNT, DT)[0]
    rate = 15.0 if inputs[0] == "position" else 6.0 * j.frequency
    controller = be.TorquePid(**positional(inputs, gains(j)), follows=follows(inputs))
    ours, theirs = both(be.Actuator(j.motor, controller=controller, slew=rate), j, given)
    assert apart(ours, theirs) < TOLERANCE
    assert some_steps(ours, "slew")


def test_slew_of_a_torque():
    """slewmax holds back a feedforward torque that is the only input."""
    j = joints(7, COUNT, "inductive gear")
    ours, theirs = both(
        be.Actuator(j.motor, controller=be.Torque(), slew=5.0 * j.total_inertia * j.frequency**2),
        j,
        commands(j, ("effort",)),
    )
    assert apart(ours, theirs) < TOLERANCE
    assert some_steps(ours, "slew")


@pytest.mark.parametrize("traits", TRAITS)
def test_integral_limit(traits: str):
    """Imax stops the integral at its bound and lets it move back; it is seen at the bound and off it."""
    j = joints(8, COUNT, traits)
    controller = be.TorquePid(**gains(j, integral=True), integral_limit=0.2 / j.frequency)
    ours, theirs = both(be.Actuator(j.motor, controller=controller), j, commands(j, ("position", "velocity")))
    assert apart(ours, theirs) < TOLERANCE
    at_bound = (np.abs(ours.states["integral"]) >= controller.integral_limit).mean(axis=0)
    assert (at_bound > 0.02).all() and (at_bound < 0.98).all()


@pytest.mark.parametrize("traits", TRAITS)
def test_all_limits_at_once(traits: str):
    """Slew, integral limit and voltage limit together, with all three inputs."""
    j = joints(9, COUNT, traits)
    actuator = be.Actuator(
        j.motor,
        controller=be.TorquePid(**gains(j, integral=True), integral_limit=0.2 / j.frequency),
        slew=15.0,
        voltage_limit=0.2 * np.abs(j.volts_per_torque) * j.total_inertia * j.frequency**2,
    )
    ours, theirs = both(actuator, j, commands(j, ("position", "velocity", "effort")))
    assert apart(ours, theirs) < TOLERANCE
    at_bound = (np.abs(ours.states["integral"]) >= actuator.controller.integral_limit).mean(axis=0)
    assert some_steps(ours, "slew") and some_steps(ours, "voltage")
    assert (at_bound > 0.02).all() and (at_bound < 0.98).all()


def test_command_range():
    """ctrlrange clips the first input before all else."""
    j = joints(10, COUNT, "gear")
    given = commands(j, ("position",))
    actuator = be.Actuator(j.motor, controller=be.TorquePid(**gains(j)), command_range=(-0.4, 0.6))
    bounds = np.sort(np.stack([-0.4 * j.motor.ratio, 0.6 * j.motor.ratio], axis=1), axis=1)
    words = {"input": "pos", "controller": torque_controller(actuator), "ctrlrange": bounds}
    ours = turned_by_us(actuator, j.inertia, given, DT)
    assert apart(ours, turned_by_mujoco(actuator, j.inertia, given, DT, **words)) < TOLERANCE
    assert some_steps(ours, "command range")


def test_winding_that_warms_loses_torque_alike():
    """The voltage is that of the cold resistance, so a winding that warms by 20 K gives less than is asked, in both."""
    j = joints(11, COUNT, "thermal gear")
    ours, theirs = both(be.Actuator(j.motor, controller=be.Torque()), j, commands(j, ("effort",)))
    assert apart(ours, theirs) < TOLERANCE
    hot = 1.0 + j.motor.winding.temperature_coefficient * (ours.states["winding_rise"][-2] - 5.0)
    asked = commands(j, ("effort",))["effort"]
    assert (ours.torque[-1] / asked[-1]) == pytest.approx(1.0 / hot, rel=1e-9)
    assert (np.abs(hot - 1.0) > 1e-3).all()


# --- where they differ


def one_joint(**parts) -> tuple[be.Actuator, float]:
    """A motor with a PD on a hinge, and the hinge's inertia."""
    motor = be.Motor(
        winding=be.Winding(resistance=np.array([1.2])),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
    )
    return be.Actuator(motor, **parts), 1e-3


def test_slew_begins_where_the_joint_is():
    """A joint at 1 rad that is told to stay there stays; MuJoCo's slew state begins at 0 and pulls it there first."""
    actuator, inertia = one_joint(controller=be.IdealPd(stiffness=0.5, damping=0.03), slew=2.0)
    rig = Rig(actuator.motor, inertia, DT, input="pos", controller=torque_controller(actuator))
    rig.data.qpos[:] = 1.0
    theirs = rig.run(np.full((200, 1), 1.0))
    assert theirs.states["slew"][1] == pytest.approx(2.0 * DT)
    assert theirs.position.min() < 0.9
    step = actuator.compile("numpy")
    state, out = step(step.initial(1), np.array([1.0]), np.array([1.0]), np.array([0.0]), DT)
    assert out.torque == 0.0 and state.setpoint == 1.0 and out.limit == 0


@pytest.mark.parametrize("inputs", ["vel", "ff", "vel ff"])
def test_integral_of_a_velocity_target(inputs: str):
    """A moving target holds a velocity against a load; MuJoCo 4.0 takes no integral gain without a position input."""
    actuator, inertia = one_joint(controller=be.TorquePid(kd=0.03, ki=0.5, follows="velocity"))
    with pytest.raises(ValueError, match="integral gain requires the pos input"):
        Rig(actuator.motor, inertia, DT, input=inputs, controller=torque_controller(actuator))
    step = actuator.compile("numpy")
    state, q, v, target, load = step.initial(1), np.zeros(1), np.zeros(1), 3.0, -0.01
    for _ in range(1500):
        state, out = step(state, target, q, v, DT)
        v = v + DT * (out.torque + load) / (inertia + actuator.motor.armature)
        q = q + DT * v
    assert v == pytest.approx(target, rel=1e-6)
    # the moving target is ahead by what the load takes
    assert state.integral - q == pytest.approx(-load / 0.5, rel=1e-5)


def test_kt_and_ke_apart_under_a_voltage_limit():
    """At the limit the torque is Kt·(V - Ke·w)/R; MuJoCo's merged constant gives another one, and below it the same."""
    actuator, inertia = one_joint(controller=be.Torque(), voltage_limit=6.0)
    magnet = be.Magnet(torque_constant=0.04, back_emf_constant=0.0625)
    actuator = replace(actuator, motor=replace(actuator.motor, magnet=magnet))
    speed, step = np.array([20.0]), actuator.compile("numpy")
    for asked, limited in ((0.05, False), (0.5, True)):
        rig = Rig(actuator.motor, inertia, DT, input="ff", controller=torque_controller(actuator))
        theirs = rig.run(np.full((1, 1), asked), velocity=speed[None])
        _, out = step(step.initial(1), asked, np.zeros(1), speed, DT)
        assert out.torque == pytest.approx(0.04 * (6.0 - 0.0625 * 20.0) / 1.2 if limited else asked, rel=1e-12)
        assert theirs.torque[0] == pytest.approx(0.05 * (6.0 - 0.05 * 20.0) / 1.2 if limited else asked, rel=1e-12)


def test_stiffness_without_a_position_target():
    """Without a position there is nowhere to go, and kp rests; MuJoCo's kp then pulls to 0."""
    actuator, inertia = one_joint(controller=be.TorquePid(kp=0.5, kd=0.03))
    rig = Rig(actuator.motor, inertia, DT, input="vel", controller=torque_controller(actuator))
    rig.data.qpos[:] = 1.0
    theirs = rig.run(np.zeros((1, 1)))
    step = actuator.compile("numpy")
    _, out = step(step.initial(1), be.Command(velocity=0.0), np.array([1.0]), np.array([0.0]), DT)
    assert out.torque == 0.0
    assert theirs.torque == pytest.approx(-0.5)
