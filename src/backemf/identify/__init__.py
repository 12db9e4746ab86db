"""From logs to a motor: logs, what is wrong with them, the rig on which they were taken, and fits.

The room can be called, and is then the function `identify`: `backemf.identify(logs, prior, rig=rig)`.
"""

import sys
import types

from .channels import CHANNELS, Channel
from .comparison import Comparison, compare
from .excitation import Excitation
from .fit import Fit
from .identification import identify
from .joints import drive_of_joint
from .known import Known
from .log import Log
from .motion_choice import excite
from .motion_limits import MotionLimits
from .reading import read_log
from .rig import Rig
from .rig_parts import MeasuredMotion, RobotModel, Sensor, ServoRegisters
from .robot_motion import RobotMotion

__all__ = [
    "CHANNELS",
    "Channel",
    "Comparison",
    "Excitation",
    "Fit",
    "Known",
    "Log",
    "MeasuredMotion",
    "MotionLimits",
    "Rig",
    "RobotModel",
    "RobotMotion",
    "Sensor",
    "ServoRegisters",
    "compare",
    "drive_of_joint",
    "excite",
    "identify",
    "read_log",
]


class _Room(types.ModuleType):
    __call__ = staticmethod(identify)


sys.modules[__name__].__class__ = _Room
__wrapped__ = identify  # whose signature the room has
