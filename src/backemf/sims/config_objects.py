"""Configuration objects of a running simulator, as the same `Call`s that a text gives.

Nothing of the simulator is imported: a class is known by its name, or by that of a class it is derived from.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping
from pathlib import Path

from ..errors import ParameterError
from .on_joint import Unread
from .script_actuator import Call, FieldValue, Unresolved
from .script_values import DEPTH, LONGEST, Dialect


def calls_of_object(source: object, dialect: Dialect) -> list[Call | Unread]:
    """Every actuator of a configuration: one, a list or dictionary of them, or a robot that has `actuators`."""
    found = [_row(group, item, dialect) for group, item in _actuators(source, dialect, 0)]
    if not found:
        raise ParameterError(
            f"{type(source).__name__}(...): there is no actuator in it; give an actuator's configuration, a dictionary "
            "of them, or that of a robot with actuators"
        )
    return found


def _actuators(source: object, dialect: Dialect, depth: int) -> list[tuple[str, object]]:
    if depth > 4 or source is None or isinstance(source, (str, bytes, type)):
        return []
    if any(hasattr(source, name) for name in dialect.markers) or _known_class(source, dialect):
        return [("", source)]
    if isinstance(source, Mapping):
        inside = {str(key): _actuators(value, dialect, depth + 1) for key, value in source.items()}
        return [(key, inner) for key, rows in inside.items() for _, inner in rows]
    if isinstance(source, (list, tuple)):
        return [row for value in source for row in _actuators(value, dialect, depth + 1)]
    for name in ("actuators", "articulation", "robot"):
        inner = getattr(source, name, None)
        if inner is not None and (found := _actuators(inner, dialect, depth + 1)):
            return found
    return []


def _known_class(source: object, dialect: Dialect) -> str:
    """The known class that an object is of, or an empty text."""
    family = type(source).__mro__
    for kind in family:
        if kind.__name__ in dialect.known:
            return kind.__name__ if all(_same_law(source, kind, name) for name in dialect.laws) else ""
    return ""


def _same_law(source: object, kind: type, name: str) -> bool:
    """Whether an object leaves what a class computes as it is."""
    own = getattr(source, "__dict__", {}).get(name, getattr(type(source), name, None))
    known = getattr(kind, name, own)
    return own is known or known is dataclasses.MISSING


def _row(group: str, source: object, dialect: Dialect) -> Call | Unread:
    name = _known_class(source, dialect)
    call = _call(source, name or type(source).__name__, dialect, group, 0)
    if name:
        return call
    why = f"{call.at()}: {call.name} is not a known actuator: it must be one of {', '.join(dialect.known)}"
    return Unread(call.label(dialect.marker), call.name, why)


def _call(source: object, name: str, dialect: Dialect, group: str, depth: int) -> Call:
    names = [entry.name for entry in dataclasses.fields(source)] if dataclasses.is_dataclass(source) else []
    names += [key for key in getattr(source, "__dict__", {}) if key not in names and not key.startswith("_")]
    fields: dict[str, FieldValue] = {}
    for key in names:
        value = getattr(source, key, dataclasses.MISSING)
        if value is not dataclasses.MISSING and key not in dialect.laws:
            fields[key] = _value(value, dialect, [LONGEST], depth + 1)
    return Call(name, fields, 0, {}, "", (), group)


def _value(value: FieldValue, dialect: Dialect, left: list[int], depth: int) -> FieldValue:
    left[0] -= 1
    if left[0] < 0 or depth > DEPTH:
        return Unresolved("it is too large to be read")
    if isinstance(value, enum.Enum):
        return value.name
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        # a field that is not given
        return None if math.isnan(value) else float(value)
    if isinstance(value, Path):
        return str(value)
    if isinstance(value, Mapping):
        found = {str(key): _value(item, dialect, left, depth + 1) for key, item in value.items()}
        return _or_unresolved(found, list(found.values()))
    if isinstance(value, (list, tuple, range)):
        rows = [_value(item, dialect, left, depth + 1) for item in value]
        return _or_unresolved(rows, rows)
    if hasattr(value, "tolist") and getattr(value, "size", 0) is not None:
        return _value(value.tolist(), dialect, left, depth + 1)
    if (type(value).__name__ in dialect.parts or _known_class(value, dialect)) and not isinstance(value, type):
        return _call(value, type(value).__name__, dialect, "", depth + 1)
    return Unresolved(f"{type(value).__name__}(...) cannot be read as a number or text: give the number")


def _or_unresolved(made: FieldValue, items: list[FieldValue]) -> FieldValue:
    return next((item for item in items if isinstance(item, Unresolved)), made)
