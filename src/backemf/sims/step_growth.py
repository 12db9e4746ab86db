"""How a step that grows a disturbance is spoken of: the bound, the longest stable step, the name of the integrator."""

from __future__ import annotations

import math
from collections.abc import Callable
from types import ModuleType

from .mujoco_types import MjModel

GROWS = 1e-5
"""Growth in a step from which a map counts as unstable [1]: rounding of a double root at 1 is below."""
SHORTEST = 1e-2
"""Shortest step that is looked at, as a part of the given one [1]."""


def longest_step(stable: Callable[[float], bool], h: float) -> float | None:
    """The longest step up to h with `stable(step)`, two digits rounded down [s]; None: none that is worth trying."""
    low = h
    while not stable(low):
        low *= 0.5
        if low < SHORTEST * h:
            return None
    high = min(2.0 * low, h)
    for _ in range(12):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if stable(middle) else (low, middle)
    unit = 10.0 ** (math.floor(math.log10(low)) - 1)
    return math.floor(low / unit) * unit


def times(grows: float) -> str:
    """A growth in words."""
    return f"by {100.0 * (grows - 1.0):.2g} %" if grows < 2.0 else f"{grows:.3g} times"


def integrator_of(mujoco: ModuleType, model: MjModel) -> str:
    """The integrator of a model, as MJCF calls it."""
    word = str(mujoco.mjtIntegrator(model.opt.integrator).name).removeprefix("mjINT_")
    return {"EULER": "Euler", "RK4": "RK4"}.get(word) or word.lower()
