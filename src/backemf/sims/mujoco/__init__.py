"""MuJoCo: the law of its dcmotor, its files, and backemf actuators inside it, which are loaded when first used."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ..on_joint import Unread
from . import law
from .about import ABOUT
from .compiled import CompiledDcMotor, laws
from .imported import read_actuator, read_actuators
from .law import DcMotorState
from .motor import DcMotor
from .motor_law import MujocoOnJoint
from .whole_robot import write_robot
from .written.attaching import Attached, attach
from .written.existing import Change
from .written.writing import WrittenMotor, write

if TYPE_CHECKING:
    from .plugin.motors import Motors
    from .wrapping import WrappedSet, wrap

_INSIDE = {"Motors": "plugin.motors", "WrappedSet": "wrapping", "wrap": "wrapping"}
"""What runs inside MuJoCo, and where it is."""


def __getattr__(name: str) -> object:
    if name in _INSIDE:
        return getattr(importlib.import_module(f".{_INSIDE[name]}", __name__), name)
    raise AttributeError(f"module 'backemf.sims.mujoco' has no attribute {name!r}")


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
