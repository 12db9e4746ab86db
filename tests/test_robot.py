"""A robot's actuators: names, one fused step, masked resets, and the actuators of a MuJoCo model."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

import backemf as be
from backemf.sims import mujoco as mujoco_room

JOINTS = [f"{leg}_{joint}" for leg in ("FL", "FR", "RL", "RR") for joint in ("hip", "thigh", "knee")]
DT = 1e-3


def motor(resistance: float = 1.0) -> be.Motor:
    return be.Motor(
        winding=be.Winding(resistance=resistance, inductance=1e-3),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
        rotor=be.Rotor(inertia=1e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
    )


def hip(resistance: float = 1.0) -> be.Actuator:
    return be.Actuator(
        motor(resistance), be.Supply(voltage=24.0), controller=be.PositionPid(kp=40.0, ki=3.0, kd=0.4),
        delay=be.Delay(steps=(1, 3)),
    )  # fmt: skip


THIGH = be.Actuator(
    controller=be.IdealPd(stiffness=80.0, damping=2.0),
    limits=(be.DcClip(saturation_effort=50.0, velocity_limit=30.0, effort_limit=25.0),),
)
KNEE = be.Actuator(replace(motor(), gearbox=None), controller=be.TorquePid(kp=4.0, kd=0.1, current_bandwidth=500.0))


def robot() -> be.ActuatorSet:
    return be.ActuatorSet(JOINTS, {"F._hip": hip(1.0), "R._hip": hip(2.0), ".*_thigh": THIGH, ".*_knee": KNEE})


def inputs(shape, seed=0):
    rng = np.random.default_rng(seed)
    return [rng.uniform(-1, 1, shape) for _ in range(3)]


def run_steps(step, state, steps=20, shape=(4, 12), make=np.asarray):
    for k in range(steps):
        command, position, velocity = (make(x) for x in inputs(shape, k))
        state, out = step(state, command, position, velocity, DT)
    return state, out


# --- names


def test_every_joint_has_the_actuator_of_its_pattern():
    """A pattern matches whole names; like kinds are one group whatever their numbers."""
    built = robot()
    assert built["FL_hip"].motor.winding.resistance == 1.0
    assert built["RR_hip"].motor.winding.resistance == 2.0
    assert built["RL_thigh"] is THIGH
    assert [len(group.columns) for group in built.groups] == [4, 4, 4]
    assert np.array_equal(built.groups[0].actuator.motor.winding.resistance, [1.0, 1.0, 2.0, 2.0])


@pytest.mark.parametrize(
    ("actuators", "words"),
    [
        ({".*": THIGH, ".*_knee": KNEE}, ("FL_knee", "'.*'", "'.*_knee'", "narrower")),
        ({".*_hip": THIGH}, ("no actuator", "FL_thigh", "pattern")),
        ({".*": THIGH, "tail": KNEE}, ("'tail'", "matches no joint")),
        ({"(": THIGH}, ("'('", "regular expression")),
        ({".*": 3.0}, ("'.*'", "Actuator")),
        ({}, ("dict of patterns",)),
    ],
)
def test_names_that_do_not_work_out_are_one_sentence(actuators, words):
    """Two patterns for one joint, a joint without one, a pattern without a joint: each is named."""
    with pytest.raises(be.ParameterError) as caught:
        be.ActuatorSet(JOINTS, actuators)
    for word in words:
        assert word in str(caught.value)


@pytest.mark.parametrize("joints", [[], "hip", ["a", "a"], [1, 2]])
def test_joints_must_be_different_names(joints):
    """A robot without joints, or with one twice, is refused."""
    with pytest.raises(be.ParameterError, match="joints"):
        be.ActuatorSet(joints, {".*": THIGH})


def test_a_shared_bus_over_several_kinds_is_refused():
    """A bus that motors of different kinds would share cannot be stepped group by group."""
    shared = replace(hip(), supply=be.Supply(voltage=24.0, resistance=0.1, shared=True))
    with pytest.raises(be.ParameterError, match="shared"):
        be.ActuatorSet(JOINTS, {".*_hip": shared, ".*_(thigh|knee)": THIGH})


# --- the fused step


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch"])
def test_one_step_of_the_robot_is_the_step_of_each_joint(engine):
    """Every joint gets exactly what its own actuator gives alone, in the order of the joints."""
    built = robot()
    step = built.compile("numpy") if engine == "numpy" else None
    make = np.asarray
    if engine == "jax":
        jax = pytest.importorskip("jax")
        step, make = built.compile("jax"), jax.numpy.asarray
    if engine == "torch":
        torch = pytest.importorskip("torch")
        step, make = built.compile("torch", eager=True, dtype=torch.float64), torch.as_tensor
    _, out = run_steps(step, step.initial((4,)), make=make)
    for column, joint in enumerate(JOINTS):
        if joint.endswith("_hip"):
            continue  # their delays are drawn by place in the group; see below
        alone = built[joint].compile("numpy")
        mine = alone.initial((4, 1))
        for k in range(20):
            command, position, velocity = (x[:, column : column + 1] for x in inputs((4, 12), k))
            mine, expected = alone(mine, command, position, velocity, DT)
        assert np.allclose(
            np.asarray(out.torque)[:, column], expected.torque[:, 0], rtol=1e-5 if engine == "jax" else 1e-12
        )


def test_merged_numbers_act_joint_by_joint():
    """Two resistances in one group give the torques of two motors."""
    constant = be.Delay(steps=2)
    first, second = replace(hip(1.0), delay=constant), replace(hip(2.0), delay=constant)
    built = be.ActuatorSet(["FL", "FR", "FM", "RL"], {"F.*": first, "R.*": second})
    assert len(built.groups) == 1
    step = built.compile("numpy")
    _, out = run_steps(step, step.initial((3,)), shape=(3, 4))
    for column, actuator in enumerate((first, first, first, second)):
        alone = actuator.compile("numpy")
        mine = alone.initial((3, 1))
        for k in range(20):
            command, position, velocity = (x[:, column : column + 1] for x in inputs((3, 4), k))
            mine, expected = alone(mine, command, position, velocity, DT)
        assert np.allclose(out.torque[:, column], expected.torque[:, 0], rtol=1e-12)


def test_joints_without_a_motor_have_no_current():
    """What a joint has no telemetry of is NaN there, and a number elsewhere."""
    step = robot().compile("numpy")
    _, out = run_steps(step, step.initial((4,)))
    thighs = [JOINTS.index(joint) for joint in JOINTS if joint.endswith("thigh")]
    assert np.isnan(out.current[:, thighs]).all()
    assert np.isfinite(np.delete(out.current, thighs, axis=1)).all()
    assert np.isfinite(out.torque).all() and out.limit.shape == (4, 12)


def test_a_reset_of_some_robots_leaves_the_others_alone():
    """Robots under the mask start again as new ones; the others go on bit for bit."""
    step = robot().compile("numpy")
    state, _ = run_steps(step, step.initial((4,)))
    again = step.reset(state, np.array([True, False, False, True]))
    for before, after in zip(state, again, strict=True):
        for name in ("current", "integral", "clock", "energy"):
            old, new = getattr(before, name), getattr(after, name)
            if old is not None:
                assert np.array_equal(new[1:3], old[1:3]), name
                assert (new[[0, 3]] == 0).all(), name


def test_a_reset_of_single_joints():
    """A mask with the joints' axis restarts these joints' motors."""
    step = robot().compile("numpy")
    state, _ = run_steps(step, step.initial((4,)))
    mask = np.zeros((4, 12), bool)
    mask[2, JOINTS.index("RL_knee")] = True
    knees = next(i for i, g in enumerate(robot().groups) if JOINTS.index("RL_knee") in g.columns)
    again = step.reset(state, mask)
    changed = again[knees].current != state[knees].current
    assert np.argwhere(changed).tolist() == [[2, 2]]


def test_each_controller_gets_what_it_takes_of_a_command():
    """PositionPid takes no velocity, IdealPd does: one Command serves both, and one that nobody takes is refused."""
    step = robot().compile("numpy")
    state = step.initial((2,))
    position, velocity = np.ones((2, 12)), np.full((2, 12), 0.5)
    _, out = step(state, be.Command(position=position, velocity=velocity), 0.0 * position, 0.0 * position, DT)
    assert np.allclose(out.torque_requested[:, 1], 80.0 + 2.0 * 0.5)
    with pytest.raises(be.ParameterError, match=r"Command\.voltage"):
        step(state, be.Command(position=position, voltage=position), position, velocity, DT)


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch"])
def test_one_number_for_all_joints(engine):
    """Plain numbers count for every joint, also for actuators that remember nothing."""
    options = {"eager": True} if engine == "torch" else {}
    step = robot().compile(engine, **options)
    _, out = step(step.initial((4,)), 0.5, 0.0, 0.0, DT)
    assert np.asarray(out.torque).shape == (4, 12) and np.asarray(out.limit).shape == (4, 12)
    assert np.allclose(np.asarray(out.torque)[:, 1], 25.0)


def test_an_array_without_the_joints_is_one_sentence():
    """The last axis of every input is that of the joints."""
    step = robot().compile("numpy")
    with pytest.raises(be.ParameterError, match="12 joints"):
        step(step.initial((4,)), np.zeros((4, 7)), np.zeros((4, 12)), np.zeros((4, 12)), DT)


def test_armature_of_each_joint():
    """N²·J where there is a motor, 0 where there is none."""
    armature = robot().armature
    assert np.allclose(armature[:3], [81 * 1e-5, 0.0, 1e-5])


def test_telemetry_that_is_not_wanted_is_left_out():
    """Only the outputs that are asked for come back."""
    step = robot().compile("numpy".replace("numpy", "jax"), telemetry=("torque", "current"))
    _, out = run_steps(step, step.initial((4,)), steps=1)
    assert [entry.name for entry in fields(out) if getattr(out, entry.name) is not None] == ["torque", "current"]


@pytest.mark.long
def test_the_torch_step_of_a_robot_is_one_graph():
    """torch.compile takes the whole robot without a break, and in place it writes into the state it was given."""
    torch = pytest.importorskip("torch")
    built = be.ActuatorSet(JOINTS[1:3], {".*_thigh": THIGH, ".*_knee": KNEE})
    step = built.compile("torch", dtype=torch.float64, in_place=True)
    state = step.initial((4,))
    reference = built.compile("numpy")
    expected_state = reference.initial((4,))
    for k in range(3):
        rows = inputs((4, 2), k)
        after, out = step(state, *(torch.as_tensor(x) for x in rows), DT)
        expected_state, expected = reference(expected_state, *rows, DT)
    assert after[1].current is state[1].current
    assert np.allclose(out.torque.numpy(), expected.torque, rtol=1e-12)


# --- numbers that vary


def test_a_name_varies_in_every_joint_that_has_it():
    """Resistances differ from joint to joint and environment to environment; joints without a motor are left alone."""
    varied = robot().randomize({"winding.resistance": be.random.Scale(0.9, 1.1)}, environments=5, seed=1)
    drawn = np.concatenate(
        [varied[j].motor.winding.resistance / robot()[j].motor.winding.resistance for j in JOINTS if "thigh" not in j],
        1,
    )
    assert drawn.shape == (5, 8)
    assert len(np.unique(drawn)) == 40 and drawn.min() >= 0.9 and drawn.max() <= 1.1
    assert varied["FL_thigh"] is THIGH
    assert len(varied.groups) == 3
    step = varied.compile("numpy")
    _, out = run_steps(step, step.initial((5,)), shape=(5, 12))
    assert np.isfinite(out.torque).all()


def test_environments_agree_where_they_are_asked_to():
    """per="environment" gives all joints of an environment one factor, whatever their motors are."""
    varied = robot().randomize({"winding.resistance": be.random.Scale(0.9, 1.1, per="environment")}, environments=5)
    factors = [varied[j].motor.winding.resistance / robot()[j].motor.winding.resistance for j in ("FL_hip", "RR_knee")]
    assert np.allclose(factors[0], factors[1], rtol=1e-14) and factors[0].shape == (5, 1)


def test_a_pattern_varies_in_its_joints_alone():
    """A dict behind a pattern is for the joints that match it."""
    varied = robot().randomize({".*_knee": {"controller.kp": be.random.Uniform(3.0, 5.0)}}, environments=4)
    assert varied["FL_knee"].controller.kp.shape == (4, 1)
    assert varied["FL_hip"].controller.kp == 40.0


@pytest.mark.parametrize(
    ("entries", "words"),
    [
        ({"winding.resistence": be.random.Scale(0.9, 1.1)}, ("winding.resistence", "no parameter")),
        ({"tail": {"controller.kp": be.random.Scale(0.9, 1.1)}}, ("'tail'", "matches no joint")),
    ],
)
def test_a_variation_of_nothing_is_one_sentence(entries, words):
    """A misspelt name and a pattern without joints are errors, not silence."""
    with pytest.raises(be.ParameterError) as caught:
        robot().randomize(entries, environments=4)
    for word in words:
        assert word in str(caught.value)


# --- actuators of a MuJoCo model

MODEL = """
<mujoco>
  <option timestep="0.002" gravity="0 0 0"/>
  <default><position kp="30" forcerange="-8 6"/></default>
  <worldbody>
    <body><joint name="a" axis="0 0 1"/><geom size="0.1" mass="1"/>
      <body><joint name="b" axis="0 1 0"/><geom size="0.1" mass="1"/>
        <body><joint name="c" axis="1 0 0"/><geom size="0.1" mass="1"/></body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <velocity name="turn" joint="c" kv="2" gear="-3" ctrlrange="-1 1"/>
    <position name="hold" joint="a" kv="1.5" gear="2"/>
    <motor name="push" joint="b" gear="5" ctrlrange="-1 0.5"/>
  </actuator>
