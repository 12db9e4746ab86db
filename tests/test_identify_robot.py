"""A robot's joints from one log: rigid-body terms against MuJoCo, what joints share, and a real Go2 in the air."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import backemf as be
from backemf.actuator.joint_friction import TanhFriction
from backemf.actuator.joint_spring import JointSpring
from backemf.identify.bench import bench_of, stack
from backemf.identify.joint_information import blind_joints
from backemf.identify.joints import by_joint, drive_of_joint, joint_parameters, joint_space, kind_of
from backemf.identify.log import Log
from backemf.identify.loss import Information, Problem, Scales, make_blocks, measure_scales
from backemf.identify.parameters import Parameter, Space
from backemf.identify.predict import Predictor
from backemf.identify.rig_parts import RobotModel
from backemf.identify.solve import solve
from backemf.identify.trials import Trials, make_trials
from backemf.loads import Inertia
from backemf.motor.friction_over_angle import FrictionOverAngle

GO2 = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "go2_in_air"
PD = be.IdealPd(stiffness=20.0, damping=1.5)
LEGS = [f"{leg}_{kind}" for leg in ("FL", "FR", "RL", "RR") for kind in ("hip", "thigh", "calf")]
ROTOR = 0.000111842
"""Inertia of a Go2's rotor [kg·m²], as its catalogue entry has it."""
ARMATURES = np.tile([6.33**2 * ROTOR] * 2 + [(6.33 * 1.917) ** 2 * ROTOR], 4)
"""Inertia at the joints by catalogue: the hip motor's ratio is 6.33, and the calf has another 1.917 behind it."""

LEG = """
<mujoco>
  <worldbody>
    <body name="base" pos="0 0 1">
      <geom type="sphere" size="0.05" mass="5"/>
      {legs}
    </body>
  </worldbody>
</mujoco>
"""
SIDE = """
<body name="{side}_upper" pos="{x} 0 0">
  <joint name="{side}_thigh" axis="0 1 0" armature="0.02" damping="0.7" frictionloss="0.4"/>
  <geom type="capsule" size="0.02" fromto="0 0 0 0 0 -0.21" mass="1.1"/>
  <body name="{side}_lower" pos="0 0 -0.21">
    <joint name="{side}_calf" axis="0 1 0" armature="0.02" damping="0.7" frictionloss="0.4"/>
    <geom type="capsule" size="0.015" fromto="0 0 0 0 0 -0.2" mass="0.3"/>
  </body>
</body>
"""
SHORT = ("left_thigh", "left_calf", "right_thigh", "right_calf")
OWN = np.array([0.0045, 0.016, 0.0045, 0.016])
"""Armature of each joint of the simulated robot [kg·m²]."""
DRY = np.array([0.20, 0.30, 0.26, 0.36])
"""Dry friction of each joint of the simulated robot [N·m]."""
ACTIVATION = 0.02
"""Speed at which friction of the simulated robot is there [rad/s]."""


# --- names


def test_a_kind_is_the_name_without_the_side():
    assert {kind_of(name) for name in LEGS} == {"hip", "thigh", "calf"}
    assert kind_of("left_hip_pitch_joint") == kind_of("right_hip_pitch_joint") == "hip_pitch_joint"
    assert kind_of("joint_3") == "joint_3" and kind_of("left") == "left"


def test_what_joints_share_depends_on_where_a_number_comes_from():
    """The bus is one for all; a drive is one for its kind and a deviation for each; a zero is each joint's own."""
    lag = Parameter("lag", ("command.lag",), 0.003, positive=False)
    assert joint_parameters(lag, SHORT) == (lag,)
    bias = Parameter("bias", ("sensors.position.bias",), 0.02, positive=False)
    assert [each.joint for each in joint_parameters(bias, SHORT)] == list(SHORT)
    dry = joint_parameters(Parameter("dry", ("actuator.friction.coulomb",), 1.0, reference=0.2), SHORT)
    assert [each.name for each in dry] == [
        "dry@thigh", "dry@left_thigh", "dry@right_thigh", "dry@calf", "dry@left_calf", "dry@right_calf",
    ]  # fmt: skip
    # kind and joint together are as free as one drive, and rotors of one kind are closer to each other than frictions
    assert np.hypot(dry[0].spread, dry[1].spread) == pytest.approx(1.0)
    rotors = joint_parameters(Parameter("j", ("actuator.motor.rotor.inertia",), 1.0), SHORT)
    assert rotors[1].spread < 0.2 < dry[1].spread
    alone = joint_parameters(Parameter("dry", ("actuator.friction.coulomb",), 1.0), ("waist",))
    assert [each.joint for each in alone] == [""]


