"""MuJoCo: its own dcmotor as it computes it, and the actuators of a model as ours."""

from .compiled import CompiledDcMotor, laws
from .files import wrap
from .imported import read, read_actuator
from .law import DcMotorState
from .motor import DcMotor
from .motor_law import MujocoOnJoint
from .plugin.motors import Motors
from .written.attaching import attach
from .written.writing import WrittenMotor, write

__all__ = [
    "CompiledDcMotor",
    "DcMotor",
    "DcMotorState",
    "Motors",
    "MujocoOnJoint",
    "WrittenMotor",
    "attach",
    "laws",
    "read",
    "read_actuator",
    "wrap",
    "write",
]
