"""A simulator's torque limit in place of a motor: its parameters, and its distance from the motor's own envelope."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..actuator.supply import Supply
from ..actuator.torque_limits import DcClip, DriveEnvelope, EffortLimit, KneeCurve, TorqueSpeedTable, bounds
from ..checks import Maybe, Number
from ..errors import ParameterError
from ..motor import Gearbox, Limits, Magnet, Motor, Ratings, Stage, Winding
from .constants import plain
from .envelope import Envelope, envelope
from .fit_limits import Fittable, fit_limit, fit_table
from .given import array, current_limit_of, finite, positive, supply_of, temperature_of
from .line import Line, line_of

KINDS = (DcClip, DriveEnvelope, EffortLimit, KneeCurve, TorqueSpeedTable)
"""The limits that depend on speed alone, as a motor's envelope does."""
HAIR = 1e-15
"""Share of the top speed that tells one side of standstill from the other [1]."""


@dataclass(frozen=True, kw_only=True)
class Simplified:
    """A torque limit that stands in for a motor, and its error: what it allows beyond, or withholds of, the envelope.

    Errors are taken over both bounds at every speed of the range, in all four quadrants.
    """

    limit: Fittable | TorqueSpeedTable
    """The limit with its parameters, ready for an `Actuator`."""
    rms_error: Number
    """Root of the mean squared difference between the limit's bounds and the motor's [N·m]."""
    rms_below_no_load: Number
    """The same over speeds up to the no-load speed alone: what is left when nothing drives the motor faster [N·m]."""
    worst_error: Number
    """Largest difference in size [N·m]."""
    worst_speed: Number
    """Joint speed at which it is [rad/s]."""
    speed: np.ndarray
    """Joint speeds of the comparison, standstill from both sides [rad/s]."""
    low: np.ndarray
    """Lowest torque that the limit allows [N·m]."""
    high: np.ndarray
    """Highest torque that the limit allows [N·m]."""
    motor_low: np.ndarray
    """Lowest torque that the motor has at the joint [N·m]."""
    motor_high: np.ndarray
    """Highest torque that the motor has at the joint [N·m]."""


def simplify(
    motor: Motor,
    kind: type = DcClip,
    supply: Supply | Number | None = None,
    current_limit: Number | None = None,
    temperature: Number | None = None,
    fit: bool = False,
    joint_speed: Number | None = None,
    samples: int = 401,
) -> Simplified:
    """The parameters of one kind of torque limit for a motor, and the error it makes over the operating range.

    `supply`, `current_limit` [A] and `temperature` [°C] are those of `envelope`. The range is that of `envelope`: in
    both directions to the overspeed at which the current limit just holds, or to 1.25 times the no-load speed where
    there is none; `joint_speed` [rad/s] takes its place. Parameters come from the motor's constants, as a datasheet
    would give them; `fit` moves them to the least mean squared error over the range.
    """
    if kind not in KINDS:
        shown = getattr(kind, "__name__", repr(kind))
        raise ParameterError(f"simplify: kind = {shown}: must be one of {', '.join(k.__name__ for k in KINDS)}")
    celsius, source = temperature_of(motor, temperature), supply_of(motor, supply)
    amperes = current_limit_of(motor, current_limit, celsius)
    shape = envelope(motor, source, amperes, celsius, joint_speed, samples)
    if (fit or kind is TorqueSpeedTable) and shape.joint_speed.ndim > 1:
        raise ParameterError(f"simplify: a {kind.__name__} of a batch of motors: give one motor at a time")
    speed = _one_sided(motor, shape)
    line = line_of(motor, source, amperes, celsius)
    known = np.isfinite(shape.max_torque)
    wanted = speed[known], shape.min_torque[known], shape.max_torque[known]
    if kind is TorqueSpeedTable:
        limit = _table(motor, source, amperes, celsius, speed, line)
        limit = fit_table(limit, *wanted) if fit else limit
    else:
        limit = _from_line(kind, line, speed)
        limit = fit_limit(limit, *wanted) if fit else limit
    return _compare(limit, speed, shape, line.no_load_speed)


def _one_sided(motor: Motor, shape: Envelope) -> np.ndarray:
    """Joint speeds, with standstill moved slightly to its side: some limits jump there."""
    top = np.max(np.abs(shape.joint_speed), axis=0)
    side = shape.direction * np.sign(motor.ratio)
    return np.where(shape.joint_speed == 0.0, HAIR * top * side, shape.joint_speed)


