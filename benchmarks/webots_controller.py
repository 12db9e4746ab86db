"""Webots' controllers without Webots: a script with four motors, ideal and full, and the law on 4096 motors in JAX.

The full motors have a current, heat, LuGre friction, drag, cogging, a gear and a supply. All on one core.

python benchmarks/webots_controller.py [--json FILE] [--docs PAGE]
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

# one core, said before any library starts its threads
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = os.environ.get("XLA_FLAGS", "") + " --xla_cpu_multi_thread_eigen=false"

import jax
from rich.console import Console

from backemf.sims import webots

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report, shortest
from full_motor import full_motor

MOTORS, STEPS = 4096, 1000
SECONDS = 640.0
"""How long the script runs, in simulated time [s]."""
JOINT = """
[[joint]]
inertia = "0.02 kg*m^2"
damping = "0.01 N*m*s/rad"
motor = {{ name = "motor {0}", actuator = "maxon-re40-gp52c", supply = "24 V" }}
sensor = {{ name = "sensor {0}" }}
"""
SCRIPT = '''
"""Four legs swing; each motor is told a position, and each sensor is read, in every step."""

from math import sin

from controller import Robot

robot = Robot()
timestep = int(robot.getBasicTimeStep())
motors = [robot.getDevice(f"motor {i}") for i in range(4)]
sensors = [robot.getDevice(f"sensor {i}") for i in range(4)]
for sensor in sensors:
    sensor.enable(timestep)
while robot.step(timestep) != -1:
    t = robot.getTime()
    for i in range(4):
        error = 0.5 * sin(t + i) - sensors[i].getValue()
        motors[i].setPosition(0.5 * sin(t + i) + 0.1 * error)
'''


def robot() -> webots.RobotDescription:
    return webots.robot_from_toml("".join(JOINT.format(i) for i in range(4)))


def full_robot() -> webots.RobotDescription:
    """The same robot with everything that a motor has behind each device."""
    motor = full_motor()
    return replace(robot().with_joints(lambda joint: replace(joint, actuator=motor)), backend="motor")


def script_speed(recorded: bool, described: webots.RobotDescription, seconds: float = SECONDS) -> float:
    """Steps per second of the script, the best of three runs."""
    best = 0.0
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script.py"
        script.write_text(SCRIPT)
        for _ in range(3):
            recorder = webots.Recorder(Path(folder) / "run.parquet", keep=False) if recorded else None
            began = time.perf_counter()
            ended = webots.run_script(script, described, duration=seconds, recorder=recorder)
            best = max(best, ended.simulation.count / (time.perf_counter() - began))
            assert ended.code == 0
    return best


def law_speed() -> float:
    """Motor-steps per second of the law in a scan of JAX, in float32 [M/s]."""
    motor = webots.WebotsMotor(max_torque=5.0, acceleration=20.0)
    joint = webots.WebotsJoint(damping_constant=0.1, static_friction=0.05)
    step = webots.CompiledWebots(motor, joint, engine="jax")
    start = step.command(step.initial((MOTORS,)), position=0.5)

    @jax.jit
    def run(state):
        return jax.lax.scan(lambda s, _: (step(s, 0.02, 0.0, 0.032)[0], None), state, None, length=STEPS)[0]

    return MOTORS * STEPS / shortest(lambda: jax.block_until_ready(run(start)), 7) / 1e6


def measure(console: Console) -> list[Figure]:
    with console.status("a script with four motors"):
        plain, recorded = script_speed(False, robot()), script_speed(True, robot())
    with console.status("a script with four full motors"):
        full, full_recorded = script_speed(False, full_robot()), script_speed(True, full_robot())
    with console.status("the law on many motors"):
        law = law_speed()
    return [
        Figure("script with four motors and sensors, ideal", plain, "steps/s", ">= 20,000", plain >= 2e4),
        Figure("  every step recorded to parquet", recorded, "steps/s", ">= 20,000", recorded >= 2e4),
        Figure("  full motors behind it, 32 substeps of each per step", full, "steps/s", ">= 20,000", full >= 2e4),
        Figure("  the same, every step recorded to parquet", full_recorded, "steps/s"),
        Figure("law in JAX, 4096 motors, float32", law, "M motor-steps/s", ">= 100", law >= 100.0),
    ]


if __name__ == "__main__":
    report(measure, "webots", __doc__)
