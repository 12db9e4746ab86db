"""A DC-motor clip as a motor.

Since MuJoCo 3.12 a dcmotor without states that is told a torque answers with

    clip(clip(τ, t0·(-1 - w/w0), t0·(1 - w/w0)), ±τmax),   t0 = K·V/R,   w0 = V/K

which is the clip of mjlab, Isaac Lab and Newton. Any voltage V does: K = V/w0 and R = K·V/t0 follow from it.
"""

from __future__ import annotations

from dataclasses import replace

from ...actuator import Actuator, Supply
from ...actuator.torque_limits import DcClip
from ...errors import ParameterError
from ...motor import Limits, Magnet, Motor, Winding
from ..joint import single

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
    names = ("saturation_effort", "velocity_limit", "effort_limit")
    stall, speed, most = (single(f"DcClip.{name}", getattr(clips[0], name)) for name in names)
    constant = VOLTS / speed
    motor = Motor(
        winding=Winding(resistance=constant * VOLTS / stall, temperature_coefficient=0.0),
        magnet=Magnet(torque_constant=constant, back_emf_constant=constant),
        limits=Limits(peak_current=most / constant),
    )
    rest = tuple(limit for limit in actuator.limits if limit is not clips[0])
    return replace(actuator, motor=motor, supply=Supply(voltage=VOLTS), limits=rest)
