"""Telemetry of our motors in mjlab's managers."""

import motors
import pytest
import rig
import torch
from mjlab.actuator import IdealPdActuatorCfg
from mjlab.envs import mdp as their_mdp
from mjlab.managers import ObservationTermCfg, RewardTermCfg, SceneEntityCfg

import backemf as be
from backemf.sims.mjlab import MotorActuatorCfg, mdp

ALL = (".*",)


def robot(joints: tuple[str, ...] = ALL) -> SceneEntityCfg:
    return SceneEntityCfg("robot", joint_names=joints)


def holding(**changes) -> rig.ManagerBasedRlEnv:
    """A robot whose motors hold its legs out sideways, with what they take observed and rewarded."""
    observations = {
        name: ObservationTermCfg(func=getattr(mdp, name), params={"asset_cfg": robot()})
        for name in ("electrical_power", "current", "winding_temperature", "electrical_energy")
    }
    rewards = {
        "ours": RewardTermCfg(func=mdp.electrical_power_cost, weight=1.0, params={"asset_cfg": robot()}),
        "theirs": RewardTermCfg(func=their_mdp.electrical_power_cost, weight=1.0, params={"asset_cfg": robot()}),
    }
    actuator = be.Actuator(
        motors.quasi_direct(), be.Supply(voltage=24.0), controller=be.IdealPd(stiffness=80.0, damping=3.0)
    )
    config = MotorActuatorCfg(target_names_expr=ALL, actuator=actuator, eager=True)
    return rig.environment(config, joint="", observations=observations, rewards=rewards, envs=2, **changes)


def reward(env: rig.ManagerBasedRlEnv, name: str) -> torch.Tensor:
    """A reward term's last value, before weight and step."""
    terms = env.reward_manager.active_terms
    return env.reward_manager._step_reward[:, terms.index(name)]


def test_observations_read_the_motors():
    """Each term is the output of its motors, in the order of the joints."""
    env = holding()
    env.reset()
    for _ in range(20):
        observed = env.step(torch.full((2, 12), 1.2))[0]["actor"]
    actuator = env.scene["robot"].actuators[0]
    for name in ("electrical_power", "current", "winding_temperature", "electrical_energy"):
        assert torch.equal(observed[name], actuator.reading(name))
    assert (observed["winding_temperature"] > 25.0).all()


def test_holding_a_load_costs_electrical_power():
    """At rest under load all power is heat, R·i²; mjlab's own term sees none of it."""
    env = holding()
    env.reset()
    for _ in range(150):
        env.step(torch.full((2, 12), 1.2))
    actuator = env.scene["robot"].actuators[0]
    ohms = 0.2 * (1.0 + 0.00393 * (actuator.reading("winding_temperature") - 25.0))
    heat = (ohms * actuator.reading("current") ** 2).sum(dim=1)
    assert heat.min() > 0.05
    torch.testing.assert_close(reward(env, "ours"), heat, rtol=0.02, atol=1e-3)
    assert reward(env, "theirs").abs().max() < 0.02 * heat.min()


def test_the_cost_is_the_mean_over_all_physics_steps():
    """Costs times the step add up to the energy since the reset, and start again with an episode."""
    env = holding(episode=0.4)
    env.reset()
    actuator, total = env.scene["robot"].actuators[0], torch.zeros(2)
    for step in range(49):
        env.step(torch.full((2, 12), 0.8 if step % 2 else -0.8))
        total += env.step_dt * reward(env, "ours")
    torch.testing.assert_close(total, actuator.reading("electrical_energy").sum(dim=1), rtol=1e-4, atol=1e-4)
    env.step(torch.zeros(2, 12))
    # the fiftieth step ended the episode
    assert torch.equal(actuator.reading("electrical_energy"), torch.zeros(2, 12))
    env.step(torch.zeros(2, 12))
    torch.testing.assert_close(
        env.step_dt * reward(env, "ours"), actuator.reading("electrical_energy").sum(dim=1), rtol=1e-4, atol=1e-6
    )


def test_joints_without_a_motor_are_named():
    """Telemetry of joints that mjlab's own actuators drive is one sentence that says which."""
    env = rig.environment(
        MotorActuatorCfg(target_names_expr=(".*_knee",), actuator=motors.knee(), eager=True),
        IdealPdActuatorCfg(target_names_expr=(".*_hip", ".*_thigh"), stiffness=10.0, damping=1.0),
        joint="",
    )
    with pytest.raises(be.ParameterError, match="no MotorActuatorCfg drives fl_hip, fl_thigh, fr_hip"):
        mdp.current(env)
    knees = SceneEntityCfg("robot", joint_names=(".*_knee",))
    knees.resolve(env.scene)
    assert mdp.current(env, knees).shape == (4, 4)


def test_telemetry_may_be_narrowed():
    """Only the outputs that are named are there; others say what to do."""
    config = MotorActuatorCfg(target_names_expr=ALL, actuator=motors.knee(), telemetry=("current",), eager=True)
    actuator = rig.build(config, joint="").robot.actuators[0]
    assert actuator.reading("current").shape == (4, 12)
    with pytest.raises(be.ParameterError, match=r"name it in MotorActuatorCfg\.telemetry"):
        actuator.reading("copper_power")
    with pytest.raises(be.ParameterError, match="there is no such output"):
        rig.build(
            MotorActuatorCfg(target_names_expr=ALL, actuator=motors.knee(), eager=True), joint=""
        ).robot.actuators[0].reading("amperes")


def test_without_a_motor_there_is_no_current():
    """An ideal actuator has torque and mechanical power, and says that it has no more."""
    actuator = be.Actuator(controller=be.IdealPd(stiffness=10.0))
    built = rig.build(MotorActuatorCfg(target_names_expr=ALL, actuator=actuator, eager=True))
    assert torch.equal(built.robot.actuators[0].reading("mechanical_power"), torch.zeros(4, 12))
    with pytest.raises(be.ParameterError, match="this actuator has no motor, which would give it"):
        built.robot.actuators[0].reading("current")


def test_rollouts_in_inference_mode_and_resets_outside_it():
    """Training libraries step in inference mode and reset outside it; nothing of ours is written in place."""
    env = holding(episode=0.1)
    env.reset()
    for _ in range(2):
        with torch.inference_mode():
            for _ in range(15):
                env.step(torch.full((2, 12), 0.5))
        env.reset(env_ids=torch.tensor([1]))
        env.scene["robot"].actuators[0].set_gains(torch.tensor([0]), kp=torch.full((1, 12), 50.0))
        env.step(torch.full((2, 12), 0.5))
    assert torch.isfinite(reward(env, "ours")).all()
