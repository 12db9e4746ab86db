"""Methods and attributes of lists, dictionaries, texts and paths that a configuration text may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .script_builtins import apply, as_dict, as_row, folder_of, path_of, same_path
from .script_operations import check_size, is_key, join_texts
from .script_values import LONGEST, Instance, NamedRow, NoValueError, Partial


def method(value: Any, name: str, values: list[Any], more: dict[str, Any]) -> Any:
    """What a method of a list, dictionary, text or path gives; raises `NoValueError` for others."""
    for kind, table in _METHODS.items():
        if isinstance(value, kind) and name in table:
            return apply(table[name], [value, *values], more)
    raise NoValueError("")


def _get(table: dict[Any, Any], key: Any, default: Any = None) -> Any:
    if not is_key(key):
        raise NoValueError("")
    return table.get(key, default)


def _update(table: dict[Any, Any], items: Any = None, **more: Any) -> None:
    table.update(as_dict(items, **more))
    check_size(table)


def _append(row: list[Any], item: Any) -> None:
    row.append(item)
    check_size(row)


def _extend(row: list[Any], items: Any) -> None:
    row.extend(as_row(list)(items))
    check_size(row)


def _text_join(text: str, parts: Any) -> str:
    if not isinstance(parts, (list, tuple)) or not all(isinstance(part, str) for part in parts):
        raise NoValueError("")
    return join_texts(*(piece for part in parts for piece in (text, part)))[len(text) :] if parts else ""


def _text_replace(text: str, old: Any, new: Any) -> str:
    if type(text) is not str or type(old) is not str or type(new) is not str or not old:
        raise NoValueError("")
    if len(text) + text.count(old) * len(new) > LONGEST:
        raise NoValueError("it is too long")
    return text.replace(old, new)


CHANGING = ("append", "extend", "update")
"""Methods that change their list or dictionary."""
_METHODS: dict[type, dict[str, Callable[..., Any]]] = {
    dict: {
        "items": lambda table: [tuple(pair) for pair in table.items()],
        "keys": lambda table: list(table),
        "values": lambda table: list(table.values()),
        "copy": dict,
        "get": _get,
        "update": _update,
    },
    list: {"copy": list, "append": _append, "extend": _extend},
    Partial: {"resolve": same_path, "absolute": same_path, "joinpath": path_of, "as_posix": same_path},
    str: {"join": _text_join, "replace": _text_replace, "lower": str.lower, "upper": str.upper},
}


def attribute(value: Any, name: str) -> Any:
    """An attribute of a value that is known; raises `NoValueError` where the text does not say."""
    if isinstance(value, Instance):
        if name in value.fields:
            return value.fields[name]
        raise NoValueError(f"{value.name} has no {name} here")
    if isinstance(value, NamedRow) and name in value.names:
        return value[value.names.index(name)]
    if isinstance(value, Partial) and name == "parent":
        return folder_of(value)
    raise NoValueError("")