def test_a_drive_without_a_winding_needs_a_controller_that_asks_for_torque():
    with pytest.raises(be.ParameterError, match="asks for no torque"):
        drive_of_joint(be.load("maxon-re40-gp52c"), 0.01, 0.1)


# --- against MuJoCo


@pytest.fixture(scope="module")
def robot(tmp_path_factory: pytest.TempPathFactory) -> tuple[Log, be.Rig]:
    """A log of two legs under a PD, simulated by MuJoCo at 0.1 ms and logged at 200 Hz, with the rig it is from."""
    mujoco: Any = pytest.importorskip("mujoco", reason="mujoco is not installed")
    path = tmp_path_factory.mktemp("robot") / "legs.xml"
    legs = "".join(SIDE.format(side=side, x=x) for side, x in (("left", 0.1), ("right", -0.1)))
    path.write_text(LEG.format(legs=legs))
    model = mujoco.MjModel.from_xml_path(str(path))
    model.opt.timestep, model.opt.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_IMPLICITFAST
    model.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    model.dof_armature[:], model.dof_damping[:], model.dof_frictionloss[:] = OWN, 0.1, 0.0
    data = mujoco.MjData(model)
    middle, swing, phase = np.tile([0.4, -0.9], 2), np.tile([0.3, 0.5], 2), np.array([0.0, 1.0, 2.0, 0.5])
    data.qpos[:] = middle
    rows: list[tuple[np.ndarray, np.ndarray]] = []
    target = middle
    for k in range(60_001):
        after = max(k * 1e-4 - 1.2, 0.0)
        if k % 200 == 0:
            # faster and faster, as a chirp; from 1.2 s on, when gravity has settled
            angle = 2.0 * np.pi * (0.4 + 0.15 * after) * after
            target = middle + swing * (np.sin(angle + phase) - np.sin(phase))
        if k % 50 == 0 and k >= 10_000:
            rows.append((data.qpos.copy(), target))
        drag = DRY * np.tanh(data.qvel / ACTIVATION)
        data.qfrc_applied[:] = 20.0 * (target - data.qpos) - 1.5 * data.qvel - drag
        mujoco.mj_step(model, data)
    position, command = (np.array(column) for column in zip(*rows, strict=True))
    time = 5e-3 * np.arange(len(position))
    log = Log.from_arrays(time, {"position": position, "position_command": command}, joints=SHORT)
    return log, be.Rig(load=RobotModel(model=str(path)), firmware=PD)


def smooth_bench(log: Log, rig: be.Rig, armature: np.ndarray, coulomb: np.ndarray) -> Any:
    made = []
    for k, name in enumerate(SHORT):
        friction = TanhFriction(coulomb=float(coulomb[k]), activation_speed=ACTIVATION, viscous=0.1)
        bench = bench_of(be.Actuator(friction=friction, controller=PD), rig, log.joint(name))
        made.append(replace(bench, load=Inertia(float(armature[k]))))
    return stack(made)


def test_rigid_body_terms_along_the_motion_predict_what_mujoco_does(robot: tuple[Log, be.Rig]):
    """With the truth as parameters, each joint alone moves as in the whole simulation, and closer at a finer step."""
    log, rig = robot
    bench = smooth_bench(log, rig, OWN, DRY)
    errors = []
    for dt in (1e-3, 0.25e-3):
        trials = make_trials([log], rig, bench.actuator, dt=dt)
        predicted = Predictor(bench, trials, ("load.inertia",)).predict(OWN[None, None])[0][0]
        errors.append(1e3 * np.abs(predicted - log["position"].T).mean())
    assert errors[1] < 0.4 and errors[0] / errors[1] > 2.0
    # without gravity and the torque of the other joints it is far off
    trials = make_trials([log], rig, bench.actuator, dt=0.25e-3)
    assert trials.robot is not None
    torn = replace(trials, robot=replace(trials.robot, torque=trials.robot.torque * 0.0))
    alone = Predictor(bench, torn, ("load.inertia",)).predict(OWN[None, None])[0][0]
    assert 1e3 * np.abs(alone - log["position"].T).mean() > 20.0 * errors[1]


