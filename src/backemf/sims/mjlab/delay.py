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
from typing import TYPE_CHECKING, Any

from ...errors import MissingExtraError, ParameterError
from ...physics.limits import clip
from ...physics.ops import where

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, kw_only=True)
class DelayBuffer:
    """`DelayBuffer`, or the delay fields of an actuator config."""

    min_lag: int = 0
    """Smallest lag that is drawn [physics steps]."""
    max_lag: int = 3
    """Largest lag that is drawn [physics steps]."""
    hold_prob: float = 0.0
    """Probability that the old lag stays when there is a turn to draw [1]."""
    update_period: int = 0
    """Steps from one turn to the next [physics steps]; 0: every step is one."""
    per_env: bool = True
    """Whether each environment has a lag of its own."""
    per_env_phase: bool = True
    """Whether the turns of environments are spread over the period."""

    def __post_init__(self) -> None:
        if not 0 <= self.min_lag <= self.max_lag:
            raise ParameterError(
                f"DelayBuffer.min_lag = {self.min_lag}: must be between 0 and max_lag = {self.max_lag}"
            )
        if not 0.0 <= self.hold_prob <= 1.0:
            raise ParameterError(f"DelayBuffer.hold_prob = {self.hold_prob}: must be between 0 and 1")
        if self.update_period < 0:
            raise ParameterError(f"DelayBuffer.update_period = {self.update_period}: must be 0 or more")

    @property
    def draws_phase(self) -> bool:
        """Whether environments have phases to draw."""
        return self.update_period > 0 and self.per_env_phase


@dataclass(frozen=True, kw_only=True)
class Draws:
    """The random numbers of one step, one per environment."""

    lag: Any
    """Candidate lag, from min_lag to max_lag [physics steps]."""
    hold: Any = None
    """Number in [0, 1): below hold_prob the old lag stays; None where hold_prob is 0."""


@dataclass(frozen=True, kw_only=True)
class LagState:
    """What the buffer remembers."""

    frames: tuple[Any, ...]
    """Commands of the last max_lag + 1 steps, newest first; each has the environments as its first axis."""
    lag: Any
    """Present lag of each environment [physics steps]."""
    steps: Any
    """Steps of each environment since its reset [1]."""
    phase: Any
    """Steps by which the turns of each environment are early [physics steps]."""


def initial_lags(delay: DelayBuffer, phase: Any, zeros: Any) -> LagState:
    """The buffer before its first step; `phase` is of shape (environment,), `zeros` of the shape of a command."""
    return LagState(frames=(zeros,) * (delay.max_lag + 1), lag=phase * 0, steps=phase * 0, phase=phase)


def reset_lags(delay: DelayBuffer, state: LagState, mask: Any, phase: Any) -> LagState:
    """The buffer with the environments of a mask (environment,) emptied and given a new phase."""
    return replace(
        state,
        lag=where(mask, 0, state.lag),
        steps=where(mask, 0, state.steps),
        phase=where(mask, phase, state.phase) if delay.draws_phase else state.phase,
    )


def at_lags(delay: DelayBuffer, state: LagState, lags: Any) -> LagState:
    """The buffer after `set_lags`: the lags hold until each environment's next turn to draw, no longer."""
    return replace(state, lag=clip(lags, delay.min_lag, delay.max_lag))


def delay_step(delay: DelayBuffer, state: LagState, command: Any, draws: Draws) -> tuple[LagState, Any]:
    """The buffer with this step's command, and the command that arrives."""
    # the first command after a reset fills the whole history
    empty = _over(state.steps == 0, command)
    frames = (command, *(where(empty, command, old) for old in state.frames[:-1]))
    lag = next_lag(delay, state, draws)
    arriving = command
    for age in range(1, delay.max_lag + 1):
        arriving = where(_over(lag == age, command), frames[age], arriving)
    return LagState(frames=frames, lag=lag, steps=state.steps + 1, phase=state.phase), arriving


def next_lag(delay: DelayBuffer, state: LagState, draws: Draws) -> Any:
    """Lag of each environment in this step [physics steps]."""
    lag = draws.lag
    if delay.hold_prob > 0.0:
        lag = where(draws.hold >= delay.hold_prob, lag, state.lag)
    if delay.update_period > 0:
        turn = (state.steps + state.phase) % delay.update_period == 0
        lag = where(turn, lag, state.lag)
    return lag


def _over(per_environment: Any, command: Any) -> Any:
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


def _torch() -> Any:
    try:
        import torch
    except ModuleNotFoundError:
        raise MissingExtraError("torch", "torch", "Drawing mjlab's random numbers") from None
    return torch
