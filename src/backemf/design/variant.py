"""A motor under other conditions than those of its datasheet."""

from __future__ import annotations

from dataclasses import replace

from ..motor import Gearbox, Motor, Stage


def change_motor(
    motor: Motor, ratio: float | None = None, efficiency: float | None = None, ambient: float | None = None
) -> tuple[Motor, tuple[str, ...]]:
    """A motor with other gears or another ambient temperature, and what was changed, in words.

    Args:
        motor: The motor as it is.
        ratio: Gear ratio [1]; None: its own.
        efficiency: Efficiency of the gears [1]; None: its own.
        ambient: Temperature around it [°C]; None: its own. A motor without thermal constants stays as it is.
    """
    said: list[str] = []
    if ratio is not None or efficiency is not None:
        own = motor.gearbox
        turns = ratio if ratio is not None else (1.0 if own is None else float(own.ratio))
        share = efficiency if efficiency is not None else (1.0 if own is None else float(own.efficiency))
        motor = replace(motor, gearbox=Gearbox(stages=(Stage(ratio=turns, efficiency=share),)))
        said.append(f"gear {turns:g}:1 at {100 * share:.0f} %")
    if ambient is not None and motor.thermal is not None:
        motor = replace(motor, thermal=replace(motor.thermal, ambient=ambient))
        said.append(f"{ambient:g} °C around")
    return motor, tuple(said)
