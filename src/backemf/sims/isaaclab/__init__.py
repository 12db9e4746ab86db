"""Isaac Lab 2.x: what its actuators compute, and its configuration text."""

from ..text import Written
from . import law
from .about import ABOUT
from .configured import Configured
from .law import (
    DCMotor,
    DelayedPD,
    Effort,
    IdealPD,
    LagState,
    RemotizedPD,
    dc_motor_effort,
    delayed_pd_step,
    draw_lags,
    ideal_pd_effort,
    initial_lags,
    remotized_pd_step,
    reset_lags,
)
from .learned import (
    ActuatorNetLSTM,
    ActuatorNetMLP,
    History,
    Memory,
    lstm_step,
    mlp_step,
    no_history,
    no_memory,
    read_learned,
    reset_history,
    reset_memory,
    write_learned,
)
from .reading import read_actuator, read_actuators, read_configs
from .whole_robot import write_robot
from .writing import write

__all__ = [
    "ABOUT",
    "ActuatorNetLSTM",
    "ActuatorNetMLP",
    "Configured",
    "DCMotor",
    "DelayedPD",
    "Effort",
    "History",
    "IdealPD",
    "LagState",
    "Memory",
    "RemotizedPD",
    "Written",
    "dc_motor_effort",
    "delayed_pd_step",
    "draw_lags",
    "ideal_pd_effort",
    "initial_lags",
    "law",
    "lstm_step",
    "mlp_step",
    "no_history",
    "no_memory",
    "read_actuator",
    "read_actuators",
    "read_configs",
    "read_learned",
    "remotized_pd_step",
    "reset_history",
    "reset_lags",
    "reset_memory",
    "write",
    "write_learned",
    "write_robot",
]
