"""Our motors inside real mjlab: the same as mjlab's own where they should be, and more than it where it has nothing."""

import dataclasses
import warnings

import motors
import pytest
import rig
import torch
from mjlab.actuator import DcMotorActuatorCfg, IdealPdActuatorCfg
from mjlab.actuator.actuator import TransmissionType

import backemf as be
from backemf.sims.mjlab import MotorActuatorCfg

ALL = (".*",)
DC = {"effort_limit": 12.0, "saturation_effort": 20.0, "velocity_limit": 9.0}


def ideal(**changes) -> be.Actuator:
    """mjlab's DC motor as an actuator of ours."""
    return be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=1.2), limits=(be.DcClip(**DC),), **changes)


def three_kinds(envs: int) -> rig.Rig:
    """The robot with a different motor on hips, thighs and knees."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rig.build(
            MotorActuatorCfg(target_names_expr=(".*_hip",), actuator=motors.hip(), eager=True),
            MotorActuatorCfg(target_names_expr=(".*_thigh",), actuator=motors.thigh(), eager=True),
            MotorActuatorCfg(target_names_expr=(".*_knee",), actuator=motors.knee(), eager=True),
            envs=envs,
        )


@pytest.mark.parametrize("eager", [False, True])
def test_as_a_dc_motor_it_moves_the_robot_as_theirs_does(eager):
    """300 steps with a partial reset: controls, positions and velocities of two scenes agree to 1e-5."""
    theirs = rig.build(DcMotorActuatorCfg(target_names_expr=ALL, stiffness=40.0, damping=1.2, **DC))
    ours = rig.build(MotorActuatorCfg(target_names_expr=ALL, actuator=ideal(), eager=eager))
    errors = []
    for step, target in enumerate(rig.targets(4, 300, seed=8)):
        for built in (theirs, ours):
            if step == 150:
                built.reset(torch.tensor([0, 3]))
            built.robot.set_joint_position_target(target)
            built.robot.set_joint_velocity_target(0.3 * target)
            built.robot.set_joint_effort_target(target.flip(1))
            built.step()
        errors.append(rig.worst(ours.controls(), theirs.controls()))
        errors.append(rig.worst(ours.robot.data.joint_pos, theirs.robot.data.joint_pos))
        errors.append(rig.worst(ours.forces(), theirs.forces()))
    assert max(errors) < 1e-5
    assert theirs.robot.data.joint_vel.abs().max() > 1.0


def test_three_kinds_of_motor_on_twelve_joints():
    """500 steps in 64 environments: all is finite, the joints follow, and the windings warm up."""
    built = three_kinds(64)
    for target in rig.targets(64, 500, seed=9, reach=0.4):
        built.robot.set_joint_position_target(target)
        built.step()
        assert torch.isfinite(built.forces()).all()
    assert torch.isfinite(built.robot.data.joint_pos).all() and torch.isfinite(built.robot.data.joint_vel).all()
    for actuator in built.robot.actuators:
        for entry in dataclasses.fields(actuator.telemetry):
            value = getattr(actuator.telemetry, entry.name)
            if value is not None:
                assert torch.isfinite(torch.as_tensor(value, dtype=torch.float32)).all(), entry.name
        assert (actuator.reading("winding_temperature") > 25.0).all()
        assert (actuator.reading("electrical_energy") > 0.0).float().mean() > 0.9
        assert actuator.reading("current").shape == (64, 4)
    # every joint was sent somewhere and is near it
    assert (built.robot.data.joint_pos - target).abs().mean() < 0.3


def test_a_compiled_motor_moves_the_robot_as_the_eager_one_does():
    """60 steps with a partial reset: torques, positions and every output agree; few parts compile fast."""
    motor = be.Motor(
        winding=be.Winding(resistance=0.2),
        magnet=be.Magnet(torque_constant=0.09, back_emf_constant=0.09),
        rotor=be.Rotor(inertia=6e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=9.0),)),
        thermal=be.Thermal(resistance=2.0, capacitance=40.0),
    )
    actuator = be.Actuator(motor, be.Supply(voltage=24.0), controller=be.IdealPd(stiffness=40.0, damping=1.0))
    compiled, eager = (
        rig.build(MotorActuatorCfg(target_names_expr=ALL, actuator=actuator, eager=each)) for each in (False, True)
    )
    for step, target in enumerate(rig.targets(4, 60, seed=12, reach=0.4)):
        for built in (compiled, eager):
            if step == 30:
                built.reset(torch.tensor([0, 3]))
            built.robot.set_joint_position_target(target)
            built.step()
        assert rig.worst(compiled.forces(), eager.forces()) < 1e-4
        assert rig.worst(compiled.robot.data.joint_pos, eager.robot.data.joint_pos) < 1e-4
    ours, theirs = (built.robot.actuators[0].telemetry for built in (compiled, eager))
    for entry in dataclasses.fields(ours):
        value, expected = getattr(ours, entry.name), getattr(theirs, entry.name)
        assert (value is None) is (expected is None), entry.name
        if isinstance(expected, torch.Tensor) and expected.is_floating_point():
            assert torch.isfinite(value).all() and rig.worst(value, expected) < 1e-3, entry.name
    assert (compiled.robot.actuators[0].reading("winding_temperature") > 25.0).all()


def test_a_reset_is_of_its_environments_only():
    """Energy, temperature and telemetry are those of the start where there was a reset, and stay elsewhere."""
    built = three_kinds(6)
    for target in rig.targets(6, 80, seed=10):
        built.robot.set_joint_position_target(target)
        built.step()
    names = ("electrical_energy", "winding_temperature", "current", "torque")
    before = {(a, name): a.reading(name).clone() for a in built.robot.actuators for name in names}
    gone, kept = torch.tensor([1, 4]), torch.tensor([0, 2, 3, 5])
    built.reset(gone)
    for (actuator, name), value in before.items():
        now = actuator.reading(name)
        assert torch.equal(now[kept], value[kept])
        assert not torch.equal(now[gone], value[gone])
        if name == "winding_temperature":
            assert torch.equal(now[gone], torch.full((2, 4), 25.0))
        else:
            assert torch.equal(now[gone], torch.zeros(2, 4))


def test_computing_controls_at_a_reset_is_no_step():
    """mjlab computes controls once more when it resets; the motors of the other environments do not move on by it."""
    steps = {}
    for resets in (0, 3):
        env = rig.environment(
            MotorActuatorCfg(target_names_expr=ALL, actuator=ideal(delay=be.Delay(steps=6)), eager=True),
            envs=2,
            decimation=1,
        )
        env.reset()
        moved = []
        for step in range(12):
            if step == 2:
                for _ in range(resets):
                    env.reset(env_ids=torch.tensor([1]))
            env.step(torch.full((2, 12), 0.3))
            moved.append(float(env.scene["robot"].actuators[0].reading("torque")[0, 0]))
        steps[resets] = next(step for step, torque in enumerate(moved) if torque > 10.0)
    assert steps == {0: 6, 3: 6}


def test_a_delayed_robot_stays_where_it_is_until_the_first_command():
    """After a reset the delay holds the joints at their place; mjlab's would send them to 0."""
    env = rig.environment(
        MotorActuatorCfg(target_names_expr=ALL, actuator=ideal(delay=be.Delay(steps=6)), eager=True),
        decimation=1,
    )
    env.reset()
    robot = env.scene["robot"]
    robot.write_joint_position_to_sim(torch.full((4, 12), 0.5))
    for _ in range(5):
        env.step(torch.full((4, 12), 0.5))
        # what acts is the pull to 0.5, not to 0, where it would be -12 N·m
        assert robot.actuators[0].reading("torque").min() > -2.0


