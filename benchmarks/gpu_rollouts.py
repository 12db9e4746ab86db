"""Whole runs in one launch on a CUDA GPU: full motors with a position controller, supply and load.

Each motor has its own command in every step; position and torque are recorded every tenth step. Times are those of the
replay of a CUDA graph, the shortest of several; `call` is what `backemf.rollout` takes with all that the host does.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import warp as wp
from full_motor import full_actuator

import backemf as be
from backemf.rollout import channel_names
from backemf.tree import map_numbers

DT, STEPS, EVERY = 1e-3, 1000, 10
LOAD = be.Inertia(inertia=0.01)
SEEN = ("position", "torque")
GOALS = {1024: 0.35, 65_536: 0.6, 2**20: 8.0}
"""Longest time of a run by number of motors [ms]."""


def actuator(**more) -> be.Actuator:
    """The full motor with its controller and supply, and no delay."""
    return full_actuator(**({"delay": None} | more))


def own(part, count: int, dtype=wp.float32, device: str = "cuda"):
    """The same part with every number as an array, none of them equal."""
    rng = np.random.default_rng(0)
    return map_numbers(part, lambda x: wp.array(x * rng.uniform(1.0, 1.05, count), dtype=dtype, device=device))


def commands(steps: int, count: int, dtype=wp.float32) -> wp.array:
    """A sine of its own for each motor [rad]."""
    t = np.arange(steps)[:, None] * DT
    rng = np.random.default_rng(1)
    size, rate = rng.uniform(0.1, 1.0, count).astype(np.float32), rng.uniform(0.5, 4.0, count).astype(np.float32)
    return wp.array((size * np.sin(6.283 * t.astype(np.float32) * rate)), dtype=dtype, device="cuda")


def milliseconds(launch: Callable[[], object], repeats: int = 10, rounds: int = 5) -> float:
    """Shortest time of what is launched [ms]."""
    launch()
    best = float("inf")
    for _ in range(rounds):
        begin, end = (wp.Event(device="cuda", enable_timing=True) for _ in range(2))
        wp.synchronize()
        wp.record_event(begin)
        for _ in range(repeats):
            launch()
        wp.record_event(end)
        wp.synchronize()
        best = min(best, wp.get_event_elapsed_time(begin, end) / repeats)
    return best


def replay(call: Callable[[], object], repeats: int = 10) -> float:
    """Time of a call whose launches are captured and replayed [ms]."""
    call()
    with wp.ScopedCapture(device="cuda") as capture:
        kept = call()
    took = milliseconds(lambda: wp.capture_launch(capture.graph), repeats)
    del kept
    return took


def host_time(call: Callable[[], object], repeats: int = 20) -> float:
    """Shortest time of a whole call, the host's part included [ms]."""
    best = float("inf")
    for _ in range(repeats):
        wp.synchronize()
        began = time.perf_counter()
        call()
        wp.synchronize()
        best = min(best, time.perf_counter() - began)
    return 1e3 * best


def run_of(count: int, per_motor: bool, **more) -> Callable[[], object]:
    """A run of so many motors, whose start is on the device."""
    motor, told = actuator(**more), commands(STEPS, count)
    if per_motor:
        motor = own(motor, count)
    start, _ = be.rollout(motor, LOAD, told[:1].contiguous(), DT, engine="warp", device="cuda")
    return lambda: be.rollout(
        motor, LOAD, told, DT, start=start, observe=SEEN, every=EVERY, engine="warp", device="cuda"
    )


def jax_time(count: int) -> float:
    """The same run by JAX's scan [ms]."""
    import jax

    told = jax.numpy.asarray(commands(STEPS, count).numpy())
    run = jax.jit(lambda rows: be.rollout(actuator(), LOAD, rows, DT, observe=SEEN, every=EVERY))
    best = float("inf")
    jax.block_until_ready(run(told))
    for _ in range(5):
        began = time.perf_counter()
        jax.block_until_ready(run(told))
        best = min(best, time.perf_counter() - began)
    return 1e3 * best


def disagreement(precision: str, count: int = 64) -> tuple[float, str]:
    """Largest difference from NumPy of any channel over a run, over its peak or that of all powers, and which it is."""
    signal = commands(STEPS, count).numpy().astype(float)
    rng = np.random.default_rng(2)
    motor = map_numbers(actuator(delay=be.Delay(steps=(2, 5))), lambda x: x)
    motor = replace(motor, motor=map_numbers(motor.motor, lambda x: x * rng.uniform(1.0, 1.05, count)))
    runs = [
        be.simulate(motor, LOAD, signal, STEPS * DT, DT, engine="numpy"),
        be.simulate(motor, LOAD, signal, STEPS * DT, DT, engine="warp", device="cuda", precision=precision),
    ]
    powers = max(np.abs(runs[0][name]).max() for name in runs[0].channels if name.endswith("_power"))
    worst = {}
    for name in runs[0].channels:
        peak = max(np.abs(runs[0][name]).max(), powers if name.endswith("_power") else 1e-9)
        worst[name] = float(np.abs(runs[1][name] - runs[0][name]).max() / peak)
    del worst["limit"]
    name = max(worst, key=worst.__getitem__)
    return worst[name], name


