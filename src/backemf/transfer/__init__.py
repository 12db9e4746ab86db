"""Carrying a motor into simulators and back, with a statement of what is lost on the way.

What is about whole robots is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .duty import Episode, reference_duty
from .exported import Error, Exported, export
from .imported import read_actuators, read_file, reading_errors
from .targets import NAMES, Target, target_of

if TYPE_CHECKING:
    from .robots import RobotExported, RobotKindExported, SupplyCurrent, check_robot, export_robot

_OF_ROBOTS = ("RobotExported", "RobotKindExported", "SupplyCurrent", "check_robot", "export_robot")


def __getattr__(name: str) -> object:
    if name in _OF_ROBOTS:
        return getattr(importlib.import_module(".robots", __name__), name)
    raise AttributeError(f"module 'backemf.transfer' has no attribute {name!r}")


__all__ = [
    "NAMES",
    "Episode",
    "Error",
    "Exported",
    "RobotExported",
    "RobotKindExported",
    "SupplyCurrent",
    "Target",
    "check_robot",
    "export",
    "export_robot",
    "read_actuators",
    "read_file",
    "reading_errors",
    "reference_duty",
    "target_of",
]
