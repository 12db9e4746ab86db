"""mjlab's Go1 velocity task on a GPU: full motors on every joint beside mjlab's own DC motor, in one run.

python benchmarks/mjlab_gpu.py [--envs 4096] [--steps 100] [--rounds 7] [--task NAME] [--only NAME ...] [--profile]

Needs mjlab beside backemf, and an NVIDIA GPU. Every environment lives in the same process, and they take turns, so that
what else happens on the machine meets all of them. Actions are random, robots fall and are reset, and gains are drawn
anew at each reset. A full motor has current, heat, LuGre friction, drag, cogging, a gear, a supply and a delay.
"""

from __future__ import annotations

import argparse
import cProfile
import datetime
import pstats
import statistics
import sys
import time
import warnings
from importlib import metadata

import torch
import warp as wp
from mjlab.actuator import DcMotorActuatorCfg
from mjlab.asset_zoo.robots.unitree_go1 import go1_constants as go1
from mjlab.envs import ManagerBasedRlEnv
from mjlab.envs.mdp import dr
from mjlab.managers import EventTermCfg, SceneEntityCfg
from mjlab.tasks.registry import load_env_cfg

import backemf as be
from backemf.sims.mjlab import MotorActuatorCfg

STOCK = "mjlab's DcMotorActuator"
GOAL = 0.02
"""How much slower full motors may be than mjlab's own [1]."""
JOINTS = {
    "hip": ((".*_hip_joint", ".*_thigh_joint"), go1.HIP_ACTUATOR, go1.HIP_GEAR_RATIO),
    "knee": ((".*_calf_joint",), go1.KNEE_ACTUATOR, go1.KNEE_GEAR_RATIO),
}


def gains(unit) -> dict[str, float]:
    """Stiffness and damping as the task has them."""
    inertia = unit.reflected_inertia
    damping = 2 * go1.DAMPING_RATIO * inertia * go1.NATURAL_FREQ
    return {"stiffness": inertia * go1.NATURAL_FREQ**2, "damping": damping}


def stock() -> tuple[DcMotorActuatorCfg, ...]:
    """mjlab's own DC motors."""
    return tuple(
        DcMotorActuatorCfg(
            target_names_expr=names,
            **gains(unit),
            effort_limit=unit.effort_limit,
            saturation_effort=unit.effort_limit,
            velocity_limit=unit.velocity_limit,
            armature=unit.reflected_inertia,
        )
        for names, unit, _ in JOINTS.values()
    )


def clipped(engine: str | None = None) -> tuple[MotorActuatorCfg, ...]:
    """The same law as a backemf actuator."""
    cfgs = []
    for names, unit, _ in JOINTS.values():
        clip = be.DcClip(
            saturation_effort=unit.effort_limit, velocity_limit=unit.velocity_limit, effort_limit=unit.effort_limit
        )
        actuator = be.Actuator(controller=be.IdealPd(**gains(unit)), limits=(clip,))
        cfgs.append(
            MotorActuatorCfg(target_names_expr=names, actuator=actuator, armature=unit.reflected_inertia, engine=engine)
        )
    return tuple(cfgs)


def full(engine: str | None = None, eager: bool = False) -> tuple[MotorActuatorCfg, ...]:
    """Full motors: the stall torque and speed without load are those of the task."""
    cfgs, volts = [], 24.0
    for names, unit, ratio in JOINTS.values():
        constant = volts / (unit.velocity_limit * ratio)
        motor = be.Motor(
            winding=be.Winding(resistance=volts * constant * ratio / unit.effort_limit, inductance=2e-4),
            magnet=be.Magnet(torque_constant=constant, back_emf_constant=constant),
            rotor=be.Rotor(inertia=go1.ROTOR_INERTIA),
            thermal=be.Thermal(resistance=3.0, capacitance=60.0),
            friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=1.0, stiffness=10.0, damping=0.001),
            drag=be.Drag(coefficients=(1e-5,)),
            cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=0.005, periodicity=7.0, phase=0.3),)),
            gearbox=be.Gearbox(stages=(be.Stage(ratio=float(ratio)),)),
        )
        actuator = be.Actuator(
            motor,
            be.Supply(voltage=volts, resistance=0.02),
            controller=be.IdealPd(**gains(unit)),
            limits=(be.EffortLimit(effort_limit=unit.effort_limit),),
            delay=be.Delay(steps=(0, 2)),
        )
        cfgs.append(MotorActuatorCfg(target_names_expr=names, actuator=actuator, engine=engine, eager=eager))
    return tuple(cfgs)


KINDS = {
    STOCK: stock,
    "backemf, the same law": clipped,
    "backemf, full motors": full,
    "backemf, full motors, torch": lambda: full("torch"),
}
"""What is measured, by name; the first is what the others are compared with."""


