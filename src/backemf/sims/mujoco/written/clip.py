"""A DC-motor clip as a motor.

Since MuJoCo 3.12 a dcmotor without states that is told a torque answers with

    clip(clip(τ, t0·(-1 - w/w0), t0·(1 - w/w0)), ±τmax),   t0 = K·V/R,   w0 = V/K

which is the clip of mjlab, Isaac Lab and Newton, whatever the voltage V.
"""

from __future__ import annotations

from dataclasses import replace

from ....actuator import Actuator, Supply
from ....actuator.torque_limits import DcClip
from ....analyze.simplified import motor_from_dc_clip

VOLTS = 24.0
"""Voltage of a motor that stands for a clip [V]; a choice."""


def is_clip(actuator: Actuator) -> bool:
    """Whether an actuator without a motor has one DC-motor clip, which is a motor to MuJoCo."""
    return sum(isinstance(limit, DcClip) for limit in actuator.limits) == 1


def with_motor(actuator: Actuator) -> Actuator:
    """An actuator whose DC-motor clip is a motor."""
    (clip,) = (limit for limit in actuator.limits if isinstance(limit, DcClip))
    rest = tuple(limit for limit in actuator.limits if limit is not clip)
    return replace(actuator, motor=motor_from_dc_clip(clip, voltage=VOLTS), supply=Supply(voltage=VOLTS), limits=rest)