def test_a_loop_that_never_updates_is_told_so():
    """Without `scene.update` the motors would stand still in time; that is one sentence, not a silent wrong."""
    built = rig.build(MotorActuatorCfg(target_names_expr=ALL, actuator=ideal(), eager=True))
    with pytest.raises(be.ParameterError, match=r"call scene.update\(dt\) after each sim.step\(\)"):
        for _ in range(5):
            built.scene.write_data_to_sim()
            built.sim.step()


# --- what is built into the model


def test_the_armature_is_the_motors_and_friction_is_not_doubled():
    """The joint gets N²·J; friction and damping of the XML make way for the motor's, with a warning that says so."""
    config = MotorActuatorCfg(target_names_expr=ALL, actuator=motors.knee(), eager=True)
    with pytest.warns(UserWarning, match="fl_hip armature 0.01 is now 0.008; fl_hip frictionloss 0.3 is now 0"):
        built = rig.build(config, joint='armature="0.01" frictionloss="0.3" damping="0.2"')
    model = built.sim.mj_model
    assert model.dof_armature == pytest.approx(200.0**2 * 2e-7)
    assert (model.dof_frictionloss == 0.0).all()
    assert (model.dof_damping == 0.0).all()


def test_friction_of_the_config_is_the_joints_own():
    """What the config says is kept beside the motor's friction, without a warning."""
    config = MotorActuatorCfg(
        target_names_expr=ALL, actuator=motors.knee(), frictionloss=0.1, viscous_damping=0.05, eager=True
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = rig.build(config, joint='armature="0.008" frictionloss="0.3"').sim.mj_model
    assert model.dof_frictionloss == pytest.approx(0.1)
    assert model.dof_damping == pytest.approx(0.05)


def test_without_a_motor_the_xml_stays():
    """An actuator without a motor has no inertia and no friction to bring."""
    built = rig.build(
        MotorActuatorCfg(target_names_expr=ALL, actuator=ideal(), eager=True),
        joint='armature="0.01" frictionloss="0.3" damping="0.2"',
    )
    model = built.sim.mj_model
    assert model.dof_armature == pytest.approx(0.01)
    assert model.dof_frictionloss == pytest.approx(0.3)
    assert model.dof_damping == pytest.approx(0.2)


def test_dry_friction_holds_the_legs_up():
    """Without a command's torque, Coulomb friction above the weight keeps the joints still, as it does on a bench."""
    motor = dataclasses.replace(motors.geared_motor(), friction=be.Coulomb(coulomb=0.2))
    actuator = be.Actuator(motor, controller=be.Torque())
    built = rig.build(MotorActuatorCfg(target_names_expr=ALL, actuator=actuator, armature=None, eager=True), joint="")
    built.robot.write_joint_position_to_sim(torch.full((4, 12), 0.4))
    for _ in range(500):
        built.step()
    assert (built.robot.data.joint_pos - 0.4).abs().max() < 0.02


def test_an_actuatorfrcrange_that_clips_the_motor_is_told():
    """A torque range in the XML that is narrower than the limit is a warning, and refuses a limit raised beyond it."""
    config = MotorActuatorCfg(target_names_expr=ALL, actuator=ideal(), eager=True)
    with pytest.warns(UserWarning, match="actuatorfrcrange of 12 joints in the XML ends at 7 N·m"):
        built = rig.build(config, joint='actuatorfrcrange="-7 7"')
    with pytest.raises(be.ParameterError, match="12 N·m would not take effect, since a joint's actuatorfrcrange"):
        built.robot.actuators[0].set_effort_limit(slice(None), torch.full((4, 12), 12.0))


# --- what is refused


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"delay_max_lag": 3, "delay_min_lag": 1},
            r"give the actuator the delay instead, delay=be.Delay\(steps=\(1, 3\)\)",
        ),
        ({"transmission_type": TransmissionType.SITE}, "transmission_type = 'site': a motor drives joints"),
        ({"actuator": be.Actuator(motors.servo())}, "Voltage takes a voltage, and mjlab commands positions"),
        ({"actuator": motors.knee(), "armature": 0.02}, "the motor has its own, 0.008 kg·m²"),
        ({"actuator": be.Actuator(), "stiffness": 3.0}, "Torque has no such gains"),
        ({"actuator": motors.servo()}, "MotorActuatorCfg.actuator = Motor: must be a backemf.Actuator"),
        (
            {"actuator": ideal(), "effort_limit": 5.0, "actuator_limits": True},
            "DcClip and EffortLimit both have an effort limit; keep one of them",
        ),
    ],
)
def test_what_has_no_place_is_refused(changes, sentence):
    """Each refusal is one sentence that says what to do instead."""
    values = {"actuator": ideal(), **changes}
    if values.pop("actuator_limits", False):
        limits = (*values["actuator"].limits, be.EffortLimit(effort_limit=9.0))
        values["actuator"] = dataclasses.replace(values["actuator"], limits=limits)
    with pytest.raises(be.ParameterError, match=sentence):
        MotorActuatorCfg(target_names_expr=ALL, **values)


