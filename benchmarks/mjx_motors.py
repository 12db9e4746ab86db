"""What full motors cost a quadruped in MJX and in MuJoCo Warp: a step with them beside one with stock actuators.

Runs on whatever device JAX and Warp take first: a GPU where there is one, else the CPU. On a GPU, MuJoCo Warp's steps
are replayed from a CUDA graph, with motors as without. Each world has targets of its own, and the robots have settled
on their feet when the clock starts. Before that, some of them are compared with MuJoCo on the CPU. A part that fails
is named and the others go on.

    python benchmarks/mjx_motors.py [--json FILE] [--docs PAGE]
"""

from __future__ import annotations

import os
import sys
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
from rich.console import Console

import backemf as be

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report
from full_motor import full_motor
from mujoco_quadruped import DAMPING, STANCE, STIFFNESS, quadruped

STEPS = 20
"""Steps of a round, and of a comparison."""
SETTLE, ROUNDS = 10, 5
"""Rounds before the clock starts, and rounds that are timed, of which the shortest counts."""
ON_CPU, ON_GPU = 64, 4096
"""Worlds that are stepped at once."""
COMPARED = 4
"""Worlds that are compared with MuJoCo on the CPU."""
UNIT = "M world-steps/s"
TARGETS = np.tile(STANCE, 4) + 0.1 * np.random.default_rng(0).uniform(-1.0, 1.0, (ON_GPU, 12))
"""Angles that the joints of each world are to hold [rad]."""


def model_of(motors: bool) -> mujoco.MjModel:
    """The quadruped of `mujoco_quadruped.py` with pyramidal friction cones, which MJX has for every contact."""
    text = quadruped(True, motors).replace(' cone="elliptic" impratio="100"', ' iterations="10" ls_iterations="10"')
    return mujoco.MjModel.from_xml_string(text)


def actuators() -> dict[str, be.Actuator]:
    pd = be.IdealPd(stiffness=STIFFNESS, damping=DAMPING)
    return {"hip.|thigh.|knee.": be.Actuator(full_motor(), be.Supply(voltage=48.0), controller=pd)}


@cache
def on_cpu(motors: bool) -> np.ndarray:
    """Angles of the joints after `STEPS` steps of MuJoCo in double precision, a row for each compared world [rad]."""
    from backemf.sims.mujoco import Motors

    rows = []
    for targets in TARGETS[:COMPARED]:
        model = model_of(motors)
        data = mujoco.MjData(model)
        data.qpos[7:] = np.tile(STANCE, 4)
        step = Motors(model, actuators()).step if motors else None
        for _ in range(STEPS):
            if step is not None:
                step(data, targets)
            else:
                data.ctrl[:] = targets
                mujoco.mj_step(model, data)
        rows.append(data.qpos[7:].copy())
    return np.array(rows)


def off_cpu(found: np.ndarray, motors: bool) -> float:
    """Largest difference of an angle to MuJoCo on the CPU, of positions after `STEPS` steps [rad]."""
    return float(np.abs(found[:COMPARED, 7:] - on_cpu(motors)).max())


def speed(call: Callable[[], None], worlds: int) -> float:
    """World-steps per second, the best of some rounds [1e6/s]."""
    for _ in range(SETTLE):
        call()
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return worlds * STEPS / best / 1e6


def in_mjx() -> Iterator[Figure]:
    """MJX: how far from the CPU it is and how fast, with stock actuators and with motors."""
    import jax
    import jax.numpy as jnp
    from mujoco import mjx

    from backemf.sims.mjx import Motors

    worlds = ON_CPU if jax.default_backend() == "cpu" else ON_GPU
    where = f"MJX on {jax.devices()[0].device_kind}, {worlds} quadrupeds"
    targets = jnp.asarray(TARGETS[:worlds], jnp.float32)

    def begin(plain: mujoco.MjModel):
        data = mjx.make_data(plain)
        data = data.replace(qpos=data.qpos.at[7:].set(jnp.asarray(np.tile(STANCE, 4), jnp.float32)))
        return mjx.put_model(plain), jax.vmap(lambda target: data.replace(ctrl=target))(targets)

    def rounds(step, carry):
        """A call that goes on by `STEPS` steps, and the positions after the first one."""
        run = jax.jit(lambda c: jax.lax.fori_loop(0, STEPS, lambda _, c: step(c), c))
        kept = [jax.block_until_ready(run(carry))]

        def call() -> None:
            kept[0] = jax.block_until_ready(run(kept[0]))

        return call, np.asarray(kept[0][0].qpos)

    stock, data = begin(model_of(False))
    call, first = rounds(lambda c: (jax.vmap(mjx.step, (None, 0))(stock, c[0]),), (data,))
    without = speed(call, worlds)
    yield Figure(f"{where}, stock actuators", without, UNIT)
    yield Figure("  off MuJoCo on the CPU", off_cpu(first, False), "rad")

    plain = model_of(True)
    motors = Motors(plain, actuators(), telemetry=("current", "winding_temperature"))
    model, data = begin(plain)
    step = jax.vmap(motors.step, (None, 0, 0, 0))
    call, first = rounds(lambda c: step(model, c[0], targets, c[1]), (data, motors.init(data)))
    with_motors = speed(call, worlds)
    yield Figure(f"{where}, twelve full motors", with_motors, UNIT)
    yield Figure("  share of the stock speed", with_motors / without, "1")
    yield Figure("  off `Motors` on the CPU", off_cpu(first, True), "rad")


