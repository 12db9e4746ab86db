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
from ....errors import ParameterError

VOLTS = 24.0
"""Voltage of a motor that stands for a clip [V]; a choice."""


def with_motor(actuator: Actuator) -> Actuator:
    """An actuator whose DC-motor clip is a motor."""
    clips = [limit for limit in actuator.limits if isinstance(limit, DcClip)]
    if len(clips) != 1:
        raise ParameterError(
            "write(Actuator(...)) without a motor: MuJoCo's dcmotor is one; give Actuator.motor, or one DcClip in "
            "Actuator.limits"
        )
    rest = tuple(limit for limit in actuator.limits if limit is not clips[0])
    motor = motor_from_dc_clip(clips[0], voltage=VOLTS)
    return replace(actuator, motor=motor, supply=Supply(voltage=VOLTS), limits=rest)
