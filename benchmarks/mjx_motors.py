"""What full motors cost a quadruped in MJX and in MuJoCo Warp: a step with them beside one with stock actuators.

Runs on whatever device JAX and Warp take first: a GPU where there is one, else the CPU. On a GPU, MuJoCo Warp's steps
are replayed from a CUDA graph, with motors as without.

    python benchmarks/mjx_motors.py
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np
from rich.console import Console

import backemf as be

sys.path.insert(0, str(Path(__file__).parent))
from figures import Figure, report
from full_motor import full_motor
from mujoco_quadruped import DAMPING, STANCE, STIFFNESS, quadruped

STEPS, ROUNDS = 20, 3
ON_CPU, ON_GPU = 64, 4096
"""Worlds that are stepped at once."""
UNIT = "k world-steps/s"


def model_of(motors: bool) -> mujoco.MjModel:
    """The quadruped of `mujoco_quadruped.py` with pyramidal friction cones, which MJX has for every contact."""
    text = quadruped(True, motors).replace(' cone="elliptic" impratio="100"', ' iterations="10" ls_iterations="10"')
    return mujoco.MjModel.from_xml_string(text)


def actuators() -> dict[str, be.Actuator]:
    pd = be.IdealPd(stiffness=STIFFNESS, damping=DAMPING)
    return {"hip.|thigh.|knee.": be.Actuator(full_motor(), be.Supply(voltage=48.0), controller=pd)}


def speed(call: Callable[[], None], worlds: int) -> float:
    """World-steps per second, the best of some rounds [1000/s]."""
    call()
    best = float("inf")
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - begin)
    return worlds * STEPS / best / 1e3


def in_mjx() -> tuple[str, int, float, float]:
    """Device, worlds, and the speeds with stock actuators and with motors."""
    import jax
    import jax.numpy as jnp
    from mujoco import mjx

    from backemf.sims.mjx import Motors

    worlds = ON_CPU if jax.default_backend() == "cpu" else ON_GPU
    told = jnp.asarray(STANCE * 4, jnp.float32)

    def begin(plain: mujoco.MjModel):
        data = mjx.make_data(plain)
        data = data.replace(qpos=data.qpos.at[7:].set(told), ctrl=told)
        return mjx.put_model(plain), jax.vmap(lambda _: data)(jnp.arange(worlds))

    stock, data = begin(model_of(False))
    run = jax.jit(lambda d: jax.lax.fori_loop(0, STEPS, lambda _, d: jax.vmap(mjx.step, (None, 0))(stock, d), d).qpos)
    without = speed(lambda: run(data).block_until_ready(), worlds)

    plain = model_of(True)
    motors = Motors(plain, actuators(), telemetry=("current", "winding_temperature"))
    model, data_of = begin(plain)
    state = motors.init(data_of)
    step = jax.vmap(motors.step, (None, 0, None, 0))
    both = jax.jit(lambda d, s: jax.lax.fori_loop(0, STEPS, lambda _, c: step(model, c[0], told, c[1]), (d, s))[0].qpos)
    return str(jax.devices()[0]), worlds, without, speed(lambda: both(data_of, state).block_until_ready(), worlds)


def in_warp() -> tuple[str, int, float, float]:
    """The same of MuJoCo Warp."""
    import mujoco_warp as mjw
    import warp as wp

    from backemf.sims.mujoco_warp import Motors

    wp.config.quiet = True
    worlds = ON_GPU if wp.get_device().is_cuda else ON_CPU
    pose = np.tile(np.array(STANCE * 4, np.float32), (worlds, 1))

    def begin(plain: mujoco.MjModel):
        data = mjw.make_data(plain, nworld=worlds)
        qpos = data.qpos.numpy()
        qpos[:, 7:] = pose
        data.qpos.assign(qpos)
        return mjw.put_model(plain), data

    def many(step: Callable[[], None]) -> Callable[[], None]:
        step()
        if not wp.get_device().is_cuda:
            return lambda: [step() for _ in range(STEPS)] and None
        with wp.ScopedCapture() as capture:
            step()

        def replay() -> None:
            for _ in range(STEPS):
                wp.capture_launch(capture.graph)
            wp.synchronize()

        return replay

    model, data = begin(model_of(False))
    data.ctrl.assign(pose)
    without = speed(many(lambda: mjw.step(model, data)), worlds)
    plain = model_of(True)
    motors = Motors(plain, actuators())
    model_with, data_with = begin(plain)
    state, told = motors.init(data_with), wp.array(pose, dtype=wp.float32)
    return str(wp.get_device()), worlds, without, speed(
        many(lambda: motors.step(model_with, data_with, told, state)), worlds
    )  # fmt: skip


def measure(console: Console) -> list[Figure]:
    figures = []
    warnings.simplefilter("ignore")
    for title, run in (("MJX", in_mjx), ("MuJoCo Warp", in_warp)):
        with console.status(title):
            device, worlds, without, with_motors = run()
        where = f"{title} on {device}, {worlds} quadrupeds"
        figures += [
            Figure(f"{where}, stock actuators", without, UNIT),
            Figure("  twelve full motors", with_motors, UNIT),
            Figure("  share of the stock speed", with_motors / without, "1"),
        ]
    return figures


if __name__ == "__main__":
    report(measure, "mjx", __doc__)