def test_joints_of_a_simulated_robot_are_found_again(robot: tuple[Log, be.Rig]):
    """Armature by kind and friction by joint come back from a prior that is off by 1.6 and 2."""
    log, rig = robot
    bench = smooth_bench(log, rig, 1.6 * OWN, np.full(4, 0.15))
    given = [
        Parameter("armature", ("load.inertia",), 0.5),
        Parameter("dry", ("actuator.friction.coulomb",), 1.0),
        Parameter("lag", ("command.lag",), 0.002, positive=False),
    ]
    fitted = fit(log, rig, bench, [given], dt=0.5e-3)
    found = by_joint(fitted.space, fitted.theta, fitted.active, SHORT)
    armature = np.array([found[name]["load.inertia"] for name in SHORT])
    dry = np.array([found[name]["actuator.friction.coulomb"] for name in SHORT])
    assert armature == pytest.approx(OWN, rel=0.1)
    assert dry == pytest.approx(DRY, rel=0.05)
    assert found["left_calf"]["command.lag"] == pytest.approx(0.0, abs=1e-3)


# --- a real robot


@pytest.fixture(scope="module")
def go2() -> tuple[Log, be.Rig]:
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    if not (GO2 / "first_half.npz").exists():
        pytest.skip("the log of a Go2 in the air is not there; BACKEMF_DATA names its folder")
    log = be.read_log(GO2 / "first_half.npz", {"position": "dof_pos", "position_command": "des_dof_pos"})
    log = Log.from_arrays(log.time, {n: log[n] for n in ("position", "position_command")}, joints=LEGS)
    model = RobotModel(model=str(GO2 / "go2.xml"), joints=tuple(f"{name}_joint" for name in LEGS))
    return log, be.Rig(load=model, firmware=PD)


def go2_bench(log: Log, rig: be.Rig) -> Any:
    """Each joint with the catalogue's armature, and with friction, spring and slope over angle about mid-range."""
    made = []
    for k, name in enumerate(LEGS):
        position = log.joint(name)["position"]
        middle = float(0.5 * (position.max() + position.min()))
        drive = drive_of_joint(be.Actuator(controller=PD), float(ARMATURES[k]), coulomb=0.2, viscous=0.05)
        assert drive.motor is not None
        motor = replace(drive.motor, friction_over_angle=FrictionOverAngle(per_angle=0.0, angle=middle))
        spring = JointSpring(stiffness=0.0, rest_angle=middle)
        made.append(bench_of(replace(drive, motor=motor, spring=spring), rig, log.joint(name)))
    return stack(made)


MECHANICS = [
    Parameter("lag", ("command.lag",), 0.003, positive=False),
    Parameter("armature", ("actuator.motor.rotor.inertia",), 0.3),
    Parameter("coulomb", ("actuator.motor.friction.coulomb",), 1.0),
    Parameter("viscous", ("actuator.motor.friction.viscous",), 1.0),
    Parameter("gain", ("actuator.controller.stiffness", "actuator.controller.damping"), 0.1),
]
ASSEMBLY = [
    Parameter("bias", ("sensors.position.bias",), 0.02, positive=False),
    Parameter("angle", ("actuator.motor.friction_over_angle.per_angle",), 0.5, positive=False),
    Parameter("offset", ("actuator.spring.offset",), 0.1, positive=False),
]


def test_a_go2_in_the_air_is_predicted_within_4_mrad(go2: tuple[Log, be.Rig]):
    """Fitted to the first 60 % of the rows; the armature stays within a factor of 3 of the catalogue's."""
    log, rig = go2
    first, _ = log.split(0.6)
    bench = go2_bench(first, rig)
    fitted = fit(first, rig, bench, [MECHANICS, ASSEMBLY], dt=1e-3)
    trials = make_trials([log], rig, bench.actuator, dt=1e-3)
    predictor = Predictor(bench, trials, fitted.space.names)
    values = fitted.space.values(fitted.theta, fitted.active)
    errors = 1e3 * np.abs(predictor.predict(values[:, None])[0][0] - log["position"].T)[:, len(first.time) :]
    # 2.2 mrad are seen: hips 2.0, thighs 1.5, calves 3.1
    assert errors.mean() <= 4.0 and errors[2::3].mean() <= 5.0
    armature = values[fitted.space.names.index("actuator.motor.rotor.inertia")]
    assert (np.abs(np.log(armature / ARMATURES)) < np.log(3.0)).all()
    assert abs(values[fitted.space.names.index("command.lag")]).max() < 0.01
    # what is fitted is what helps: the controller alone is ten times as far off
    ideal = Predictor(smooth_ideal(log, rig), trials, ("load.inertia",)).predict(np.full((1, 1, 12), 0.01))[0][0]
    assert 1e3 * np.abs(ideal - log["position"].T)[:, len(first.time) :].mean() > 5.0 * errors.mean()


# --- all of it by one call


FREE = ("controller.gain", "rotor.inertia", "friction.coulomb", "friction.viscous")


