"""Actuators of 4096 robots with 12 joints beside Newton's own drives and clamps, in one process on one core, float32.

python benchmarks/newton_actuators.py [--json FILE] [--docs PAGE]

Needs Newton 1.8 beside backemf, as `make test-sims` installs it. Each call is one step: targets, joint positions and
joint velocities go in, torques are added to `joint_f`, and two states take turns. The joints of a robot with a floating
base stand at scattered places of Newton's arrays; those of an arm come in order.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from types import SimpleNamespace

# one core, said before any library starts its threads
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})

import newton
import numpy as np
import warp as wp
from newton.actuators import Actuator, ClampingDCMotor, Delay, DrivePD
from rich.console import Console

import backemf as be
from backemf.sims.newton import BackemfActuator, BackemfDrive

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report, shortest
from full_motor import full_motor

SHAPE = (4096, 12)
COUNT = SHAPE[0] * SHAPE[1]
LAG, DT = 4, 2e-3
PD = be.IdealPd(stiffness=80.0, damping=10.0)
CLIP = be.DcClip(saturation_effort=50.0, velocity_limit=30.0, effort_limit=25.0)
UNIT = "M motor-steps/s"


def host(in_order: bool) -> tuple[wp.array, SimpleNamespace, SimpleNamespace]:
    """Indices of the joints, and arrays of a simulation."""
    width = SHAPE[1] if in_order else SHAPE[1] + 6
    places = np.arange(SHAPE[0])[:, None] * width + np.arange(SHAPE[1]) + (width - SHAPE[1])
    rng, size = np.random.default_rng(0), SHAPE[0] * width

    def row(scale: float) -> wp.array:
        return wp.array((scale * rng.normal(size=size)).astype(np.float32))

    state = SimpleNamespace(joint_q=row(0.5), joint_qd=row(10.0))
    control = SimpleNamespace(
        joint_target_q=row(0.5), joint_target_qd=row(1.0), joint_act=row(1.0), joint_f=wp.zeros(size, dtype=wp.float32)
    )
    return wp.array(places.reshape(-1).astype(np.uint32)), state, control


def newtons(index: wp.array, delay: bool) -> Actuator:
    """Newton's PD and DC clamp, with its delay where that is asked for."""
    count = len(index)

    def full(x: float) -> wp.array:
        return wp.full(count, x, dtype=wp.float32)

    clamp = ClampingDCMotor(full(CLIP.saturation_effort), full(CLIP.velocity_limit), full(CLIP.effort_limit))
    late = Delay(wp.full(count, LAG, dtype=wp.int32), LAG) if delay else None
    return Actuator(index, DrivePD(full(PD.stiffness), full(PD.damping)), delay=late, clamping=[clamp])


def stepper(actuator: Actuator, state: SimpleNamespace, control: SimpleNamespace):
    """A call of one step; two states take turns."""
    states = [actuator.state(), actuator.state()]

    def call():
        actuator.step(state, control, states[0], states[1], dt=DT)
        states.reverse()

    return call


def direct(kind: be.Actuator):
    """A call of `compile("warp")` by itself, with the state handed on in place."""
    step = kind.compile("warp", device="cpu", in_place=True, telemetry="torque")
    _, joints, control = host(True)
    shaped = [x.reshape(SHAPE) for x in (control.joint_target_q, control.joint_target_qd, control.joint_act)]
    q, v = joints.joint_q.reshape(SHAPE), joints.joint_qd.reshape(SHAPE)
    several = len(kind.controller.inputs) > 1
    command = be.Command(position=shaped[0], velocity=shaped[1], effort=shaped[2]) if several else shaped[0]
    state = step.initial(SHAPE)

    def call():
        nonlocal state
        state, _ = step(state, command, q, v, DT)

    return call


def measure(console: Console) -> list[Figure]:
    wp.config.quiet = True
    figures: list[Figure] = []

    def speed(call, calls: int = 30) -> float:
        return COUNT / shortest(call, 9, calls) / 1e6

    def case(what: str, kind: be.Actuator, delay: bool | None, goal: float | None) -> None:
        for in_order in (True, False):
            where = "joints in order" if in_order else "joints between others"
            index, state, control = host(in_order)
            peer = None
            with console.status(f"{what}, {where}"):
                if delay is not None:
                    peer = speed(stepper(newtons(index, delay), state, control))
                    figures.append(Figure(f"Newton {newton.__version__}, {what}, {where}", peer, UNIT))
                inside = speed(stepper(Actuator(index, BackemfDrive(kind)), state, control))
                fused = speed(stepper(BackemfActuator(index, BackemfDrive(kind)), state, control))
            named = f"backemf, {what}, {where}"
            for name, value in ((f"{named}: drive in Newton's actuator", inside), ("  all in one launch", fused)):
                figures.append(Figure(name, value, UNIT))
                if peer is not None:
                    aim = goal if goal is not None else 1.0
                    figures.append(Figure("  over Newton's", value / peer, "times", f">= {aim:g}", value / peer >= aim))
        with console.status(f"{what}, directly"):
            figures.append(Figure("  compile('warp') called directly", speed(direct(kind)), UNIT))

    case("PD and DC clamp", be.Actuator(controller=PD, limits=CLIP), False, 3.0)
    late = be.Delay(steps=LAG, schedule="isaaclab", per="joint")
    case(f"with a delay of {LAG} steps", be.Actuator(controller=PD, limits=CLIP, delay=late), True, 2.0)
    motor = be.Actuator(full_motor(), be.Supply(voltage=48.0), controller=be.PositionPid(kp=40.0, ki=5.0, kd=0.4))
    case("full motor with PID", motor, None, None)
    return figures


if __name__ == "__main__":
    report(measure, "newton", __doc__)
