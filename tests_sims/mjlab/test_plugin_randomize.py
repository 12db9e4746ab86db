"""mjlab's domain randomisation on our motors: what it sets acts, and what could not act is refused."""

import motors
import pytest
import rig
import torch
from mjlab.envs.mdp import dr
from mjlab.managers import EventTermCfg, SceneEntityCfg

import backemf as be
from backemf.sims.mjlab import MotorActuatorCfg

ALL = (".*",)


def pushing(controller, limits, event, eager: bool = False, decimation: int = 1) -> rig.ManagerBasedRlEnv:
    """An environment with motors under an event at start-up, reset and asked for joint position 1."""
    actuator = be.Actuator(controller=controller, limits=limits)
    env = rig.environment(
        MotorActuatorCfg(target_names_expr=ALL, actuator=actuator, eager=eager),
        envs=3,
        decimation=decimation,
        events={"random": event},
    )
    env.reset()
    env.step(torch.full((3, 12), 1.0))
    return env


def startup(function, **params) -> EventTermCfg:
    return EventTermCfg(
        func=function, mode="startup", params={**params, "asset_cfg": SceneEntityCfg("robot", actuator_names=ALL)}
    )


def joint_torque(env: rig.ManagerBasedRlEnv) -> torch.Tensor:
    """Torque at the joints in the last step [N·m]."""
    robot = env.scene["robot"]
    return robot.data.qfrc_actuator[:, robot.indexing.joint_v_adr]


@pytest.mark.parametrize("eager", [False, True])
@pytest.mark.parametrize("factor", [0.5, 3.0])
def test_effort_limits_act_up_and_down(factor, eager):
    """A limit of 5 N·m times a factor is the torque at the joint, which in mjlab it is only downwards."""
    event = startup(dr.effort_limits, effort_limit_range=(factor, factor))
    env = pushing(be.IdealPd(stiffness=400.0), (be.EffortLimit(effort_limit=5.0),), event, eager)
    torch.testing.assert_close(joint_torque(env), torch.full((3, 12), 5.0 * factor))


@pytest.mark.parametrize("eager", [False, True])
def test_gains_act_per_environment_and_joint(eager):
    """The torque of the first step is the drawn stiffness times the error of 1 rad."""
    event = startup(dr.pd_gains, kp_range=(0.5, 2.0), kd_range=(0.5, 2.0))
    env = pushing(be.IdealPd(stiffness=10.0, damping=0.1), (), event, eager)
    actuator = env.scene["robot"].actuators[0]
    torch.testing.assert_close(joint_torque(env), actuator.stiffness)
    assert actuator.stiffness.min() < 8.0 and actuator.stiffness.max() > 12.0
    # a second time, while running: the compiled step sees the new gains
    actuator.set_gains(torch.tensor([1]), kp=torch.full((1, 12), 3.0), kd=torch.zeros(1, 12))
    robot = env.scene["robot"]
    before, speed = robot.data.joint_pos.clone(), robot.data.joint_vel.clone()
    env.step(torch.full((3, 12), 1.0))
    expected = actuator.stiffness * (1.0 - before) - actuator.damping * speed
    torch.testing.assert_close(joint_torque(env), expected)
    torch.testing.assert_close(joint_torque(env)[1], 3.0 * (1.0 - before[1]))


def test_gains_of_a_controller_in_volts_are_in_volts():
    """Stiffness and damping of a `PositionPid` are its kp and kd, and scaling them scales the voltage."""
    # explicit, so that the voltage is that of the start
    config = MotorActuatorCfg(target_names_expr=ALL, actuator=motors.thigh(), eager=True, implicit=False)
    built = rig.build(config, joint="")
    actuator = built.robot.actuators[0]
    assert (actuator.stiffness == 60.0).all()
    assert (actuator.default_damping == 0.8).all()
    actuator.set_gains(torch.arange(4), kp=torch.full((4, 12), 30.0))
    built.robot.set_joint_position_target(torch.full((4, 12), 0.2))
    built.step()
    torch.testing.assert_close(actuator.reading("voltage"), torch.full((4, 12), 30.0 * 0.2))


def test_gains_that_a_controller_has_not_are_refused():
    """A torque controller has none."""
    event = startup(dr.pd_gains, kp_range=(0.5, 2.0), kd_range=(0.5, 2.0))
    with pytest.raises(be.ParameterError, match="Torque has no gains kp and kd"):
        pushing(be.Torque(), (), event, eager=True)


def test_an_effort_limit_that_is_not_there_is_refused():
    """Without a limit there is nothing to scale."""
    event = startup(dr.effort_limits, effort_limit_range=(0.5, 2.0))
    with pytest.raises(be.ParameterError, match="this actuator has no effort limit; give it one"):
        pushing(be.IdealPd(stiffness=10.0), (), event, eager=True)


def test_an_effort_limit_that_another_limit_hides_is_refused():
    """A limit raised above what a knee curve allows would not act."""
    event = startup(dr.effort_limits, effort_limit_range=(3.0, 3.0))
    knee = be.KneeCurve(driving_effort=8.0, braking_effort=9.0, knee_speed=5.0, no_load_speed=10.0)
    with pytest.raises(be.ParameterError, match=r"would not act above 9 N·m"):
        pushing(be.IdealPd(stiffness=10.0), (be.EffortLimit(effort_limit=5.0), knee), event, eager=True)
