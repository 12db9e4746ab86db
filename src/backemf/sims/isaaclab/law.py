"""What the actuator models of Isaac Lab 2.x compute, with their quirks as named options.

A batch is (environment, joint). Isaac Lab has no gear: every number is on the joint's side. Each model turns a command
into the computed effort, and a clip turns that into the applied effort. A target that is None is 0, as in Isaac Lab's
buffers. The laws need neither Isaac Lab nor PyTorch; `engines.bind` puts them on any engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ... import parts
from ...actuator.control import pd
from ...actuator.torque_limits import AngleTable, DcClip, angle_bounds, clamp, dc_bounds
from ...checks import Maybe, Number
from ...errors import MissingExtraError, ParameterError
from ...parts import count, flag, number, one, part
from ...physics.command import Command
from ...physics.limits import clip
from ...physics.ops import maximum, minimum, where
from ...values import Array, Flags
from ..delay_law import frame_at, push
from ..pd_law import Gains, LimitedPd, all_targets

if TYPE_CHECKING:
    import torch

    from .learned import ActuatorNetLSTM, ActuatorNetMLP


class Effort(NamedTuple):
    """What a model gives to the simulation."""

    applied: Number
    """Effort after the clip [N·m]."""
    computed: Number
    """Effort before it [N·m]."""


@part
class IdealPD(LimitedPd):
    """`IdealPDActuator`: a PD law with feedforward and a flat limit."""


@part
class DCMotor(Gains):
    """`DCMotor`: the PD law, clipped to a straight torque-speed line with a flat top."""

    limit: DcClip = one(DcClip)
    """Stall torque, no-load speed and flat top."""
    corner_effort: Maybe = number("N·m", default=None, above=0.0)
    """Effort limit when the actuator was made. Isaac Lab computes the corner speed from it once: a joint that is driven
    faster is braked with this effort, even if the limit was lowered since. None: the limit never changed."""
    four_quadrants: bool = flag(default=True)
    """Whether a joint above its no-load speed is braked; False: as before Isaac Lab 2.2, which lets it go."""

    def __post_init__(self) -> None:
        check_corner(self)


@part
class DelayedPD(LimitedPd):
    """`DelayedPDActuator`: an `IdealPD` whose targets arrive some physics steps late.

    Each environment has one delay for all joints and all three targets, drawn at its reset. Until that many targets
    have arrived, the first one acts.
    """

    min_delay: int = count("steps", default=0)
    """Shortest delay, in physics steps."""
    max_delay: int = count("steps", default=0)
    """Longest delay, in physics steps."""

    def __post_init__(self) -> None:
        check_delay(self)


@part
class RemotizedPD(Gains):
    """`RemotizedPDActuator`: a delayed PD law behind a linkage, whose limit depends on the joint angle."""

    table: AngleTable = one(AngleTable)
    """First and third column of `joint_parameter_lookup`: joint angle and largest effort."""
    transmission_ratio: np.ndarray | None = parts.table("1", default=None)
    """Its second column, motor over joint speed at those angles; Isaac Lab keeps it and never uses it."""
    min_delay: int = count("steps", default=0)
    """Shortest delay, in physics steps."""
    max_delay: int = count("steps", default=0)
    """Longest delay, in physics steps."""

    def __post_init__(self) -> None:
        check_delay(self)


@dataclass(frozen=True, kw_only=True)
class LagState:
    """What a delayed model remembers."""

    frames: tuple[Command, ...]
    """Targets of the last max_delay + 1 steps, newest first."""
    lag: Array
    """Delay of each environment [physics steps]."""
    empty: Flags
    """Whether there has been no step since the reset, per environment."""


def check_corner(law: DCMotor | ActuatorNetMLP | ActuatorNetLSTM) -> None:
    """Check that a corner effort has an effect; raise ParameterError if not."""
    if law.corner_effort is not None and not law.four_quadrants:
        raise ParameterError(f"{type(law).__name__}.corner_effort has an effect only with four_quadrants=True")


def check_delay(law: DelayedPD | RemotizedPD) -> None:
    """Check that the shorter delay comes first; raise ParameterError if not."""
    if law.min_delay > law.max_delay:
        raise ParameterError(
            f"{type(law).__name__}.min_delay = {law.min_delay}: must not be above max_delay = {law.max_delay}"
        )


# --- the laws


def motor_bounds(law: DCMotor | ActuatorNetMLP | ActuatorNetLSTM, speed: Number) -> tuple[Number, Number]:
    """Lowest and highest effort of the DC-motor clip, with the corner speed that Isaac Lab keeps [N·m]."""
    limit = law.limit
    if law.corner_effort is None:
        low, high = dc_bounds(speed, limit)
        return (low, high) if law.four_quadrants else (minimum(low, 0.0), maximum(high, 0.0))
    corner = limit.velocity_limit * (1.0 + law.corner_effort / limit.saturation_effort)
    # with the larger of both efforts for its top, the clip's own corner comes no earlier than the kept one
    wide = replace(limit, effort_limit=maximum(limit.effort_limit, law.corner_effort))
    low, high = dc_bounds(clip(speed, -corner, corner), wide)
    return maximum(low, -limit.effort_limit), minimum(high, limit.effort_limit)


def ideal_pd_effort(law: IdealPD | DelayedPD, command: Command | Number, position: Number, velocity: Number) -> Effort:
    """Effort of an `IdealPD` at a joint position [rad] and velocity [rad/s]."""
    computed = pd(law.stiffness, law.damping, all_targets(command), position, velocity).amount
    limit = law.effort_limit
    return Effort(computed if limit is None else clamp(computed, -limit, limit), computed)


def dc_motor_effort(law: DCMotor, command: Command | Number, position: Number, velocity: Number) -> Effort:
    """Effort of a `DCMotor` at a joint position [rad] and velocity [rad/s]."""
    computed = pd(law.stiffness, law.damping, all_targets(command), position, velocity).amount
    low, high = motor_bounds(law, velocity)
    return Effort(clamp(computed, low, high), computed)


def initial_lags(law: DelayedPD | RemotizedPD, zeros: Array) -> LagState:
    """The buffer before its first reset: no delay. `zeros` is an array of the batch's shape (environment, joint)."""
    nothing = Command(position=zeros, velocity=zeros, effort=zeros)
    return LagState(frames=(nothing,) * (law.max_delay + 1), lag=zeros[:, 0], empty=zeros[:, 0] == 0.0)


