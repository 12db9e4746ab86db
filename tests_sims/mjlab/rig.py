"""A small robot in real mjlab, on the CPU: four legs of three joints, hanging from a fixed base."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import mujoco
import torch
from mjlab.entity import Entity, EntityArticulationInfoCfg, EntityCfg
from mjlab.envs import ManagerBasedRlEnv, ManagerBasedRlEnvCfg, mdp
from mjlab.envs.mdp.actions import JointPositionActionCfg
from mjlab.managers import EventTermCfg, ObservationGroupCfg, ObservationTermCfg, TerminationTermCfg
from mjlab.scene import Scene, SceneCfg
from mjlab.sim import MujocoCfg, Simulation, SimulationCfg

JOINTS = tuple(f"{leg}_{joint}" for leg in ("fl", "fr", "hl", "hr") for joint in ("hip", "thigh", "knee"))
"""Names of the twelve joints, in the order of the model."""
TIMESTEP = 0.002
"""Physics step [s]."""


def leg(name: str, x: float, y: float, joint: str) -> str:
    """One leg: hip (roll), thigh and knee (pitch)."""
    return f"""
    <body name="{name}_hip" pos="{x} {y} 0">
      <joint name="{name}_hip" axis="1 0 0" {joint}/>
      <geom type="capsule" fromto="0 0 0 0 {y / 2} 0" size="0.03" mass="0.6"/>
      <body name="{name}_thigh" pos="0 {y / 2} 0">
        <joint name="{name}_thigh" axis="0 1 0" {joint}/>
        <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02" mass="0.9"/>
        <body name="{name}_knee" pos="0 0 -0.2">
          <joint name="{name}_knee" axis="0 1 0" {joint}/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.2" size="0.015" mass="0.3"/>
        </body>
      </body>
    </body>"""


def robot_xml(joint: str = 'armature="0.01"', more: str = "", base: str = "") -> str:
    """The robot; `joint` holds attributes of every joint, `more` is XML beside the bodies, `base` XML of the trunk."""
    legs = [
        leg(n, x, y, joint) for n, x, y in (("fl", 0.2, 0.1), ("fr", 0.2, -0.1), ("hl", -0.2, 0.1), ("hr", -0.2, -0.1))
    ]
    return f"""
    <mujoco model="hanging">
      <default><geom contype="0" conaffinity="0"/></default>
      <worldbody>
        <body name="trunk" pos="0 0 1">{base}
          <geom type="box" size="0.25 0.08 0.05" mass="6"/>{"".join(legs)}
        </body>
      </worldbody>{more}
    </mujoco>"""


@dataclass
class Rig:
    """A scene that has been built, and its parts."""

    scene: Scene
    sim: Simulation

    @property
    def robot(self) -> Entity:
        return self.scene["robot"]

    def step(self) -> None:
        """One physics step, in the order of mjlab's own environments."""
        self.scene.write_data_to_sim()
        self.sim.step()
        self.scene.update(dt=TIMESTEP)

    def reset(self, env_ids: torch.Tensor) -> None:
        """Environments back at their start, in the order of mjlab's own environments."""
        self.sim.reset(env_ids)
        self.scene.reset(env_ids)

    def forces(self) -> torch.Tensor:
        """Torque that each joint got from its actuator in the last step (environment, joint) [N·m]."""
        return self.robot.data.qfrc_actuator[:, self.robot.indexing.joint_v_adr].clone()

    def controls(self) -> torch.Tensor:
        """What the actuators wrote, in the order of the joints (environment, joint) [N·m]."""
        control = torch.empty(self.sim.num_envs, len(JOINTS))
        for actuator in self.robot.actuators:
            control[:, actuator.target_ids] = self.sim.data.ctrl[:, actuator.global_ctrl_ids]
        return control


def robot_cfg(actuators: tuple, joint: str = 'armature="0.01"', more: str = "", sort: bool = False) -> EntityCfg:
    """The robot with these actuator configs; `sort`: mjlab puts them in the order of the joints."""
    return EntityCfg(
        spec_fn=lambda: mujoco.MjSpec.from_string(robot_xml(joint, more)),
        articulation=EntityArticulationInfoCfg(actuators=actuators),
        sort_actuators=sort,
    )


def sim_cfg() -> SimulationCfg:
    """Few contacts and constraints: the robot hangs free."""
    return SimulationCfg(nconmax=8, njmax=64, mujoco=MujocoCfg(timestep=TIMESTEP))


def build(
    *actuators,
    envs: int = 4,
    joint: str = 'armature="0.01"',
    fields: tuple[str, ...] = (),
    more: str = "",
    device: str = "cpu",
) -> Rig:
    """A scene with the robot in `envs` environments; `fields` of the model are given a copy per environment."""
    scene = Scene(SceneCfg(num_envs=envs, entities={"robot": robot_cfg(actuators, joint, more)}), device=device)
    sim = Simulation(num_envs=envs, cfg=sim_cfg(), spec=scene.spec, device=device)
    scene.initialize(mj_model=sim.mj_model, model=sim.model, data=sim.data)
    sim.expand_model_fields(fields)
    return Rig(scene, sim)


def environment(
    *actuators,
    envs: int = 4,
    decimation: int = 4,
    joint: str = 'armature="0.01"',
    observations: dict | None = None,
    rewards: dict | None = None,
    events: dict | None = None,
    episode: float = 0.0,
) -> ManagerBasedRlEnv:
    """mjlab's whole environment around the robot, whose actions are position targets; `episode` 0: it never ends."""
    terms = {"joint_vel": ObservationTermCfg(func=mdp.joint_vel_rel), **(observations or {})}
    ends = {"time_out": TerminationTermCfg(func=mdp.time_out, time_out=True)} if episode else {}
    cfg = ManagerBasedRlEnvCfg(
        decimation=decimation,
        scene=SceneCfg(num_envs=envs, entities={"robot": robot_cfg(actuators, joint)}),
        sim=sim_cfg(),
        seed=0,
        episode_length_s=episode,
        observations={"actor": ObservationGroupCfg(terms=terms, concatenate_terms=False)},
        actions={"joint_pos": JointPositionActionCfg(entity_name="robot", actuator_names=(".*",))},
        rewards=rewards or {},
        terminations=ends,
        events={**start_at_rest(), **(events or {})},
    )
    return ManagerBasedRlEnv(cfg, device="cpu")


def start_at_rest() -> dict[str, EventTermCfg]:
    """What every episode of mjlab's environments begins with."""
    return {"reset_scene_to_default": EventTermCfg(func=mdp.reset_scene_to_default, mode="reset")}


def targets(envs: int, steps: int, seed: int, reach: float = 0.8) -> Iterator[torch.Tensor]:
    """Position targets as a policy gives them, held for ten physics steps each (environment, joint) [rad]."""
    draw = torch.Generator().manual_seed(seed)
    for step in range(steps):
        if step % 10 == 0:
            target = reach * (2.0 * torch.rand(envs, len(JOINTS), generator=draw) - 1.0)
        yield target


def worst(ours: torch.Tensor, theirs: torch.Tensor) -> float:
    """Largest difference, relative to the largest value [1]."""
    return float((ours - theirs).abs().max() / theirs.abs().max().clamp_min(1e-12))
