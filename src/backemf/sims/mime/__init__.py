"""MIME and MADDENING: the law of MIME's motor node, and nodes of a MADDENING graph that run it, or our full motor.

The law needs neither; `MotorNode` and `FullMotorNode` are made of MADDENING's own classes, and are loaded when they are
first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ...errors import MissingExtraError
from ..room import About
from . import law
from .compiled import CompiledMime, axis_angle, compose_pose, laws, pose_laws
from .law import COAST, TORQUE, VELOCITY, VOLTAGE, mime_step, mode_of
from .motor import MimeInputs, MimeMotor, MimeState, from_motor
from .verification import Check, report, verify

if TYPE_CHECKING:
    from .full_node import FullMotorNode
    from .node import MotorNode

ABOUT = About(title="MIME", plugin="FullMotorNode")
"""MIME and MADDENING have no files of motors: a graph is a Python program."""
_NODES = {"MotorNode": ".node", "FullMotorNode": ".full_node"}


def __getattr__(name: str) -> object:
    if name in _NODES:
        try:
            return getattr(importlib.import_module(_NODES[name], __name__), name)
        except ModuleNotFoundError as error:
            raise MissingExtraError(str(error.name), "maddening", "A node of a MADDENING graph") from None
    raise AttributeError(f"module 'backemf.sims.mime' has no attribute {name!r}")


__all__ = [
    "ABOUT",
    "COAST",
    "TORQUE",
    "VELOCITY",
    "VOLTAGE",
    "Check",
    "CompiledMime",
    "FullMotorNode",
    "MimeInputs",
    "MimeMotor",
    "MimeState",
    "MotorNode",
    "axis_angle",
    "compose_pose",
    "from_motor",
    "law",
    "laws",
    "mime_step",
    "mode_of",
    "pose_laws",
    "report",
    "verify",
]
