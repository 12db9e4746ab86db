"""Headings of columns: `position[knee] [deg]`, `current (mA)` and `speed_rpm` name a channel, a joint and a unit."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from .. import units
from ..errors import ParameterError, UnitError
from ..values import Json
from .channels import SET, TIME, find_channel, unit_of

_BRACKETS = re.compile(r"(.*?)(\s*)\[([^\[\]]*)\](?:\s*\[([^\[\]]*)\])?\s*")
_PARENTHESES = re.compile(r"(.*?)\s*\((.*)\)\s*")
_NUMBER = r"\d+\.?\d*(?:[eE][+-]?\d+)?"
_FACTOR = re.compile(rf"({_NUMBER})(?:\s*/\s*({_NUMBER}))?(?:\s*\*\s*|\s+|$)(.*)")
_SHARE = re.compile(rf"(.*\S)\s*/\s*({_NUMBER})")
_INPUTS = ("position_command", "velocity_command", "effort_command", "voltage_command", "current_command")
"""What a column `command` may be, by the unit it has."""
_COMMANDS = ("command", "cmd", "setpoint", "target", "goal", "reference", "desired")
"""Names of such columns."""
_SPOKEN = {"radps": "rad/s", "rads": "rad/s", "degps": "deg/s", "dps": "deg/s"}
"""Units as names of columns have them."""
_COUNTS = ("count", "tick", "lsb", "raw", "step", "pulse")
"""Names of units that every device has of its own size."""
NATIVE = {
    "millis": (TIME, "ms"),
    "micros": (TIME, "us"),
    "ms_today": (TIME, "ms"),
    "pos_estimate": ("position", "rev"),
    "vel_estimate": ("velocity", "rev/s"),
    "input_pos": ("position_command", "rev"),
    "input_vel": ("velocity_command", "rev/s"),
    "pos_setpoint": ("position_command", "rev"),
    "vel_setpoint": ("velocity_command", "rev/s"),
    "iq_measured": ("current", "A"),
    "iq_setpoint": ("current_command", "A"),
}
"""Channel and unit of names that say nothing of their unit, as Arduino, VESC and ODrive have them."""


@dataclass(frozen=True)
class Heading:
    """What a heading says."""

    column: str
    """Name of the column as the file has it, without its unit and its joint."""
    channel: str | None
    """The channel, or `time`; None: it spells none."""
    joint: str = ""
    """The joint; empty: the heading names none."""
    unit: str = ""
    """Unit as written; empty: none is named."""
    assumed: bool = False
    """Whether the unit is that of the device that has such names."""


def read_heading(text: str, unit: str = "") -> Heading:
    """What a heading says; `unit` is what the file says elsewhere, such as in its metadata."""
    name, joint, named = _split(text.strip().replace(";", ","), unit)
    unit = unit or named
    if name.strip().lower() in _COMMANDS:
        return Heading(name, _command_channel(unit), joint, unit)
    native = NATIVE.get(name.strip().lower().rpartition(".")[2])
    if native is not None:
        channel, usual = native
        return Heading(name, channel, joint, unit or usual, assumed=not unit and usual.startswith("rev"))
    if name.startswith("/"):
        return _of_topic(name, joint, unit)
    channel = find_channel(name)
    if channel is None and not unit:
        channel, unit = _unit_behind(name)
    return Heading(name, channel, joint, unit)


def _of_topic(name: str, joint: str, unit: str) -> Heading:
    """What a series of a topic is, such as /joint_states/position[0] or /joint_states/elbow/position."""
    *above, last = name.strip("/").split("/")
    channel = find_channel(last)
    if channel == TIME:
        # each message has a stamp, and the table has its own times
        channel = None
    if not joint and len(above) > 1 and "state" not in above[-1]:
        joint, above = above[-1], above[:-1]
    words = {word.removesuffix("s") for part in (*above, joint) for word in part.lower().split("_")}
    if channel is not None and words & {each.removesuffix("s") for each in SET}:
        if joint.lower() in SET:
            joint = ""
        channel = find_channel(f"{channel}_command")
    return Heading(name, channel, joint, unit)


def reading_options(corrected: Mapping[str, Sequence[str]], headings: Mapping[str, str]) -> dict[str, Json]:
    """What is to be read differently from what the headings of a file say.

    Args:
        corrected: Channel and unit of columns that a person has set, by column; an empty channel: it is not read.
        headings: Channel that each column is taken for by its heading; empty: none.

    Returns:
        `channels` and `units` for `read_log`, and the channels `without` which the log is to be.
    """
    channels = {channel: column for column, (channel, _) in corrected.items() if channel}
    units = {column: unit for column, (channel, unit) in corrected.items() if channel and unit}
    gone = [headings.get(column, "") for column, (channel, _) in corrected.items() if not channel]
    return {"channels": channels, "units": units, "without": [each for each in gone if each and each not in channels]}


def _split(text: str, unit: str) -> tuple[str, str, str]:
    """Name, joint and unit of a heading."""
    if found := _BRACKETS.fullmatch(text):
        name, space, first, second = found.groups()
        if second is not None:
            return name.strip(), first.strip(), second.strip()
        # without a space it may be either: position[deg], position[knee]
        joint = bool(unit) or (not space and not _is_unit(first, find_channel(name)))
        return (name.strip(), first.strip(), "") if joint else (name.strip(), "", first.strip())
    if found := _PARENTHESES.fullmatch(text):
        return found[1].strip(), "", found[2].strip()
    name, slash, last = text.rpartition("/")
    if (
        slash
        and not text.startswith("/")
        and find_channel(name) is not None
        and _is_unit(last.strip(), find_channel(name))
    ):
        return name.strip(), "", last.strip()
    return text, "", ""


def _is_unit(text: str, channel: str | None) -> bool:
    if text.strip().isdigit():
        return False
    if channel is None:
        return True
    try:
        unit_scale(text, channel)
    except UnitError:
        return False
    return True


def _unit_behind(name: str) -> tuple[str | None, str]:
    """Channel and unit of names such as speed_rpm, time_ms or velocity_rad_s."""
    parts = name.strip().split("_")
    for cut in range(1, len(parts)):
        word, unit = "_".join(parts[:cut]), "/".join(parts[cut:])
        unit = _SPOKEN.get(unit.lower(), unit)
        for spelled in dict.fromkeys((unit, unit.lower())):
            channel = _command_channel(spelled) if word.lower() in _COMMANDS else find_channel(word)
            if channel is not None and _is_unit(spelled, channel):
                return channel, spelled
    return None, ""


def _command_channel(unit: str) -> str | None:
    """What a column `command` commands, by its unit."""
    if unit in ("1", "%"):
        return "duty_command"
    return next((name for name in _INPUTS if unit and _is_unit(unit, name)), None)


def unit_scale(unit: str, channel: str) -> tuple[float, float]:
    """Size and offset in SI of a unit, for the values of a channel or of time; a slide's are in metres and newtons.

    Counts of a converter are multiples or shares of a unit, such as `rev/4096`, `0.229 rpm` or, of a duty, `1/885`.
    """
    wanted = unit_of(channel)
    plain = unit.strip()
    if plain != "1" and (found := _FACTOR.fullmatch(plain)) and (found[3] or wanted == "1"):
        size, offset = unit_scale(found[3], channel)
        return _multiple(
            unit, float(found[1]) / float(found[2] or 1.0) if float(found[2] or 1.0) else 0.0, size, offset
        )
    if (found := _SHARE.fullmatch(plain)) and float(found[2]):
        size, offset = unit_scale(found[1], channel)
        return _multiple(unit, 1.0 / float(found[2]), size, offset)
    try:
        return _scale(unit, wanted)
    except UnitError as error:
        sliding = units.linear_unit(wanted)
        if sliding == wanted:
            raise
        try:
            return _scale(unit, sliding)
        except UnitError:
            raise error from None


def _multiple(unit: str, factor: float, size: float, offset: float) -> tuple[float, float]:
    if not factor > 0.0 or offset:
        raise UnitError(f'"{unit}": must be a factor above 0, and a unit without a zero of its own')
    return factor * size, 0.0


def _scale(unit: str, wanted: str) -> tuple[float, float]:
    if unit in ("", "1") and wanted == "1":
        return 1.0, 0.0
    zero = units.parse(f"0 {unit}", wanted)
    return units.parse(f"1 {unit}", wanted) - zero if zero == 0.0 else 1.0, zero


def to_si(values: ArrayLike, unit: str, channel: str, place: str) -> np.ndarray:
    """Values of a channel, or times, in SI; `place` is named in the error."""
    try:
        size, offset = unit_scale(unit, channel)
    except UnitError as error:
        what = "the times" if channel == TIME else channel
        if unit.strip().lower().removesuffix("s") in _COUNTS:
            example = {"rad": "rev/4096", "rad/s": "0.229 rpm", "1": "1/885"}.get(
                unit_of(channel), f"0.001 {unit_of(channel)}"
            )
            raise ParameterError(
                f"{place}: the unit {unit!r} of {what} says nothing of its size; give what one is, as in {example!r}"
            ) from None
        raise ParameterError(f"{place}: the unit {unit!r} of {what}: {error}") from None
    found = np.asarray(values, dtype=float)
    return found if (size, offset) == (1.0, 0.0) else found * size + offset
