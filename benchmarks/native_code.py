"""Native code: batches on all cores, twelve motors in MuJoCo beside MuJoCo alone, and how long each engine compiles.

An engine compiles a full actuator for one motor in a process of its own: first with empty caches, then in a second
process that may find what the first one left. The time is that of `compile` and of the first step, without imports.
Warp is measured in Newton's environment where this one has none.

python benchmarks/native_code.py [--json FILE] [--docs PAGE]
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from rich.console import Console

import backemf as be

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report, shortest
from full_motor import full_motor

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
ENGINES = {"native": "llvmlite", "jax": "jax", "torch": "torch", "warp": "warp"}
"""Engines that compile, and the module that each needs."""
NEWTON = Path(__file__).resolve().parent.parent / ".venv-newton" / "bin" / "python"
COMPILE = """
import sys, time
sys.path.insert(0, {folder!r})
import numpy as np
import {module}
import backemf as be
from backemf.engines import load
from full_motor import full_actuator
load({engine!r})
arrays = {{"torch": lambda x: {module}.full((1,), x), "jax": lambda x: {module}.numpy.full((1,), x)}}
make = arrays.get({engine!r}, lambda x: np.full(1, x))
actuator = full_actuator(delay=None)
began = time.perf_counter()
step = actuator.compile({engine!r})
_, out = step(step.initial(1), make(0.5), make(0.1), make(0.2), 1e-3)
np.asarray(out.torque.numpy() if hasattr(out.torque, "numpy") else out.torque)
print("seconds", time.perf_counter() - began)
"""
SIMULATE = """
import sys, time
sys.path.insert(0, {folder!r})
import backemf as be, backemf.rollout_native
from full_motor import full_motor
import llvmlite.binding
for _ in range(8):
    began = time.perf_counter()
    be.simulate(full_motor(), be.Inertia(inertia=1e-2), 12.0, 1.0, 1e-4)
    print("seconds", time.perf_counter() - began)
"""


def batch_speed(motors: int = 4096, steps: int = 200) -> float:
    """Million full steps per second of `simulate` on all cores, float64, every channel kept."""
    motor, load = full_motor(), be.Inertia(inertia=1e-2)
    volts = np.broadcast_to(np.linspace(-12.0, 12.0, motors), (steps, motors))
    return motors * steps / shortest(lambda: be.simulate(motor, load, volts, steps * 1e-4, 1e-4)) / 1e6


def python_with(module: str) -> str | None:
    """The interpreter that has a module: this one, else Newton's; None where neither has it."""
    if find_spec(module) is not None:
        return sys.executable
    if NEWTON.exists() and subprocess.run([NEWTON, "-c", f"import {module}"], capture_output=True).returncode == 0:
        return str(NEWTON)
    return None


def twice(program: str, python: str = sys.executable) -> list[list[float]]:
    """The seconds that a program prints, with empty caches and in a process after that; nothing where it fails."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        places = ("XDG_CACHE_HOME", "WARP_CACHE_PATH", "TORCHINDUCTOR_CACHE_DIR")
        environment = {**os.environ, **{name: str(Path(folder) / name.lower()) for name in places}}
        for _ in range(2):
            done = subprocess.run([python, "-c", program], env=environment, capture_output=True, text=True)
            if done.returncode != 0:
                return []
            lines = (line.split() for line in done.stdout.splitlines())
            found.append([float(words[1]) for words in lines if words[:1] == ["seconds"]])
    return found


def measure(console: Console) -> list[Figure]:
    figures: list[Figure] = []

    def add(what: str, value: float, unit: str, goal: str = "", met: bool | None = None) -> None:
        figures.append(Figure(what, value, unit, goal, met))

    folder = str(Path(__file__).parent)
    with console.status("batches"):
        speed = batch_speed()
    add(f"simulate, 4096 full motors on {CORES} cores, every channel kept", speed, "M steps/s", ">= 8", speed >= 8.0)
    with console.status("a first run"):
        first, second = twice(SIMULATE.format(folder=folder))
    add("simulate, one motor, 1 s at 10 kHz, first run of all", first[0] * 1e3, "ms")
    add("  again in the same process", min(first[1:]) * 1e3, "ms", "<= 10", min(first[1:]) <= 1e-2)
    add("  first in a second process", second[0] * 1e3, "ms")
    for engine, module in ENGINES.items():
        python = python_with(module)
        if python is None:
            continue
        with console.status(f"compiling on {engine}"):
            seen = twice(COMPILE.format(folder=folder, module=module, engine=engine), python)
        if not seen:
            console.print(f"{engine}: does not compile on this machine")
            continue
        add(f"compile and first step, {engine}", seen[0][0], "s")
        add("  in a second process", seen[1][0], "s")
    if find_spec("mujoco") is not None:
        import mujoco_quadruped

        for words, standing in (("standing", True), ("in the air", False)):
            with console.status(f"a quadruped {words}"):
                seen = mujoco_quadruped.measure(standing, 60)
            add(f"MuJoCo, a quadruped {words}, alone", seen["alone_us"], "µs per step")
            add("  with twelve full motors", seen["motors_us"], "µs per step")
            add("  more", 100.0 * seen["share"], "%", "<= 50", seen["share"] <= 0.5)
    return figures


if __name__ == "__main__":
    report(measure, "native", __doc__, f"{CORES} cores")
