"""Logs of a pendulum whose drive has a torque that no law of ours explains."""

from collections.abc import Callable

import numpy as np
from identify_rigs import TRUTH, pendulum_rig

import backemf as be

DT = 1e-4
"""Step of the simulation, far shorter than a fit's [s]."""
EVERY = 50
"""Steps from one sample to the next [1]."""
MASS, LENGTH, GRAVITY = 0.49, 0.1, 9.80665
"""The pendulum of `identify_rigs.pendulum_rig`."""


def sticky_spots(position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """Near 0.4 rad a push that is stronger on the way down, near -0.6 rad a brake [N·m]."""
    push = 0.08 * np.exp(-(((position - 0.4) / 0.3) ** 2)) * (0.6 - 0.4 * np.tanh(velocity / 0.1))
    return push - 0.05 * np.exp(-(((position + 0.6) / 0.25) ** 2)) * np.tanh(velocity / 0.2)


def nothing(position: np.ndarray, velocity: np.ndarray) -> np.ndarray:
    """The laws alone."""
    return 0.0 * position


def strange_logs(
    torque: Callable[[np.ndarray, np.ndarray], np.ndarray], count: int = 8, seconds: float = 5.0, noise: float = 1e-3
) -> list[be.Log]:
    """Sines of rising frequency, steps and triangles, 200 samples a second, with one more torque at the joint."""
    generator = np.random.default_rng(0)
    time = DT * np.arange(int(seconds / DT))
    sizes, pace = generator.uniform(0.8, 1.5, count), generator.uniform(0.25, 0.6, count)
    shapes = (np.sin, lambda x: np.sign(np.sin(x)), lambda x: 2.0 / np.pi * np.arcsin(np.sin(x)))
    rising = [0.1 * time if k % 3 == 0 else 0.0 for k in range(count)]
    targets = np.stack(
        [
            a * shapes[k % 3](2.0 * np.pi * (f + rising[k]) * time)
            for k, (a, f) in enumerate(zip(sizes, pace, strict=True))
        ],
        axis=1,
    )
    targets = targets[::EVERY].repeat(EVERY, axis=0)
    still = be.Log.from_arrays([0.0, 1.0], {"position": [0.0, 0.0]})
    step = pendulum_rig().actuator_for(be.Actuator(TRUTH), still).compile("native")
    state, position, velocity = step.initial(count), np.zeros(count), np.zeros(count)
    inertia, rows = np.full(count, MASS * LENGTH**2), []
    for target in targets:
        rows.append(position)
        pull = torque(position, velocity) - MASS * GRAVITY * LENGTH * np.sin(position)
        state, out = step.coupled(state, target, position, velocity, DT, pull, inertia)
        position, velocity = out.joint_position, out.joint_velocity
    seen = np.array(rows)[::EVERY]
    seen = seen + noise * generator.normal(size=seen.shape)
    return [
        be.Log.from_arrays(
            time[::EVERY], {"position_command": goal, "position": row}, meta={"number": k}, name=f"log {k}"
        )
        for k, (goal, row) in enumerate(zip(targets[::EVERY].T, seen.T, strict=True))
    ]
