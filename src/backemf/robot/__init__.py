"""A robot: different actuators in one compiled step, by joint, and whole robots in TOML files."""

from .actuator_set import ActuatorSet
from .compiled import CompiledSet
from .joint_drive import JointDrive
from .robot import Robot, read_robot
from .robot_file import is_robot_file

__all__ = ["ActuatorSet", "CompiledSet", "JointDrive", "Robot", "is_robot_file", "read_robot"]
