"""Devices that are not simulated: they say so once, and return neutral values so that scripts continue."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from ..backends.axis import log
from ..session import current
from .kinds import NODES, snake
from .neutral import KINDS, Answer, DeviceKind, Fields
from .other import Device, period_of, reader


class Absent:
    """What a script may use, and what is not simulated."""

    _described: DeviceKind
    _values: dict[str, object]
    _fields: Fields
    _period: int
    _warned: bool

    def _start(self, fields: Fields) -> None:
        self._fields, self._values, self._period, self._warned = fields, {}, 0, False

    def _title(self) -> str:
        """How it is called in what is said of it."""
        return type(self).__name__

    def _warn(self) -> None:
        """Say once that it is not simulated."""
        if not self._warned:
            self._warned = True
            log(f"WARNING: {self._title()} is not simulated: {self._described.instead}.")

    def enable(self, p: int) -> None:
        self._warn()
        self._period = max(period_of(p), 0)

    def disable(self) -> None:
        self.enable(0)

    def _set_period(self, p: int | None) -> None:
        self.enable(0 if p is None else p)

    getSamplingPeriod = reader("_period")
    sampling_period = property(getSamplingPeriod, _set_period)


class AbsentDevice(Absent, Device):
    """A device of the world file that is not simulated."""

    def __init__(self, name: str | int, sampling_period: int | None = None):
        Device.__init__(self, name)
        if self._described.samples and isinstance(name, str) and "_period" in self.__dict__:
            self.enable(int(current("Sensor").basic) if sampling_period is None else sampling_period)

    def _title(self) -> str:
        return f'{type(self).__name__} "{self._name}"'

    @property
    def model(self) -> str:
        text = self._fields.get("model", "")
        return text if isinstance(text, str) else ""

    @property
    def node_type(self) -> int:
        return NODES[snake(type(self).__name__).upper()]


def answering(name: str, key: str, answer: Answer) -> Callable[..., object]:
    """A method that answers what was set before, else what is neutral."""

    def read(self: Absent, *_: object, **__: object) -> object:
        self._warn()
        return self._values[key] if key in self._values else answer(self._fields)

    read.__name__ = name
    return read


def actor(name: str, key: str) -> Callable[..., None]:
    """A method without effect; one value that it is given is read back."""

    def act(self: Absent, *given: object, **_: object) -> None:
        self._warn()
        if len(given) == 1 and name.startswith("set"):
            self._values[key] = given[0]

    act.__name__ = name
    return act


def absent_class(name: str, kind: DeviceKind, base: type = AbsentDevice) -> type:
    """The class of a kind of devices, with Webots' methods and the properties of the same names."""
    members: dict[str, Any] = dict(kind.constants) | {"_described": kind}
    if not kind.samples:
        members |= {name: Missing() for name in ("enable", "disable", "getSamplingPeriod", "sampling_period")}
    for method, answer in kind.reads.items():
        members[method] = answering(method, _key(method), answer)
    for method in kind.acts:
        members[method] = actor(method, _key(method))
    for key in {_key(method) for method in (*kind.reads, *kind.acts)}:
        title = "".join(word.capitalize() for word in key.split("_"))
        get = (
            members.get(f"get{title}") or members.get(f"is{title}") or (members.get("get") if key == "value" else None)
        )
        put = members.get(f"set{title}") or (members.get("set") if key == "value" else None)
        if key not in members and (get or put):
            members[key] = property(get, put)
    if "getValues" in kind.reads and "value" not in members:
        members["value"] = members["values"]
    return type(name, (base,), members)


def _key(method: str) -> str:
    """The property that goes with a method: width of getWidth, value of an LED's set."""
    for word in ("get", "set", "is"):
        if method.startswith(word):
            return snake(method[len(word) :]) or "value"
    return snake(method)


class Missing:
    """A method that a device without a sampling period does not have."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __get__(self, instance: object, owner: type) -> NoReturn:
        raise AttributeError(f"{owner.__name__!r} object has no attribute {self.name!r}")


ABSENT: dict[str, type[AbsentDevice]] = {name: absent_class(name, kind) for name, kind in KINDS.items()}
"""The class of every kind of devices that are not simulated."""


def absent_device(kind: str, name: str, tag: int, fields: Fields) -> AbsentDevice:
    """A device of a robot that is not simulated."""
    device = ABSENT[kind]._make(name, tag, None)  # pyright: ignore[reportArgumentType]  # no joint holds it
    device._start(fields)
    return device
