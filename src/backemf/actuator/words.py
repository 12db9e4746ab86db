"""An actuator in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..motor.words import span

if TYPE_CHECKING:
    from .actuator import Actuator
    from .delay import Delay


def actuator_words(actuator: Actuator) -> str:
    """Controller, motor, supply, and what holds a command up or limits the torque."""
    motor = actuator.motor
    parts = [type(actuator.controller).__name__, "no motor" if motor is None else motor.name or "a motor"]
    if actuator.supply is not None:
        parts.append(f"{span(actuator.supply.voltage, 'V')} supply")
    if actuator.delay is not None:
        parts.append(_delay_words(actuator.delay))
    parts += [
        name.replace("_", " ")
        for name in ("command_range", "slew", "voltage_limit", "spring")
        if getattr(actuator, name) is not None
    ]
    if actuator.substeps > 1:
        parts.append(f"{actuator.substeps} substeps")
    return ", ".join([*parts, *(type(limit).__name__ for limit in actuator.limits)])


def _delay_words(delay: Delay) -> str:
    if delay.seconds is None:
        steps = delay.steps
        return f"delay of {steps[0]} to {steps[1]} steps" if isinstance(steps, tuple) else f"delay of {steps} steps"
    if isinstance(delay.seconds, tuple):
        return "delay of " + " to ".join(span(end, "s") for end in delay.seconds)
    return f"delay of {span(delay.seconds, 's')}"
