"""Actuators of 4096 robots with 12 joints beside mjlab's own classes, in one process on one core, float32.

python benchmarks/mjlab_actuators.py [--json FILE] [--docs PAGE]

Needs mjlab 1.6 beside backemf, as `make test-sims` installs it. Each call is one step: a command, a joint position and
a joint velocity go in, torques come out, and the state is handed on in place.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

# one core, said before any library starts its threads
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"

import mujoco
import torch
from mjlab.actuator import DcMotorActuator, DcMotorActuatorCfg
from mjlab.actuator.actuator import ActuatorCmd
from mjlab.entity import EntityArticulationInfoCfg, EntityCfg
from mjlab.scene import Scene, SceneCfg
from mjlab.sim import MujocoCfg, Simulation, SimulationCfg
from rich.console import Console

import backemf as be
from backemf.sims.mjlab import MotorActuatorCfg

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report, shortest
from full_motor import full_motor

SHAPE = (4096, 12)
COUNT = SHAPE[0] * SHAPE[1]
STIFFNESS, DAMPING = 80.0, 10.0
CLIP = {"saturation_effort": 50.0, "velocity_limit": 30.0, "effort_limit": 25.0}
LAGS = (2, 5)
DT = 2e-3


def rows() -> list[torch.Tensor]:
    """Position, velocity and effort targets, joint positions and velocities."""
    torch.manual_seed(0)
    return [torch.randn(SHAPE) * scale for scale in (0.5, 1.0, 1.0, 0.5, 10.0)]


def mjlabs(delay: bool):
    """A call of mjlab's DC motor, with its delay where that is asked for."""
    lags = {"delay_min_lag": LAGS[0], "delay_max_lag": LAGS[1]} if delay else {}
    cfg = DcMotorActuatorCfg(target_names_expr=(".*",), stiffness=STIFFNESS, damping=DAMPING, **CLIP, **lags)
    actuator = DcMotorActuator(cfg, None, list(range(SHAPE[1])), [])
    # what `initialize` makes once there is a scene
    for name, value in (("stiffness", STIFFNESS), ("damping", DAMPING), ("force_limit", CLIP["effort_limit"])):
        setattr(actuator, name, torch.full(SHAPE, value))
    actuator.saturation_effort = torch.full(SHAPE, CLIP["saturation_effort"])
    actuator.velocity_limit_motor = torch.full(SHAPE, CLIP["velocity_limit"])
    actuator._init_delay_buffer(SHAPE[0], "cpu")
    position, velocity, effort, q, v = rows()
    command = ActuatorCmd(position_target=position, velocity_target=velocity, effort_target=effort, pos=q, vel=v)
    return lambda: actuator.compute(actuator.apply_delay(command))


def ours(actuator: be.Actuator, engine: str, telemetry: tuple[str, ...] | None):
    """A call of our step, with the state handed on in place."""
    step = actuator.compile(engine, in_place=True, telemetry=telemetry)
    state = step.initial(SHAPE)
    given = rows()
    if engine == "jax":
        import jax.numpy as jnp

        given = [jnp.asarray(x.numpy()) for x in given]
    position, velocity, effort, q, v = given
    several = len(actuator.controller.inputs) > 1
    command = be.Command(position=position, velocity=velocity, effort=effort) if several else position

    def call():
        nonlocal state
        state, out = step(state, command, q, v, DT)
        if engine == "jax":
            out.torque.block_until_ready()

    return call


def links() -> mujoco.MjSpec:
    """A fixed base with a link on each of its joints."""
    body = '<body><joint name="j{}" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.01 0.01 0.01"/></body>'
    bodies = "".join(body.format(joint) for joint in range(SHAPE[1]))
    return mujoco.MjSpec.from_string(f'<mujoco><worldbody><body name="base">{bodies}</body></worldbody></mujoco>')


def plugged_in(actuator: be.Actuator, implicit: bool):
    """A call of our plug-in in a scene, physics left out: the command is read, the control and the slope written."""
    motors = MotorActuatorCfg(
        target_names_expr=(".*",), actuator=actuator, implicit=implicit, telemetry=("torque",), armature=None
    )
    robot = EntityCfg(spec_fn=links, articulation=EntityArticulationInfoCfg(actuators=(motors,)))
    scene = Scene(SceneCfg(num_envs=SHAPE[0], entities={"robot": robot}), device="cpu")
    cfg = SimulationCfg(nconmax=1, njmax=1, mujoco=MujocoCfg(timestep=DT))
    sim = Simulation(num_envs=SHAPE[0], cfg=cfg, spec=scene.spec, device="cpu")
    scene.initialize(mj_model=sim.mj_model, model=sim.model, data=sim.data)
    given = rows()
    scene["robot"].set_joint_position_target(given[0])
    scene["robot"].write_joint_state_to_sim(given[3], given[4])
    unit = scene["robot"].actuators[0]

    def call():
        scene["robot"].write_data_to_sim()
        unit.update(DT)

    return call


def measure(console: Console) -> list[Figure]:
    torch.set_num_threads(1)
    figures: list[Figure] = []
    pd = {"controller": be.IdealPd(stiffness=STIFFNESS, damping=DAMPING), "limits": (be.DcClip(**CLIP),)}
    pid = be.PositionPid(kp=40.0, ki=5.0, kd=0.4)

    def speed(call, calls: int = 30) -> float:
        return COUNT / shortest(call, 7, calls) / 1e6

    def case(what: str, actuator: be.Actuator, goal: float, peer: tuple[str, float, float] | None) -> None:
        for engine in ("jax", "torch"):
            with console.status(f"{what}, {engine}"):
                best = speed(ours(actuator, engine, ("torque",)))
                full = speed(ours(actuator, engine, None))
            # the faster engine is the one to take, so the goal is its
            figures.append(Figure(f"backemf, {what}, {engine}, torque", best, "M motor-steps/s"))
            figures.append(Figure("  with all telemetry", full, "M motor-steps/s"))
        top = max(figures[-4].value, figures[-2].value)
        figures.append(Figure("  the faster of the two", top, "M motor-steps/s", f">= {goal:g}", top >= goal))
        if peer is not None:
            name, peers, times = peer
            ratio = top / peers
            figures.append(Figure(f"  over {name}", ratio, "times", f">= {times:g}", ratio >= times))

    with console.status("mjlab"):
        plain, delayed = speed(mjlabs(False)), speed(mjlabs(True))
    figures.append(Figure("mjlab 1.6.0, DcMotorActuator", plain, "M motor-steps/s"))
    figures.append(Figure("mjlab 1.6.0, the same with a delay of 2 to 5 steps", delayed, "M motor-steps/s"))
    case("PD and DC clip", be.Actuator(**pd), 400, ("mjlab's class", plain, 2.5))
    case("with a delay of 2 to 5 steps", be.Actuator(**pd, delay=be.Delay(steps=LAGS)), 100, ("mjlab's", delayed, 4))
    motor = be.Actuator(full_motor(), be.Supply(voltage=48.0), controller=pid)
    case("full motor with PID", motor, 20, None)
    for implicit in (False, True):
        with console.status(f"inside mjlab, implicit={implicit}"):
            value = speed(plugged_in(motor, implicit))
        figures.append(Figure(f"the same inside mjlab, implicit={implicit}", value, "M motor-steps/s"))
    return figures


if __name__ == "__main__":
    report(measure, "mjlab", __doc__)
