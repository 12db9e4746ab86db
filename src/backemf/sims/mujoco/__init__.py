"""MuJoCo: its own dcmotor as it computes it, and the actuators of a model as ours."""

from .compiled import CompiledDcMotor, laws
from .files import wrap
from .law import DcMotorState
from .motor import DcMotor

__all__ = ["CompiledDcMotor", "DcMotor", "DcMotorState", "laws", "wrap"]
