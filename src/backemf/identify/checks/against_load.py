"""What gravity says of a log: degrees that are read as radians, and a weight that the motor cannot hold."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np

from ...datasheet import Finding
from ...loads import Pendulum, pendulum_torque
from ..signals import LEAST, slope_over
from .view import MotorFigures, amount, finding

if TYPE_CHECKING:
    from ..log import Log
    from ..rig import Rig

FAR = 2.0 * math.pi
"""Way of a position from which on degrees and radians differ by the gravity that they meet [rad]."""
FOLLOWS, BETTER = 0.6, 0.5
"""Share that gravity explains if it is in degrees, and what that leaves over what radians leave, at most [1]."""
TOO_HEAVY = 5.0
"""A weight that needs so many times the motor's stall torque is in another unit [1]."""


def check_against_load(log: Log, rig: Rig, motor: MotorFigures) -> Iterator[Finding]:
    """What a pendulum's weight contradicts, in the log of one joint."""
    if rig.load.kind is not Pendulum or "position" not in log or len(log["position"]) < LEAST:
        return
    load = rig.load.build(log.meta, "[load]")
    yield from _degrees(log, load, motor.ratio)
    yield from _weight(log, load, motor)


def _degrees(log: Log, load: Pendulum, ratio: float) -> Iterator[Finding]:
    """An effort, or an error of the position, that follows the gravity of degrees and not that of radians."""
    time, position = log.times("position"), log["position"]
    if np.ptp(np.percentile(position, [0.5, 99.5])) < FAR:
        return
    speed = slope_over(time, position)
    usual = float(np.median(np.abs(speed)))
    others = [np.ones(len(time)), speed, np.tanh(speed / usual) if usual > 0.0 else 0.0 * speed]
    for name in ("torque", "current", "duty", "position_command"):
        if name not in log or np.ptp(log[name]) == 0.0:
            continue
        effort = np.interp(time, log.times(name), log[name])
        effort = effort - position if name == "position_command" else effort
        readings = (position, np.radians(position), position / ratio)
        left = [_left(effort, [*others, np.asarray(pendulum_torque(q, load))]) for q in readings]
        if ratio > 1.0 and left[2] < BETTER * left[1]:
            # of the motor's shaft, which speeds tell
            continue
        if 1.0 - left[1] > FOLLOWS and left[1] < BETTER * left[0]:
            shown = "the error of the position" if name == "position_command" else name
            given = ", ".join(f'"{each}": "deg"' for each in ("position", "position_command") if each in log)
            yield finding(
                "position", "error", f"{shown} follows the weight of the pendulum if the position is in degrees "
                f"({100 * (1 - left[1]):.0f} % explained), and not if it is in rad ({100 * (1 - left[0]):.0f} %); give "
                f"units={{{given}}}", "deg-as-si",
            )  # fmt: skip
            return


def _left(values: np.ndarray, causes: list[np.ndarray]) -> float:
    """Share of the variance that a sum of causes leaves."""
    whole = float(np.var(values))
    if whole == 0.0:
        return 1.0
    table = np.stack(causes, axis=1)
    answer = np.linalg.lstsq(table, values, rcond=None)[0]
    return float(np.var(values - table @ answer)) / whole


def _weight(log: Log, load: Pendulum, motor: MotorFigures) -> Iterator[Finding]:
    """A weight that stays where no torque of this motor could hold it."""
    if motor.torque is None or not log.commands:
        return
    needed = np.abs(np.asarray(pendulum_torque(log["position"], load)))
    # what is held for a while, and not only passed
    most = float(np.percentile(needed, 75))
    if most > TOO_HEAVY * motor.torque:
        yield finding(
            "load.mass", "error", f"its weight needs {amount(most, 'torque')} for a quarter of the log, "
            f"{most / motor.torque:.3g} times the motor's stall torque of {amount(motor.torque, 'torque')}: mass or "
            "length is in another unit, or the motor is another; correct the rig", "rig",
        )  # fmt: skip
