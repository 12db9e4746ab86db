"""Configuration text of simulators that are configured in Python: read without running it, written to be pasted.

Only what can be read off the page is taken: literals, arithmetic on them, π and infinity, lists and dictionaries. A
name or a function stands for something that only running the program would tell.
"""

from __future__ import annotations

import ast
import json
import math
import operator
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ParameterError
from .digits import rounded

if TYPE_CHECKING:
    from .losses import Loss

Value = Any
"""A number, or a dictionary with one number per pattern of joint names, or None."""

_OPERATIONS: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    # powers of floats end at 1e308, powers of whole numbers nowhere
    ast.Pow: lambda a, b: float(a) ** float(b),
}
_CONSTANTS = {"pi": math.pi, "inf": math.inf, "tau": math.tau}
_LIBRARIES = ("math", "np", "numpy", "torch")


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

    def at(self, name: str | None = None) -> str:
        """Where a field stands, for the beginning of a sentence."""
        return place(self.file, self.lines.get(name or "", self.line))

    def error(self, name: str, sentence: str) -> ParameterError:
        """What is wrong with a field."""
        given = f" = {self.fields[name]!r}" if name in self.fields else ""
        return ParameterError(f"{self.at(name)}: {self.name}.{name}{given}: {sentence}")

    def take(self, name: str, default: Any = None, required: str = "") -> Any:
        """A field; `required` says what to do where it is missing."""
        if required and self.fields.get(name) is None:
            raise ParameterError(f"{self.at()}: {self.name} has no {name}: {required}")
        return self.fields.get(name, default)

    def number(self, name: str, *, above: float | None = None, least: float | None = None, required: str = "") -> Value:
        """A field that is a number, or one per pattern of joint names; infinite ones are refused."""
        value = self.take(name, None, required)
        if value is None:
            return None
        for one in value.values() if isinstance(value, dict) else [value]:
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
        return patterns


def place(file: str, line: int) -> str:
    """A file and a line, as a sentence begins."""
    return f"{file}, line {line}" if file else f"line {line}"


def calls(text: str, known: Collection[str], parts: Collection[str], marker: str, file: str = "") -> list[Call]:
    """Every actuator class in a text, in the order of the text.

    `known` are the classes that are read and `parts` those that stand inside them; a class with a field `marker` that
    is neither is an unknown actuator.
    """
    found = []
    for node in _nodes(_parsed(text, file)):
        if not isinstance(node, ast.Call):
            continue
        name = _name(node.func)
        if name in known:
            found.append(_call(node, parts, file))
        elif any(keyword.arg == marker for keyword in node.keywords):
            raise ParameterError(
                f"{place(file, node.lineno)}: {name or 'this class'} is no actuator that is known here: "
                f"it must be one of {', '.join(known)}"
            )
    if not found:
        raise ParameterError(f"{file or 'text'}: there is no actuator in it; it should have one of {', '.join(known)}")
    return found


def _parsed(text: str, file: str) -> ast.AST:
    if not isinstance(text, str):
        raise ParameterError(f"text = {type(text).__name__}(...): must be a text in Python")
    try:
        return ast.parse(text)
    except SyntaxError as error:
        raise ParameterError(f"{place(file, error.lineno or 1)}: this is no Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise ParameterError(f"{file or 'text'}: this is no Python that can be read: {error}") from None


def _nodes(tree: ast.AST) -> Iterator[ast.AST]:
    """Every part of a text in its order, without going into a function more than once."""
    pending = [tree]
    while pending:
        node = pending.pop()
        yield node
        pending.extend(reversed(list(ast.iter_child_nodes(node))))


def _name(node: ast.AST) -> str:
    """Last part of a dotted name."""
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _call(node: ast.Call, parts: Collection[str], file: str) -> Call:
    name = _name(node.func)
    if node.args:
        raise ParameterError(f"{place(file, node.lineno)}: {name}: give its fields by name, as in field=value")
    values, lines = {}, {}
    for keyword in node.keywords:
        if keyword.arg is None:
            raise ParameterError(f"{place(file, keyword.value.lineno)}: {name}: write the fields out in place of **")
        if keyword.arg in values:
            raise ParameterError(f"{place(file, keyword.value.lineno)}: {name}.{keyword.arg} is given twice")
        lines[keyword.arg] = keyword.value.lineno
        values[keyword.arg] = _value(keyword.value, parts, file, f"{name}.{keyword.arg}")
    return Call(name, values, node.lineno, lines, file)


def _value(node: ast.expr, parts: Collection[str], file: str, what: str) -> Any:
    """What an expression stands for; raises one sentence where only running it would tell."""

    def inner(part: ast.expr) -> Any:
        return _value(part, parts, file, what)

    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, (ast.List, ast.Tuple)):
        return [inner(item) for item in node.elts]
    if isinstance(node, ast.Dict) and all(key is not None for key in node.keys):
        return {inner(key): inner(item) for key, item in zip(node.keys, node.values, strict=True) if key is not None}
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.UAdd)):
        return _computed(
            operator.mul, -1 if isinstance(node.op, ast.USub) else 1, inner(node.operand), node, file, what
        )
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
        return _computed(_OPERATIONS[type(node.op)], inner(node.left), inner(node.right), node, file, what)
    if isinstance(node, ast.Attribute) and _name(node.value) in _LIBRARIES and node.attr in _CONSTANTS:
        return _CONSTANTS[node.attr]
    if isinstance(node, ast.Attribute) and _name(node.value) in parts:
        return node.attr
    if isinstance(node, ast.Call) and _name(node.func) in parts:
        return _call(node, parts, file)
    if ast.unparse(node) in ("float('inf')", "float('Inf')", "float('infinity')"):
        return math.inf
    shown = re.sub(r"\s+", " ", ast.unparse(node))
    raise ParameterError(
        f"{place(file, node.lineno)}: {what} = {shown[:60]} is no number that can be read off: write the number there"
    )


