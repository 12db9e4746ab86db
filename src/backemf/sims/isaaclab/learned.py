"""What the learned actuator models of Isaac Lab 2.x compute: a network, then the DC-motor clip.

One network serves all joints and takes one row per joint. Targets of velocity and effort have no effect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ...actuator.torque_limits import DcClip, clamp
from ...checks import Maybe, Number
from ...errors import ParameterError
from ...learned import LearnedController, LearnedRecurrent, Lstm, Mlp, load_network, save_network
from ...learned.files import ORDERS, scale_fields
from ...learned.folding import from_ages
from ...parts import flag, number, one, part, record, word
from ...physics.command import Command
from ...physics.ops import where
from ...values import Array
from ..loss import APPROXIMATED, Loss
from ..network_law import Rows, network_torque, scales_of, stack_columns
from ..pd_law import all_targets
from ..types import Field, Fields
from .law import Effort, check_corner, motor_bounds


@part
class ActuatorNetMLP:
    """`ActuatorNetMLP`: a network that sees a history of position errors and velocities.

    After a reset the history is zero.
    """

    network: Callable[[Number], Number] = record()
    """From rows of 2·len(input_idx) inputs to one output per row."""
    limit: DcClip = one(DcClip)
    """Stall torque, no-load speed and flat top."""
    input_idx: tuple[int, ...] = record()
    """Ages of the entries that the network sees, in physics steps; 0 is the newest."""
    pos_scale: Number = number("1/rad")
    """Network input per position error."""
    vel_scale: Number = number("s/rad")
    """Network input per velocity."""
    torque_scale: Number = number("N·m")
    """Effort per network output."""
    input_order: str = word(*ORDERS.values(), default="pos_vel")
    """Which block comes first: "pos_vel" or "vel_pos"."""
    corner_effort: Maybe = number("N·m", default=None, above=0.0)
    """As in `DCMotor`."""
    four_quadrants: bool = flag(default=True)
    """As in `DCMotor`."""

    def __post_init__(self) -> None:
        check_corner(self)
        object.__setattr__(self, "input_idx", whole_ages("ActuatorNetMLP.input_idx", self.input_idx))


@part
class ActuatorNetLSTM:
    """`ActuatorNetLSTM`: a recurrent network that sees the position error and the velocity."""

    network: Callable[[Number, tuple[Number, Number]], tuple[Number, tuple[Number, Number]]] = record()
    """From rows (joint, 1, 2) and the memory (hidden, cell), each (layer, joint, feature), to outputs and memory."""
    limit: DcClip = one(DcClip)
    """Stall torque, no-load speed and flat top."""
    clip_at_rest: bool = flag(default=True)
    """Whether the clip is that of a joint at rest, as in Isaac Lab 2.2 and 2.3; False: at its speed, as before."""
    corner_effort: Maybe = number("N·m", default=None, above=0.0)
    """As in `DCMotor`."""
    four_quadrants: bool = flag(default=True)
    """As in `DCMotor`."""

    def __post_init__(self) -> None:
        check_corner(self)


def whole_ages(name: str, ages: object) -> tuple[int, ...]:
    """Ages of a network's inputs [physics steps]; raises ParameterError if they are not whole numbers."""
    known = tuple(ages) if isinstance(ages, (list, tuple, range)) else ()
    whole = [isinstance(age, (int, np.integer)) and not isinstance(age, bool) and age >= 0 for age in known]
    if not whole or not all(whole):
        raise ParameterError(f"{name} = {ages!r}: must be whole numbers of 0 or more, such as (0, 2, 4)")
    return known


@dataclass(frozen=True, kw_only=True)
class History:
    """What an `ActuatorNetMLP` remembers: its last inputs, newest first."""

    errors: tuple[Number, ...]
    """Position errors of the last steps (environment, joint) [rad]."""
    velocities: tuple[Number, ...]
    """Velocities of the last steps (environment, joint) [rad/s]."""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """What an `ActuatorNetLSTM` remembers."""

    hidden: Rows
    """Hidden state (layer, environment, joint, feature) [1]."""
    cell: Rows
    """Cell state (layer, environment, joint, feature) [1]."""


def target_of(command: Command | Number) -> Number:
    """The position that is commanded [rad]."""
    return all_targets(command).position  # pyright: ignore[reportReturnType]  # it has all of them


def no_history(law: ActuatorNetMLP, zeros: Array) -> History:
    """The history before the first step; `zeros` is an array of the batch's shape (environment, joint)."""
    row = (zeros,) * (max(law.input_idx) + 1)
    return History(errors=row, velocities=row)


def reset_history(history: History, mask: Array) -> History:
    """The history with that of the environments of a mask (environment,) set to zero."""
    rows = (history.errors, history.velocities)
    errors, velocities = (tuple(where(mask[:, None], old * 0, old) for old in row) for row in rows)
    return History(errors=errors, velocities=velocities)


def mlp_step(
    law: ActuatorNetMLP, history: History, command: Command | Number, position: Number, velocity: Number
) -> tuple[History, Effort]:
    """The history and the effort of an `ActuatorNetMLP` after one physics step."""
    error = target_of(command) - position
    history = History(errors=(error, *history.errors[:-1]), velocities=(velocity, *history.velocities[:-1]))
    seen = [[row[age] for age in law.input_idx] for row in (history.errors, history.velocities)]
    computed = network_torque(law, *seen)
    low, high = motor_bounds(law, velocity)
    return history, Effort(clamp(computed, low, high), computed)


def no_memory(zeros: Rows) -> Memory:
    """The memory before the first step; `zeros` is an array (layer, environment, joint, feature)."""
    return Memory(hidden=zeros, cell=zeros)


def reset_memory(memory: Memory, mask: Array) -> Memory:
    """The memory with that of the environments of a mask (environment,) set to zero."""
    hidden, cell = (where(mask[:, None, None], x * 0, x) for x in (memory.hidden, memory.cell))
    return Memory(hidden=hidden, cell=cell)


def lstm_step(
    law: ActuatorNetLSTM, memory: Memory, command: Command | Number, position: Number, velocity: Number
) -> tuple[Memory, Effort]:
    """The memory and the effort of an `ActuatorNetLSTM` after one physics step."""
    seen = stack_columns([target_of(command) - position, velocity])
    shape = memory.hidden.shape
    flat = tuple(x.reshape(shape[0], -1, shape[-1]) for x in (memory.hidden, memory.cell))
    network: Any = law.network
    output, (hidden, cell) = network(seen.reshape(-1, 1, 2), flat)
    computed = output.reshape(seen.shape[:-1])
    low, high = motor_bounds(law, velocity * 0.0 if law.clip_at_rest else velocity)
    effort = Effort(clamp(computed, low, high), computed)
    return Memory(hidden=hidden.reshape(shape), cell=cell.reshape(shape)), effort


# --- files


def write_learned(controller: LearnedController, network_file: str | Path) -> tuple[Fields, tuple[Loss, ...]]:
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


def read_learned(fields: Mapping[str, Field], folder: str | Path = ".", *, trust: bool = False) -> LearnedController:
    """The controller of `Configured.network`; the file of the network is looked for in a folder.

    `trust` is as in `load_network`.
    """
    network = load_network(Path(folder) / str(fields.get("network_file")), trust=trust)
    if not isinstance(network, Mlp):
        return LearnedRecurrent(network=network)
    ages = whole_ages("input_idx", fields.get("input_idx"))
    return from_ages(network, list(ages), **scales_of(fields), reset="zero")
