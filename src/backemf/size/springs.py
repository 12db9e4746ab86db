"""The spring beside each motor that makes its copper least warm: least squares in the stiffness and in its offset.

With the direction of power fixed, the motor's torque is linear in k and k·q0, and minimising Σ m²·dt is a problem of
two unknowns. The direction follows from the spring, so it is solved again where that led; a step that makes it worse is
shortened.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from ..actuator.joint_spring import JointSpring
from ..motor import Motor
from .cycle import Cycle
from .evaluation import at_ambient, take_pairs
from .passes import run_pass
from .sweeps import Pair

ROUNDS = 40
"""Most rounds in which the direction of power follows the spring [1]."""
GAIN = 1e-9
"""Share of the heat that a round has to gain for another one [1]."""
SHORTEST = 1e-3
"""Shortest step, of the way to what the equations say, that is tried [1]."""


def best_springs(motor: Motor, count: int, cycle: Cycle, engine: str | None = None) -> JointSpring:
    """The spring of each of `count` pairs; a stiffness of 0 where none helps."""
    whole = Pair(at_ambient(motor, 25.0, 1.0), (), 25.0)
    columns = {name: cycle.columns()[name] for name in ("dt", "position", "velocity", "acceleration", "torque")}
    # stiffness and offset, (2, pairs): where each pair is, what the equations there say, and how far it goes towards it
    best, goal = np.zeros((2, count)), np.zeros((2, count))
    least, step = np.full(count, np.inf), np.ones(count)
    rows = np.arange(count)
    for _ in range(ROUNDS):
        tried = best[:, rows] + step[rows] * (goal[:, rows] - best[:, rows])
        some = take_pairs(whole, rows, count)
        sums = _with_rest(_sums(some, columns, tried, engine), some.motor, cycle, tried)
        better = sums["mm"] < least[rows]
        gained = np.where(np.isinf(least[rows]), np.inf, least[rows] - sums["mm"])
        won = rows[better]
        best[:, won], least[won] = tried[:, better], sums["mm"][better]
        goal[:, won] = _solve(sums)[:, better]
        step[won] = np.minimum(2.0 * step[won], 1.0)
        step[rows[~better]] *= 0.4
        moving = np.where(better, gained > GAIN * least[rows], step[rows] > SHORTEST)
        rows = rows[moving]
        if not len(rows):
            break
    stiffness, offset = best
    helps = stiffness > 0.0
    return JointSpring(
        stiffness=np.where(helps, stiffness, 0.0),
        rest_angle=np.where(helps, offset / np.where(helps, stiffness, 1.0), 0.0),
    )


def _sums(pair: Pair, columns: dict[str, np.ndarray], tried: np.ndarray, engine: str | None) -> dict[str, np.ndarray]:
    """The sums of one motion with springs of these stiffnesses and offsets."""
    stiffness, offset = tried
    # a spring of no stiffness has its torque as an offset alone
    spring = JointSpring(stiffness=np.ascontiguousarray(stiffness), rest_angle=0.0, offset=np.ascontiguousarray(offset))
    return run_pass(
        "spring_sums", replace(pair, spring=spring), dict.fromkeys(("mm", "qq", "q1", "11", "qc", "1c"), 0.0), columns,
        len(stiffness), engine,
    )  # fmt: skip


def _with_rest(sums: dict[str, np.ndarray], motor: Motor, cycle: Cycle, tried: np.ndarray) -> dict[str, np.ndarray]:
    """The sums of a whole cycle, its rest included, in which the joint stands where the motion ends."""
    rhythm, c = cycle.rhythm, cycle.cells
    total = {name: rhythm.repeats * value for name, value in sums.items()}
    if rhythm.rest > 0.0:
        end = float(c.position[-1] + 0.5 * c.dt[-1] * c.velocity[-1])
        share = np.ones_like(tried[0]) / np.asarray(motor.ratio)
        bare = cycle.rest_torque * share
        held = bare + share * (tried[0] * end - tried[1])
        added = {"mm": held**2, "qq": share**2 * end**2, "q1": share**2 * end, "11": share**2, "qc": share * end * bare,
                 "1c": share * bare}  # fmt: skip
        total = {name: value + rhythm.rest * added[name] for name, value in total.items()}
    return total


def _solve(s: dict[str, np.ndarray]) -> np.ndarray:
    """Stiffness and offset of the normal equations, (2, pairs); a spring that would push is none."""
    determinant = s["qq"] * s["11"] - s["q1"] ** 2
    with np.errstate(all="ignore"):
        stiffness = (-s["qc"] * s["11"] + s["1c"] * s["q1"]) / determinant
        offset = (s["1c"] * s["qq"] - s["q1"] * s["qc"]) / determinant
        found = (determinant > 1e-12 * s["qq"] * s["11"]) & (stiffness > 0.0)
        return np.stack([np.where(found, stiffness, 0.0), np.where(found, offset, 0.0)])