@pytest.fixture(scope="module")
def fitted_legs(robot: tuple[Log, be.Rig]) -> be.Fit:
    """The simulated legs through the front door: armatures that are off by 1.6, and no friction given."""
    log, rig = robot
    prior = {f".*_{kind}": be.drive_of_joint(be.Actuator(controller=PD), 1.6 * own)
             for kind, own in zip(("thigh", "calf"), OWN[:2], strict=True)}  # fmt: skip
    return be.identify(log, prior, rig=rig, free=FREE, hold_out=0.3)


def test_legs_are_found_by_one_call(fitted_legs: be.Fit):
    """Armature of each kind, dry friction of each joint, and gains that the log was made with."""
    assert isinstance(fitted_legs.actuator, be.ActuatorSet)
    drives = [fitted_legs.actuator[name] for name in SHORT]
    assert np.array([each.motor.armature for each in drives]) == pytest.approx(OWN, rel=0.12)
    assert np.array([each.motor.friction.coulomb for each in drives]) == pytest.approx(DRY, rel=0.1)
    assert np.array([each.controller.stiffness for each in drives]) == pytest.approx(20.0, rel=0.03)
    assert fitted_legs.error("position") < 1e-3


def test_parameters_are_named_by_kind_and_joint(fitted_legs: be.Fit):
    """What a joint has is said as a whole: its kind's deviation and its own; the interval holds the truth."""
    found = {each.name: each for each in fitted_legs.parameters}
    assert {"motor.rotor.inertia@thigh", "motor.friction.coulomb@calf", "motor.friction.coulomb@left_calf"} <= set(
        found
    )
    for name, truth in zip(SHORT, DRY, strict=True):
        each = found[f"motor.friction.coulomb@{name}"]
        assert each.value == fitted_legs.actuator[name].motor.friction.coulomb
        assert each.low < 1.1 * truth and each.high > 0.9 * truth
    assert {rung.name for rung in fitted_legs.rungs if rung.kept} >= {"friction of each joint"}


def test_all_joints_are_predicted_at_once(robot: tuple[Log, be.Rig], fitted_legs: be.Fit):
    """The error of the prediction is the one that the fit reports, joint by joint."""
    log, _ = robot
    seen = fitted_legs.predict(log)
    assert seen.joints == log.joints and seen["position"].shape == log["position"].shape
    late = log.time - log.time[0] >= 0.7 * log.duration
    errors = np.abs(seen["position"] - log["position"])[late].mean(axis=0)
    reported = {error.joint: error.mean_absolute for error in fitted_legs.errors if error.held_out}
    assert [reported[name] for name in SHORT] == pytest.approx(errors, rel=0.01)
    with pytest.raises(be.ParameterError, match="joint 'left_ankle' has no drive"):
        fitted_legs._drive.of("left_ankle")


def test_each_joint_has_its_motor_file(fitted_legs: be.Fit, tmp_path: Path):
    """A folder of files, each with what moved this joint; one file cannot hold them."""
    folder = fitted_legs.save(tmp_path / "legs")
    assert be.load(folder / "left_calf.toml") == fitted_legs.actuator["left_calf"]
    text = (folder / "left_calf.toml").read_text()
    assert "friction.coulomb@left_calf" in text and "@right_calf" not in text and "@thigh" not in text
    with pytest.raises(be.ParameterError, match="give a folder"):
        fitted_legs.save(tmp_path / "legs.toml")


def test_draws_of_a_robot_go_along_its_first_axis(fitted_legs: be.Fit):
    """Kind and joint together scatter as the interval of the joint says."""
    draws = np.asarray(fitted_legs.samples(3000)["left_calf"].motor.friction.coulomb)
    assert draws.shape == (3000, 1)
    each = {it.name: it for it in fitted_legs.parameters}["motor.friction.coulomb@left_calf"]
    assert np.log(draws).std() == pytest.approx(np.log(each.high / each.low) / (2 * 1.96), rel=0.1)


def test_what_a_joint_does_not_tell_is_said_of_the_joint():
    """Only one joint's second number is blind: kind up and joints down is no direction of its own."""
    parameters = [each for name in ("a", "b") for each in joint_parameters(Parameter(name, (name,), 1.0), SHORT[::2])]
    lanes, names = SHORT[::2], ("a", "b")
    mask = np.array([[each.joint in (joint, kind_of(joint)) for joint in lanes] for each in parameters])
    places = tuple((names.index(each.targets[0]),) for each in parameters)
    space = Space(tuple(parameters), names, np.ones((2, 2)), mask, places)
    active = np.ones(len(parameters), dtype=bool)
    ways = np.moveaxis(space.tangents(np.zeros(len(parameters)), active), 2, 0)
    seen = np.array([[100.0, 100.0], [100.0, 1e-3]])
    curve = np.stack([way @ np.diag(row) @ way.T for way, row in zip(ways, seen, strict=True)])
    count = len(parameters)
    told = Information(count, np.tile(np.arange(count), (2, 1)), np.zeros((2, count)), curve, curve)
    (found,) = blind_joints(space, told, np.ones(2), active, lanes)
    assert [name for name, _ in found.parts] == ["b@right_thigh"]