def in_warp() -> Iterator[Figure]:
    """The same of MuJoCo Warp, and how far a replayed graph is from the same steps one by one."""
    import mujoco_warp as mjw
    import warp as wp

    from backemf.sims.mujoco_warp import Motors

    wp.config.quiet = True
    device = wp.get_device()
    worlds = ON_GPU if device.is_cuda else ON_CPU
    where = f"MuJoCo Warp on {device.name}, {worlds} quadrupeds"
    targets = TARGETS[:worlds].astype(np.float32)

    def begin(plain: mujoco.MjModel):
        data = mjw.make_data(plain, nworld=worlds)
        qpos = data.qpos.numpy()
        qpos[:, 7:] = np.tile(STANCE, 4)
        data.qpos.assign(qpos)
        data.ctrl.assign(targets)
        return mjw.put_model(plain), data

    def with_stock():
        model, data = begin(model_of(False))
        return lambda: mjw.step(model, data), data

    def with_motors():
        plain = model_of(True)
        motors = Motors(plain, actuators())
        model, data = begin(plain)
        state, command = motors.init(data), wp.array(targets, dtype=wp.float32)
        return lambda: motors.step(model, data, command, state), data

    def one_by_one(make) -> np.ndarray:
        """Positions after `STEPS` steps."""
        step, data = make()
        for _ in range(STEPS):
            step()
        return data.qpos.numpy()

    def rounds(make):
        """A call that goes on by `STEPS` steps, out of a graph on a GPU, and the positions after the first one."""
        step, data = make()
        step()
        graph = None
        if device.is_cuda:
            with wp.ScopedCapture() as capture:
                step()
            graph = capture.graph

        def advance(steps: int) -> None:
            for _ in range(steps):
                step() if graph is None else wp.capture_launch(graph)
            wp.synchronize()

        # one step is taken: capturing takes none
        advance(STEPS - 1)
        return lambda: advance(STEPS), data.qpos.numpy()

    def figures(make, motors: bool) -> Iterator[Figure]:
        call, first = rounds(make)
        rate = speed(call, worlds)
        yield Figure(f"{where}, {'twelve full motors' if motors else 'stock actuators'}", rate, UNIT)
        if motors and without:
            yield Figure("  share of the stock speed", rate / without[0], "1")
        without.append(rate)
        yield Figure(f"  off {'`Motors`' if motors else 'MuJoCo'} on the CPU", off_cpu(first, motors), "rad")
        if device.is_cuda:
            alone = one_by_one(make)
            yield Figure("  graph off steps one by one", float(np.abs(first - alone).max()), "rad, m")
            yield Figure("  one by one, twice", float(np.abs(one_by_one(make) - alone).max()), "rad, m")

    without: list[float] = []
    yield from figures(with_stock, False)
    yield from figures(with_motors, True)


def measure(console: Console) -> list[Figure]:
    # JAX would take most of the GPU's memory for itself
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")
    figures: list[Figure] = []
    warnings.simplefilter("ignore")
    for title, run in (("MJX", in_mjx), ("MuJoCo Warp", in_warp)):
        try:
            with console.status(title):
                for figure in run():
                    figures.append(figure)
                    console.print(f"{figure.what}: {figure.value:.4g} {figure.unit}", highlight=False)
        except Exception:
            console.print(f"{title} failed:\n{traceback.format_exc()}", markup=False)
            figures.append(Figure(f"{title} as a whole", float("nan"), "", "runs", False))
    return figures


if __name__ == "__main__":
    report(measure, "mjx", __doc__, "the device that a row names, beside cores")
