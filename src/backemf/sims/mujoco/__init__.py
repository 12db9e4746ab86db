"""MuJoCo: the law of its dcmotor, its files, and backemf actuators inside it."""

from ..on_joint import Unread
from . import law
from .about import ABOUT
from .compiled import CompiledDcMotor, laws
from .imported import read_actuator, read_actuators
from .law import DcMotorState
from .motor import DcMotor
from .motor_law import MujocoOnJoint
from .plugin.motors import Motors
from .whole_robot import write_robot
from .wrapping import WrappedSet, wrap
from .written.attaching import Attached, attach
from .written.existing import Change
from .written.writing import WrittenMotor, write

__all__ = [
    "ABOUT",
    "Attached",
    "Change",
    "CompiledDcMotor",
    "DcMotor",
    "DcMotorState",
    "Motors",
    "MujocoOnJoint",
    "Unread",
    "WrappedSet",
    "WrittenMotor",
    "attach",
    "law",
    "laws",
    "read_actuator",
    "read_actuators",
    "wrap",
    "write",
    "write_robot",
]