def _compare(
    limit: Fittable | TorqueSpeedTable, speed: np.ndarray, shape: Envelope, no_load_speed: Number
) -> Simplified:
    low, high = (np.broadcast_to(x, speed.shape) for x in bounds(limit, 0.0, speed))
    over, under = high - shape.max_torque, low - shape.min_torque
    square, size = 0.5 * (over**2 + under**2), np.fmax(np.abs(over), np.abs(under))
    below = np.where(np.abs(speed) <= no_load_speed, square, np.nan)
    # a limit is as bad forwards as backwards: of equal errors the one at the highest speed is named
    equal = size >= (1.0 - 1e-9) * np.nanmax(size, axis=0)
    worst = np.expand_dims(np.argmax(np.where(equal, speed, -np.inf), axis=0), 0)
    return Simplified(
        limit=limit,
        rms_error=plain(np.sqrt(np.nanmean(square, axis=0))),
        rms_below_no_load=plain(np.sqrt(np.nanmean(below, axis=0))),
        worst_error=plain(np.take_along_axis(size, worst, axis=0)[0]),
        worst_speed=plain(np.take_along_axis(shape.joint_speed, worst, axis=0)[0] + 0.0),
        speed=shape.joint_speed,
        low=low,
        high=high,
        motor_low=shape.min_torque,
        motor_high=shape.max_torque,
    )


# --- parameters from the motor's constants


def _from_line(kind: type, line: Line, speed: np.ndarray) -> Fittable:
    flat = line.stall_torque if line.limit_torque is None else line.limit_torque
    if kind is EffortLimit:
        return EffortLimit(effort_limit=flat)
    if kind is DcClip:
        # without a current limit, a flat top that never cuts: the line at the end of the range, braking
        steepest = line.stall_torque * (1.0 + np.max(np.abs(speed), axis=0) / line.no_load_speed)
        top = plain(steepest) if line.limit_torque is None else line.limit_torque
        return DcClip(saturation_effort=line.stall_torque, velocity_limit=line.no_load_speed, effort_limit=top)
    driving = plain(np.minimum(flat, line.stall_torque))
    if kind is KneeCurve:
        return KneeCurve(
            driving_effort=driving,
            braking_effort=plain(flat / (line.efficiency * line.back_efficiency)),
            knee_speed=line.knee_speed,
            no_load_speed=line.no_load_speed,
        )
    return DriveEnvelope(
        max_effort=driving,
        max_actuator_velocity=line.ideal_speed,
        velocity_dependent_resistance=line.drag,
        speed_effort_gradient=plain(line.ideal_speed / line.stall_torque),
    )


def _table(
    motor: Motor, supply: Supply, amperes: Maybe, celsius: Number, speed: np.ndarray, line: Line, points: int = 33
) -> TorqueSpeedTable:
    """The envelope itself at some speeds, with points where it bends; the limit has no torque of the wrong sign."""
    top = float(np.max(np.abs(speed)))
    corners = [x for x in (float(line.knee_speed), float(line.no_load_speed)) if 0.0 < x < top]
    at = np.unique(np.concatenate([np.linspace(0.0, top, points), corners]))
    shape = envelope(motor, supply, amperes, celsius, joint_speed=np.maximum(at, HAIR * top))
    driving, braking = (np.maximum(np.nan_to_num(x), 0.0) for x in (shape.max_torque, -shape.min_torque))
    return TorqueSpeedTable(speed=at, driving=driving, braking=braking)


# --- and back


def motor_from_dc_clip(clip: DcClip, *, voltage: Number, ratio: Number = 1.0) -> Motor:
    """The motor whose envelope at a voltage [V] is a DC-motor clip, through a lossless gear of a ratio [1].

    Three numbers do not tell volts from amperes: any voltage gives a motor with the same torques. With Kt = Ke = K,
        no-load speed  w0 = V/(N·K)       gives K = V/(N·w0)
        stall torque   t0 = N·K·V/R       gives R = N·K·V/t0
        flat top       tmax = N·K·imax    gives imax = tmax/(N·K)
    """
    volts, turns = positive("voltage", voltage), np.abs(finite("ratio", ratio))
    gearbox = None if np.all(array(ratio) == 1.0) else Gearbox(stages=(Stage(ratio=ratio),))
    constant = volts / (turns * clip.velocity_limit)
    return Motor(
        winding=Winding(resistance=plain(turns * constant * volts / clip.saturation_effort)),
        magnet=Magnet(torque_constant=plain(constant), back_emf_constant=plain(constant)),
        gearbox=gearbox,
        limits=Limits(peak_current=plain(clip.effort_limit / (turns * constant))),
        ratings=Ratings(voltage=voltage),
    )
