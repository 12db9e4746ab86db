"""Where our motors and mjlab meet: configs that are copied, numbers that do not fit, targets, states and telemetry."""

import dataclasses
import warnings

import motors
import numpy as np
import pytest
import rig
import torch
from mjlab.envs.mdp import dr
from mjlab.managers import SceneEntityCfg

import backemf as be
from backemf.physics.state import Output, State
from backemf.sims.mjlab import MotorActuatorCfg, mdp

ALL = (".*",)
PD = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=1.0))


def config(actuator: be.Actuator = PD, *patterns: str, **changes) -> MotorActuatorCfg:
    return MotorActuatorCfg(target_names_expr=patterns or ALL, actuator=actuator, eager=True, **changes)


def build_scene(*configs: MotorActuatorCfg, **changes) -> rig.Rig:
    """A scene, its warnings left out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rig.build(*configs, **{"envs": 2, **changes})


def joints(robot, *patterns: str) -> SceneEntityCfg:
    """Joints by name, as a manager resolves them."""
    found = SceneEntityCfg("robot", joint_names=patterns)
    found.resolve({"robot": robot})
    return found


@dataclasses.dataclass
class Env:
    """As much of an environment as a term looks at."""

    built: rig.Rig
    device: str = "cpu"

    @property
    def scene(self):
        return self.built.scene

    @property
    def num_envs(self) -> int:
        return self.built.sim.num_envs


# --- configs

COPIED = {
    "torque": be.Actuator(),
    "gains": PD,
    "gains in volts": motors.thigh(),
    "gains per joint": be.Actuator(controller=be.IdealPd(stiffness=np.arange(12.0))),
    "one limit": dataclasses.replace(PD, limits=(be.EffortLimit(effort_limit=5.0),)),
    "two limits": dataclasses.replace(
        PD,
        limits=(
            be.EffortLimit(effort_limit=5.0),
            be.DcClip(effort_limit=9.0, saturation_effort=10.0, velocity_limit=10.0),
        ),
    ),
}


@pytest.mark.parametrize("kind", COPIED)
def test_a_config_can_be_copied_with_a_change(kind):
    """`dataclasses.replace` hands a config what it already has, which is no contradiction."""
    first = config(COPIED[kind], telemetry=("torque",))
    second = dataclasses.replace(first, seed=7, target_names_expr=("fl_.*",))
    assert second.seed == 7
    assert np.array_equal(second.stiffness, first.stiffness) and second.effort_limit == first.effort_limit
    assert second.telemetry == ("torque",)
    assert dataclasses.replace(first, delays=()).actuator == first.actuator or kind == "gains per joint"


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"armature": -1.0}, r"MotorActuatorCfg.armature = -1.0: must be a finite number of 0 or more, or None"),
        ({"frictionloss": float("nan")}, "MotorActuatorCfg.frictionloss = nan: must be a finite number"),
        ({"viscous_damping": "0.1"}, "MotorActuatorCfg.viscous_damping = '0.1': must be a finite number"),
        ({"delay_hold_prob": 0.5}, "MotorActuatorCfg.delay_hold_prob = 0.5 has no effect"),
        ({"delay_update_period": 4}, "MotorActuatorCfg.delay_update_period = 4 has no effect"),
        ({"telemetry": ("amperes",)}, "telemetry names 'amperes': there are torque"),
    ],
)
def test_fields_that_cannot_be_are_refused(changes, sentence):
    """Each is one sentence, when the config is made."""
    with pytest.raises(be.ParameterError, match=sentence):
        config(**changes)


def test_one_output_may_be_named_without_a_tuple():
    assert config(motors.knee(), telemetry="current").telemetry == ("torque", "current")


@pytest.mark.parametrize("size", [(5,), (3, 12), (2, 5), (1, 2, 12)])
def test_numbers_that_do_not_fit_the_joints_are_named(size):
    """An array that fits neither environments nor joints is one sentence that says which."""
    winding = be.Winding(resistance=np.ones(size))
    actuator = dataclasses.replace(motors.knee(), motor=dataclasses.replace(motors.servo(), winding=winding))
    shape = ", ".join(str(length) for length in size)
    with pytest.raises(be.ParameterError, match=rf"motor.winding.resistance has the shape \({shape},?\), which does"):
        build_scene(config(actuator))


@pytest.mark.parametrize("size", [(12,), (2, 1), (2, 12), (1, 12), ()])
def test_numbers_that_fit_are_taken(size):
    winding = be.Winding(resistance=np.full(size, 2.0))
    motor = dataclasses.replace(motors.servo(), winding=winding)
    # explicit, so that the current is that of the start
    scene = build_scene(config(dataclasses.replace(motors.knee(), motor=motor), implicit=False))
    scene.robot.set_joint_position_target(torch.full((2, 12), 0.01))
    scene.step()
    actuator = scene.robot.actuators[0]
    # duty 8 per rad of 12 V, over 2 Ω at rest
    torch.testing.assert_close(actuator.reading("current"), torch.full((2, 12), 8.0 * 0.01 * 12.0 / 2.0))


def test_a_torque_range_that_is_the_same_both_ways_is_an_effort_limit():
    """MuJoCo's forcerange: the config says so to mjlab, and `dr.effort_limits` acts on it."""
    ranged = dataclasses.replace(PD, limits=(be.EffortRange(lowest=-5.0, highest=5.0),))
    assert config(ranged).effort_limit == 5.0
    lopsided = dataclasses.replace(PD, limits=(be.EffortRange(lowest=-4.0, highest=5.0),))
    assert config(lopsided).effort_limit == float("inf")
    scene = build_scene(config(ranged))
    dr.effort_limits(Env(scene), None, (0.5, 0.5), SceneEntityCfg("robot"))
    scene.robot.set_joint_position_target(torch.full((2, 12), 1.0))
    scene.step()
    torch.testing.assert_close(scene.forces(), torch.full((2, 12), 2.5))