def test_an_inertia_per_environment_is_refused():
    """Joints are built once for all environments."""
    motor = dataclasses.replace(motors.servo(), rotor=be.Rotor(inertia=torch.tensor([[1e-7], [2e-7]]).numpy()))
    actuator = be.Actuator(motor, be.Supply(voltage=12.0), controller=be.DutyServo(kp=8.0))
    with pytest.raises(be.ParameterError, match="differs between environments"):
        rig.build(MotorActuatorCfg(target_names_expr=ALL, actuator=actuator), envs=2)


def test_setting_lags_is_refused():
    """mjlab's `set_lags` on an actuator without its delay does nothing in silence; ours says what to do."""
    built = rig.build(MotorActuatorCfg(target_names_expr=ALL, actuator=ideal(), eager=True))
    with pytest.raises(be.ParameterError, match="draws its own delays"):
        built.robot.actuators[0].set_lags(torch.tensor([1]))


def test_the_config_says_what_its_actuator_is():
    """Code that scales actions by effort limit and stiffness finds them where mjlab keeps them."""
    config = MotorActuatorCfg(target_names_expr=ALL, actuator=ideal())
    assert isinstance(config, IdealPdActuatorCfg)
    assert (config.stiffness, config.damping, config.effort_limit) == (40.0, 1.2, 12.0)
    assert MotorActuatorCfg(target_names_expr=ALL, actuator=motors.thigh()).effort_limit == float("inf")
    assert dataclasses.asdict(config)["actuator"]["limits"][0]["saturation_effort"] == 20.0
