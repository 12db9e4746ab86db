"""Configuration text of simulators that are configured in Python: read without running it, written to be pasted.

A text is followed by `script.py`; here the actuators in it are found, and each is a `Call`. The configuration objects
of a running program become the same.
"""

from __future__ import annotations

import ast
import json
import math
from collections.abc import Collection
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ParameterError
from ..files import read_text
from .digits import rounded
from .joint_patterns import fits, patterns_of
from .on_joint import Unread
from .script import Script, place
from .script_expressions import last_name
from .script_values import DEPTH, STEPS, Instance, LocalClass, Partial, Unknown

if TYPE_CHECKING:
    from .losses import Loss

Value = Any
"""A number, or a dictionary with one number per pattern of joint names, or None."""


@dataclass(frozen=True)
class Dialect:
    """How a simulator's configurations are told from everything else in a text."""

    known: tuple[str, ...]
    """Classes of actuators that are read."""
    marker: str
    """The field that every actuator has: its patterns of joint names."""
    parts: tuple[str, ...] = ()
    """Classes and enumerations that stand inside them."""
    copies: bool = False
    """Whether a class holds copies of what it is made of, as Isaac Lab's do."""
    laws: tuple[str, ...] = ("class_type", "build")
    """What a class of the user's own must leave alone to be one of the known ones."""
    older: tuple[str, ...] = ()
    """What earlier versions call the marker."""

    @property
    def markers(self) -> tuple[str, ...]:
        """Every name of the field that an actuator has."""
        return (self.marker, *self.older)


@dataclass(frozen=True)
class Unresolved:
    """A field whose value the text does not tell."""

    sentence: str
    """What is not known and what to do, without the place."""
    line: int = 0
    """Line of the field [1]."""


@dataclass(frozen=True)
class Call:
    """A class with its fields, as it stands in a text."""

    name: str
    """Name of the class, without the module."""
    fields: dict[str, Any]
    """Value of each field; a class inside is a `Call` itself."""
    line: int
    """Line on which it begins [1]."""
    lines: dict[str, int]
    """Line of each field [1]."""
    file: str = ""
    """Where the text is from."""
    robots: tuple[str, ...] = ()
    """Names in the text that hold it, such as "FRANKA_PANDA_CFG"."""
    group: str = ""
    """Its key among the actuators of a robot."""
    files: dict[str, str] = field(default_factory=dict)
    """File of each field that stands in another."""

    def at(self, name: str | None = None) -> str:
        """Where a field stands, for the beginning of a sentence."""
        line = self.lines.get(name or "", self.line)
        if not line:
            return f"actuators[{self.group!r}]" if self.group else "the configuration"
        return place(self.files.get(name or "", self.file), line)

    def label(self, marker: str) -> str:
        """What a list of actuators calls it: its patterns of joint names, or where it stands."""
        found = self.fields.get(marker)
        if isinstance(found, str) and not isinstance(found, Partial):
            return found
        if isinstance(found, list) and found and all(isinstance(item, str) for item in found):
            return ", ".join(found)
        return self.group or ", ".join(self.robots) or self.at()

    def error(self, name: str, sentence: str) -> ParameterError:
        """What is wrong with a field."""
        given = f" = {_brief(self.fields[name])}" if name in self.fields else ""
        return ParameterError(f"{self.at(name)}: {self.name}.{name}{given}: {sentence}")

    def take(self, name: str, default: Any = None, required: str = "") -> Any:
        """A field; `required` says what to do where it is missing."""
        value = self.fields.get(name, default)
        if isinstance(value, Unresolved):
            raise ParameterError(f"{self.at(name)}: {self.name}.{name} = {value.sentence}")
        if required and self.fields.get(name) is None:
            raise ParameterError(f"{self.at()}: {self.name} has no {name}: {required}")
        return value

    def number(self, name: str, *, above: float | None = None, least: float | None = None, required: str = "") -> Value:
        """A field that is a number, or one per pattern of joint names; infinite ones are refused."""
        value = self.take(name, None, required)
        if value is None:
            return None
        for key, one in value.items() if isinstance(value, dict) else [("", value)]:
            if isinstance(key, Partial) and key.missing:
                raise self.error(name, f"{key.missing[0]} is not known: write the names of the joints out")
            if isinstance(one, bool) or not isinstance(one, (int, float)):
                raise self.error(name, "must be a number, or a dictionary with one for each pattern of joint names")
            if not math.isfinite(one):
                raise self.error(name, "must be finite")
            if above is not None and not one > above:
                raise self.error(name, f"must be greater than {above:g}")
            if least is not None and not one >= least:
                raise self.error(name, f"must be at least {least:g}")
        return {str(key): float(one) for key, one in value.items()} if isinstance(value, dict) else float(value)

    def steps(self, name: str, default: int = 0) -> int:
        """A field that counts physics steps."""
        value = self.take(name, default)
        if isinstance(value, bool) or not isinstance(value, int) or value < 0:
            raise self.error(name, "must be a whole number of steps, 0 or more")
        return value

    def word(self, name: str, choices: Collection[str], default: str | None = None) -> str:
        """A field that is one of some words."""
        value = self.take(name, default, "" if default else f"give one of {', '.join(choices)}")
        if value not in choices:
            raise self.error(name, f"must be one of {', '.join(choices)}")
        return value

    def joints(self, name: str) -> tuple[str, ...]:
        """A field with patterns of joint names."""
        value = self.take(name, None, "give patterns of joint names")
        patterns = (value,) if isinstance(value, str) else tuple(value) if isinstance(value, (list, tuple)) else ()
        if not patterns or not all(isinstance(pattern, str) for pattern in patterns):
            raise self.error(name, "must be a list of patterns of joint names")
        for pattern in patterns:
            if isinstance(pattern, Partial) and pattern.missing:
                raise self.error(name, f"{pattern.missing[0]} is not known: write the names out")
            try:
                fits(pattern, "")
            except ParameterError as error:
                raise self.error(name, str(error)) from None
        return patterns


