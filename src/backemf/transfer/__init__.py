"""Carrying a motor into simulators and back, with a statement of what is lost on the way."""

from .duty import Episode, reference_duty
from .exported import Error, Exported, export
from .imported import read_actuators, read_file, reading_errors
from .robots import RobotExported, RobotKindExported, SupplyCurrent, check_robot, export_robot
from .targets import NAMES, Target, target_of

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
