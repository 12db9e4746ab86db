"""The channels of a log: what each measures, its SI unit, and how others spell its name."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError


@dataclass(frozen=True)
class ChannelKind:
    """What a channel measures."""

    unit: str
    """SI unit of its values."""
    spellings: str
    """Other names for it, in small letters, separated by spaces."""
    about: str
    """What it is."""


CHANNELS = {
    "position_command": ChannelKind(
        "rad",
        "goal_position position_target target_position position_goal desired_position position_setpoint "
        "position_reference des_dof_pos dof_pos_target q_des q_ref p_des",
        "joint position that is asked for",
    ),
    "velocity_command": ChannelKind(
        "rad/s", "goal_velocity velocity_target target_velocity velocity_setpoint dq_des v_des", "velocity asked for"
    ),
    "effort_command": ChannelKind(
        "N*m", "torque_command goal_torque torque_target target_torque torque_setpoint tau_des", "torque asked for"
    ),
    "voltage_command": ChannelKind("V", "voltage_target", "voltage at the terminals that is asked for"),
    "duty_command": ChannelKind("1", "pwm_command goal_pwm duty_target", "share of the bus voltage that is asked for"),
    "current_command": ChannelKind("A", "q_current_command goal_current current_target iq_ref", "current asked for"),
    "enable": ChannelKind("1", "torque_enable enabled", "1 while the drive is on, 0 while its torque is off"),
    "position": ChannelKind("rad", "pos angle theta q dof_pos joint_position present_position", "joint position"),
    "velocity": ChannelKind("rad/s", "vel speed omega dq qd dof_vel joint_velocity present_velocity", "joint velocity"),
    "position_error": ChannelKind("rad", "error", "position command less position, where neither is logged"),
    "torque": ChannelKind("N*m", "effort tau joint_torque joint_effort dof_torque", "joint torque"),
    "current": ChannelKind(
        "A", "i iq q_current q_axis_current motor_current present_current", "current, DC-equivalent"
    ),
    "duty": ChannelKind("1", "pwm duty_cycle present_pwm", "share of the bus voltage at the terminals, -1 to 1"),
    "bus_voltage": ChannelKind(
        "V",
        "input_volts vbus v_bus vbus_voltage bus_volts supply_voltage battery_voltage input_voltage "
        "present_input_voltage",
        "voltage of the supply",
    ),
    "winding_temperature": ChannelKind(
        "degC", "motor_temperature coil_temperature temp_motor motor_temp", "temperature of the winding"
    ),
    "housing_temperature": ChannelKind("degC", "case_temperature temp", "temperature of the housing"),
}
"""Every channel by its name."""
COMMANDS = {name: name.removesuffix("_command") for name in CHANNELS if name.endswith("_command")}
"""The channels that are commands, and the controller's input of each."""
HELD = (*COMMANDS, "enable")
"""Channels that are set rather than measured: what was last set holds."""
TIME = "time"
TIME_SPELLINGS = ("t", "timestamp", "stamp", "seconds")
_BY_SPELLING = {word: name for name, kind in CHANNELS.items() for word in (name, *kind.spellings.split())}
_BY_SPELLING |= dict.fromkeys((TIME, *TIME_SPELLINGS), TIME)
SET = ("command", "commanded", "cmd", "target", "goal", "desired", "des", "reference", "ref", "setpoint", "demand")
"""Words that make a quantity a command."""
_MEASURED = ("actual", "act", "measured", "meas", "present", "feedback", "real", "current")
"""Words that say of a quantity that it was measured; `current` does so before a quantity."""
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def unit_of(name: str) -> str:
    """SI unit of a channel, or of time."""
    return "s" if name == TIME else CHANNELS[name].unit


def find_channel(word: str) -> str | None:
    """The channel, or `time`, that a column's name spells or describes; None where it does neither."""
    plain = _CAMEL.sub("_", word.strip())
    return spelled_channel(word) or spelled_channel(plain) or _described_channel(_plain(plain).split("_"))


def spelled_channel(word: str) -> str | None:
    """The channel, or `time`, of which a word is a known name; None where it is none."""
    plain = _plain(word)
    return _BY_SPELLING.get(plain) or _BY_SPELLING.get(plain.removesuffix("s"))


