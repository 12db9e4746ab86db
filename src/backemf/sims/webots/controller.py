"""The module `controller` of Webots, as far as it is motors, position sensors, brakes and the robot that has them.

A script finds it under that name while it runs by `backemf webots run`, with the submodules of Webots' package. What is
not simulated, such as a camera, is there too: it says so once, and answers neutral values.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import NoReturn

from .devices.absent import ABSENT
from .devices.ansi import AnsiCodes
from .devices.differential_wheels import DifferentialWheels
from .devices.fields import ContactPoint, Field, Node, Proto
from .devices.inputs import Joystick, Keyboard, Mouse, MouseState
from .devices.kinds import snake
from .devices.motion import Motion
from .devices.motor import Motor
from .devices.neutral import LidarPoint
from .devices.other import Brake, Device, PositionSensor, Sensor
from .devices.robot import Robot
from .devices.servo import Servo
from .devices.supervisor import Supervisor


class CameraRecognitionObject:
    """An object that a camera recognises; there is never one."""


class RadarTarget:
    """A target that a radar sees; there is never one."""


class CLibrary:
    """Stands for Webots' C library, which scripts import as `wb`, mostly without a use for it."""

    def __getattr__(self, name: str) -> NoReturn:
        raise AttributeError(f"wb.{name}: Webots' C library is not here; use the classes of the module controller")


globals().update(ABSENT)
__all__ = [
    "AnsiCodes", "Brake", "CameraRecognitionObject", "ContactPoint", "Device", "DifferentialWheels", "Field",
    "Joystick", "Keyboard", "LidarPoint", "Motion", "Motor", "Mouse", "MouseState", "Node", "PositionSensor",
    "Proto", "RadarTarget", "Robot", "Sensor", "Servo", "Supervisor",
]  # fmt: skip
__all__ += list(ABSENT)
_SHARED = {"CameraRecognitionObject": "camera", "ContactPoint": "node", "MouseState": "mouse"}
SUBMODULES = {"wb": ""}
"""Submodules of Webots' package, and what is in each."""
for _class in __all__:
    _module = _SHARED.get(_class) or snake(_class)
    SUBMODULES[_module] = f"{SUBMODULES.get(_module, '')} {_class}".strip()


def modules() -> dict[str, ModuleType]:
    """The module and its submodules, under the names by which a script imports them."""
    package = sys.modules[__name__]
    made: dict[str, ModuleType] = {"controller": package}
    for name, classes in SUBMODULES.items():
        made[f"controller.{name}"] = module = ModuleType(f"controller.{name}")
        for each in classes.split():
            setattr(module, each, getattr(package, each))
    vars(made["controller.wb"])["wb"] = CLibrary()
    return made


def __getattr__(name: str) -> ModuleType:
    if name in SUBMODULES:
        return sys.modules.get(f"controller.{name}") or modules()[f"controller.{name}"]
    raise AttributeError(f"module 'controller' has no attribute {name!r}")
