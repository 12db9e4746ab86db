"""Whole robots: their joints and drives, what does not fit together, and their files for every simulator."""

from .checking import check_robot
from .exporting import RobotExported, RobotKindExported, export_robot
from .placing import Placed, joints_by_pattern, place_drives, robot_actuators
from .supply_current import SupplyCurrent, supply_current

__all__ = [
    "Placed",
    "RobotExported",
    "RobotKindExported",
    "SupplyCurrent",
    "check_robot",
    "export_robot",
    "joints_by_pattern",
    "place_drives",
    "robot_actuators",
    "supply_current",
]