# --- targets


@pytest.mark.parametrize(
    ("listens", "expected"),
    [
        (("position",), 40.0 * 0.1),
        (("position", "velocity"), 40.0 * 0.1 + 1.0 * 0.3),
        (("position", "effort"), 40.0 * 0.1 + 0.7),
        (None, 40.0 * 0.1 + 1.0 * 0.3 + 0.7),
    ],
)
@pytest.mark.parametrize("motor", [None, motors.quasi_direct()])
def test_a_controller_gets_the_targets_that_it_listens_to(listens, expected, motor):
    """mjlab has a position, velocity and effort target for every joint; the others are not given to it."""
    pd = be.IdealPd(stiffness=40.0, damping=1.0, listens=listens)
    # explicit, so that what is asked for is that of the start, at rest
    scene = build_scene(config(be.Actuator(motor, controller=pd), implicit=False), envs=1)
    scene.robot.set_joint_position_target(torch.full((1, 12), 0.1))
    scene.robot.set_joint_velocity_target(torch.full((1, 12), 0.3))
    scene.robot.set_joint_effort_target(torch.full((1, 12), 0.7))
    scene.step()
    asked = scene.robot.actuators[0].reading("torque_requested")
    torch.testing.assert_close(asked, torch.full((1, 12), expected), rtol=2e-2 if motor else 1e-6, atol=0.0)


def test_targets_that_are_not_finite_are_named():
    """NaN or inf in any target: the joint is held in its place, and `mdp.limit_acts` says where."""
    scene = build_scene(config())
    env, robot = Env(scene), scene.robot
    for name, value, at in (("position", "nan", (0, 3)), ("velocity", "inf", (1, 5)), ("effort", "-inf", (1, 11))):
        targets = {each: torch.zeros(2, 12) for each in ("position", "velocity", "effort")}
        targets[name][at] = float(value)
        robot.set_joint_position_target(targets["position"])
        robot.set_joint_velocity_target(targets["velocity"])
        robot.set_joint_effort_target(targets["effort"])
        scene.step()
        assert torch.isfinite(scene.forces()).all()
        assert mdp.limit_acts(env, "invalid command").nonzero().tolist() == [list(at)]
    assert mdp.limit_acts(env, "invalid command", joints(robot, ".*_knee")).shape == (2, 4)
    with pytest.raises(be.ParameterError, match='limit_acts "amperes": there are voltage, current'):
        mdp.limit_acts(env, "amperes")


# --- states


def full() -> be.Actuator:
    """Everything that an actuator can remember but a network and backlash."""
    parts = {"friction": be.LuGre(coulomb=0.01, stiction=0.02, stribeck_velocity=1.0, stiffness=1.0)}
    motor = dataclasses.replace(motors.quasi_direct(), **parts)
    pid = be.TorquePid(kp=40.0, ki=3.0, kd=1.0, current_bandwidth=2000.0)
    delay = be.Delay(steps=(1, 4), targets=("position",))
    return be.Actuator(motor, be.Supply(voltage=24.0), controller=pid, delay=delay, slew=20.0)


def states(actuator) -> dict[str, torch.Tensor]:
    """Every state of an actuator by name."""
    several = actuator._state if isinstance(actuator._state, tuple) else (actuator._state,)
    return {
        f"{number} {entry.name}": getattr(state, entry.name).clone()
        for number, state in enumerate(several)
        for entry in dataclasses.fields(State)
        if getattr(state, entry.name) is not None
    }


