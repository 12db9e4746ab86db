"""The spring beside each motor that makes its copper least warm: least squares in the stiffness and in its offset.

With the direction of power fixed, the motor's torque is linear in k and k·q0, and minimising Σ m²·dt is a problem of
two unknowns. The direction follows from the spring, so it is solved a few times over; the best round counts.
"""

from __future__ import annotations

import numpy as np

from ..actuator.joint_spring import JointSpring
from ..motor import Motor
from ..parts import without_neutral
from ..physics.inverse import motor_torque
from .cycle import Cycle
from .evaluation import at_ambient
from .passes import run_pass
from .sweeps import Pair

ROUNDS = 8
"""Most rounds in which the direction of power follows the spring [1]."""


def best_springs(motor: Motor, count: int, cycle: Cycle, engine: str | None = None) -> JointSpring:
    """The spring of each of `count` pairs; a stiffness of 0 where none helps."""
    made = without_neutral(at_ambient(motor, 25.0, 1.0))
    columns = {name: cycle.columns()[name] for name in ("dt", "position", "velocity", "acceleration", "torque")}
    stiffness, rest_angle = np.zeros(count), np.zeros(count)
    best, least = (stiffness, rest_angle), np.full(count, np.inf)
    for _ in range(ROUNDS):
        spring = JointSpring(stiffness=stiffness, rest_angle=rest_angle)
        sums = run_pass(
            "spring_sums", Pair(made, (), 25.0, spring), dict.fromkeys(("mm", "qq", "q1", "11", "qc", "1c"), 0.0),
            columns, count, engine,
        )  # fmt: skip
        sums = _with_rest(sums, made, cycle, stiffness, rest_angle)
        better = sums["mm"] < least * (1.0 - 1e-12)
        best = np.where(better, stiffness, best[0]), np.where(better, rest_angle, best[1])
        least = np.minimum(least, sums["mm"])
        if not better.any():
            break
        stiffness, rest_angle = _solve(sums)
    return JointSpring(stiffness=best[0], rest_angle=best[1])


def _with_rest(
    sums: dict[str, np.ndarray], motor: Motor, cycle: Cycle, stiffness: np.ndarray, rest_angle: np.ndarray
) -> dict[str, np.ndarray]:
    """The sums of a whole cycle, its rest included, in which the joint stands where the motion ends."""
    rhythm, c = cycle.rhythm, cycle.cells
    total = {name: rhythm.repeats * value for name, value in sums.items()}
    if rhythm.rest > 0.0:
        end = float(c.position[-1] + 0.5 * c.dt[-1] * c.velocity[-1])
        share = 1.0 / np.asarray(motor.ratio) * np.ones_like(stiffness)
        bare = cycle.rest_torque * share
        held = motor_torque(motor, 0.0, 0.0, cycle.rest_torque + stiffness * (end - rest_angle))
        added = {"mm": held**2, "qq": share**2 * end**2, "q1": share**2 * end, "11": share**2, "qc": share * end * bare,
                 "1c": share * bare}  # fmt: skip
        total = {name: value + rhythm.rest * added[name] for name, value in total.items()}
    return total


def _solve(s: dict[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """Stiffness and rest angle of the normal equations; a spring that would push is none."""
    determinant = s["qq"] * s["11"] - s["q1"] ** 2
    with np.errstate(all="ignore"):
        stiffness = (-s["qc"] * s["11"] + s["1c"] * s["q1"]) / determinant
        offset = (s["1c"] * s["qq"] - s["q1"] * s["qc"]) / determinant
        found = (determinant > 1e-12 * s["qq"] * s["11"]) & (stiffness > 0.0)
        return np.where(found, stiffness, 0.0), np.where(found, offset / stiffness, 0.0)
