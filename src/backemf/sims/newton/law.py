"""What Newton's own actuators compute: a delay of the targets, a PD or PID drive, and clamps one after another.

Newton counts in radians and SI units on the joint's side. What differs from ours: the integral takes this step's error
before it is used, and a delay passes the first targets after a reset through at once and repeats them until others
have come. `DcClip` and `AngleTable` are Newton's clamps as they are; limits of none and of zero are here.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np

from ...checks import Maybe, Number, concrete, require, require_finite, require_part
from ...errors import ParameterError
from ...parts import table
from ...physics.command import Command
from ...physics.limits import clip
from ...physics.ops import interpolate, maximum, minimum, where
from ...tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Drive:
    """`DrivePD`, or with `ki` `DrivePID`: kp·(p - q) + ki·∫(p - q) + kd·(v - q') + const_effort + feedforward."""

    kp: Number = 0.0
    """Torque per position error [N·m/rad]."""
    ki: Maybe = None
    """Torque per integrated position error [N·m/(rad·s)]; None: a PD without memory."""
    kd: Number = 0.0
    """Torque per velocity error [N·m·s/rad]."""
    integral_max: Maybe = None
    """Largest integral in either direction [rad·s]; None: any."""
    const_effort: Number = 0.0
    """Torque that is always added [N·m]."""

    def __post_init__(self) -> None:
        for name in ("kp", "ki", "kd", "integral_max"):
            require(self, name, ">=")
        require_finite(self, "const_effort")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class MaxEffort:
    """`ClampingMaxEffort`: the same limit at any speed."""

    max_effort: Maybe = None
    """Largest torque in either direction [N·m]; None: any."""

    def __post_init__(self) -> None:
        require(self, "max_effort", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class DcMotor:
    """`ClampingDCMotor`: a straight torque-speed line with a flat top, in all four quadrants, as `DcClip`."""

    saturation_effort: Maybe = None
    """Torque at stall [N·m]; None: any, and then there is no line."""
    velocity_limit: Maybe = None
    """Speed at which the line meets zero torque [rad/s]; None: the torque does not fall with speed."""
    max_motor_effort: Maybe = None
    """Flat top [N·m]; None: none."""

    def __post_init__(self) -> None:
        require(self, "saturation_effort", ">=")
        require(self, "velocity_limit", ">")
        require(self, "max_motor_effort", ">=")
        if self.saturation_effort is None and self.velocity_limit is not None:
            raise ParameterError("DcMotor.velocity_limit without saturation_effort: Newton refuses a line without end")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class PositionBased:
    """`ClampingPositionBased`: a limit that depends on the joint's angle, linear between points, held at the ends."""

    positions: np.ndarray = table(None)
    """Joint angles, none below the one before it [rad]."""
    efforts: np.ndarray = table(None)
    """Largest torque in either direction at those angles [N·m]."""

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
            raise ParameterError(
                f"PositionBased has {len(self.positions)} positions and {len(self.efforts)} efforts: give as many"
            )
        if (np.diff(self.positions) < 0).any() or (self.efforts < 0).any():
            raise ParameterError("PositionBased: positions must not fall, and efforts must be 0 or more")


Clamp = MaxEffort | DcMotor | PositionBased
"""Every clamp that Newton has."""


@dataclass(frozen=True)
class Memory:
    """What Newton remembers of a row of actuators."""

    integral: Any = None
    """Integral of the position error [rad·s]."""
    frames: tuple[tuple[Any, Any, Any], ...] = ()
    """Position, velocity and effort targets under way, the newest first."""
    pushes: Any = 0
    """Targets that have come since the last reset, as many as are kept [1]."""


@dataclass(frozen=True, kw_only=True)
class Pipeline:
    """Newton's `Actuator`: delay, drive and clamps. Batches have any shape, numbers may be arrays of it."""

    drive: Drive
    """What turns targets into a torque."""
    clamps: tuple[Clamp, ...] = ()
    """What limits it, in this order."""
    delay_steps: Any = 0
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
        nothing = np.zeros(shape)
        depth = int(np.max(np.asarray(self.delay_steps)))
        integral = None if self.drive.ki is None else nothing
        return Memory(integral, ((nothing, nothing, nothing),) * depth, np.zeros(shape))

    def step(
        self, state: Memory, command: Any, position: Any, velocity: Any, dt: float, engine: str = "numpy"
    ) -> tuple[Memory, Any]:
        """Memory and torque [N·m] after a step; a target that is not given is 0, as Newton's arrays are."""
        return _on(engine).pipeline_step(self, state, targets_of(command), position, velocity, dt)

    def reset(self, state: Memory, mask: Any, engine: str = "numpy") -> Memory:
        """The memory with the joints where `mask` is true at their beginning."""
        return _on(engine).forgotten(state, mask)


def targets_of(command: Any) -> tuple[Any, Any, Any]:
    """Position, velocity and effort target; a plain number is a position."""
    if not isinstance(command, Command):
        command = Command(position=command)
    if command.voltage is not None or command.mode is not None:
        raise ParameterError("Command.voltage: Newton's drives take position, velocity and effort")
    position, velocity, effort = (0.0 if x is None else x for x in (command.position, command.velocity, command.effort))
    return position, velocity, effort


def _on(engine: str) -> ModuleType:
    """These laws with an engine's operations."""
    from ...engines import bind, load

    return bind(sys.modules["backemf.sims.newton.law"], engine, load(engine).ops)


# --- the laws


def pipeline_step(pipeline: Pipeline, state: Memory, now, position, velocity, dt):
    """Delay, drive and clamps: the memory and the torque [N·m]."""
    targets = delayed(state, now, pipeline.delay_steps)
    integral, effort = drive_effort(pipeline.drive, state.integral, targets, position, velocity, dt)
    for limit in pipeline.clamps:
        effort = clamped(limit, effort, position, velocity)
    if not state.frames:
        return Memory(integral), effort
    zero = 0.0 * position
    frame = tuple(target + zero for target in now)
    return Memory(integral, (frame, *state.frames[:-1]), minimum(state.pushes + 1.0, float(len(state.frames)))), effort


def delayed(state: Memory, now, steps):
    """The targets that are so many steps old, or the oldest since the reset, or else the present ones."""
    age = minimum(steps + 0.0 * state.pushes, state.pushes)
    for k, frame in enumerate(state.frames):
        now = tuple(where(age == k + 1.0, old, new) for old, new in zip(frame, now, strict=True))
    return now


def drive_effort(drive: Drive, integral, targets, position, velocity, dt):
    """The integral with this step's error, and the torque before any clamp [N·m]."""
    error = targets[0] - position
    effort = drive.const_effort + targets[2] + drive.kp * error + drive.kd * (targets[1] - velocity)
    if drive.ki is None:
        return None, effort
    integral = integral + error * dt
    if drive.integral_max is not None:
        integral = clip(integral, -drive.integral_max, drive.integral_max)
    return integral, effort + drive.ki * integral


def clamped(limit: Clamp, effort, position, velocity):
    """The torque after one clamp [N·m]."""
    if isinstance(limit, PositionBased):
        most = interpolate(position, limit.positions, limit.efforts)
        return clip(effort, -most, most)
    if isinstance(limit, MaxEffort):
        return effort if limit.max_effort is None else clip(effort, -limit.max_effort, limit.max_effort)
    return dc_clamped(limit, effort, velocity)


def dc_clamped(limit: DcMotor, effort, velocity):
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


def forgotten(state: Memory, mask):
    """The memory with some joints at their beginning."""
    integral = None if state.integral is None else where(mask, 0.0, state.integral)
    frames = tuple(tuple(where(mask, 0.0, target) for target in frame) for frame in state.frames)
    return Memory(integral, frames, where(mask, 0.0, state.pushes))
