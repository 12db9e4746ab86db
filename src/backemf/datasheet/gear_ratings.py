"""What the stages of a gear train are rated for."""

from __future__ import annotations

import math

from .sheet import Datasheet


def later_ratios(sheet: Datasheet) -> list[float]:
    """For each stage the reduction that follows it."""
    return [math.prod(abs(g.ratio or 1.0) for g in sheet.gear[i + 1 :]) for i in range(len(sheet.gear))]


def gear_ratings(sheet: Datasheet) -> dict[str, float | None]:
    """Permissible torque and peak torque at the output [N·m] and speed at the motor [rad/s], the weakest stage each."""
    later = later_ratios(sheet)
    before = [math.prod(abs(g.ratio or 1.0) for g in sheet.gear[:i]) for i in range(len(sheet.gear))]

    def weakest(name: str, factors: list[float]) -> float | None:
        values = ((getattr(g, name), factor) for g, factor in zip(sheet.gear, factors, strict=True))
        return min((value * factor for value, factor in values if value is not None), default=None)

    return {
        "gear_torque": weakest("torque", later),
        "gear_peak_torque": weakest("peak_torque", later),
        "gear_input_speed": weakest("max_input_speed", before),
    }
