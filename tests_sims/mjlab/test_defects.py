"""What mjlab 1.6 does that its users do not expect; when a newer one does better, these tests say so."""

import mujoco
import pytest
import rig
import torch
from laws import law
from mjlab.actuator import IdealPdActuatorCfg
from mjlab.entity import Entity, EntityArticulationInfoCfg, EntityCfg
from mjlab.envs.mdp import dr, electrical_power_cost
from mjlab.managers import EventTermCfg, RewardTermCfg, SceneEntityCfg

ALL = (".*",)


def pushing(factor: float):
    """An environment whose motors are asked for far more than their 5 N·m, with that limit multiplied by a factor."""
    limits = EventTermCfg(
        func=dr.effort_limits,
        mode="startup",
        params={"effort_limit_range": (factor, factor), "asset_cfg": SceneEntityCfg("robot", actuator_names=ALL)},
    )
    config = IdealPdActuatorCfg(target_names_expr=ALL, stiffness=400.0, damping=0.0, effort_limit=5.0)
    env = rig.environment(config, envs=2, decimation=1, events={"limits": limits})
    env.reset()
    env.step(torch.full((2, 12), 1.0))
    written = env.sim.data.ctrl[:, env.scene["robot"].indexing.ctrl_ids]
    return written, env.scene["robot"].data.qfrc_actuator[:, env.scene["robot"].indexing.joint_v_adr]


def test_a_lowered_effort_limit_takes_effect():
    """`dr.effort_limits` by 0.5 halves the torque."""
    written, force = pushing(0.5)
    assert torch.equal(written, torch.full_like(written, 2.5))
    assert torch.equal(force, written)


def test_a_raised_effort_limit_has_no_effect():
    """`dr.effort_limits` by 3 triples what the actuator writes, but MuJoCo's motor keeps its range."""
    written, force = pushing(3.0)
    assert torch.equal(written, torch.full_like(written, 15.0))
    assert torch.equal(force, torch.full_like(force, 5.0))
    assert torch.equal(law.motor_force(written, 5.0), force)


def delay_env(envs: int = 2) -> rig.ManagerBasedRlEnv:
    config = IdealPdActuatorCfg(
        target_names_expr=ALL, stiffness=10.0, damping=0.0, delay_min_lag=6, delay_max_lag=6, delay_update_period=0
    )
    return rig.environment(config, envs=envs, decimation=1)


def arriving_target(env: rig.ManagerBasedRlEnv, action: float) -> torch.Tensor:
    """Position target that acted on the first joint of each environment in one step."""
    robot = env.scene["robot"]
    before = robot.data.joint_pos[:, 0].clone()
    env.step(torch.full((env.num_envs, 12), action))
    return env.sim.data.ctrl[:, robot.indexing.ctrl_ids[0]] / 10.0 + before


def test_after_a_reset_a_delayed_robot_is_driven_to_zero():
    """Resetting writes controls once with all targets at 0, and that frame fills the delay: commands of nobody."""
    env = delay_env()
    env.reset()
    seen = torch.stack([arriving_target(env, 0.7)[0] for _ in range(12)])
    torch.testing.assert_close(seen[:5], torch.zeros(5), atol=1e-6, rtol=0.0)
    torch.testing.assert_close(seen[6:], torch.full((6,), 0.7), atol=1e-6, rtol=0.0)


def test_a_reset_elsewhere_shortens_the_delay_here():
    """Resetting environment 1 writes controls of all: the command of environment 0 arrives a step earlier."""
    arrivals = {}
    for others in (False, True):
        env = delay_env()
        env.reset()
        for _ in range(20):
            arriving_target(env, 0.0)
        seen = []
        for step in range(10):
            if others and step == 2:
                env.reset(env_ids=torch.tensor([1]))
            seen.append(float(arriving_target(env, 0.7)[0]))
        arrivals[others] = next(step for step, target in enumerate(seen) if target > 0.6)
    assert arrivals == {False: 6, True: 5}


def test_their_electrical_power_is_mechanical():
    """`electrical_power_cost` of a robot that is held up against gravity is nearly nothing, though its motors heat."""
    cost = RewardTermCfg(
        func=electrical_power_cost, weight=1.0, params={"asset_cfg": SceneEntityCfg("robot", joint_names=ALL)}
    )
    config = IdealPdActuatorCfg(target_names_expr=ALL, stiffness=80.0, damping=4.0)
    env = rig.environment(config, envs=1, rewards={"power": cost})
    env.reset()
    for _ in range(200):
        env.step(torch.full((1, 12), 1.2))
    torque = env.scene["robot"].data.qfrc_actuator.abs().max()
    power = env.reward_manager.get_active_iterable_terms(0)[0][1][0]
    assert torque > 0.3
    assert power == pytest.approx(0.0, abs=0.01)


def by_part() -> rig.ManagerBasedRlEnv:
    """Hips, thighs and knees, each with a config of its own, and a stiffness of 10."""
    parts = [
        IdealPdActuatorCfg(target_names_expr=(f".*_{part}",), stiffness=10.0, damping=0.0)
        for part in ("hip", "thigh", "knee")
    ]
    return rig.environment(*parts, envs=1)


def doubled_joints(env: rig.ManagerBasedRlEnv, **which) -> set[str]:
    """Joints whose stiffness `dr.pd_gains` doubles."""
    chosen = SceneEntityCfg("robot", **which)
    chosen.resolve(env.scene)
    dr.pd_gains(env, None, (2.0, 2.0), (1.0, 1.0), chosen)
    found = set()
    for group in env.scene["robot"].actuators:
        found |= {name for name, gain in zip(group.target_names, group.stiffness[0], strict=True) if gain == 20.0}
        group.set_gains(slice(None), kp=group.default_stiffness.clone())
    return found


def test_gains_of_actuators_by_name_are_those_of_other_groups():
    """`dr.pd_gains` takes the numbers of actuators for numbers of configs: two hips are all hips and all thighs."""
    env = by_part()
    assert doubled_joints(env, actuator_names=("fl_hip", "fr_hip")) == {x for x in rig.JOINTS if not x.endswith("knee")}
    # and there is no config number 8
    with pytest.raises(IndexError):
        doubled_joints(env, actuator_names=(".*_knee",))
    # what does work: all of them, or the number of the config
    assert doubled_joints(env, actuator_names=ALL) == set(rig.JOINTS)
    assert doubled_joints(env, actuator_ids=[2]) == {x for x in rig.JOINTS if x.endswith("knee")}


def test_a_default_class_multiplies_their_torque():
    """The gain of a `<position>` in the main default class of a robot with a free base stays in mjlab's `<motor>`."""
    xml = rig.robot_xml(more='<default><position kp="100"/></default>', base="<freejoint/>")
    config = IdealPdActuatorCfg(target_names_expr=ALL, stiffness=10.0, damping=0.0, effort_limit=5.0)
    articulation = EntityArticulationInfoCfg(actuators=(config,))
    robot = Entity(EntityCfg(spec_fn=lambda: mujoco.MjSpec.from_string(xml), articulation=articulation))
    model = robot.spec.compile()
    data = mujoco.MjData(model)
    data.ctrl[:] = 0.01
    mujoco.mj_forward(model, data)
    # 0.01 N·m that the actuator writes are 1 N·m at the joint
    assert data.qfrc_actuator[6:] == pytest.approx(1.0)