def test_a_reset_keeps_every_state_of_the_others():
    """All that the actuator remembers, that of its lines included, is as it was where there was no reset."""
    scene = build_scene(config(full(), delays=be.Delay(steps=(2, 5), targets=("effort",))), envs=5)
    actuator = scene.robot.actuators[0]
    fresh = states(actuator)
    for target in rig.targets(5, 30, seed=2):
        scene.robot.set_joint_position_target(target)
        scene.robot.set_joint_effort_target(0.1 * target)
        scene.step()
    before = states(actuator)
    gone, kept = torch.tensor([1, 3]), torch.tensor([0, 2, 4])
    scene.reset(gone)
    after, changed = states(actuator), set()
    assert {"0 current", "0 winding_rise", "0 bristle", "0 integral", "0 setpoint", "0 lag", "1 lag"} <= set(after)
    for name, value in after.items():
        if name.endswith("head"):
            continue
        # lines have their frames in front of the environments
        line = name.endswith("_line")
        rows = value.movedim(1, 0) if line else value
        was = before[name].movedim(1, 0) if line else before[name]
        assert torch.equal(rows[kept], was[kept]), name
        if not line and not name.endswith("key"):
            assert torch.equal(rows[gone], fresh[name][gone]), name
            changed.add(name)
    assert len(changed) > 10
    # and the torques of the others go on as if nothing had happened
    other = build_scene(config(full(), delays=be.Delay(steps=(2, 5), targets=("effort",))), envs=5)
    for target in rig.targets(5, 30, seed=2):
        other.robot.set_joint_position_target(target)
        other.robot.set_joint_effort_target(0.1 * target)
        other.step()
    for each in (scene, other):
        each.robot.set_joint_position_target(target)
        each.robot.set_joint_effort_target(0.1 * target)
        each.step()
    assert torch.equal(scene.forces()[kept], other.forces()[kept])


# --- telemetry


@pytest.mark.parametrize("name", ["hip", "thigh", "knee", "ideal", "full"])
def test_every_output_has_the_shape_of_environments_and_joints(name):
    """Before the first step, after one, and after a reset of some environments."""
    actuator = {"ideal": PD, "full": full()}.get(name) or getattr(motors, name)()
    scene = build_scene(config(actuator, ".*_knee"), envs=3)
    unit = scene.robot.actuators[0]

    def read() -> dict[str, torch.Tensor]:
        outputs = [entry.name for entry in dataclasses.fields(Output)]
        return {each: unit.reading(each) for each in outputs if getattr(unit.telemetry, each) is not None}

    first = read()
    scene.step()
    second = read()
    scene.reset(torch.tensor([1]))
    third = read()
    assert set(first) == set(second) == set(third) and "torque" in first
    for reading in (first, second, third):
        assert {tuple(value.shape) for value in reading.values()} == {(3, 4)}


def test_telemetry_asks_the_motors_of_its_joints_alone():
    """Joints without a current elsewhere in the robot do not keep a term from reading those that have one."""
    scene = build_scene(config(PD, ".*_hip"), config(motors.thigh(), ".*_thigh", ".*_knee"))
    env = Env(scene)
    assert mdp.current(env, joints(scene.robot, ".*_knee")).shape == (2, 4)
    with pytest.raises(be.ParameterError, match=r'telemetry "current" of fl_hip, .*: this actuator has no motor'):
        mdp.current(env)


# --- randomisation


@pytest.mark.parametrize("wrong", [-1.0, float("nan"), float("inf")])
def test_gains_and_limits_that_cannot_be_are_refused(wrong):
    """A range that reaches below 0, or is no number, would turn a controller into an engine."""
    scene = build_scene(config(dataclasses.replace(PD, limits=(be.EffortLimit(effort_limit=5.0),))))
    unit, every = scene.robot.actuators[0], torch.arange(2)
    value = torch.full((2, 12), 2.0)
    value[1, 4] = wrong
    for name in ("kp", "kd"):
        with pytest.raises(be.ParameterError, match=rf"set_gains, dr.pd_gains: {name} = .*: must be a finite number"):
            unit.set_gains(every, **{name: value})
    with pytest.raises(be.ParameterError, match=r"dr.effort_limits: effort_limit = .*: must be a finite number"):
        unit.set_effort_limit(every, value)
    assert (unit.stiffness == 40.0).all() and (unit.force_limit == 5.0).all()


CONTROLLERS = {
    "IdealPd": PD,
    "TorquePid": be.Actuator(controller=be.TorquePid(kp=40.0, kd=1.0)),
    "IdealPd with a motor": be.Actuator(motors.quasi_direct(), controller=be.IdealPd(stiffness=4.0, damping=0.1)),
    "PositionPid": motors.thigh(),
    "DutyServo": motors.knee(),
}


