"""Isaac Lab 2.x: what its actuators compute, and its configuration text."""

from ..text import Written
from .configured import Configured
from .files import read, read_actuator, read_actuators, write
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
    reset_history,
    reset_memory,
)

__all__ = [
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
    "lstm_step",
    "mlp_step",
    "no_history",
    "no_memory",
    "read",
    "read_actuator",
    "read_actuators",
    "remotized_pd_step",
    "reset_history",
    "reset_lags",
    "reset_memory",
    "write",
]
