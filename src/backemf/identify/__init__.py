"""From logs to a motor: logs, what is wrong with them, the rig on which they were taken, and fits."""

from .channels import CHANNELS, Channel
from .comparison import Comparison, compare
from .fit import Fit
from .identification import identify
from .known import Known
from .log import Log
from .reading import read_log
from .rig import Rig
from .rig_parts import MeasuredMotion, RobotModel, Sensor, ServoRegisters
from .robot_motion import RobotMotion

__all__ = [
    "CHANNELS",
    "Channel",
    "Comparison",
    "Fit",
    "Known",
    "Log",
    "MeasuredMotion",
    "Rig",
    "RobotModel",
    "RobotMotion",
    "Sensor",
    "ServoRegisters",
    "compare",
    "identify",
    "read_log",
]