@pytest.mark.parametrize("kind", CONTROLLERS)
def test_gains_act_on_every_controller_that_has_them(kind):
    """At rest, twice the kp is twice what the controller asks for: in torque, or in volts."""
    asked = []
    for factor in (1.0, 2.0):
        # explicit, so that what is asked for is that of the start
        scene = build_scene(config(CONTROLLERS[kind], implicit=False))
        dr.pd_gains(Env(scene), None, (factor, factor), (1.0, 1.0), SceneEntityCfg("robot"))
        scene.robot.set_joint_position_target(torch.full((2, 12), 0.02))
        scene.step()
        unit = scene.robot.actuators[0]
        volts = kind in ("PositionPid", "DutyServo")
        asked.append(unit.reading("voltage" if volts else "torque_requested").clone())
    torch.testing.assert_close(asked[1], 2.0 * asked[0], rtol=1e-4, atol=1e-6)


def test_an_actuatorfrcrange_counts_for_its_own_joint():
    """A narrow range in the XML on one joint does not keep the limit of another from being raised."""
    limited = dataclasses.replace(PD, limits=(be.EffortLimit(effort_limit=np.array([4.0, *[10.0] * 11])),))
    scene = rig.robot_xml().replace('name="fl_hip" axis', 'name="fl_hip" actuatorfrcrange="-5 5" axis')
    with pytest.MonkeyPatch.context() as patch, warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        patch.setattr(rig, "robot_xml", lambda *_: scene)
        unit = rig.build(config(limited), envs=2).robot.actuators[0]
    raised = unit.default_force_limit * 1.2
    unit.set_effort_limit(torch.arange(2), raised)
    assert torch.equal(unit.force_limit, raised)
    with pytest.raises(be.ParameterError, match="actuatorfrcrange in the XML, that of 'fl_hip', ends at 5 N·m"):
        unit.set_effort_limit(torch.arange(2), unit.default_force_limit * 1.5)


def three_groups(limit: float = 5.0) -> rig.Rig:
    """Hips, thighs and knees with configs of their own."""
    actuator = dataclasses.replace(PD, limits=(be.EffortLimit(effort_limit=limit),))
    return build_scene(*[config(actuator, f".*_{part}") for part in ("hip", "thigh", "knee")], envs=3)


def test_gains_and_limits_are_drawn_for_joints_by_name():
    """`mdp.pd_gains` and `mdp.effort_limits` vary the joints that are named, in the environments that are meant."""
    scene = three_groups()
    env, robot = Env(scene), scene.robot
    leg = joints(robot, "fl_.*")
    mdp.pd_gains(env, torch.tensor([0, 2]), (2.0, 2.0), (3.0, 3.0), leg)
    mdp.effort_limits(env, None, (7.0, 7.0), joints(robot, "fl_knee", "hr_.*"), operation="abs")
    for group in robot.actuators:
        stiffness, damping, limit = torch.full((3, 4), 40.0), torch.ones(3, 4), torch.full((3, 4), 5.0)
        stiffness[[0, 2], 0], damping[[0, 2], 0] = 80.0, 3.0
        limit[:, 3] = 7.0
        if "fl_knee" in group.target_names:
            limit[:, 0] = 7.0
        assert torch.equal(group.stiffness, stiffness)
        assert torch.equal(group.damping, damping)
        assert torch.equal(group.force_limit, limit)


@pytest.mark.parametrize("distribution", ["uniform", "log_uniform"])
def test_draws_stay_in_their_range(distribution):
    """Each environment and joint has a draw of its own."""
    scene = three_groups()
    mdp.pd_gains(Env(scene), None, (0.5, 2.0), (0.5, 2.0), distribution=distribution)
    gains = torch.cat([group.stiffness for group in scene.robot.actuators]).flatten() / 40.0
    assert gains.min() >= 0.5 and gains.max() <= 2.0 and len(gains.unique()) == 36


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"operation": "add"}, 'operation = \'add\': must be "scale" or "abs"'),
        ({"distribution": "gaussian"}, 'distribution = \'gaussian\': must be "uniform" or "log_uniform"'),
        ({"kp_range": (-1.0, -1.0)}, "kp = -40: must be a finite number of 0 or more"),
    ],
)
def test_draws_that_cannot_be_are_refused(changes, sentence):
    with pytest.raises(be.ParameterError, match=sentence):
        mdp.pd_gains(Env(three_groups()), None, **{"kp_range": (1.0, 1.0), "kd_range": (1.0, 1.0), **changes})
