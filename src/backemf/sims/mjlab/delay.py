"""What mjlab 1.6 computes in its `DelayBuffer`: commands that arrive a random number of physics steps late.

The random numbers are an argument, so that a step is a function of what goes into it. `draw_phase` and `draw_step` take
them from a `torch.Generator` in mjlab's order: one call of `draw_phase` when a buffer is made and one at each reset,
however few environments are reset, and one call of `draw_step` at each step. The same seed then gives the same lags.

Three things that surprise are kept. A reset sets the lag to 0, below `min_lag`, until the environment's next turn to
draw. A lag that falls by more than one step skips commands, and one that rises repeats or re-orders them. Actuators of
one kind share one buffer, and each of them resets it, so that phases are drawn once per actuator and reset.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ...checks import Number
from ...errors import MissingExtraError, ParameterError
from ...parts import count, flag, number, part
from ...physics.limits import clip
from ...physics.ops import where
from ...values import Recorded
from ..delay_law import frame_at, push
from ..network_law import Rows

if TYPE_CHECKING:
    import torch


@part
class DelayBuffer:
    """`DelayBuffer`, or the delay fields of an actuator config."""

    min_lag: int = count("steps", default=0)
    """Smallest lag that is drawn, in physics steps."""
    max_lag: int = count("steps", default=3)
    """Largest lag that is drawn, in physics steps."""
    hold_prob: float = number("1", default=0.0, least=0.0, most=1.0)
    """Probability that the old lag stays when a new one is due."""
    update_period: int = count("steps", default=0)
    """Physics steps from one update to the next; 0: every step is one."""
    per_env: bool = flag(default=True)
    """Whether each environment has its own lag."""
    per_env_phase: bool = flag(default=True)
    """Whether the updates of environments are spread over the period."""

    def __post_init__(self) -> None:
        if self.min_lag > self.max_lag:
            raise ParameterError(f"DelayBuffer.min_lag = {self.min_lag}: must not be above max_lag = {self.max_lag}")

    @property
    def draws_phase(self) -> bool:
        """Whether environments have phases to draw."""
        return self.update_period > 0 and self.per_env_phase


@dataclass(frozen=True, kw_only=True)
class Draws:
    """The random numbers of one step, one per environment."""

    lag: Number
    """Candidate lag, from min_lag to max_lag [physics steps]."""
    hold: Recorded = None
    """Number in [0, 1): below hold_prob the old lag stays; None where hold_prob is 0."""


@dataclass(frozen=True, kw_only=True)
class LagState:
    """What the buffer remembers."""

    frames: tuple[Rows, ...]
    """Commands of the last max_lag + 1 steps, newest first; each has the environments as its first axis."""
    lag: Number
    """Present lag of each environment [physics steps]."""
    steps: Number
    """Steps of each environment since its reset [1]."""
    phase: Number
    """Steps by which the turns of each environment are early [physics steps]."""


def initial_lags(delay: DelayBuffer, phase: Number, zeros: Rows) -> LagState:
    """The buffer before its first step; `phase` is of shape (environment,), `zeros` of the shape of a command."""
    return LagState(frames=(zeros,) * (delay.max_lag + 1), lag=phase * 0, steps=phase * 0, phase=phase)


def reset_lags(delay: DelayBuffer, state: LagState, mask: Number, phase: Number) -> LagState:
    """The buffer with the environments of a mask (environment,) emptied and given a new phase."""
    return replace(
        state,
        lag=where(mask, 0, state.lag),
        steps=where(mask, 0, state.steps),
        phase=where(mask, phase, state.phase) if delay.draws_phase else state.phase,
    )


def at_lags(delay: DelayBuffer, state: LagState, lags: Number) -> LagState:
    """The buffer after `set_lags`: the lags hold until each environment's next turn to draw, no longer."""
    return replace(state, lag=clip(lags, delay.min_lag, delay.max_lag))


def delay_step(delay: DelayBuffer, state: LagState, command: Rows, draws: Draws) -> tuple[LagState, Number]:
    """The buffer with this step's command, and the command that arrives."""
    frames = push(state.frames, command, _over(state.steps == 0, command))
    lag = next_lag(delay, state, draws)
    return replace(state, frames=frames, lag=lag, steps=state.steps + 1), frame_at(frames, _over(lag, command))


def next_lag(delay: DelayBuffer, state: LagState, draws: Draws) -> Number:
    """Lag of each environment in this step [physics steps]."""
    lag = draws.lag
    if delay.hold_prob > 0.0:
        lag = where(draws.hold >= delay.hold_prob, lag, state.lag)
    if delay.update_period > 0:
        turn = (state.steps + state.phase) % delay.update_period == 0
        lag = where(turn, lag, state.lag)
    return lag


def _over(per_environment: Any, command: Rows) -> Any:
    """Values per environment, shaped to spread over a command."""
    return per_environment.reshape(per_environment.shape + (1,) * (len(command.shape) - 1))


# --- mjlab's random numbers


def draw_phase(delay: DelayBuffer, environments: int, generator: torch.Generator | None = None) -> torch.Tensor:
    """The phases that mjlab draws when a buffer is made and at every reset; zeros where it draws none."""
    torch = _torch()
    place = {"dtype": torch.long, "device": generator.device if generator is not None else None}
    if not delay.draws_phase:
        return torch.zeros(environments, **place)
    return torch.randint(0, delay.update_period, (environments,), generator=generator, **place)


def draw_step(delay: DelayBuffer, environments: int, generator: torch.Generator | None = None) -> Draws:
    """What mjlab draws at every step, whether or not it is anyone's turn: first lags, then whether to hold."""
    torch = _torch()
    device = generator.device if generator is not None else None
    size = (environments,) if delay.per_env else (1,)
    lag = torch.randint(delay.min_lag, delay.max_lag + 1, size, dtype=torch.long, device=device, generator=generator)
    hold = None
    if delay.hold_prob > 0.0:
        hold = torch.rand(environments, dtype=torch.float32, device=device, generator=generator)
    return Draws(lag=lag.expand(environments), hold=hold)


def _torch() -> ModuleType:
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtraError("torch", "torch", "Drawing mjlab's random numbers") from None
    return torch