def _computed(operation: Any, left: Any, right: Any, node: ast.expr, file: str, what: str) -> Any:
    numbers = all(isinstance(side, (int, float)) and not isinstance(side, bool) for side in (left, right))
    try:
        if numbers and isinstance(result := operation(left, right), (int, float)):
            return result
    except ArithmeticError:
        pass
    raise ParameterError(f"{place(file, node.lineno)}: {what} = {ast.unparse(node)} has no value")


def for_joint(configured: Any, joint: str) -> Any:
    """The same actuator for one joint: of each dictionary, the number whose pattern fits the whole name."""
    if not any(_fits(pattern, joint) for pattern in configured.joints):
        raise ParameterError(f"at({joint!r}): the actuator has the joints {', '.join(configured.joints)}")
    picked = {}
    for entry in fields(configured):
        value = getattr(configured, entry.name)
        if not isinstance(value, dict) or entry.name == "network":
            continue
        fitting = [number for pattern, number in value.items() if _fits(pattern, joint)]
        if len(fitting) != 1:
            many = "no pattern fits" if not fitting else "several patterns fit"
            raise ParameterError(f"at({joint!r}): {entry.name} = {value}: {many}")
        picked[entry.name] = fitting[0]
    return replace(configured, joints=(joint,), **picked)


def one_of(configured: list[Any], joint: str | None, file: str) -> Any:
    """The one actuator of a text, or the one for a joint; raises one sentence where it is not clear which."""
    fitting = [each for each in configured if joint is None or any(_fits(p, joint) for p in each.joints)]
    if len(fitting) == 1:
        return fitting[0] if joint is None else for_joint(fitting[0], joint)
    shown = "; ".join(", ".join(each.joints) for each in configured)
    which = "give joint=" if joint is None else f"joint = {joint!r} fits {len(fitting)} of them"
    raise ParameterError(f"{file or 'text'}: it has {len(configured)} actuators, for the joints {shown}: {which}")


def source_of(text_or_path: Any) -> tuple[str, str]:
    """A text and the name of its file, from a path or from the text itself."""
    if isinstance(text_or_path, str) and ("\n" in text_or_path or not text_or_path.strip()):
        return text_or_path, ""
    path = Path(text_or_path)
    try:
        return path.read_text(encoding="utf-8"), str(path)
    except (OSError, UnicodeDecodeError) as error:
        why = "it is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise ParameterError(f"{path}: cannot be read: {why}") from None


def single_number(configured: Any, name: str) -> float:
    """A number of an actuator for one joint; 0 where it says nothing."""
    value = getattr(configured, name)
    if isinstance(value, dict):
        raise ParameterError(f"{name} = {value}: one number per pattern; give joint=")
    return 0.0 if value is None else float(value)


def _fits(pattern: str, joint: str) -> bool:
    try:
        return re.fullmatch(pattern, joint) is not None
    except re.error as error:
        raise ParameterError(f"{pattern!r} is no pattern of joint names: {error}") from None


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