class Task:
    """The task with some actuators, ready to step."""

    def __init__(self, name: str, actuators, envs: int):
        cfg = load_env_cfg(name)
        cfg.scene.num_envs = envs
        cfg.seed = 0
        cfg.scene.entities["robot"].articulation.actuators = actuators
        cfg.events["gains"] = EventTermCfg(
            mode="reset",
            func=dr.pd_gains,
            params={
                "asset_cfg": SceneEntityCfg("robot"),
                "kp_range": (0.9, 1.1),
                "kd_range": (0.9, 1.1),
                "operation": "scale",
            },
        )
        self.env = ManagerBasedRlEnv(cfg, device="cuda:0")
        self.env.reset()
        torch.manual_seed(0)
        count = self.env.action_manager.total_action_dim
        self.actions = [torch.randn(envs, count, device="cuda:0") for _ in range(8)]
        self.ends = torch.zeros((), device="cuda:0")

    def run(self, steps: int) -> float:
        """Environment steps per second."""
        with torch.inference_mode():
            wp.synchronize()
            torch.cuda.synchronize()
            began = time.perf_counter()
            for k in range(steps):
                self.env.step(self.actions[k % len(self.actions)])
            torch.cuda.synchronize()
            wp.synchronize()
            return steps * self.env.num_envs / (time.perf_counter() - began)

    def show(self, steps: int) -> None:
        """Print where the host's time goes."""
        profile = cProfile.Profile()
        profile.enable()
        self.run(steps)
        profile.disable()
        stats = pstats.Stats(profile)
        stats.sort_stats("cumulative").print_stats("backemf|entity.py|sim.py|manager_based_rl_env|context.py", 26)
        joined = getattr(self.env.scene["robot"].actuators[0], "joined", None)
        if joined is not None:
            for what, graphs in (("before", joined._before), ("after", joined._after)):
                print(f"the motors' launch {what} a physics step: {self.microseconds(graphs[0]):.1f} µs on the GPU")
        print(f"a physics step: {self.microseconds(self.env.sim.step_graph, 50):.0f} µs on the GPU")

    @staticmethod
    def microseconds(graph, times: int = 500) -> float:
        """Time of a graph on the GPU [µs]."""
        wp.capture_launch(graph)
        wp.synchronize()
        began = time.perf_counter()
        for _ in range(times):
            wp.capture_launch(graph)
        wp.synchronize()
        return (time.perf_counter() - began) / times * 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--envs", type=int, default=4096)
    parser.add_argument("--steps", type=int, default=100, help="environment steps in a round")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--task", default="Mjlab-Velocity-Flat-Unitree-Go1")
    parser.add_argument("--only", nargs="*", help="how the names of the kinds end that are measured")
    parser.add_argument("--profile", action="store_true", help="print where the host's time goes")
    given = parser.parse_args()
    if not torch.cuda.is_available():
        sys.exit("benchmarks/mjlab_gpu.py needs an NVIDIA GPU and PyTorch with CUDA")
    # what the motors replace in the model is said once for each of them
    warnings.simplefilter("ignore")
    kinds = {n: make for n, make in KINDS.items() if n == STOCK or not given.only or n.endswith(tuple(given.only))}
    tasks = {}
    for name, make in kinds.items():
        began = time.perf_counter()
        tasks[name] = Task(given.task, make(), given.envs)
        tasks[name].run(given.steps)
        print(f"{name}: ready after {time.perf_counter() - began:.0f} s", flush=True)
    speeds: dict[str, list[float]] = {name: [] for name in tasks}
    for turn in range(given.rounds):
        # there and back, so that none of them always comes first
        for name in list(tasks)[:: 1 if turn % 2 == 0 else -1]:
            speeds[name].append(tasks[name].run(given.steps))
        print("  ".join(f"{speeds[name][-1]:,.0f}" for name in tasks), flush=True)
    where = ", ".join(f"{name} {metadata.version(name)}" for name in ("mjlab", "mujoco-warp", "warp-lang", "torch"))
    print(f"\nMeasured on {torch.cuda.get_device_name()}, {where}, {datetime.date.today()}:\n")
    print(f"{given.task}, {given.envs} environments, {given.rounds} rounds of {given.steps} steps each in turn:\n")
    print("| | env-steps/s, median | lowest to highest | beside mjlab's own | goal |\n|---|---:|---|---:|---|")
    missed = False
    for name, found in speeds.items():
        # rounds that follow each other met the same machine
        ratio = statistics.median(a / b for a, b in zip(found, speeds[STOCK], strict=True))
        goal = ""
        if name == "backemf, full motors":
            missed = ratio < 1.0 - GOAL
            goal = f">= {1.0 - GOAL:.0%}: {'MISSED' if missed else 'met'}"
        span = f"{min(found):,.0f} to {max(found):,.0f}"
        print(f"| {name} | {statistics.median(found):,.0f} | {span} | {ratio:.1%} | {goal} |")
    if given.profile:
        for name, task in tasks.items():
            print(f"\n{name}:")
            task.show(50)
    sys.exit(1 if missed else 0)


if __name__ == "__main__":
    main()