</mujoco>
"""


def test_wrapped_actuators_give_mujocos_torques():
    """Motor, position and velocity actuators with gears, ranges and defaults: the torques of a run of real MuJoCo."""
    mujoco = pytest.importorskip("mujoco")
    wrapped = mujoco_room.wrap(MODEL)
    assert wrapped.joints == ("a", "b", "c")
    step = wrapped.compile("numpy")
    state = step.initial(())
    model = mujoco.MjModel.from_xml_string(MODEL)
    data = mujoco.MjData(model)
    rng = np.random.default_rng(0)
    data.qvel[:] = rng.normal(size=3)
    acted = 0
    for _ in range(200):
        ctrl = rng.uniform(-2, 2, 3)
        data.ctrl[:] = ctrl
        # our commands are at the joint: positions and velocities over the gear, torques times it
        command = np.array([ctrl[1] / 2.0, ctrl[2] * 5.0, ctrl[0] / -3.0])
        # each joint's own main input
        state, out = step(state, command, data.qpos.copy(), data.qvel.copy(), 0.002)
        mujoco.mj_step(model, data)
        assert np.allclose(out.torque, data.qfrc_actuator, rtol=1e-12, atol=1e-12)
        acted |= int(np.bitwise_or.reduce(out.limit))
    assert set(be.limit_names(acted)) == {"torque", "command range"}


@pytest.mark.parametrize(
    ("change", "left", "words"),
    [
        (("</actuator>", '<motor name="m" joint="a"/></actuator>'), ("b", "c"), ("'a' has 2 actuators", "'m'")),
        (
            ("<motor name", '<intvelocity name="i" joint="b" kp="2" actrange="-1 1"/><motor name'),
            ("a", "c"),
            ("'b' has 2 actuators", "'i'"),
        ),
    ],
)
def test_what_cannot_be_wrapped_is_left_with_a_reason(change, left, words):
    """Two actuators on a joint: the others are wrapped, and these have a row each."""
    pytest.importorskip("mujoco")
    found = mujoco_room.wrap(MODEL.replace(*change))
    assert found.joints == left and len(found.unread) == 2
    assert not any("\n" in str(row) for row in found.unread)
    for word in words:
        assert word in " ".join(map(str, found.unread))


def test_a_broken_model_cannot_be_wrapped():
    """The place where the XML breaks, in one line."""
    pytest.importorskip("mujoco")
    with pytest.raises(be.ParameterError, match=r"is not well-formed XML.*line 13") as caught:
        mujoco_room.wrap(MODEL.replace("<actuator>", "<actuator"))
    assert "\n" not in str(caught.value)


def test_a_model_that_is_not_there():
    """A path that does not exist is named."""
    pytest.importorskip("mujoco")
    with pytest.raises(be.ParameterError, match=r"nowhere\.xml"):
        mujoco_room.wrap("nowhere.xml")


def test_a_robot_takes_the_draws_of_each_joint():
    """Lags of 0 to 3 steps that are handed in: each joint sends what its own actuator sends with its own lag."""
    delay = be.Delay(steps=(0, 3), schedule="step", reorder=True, per="joint")
    kinds = {"hip": replace(THIGH, delay=delay), "knee": replace(KNEE, delay=delay)}
    robot = be.ActuatorSet(list(kinds), kinds).compile("numpy")
    alone = {name: kind.compile("numpy") for name, kind in kinds.items()}
    state, states = robot.initial((3,)), {name: step.initial((3, 1)) for name, step in alone.items()}
    for k in range(12):
        command, position, velocity = inputs((3, 2), k)
        lag = np.random.default_rng(k).integers(0, 4, (3, 2))
        state, out = robot(state, command, position, velocity, DT, draws=be.actuator.Draws(lag=lag))
        for index, (name, step) in enumerate(alone.items()):
            mine = [x[:, index : index + 1] for x in (command, position, velocity)]
            draws = be.actuator.Draws(lag=lag[:, index : index + 1])
            states[name], own = step(states[name], *mine, DT, draws=draws)
            assert np.array_equal(out.torque[:, index : index + 1], own.torque)