def _brief(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."


# --- the actuators of a text


def read_calls(source: Any, dialect: Dialect, file: str = "") -> list[Call | Unread]:
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
    script = Script(text, file, known=dialect.known, parts=dialect.parts, copies=dialect.copies)
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
    rows += _unseen(script, dialect)
    if not rows:
        raise ParameterError(
            f"{file or 'text'}: there is no actuator in it; it should have one of {', '.join(dialect.known)}"
        )
    return [row for _, _, row in sorted(rows, key=lambda item: item[:2])]


def calls(text: str, known: Collection[str], parts: Collection[str], marker: str, file: str = "") -> list[Call]:
    """Every actuator class in a text, in the order of the text; raises where one cannot be read."""
    found = calls_of_text(text, Dialect(tuple(known), marker, tuple(parts)), file)
    for row in found:
        if isinstance(row, Unread):
            raise ParameterError(row.why)
    return [row for row in found if isinstance(row, Call)]


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


def _families(script: Script, dialect: Dialect, held: dict[int, Any]) -> list[list[Instance]]:
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
    """An actuator as it stands, and what becomes of it."""
    group = next((group for _, group in held if group), "")
    call = _call_of(instance, tuple(dict.fromkeys(root for root, _ in held)), group, line)
    name = call.label(dialect.marker)
    if instance.name not in dialect.known:
        known = ", ".join(dialect.known)
        told = f"{instance.name or 'this class'} is no actuator that is known here: it must be one of {known}"
        return call, Unread(name, instance.name, f"{call.at()}: {told}", call.robots)
    if instance.problem:
        return call, Unread(name, instance.name, f"{call.at()}: {instance.problem}", call.robots)
    return call, call


def _call_of(instance: Instance, robots: tuple[str, ...] = (), group: str = "", line: int = 0, depth: int = 0) -> Call:
    values: dict[str, Any] = {}
    for name, value in instance.fields.items():
        try:
            values[name] = _plain(value, [STEPS // 4], depth)
        except _NotTold as lost:
            written = instance.shown.get(name) or name
            told = f"{written} {'has no value' if lost.unknown.no_value else 'is no number that can be read off'}"
            told = lost.unknown.why if lost.unknown.why.startswith(told) else f"{told} ({lost.unknown.why})"
            values[name] = Unresolved(f"{told}: write the number there", instance.lines.get(name, ("", 0))[1])
    lines = {name: at for name, (_, at) in instance.lines.items()}
    files = {name: file for name, (file, _) in instance.lines.items() if file != instance.file}
    return Call(instance.name, values, line or instance.line, lines, instance.file, robots, group, files)


class _NotTold(Exception):
    def __init__(self, unknown: Unknown):
        super().__init__(unknown.why)
        self.unknown = unknown


def _plain(value: Any, left: list[int], depth: int) -> Any:
    """A value with lists for tuples and a `Call` for each class; raises where a part of it is not known."""
    left[0] -= 1
    if left[0] < 0 or depth > DEPTH:
        raise _NotTold(Unknown("it is too large"))
    if isinstance(value, Unknown):
        raise _NotTold(value)
    if isinstance(value, LocalClass):
        raise _NotTold(Unknown(f"{value.name} is a class"))
    if isinstance(value, Instance):
        return _call_of(value, depth=depth + 1)
    if isinstance(value, (list, tuple)):
        return [_plain(item, left, depth + 1) for item in value]
    if isinstance(value, dict):
        return {key: _plain(item, left, depth + 1) for key, item in value.items()}
    return value


def _unseen(script: Script, dialect: Dialect) -> list[tuple[int, int, Unread]]:
    """Actuators that were not come by, as in a lambda or after too much work."""
    found = []
    for node in ast.walk(script.tree):
        if not isinstance(node, ast.Call) or id(node) in script.visited:
            continue
        name = last_name(node.func)
        if name in dialect.known or any(keyword.arg in dialect.markers for keyword in node.keywords):
            long = (
                f"the file takes more than {STEPS} steps to work out" if script.exhausted else "it is inside a lambda"
            )
            why = f"{place(script.file, node.lineno)}: {name} is not read: {long}: give it a file of its own"
            found.append((node.lineno, len(script.instances), Unread(name, name, why)))
    return found


def for_joint(configured: Any, joint: str, absent: Any = None) -> Any:
    """The same actuator for one joint: of each dictionary, the number whose pattern fits the whole name.

    Where none fits, it is `absent(name of the field)`; without that, an error.
    """
    if not any(fits(pattern, joint) for pattern in configured.joints):
        raise ParameterError(f"at({joint!r}): the actuator has the joints {', '.join(configured.joints)}")
    picked = {}
    for name, value in tables_of(configured).items():
        fitting = [number for pattern, number in value.items() if pattern == joint]
        fitting = fitting or [number for pattern, number in value.items() if fits(pattern, joint)]
        if not fitting and absent is not None and absent(name) is not None:
            fitting = [absent(name)]
        if len(fitting) != 1:
            many = "no pattern fits" if not fitting else "several patterns fit"
            raise ParameterError(f"at({joint!r}): {name} = {value}: {many}")
        picked[name] = fitting[0]
    return replace(configured, joints=(joint,), **picked)


def tables_of(configured: Any) -> dict[str, dict[str, Any]]:
    """The fields of an actuator that have one number per pattern of joint names."""
    values = {entry.name: getattr(configured, entry.name) for entry in fields(configured)}
    return {name: value for name, value in values.items() if isinstance(value, dict) and name != "network"}


def by_pattern(configured: Any) -> list[Any]:
    """The same actuator for each pattern of joints that has numbers of its own, the pattern as the joint's name."""
    tables = list(tables_of(configured).values())
    rows = patterns_of(configured.joints, tables)
    if not rows:
        raise ParameterError(
            f"line {configured.line}: no pattern of joint names fits all of its dictionaries: give joint="
        )
    if not tables:
        return [replace(configured, joints=(pattern,)) for pattern, _ in rows]
    return [replace(configured.at(name), joints=(pattern,)) for pattern, name in rows]


def one_of(found: list[Any], joint: str | None, file: str) -> Any:
    """The one actuator of a text, or the one for a joint; raises one sentence where it is not clear which.

    `joint` may name the robot as well, as in "FRANKA_PANDA_CFG/panda_joint1". What cannot be read is passed over, but
    for the joint that is asked for.
    """
    robots = {name for each in found for name in getattr(each, "robots", ())}
    robot, _, name = (joint or "").partition("/")
    if joint is None or robot not in robots:
        robot, name = "", joint or ""
    rows = [each for each in found if not robot or robot in getattr(each, "robots", ())]
    good = [each for each in rows if not isinstance(each, Unread)]
    if joint is not None:
        good = [each for each in good if any(fits(pattern, name) for pattern in each.joints)]
    if len(good) == 1:
        return good[0] if joint is None else for_joint(good[0], name)
    for row in rows if not good else ():
        if not isinstance(row, Unread):
            continue
        named = joint is not None and any(_fits_quietly(pattern, name) for pattern in row.name.split(", "))
        if named or len(rows) == 1:
            raise ParameterError(row.why)
    shown = "; ".join(dict.fromkeys(_listed(each) for each in found))
    which = "give joint=" if joint is None else f"joint = {joint!r} fits {len(good)} of them"
    if len(good) > 1 and joint is not None and not robot:
        named = ", ".join(dict.fromkeys(name for each in good for name in each.robots))
        which += f": put the robot before it, as in joint={good[0].robots[0]}/{name}, of {named}" if named else ""
    raise ParameterError(f"{file or 'text'}: it has {len(found)} actuators, for the joints {shown}: {which}")


def _listed(each: Any) -> str:
    return f"{each.name} (not read)" if isinstance(each, Unread) else ", ".join(each.joints)


def source_of(text_or_path: Any) -> tuple[str, str]:
    """A text and the name of its file, from a path or from the text itself."""
    if isinstance(text_or_path, str) and ("\n" in text_or_path or not text_or_path.strip()):
        return text_or_path, ""
    path = Path(text_or_path)
    return read_text(path, LARGEST_FILE, what="a configuration in Python"), str(path)


LARGEST_FILE = 16_000_000
"""Longest file that is read [bytes]."""


def single_number(configured: Any, name: str) -> float:
    """A number of an actuator for one joint; 0 where it says nothing."""
    value = getattr(configured, name)
    if isinstance(value, dict):
        raise ParameterError(f"{name} = {value}: one number per pattern; give joint=")
    return 0.0 if value is None else float(value)


def _fits_quietly(pattern: str, joint: str) -> bool:
    try:
        return fits(pattern, joint)
    except ParameterError:
        return False


# --- writing


class Figure(NamedTuple):
    """A number with what a reader wants to know of it."""

    value: Any
    """The number itself, or a row of numbers, in SI units."""
    unit: str
    """Its unit."""
    source: str
    """Where it came from."""


@dataclass(frozen=True, kw_only=True)
class Written:
    """What is written for a simulator, and what of the motor has no place in it."""

    text: str
    """The text to paste."""
    statuses: list[Loss]
    """What becomes of each phenomenon of the actuator."""
    notes: list[str] = field(default_factory=list)
    """What else a reader has to know, one sentence each."""

    @property
    def losses(self) -> list[Loss]:
        """What is approximated, dropped or unknown."""
        return [loss for loss in self.statuses if loss.status != "kept"]

    def __str__(self) -> str:
        return self.text


def write_call(name: str, lines: list[tuple[str, Any]]) -> str:
    """A class with its fields, one per line; a `Figure` has its unit and source beside it."""
    rows = [f"{name}("]
    for key, value in lines:
        if isinstance(value, Figure):
            rows.append(f"    {key}={rounded(value.value)!r},  # {value.unit}: {value.source}")
        else:
            rows.append(f"    {key}={value},")
    return "\n".join([*rows, ")"])


def quoted(joints: Any) -> str:
    """Patterns of joint names as Python writes them, with commas between; one text is one pattern."""
    found = (joints,) if isinstance(joints, str) else tuple(joints) if isinstance(joints, (list, tuple)) else ()
    if not found or not all(isinstance(pattern, str) for pattern in found):
        raise ParameterError(f"joints = {joints!r}: must be patterns of joint names, such as ('.*_knee',)")
    return ", ".join(json.dumps(pattern, ensure_ascii=False) for pattern in found)