BY = ("motor.winding.resistance", "motor.friction.coulomb", "motor.magnet.torque_constant", "load.inertia")
"""Numbers by which derivatives are taken."""


def add_slopes(add: Callable[..., None], count: int = 65_536) -> None:
    """What derivatives by a few numbers in the same launch cost and are good for, beside differences of runs."""
    motor, told = own(actuator(), count), commands(STEPS, count)
    load = be.Inertia(inertia=wp.array(np.full(count, 0.01), dtype=wp.float32, device="cuda"))
    given = {"observe": SEEN, "every": EVERY, "device": "cuda"}
    start, _ = be.rollout(motor, load, told[:1].contiguous(), DT, engine="warp", device="cuda")
    plain = replay(lambda: be.rollout(motor, load, told, DT, start=start, engine="warp", **given))
    for names in (BY[:1], BY):
        took = replay(lambda names=names: be.rollout_slopes(motor, load, told, DT, names, start=start, **given))
        runs = (1 + len(names)) * plain
        what = f"{count:,} motors, with the derivatives by {len(names)} of their own numbers"
        add(what, f"{took:.2f} ms; {1 + len(names)} runs {runs:.2f} ms")
    along, apart = slope_errors()
    add(
        "… float32, largest error of a derivative",
        f"{along:.1e} of the largest; from the difference of two runs {apart:.1e}",
    )


def slope_errors(count: int = 64) -> tuple[float, float]:
    """Errors of derivatives in float32 beside float64, in the launch and from runs 0.1 % apart, over the largest."""
    signal = commands(STEPS, count).numpy().astype(float)

    def run(precision: str, ohms: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        plain = actuator()
        assert plain.motor is not None
        winding = replace(plain.motor.winding, resistance=ohms * plain.motor.winding.resistance)
        motor = replace(plain, motor=replace(plain.motor, winding=winding))
        given = {"observe": ("torque",), "every": EVERY, "precision": precision, "device": "cuda"}
        _, seen, slopes = be.rollout_slopes(motor, LOAD, signal, DT, BY[0], **given)
        return seen["torque"].numpy().astype(float), slopes[BY[0]]["torque"].numpy().astype(float)

    exact = run("float64")[1]
    off = 1e-3
    apart = (run("float32", 1.0 + off)[0] - run("float32", 1.0 - off)[0]) / (2.0 * off * 1.2)
    peak = np.abs(exact).max()
    return float(np.abs(run("float32")[1] - exact).max() / peak), float(np.abs(apart - exact).max() / peak)


def measure(add: Callable[..., None], jax_too: bool = True) -> None:
    """Measure all of it; `add(what, value, goal, met)` takes each figure."""
    wp.config.quiet = True
    wp.init()
    error, name = disagreement("float64")
    add(
        "1,000 steps of 64 motors beside NumPy, float64",
        f"{error:.1e} of the peak ({name})",
        "<= 1e-12",
        error <= 1e-12,
    )
    error, name = disagreement("float32")
    add("… float32", f"{error:.1e} of the peak ({name})")
    for count, goal in GOALS.items():
        call = run_of(count, False)
        took = replay(call)
        rate = f"{took:.2f} ms, {count * STEPS / took / 1e6:.0f} billion steps/s"
        add(f"{count:,} motors, {STEPS:,} steps", rate, f"<= {goal} ms", took <= goal)
        add("… the whole call, with the host", f"{host_time(call):.2f} ms")
        took = replay(run_of(count, True))
        add("… every number its own for every motor", f"{took:.2f} ms")
        if jax_too and count <= 65_536:
            add("… JAX's scan", f"{jax_time(count):.1f} ms")
    add_slopes(add)
    all_names = tuple(name for name in channel_names(actuator(), LOAD))
    times = {}
    for substeps in (1, 10):
        motor, told = own(actuator(substeps=substeps), 2**20), commands(20, 2**20)
        start, _ = be.rollout(motor, LOAD, told[:1].contiguous(), DT, engine="warp", device="cuda")

        def call(motor=motor, told=told, start=start):
            return be.rollout(motor, LOAD, told, DT, start=start, observe=all_names, engine="warp", device="cuda")

        times[substeps] = replay(call)
    more = times[10] / times[1]
    what = f"1,048,576 motors, 20 steps, all {len(all_names)} channels of each, 10 substeps"
    add(what, f"{times[10]:.2f} ms, {more:.2f} times one substep", "<= 3 times", more <= 3)
