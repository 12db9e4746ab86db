"""A log from columns: which column is which channel, of which joint, in which unit, and where it was measured."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ..errors import ParameterError, errors_at
from .channels import CHANNELS, TIME, Channel, make_channel, require_channel, spelled_channel, suggest
from .counters import unwrap_counter
from .headings import Heading, read_heading, to_si
from .log import Log, Meta

SHOWN = 12
"""So many names stand in a sentence."""


@dataclass(frozen=True)
class Wanted:
    """What a caller says of a file."""

    channels: Mapping[str, str] = field(default_factory=dict)
    """Column of a channel, where its name does not tell."""
    units: Mapping[str, str] = field(default_factory=dict)
    """Unit of a channel or of a column, where its heading does not tell."""
    joints: tuple[str, ...] | None = None
    """Names of joints: of the columns of an array, or a choice of those that the file names."""
    rate: float | None = None
    """Rows per second, where the file has no times [1/s]."""
    meta: Mapping[str, Meta] = field(default_factory=dict)
    """Notes that are added to those of the file."""


@dataclass(frozen=True)
class Column:
    """A column that is read, with all that is known of it."""

    text: str
    """Its whole heading, the key of the table."""
    heading: Heading


def convert_unit(values: ArrayLike, channel: str, given: Mapping[str, str]) -> np.ndarray:
    """Values of a channel in SI, from the unit that is given for it; SI where none is."""
    try:
        found = np.asarray(values, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{channel}: must be numbers, all rows of one length") from None
    return to_si(found, given[channel], channel, "units") if channel in given else found


def log_of_columns(
    label: str,
    table: Mapping[str, np.ndarray],
    units: Mapping[str, str] | None = None,
    wanted: Wanted | None = None,
    meta: Mapping[str, Meta] | None = None,
    notes: Sequence[str] = (),
    between: Literal["held", "linear"] = "held",
) -> Log:
    """A log from a table of columns by heading; NaN where a channel was not measured.

    Args:
        label: The file, for messages.
        table: Columns by heading, each (rows) or (rows, joints).
        units: Unit of a column by heading, where it stands elsewhere than in the heading.
        wanted: What the caller says of the file.
        meta: Notes of the file.
        notes: What was changed in reading.
        between: What the command was between its samples.
    """
    wanted = wanted or Wanted()
    columns = find_columns(label, list(table), units or {}, wanted)
    time, clock = _times(label, columns, table, wanted)
    names: list[str] = []
    grouped: dict[str, list[Column]] = {}
    for column in columns:
        if column.heading.channel is not None and column.heading.channel != TIME:
            grouped.setdefault(column.heading.channel, []).append(column)
    made: dict[str, Channel] = {}
    for channel, parts in grouped.items():
        values, joints = _values(label, channel, parts, table, wanted)
        if joints and names and joints != names:
            raise ParameterError(
                f"{label}: {channel} is of the joints {', '.join(joints[:SHOWN])}, and others of "
                f"{', '.join(names[:SHOWN])}; give each channel the same joints"
            )
        names = joints or names
        with errors_at(label):
            made[channel] = _measured_channel(channel, parts, time, values)
    if not made:
        raise ParameterError(
            f"{label}: none of its columns is a channel ({_list(list(table))}); "
            'map them, as in channels={"position": "my column"}'
        )
    native = [f"{c.text} is in {c.heading.unit}, as an ODrive logs it" for c in columns if c.heading.assumed]
    used = {column.text for column in columns if column.heading.channel is not None}
    unread = tuple(text for text in table if text and text not in used)
    log_meta = {**(meta or {}), **wanted.meta}
    return Log(made, log_meta, tuple(names), label, between, (*notes, *clock, *native), unread)


# --- which column is which


def find_columns(label: str, texts: Sequence[str], units: Mapping[str, str], wanted: Wanted) -> list[Column]:
    """Every column with its channel; a channel that the caller maps is taken from its column alone."""
    columns = [Column(text, read_heading(text, units.get(text) or wanted.units.get(text) or "")) for text in texts]
    mapped: dict[str, str] = {}
    for channel, name in wanted.channels.items():
        if channel != TIME:
            require_channel(channel, f"{label}: channels: ")
        if not any(name in (column.text, column.heading.column) for column in columns):
            raise ParameterError(
                f"{label}: no column {name!r} for {channel}; there are {_list([c.heading.column for c in columns])}"
            )
        mapped[name] = channel
    found = []
    for column in columns:
        it = column.heading
        channel = mapped.get(column.text) or mapped.get(it.column)
        if channel is None:
            if it.column.lower() == "command" and not it.unit:
                raise ParameterError(
                    f"{label}: the column {column.text!r} has no unit, which says what is commanded: write "
                    '"command [deg]" or "command [V]", or map it with channels={"position_command": "command"}'
                )
            channel = None if it.channel in wanted.channels else it.channel
        elif it.channel is None and not it.unit:
            # the unit may stand behind a name that spells no channel
            it = replace(it, channel=channel)
        given = wanted.units.get(column.text) or wanted.units.get(it.column) or wanted.units.get(channel or "")
        heading = replace(it, channel=channel, unit=given or it.unit, assumed=it.assumed and not given)
        found.append(Column(column.text, heading))
    known = {c.heading.column for c in found} | {c.text for c in found} | {c.heading.channel for c in found}
    for name in wanted.units:
        if name not in known:
            raise ParameterError(f"{label}: units: no column {name!r}; there are {_list(list(texts))}")
    return _without_doubles(label, found)


def _without_doubles(label: str, columns: list[Column]) -> list[Column]:
    """The columns, where no channel of a joint comes twice; a plain `command`, or a name that only describes a channel,
    gives way to a column of its full name."""
    seen: dict[tuple[str, str], Column] = {}
    dropped: list[Column] = []
    for column in columns:
        it = column.heading
        if it.channel is None:
            continue
        first = seen.setdefault((it.channel, it.joint), column)
        if first is column:
            continue
        plain = [c for c in (first, column) if c.heading.column.lower() in ("command", "setpoint")]
        plain = plain or [c for c in (first, column) if spelled_channel(c.heading.column) is None]
        if not plain or (len(plain) == 2 and plain[0].heading.column.lower() not in ("command", "setpoint")):
            raise ParameterError(
                f"{label}: the columns {first.text!r} and {column.text!r} are both {it.channel}; "
                f'name one of them in channels={{"{it.channel}": ...}}'
            )
        dropped.append(plain[-1])
        seen[it.channel, it.joint] = column if first in plain[-1:] else first
    left = [replace(c.heading, channel=None) for c in columns]
    return [Column(c.text, gone) if c in dropped else c for c, gone in zip(columns, left, strict=True)]


def _times(
    label: str, columns: Sequence[Column], table: Mapping[str, np.ndarray], wanted: Wanted
) -> tuple[np.ndarray, list[str]]:
    """The time of each row [s], and what was changed in it."""
    found = [column for column in columns if column.heading.channel == TIME]
    rows = len(next(iter(table.values()), ()))
    if wanted.rate is not None:
        if found:
            raise ParameterError(f"{label}: rate = {wanted.rate:g} Hz is given, and it has times in {found[0].text!r}")
        if not (np.isfinite(wanted.rate) and wanted.rate > 0):
            raise ParameterError(f"{label}: rate = {wanted.rate}: must be above 0 [Hz]")
        return np.arange(rows) / wanted.rate, []
    if not found:
        raise ParameterError(
            f"{label}: no column of times; there are {_list(list(table))}: name it in channels={{'time': ...}}, or "
            "give rate in Hz"
        )
    it = found[0]
    if np.ndim(table[it.text]) != 1:
        shape = np.shape(table[it.text])
        raise ParameterError(f"{label}: the times in {it.text!r} have the shape {shape}; give one per row")
    counted, changed = unwrap_counter(table[it.text])
    time = to_si(counted, it.heading.unit or "s", TIME, f"{label}, column {it.text!r}")
    return time, [changed] if changed else []


# --- the values of a channel


def _values(
    label: str, channel: str, parts: Sequence[Column], table: Mapping[str, np.ndarray], wanted: Wanted
) -> tuple[np.ndarray, list[str]]:
    """Values in SI and the joints along their last axis; none for a single joint without a name."""
    arrays = []
    for part in parts:
        unit = part.heading.unit or CHANNELS[channel].unit
        arrays.append(to_si(table[part.text], unit, channel, f"{label}, column {part.text!r}"))
    joints = [part.heading.joint for part in parts]
    if len(parts) == 1 and not joints[0]:
        if arrays[0].ndim == 1:
            return arrays[0], []
        count = arrays[0].shape[1]
        named = [str(index) for index in range(count)] if wanted.joints is None else list(wanted.joints)
        if len(named) != count:
            raise ParameterError(f"{label}: {channel} has {count} joints, and joints names {len(named)}; name each")
        return arrays[0], named
    if "" in joints:
        raise ParameterError(f"{label}: {channel} comes with and without a joint; name the joint of each column")
    chosen = joints if wanted.joints is None else list(wanted.joints)
    for joint in chosen:
        if joint not in joints:
            raise ParameterError(f"{label}: {channel} has no joint {joint!r}: {suggest(joint, joints)}")
    return np.stack([arrays[joints.index(joint)] for joint in chosen], axis=1), chosen


def _measured_channel(channel: str, parts: Sequence[Column], time: np.ndarray, values: np.ndarray) -> Channel:
    """The channel at the times at which it was measured."""
    missing = np.isnan(values)
    if values.ndim == 2:
        some = missing.any(axis=1) & ~missing.all(axis=1)
        for row in np.flatnonzero(some)[:1]:
            part = parts[int(np.flatnonzero(missing[row])[0])] if len(parts) > 1 else parts[0]
            raise ParameterError(f"row {row}: {part.text!r} is empty where other joints are measured; complete the row")
        missing = missing.all(axis=1)
    if missing.all():
        raise ParameterError(f"the column {parts[0].text!r} is empty; leave it out")
    return make_channel(channel, time[~missing], values[~missing])


def _list(names: Sequence[str]) -> str:
    shown = ", ".join(str(name)[:40] for name in names[:SHOWN]) or "none"
    return f"{shown} and {len(names) - SHOWN} more" if len(names) > SHOWN else shown