def reset_lags(state: LagState, mask: Flags, lag: Array) -> LagState:
    """The buffer with the environments of a mask (environment,) emptied and given a new delay [physics steps]."""
    return replace(state, lag=where(mask, lag + state.lag * 0, state.lag), empty=state.empty | mask)


def delay_targets(state: LagState, command: Command | Number) -> tuple[LagState, Command]:
    """The buffer with this step's targets, and the targets that arrive."""
    frames = push(state.frames, all_targets(command), state.empty[:, None])
    return replace(state, frames=frames, empty=state.empty & False), frame_at(frames, state.lag[:, None])


def delayed_pd_step(
    law: DelayedPD, state: LagState, command: Command | Number, position: Number, velocity: Number
) -> tuple[LagState, Effort]:
    """The buffer and the effort of a `DelayedPD` after one physics step."""
    state, arriving = delay_targets(state, command)
    return state, ideal_pd_effort(law, arriving, position, velocity)


def remotized_pd_step(
    law: RemotizedPD, state: LagState, command: Command | Number, position: Number, velocity: Number
) -> tuple[LagState, Effort]:
    """The buffer and the effort of a `RemotizedPD` after one physics step."""
    state, arriving = delay_targets(state, command)
    computed = pd(law.stiffness, law.damping, arriving, position, velocity).amount
    low, high = angle_bounds(position, law.table)
    return state, Effort(clamp(computed, low, high), computed)


# --- Isaac Lab's random numbers


def draw_lags(
    law: DelayedPD | RemotizedPD, environments: int, generator: torch.Generator | None = None,
    device: torch.device | str | None = None,
) -> torch.Tensor:  # fmt: skip
    """The delays that Isaac Lab draws at a reset of a number of environments, in their order.

    A robot draws once for each of its delayed actuator groups, in the order of its configuration. Called in that order
    after `torch.manual_seed`, this gives the same delays.
    """
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtraError("torch", "torch", "Drawing Isaac Lab's delays") from None
    device = generator.device if generator is not None else device
    size, low, high = (environments,), law.min_delay, law.max_delay + 1
    return torch.randint(low, high, size, dtype=torch.int, device=device, generator=generator)
