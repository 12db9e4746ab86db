"""What the actuator models of Isaac Lab 2.x compute, with their quirks as named options.

A batch is (environment, joint). Isaac Lab knows no gear: every number is on the side of the joint. In each model a
command becomes the computed effort, and a clip makes the applied effort of it. A target that is None is 0, as Isaac
Lab's buffers are. The laws need neither Isaac Lab nor PyTorch; `engines.bind` puts them on any engine.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ... import parts
from ...actuator.control import pd
from ...actuator.torque_limits import AngleTable, DcClip, angle_bounds, dc_bounds, limited
from ...checks import Maybe, Number, require, require_part
from ...errors import MissingExtraError, ParameterError
from ...parts import count, flag
from ...physics.command import Command
from ...physics.limits import clip
from ...physics.ops import maximum, minimum, where
from ...tree import kind_of_numbers
from ..pd_law import Gains, LimitedPd

if TYPE_CHECKING:
    import torch


class Effort(NamedTuple):
    """What a model hands to the simulation."""

    applied: Any
    """Effort after the clip [N·m]."""
    computed: Any
    """Effort before it [N·m]."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class IdealPD(LimitedPd):
    """`IdealPDActuator`: a PD law with feedforward and a flat limit."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class DCMotor(Gains):
    """`DCMotor`: the PD law, clipped to a straight torque-speed line with a flat top."""

    limit: DcClip
    """Stall torque, no-load speed and flat top."""
    corner_effort: Maybe = None
    """Effort limit when the actuator was made, from which Isaac Lab keeps the corner speed: a joint that is driven
    faster is braked with this effort, though the limit was lowered since [N·m]. None: the limit never changed."""
    four_quadrants: bool = flag(default=True)
    """Whether a joint above its no-load speed is braked; False: as before Isaac Lab 2.2, where it is let go."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_clip(self)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class DelayedPD(LimitedPd):
    """`DelayedPDActuator`: an `IdealPD` whose targets arrive some physics steps late.

    Each environment has one delay for all joints and all three targets, drawn at its reset. Until so many targets have
    come, the first one acts.
    """

    min_delay: int = count(None, default=0)
    """Shortest delay [physics steps]."""
    max_delay: int = count(None, default=0)
    """Longest delay [physics steps]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_delay(self)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class RemotizedPD(Gains):
    """`RemotizedPDActuator`: a delayed PD law behind a linkage, whose limit depends on where the joint is."""

    table: AngleTable
    """First and third column of `joint_parameter_lookup`: joint angle and largest effort."""
    transmission_ratio: np.ndarray | None = parts.table(None, default=None)
    """Its second column, motor over joint speed at those angles [1]; Isaac Lab keeps it and never uses it."""
    min_delay: int = count(None, default=0)
    """Shortest delay [physics steps]."""
    max_delay: int = count(None, default=0)
    """Longest delay [physics steps]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        check_delay(self)
        require_part(self, "table", AngleTable)


@dataclass(frozen=True, kw_only=True)
class LagState:
    """What a delayed model remembers."""

    frames: tuple[Command, ...]
    """Targets of the last max_delay + 1 steps, newest first."""
    lag: Any
    """Delay of each environment [physics steps]."""
    empty: Any
    """Whether there has been no step since the reset, per environment."""


