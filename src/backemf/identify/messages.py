"""A log from messages of ROS: joint states, and arrays and numbers of topics that the caller names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..errors import ParameterError, errors_at
from .assembly import Wanted, convert_unit
from .channels import COMMANDS, Channel, make_channel, require_channel, suggest
from .log import Log

STATE = "JointState"
FIELDS = {"position": "position", "velocity": "velocity", "effort": "torque"}
"""Fields of a joint state, and the channel of each."""
SET = ("command", "target", "goal", "desired", "reference", "setpoint")
"""A topic with such a word holds commands."""
SINGLE = {"BatteryState": "voltage", "Temperature": "temperature"}
"""Field of messages that hold one number; that of others is `data`."""


@dataclass(frozen=True)
class Message:
    """One message of a bag."""

    topic: str
    kind: str
    """Type, such as sensor_msgs/msg/JointState."""
    received: int
    """When it was recorded [ns]."""
    decode: Callable[[], Any]
    """Its content: an object or a dict of fields."""


@dataclass
class _Samples:
    """What was collected of a channel."""

    topic: str
    joints: list[str] | None = None
    received: list[int] = field(default_factory=list)
    stamped: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)
    others: set[str] = field(default_factory=set)
    """Joints of messages that were passed over."""


def log_of_messages(label: str, messages: Iterable[Message], wanted: Wanted) -> Log:
    """A log of the joint states in messages, and of the topics that the caller maps to channels."""
    if wanted.rate is not None:
        raise ParameterError(f"{label}: rate = {wanted.rate:g} Hz is given, and messages have times; leave it out")
    for channel in wanted.channels:
        require_channel(channel, f"{label}: channels: ")
    found: dict[str, _Samples] = {}
    topics: dict[str, str] = {}
    for message in messages:
        topics.setdefault(message.topic, message.kind)
        mapped = [channel for channel, topic in wanted.channels.items() if topic == message.topic]
        if mapped or _is_state(message.kind):
            _collect(label, message, mapped, wanted, found)
    for channel, topic in wanted.channels.items():
        if topic not in topics:
            raise ParameterError(f"{label}: no topic {topic!r} for {channel}: {suggest(topic, topics)}")
    if not found:
        shown = ", ".join(f"{topic} ({kind})" for topic, kind in list(topics.items())[:12]) or "none"
        raise ParameterError(
            f"{label}: no topic with joint states; there are {shown}: map one with channels={{'position': '/topic'}}"
        )
    return _log(label, found, [t for t in topics if t not in {s.topic for s in found.values()}], wanted)


def _is_state(kind: str) -> bool:
    return kind.rpartition("/")[2] == STATE


def _get(content: Any, name: str) -> Any:
    return content.get(name) if isinstance(content, Mapping) else getattr(content, name, None)


def _collect(label: str, message: Message, mapped: list[str], wanted: Wanted, found: dict[str, _Samples]) -> None:
    """Add what a message holds."""
    content = message.decode()
    stamp = _stamp(content)
    if _is_state(message.kind):
        is_set = any(word in message.topic.lower() for word in SET)
        for name, channel in FIELDS.items():
            channel = f"{name}_command" if is_set else channel
            if mapped:
                channel = next((m for m in mapped if COMMANDS.get(m, m) in (name, FIELDS[name])), "")
            elif channel in wanted.channels:
                channel = ""
            if channel:
                _add_state(label, message, content, name, stamp, found, channel, wanted)
        return
    value = _get(content, SINGLE.get(message.kind.rpartition("/")[2], "data"))
    if value is None:
        raise ParameterError(f"{label}: messages {message.kind} of {message.topic} hold no number that can be read")
    for channel in mapped:
        _add(label, found, channel, message, stamp, np.asarray(value, dtype=float), None)


def _add_state(
    label: str, message: Message, content: Any, name: str, stamp: int, found: dict[str, _Samples], channel: str,
    wanted: Wanted,
) -> None:  # fmt: skip
    values = np.asarray(_get(content, name) if _get(content, name) is not None else (), dtype=float).reshape(-1)
    joints = [str(joint) for joint in _get(content, "name") or ()]
    if not len(values):
        return
    if len(values) != len(joints):
        raise ParameterError(
            f"{label}: a message of {message.topic} has {len(values)} values of {name} for {len(joints)} joints"
        )
    before = next((samples.joints for samples in found.values() if samples.joints is not None), None)
    chosen = list(wanted.joints) if wanted.joints is not None else before or joints
    if not set(chosen) & set(joints):
        if channel in found:
            found[channel].others.update(joints)  # of another part of the robot
        return
    lacking = [joint for joint in chosen if joint not in joints]
    if lacking:
        raise ParameterError(
            f"{label}: a message of {message.topic} lacks the joint {lacking[0]!r}, which is in others; choose joints "
            "that come together, with joints=[...]"
        )
    _add(label, found, channel, message, stamp, values[[joints.index(joint) for joint in chosen]], chosen)


def _add(
    label: str, found: dict[str, _Samples], channel: str, message: Message, stamp: int, values: np.ndarray,
    joints: list[str] | None,
) -> None:  # fmt: skip
    samples = found.setdefault(channel, _Samples(message.topic, joints))
    if samples.topic != message.topic:
        raise ParameterError(
            f"{label}: {channel} is in the topics {samples.topic} and {message.topic}; "
            f"name one in channels={{'{channel}': ...}}"
        )
    samples.received.append(message.received)
    samples.stamped.append(stamp)
    samples.values.append(values)


def _stamp(content: Any) -> int:
    """Time of measurement of a message [ns]; 0 where it has none."""
    stamp = _get(_get(content, "header"), "stamp")
    if stamp is None:
        return 0
    nanoseconds = _get(stamp, "nanosec") if _get(stamp, "nanosec") is not None else _get(stamp, "nsec")
    return int(_get(stamp, "sec") or 0) * 10**9 + int(nanoseconds or 0)


def _log(label: str, found: dict[str, _Samples], unread: list[str], wanted: Wanted) -> Log:
    notes = []
    by_stamp = all(all(samples.stamped) for samples in found.values())
    if not by_stamp:
        notes.append("times are those at which messages were recorded, since some have no time of measurement")
    others = set().union(*(samples.others for samples in found.values()))
    if others and wanted.joints is None:
        notes.append(f"joints that come in messages of their own are not read: {', '.join(sorted(others)[:12])}")
    clocks = {channel: s.stamped if by_stamp else s.received for channel, s in found.items()}
    start = min(min(times) for times in clocks.values())
    joints = next((s.joints for s in found.values() if s.joints is not None), None)
    made: dict[str, Channel] = {}
    for channel, samples in found.items():
        if samples.joints not in (None, joints):
            raise ParameterError(f"{label}: {channel} is of other joints than the rest; choose some with joints=[...]")
        if len({np.shape(values) for values in samples.values}) > 1:
            raise ParameterError(f"{label}: the messages of {samples.topic} have different lengths; cut the bag there")
        values = np.array(samples.values, dtype=float)
        if np.isnan(values).all():
            notes.append(f"{channel} is not read: every value is NaN")
            continue
        with errors_at(f"{label}, topic {samples.topic}"):
            time = (np.array(clocks[channel], dtype=np.int64) - start) * 1e-9
            made[channel] = make_channel(channel, time, convert_unit(values, channel, wanted.units))
    widths = [c.values.shape[1] for c in made.values() if c.values.ndim == 2]
    names = joints or list(wanted.joints or map(str, range(max(widths, default=0))))
    meta = {"start_ns": start, **wanted.meta}
    return Log(made, meta, tuple(names), label, "held", tuple(notes), tuple(unread))
