"""Controllers, one file each: from a target to a voltage at the terminals, a duty of the bus, or a torque at the joint.

Every gain is per radian of the joint. A controller that asks for a torque needs no motor; with one, the torque becomes
a voltage that makes up for the back-EMF, or goes through a current loop.
"""

from importlib import import_module
from pkgutil import iter_modules

from ...parts import FAMILIES
from .controller import TORQUE_TARGETS, Controller
from .duty_servo import DutyServo
from .ideal_pd import IdealPd
from .mode_selector import ModeSelector
from .position_pid import PositionPid
from .torque import Torque
from .torque_pid import TorquePid
from .velocity_pi import VelocityPi
from .voltage import Voltage

__all__ = [
    "TORQUE_TARGETS",
    "Controller",
    "DutyServo",
    "IdealPd",
    "ModeSelector",
    "PositionPid",
    "Torque",
    "TorquePid",
    "VelocityPi",
    "Voltage",
]

# a file in this folder is a controller: nothing has to name it
for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")


def __getattr__(name: str) -> type:
    if name in FAMILIES["controller"]:
        return FAMILIES["controller"][name]
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
