"""What mjlab 1.6 computes in `LearnedMlpActuator`: a network on the last position errors and velocities, then the clip.

One network serves all joints. Its input is two blocks, each newest first and scaled; its output times a scale is a
torque, which the DC-motor clip limits. After a reset the first values fill the whole history.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from ...actuator.torque_limits import DcClip, dc_bounds
from ...checks import Number
from ...errors import MissingExtraError, ParameterError
from ...files import require_plain
from ...learned import LearnedController, LearnedRecurrent, Mlp, load_network, save_network
from ...learned import LearnedMlp as Controller
from ...learned.archives import LARGEST
from ...learned.files import ORDERS, scale_fields
from ...learned.folding import every_step
from ...parts import count, number, part, record, word
from ...physics.limits import clip
from ...values import Array, Flags
from ..delay_law import push
from ..loss import APPROXIMATED, Loss
from ..network_law import network_torque, scales_of
from ..types import Field, Fields
from .law import line_of


@part
class LearnedMlp:
    """`LearnedMlpActuatorCfg`, with the network itself in place of its file."""

    network: Callable[[Number], Number] = record()
    """From rows of 2·history_length inputs to one output per row."""
    pos_scale: Number = number("1/rad")
    """Network input per position error."""
    vel_scale: Number = number("s/rad")
    """Network input per velocity."""
    torque_scale: Number = number("N·m")
    """Torque per network output."""
    effort_limit: Number = number("N·m", above=0.0)
    """Flat top of the clip: the largest torque at any speed."""
    saturation_effort: Number = number("N·m", above=0.0)
    """Torque at stall."""
    velocity_limit: Number = number("rad/s", above=0.0)
    """No-load speed."""
    input_order: str = word(*ORDERS.values(), default="pos_vel")
    """Which block comes first: "pos_vel" or "vel_pos"."""
    history_length: int = count("steps", default=3, least=1)
    """Steps in each block, the present one included."""

    @classmethod
    def load(cls, network_file: str, *, trust: bool = False, **values: Field) -> LearnedMlp:
        """With the network of a file; it takes PyTorch tensors of single precision, as mjlab's does.

        Nothing in the file is run. With `trust`, PyTorch loads it as mjlab does, which runs the code in it: give that
        for a TorchScript file you made yourself.
        """
        try:
            import torch
        except ModuleNotFoundError:
            raise MissingExtraError("torch", "torch", "A TorchScript network") from None
        if not trust:
            from ...learned.torch_modules import module_of

            return cls(network=module_of(load_network(network_file)).to(torch.float32).eval(), **values)
        require_plain(network_file, LARGEST, what="a TorchScript file")
        try:
            network = torch.jit.load(network_file, map_location="cpu").eval()
        except (RuntimeError, OSError, ValueError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise ParameterError(f"{network_file}: PyTorch cannot load it as TorchScript ({reason})") from None
        return cls(network=network, **values)

    @property
    def limit(self) -> DcClip:
        """The clip alone."""
        return line_of(self)


@dataclass(frozen=True, kw_only=True)
class History:
    """What the actuator remembers: its last inputs, newest first."""

    errors: tuple[Number, ...]
    """Position errors of the last steps (environment, joint) [rad]."""
    velocities: tuple[Number, ...]
    """Velocities of the last steps (environment, joint) [rad/s]."""
    empty: Flags
    """Whether there has been no step since the reset (environment, 1)."""


def no_history(law: LearnedMlp, zeros: Array) -> History:
    """The history before the first step of a batch; `zeros` is an array of its shape (environment, joint)."""
    row = (zeros,) * law.history_length
    return History(errors=row, velocities=row, empty=zeros[:, :1] == 0.0)


def reset_history(history: History, mask: Array) -> History:
    """The history with the environments of a mask (environment,) emptied."""
    return replace(history, empty=history.empty | mask[:, None])


def learned_step(
    law: LearnedMlp, history: History, position_target: Array, position: Array, velocity: Array
) -> tuple[History, Number]:
    """The history with this step, and what `LearnedMlpActuator` writes as its control [N·m].

    Targets of velocity and effort have no effect, nor have stiffness and damping.
    """
    history = History(
        errors=push(history.errors, position_target - position, history.empty),
        velocities=push(history.velocities, velocity, history.empty),
        empty=history.empty & False,
    )
    low, high = dc_bounds(velocity, law.limit)
    return history, clip(network_torque(law, [*history.errors], [*history.velocities]), low, high)


# --- files


def write_learned(controller: LearnedController, network_file: str | Path) -> tuple[Fields, tuple[Loss, ...]]:
    """Write the network of a controller as mjlab loads it.

    Gives the fields that `LearnedMlpActuatorCfg` needs with it, and what is lost. mjlab's history has no stride: a
    network that skips steps is written with weights of 0 for them.
    """
    if isinstance(controller, LearnedRecurrent):
        raise ParameterError("LearnedRecurrent: mjlab has no actuator with a recurrent network; train an MLP")
    whole = every_step(controller)
    fields = {
        "network_file": str(save_network(whole, Path(network_file).with_suffix(".pt"))),
        **scale_fields(whole),
        "history_length": whole.history,
    }
    note = "mjlab fills the history with the first sample after a reset, not with zeros: the first steps differ"
    lost = Loss("network history after a reset", APPROXIMATED, note)
    return fields, () if controller.reset == "backfill" else (lost,)


def read_learned(fields: Mapping[str, Field], folder: str | Path = ".", *, trust: bool = False) -> LearnedController:
    """The controller of the fields of `LearnedMlpActuatorCfg`; the file of the network is looked for in a folder.

    `trust` is as in `load_network`.
    """
    network = load_network(Path(folder) / str(fields.get("network_file")), trust=trust)
    if not isinstance(network, Mlp):
        raise ParameterError(f"{fields.get('network_file')}: holds a recurrent network; mjlab runs MLPs")
    history = fields.get("history_length", 3)
    return Controller(network=network, history=history, **scales_of(fields), reset="backfill")