def test_priors_of_a_robot_that_mean_nothing_are_errors(robot: tuple[Log, be.Rig]):
    """One sentence each: no joints to match, none matched, and no inertia anywhere."""
    log, rig = robot
    single = log.joint("left_calf")
    with pytest.raises(be.ParameterError, match="the logs name no joints"):
        be.identify(single, {".*": be.Actuator(controller=PD)}, rig=be.Rig(Inertia(1.0), firmware=PD))
    with pytest.raises(be.ParameterError, match="matches no joint"):
        be.identify(log, {".*_hip": be.Actuator(controller=PD)}, rig=rig)
    path = Path(rig.load.build({}, "").model)
    bare = path.with_name("bare.xml")
    bare.write_text(path.read_text().replace('armature="0.02"', ""))
    with pytest.raises(be.ParameterError, match="has no inertia, and neither has the robot's model"):
        be.identify(log, be.Actuator(controller=PD), rig=be.Rig(RobotModel(model=str(bare)), firmware=PD))


@pytest.mark.long
def test_a_go2_is_identified_by_one_call(go2: tuple[Log, be.Rig]):
    """With all laws: held-out error at most 4 mrad, of which 2.1 are seen, armatures as by catalogue within 3."""
    log, rig = go2
    prior = {
        ".*_(hip|thigh)": be.drive_of_joint(be.Actuator(controller=PD), 6.33**2 * ROTOR),
        ".*_calf": be.drive_of_joint(be.Actuator(controller=PD), (6.33 * 1.917) ** 2 * ROTOR),
    }
    fit = be.identify(log, prior, rig=rig, hold_out=0.4)
    assert fit.error("position") <= 4e-3
    armature = np.array([fit.actuator[name].motor.armature for name in LEGS])
    assert (np.abs(np.log(armature / ARMATURES)) < np.log(3.0)).all()
    kept = {rung.name for rung in fit.rungs if rung.kept}
    assert {"friction of each joint", "friction over angle"} <= kept


@pytest.mark.long
def test_a_go2_from_the_catalogue_has_the_armature_of_its_model(go2: tuple[Log, be.Rig]):
    """Torque and speed limits are all that the catalogue has: 2.4 mrad are seen."""
    log, rig = go2
    prior = {".*_(hip|thigh)": "unitree-go2", ".*_calf": "unitree-go2-calf"}
    fit = be.identify(log, prior, rig=rig, hold_out=0.4, free=(*FREE, "friction_over_angle.*"))
    assert fit.error("position") <= 4e-3
    assert any("armature of the robot's model" in note for note in fit.notes)


def smooth_ideal(log: Log, rig: be.Rig) -> Any:
    made = [replace(bench_of(be.Actuator(controller=PD), rig, log.joint(name)), load=Inertia(0.01)) for name in LEGS]
    return stack(made)


# --- the fit


@dataclass(frozen=True, eq=False)
class Fitted:
    """Where a fit of all joints ended."""

    space: Space
    theta: np.ndarray
    active: np.ndarray


def fit(log: Log, rig: be.Rig, bench: Any, rungs: Sequence[Sequence[Parameter]], dt: float) -> Fitted:
    """Groups of parameters are set free one after the other, each from the optimum of the last."""
    joints = log.joints
    groups = [[made for each in rung for made in joint_parameters(each, joints)] for rung in rungs]
    parameters = [each for group in groups for each in group]
    trials: Trials = make_trials([log], rig, bench.actuator, dt=dt)
    space = joint_space(Space.over(parameters, bench, trials.lanes, trials.joints), trials.joints)
    problem = Problem(
        Predictor(bench, trials, space.names), space, make_blocks(trials), Scales(np.array([0.01]), np.array([0.02]))
    )
    theta, active, weights = space.starts[None], np.zeros(len(parameters), dtype=bool), np.ones((1, trials.lanes))
    done = 0
    for group in groups:
        done += len(group)
        active[:done] = True
        for _ in range(2):
            theta = solve(problem, theta, active, weights, steps=12).theta
            problem.scales = measure_scales(
                problem, problem.residuals(theta, active), np.array([1e-4]), np.ones(problem.blocks.count)
            )
    return Fitted(space, theta[0], active)
