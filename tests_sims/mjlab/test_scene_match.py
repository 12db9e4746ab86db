"""Real scenes of mjlab, stepped with its own actuators, and their torques from our laws and the recorded motion."""

import pytest
import rig
import torch
from laws import delay, law
from mjlab.actuator import DcMotorActuatorCfg, IdealPdActuatorCfg

from backemf.sims.mjlab import DcMotor, DelayBuffer, IdealPd

ENVS, STEPS = 6, 300
GAINS = {"stiffness": 40.0, "damping": 1.2}
LIMITS = {"effort_limit": 12.0, "saturation_effort": 20.0, "velocity_limit": 9.0}


def record(built: rig.Rig, resets: dict[int, list[int]] | None = None, reach: float = 0.8):
    """Step the scene under random targets; for each step the targets, motion, controls and torques of the joints."""
    for step, position_target in enumerate(rig.targets(ENVS, STEPS, seed=3, reach=reach)):
        if resets and step in resets:
            built.reset(torch.tensor(resets[step]))
        velocity_target, effort_target = 0.5 * position_target.flip(0), 2.0 * position_target.flip(1)
        built.robot.set_joint_position_target(position_target)
        built.robot.set_joint_velocity_target(velocity_target)
        built.robot.set_joint_effort_target(effort_target)
        motion = built.robot.data.joint_pos.clone(), built.robot.data.joint_vel.clone()
        built.step()
        yield step, (position_target, velocity_target, effort_target), motion, built.controls(), built.forces()


def test_dc_motor_torques_follow_from_the_motion():
    """300 steps of a robot on `DcMotorActuatorCfg`: every control is ours, and is the torque at the joint."""
    built = rig.build(DcMotorActuatorCfg(target_names_expr=(".*",), **GAINS, **LIMITS), envs=ENVS)
    motor = DcMotor(**GAINS, **LIMITS)
    clipped, errors = 0, []
    for _, target, motion, control, force in record(built, resets={120: [1, 4]}):
        ours = law.dc_motor_torque(motor, *target, *motion)
        errors += [rig.worst(ours, control), rig.worst(law.motor_force(ours, motor.effort_limit), force)]
        clipped += int((ours != law.pd_torque(motor, *target, *motion)).sum())
    assert max(errors) < 1e-5
    assert 1000 < clipped < ENVS * STEPS * 12 - 1000
    assert built.robot.data.joint_vel.abs().max() > 1.0


def test_pd_torques_of_three_groups_follow_from_the_motion():
    """Three groups with gains of their own, which mjlab fuses into one computation, are told apart by ours."""
    groups = {
        "hip": IdealPd(stiffness=60.0, damping=2.0, effort_limit=15.0),
        "thigh": IdealPd(stiffness=30.0, damping=0.5, effort_limit=5.0),
        "knee": IdealPd(stiffness=10.0, damping=0.1, effort_limit=30.0),
    }
    configs = [
        IdealPdActuatorCfg(
            target_names_expr=(f".*_{name}",),
            stiffness=pd.stiffness,
            damping=pd.damping,
            effort_limit=pd.effort_limit,
        )
        for name, pd in groups.items()
    ]
    built = rig.build(*configs, envs=ENVS)
    errors = []
    for _, target, motion, control, _ in record(built):
        for name, pd in groups.items():
            joints = [index for index, joint in enumerate(rig.JOINTS) if joint.endswith(name)]
            ours = law.ideal_pd_torque(pd, *(x[:, joints] for x in target), *(x[:, joints] for x in motion))
            errors.append(rig.worst(ours, control[:, joints]))
    assert max(errors) < 1e-5


@pytest.mark.parametrize("period", [0, 6])
def test_a_delayed_run_is_reproduced_from_its_seed(period):
    """Two groups of motors behind one random delay, with partial resets: the whole run follows from the seed.

    mjlab draws phases once for each group, once more for the buffer that they share, and at a reset once for each.
    """
    config = DelayBuffer(min_lag=1, max_lag=5, hold_prob=0.3, update_period=period)
    fields = {
        "delay_min_lag": config.min_lag,
        "delay_max_lag": config.max_lag,
        "delay_hold_prob": config.hold_prob,
        "delay_update_period": config.update_period,
    }
    resets = {90: [0, 2, 3], 91: [3], 200: [5]}
    torch.manual_seed(17)
    built = rig.build(
        DcMotorActuatorCfg(target_names_expr=(".*_hip",), **GAINS, **LIMITS, **fields),
        DcMotorActuatorCfg(target_names_expr=(".*_thigh", ".*_knee"), **GAINS, **LIMITS, **fields),
        envs=ENVS,
    )
    steps = list(record(built, resets))

    torch.manual_seed(17)
    motor = DcMotor(**GAINS, **LIMITS)
    phases = [delay.draw_phase(config, ENVS) for _ in range(3)]
    state = delay.initial_lags(config, phases[-1], torch.zeros(ENVS, 12, 3))
    errors = []
    for step, target, motion, control, _ in steps:
        if step in resets:
            mask = torch.zeros(ENVS, dtype=torch.bool)
            mask[resets[step]] = True
            phases = [delay.draw_phase(config, ENVS) for _ in range(2)]
            state = delay.reset_lags(config, state, mask, phases[-1])
        command = torch.stack(target, dim=-1)
        state, arrived = delay.delay_step(config, state, command, delay.draw_step(config, ENVS))
        ours = law.dc_motor_torque(motor, *arrived.unbind(-1), *motion)
        errors.append(rig.worst(ours, control))
    assert max(errors) < 1e-5
