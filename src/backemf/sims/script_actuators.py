"""The actuators of a configuration text, a file or a configuration object, each a `Call`.

A text is followed by `script.py`; here the actuators in it are found. The configuration objects of a running program
become the same.
"""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

from ..errors import ParameterError
from ..files import read_text
from .on_joint import Unread
from .place import place
from .script import Script
from .script_actuator import Call, FieldValue, Unresolved
from .script_values import DEPTH, STEPS, Dialect, Instance, LocalClass, NotKnownError, Unknown, last_name, require_known

LARGEST_FILE = 16_000_000
"""Longest file that is read [bytes]."""


def read_calls(source: object, dialect: Dialect, file: str = "") -> list[Call | Unread]:
    """Every actuator of a text, a file or a configuration object, in its order; what cannot be read says why.

    A text is recognised by its line breaks, a file is a path. A field whose value the text does not tell is an
    `Unresolved`, which `Call.take` and the like raise.
    """
    if not isinstance(source, (str, Path)):
        from .config_objects import calls_of_object

        return calls_of_object(source, dialect)
    text, found = (source, file) if file else source_of(source)
    return calls_of_text(str(text), dialect, found)


def calls_of_text(text: str, dialect: Dialect, file: str = "") -> list[Call | Unread]:
    """Every actuator of a text, in its order."""
    script = Script(text, dialect, file)
    held = _holders(script, dialect)
    rows: list[tuple[int, int, Call | Unread]] = []
    # a function that is followed twice makes the same actuators on the same lines
    seen: dict[tuple[int, str], int] = {}
    for family in _families(script, dialect, held):
        for index, version in enumerate(family):
            line = version.made[1] if index and version.made[1] and version.made[0] == file else version.line
            call, row = _row_of(version, dialect, held.get(id(version), []), line)
            same = (version.line, f"{call.fields} {version.problem}")
            if same not in seen:
                seen[same] = len(rows)
                rows.append((version.called or line, version.order, row))
            elif isinstance(row, Call) and isinstance(first := rows[seen[same]][2], Call):
                more = tuple(name for name in row.robots if name not in first.robots)
                grown = replace(first, robots=first.robots + more, group=first.group or row.group)
                rows[seen[same]] = (*rows[seen[same]][:2], grown)
    rows += _unreached_actuators(script, dialect)
    if not rows:
        raise ParameterError(
            f"{file or 'text'}: there is no actuator in it; it should have one of {', '.join(dialect.known)}"
        )
    return [row for _, _, row in sorted(rows, key=lambda item: item[:2])]


def source_of(text_or_path: str | Path) -> tuple[str, str]:
    """A text and the name of its file, from a path or from the text itself."""
    if isinstance(text_or_path, str) and ("\n" in text_or_path or not text_or_path.strip()):
        return text_or_path, ""
    path = Path(text_or_path)
    return read_text(path, LARGEST_FILE, what="a configuration in Python"), str(path)


def _is_actuator(instance: Instance, dialect: Dialect) -> bool:
    return instance.name in dialect.known or any(name in instance.fields for name in dialect.markers)


def _holders(script: Script, dialect: Dialect) -> dict[int, list[tuple[str, str]]]:
    """The names of a file from which each actuator is reached, and its key there."""
    held: dict[int, list[tuple[str, str]]] = {}
    for root, value in script.roots.items():
        seen: set[int] = set()
        pending = [(value, "")]
        while pending:
            item, group = pending.pop()
            if not isinstance(item, (list, tuple, dict, Instance, LocalClass)) or id(item) in seen:
                continue
            seen.add(id(item))
            if isinstance(item, Instance) and _is_actuator(item, dialect):
                held.setdefault(id(item), []).append((root, group))
            elif isinstance(item, dict):
                pending += [(inner, key if isinstance(key, str) else "") for key, inner in reversed(item.items())]
            elif isinstance(item, (Instance, LocalClass)):
                pending += [(inner, "") for inner in reversed(item.fields.values())]
            else:
                pending += [(inner, group) for inner in reversed(item)]
    return held


def _families(script: Script, dialect: Dialect, held: dict[int, list[tuple[str, str]]]) -> list[list[Instance]]:
    """Each actuator of the text with those of its copies that are still held somewhere."""
    families: dict[int, list[Instance]] = {}
    every = [instance for instance in script.instances if _is_actuator(instance, dialect)]
    # an actuator inside another one is a part of it, as that of a wrapper
    inside = {id(part.first) for whole in every for part in whole.fields.values() if isinstance(part, Instance)}
    for instance in every:
        if id(instance.first) not in inside:
            families.setdefault(id(instance.first), []).append(instance)
    found = []
    for family in families.values():
        reached = [instance for instance in family if id(instance) in held]
        if not reached and family[0].first.file == script.file:
            reached = [family[0].first]
        found.append(reached)
    return [family for family in found if family]


def _row_of(instance: Instance, dialect: Dialect, held: list[tuple[str, str]], line: int) -> tuple[Call, Call | Unread]:
    """An actuator as it is written, and the row that it becomes."""
    group = next((group for _, group in held if group), "")
    call = _call_of(instance, tuple(dict.fromkeys(root for root, _ in held)), group, line)
    name = call.label(dialect.marker)
    why = instance.problem
    if instance.name not in dialect.known:
        why = f"{instance.name or 'this class'} is not a known actuator: it must be one of {', '.join(dialect.known)}"
    return call, Unread(name, instance.name, f"{call.at()}: {why}", call.robots) if why else call


def _call_of(instance: Instance, robots: tuple[str, ...] = (), group: str = "", line: int = 0, depth: int = 0) -> Call:
    values: dict[str, FieldValue] = {}
    for name, value in instance.fields.items():
        try:
            values[name] = _plain(value, [STEPS // 4], depth)
        except NotKnownError as error:
            lost, written = error.unknown, instance.shown.get(name) or name
            why = f"{written} {'has no value' if lost.no_value else 'cannot be read as a number'}"
            why = lost.why if lost.why.startswith(why) else f"{why} ({lost.why})"
            values[name] = Unresolved(f"{why}: write the number there", instance.lines.get(name, ("", 0))[1])
    lines = {name: at for name, (_, at) in instance.lines.items()}
    files = {name: file for name, (file, _) in instance.lines.items() if file != instance.file}
    return Call(instance.name, values, line or instance.line, lines, instance.file, robots, group, files)


def _plain(value: FieldValue, left: list[int], depth: int) -> FieldValue:
    """A value with lists for tuples and a `Call` for each class; raises where a part of it is not known."""
    left[0] -= 1
    if left[0] < 0 or depth > DEPTH:
        value = Unknown("it is too large")
    require_known(Unknown(f"{value.name} is a class") if isinstance(value, LocalClass) else value)
    if isinstance(value, Instance):
        return _call_of(value, depth=depth + 1)
    if isinstance(value, (list, tuple)):
        return [_plain(item, left, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, left, depth + 1) for key, item in value.items()}
    return value


def _unreached_actuators(script: Script, dialect: Dialect) -> list[tuple[int, int, Unread]]:
    """Actuators that were not reached, as in a lambda or after too much work."""
    found = []
    long = f"the file takes more than {STEPS} steps to evaluate" if script.exhausted else "it is inside a lambda"
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.Call) or id(node) in script.visited:
            continue
        name = last_name(node.func)
        if name in dialect.known or any(keyword.arg in dialect.markers for keyword in node.keywords):
            why = f"{place(script.file, node.lineno)}: {name} is not read: {long}: give it its own file"
            found.append((node.lineno, len(script.instances), Unread(name, name, why)))
    return found
