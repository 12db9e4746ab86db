"""What the learned actuator models of Isaac Lab 2.x compute: a network, then the DC-motor clip.

One network serves all joints and takes one row per joint. Targets of velocity and effort have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ...actuator.torque_limits import DcClip, limited
from ...checks import Maybe, Number, require_finite
from ...errors import ParameterError
from ...learned import LearnedController, LearnedRecurrent, Lstm, Mlp, load_network, save_network
from ...learned.files import scale_fields
from ...learned.folding import from_ages
from ...physics.ops import where
from ..loss import APPROXIMATED, Loss
from ..network_law import network_torque, scales_of, stack_columns
from .law import Effort, check_clip, complete, motor_bounds, whole


@dataclass(frozen=True, kw_only=True)
class ActuatorNetMLP:
    """`ActuatorNetMLP`: a network that sees a history of position errors and velocities.

    After a reset the history is zero.
    """

    network: Callable[[Any], Any]
    """From rows of 2·len(input_idx) inputs to one output per row."""
    limit: DcClip
    """Stall torque, no-load speed and flat top."""
    input_idx: tuple[int, ...]
    """Ages of the entries that the network sees, 0 the newest [physics steps]."""
    pos_scale: Number
    """Network input per position error [1/rad]."""
    vel_scale: Number
    """Network input per velocity [s/rad]."""
    torque_scale: Number
    """Effort per network output [N·m]."""
    input_order: str = "pos_vel"
    """Which block comes first: "pos_vel" or "vel_pos"."""
    corner_effort: Maybe = None
    """As in `DCMotor` [N·m]."""
    four_quadrants: bool = True
    """As in `DCMotor`."""

    def __post_init__(self) -> None:
        check_clip(self)
        require_finite(self, "pos_scale", "vel_scale", "torque_scale")
        if self.input_order not in ("pos_vel", "vel_pos"):
            raise ParameterError(f"ActuatorNetMLP.input_order = {self.input_order!r}: must be 'pos_vel' or 'vel_pos'")
        ages = tuple(self.input_idx) if isinstance(self.input_idx, (list, tuple, range)) else ()
        if not ages or not all(whole(age) for age in ages):
            raise ParameterError(
                f"ActuatorNetMLP.input_idx = {self.input_idx!r}: must be whole numbers of 0 or more, such as (0, 2, 4)"
            )
        object.__setattr__(self, "input_idx", ages)


@dataclass(frozen=True, kw_only=True)
class ActuatorNetLSTM:
    """`ActuatorNetLSTM`: a recurrent network that sees the position error and the velocity."""

    network: Callable[[Any, tuple[Any, Any]], tuple[Any, tuple[Any, Any]]]
    """From rows (joint, 1, 2) and the memory (hidden, cell), each (layer, joint, feature), to outputs and memory."""
    limit: DcClip
    """Stall torque, no-load speed and flat top."""
    clip_at_rest: bool = True
    """Whether the clip is that of a standing joint, as in Isaac Lab 2.2 and 2.3; False: at its speed, as before."""
    corner_effort: Maybe = None
    """As in `DCMotor` [N·m]."""
    four_quadrants: bool = True
    """As in `DCMotor`."""

    def __post_init__(self) -> None:
        check_clip(self)


@dataclass(frozen=True, kw_only=True)
class History:
    """What an `ActuatorNetMLP` remembers: its last inputs, newest first."""

    errors: tuple[Any, ...]
    """Position errors of the last steps (environment, joint) [rad]."""
    velocities: tuple[Any, ...]
    """Velocities of the last steps (environment, joint) [rad/s]."""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What an `ActuatorNetLSTM` remembers."""

    hidden: Any
    """Hidden state (layer, environment, joint, feature) [1]."""
    cell: Any
    """Cell state (layer, environment, joint, feature) [1]."""


def no_history(law: ActuatorNetMLP, zeros: Any) -> History:
    """The history before the first step; `zeros` is an array of the batch's shape (environment, joint)."""
    row = (zeros,) * (max(law.input_idx) + 1)
    return History(errors=row, velocities=row)


