"""Channels that nobody measured: a column of zeros, as drivers write it where a sensor is missing."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from .log import Log

SHOWN = 3
"""So many logs stand in a sentence [1]."""
FEWEST = 8
"""Fewest samples that tell a channel of zeros from a moment of rest [1]."""


def unmeasured(log: Log) -> tuple[str, ...]:
    """Channels of the log of one joint that are zero throughout while others show that they cannot be."""
    found = [name for name in ("velocity", "torque", "current") if _is_zero(log, name)]
    if not found or _is_off(log):
        return ()
    moves = [name for name in ("position", "velocity") if _changes(log, name)]
    flows = [name for name in ("current", "torque") if name in log and log[name].any()]
    # a rotor that is held has no speed, whatever its current
    return tuple(name for name in found if moves or (flows and name != "velocity"))


def unmeasured_channels(logs: Iterable[Log]) -> dict[str, str]:
    """Every such channel of some logs, with a sentence that names the logs in which it is zero."""
    found: dict[str, list[str]] = {}
    for log in logs:
        for joint in log.joints or ("",):
            for name in unmeasured(log.joint(joint) if joint else log):
                place = ", ".join(each for each in (Path(log.name).name, joint) if each)
                found.setdefault(name, []).append(place or "the log")
    return {
        name: f"{name} is not compared: it is 0 throughout in {_list(places)} while others change: nobody measured it"
        for name, places in found.items()
    }


def _list(places: list[str]) -> str:
    each = list(dict.fromkeys(places))
    return ", ".join(each[:SHOWN]) + (f" and {len(each) - SHOWN} more" if len(each) > SHOWN else "")


def _is_zero(log: Log, name: str) -> bool:
    return name in log and len(log[name]) >= FEWEST and not log[name].any()


def _changes(log: Log, name: str) -> bool:
    return name in log and float(np.ptp(log[name])) > 0.0


def _is_off(log: Log) -> bool:
    """Whether the drive is off from start to end, or is asked for nothing: then nothing flows."""
    if "enable" in log and not log["enable"].any():
        return True
    return bool(log.commands) and not any(log[name].any() for name in log.commands)