def whole(value: Any) -> bool:
    """Whether a value counts steps."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool) and bool(value >= 0)


def check_clip(law: Any) -> None:
    """Raise one sentence if the clip or its corner cannot be."""
    require_part(law, "limit", DcClip)
    require(law, "corner_effort", ">")
    if law.corner_effort is not None and not law.four_quadrants:
        raise ParameterError(
            f"{type(law).__name__}.corner_effort would never take effect: there is a corner in four quadrants only"
        )


def check_delay(law: Any) -> None:
    """Raise one sentence if the delays are no range of whole steps."""
    low, high = law.min_delay, law.max_delay
    if not whole(low) or not whole(high) or low > high:
        raise ParameterError(
            f"{type(law).__name__}.min_delay = {low!r}, max_delay = {high!r}: must be whole numbers of steps, "
            "0 or more, the shorter delay first"
        )


# --- the laws


def complete(command: Any) -> Command:
    """All three targets; a plain number or array is the position target."""
    if not isinstance(command, Command):
        command = Command(position=command)
    given = {name: getattr(command, name) for name in ("position", "velocity", "effort")}
    return Command(**{name: 0.0 if target is None else target for name, target in given.items()})


def motor_bounds(law: Any, speed: Number) -> tuple[Number, Number]:
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


def ideal_pd_effort(law: IdealPD | DelayedPD, command: Any, position: Number, velocity: Number) -> Effort:
    """Effort of an `IdealPD` at a joint position [rad] and velocity [rad/s]."""
    computed = pd(law.stiffness, law.damping, complete(command), position, velocity).amount
    limit = law.effort_limit
    return Effort(computed if limit is None else limited(computed, -limit, limit), computed)


def dc_motor_effort(law: DCMotor, command: Any, position: Number, velocity: Number) -> Effort:
    """Effort of a `DCMotor` at a joint position [rad] and velocity [rad/s]."""
    computed = pd(law.stiffness, law.damping, complete(command), position, velocity).amount
    low, high = motor_bounds(law, velocity)
    return Effort(limited(computed, low, high), computed)


def initial_lags(law: DelayedPD | RemotizedPD, zeros: Any) -> LagState:
    """The buffer before its first reset: no delay. `zeros` is an array of the batch's shape (environment, joint)."""
    nothing = Command(position=zeros, velocity=zeros, effort=zeros)
    return LagState(frames=(nothing,) * (law.max_delay + 1), lag=zeros[:, 0], empty=zeros[:, 0] == 0.0)


def reset_lags(state: LagState, mask: Any, lag: Any) -> LagState:
    """The buffer with the environments of a mask (environment,) emptied and given a new delay [physics steps]."""
    return replace(state, lag=where(mask, lag + state.lag * 0, state.lag), empty=state.empty | mask)


def delayed(law: DelayedPD | RemotizedPD, state: LagState, command: Any) -> tuple[LagState, Command]:
    """The buffer with this step's targets, and the targets that arrive."""
    # the first targets after a reset fill the whole buffer
    newest, empty, lag = complete(command), state.empty[:, None], state.lag[:, None]
    frames = (newest, *(chosen(empty, newest, old) for old in state.frames[:-1]))
    arriving = newest
    for age in range(1, law.max_delay + 1):
        arriving = chosen(lag == age, frames[age], arriving)
    return LagState(frames=frames, lag=state.lag, empty=state.empty & False), arriving


def chosen(mask: Any, these: Command, others: Command) -> Command:
    """Targets of one command where a mask says so, of the other elsewhere."""
    return Command(
        position=where(mask, these.position, others.position),
        velocity=where(mask, these.velocity, others.velocity),
        effort=where(mask, these.effort, others.effort),
    )


def delayed_pd_step(
    law: DelayedPD, state: LagState, command: Any, position: Number, velocity: Number
) -> tuple[LagState, Effort]:
    """The buffer and the effort of a `DelayedPD` after one physics step."""
    state, arriving = delayed(law, state, command)
    return state, ideal_pd_effort(law, arriving, position, velocity)


def remotized_pd_step(
    law: RemotizedPD, state: LagState, command: Any, position: Number, velocity: Number
) -> tuple[LagState, Effort]:
    """The buffer and the effort of a `RemotizedPD` after one physics step."""
    state, arriving = delayed(law, state, command)
    computed = pd(law.stiffness, law.damping, arriving, position, velocity).amount
    low, high = angle_bounds(position, law.table)
    return state, Effort(limited(computed, low, high), computed)


# --- Isaac Lab's random numbers


def draw_lags(
    law: DelayedPD | RemotizedPD, environments: int, generator: torch.Generator | None = None, device: Any = None
) -> torch.Tensor:
    """The delays that Isaac Lab draws at a reset of so many environments, in the order of their numbers.

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
