"""Newton's own actuators and ours on a GPU, every step out of a CUDA graph, float32.

python benchmarks/newton_gpu.py [--json FILE] [--docs PAGE]

Needs Newton and warp-lang beside backemf, and an NVIDIA GPU. A graph holds 20 steps, in which two states take turns;
its torques are compared with NumPy's before anything is timed.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from types import SimpleNamespace

import newton
import numpy as np
import warp as wp
from newton.actuators import Actuator
from rich.console import Console

import backemf as be
from backemf.sims.newton import BackemfActuator, BackemfDrive

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report
from full_motor import full_motor
from newton_actuators import CLIP, DT, LAG, PD, UNIT, newtons

TURNS = 20
SIZES = (4096 * 12, 1_000_000)
LATE = be.Delay(steps=LAG, schedule="isaaclab", per="joint")
KINDS = {
    "PD and DC clamp": be.Actuator(controller=PD, limits=CLIP),
    f"with a delay of {LAG} steps": be.Actuator(controller=PD, limits=CLIP, delay=LATE),
    "full motor with PID": be.Actuator(
        full_motor(), be.Supply(voltage=48.0), controller=be.PositionPid(kp=40.0, ki=5.0, kd=0.4)
    ),
}


def host(count: int) -> tuple[SimpleNamespace, SimpleNamespace]:
    """Arrays of a simulation of robots with 12 joints and a floating base; joints begin after 6 numbers of it."""
    rng, size = np.random.default_rng(0), count // 12 * 18 + 18

    def row(scale: float) -> wp.array:
        return wp.array((scale * rng.normal(size=size)).astype(np.float32))

    control = SimpleNamespace(
        joint_target_q=row(0.5), joint_target_qd=row(1.0), joint_act=row(1.0), joint_f=wp.zeros(size, dtype=wp.float32)
    )
    return SimpleNamespace(joint_q=row(0.5), joint_qd=row(10.0)), control


def places(count: int) -> np.ndarray:
    joint = np.arange(count)
    return (joint // 12 * 18 + 6 + joint % 12).astype(np.uint32)


def capture(actuator: Actuator, state: SimpleNamespace, control: SimpleNamespace):
    """A graph of an even number of steps, with the arrays that it writes to: a graph does not keep them."""
    states = [actuator.state(), actuator.state()]

    def turn():
        actuator.step(state, control, states[0], states[1], dt=DT)
        states.reverse()

    # every kernel is loaded before
    turn()
    turn()
    for one in states:
        if one is not None:
            one.reset()
    with wp.ScopedCapture() as capture:
        for _ in range(TURNS):
            control.joint_f.zero_()
            turn()
    return SimpleNamespace(graph=capture.graph, kept=(actuator, states))


def seconds(graph) -> float:
    """Shortest time of a step [s]."""
    best = float("inf")
    for _ in range(10):
        wp.synchronize()
        began = time.perf_counter()
        for _ in range(20):
            wp.capture_launch(graph.graph)
        wp.synchronize()
        best = min(best, (time.perf_counter() - began) / (20 * TURNS))
    return best


def largest_error(kind: be.Actuator, graph, state: SimpleNamespace, control: SimpleNamespace, at: np.ndarray) -> float:
    """Largest difference to NumPy's torque after one and after two launches of a graph, of its peak [1]."""
    step = kind.compile("numpy")
    names = {"position": control.joint_target_q, "velocity": control.joint_target_qd, "effort": control.joint_act}
    command = {n: x.numpy()[at].astype(float) for n, x in names.items() if n in kind.controller.inputs}
    q, v = (x.numpy()[at].astype(float) for x in (state.joint_q, state.joint_qd))
    memory, worst, out = step.initial((len(at),)), 0.0, None
    for _ in range(2):
        wp.capture_launch(graph.graph)
        for _ in range(TURNS):
            memory, out = step(memory, be.Command(**command), q, v, DT)
        found = control.joint_f.numpy()[at]
        worst = max(worst, float(np.abs(found - out.torque).max() / np.abs(out.torque).max()))
    return worst


def measure(console: Console) -> list[Figure]:
    wp.config.quiet = True
    if not wp.is_cuda_available():
        sys.exit("newton_gpu.py needs an NVIDIA GPU: Warp finds none here.")
    figures: list[Figure] = []
    for count in SIZES:
        at = places(count)
        index = wp.array(at)
        for name, kind in KINDS.items():
            peer = None
            state, control = host(count)
            with console.status(f"{name}, {count} joints"):
                if kind.motor is None:
                    peer = seconds(capture(newtons(index, kind.delay is not None), state, control))
                    figures.append(Figure(f"Newton {newton.__version__}, {name}, {count:,}", count / peer / 1e6, UNIT))
                for what, make in (("drive in Newton's actuator", Actuator), ("all in one launch", BackemfActuator)):
                    graph = capture(make(index, BackemfDrive(kind)), state, control)
                    if count == SIZES[0]:
                        error = largest_error(kind, graph, state, control, at)
                        figures.append(Figure("  off NumPy's torque", error, "of its peak", "<= 1e-3", error <= 1e-3))
                    took = seconds(graph)
                    figures.append(Figure(f"backemf, {name}, {count:,}: {what}", count / took / 1e6, UNIT))
                    figures.append(Figure("  per step", 1e6 * took, "us"))
                    if peer is not None:
                        figures.append(Figure("  over Newton's", peer / took, "times"))
    return figures


if __name__ == "__main__":
    report(measure, "newton-gpu", __doc__)
