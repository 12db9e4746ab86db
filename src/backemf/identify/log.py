"""A log: what was measured on a real drive, by named channels in SI, at the times of measurement."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from ..checks import quote
from ..errors import ParameterError
from .channels import CHANNELS, COMMANDS, HELD, Channel, frozen_channel, make_channel, require_channel, suggest

if TYPE_CHECKING:
    from ..actuator import Actuator
    from ..datasheet import Finding
    from ..motor import Motor
    from ..run import Run
    from .rig import Rig

Meta = str | int | float | bool
"""A note on a log, such as its gain or the name of its trajectory."""


@dataclass(frozen=True, repr=False, eq=False)
class Log:
    """What was measured: `log["position"]` are the values of a channel in SI, `log.times("position")` their times.

    Nothing is resampled: each channel keeps the times at which it was measured. A log cannot be changed; `slice`,
    `split`, `joint` and `with_meta` return new ones.
    """

    channels: Mapping[str, Channel]
    """Every channel by its name, such as position, current or position_command."""
    meta: Mapping[str, Meta] = field(default_factory=dict)
    """Notes by name: the gain, the trajectory, the weight; hold-out expressions such as `kp==800` read them."""
    joints: tuple[str, ...] = ()
    """Names of the joints along the last axis of the values; empty: the log is of one joint."""
    name: str = ""
    """What it is called in messages, such as its file."""
    command_between: Literal["held", "linear"] = "held"
    """What the command was between its samples: the last one, or a straight line to the next."""
    notes: tuple[str, ...] = ()
    """What a reader changed, one sentence each."""
    unread: tuple[str, ...] = ()
    """Columns of the file that are no channel."""

    def __post_init__(self) -> None:
        place = f"{self.name}: " if self.name else "Log: "
        if not self.channels:
            raise ParameterError(f"{place}has no channel; give one or more of {', '.join(CHANNELS)}")
        if self.command_between not in ("held", "linear"):
            raise ParameterError(f"{place}command_between = {quote(self.command_between)}: must be held or linear")
        for name, channel in self.channels.items():
            require_channel(name, place)
            _check_joints(place, name, channel, self.joints)
        ordered = {name: self.channels[name] for name in CHANNELS if name in self.channels}
        object.__setattr__(self, "channels", MappingProxyType(ordered))
        object.__setattr__(self, "meta", MappingProxyType(_check_meta(place, self.meta)))
        object.__setattr__(self, "joints", tuple(self.joints))
        if len(self.time) < 2:
            raise ParameterError(f"{place}has one row; a log needs two or more")

    # --- where logs come from

    @classmethod
    def from_arrays(
        cls,
        time: ArrayLike | None,
        channels: Mapping[str, ArrayLike | tuple[ArrayLike, ArrayLike]],
        *,
        units: Mapping[str, str] | None = None,
        joints: Sequence[str] = (),
        meta: Mapping[str, Meta] | None = None,
        name: str = "",
        command_between: Literal["held", "linear"] = "held",
    ) -> Log:
        """A log from arrays.

        Args:
            time: Times that channels share [s]; None where each has its own.
            channels: Values by channel; a pair (times, values) has its own times [s].
            units: Unit of a channel, or of `time`, where it is not in SI, as in {"position": "deg"}.
            joints: Names of the joints along the last axis.
            meta: Notes by name.
            name: What it is called in messages.
            command_between: What the command was between its samples.
        """
        from .assembly import convert_unit

        given = dict(units or {})
        made = {}
        for channel, content in channels.items():
            require_channel(channel)
            times, values = content if isinstance(content, tuple) and len(content) == 2 else (time, content)
            if times is None:
                raise ParameterError(f"{channel}: has no times; give time, or a pair (times, values)")
            made[channel] = make_channel(
                channel, convert_unit(times, "time", given), convert_unit(values, channel, given)
            )
        for unknown in given.keys() - {"time", *made}:
            raise ParameterError(f"units: there is no channel {unknown!r}: {suggest(unknown, made)}")
        return cls(made, dict(meta or {}), tuple(joints), name, command_between)

    @classmethod
    def from_run(cls, run: Run, channels: Iterable[str] | None = None) -> Log:
        """What a perfect measurement of a simulated run would have logged; `channels` names some of them."""
        from ..run import column_units
        from .assembly import log_of_columns

        table = run.table()
        log = log_of_columns("run", table, column_units(run.actuator, table))
        return log if channels is None else log.only(*channels)

    @classmethod
    def read(
        cls,
        path: str | Path,
        channels: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None,
        *,
        joints: Sequence[str] | None = None,
        rate: float | None = None,
        meta: Mapping[str, Meta] | None = None,
    ) -> Log:
        """A log from a file: see `read_log`."""
        from .reading import read_log

        return read_log(path, channels, units, joints=joints, rate=rate, meta=meta)

    def save(self, path: str | Path) -> Path:
        """Write it to a .csv or .parquet file, which `Log.read` reads as the same log."""
        from .saving import save_log

        return save_log(self, path)

    # --- what it holds

    def __contains__(self, name: object) -> bool:
        return name in self.channels

    def __getitem__(self, name: str) -> np.ndarray:
        """Values of a channel in SI; `command` is the only command, `time` is `log.time`."""
        return self.time if name == "time" else self.channel(name).values

    def times(self, name: str) -> np.ndarray:
        """Times of a channel [s]."""
        return self.channel(name).time

    def channel(self, name: str) -> Channel:
        """A channel by its name; `command` is the only command."""
        if name == "command" and len(self.commands) == 1:
            name = self.commands[0]
        if name not in self.channels:
            raise ParameterError(
                f"{self.name or 'log'}: has no channel {name!r}; it has {', '.join(self.channels)}: log it, or map a "
                "column to it with channels"
            )
        return self.channels[name]

    @property
    def commands(self) -> tuple[str, ...]:
        """Names of the channels that are commands, such as position_command."""
        return tuple(name for name in self.channels if name in COMMANDS)

    @property
    def time(self) -> np.ndarray:
        """Every time at which something was measured, rising [s]: that of all channels where they share one."""
        times = [channel.time for channel in self.channels.values()]
        if all(each is times[0] or np.array_equal(each, times[0]) for each in times[1:]):
            return times[0]
        return np.unique(np.concatenate(times))

    @property
    def duration(self) -> float:
        """From the first sample to the last [s]."""
        return float(self.time[-1] - self.time[0])

    @property
    def hash(self) -> str:
        """SHA-256 of the content: channels, joints, meta and what the command was between samples; not of the name."""
        digest = hashlib.sha256()
        about = [sorted(self.meta.items()), list(self.joints), self.command_between]
        digest.update(json.dumps(about, ensure_ascii=False).encode())
        for name, channel in self.channels.items():
            digest.update(f"|{name}|{channel.values.shape}|".encode())
            for array in (channel.time, channel.values):
                # -0 and 0 are the same measurement
                digest.update(np.ascontiguousarray(array + 0.0, dtype="<f8").tobytes())
        return digest.hexdigest()

    def __eq__(self, other: object) -> bool:
        return self.hash == other.hash if isinstance(other, Log) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.hash)

    def __reduce__(self) -> tuple[object, ...]:
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        values |= {name: dict(values[name]) for name in ("channels", "meta")}
        return Log, tuple(values.values())

    # --- parts of it

    def slice(self, t0: float = -math.inf, t1: float = math.inf) -> Log:
        """The samples from `t0` on and before `t1` [s], at their own times.

        A command that was set before and still holds is kept, at the time of the first sample.
        """
        kept = {n: c.cut((c.time >= t0) & (c.time < t1)) for n, c in self.channels.items()}
        starts = [channel.time[0] for channel in kept.values() if len(channel)]
        if not starts:
            raise ParameterError(
                f"{self.name or 'log'}: has no sample from {t0:g} s to {t1:g} s; "
                f"it lasts from {self.time[0]:g} s to {self.time[-1]:g} s"
            )
        start = min(starts)
        for name in HELD:
            if name in kept:
                kept[name] = _keep_set_value(self.channels[name], kept[name], start, self.command_between)
        return replace(self, channels={n: c for n, c in kept.items() if len(c)})

    def split(self, fraction: float) -> tuple[Log, Log]:
        """The first share of the rows, and the rest."""
        if not (isinstance(fraction, (int, float)) and 0.0 < fraction < 1.0):
            raise ParameterError(f"split: fraction = {quote(fraction)}: must be between 0 and 1, such as 0.6")
        rows = round(fraction * len(self.time))
        if not 2 <= rows <= len(self.time) - 2:
            raise ParameterError(
                f"split: {fraction:g} of {len(self.time)} rows leaves a part with less than two; "
                "take another fraction, or a longer log"
            )
        cut = float(self.time[rows])
        return self.slice(t1=cut), self.slice(t0=cut)

    def joint(self, name: str) -> Log:
        """The log of one joint."""
        if name not in self.joints:
            if not self.joints:
                raise ParameterError(f"{self.name or 'log'}: is of one joint, which has no name; use the log itself")
            raise ParameterError(f"{self.name or 'log'}: has no joint {name!r}: {suggest(name, self.joints)}")
        index = self.joints.index(name)
        made = {n: c if c.values.ndim == 1 else frozen_channel(c.time, c.values[:, index])
                for n, c in self.channels.items()}  # fmt: skip
        called = f"{self.name}, {name}" if self.name else name
        return replace(self, channels=made, joints=(), name=called)

    def only(self, *names: str) -> Log:
        """The log with some of its channels."""
        return replace(self, channels={name: self.channel(name) for name in names})

    def with_meta(self, **meta: Meta) -> Log:
        """The log with more notes, or others."""
        return replace(self, meta={**self.meta, **meta})

    # --- what is wrong with it

    def check(self, motor: Motor | Actuator | None = None, rig: Rig | None = None) -> list[Finding]:
        """What is suspicious, worst first: time, wrapped words, quantisation, clipping, units, clocks, unused range.

        Args:
            motor: What was measured, where it is known: its speed and current are held against the log.
            rig: What it was measured on, where it is known: its notes, command, load and sensors are compared.
        """
        from .check import check_log

        return check_log(self, motor, rig)

    def _repr_html_(self) -> str:
        from .picture import log_html

        return log_html(self)

    def __repr__(self) -> str:
        count = len(self.time)
        joints = f"{len(self.joints)} joint{'s' * (len(self.joints) > 1)}, " if self.joints else ""
        rate = f"about {(count - 1) / self.duration:.3g} Hz"
        called = f"{Path(self.name).name}: " if self.name else ""
        return f"Log({called}{joints}{self.duration:.4g} s, {count} rows, {rate}; {', '.join(self.channels)})"


def only_joint(log: Log) -> Log:
    """The log of its joint where it has one only, such as a topic with one joint; else the log itself."""
    return replace(log.joint(log.joints[0]), name=log.name) if len(log.joints) == 1 else log


def _check_joints(place: str, name: str, channel: Channel, joints: Sequence[str]) -> None:
    shape = channel.values.shape
    if len(shape) == 2 and shape[1] != len(joints):
        raise ParameterError(
            f"{place}{name} has values of {shape[1]} joints, and joints names {len(joints)}: name each of them"
        )
    if len(set(joints)) != len(joints) or not all(isinstance(joint, str) and joint for joint in joints):
        raise ParameterError(f"{place}joints = {quote(tuple(joints))}: must be different names")


def _check_meta(place: str, meta: Mapping[str, Any]) -> dict[str, Meta]:
    kept = {}
    for name, value in meta.items():
        plain = value.item() if isinstance(value, np.generic) else value
        finite = not isinstance(plain, float) or math.isfinite(plain)
        if not isinstance(name, str) or not isinstance(plain, (str, int, float, bool)) or not finite:
            raise ParameterError(
                f"{place}meta {name} = {quote(value)}: must be a text, a finite number, or true or false"
            )
        kept[name] = plain
    return kept


def _keep_set_value(whole: Channel, kept: Channel, start: float, between: str) -> Channel:
    """A command of a slice, with what held at its start."""
    before = np.flatnonzero(whole.time < start)
    if not len(before) or (len(kept) and kept.time[0] <= start):
        return kept
    value = whole.values[before[-1]]
    if between == "linear" and before[-1] + 1 < len(whole):
        first, last = before[-1], before[-1] + 1
        share = (start - whole.time[first]) / (whole.time[last] - whole.time[first])
        value = (1.0 - share) * whole.values[first] + share * whole.values[last]
    return frozen_channel(np.concatenate([[start], kept.time]), np.concatenate([np.asarray(value)[None], kept.values]))