def _plain(word: str) -> str:
    return re.sub(r"[\s.-]", "_", word.strip().lower()).strip("_")


def _described_channel(words: list[str]) -> str | None:
    """The channel of words such as target and pos, or measured and torque, in either order."""
    for said, is_set in ((SET, True), (_MEASURED, False)):
        for at in {0, len(words) - 1}:
            rest = words[:at] + words[at + 1 :]
            if words[at] not in said or not rest or (words[at] == "current" and at):
                continue
            found = spelled_channel("_".join(rest))
            wanted = f"{'effort' if found == 'torque' else found}_command" if is_set else found
            if wanted in CHANNELS and found not in COMMANDS:
                return wanted
    return None


def require_channel(name: str, place: str = "") -> None:
    """Check that there is a channel of this name."""
    if name not in CHANNELS:
        raise ParameterError(f"{place}{name!r} is not a channel: {suggest(name, CHANNELS)}")


def suggest(name: str, known: Iterable[str]) -> str:
    """The nearest of some names, or all of them where none is near."""
    near = get_close_matches(name, list(known), n=1)
    return f"did you mean {near[0]}?" if near else f"use one of {', '.join(known)}"


@dataclass(frozen=True, eq=False)
class Channel:
    """One measured quantity at its own times."""

    time: np.ndarray
    """Times of the samples as measured, rising [s]."""
    values: np.ndarray
    """Values in SI, one per time; with an axis of joints behind where there are several."""

    def __len__(self) -> int:
        return len(self.time)

    def __reduce__(self) -> tuple[object, ...]:
        return frozen_channel, (self.time, self.values)

    def cut(self, keep: np.ndarray) -> Channel:
        """The samples of a mask or of some indices."""
        return frozen_channel(self.time[keep], self.values[keep])


def frozen_channel(time: ArrayLike, values: ArrayLike) -> Channel:
    """A channel whose arrays cannot be changed."""
    kept = [np.array(each, dtype=float, order="C") for each in (time, values)]
    for each in kept:
        each.setflags(write=False)
    return Channel(*kept)


def make_channel(name: str, time: ArrayLike, values: ArrayLike) -> Channel:
    """A channel after the checks of its shape, its times and its numbers."""
    try:
        channel = frozen_channel(time, values)
    except (TypeError, ValueError):
        raise ParameterError(f"{name}: must be numbers, all rows of one length") from None
    if channel.time.ndim != 1 or channel.values.ndim not in (1, 2) or len(channel.values) != len(channel.time):
        raise ParameterError(
            f"{name}: has the shape {channel.values.shape} at times of the shape {channel.time.shape}; "
            "give one value per time, or one per time and joint"
        )
    if not channel.values.size:
        raise ParameterError(f"{name}: has no samples; leave the channel out")
    check_times(name, channel.time)
    bad = np.argwhere(~np.isfinite(channel.values))
    if len(bad):
        place = f"row {bad[0][0]}" if channel.values.ndim == 1 else f"row {bad[0][0]}, joint {bad[0][1]}"
        found = channel.values[tuple(bad[0])]
        raise ParameterError(f"{name}, {place} = {found}: must be finite; leave samples out that were not measured")
    if name == "enable" and not np.isin(channel.values, (0.0, 1.0)).all():
        row = int(np.argwhere(~np.isin(channel.values, (0.0, 1.0)))[0][0])
        raise ParameterError(f"enable, row {row} = {channel.values[row]}: must be 0 or 1")
    return channel


def check_times(name: str, time: np.ndarray) -> None:
    """Check that times are finite and rise."""
    for row in np.flatnonzero(~np.isfinite(time))[:1]:
        raise ParameterError(f"{name}, time of row {row} = {time[row]}: must be finite; leave the row out")
    for row in np.flatnonzero(np.diff(time) <= 0)[:1]:
        after, before = time[row + 1], time[row]
        said = "is the same as" if after == before else "goes back from"
        raise ParameterError(
            f"{name}, time of row {row + 1} = {after:.9g} s: {said} {before:.9g} s before it; "
            "sort the rows, leave repeated ones out, or split the log there"
        )