def reset_history(history: History, mask: Any) -> History:
    """The history with that of the environments of a mask (environment,) set to zero."""

    def emptied(row: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(where(mask[:, None], old * 0, old) for old in row)

    return History(errors=emptied(history.errors), velocities=emptied(history.velocities))


def mlp_step(
    law: ActuatorNetMLP, history: History, command: Any, position: Number, velocity: Number
) -> tuple[History, Effort]:
    """The history and the effort of an `ActuatorNetMLP` after one physics step."""
    error = complete(command).position - position
    history = History(errors=(error, *history.errors[:-1]), velocities=(velocity, *history.velocities[:-1]))
    seen = [[row[age] for age in law.input_idx] for row in (history.errors, history.velocities)]
    computed = network_torque(law, *seen)
    low, high = motor_bounds(law, velocity)
    return history, Effort(limited(computed, low, high), computed)


def no_memory(zeros: Any) -> Memory:
    """The memory before the first step; `zeros` is an array (layer, environment, joint, feature)."""
    return Memory(hidden=zeros, cell=zeros)


def reset_memory(memory: Memory, mask: Any) -> Memory:
    """The memory with that of the environments of a mask (environment,) set to zero."""
    spread = mask[:, None, None]
    return replace(
        memory,
        hidden=where(spread, memory.hidden * 0, memory.hidden),
        cell=where(spread, memory.cell * 0, memory.cell),
    )


def lstm_step(
    law: ActuatorNetLSTM, memory: Memory, command: Any, position: Number, velocity: Number
) -> tuple[Memory, Effort]:
    """The memory and the effort of an `ActuatorNetLSTM` after one physics step."""
    seen = stack_columns([complete(command).position - position, velocity])
    shape = memory.hidden.shape
    flat = tuple(x.reshape(shape[0], -1, shape[-1]) for x in (memory.hidden, memory.cell))
    output, (hidden, cell) = law.network(seen.reshape(-1, 1, 2), flat)
    computed = output.reshape(seen.shape[:-1])
    low, high = motor_bounds(law, velocity * 0.0 if law.clip_at_rest else velocity)
    return Memory(hidden=hidden.reshape(shape), cell=cell.reshape(shape)), Effort(
        limited(computed, low, high), computed
    )


# --- files


def write_learned(controller: LearnedController, network_file: str | Path) -> tuple[dict[str, Any], tuple[Loss, ...]]:
    """Write the network of a controller as Isaac Lab loads it.

    Gives the fields that `ActuatorNetMLPCfg` or `ActuatorNetLSTMCfg` needs with it, and what is lost. The latter has no
    fields for scales, so they are in the weights.
    """
    if isinstance(controller, LearnedRecurrent) and not isinstance(controller.network, Lstm):
        raise ParameterError("LearnedRecurrent.network: Isaac Lab runs no GRU; train an LSTM or an MLP")
    path = str(save_network(controller, Path(network_file).with_suffix(".pt")))
    if isinstance(controller, LearnedRecurrent):
        return {"network_file": path}, ()
    fields = {
        "network_file": path,
        **scale_fields(controller),
        "input_idx": list(range(0, controller.depth, controller.stride)),
    }
    note = "Isaac Lab's history is zero after a reset, not the first sample: the first steps differ"
    return fields, () if controller.reset == "zero" else (Loss("network history after a reset", APPROXIMATED, note),)


def read_learned(fields: Mapping[str, Any], folder: str | Path = ".", *, trust: bool = False) -> LearnedController:
    """The controller of `Configured.network`; the file of the network is looked for in a folder.

    `trust` is as in `load_network`.
    """
    network = load_network(Path(folder) / str(fields.get("network_file")), trust=trust)
    if not isinstance(network, Mlp):
        return LearnedRecurrent(network=network)
    ages = fields.get("input_idx")
    if not isinstance(ages, (list, tuple)) or not ages or not all(whole(age) for age in ages):
        raise ParameterError(f"input_idx = {ages!r}: must be whole numbers of 0 or more, such as [0, 2, 4]")
    return from_ages(network, list(ages), **scales_of(fields), reset="zero")
