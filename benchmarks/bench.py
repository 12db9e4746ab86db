"""Speed and memory, each figure beside its goal and its peer, all in one run on one core.

python benchmarks/bench.py [--json FILE]
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

import numpy as np
from rich.console import Console

import backemf as be

sys.path.insert(0, str(Path(__file__).parent))
import mujoco_actuation
from figures import Figure, report, shortest
from full_motor import full_motor

MOTORS = 65536


def batch_step(per_motor: bool = False, steps: int = 100) -> float:
    """Nanoseconds per motor and step of the full motor in JAX, float32, hinges turned by its torque."""
    actuator = be.Actuator(full_motor())
    step = actuator.compile("jax")
    import jax
    import jax.numpy as jnp

    from backemf.actuator.compiled import laws as laws_of
    from backemf.tree import map_numbers

    if per_motor:
        actuator = map_numbers(actuator, lambda x: jnp.full((MOTORS,), x, jnp.float32))
    rng = np.random.default_rng(0)
    volts, position, velocity = (
        jnp.asarray(scale * rng.standard_normal(MOTORS), jnp.float32) for scale in (12.0, 1.0, 5.0)
    )

    @jax.jit
    def run(actuator, state, position, velocity):
        def one(here, _):
            state, position, velocity = here
            state, out = laws_of("jax").held(actuator, state, volts, position, velocity, 1e-3)
            velocity = velocity + 1e-3 * out.torque / 0.014
            return (state, position + 1e-3 * velocity, velocity), None

        return jax.lax.scan(one, (state, position, velocity), None, length=steps)[0]

    state = step.initial((MOTORS,))
    return shortest(lambda: jax.block_until_ready(run(actuator, state, position, velocity))) / (MOTORS * steps) * 1e9


def single_motor(engine: str) -> float:
    """Seconds of one motor, 1 s at 10 kHz through `simulate`, float64, every channel recorded."""
    motor, load = full_motor(), be.Inertia(inertia=1e-2)
    return shortest(lambda: be.simulate(motor, load, 12.0, 1.0, 1e-4, engine=engine))


def native_batch(motors: int = 4096, steps: int = 100) -> float:
    """Nanoseconds per motor and step of `simulate` on native code, float64, every channel recorded."""
    motor, load = full_motor(), be.Inertia(inertia=1e-2)
    volts = np.broadcast_to(np.linspace(-12.0, 12.0, motors), (steps, motors))
    return shortest(lambda: be.simulate(motor, load, volts, steps * 1e-4, 1e-4)) / (motors * steps) * 1e9


def torch_compilation() -> tuple[float, float]:
    """Seconds that the first and the second step of the full motor in PyTorch take, the compilation included."""
    import time

    import torch

    step = be.Actuator(full_motor()).compile("torch")
    state, rest = step.initial((1024,)), torch.zeros(1024)
    times = []
    for _ in range(2):
        began = time.perf_counter()
        state, _ = step(state, rest, rest, rest, 1e-3)
        times.append(time.perf_counter() - began)
    return times[0], times[1]


def gradient(steps: int, motors: int = 1024) -> tuple[float, float, float]:
    """Forward time [s], gradient time over it, and memory of the gradient [bytes per motor] of a rollout."""
    actuator, load = be.Actuator(full_motor()), be.Inertia(inertia=1e-2)
    actuator.compile("jax")
    import jax
    import jax.numpy as jnp

    volts = jnp.asarray(12.0 * np.sin(0.01 * np.arange(steps)), jnp.float32)
    start = be.rest(actuator, load, (motors,))

    def cost(actuator, start):
        command = jnp.broadcast_to(volts[:, None], (steps, 1))
        return be.rollout(actuator, load, command, 1e-3, start=start)[0].position.sum()

    forward, backward = jax.jit(cost), jax.jit(jax.grad(cost))
    there = shortest(lambda: jax.block_until_ready(forward(actuator, start)), 3)
    back = shortest(lambda: jax.block_until_ready(backward(actuator, start)), 3)
    memory = backward.lower(actuator, start).compile().memory_analysis().temp_size_in_bytes
    return there, back / there, memory / motors


def shared_parameter_bytes(meter: bool) -> float:
    """Bytes per motor of everything the compiled step is given, for a batch that shares its parameters."""
    actuator = be.Actuator(full_motor(), meter=meter)
    step = actuator.compile("jax")
    import jax
    import jax.numpy as jnp

    from backemf.actuator.compiled import laws as laws_of

    state, row = step.initial((MOTORS,)), jnp.zeros(MOTORS, jnp.float32)
    compiled = jax.jit(laws_of("jax").held).lower(actuator, state, row, row, row, 1e-3).compile()
    return compiled.memory_analysis().argument_size_in_bytes / MOTORS


def measure(console: Console) -> list[Figure]:
    figures: list[Figure] = []

    def add(what: str, value: float, unit: str, goal: str = "", met: bool | None = None) -> None:
        figures.append(Figure(what, value, unit, goal, met))

    with console.status("MuJoCo"):
        peer = mujoco_actuation.measure()
    actuation, both = float(peer["actuation_ns"]), float(peer["actuation_and_states_ns"])
    add(f"MuJoCo {peer['mujoco']}, actuation pass", actuation, "ns per motor-step")
    add("MuJoCo, actuation and its states", both, "ns per motor-step")
    with console.status("full step"):
        ours = batch_step()
    add(f"backemf, full step, JAX, {MOTORS} motors", ours, "ns per motor-step", "<= 10", ours <= 10)
    add("  faster than MuJoCo's actuation pass", actuation / ours, "times", ">= 8", actuation / ours >= 8)
    add("  faster than actuation and states", both / ours, "times")
    with console.status("full step, own parameters"):
        own = batch_step(per_motor=True)
    add("  with parameters per motor", own, "ns per motor-step")
    with console.status("native code"):
        single, batch = single_motor("native"), native_batch()
    add("backemf, native code, 4096 motors, float64, every channel kept", batch, "ns per motor-step")
    add("  faster than actuation and states", both / batch, "times")
    add("backemf, native code, one motor, every channel kept", single * 1e5, "ns per motor-step")
    add("  1 s at 10 kHz", single * 1e3, "ms", "<= 10", single <= 1e-2)
    with console.status("one motor in JAX"):
        jax_single = single_motor("jax")
    add("  the same in JAX", jax_single * 1e5, "ns per motor-step")
    with console.status("PyTorch"):
        compiling, second = torch_compilation()
    add('compile("torch"), first step, compiled once', compiling, "s")
    add("  second step", 1e3 * second, "ms", "< 100", second < 0.1)
    with console.status("gradient"):
        there, ratio, memory = gradient(1000)
        _, _, longer = gradient(4000)
    add("gradient over 1,000 steps, over forward", ratio, "times", "<= 15", ratio <= 15)
    add("  forward", there / (1000 * 1024) * 1e9, "ns per motor-step")
    add("  memory", memory, "bytes per motor")
    add("  memory, 4 times the steps", longer / memory, "times", "< 4", longer / memory < 4)
    with console.status("memory"):
        plain, metered = shared_parameter_bytes(meter=False), shared_parameter_bytes(meter=True)
    # three states, a command, a position and a velocity, in float32; parameters add next to nothing
    add("arguments of a step, parameters shared, no meter", plain, "bytes per motor", "< 25", plain < 25)
    add("  with the meter of electrical energy", metered, "bytes per motor")
    return figures


if __name__ == "__main__":
    report(measure, "bench", __doc__)
