"""mjlab 1.6: what its actuators compute, to the last bit, and our motors inside it.

The laws need neither mjlab nor PyTorch; `engines.bind` puts them on any engine. `MotorActuatorCfg` and the terms in
`mdp` are made of mjlab's own classes, and are loaded when they are first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from ...errors import MissingExtraError
from . import law
from .about import ABOUT
from .configured import Configured
from .delay import DelayBuffer, Draws, LagState, at_lags, delay_step, draw_phase, draw_step, initial_lags, reset_lags
from .law import DcMotor, IdealPd, dc_motor_torque, ideal_pd_torque, motor_force, pd_torque
from .learned import History, LearnedMlp, learned_step, no_history, read_learned, reset_history, write_learned
from .reading import read_actuator, read_actuators, read_configs
from .whole_robot import write_robot
from .wrapping import Wrapped, wrap
from .writing import write

if TYPE_CHECKING:
    from . import mdp
    from .plugin import MotorActuator, MotorActuatorCfg


def __getattr__(name: str) -> object:
    if name in ("MotorActuator", "MotorActuatorCfg"):
        return getattr(importlib.import_module(".plugin", __name__), name)
    if name == "mdp":
        try:
            return importlib.import_module(".mdp", __name__)
        except ModuleNotFoundError as error:
            raise MissingExtraError(str(error.name), "mjlab", "backemf.sims.mjlab.mdp") from None
    raise AttributeError(f"module 'backemf.sims.mjlab' has no attribute {name!r}")


__all__ = [
    "ABOUT",
    "Configured",
    "DcMotor",
    "DelayBuffer",
    "Draws",
    "History",
    "IdealPd",
    "LagState",
    "LearnedMlp",
    "MotorActuator",
    "MotorActuatorCfg",
    "Wrapped",
    "at_lags",
    "dc_motor_torque",
    "delay_step",
    "draw_phase",
    "draw_step",
    "ideal_pd_torque",
    "initial_lags",
    "law",
    "learned_step",
    "mdp",
    "motor_force",
    "no_history",
    "pd_torque",
    "read_actuator",
    "read_actuators",
    "read_configs",
    "read_learned",
    "reset_history",
    "reset_lags",
    "wrap",
    "write",
    "write_learned",
    "write_robot",
]
