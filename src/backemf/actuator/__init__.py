"""The left half of the way: from a command to the motor's terminals, or to a joint torque."""

from ..physics.command import Command
from .actuator import Actuator
from .compiled import CompiledStep
from .controllers import DutyServo, IdealPd, ModeSelector, PositionPid, Torque, TorquePid, VelocityPi, Voltage
from .delay import Delay, Draws
from .duty_curve import DutyCurve, DutyTable
from .joint_friction import TanhFriction
from .joint_spring import JointSpring
from .supply import Supply
from .torque_limits import AngleTable, DcClip, DriveEnvelope, EffortLimit, EffortRange, KneeCurve, TorqueSpeedTable

__all__ = [
    "Actuator",
    "AngleTable",
    "Command",
    "CompiledStep",
    "DcClip",
    "Delay",
    "Draws",
    "DriveEnvelope",
    "DutyCurve",
    "DutyServo",
    "DutyTable",
    "EffortLimit",
    "EffortRange",
    "IdealPd",
    "JointSpring",
    "KneeCurve",
    "ModeSelector",
    "PositionPid",
    "Supply",
    "TanhFriction",
    "Torque",
    "TorquePid",
    "TorqueSpeedTable",
    "VelocityPi",
    "Voltage",
]
