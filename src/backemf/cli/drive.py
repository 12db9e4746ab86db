"""Texts of options about a drive: its controller, delay, range, slew and limits."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from ..actuator import Actuator, Delay, DutyCurve, DutyTable, JointSpring, Supply
from ..actuator.controllers import Controller
from ..actuator.controllers.torque_pid import MOVING_TARGET
from ..actuator.torque_limits import TorqueLimit
from ..errors import ParameterError
from .words import COMMANDS, above_zero, between, choose, kinds, part_from

SLEW_UNITS = {"voltage": "V/s", "position": "deg/s", "velocity": "rpm/s", "effort": "N*m/s"}
"""A unit per second of each input of a controller."""


def controllers() -> dict[str, type]:
    """Controllers that one line of words can describe, by the word each is chosen with."""
    return {word: kind for word, kind in kinds("controller").items() if kind.asks in ("voltage", "duty", "torque")}


def controller_from(text: str) -> Controller:
    """A controller from words such as `position-pid kp=10V/rad`."""
    kind, rest = choose("--controller", text, controllers())
    follows_velocity = re.search(r"\bfollows\s*=\s*velocity\b", rest) is not None
    return part_from("--controller", kind, rest, MOVING_TARGET if follows_velocity else None)


def limit_from(text: str) -> TorqueLimit:
    """A torque limit from words such as `effort effort_limit=2N*m`."""
    return part_from("--limit", *choose("--limit", text, kinds("limit")))


def curve_from(text: str) -> DutyCurve | DutyTable:
    """A curve of the bridge from words such as `duty-curve saturation=0.6`."""
    return part_from("--curve", *choose("--curve", text, kinds("duty_curve")))


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
    curve: str | None = None,
    spring: str | None = None,
    controller: str | None = None,
    delay: str | None = None,
    range_: str | None = None,
    slew: str | None = None,
    voltage_limit: str | None = None,
    limits: list[str] | None = None,
    substeps: int | None = None,
) -> Actuator:
    """An actuator with the parts that the texts of the options describe in place of its own."""
    changes: dict[str, Any] = {}
    if controller is not None:
        changes["controller"] = controller_from(controller)
    control = changes.get("controller", actuator.controller)
    if control.asks == "duty" and supply is None and actuator.supply is None:
        raise ParameterError(
            f'--controller {control.called} gives a duty of the bus voltage: add one, such as --supply "voltage=12V"'
        )
    if supply is not None:
        changes["supply"] = part_from("--supply", Supply, supply)
    if curve is not None:
        fed = changes.get("supply", actuator.supply)
        if fed is None:
            raise ParameterError('--curve shapes the voltage of a supply: add one, such as --supply "voltage=12V"')
        changes["supply"] = replace(fed, curve=curve_from(curve))
    if spring is not None:
        changes["spring"] = part_from("--spring", JointSpring, spring)
    if delay is not None:
        changes["delay"] = part_from("--delay", Delay, delay)
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
