"""What people write about a drive: its controller, delay, range, slew and limits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..actuator import (
    Actuator,
    DcClip,
    Delay,
    DriveEnvelope,
    DutyServo,
    EffortLimit,
    EffortRange,
    IdealPd,
    KneeCurve,
    PositionPid,
    Supply,
    Torque,
    TorquePid,
    VelocityPi,
    Voltage,
)
from ..errors import ParameterError
from .words import COMMANDS, Reader, above_zero, between, built, choice, choices, counted, steps

CONTROLLERS: dict[str, tuple[type, dict[str, str | Reader]]] = {
    "voltage": (Voltage, {}),
    "position-pid": (PositionPid, {"kp": "V/rad", "ki": "V/(rad*s)", "kd": "V*s/rad", "integral_limit": "rad*s"}),
    "velocity-pi": (VelocityPi, {"kp": "V*s/rad", "ki": "V/rad", "integral_limit": "deg"}),
    "torque-pid": (
        TorquePid,
        {
            "kp": "N*m/rad",
            "ki": "N*m/(rad*s)",
            "kd": "N*m*s/rad",
            "integral_limit": "rad*s",
            "current_bandwidth": "1/s",
            "follows": choice,
            "listens": choices,
        },
    ),
    "ideal-pd": (
        IdealPd,
        {"stiffness": "N*m/rad", "damping": "N*m*s/rad", "current_bandwidth": "1/s", "listens": choices},
    ),
    "torque": (Torque, {"current_bandwidth": "1/s"}),
    "duty-servo": (
        DutyServo,
        {
            "kp": "1/rad",
            "ki": "1/(rad*s)",
            "kd": "s/rad",
            "pwm_limit": "1",
            "current_limit": "A",
            "dead_band": "deg",
            "integral_limit": "rad*s",
        },
    ),
}
"""Each controller by the word that it is chosen with, and the units of its numbers."""
FOLLOWS_VELOCITY: dict[str, str | Reader] = {"ki": "N*m/rad", "integral_limit": "deg"}
"""Units of a torque-pid whose integral is a moving target."""
DELAY: dict[str, str | Reader] = {
    "steps": steps,
    "seconds": lambda what, text: between(what, text, "s"),
    "schedule": choice,
    "period": counted,
    "hold_probability": "1",
    "per": choice,
    "targets": choices,
    "frames": counted,
}
LIMITS: dict[str, tuple[type, dict[str, str | Reader]]] = {
    "dc-clip": (DcClip, {"saturation_effort": "Nm", "velocity_limit": "rpm", "effort_limit": "Nm"}),
    "effort": (EffortLimit, {"effort_limit": "Nm"}),
    "effort-range": (EffortRange, {"lowest": "Nm", "highest": "Nm"}),
    "envelope": (
        DriveEnvelope,
        {
            "max_effort": "Nm",
            "max_actuator_velocity": "rpm",
            "velocity_dependent_resistance": "N*m*s/rad",
            "speed_effort_gradient": "rad/(N*m*s)",
        },
    ),
    "knee": (
        KneeCurve,
        {"driving_effort": "Nm", "braking_effort": "Nm", "knee_speed": "rpm", "no_load_speed": "rpm"},
    ),
}
"""Each torque limit by the word that it is chosen with, and the units of its numbers."""
SLEW_UNITS = {"voltage": "V/s", "position": "deg/s", "velocity": "rpm/s", "effort": "N*m/s"}
"""A unit per second of each input of a controller."""


def controller_from(text: str) -> Any:
    """A controller from words such as `position-pid kp=10V/rad`."""
    word, _, rest = text.strip().partition(" ")
    if word not in CONTROLLERS:
        raise ParameterError(f"--controller {text!r}: must begin with one of {', '.join(CONTROLLERS)}")
    kind, gains = CONTROLLERS[word]
    if kind is TorquePid and re.search(r"\bfollows\s*=\s*velocity\b", rest):
        gains = gains | FOLLOWS_VELOCITY
    return built("--controller", kind, rest, gains)


def controller_word(controller: Any) -> str:
    """The word that a controller is chosen with."""
    return next(word for word, (kind, _) in CONTROLLERS.items() if type(controller) is kind)


def limit_from(text: str) -> Any:
    """A torque limit from words such as `effort effort_limit=2N*m`."""
    word, _, rest = text.strip().partition(" ")
    if word not in LIMITS:
        raise ParameterError(f"--limit {text!r}: must begin with one of {', '.join(LIMITS)}")
    return built("--limit", LIMITS[word][0], rest, LIMITS[word][1])


def range_from(text: str, main: str) -> tuple[float, float]:
    """Lowest and highest command from `-90deg..90deg`."""
    ends = between("--range", text, COMMANDS[main][0])
    if not isinstance(ends, tuple):
        raise ParameterError(f'--range "{text}": must be the lowest and the highest command, as in "-90deg..90deg"')
    if ends[0] > ends[1]:
        raise ParameterError(f'--range "{text}": the lowest comes first')
    return ends


def actuator_from(
    actuator: Actuator,
    *,
    supply: str | None = None,
    controller: str | None = None,
    delay: str | None = None,
    range_: str | None = None,
    slew: str | None = None,
    voltage_limit: str | None = None,
    limits: list[str] | None = None,
    substeps: int | None = None,
) -> Actuator:
    """An actuator with what the texts of the options say in place of its own."""
    changes: dict[str, Any] = {}
    if controller is not None:
        changes["controller"] = controller_from(controller)
    control = changes.get("controller", actuator.controller)
    if isinstance(control, DutyServo) and supply is None and actuator.supply is None:
        raise ParameterError(
            '--controller duty-servo gives a duty of the bus voltage: add one, such as --supply "voltage=12V"'
        )
    if supply is not None:
        changes["supply"] = built("--supply", Supply, supply)
    if delay is not None:
        changes["delay"] = built("--delay", Delay, delay, DELAY)
    if limits:
        changes["limits"] = tuple(limit_from(text) for text in limits)
    if range_ is not None:
        changes["command_range"] = range_from(range_, control.main)
    if slew is not None:
        changes["slew"] = above_zero("--slew", slew, SLEW_UNITS[control.main])
    if voltage_limit is not None:
        changes["voltage_limit"] = above_zero("--voltage-limit", voltage_limit, "V")
    if substeps is not None:
        changes["substeps"] = substeps
    return replace(actuator, **changes)
