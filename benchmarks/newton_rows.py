"""Joints of a quadruped with a motor of its own each: a launch per joint beside one launch for all, in Newton.

python benchmarks/newton_rows.py [--json FILE] [--docs PAGE]

Needs Newton 1.8 beside backemf, as `make test-sims` installs it. Twelve actuators of one structure with other numbers
each, for one robot and for 4096, on one core in float32: the time of a step of all joints.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

# one core, said before any library starts its threads
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import numpy as np
import warp as wp
from rich.console import Console

import backemf as be
from backemf.sims.newton import BackemfActuator, BackemfDrive
from backemf.sims.newton.rows import kind_with

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report, shortest
from full_motor import full_motor

LEGS, DT = 12, 2e-3
CLIP = be.DcClip(saturation_effort=50.0, velocity_limit=30.0, effort_limit=25.0)


def simple(k: int) -> be.Actuator:
    """A PD and a DC clip, stronger from joint to joint."""
    return be.Actuator(controller=be.IdealPd(stiffness=80.0 + k, damping=10.0 + 0.1 * k), limits=CLIP)


def full(k: int) -> be.Actuator:
    """A full motor with a PID in volts, of another winding in each joint."""
    motor = full_motor()
    winding = replace(motor.winding, resistance=motor.winding.resistance * (1.0 + 0.02 * k))
    controller = be.PositionPid(kp=40.0 + k, ki=5.0, kd=0.4)
    return be.Actuator(replace(motor, winding=winding), be.Supply(voltage=48.0), controller=controller)


def host(robots: int) -> tuple[np.ndarray, SimpleNamespace, SimpleNamespace]:
    """Places of the joints (robots, legs), and arrays of a simulation with a floating base."""
    width = LEGS + 6
    places = np.arange(robots)[:, None] * width + np.arange(LEGS) + 6
    rng, size = np.random.default_rng(0), robots * width

    def row(scale: float) -> wp.array:
        return wp.array((scale * rng.normal(size=size)).astype(np.float32))

    state = SimpleNamespace(joint_q=row(0.5), joint_qd=row(10.0))
    targets = {"joint_target_q": row(0.5), "joint_target_qd": row(1.0), "joint_act": row(1.0)}
    return places, state, SimpleNamespace(**targets, joint_f=wp.zeros(size, dtype=wp.float32))


def stepper(actuators: list[BackemfActuator], state: SimpleNamespace, control: SimpleNamespace):
    """A call of one step of all actuators; two states of each take turns."""
    states = [[actuator.state(), actuator.state()] for actuator in actuators]

    def call():
        for actuator, pair in zip(actuators, states, strict=True):
            actuator.step(state, control, *pair, dt=DT)
            pair.reverse()

    return call


def measure(console: Console) -> list[Figure]:
    wp.config.quiet = True
    figures: list[Figure] = []
    for what, kind in (("PD and DC clip", simple), ("full motor with PID", full)):
        legs = [kind(k) for k in range(LEGS)]
        for robots in (1, 4096):
            with console.status(f"{what}, {robots} x {LEGS}"):
                places, state, control = host(robots)
                index = [wp.array(np.ascontiguousarray(places[:, k]), dtype=wp.uint32) for k in range(LEGS)]
                each = [BackemfActuator(x, BackemfDrive(leg, fixed=True)) for x, leg in zip(index, legs, strict=True)]
                found = [kind_with(leg) for leg in legs]
                place = np.tile([k for _, k in found], robots)
                one = BackemfActuator(
                    wp.array(places.reshape(-1), dtype=wp.uint32), BackemfDrive(kind=found[0][0], place=place)
                )
                calls = 300 if robots == 1 else 10
                times = [1e6 * shortest(stepper(x, state, control), 9, calls) for x in (each, [one])]
            figures.append(Figure(f"{what}, {robots} x {LEGS}: a launch per joint", times[0], "µs"))
            figures.append(Figure("  one launch", times[1], "µs"))
            figures.append(Figure("  faster by", times[0] / times[1], "times"))
    return figures


if __name__ == "__main__":
    report(measure, "newton-rows", __doc__)
