"""What Newton's own actuators compute: a delay of the targets, a PD or PID drive, and clamps one after another.

Newton uses radians and SI units on the joint's side. Two things differ from backemf: the integral includes this step's
error before it is used, and a delay passes the first targets after a reset at once and repeats them until later ones
arrive. The clamps equal `DcClip` and `AngleTable`, and also allow limits of None and of zero.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...checks import Maybe, Number, concrete, require_part
from ...errors import ParameterError
from ...parts import number, part, table
from ...physics.command import Command
from ...physics.limits import clip
from ...physics.ops import interpolate, maximum, minimum, where
from ...values import Recorded
from ..delay_law import frame_at, select
from ..on_engine import laws_on
from ..pd_law import all_targets


@part
class Drive:
    """`DrivePD`, or with `ki` `DrivePID`: kp·(p - q) + ki·∫(p - q) + kd·(v - q') + const_effort + feedforward."""

    kp: Number = number("N·m/rad", default=0.0, least=0.0)
    """Torque per position error."""
    ki: Maybe = number("N·m/(rad·s)", default=None, least=0.0)
    """Torque per integrated position error; None: a PD without memory."""
    kd: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Torque per velocity error."""
    integral_max: Maybe = number("rad·s", default=None, least=0.0)
    """Largest integral in either direction; None: no limit."""
    const_effort: Number = number("N·m", default=0.0)
    """Torque that is always added."""


@part
class MaxEffort:
    """`ClampingMaxEffort`: the same limit at any speed."""

    max_effort: Maybe = number("N·m", default=None, least=0.0)
    """Largest torque in either direction; None: no limit."""


@part
class DcMotor:
    """`ClampingDCMotor`: a straight torque-speed line with a flat top, in all four quadrants, as `DcClip`."""

    saturation_effort: Maybe = number("N·m", default=None, least=0.0)
    """Torque at stall; None: no limit, and then there is no line."""
    velocity_limit: Maybe = number("rad/s", default=None, above=0.0)
    """Speed at which the line meets zero torque; None: the torque does not fall with speed."""
    max_motor_effort: Maybe = number("N·m", default=None, least=0.0)
    """Flat top; None: none."""

    def __post_init__(self) -> None:
        if self.saturation_effort is None and self.velocity_limit is not None:
            raise ParameterError("DcMotor.velocity_limit without saturation_effort: Newton refuses a line without end")


@part
class PositionBased:
    """`ClampingPositionBased`: a limit that depends on the joint's angle, linear between points, held at the ends."""

    positions: np.ndarray = table("rad")
    """Joint angles, none below the one before it."""
    efforts: np.ndarray = table("N·m")
    """Largest torque in either direction at those angles."""

    def __post_init__(self) -> None:
        for name in ("positions", "efforts"):
            try:
                row = np.asarray(getattr(self, name), dtype=float)
            except (TypeError, ValueError):
                raise ParameterError(f"PositionBased.{name}: must be a row of numbers") from None
            if row.ndim != 1 or not len(row) or not np.isfinite(row).all():
                raise ParameterError(f"PositionBased.{name}: must be one or more finite numbers in one row")
            object.__setattr__(self, name, row)
        if len(self.positions) != len(self.efforts):
            counts = f"{len(self.positions)} positions and {len(self.efforts)} efforts"
            raise ParameterError(f"PositionBased has {counts}: give as many of each")
        if (np.diff(self.positions) < 0).any() or (self.efforts < 0).any():
            raise ParameterError("PositionBased: positions must not fall, and efforts must be 0 or more")


Clamp = MaxEffort | DcMotor | PositionBased
"""Every clamp that Newton has."""


@dataclass(frozen=True)
class Memory:
    """What Newton remembers of a row of actuators."""

    integral: Recorded = None
    """Integral of the position error [rad·s]."""
    frames: tuple[Command, ...] = ()
    """Targets under way, newest first."""
    pushes: Number = 0
    """Targets that have come since the last reset, up to the number of frames [1]."""


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """Newton's `Actuator`: delay, drive and clamps. Batches have any shape, numbers may be arrays of it."""

    drive: Drive
    """What turns targets into a torque."""
    clamps: tuple[Clamp, ...] = ()
    """What limits it, in this order."""
    delay_steps: Number = 0
    """Steps by which targets are late, a whole number per joint [1]."""

    def __post_init__(self) -> None:
        require_part(self, "drive", Drive)
        steps = concrete(self.delay_steps)
        if steps is None or not (steps >= 0).all() or (steps % 1.0).any():
            raise ParameterError(f"Pipeline.delay_steps = {self.delay_steps!r}: must be whole numbers, 0 or more")
        for clamp in self.clamps:
            if not isinstance(clamp, (MaxEffort, DcMotor, PositionBased)):
                raise ParameterError(f"Pipeline.clamps holds {clamp!r}: must be MaxEffort, DcMotor or PositionBased")

    def initial(self, shape: tuple[int, ...] = ()) -> Memory:
        """The memory of a batch after a reset."""
        zeros = np.zeros(shape)
        depth = int(np.max(np.asarray(self.delay_steps)))
        nothing = Command(position=zeros, velocity=zeros, effort=zeros)
        return Memory(None if self.drive.ki is None else zeros, (nothing,) * depth, zeros)

    def step(
        self,
        state: Memory,
        command: Command | Number,
        position: Number,
        velocity: Number,
        dt: Number,
        engine: str = "numpy",
    ) -> tuple[Memory, Number]:
        """Memory and torque [N·m] after a step; a target that is not given is 0, as in Newton's arrays."""
        if isinstance(command, Command) and not (command.voltage is None and command.mode is None):
            raise ParameterError("Command.voltage: Newton's drives take position, velocity and effort")
        return laws_on(__name__, engine).pipeline_step(self, state, all_targets(command), position, velocity, dt)

    def reset(self, state: Memory, mask: Number, engine: str = "numpy") -> Memory:
        """The memory with the joints where `mask` is true back at the start."""
        return laws_on(__name__, engine).reset_memory(state, mask)


# --- the laws


def pipeline_step(
    pipeline: Pipeline, state: Memory, command: Command, position: Number, velocity: Number, dt: Number
) -> tuple[Memory, Number]:
    """Delay, drive and clamps: the memory and the torque [N·m]."""
    # until enough targets have come, the oldest since the reset acts
    age = minimum(pipeline.delay_steps + 0.0 * state.pushes, state.pushes)
    arriving = frame_at((command, *state.frames), age)
    integral, effort = drive_effort(pipeline.drive, state.integral, arriving, position, velocity, dt)
    for limit in pipeline.clamps:
        effort = clamp(limit, effort, position, velocity)
    if not state.frames:
        return Memory(integral), effort
    zero = 0.0 * position
    target, target_velocity, feedforward = targets_of(command)
    newest = Command(position=target + zero, velocity=target_velocity + zero, effort=feedforward + zero)
    pushes = minimum(state.pushes + 1.0, float(len(state.frames)))
    return Memory(integral, (newest, *state.frames[:-1]), pushes), effort


def targets_of(command: Command) -> tuple[Number, Number, Number]:
    """Position, velocity and effort of a command that has all three."""
    return command.position, command.velocity, command.effort  # pyright: ignore[reportReturnType]


def drive_effort(
    drive: Drive, integral: Recorded, command: Command, position: Number, velocity: Number, dt: Number
) -> tuple[Recorded, Number]:
    """The integral with this step's error, and the torque before any clamp [N·m]."""
    target, target_velocity, feedforward = targets_of(command)
    error = target - position
    effort = drive.const_effort + feedforward + drive.kp * error + drive.kd * (target_velocity - velocity)
    if drive.ki is None or integral is None:
        return None, effort
    integral = integral + error * dt
    if drive.integral_max is not None:
        integral = clip(integral, -drive.integral_max, drive.integral_max)
    return integral, effort + drive.ki * integral


def clamp(limit: Clamp, effort: Number, position: Number, velocity: Number) -> Number:
    """The torque after one clamp [N·m]."""
    if isinstance(limit, DcMotor):
        return clamp_to_line(limit, effort, velocity)
    most = (
        interpolate(position, limit.positions, limit.efforts) if isinstance(limit, PositionBased) else limit.max_effort
    )
    return effort if most is None else clip(effort, -most, most)


def clamp_to_line(limit: DcMotor, effort: Number, velocity: Number) -> Number:
    """The torque within [max(sat·(-1 - v/v_lim), -max), min(sat·(1 - v/v_lim), max)], v within ±v_lim·(1 + max/sat)."""
    most, stall = limit.max_motor_effort, limit.saturation_effort
    if stall is None:
        return effort if most is None else clip(effort, -most, most)
    share = 0.0 * velocity
    if limit.velocity_limit is not None:
        share = velocity / limit.velocity_limit
        if most is not None:
            # where the line meets the flat top that brakes
            corner = 1.0 + where(stall > 0.0, most / where(stall > 0.0, stall, 1.0), 0.0)
            share = clip(share, -corner, corner)
    low, high = stall * (-1.0 - share), stall * (1.0 - share)
    if most is not None:
        low, high = maximum(low, -most), minimum(high, most)
    return clip(effort, low, high)


def reset_memory(state: Memory, mask: Number) -> Memory:
    """The memory with the joints of a mask back at the start."""
    integral = None if state.integral is None else where(mask, 0.0, state.integral)
    nothing = Command(position=0.0, velocity=0.0, effort=0.0)
    frames = tuple(select(mask, nothing, frame) for frame in state.frames)
    return Memory(integral, frames, where(mask, 0.0, state.pushes))
