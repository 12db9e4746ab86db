"""Newton: its own actuators' laws and USD files, and a whole backemf actuator inside `newton.actuators`.

Where Newton is installed, importing this makes `ModelBuilder.add_usd` read backemf's schemas.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...errors import MissingExtraError
from . import law
from .about import ABOUT
from .law import DcMotor, Drive, MaxEffort, Memory, Pipeline, PositionBased
from .on_joint import NewtonJoint
from .reading import read_actuator, read_actuators
from .whole_robot import write_robot
from .writing import write

if TYPE_CHECKING:
    from .actuator import BackemfActuator, add_armature, fuse
    from .clamp import BackemfClamp
    from .memory import MotorState
    from .plugin import BackemfDrive

_INSIDE = {
    "BackemfActuator": "actuator",
    "BackemfClamp": "clamp",
    "BackemfDrive": "plugin",
    "MotorState": "memory",
    "add_armature": "actuator",
    "fuse": "actuator",
}
"""What needs Newton, and where it is."""

__all__ = [
    "ABOUT",
    "BackemfActuator",
    "BackemfClamp",
    "BackemfDrive",
    "DcMotor",
    "Drive",
    "MaxEffort",
    "Memory",
    "MotorState",
    "NewtonJoint",
    "Pipeline",
    "PositionBased",
    "add_armature",
    "fuse",
    "law",
    "read_actuator",
    "read_actuators",
    "write",
    "write_robot",
]


def __getattr__(name: str) -> object:
    if name not in _INSIDE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    import importlib

    if find_spec("newton") is None:
        raise MissingExtraError("newton", "newton", f"backemf.sims.newton.{name}")
    return getattr(importlib.import_module(f"{__name__}.{_INSIDE[name]}"), name)


if find_spec("newton") is not None:
    from .schema import register

    register()
