"""What a gear train is made for, as its stages say."""

from __future__ import annotations

import math

from .sheet import Datasheet


def later_ratios(sheet: Datasheet) -> list[float]:
    """For each stage the reduction that follows it."""
    return [math.prod(abs(g.ratio or 1.0) for g in sheet.gear[i + 1 :]) for i in range(len(sheet.gear))]


def gear_ratings(sheet: Datasheet) -> dict[str, float | None]:
    """Permissible torque and peak torque at the output [N·m] and speed at the motor [rad/s], the weakest stage each."""
    torques, peaks, speeds = [], [], []
    before = 1.0
    for g, later in zip(sheet.gear, later_ratios(sheet), strict=True):
        torques += [g.torque * later] if g.torque is not None else []
        peaks += [g.peak_torque * later] if g.peak_torque is not None else []
        speeds += [g.max_input_speed * before] if g.max_input_speed is not None else []
        before *= abs(g.ratio or 1.0)
    return {
        "gear_torque": min(torques, default=None),
        "gear_peak_torque": min(peaks, default=None),
        "gear_input_speed": min(speeds, default=None),
    }
