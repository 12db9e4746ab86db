"""Parts: groups of constants that declare themselves.

A field says what it holds, its unit and its bounds in one place. From there come the checks, the TOML reader, the words
of the command line, JAX's tree, randomisation by name and the tables of the documentation.

    @part(family="controller")
    class PositionPd:
        stiffness: Number = number("V/rad", least=0.0)
        damping: Number = number("V·s/rad", default=0.0, least=0.0)
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, TypeVar, dataclass_transform, overload

from .checks import require, require_choice, require_count, require_finite, require_flag, require_part, require_parts
from .tree import acts, kind_of_numbers
from .values import Declared

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])

FAMILIES: dict[str, dict[str, type]] = {}
"""Parts that can stand in for each other, such as controllers, by family and class name."""


@dataclass(frozen=True)
class Declaration:
    """What a field holds."""

    role: str
    """"number", "numbers", "table", "flag", "word", "words", "count", "part", "parts" or "record"."""
    unit: str | None = None
    """Unit of a number, as in N·m·s/rad; None: that of the part it belongs to, or none."""
    bounds: tuple[tuple[str, float], ...] = ()
    """Tests that a number must pass, such as (">", 0.0)."""
    neutral: float | None = None
    """Value that has no effect, so that its law is left out of a step; None: every value has one."""
    choices: tuple[str, ...] = ()
    """Words that it may be."""
    kinds: tuple[type, ...] | str = ()
    """Classes of the part that it holds, or their family."""
    least: int = 0
    """Smallest count."""
    checked: bool = True
    """Whether the declaration says all; False: the part itself checks the field."""


# --- what a field may hold


def number(
    unit: str | None,
    *,
    default: object = MISSING,
    above: float | None = None,
    least: float | None = None,
    below: float | None = None,
    most: float | None = None,
    neutral: float | None = None,
) -> Declared:
    """A finite number, or an array with one per motor; a default of None: it may be left out."""
    limits = ((">", above), (">=", least), ("<", below), ("<=", most))
    bounds = tuple((test, bound) for test, bound in limits if bound is not None)
    return _field(default, Declaration("number", unit, bounds, neutral))


def numbers(unit: str | None, *, default: object = MISSING) -> Declared:
    """A tuple of numbers, checked by the part itself."""
    return _field(default, Declaration("numbers", unit))


def table(unit: str | None, *, default: object = MISSING) -> Declared:
    """An array with an axis of its own, checked by the part itself."""
    return _field(default, Declaration("table", unit))


def flag(*, default: object = MISSING) -> Declared:
    """True or False; decides what a step is made of."""
    return _field(default, Declaration("flag"))


def word(*choices: str, default: object = MISSING) -> Declared:
    """One of some words; decides what a step is made of."""
    return _field(default, Declaration("word", choices=choices))


def words(*choices: str, default: object = MISSING) -> Declared:
    """A tuple of words, checked by the part itself."""
    return _field(default, Declaration("words", choices=choices))


def count(unit: str | None = None, *, default: object = MISSING, least: int = 0) -> Declared:
    """A whole number; decides what a step is made of."""
    return _field(default, Declaration("count", unit, least=least))


def one(*kinds: type, family: str | None = None, default: object = MISSING) -> Declared:
    """A part of one of these classes, or of a family."""
    return _field(default, Declaration("part", kinds=family or kinds))


def several(*kinds: type, family: str | None = None, default: object = MISSING, checked: bool = True) -> Declared:
    """A tuple of parts of these classes, or of a family; with `checked=False` the part itself looks at them."""
    return _field(default, Declaration("parts", kinds=family or kinds, checked=checked))


def record(default: object = MISSING) -> Declared:
    """Notes on the numbers, which a step does not use."""
    return _field(default, Declaration("record"))


def _field(default: object, declaration: Declaration) -> Declared:
    metadata = {"declaration": declaration}
    return field(metadata=metadata) if default is MISSING else field(default=default, metadata=metadata)


# --- the class


@overload
def part(kind: type[T]) -> type[T]: ...


@overload
def part(
    *, family: str | None = None, called: str | None = None, kw_only: bool = True
) -> Callable[[type[T]], type[T]]: ...


@dataclass_transform(
    frozen_default=True,
    kw_only_default=True,
    field_specifiers=(number, numbers, table, flag, word, words, count, one, several, record),
)
def part(
    kind: type[T] | None = None, *, family: str | None = None, called: str | None = None, kw_only: bool = True
) -> type[T] | Callable[[type[T]], type[T]]:
    """Make a class a part: a frozen dataclass whose fields are checked as they declare.

    Args:
        kind: The class.
        family: What it can stand in for, e.g. "controller".
        called: What it is called on the command line; None: its name in lower case, position-pid for PositionPid.
        kw_only: Whether fields are given by name only.
    """

    def declare(kind: Any) -> Any:
        own = vars(kind).get("__post_init__")

        def __post_init__(self: Any) -> None:
            check_fields(self)
            if own is not None:
                own(self)

        kind.__post_init__ = __post_init__
        kind = kind_of_numbers(dataclass(frozen=True, kw_only=kw_only)(kind))
        kind.neutral = {
            e.name: it.neutral for e in fields(kind) if (it := declaration_of(e)) and it.neutral is not None
        }
        kind.called = called or re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", kind.__name__).lower()
        if family is not None:
            FAMILIES.setdefault(family, {})[kind.__name__] = kind
        return kind

    return declare if kind is None else declare(kind)


# --- what comes from it


def declaration_of(entry: Field) -> Declaration | None:
    """What a field declares; None where it declares nothing, as in a state."""
    return entry.metadata.get("declaration")


def members(declaration: Declaration) -> dict[str, type]:
    """Classes of the parts that a field may hold, by name."""
    if isinstance(declaration.kinds, str):
        return FAMILIES.get(declaration.kinds, {})
    return {kind.__name__: kind for kind in declaration.kinds}


def units_of(kind: type) -> dict[str, str]:
    """Unit of every field of a part that has one."""
    known = {entry.name: declaration_of(entry) for entry in fields(kind)}
    return {name: it.unit for name, it in known.items() if it is not None and it.unit is not None}


def check_fields(part: object) -> None:
    """Check that every field is what it declares."""
    for entry in fields(part):  # pyright: ignore[reportArgumentType]
        it, value = declaration_of(entry), getattr(part, entry.name)
        if it is None or not it.checked or it.role not in _CHECKS or (value is None and entry.default is None):
            continue
        if value is None and it.neutral is not None:
            object.__setattr__(part, entry.name, it.neutral)
        _CHECKS[it.role](part, entry.name, it)


def _check_number(part: object, name: str, it: Declaration) -> None:
    require_finite(part, name)
    for test, bound in it.bounds:
        require(part, name, test, bound)


_CHECKS: dict[str, Callable[[object, str, Declaration], None]] = {
    "number": _check_number,
    "flag": lambda part, name, it: require_flag(part, name),
    "count": lambda part, name, it: require_count(
        part, name, it.least, "number of steps" if it.unit == "steps" else "number"
    ),
    "word": lambda part, name, it: require_choice(part, name, it.choices) if it.choices else None,
    "part": lambda part, name, it: require_part(part, name, *members(it).values()),
    "parts": lambda part, name, it: require_parts(part, name, *members(it).values()),
}


# --- laws

Law = Callable[..., Any]
"""A function of numbers or arrays, element by element; what it takes and gives its table says."""


class Laws(dict[type, Law]):
    """A law for each part, by its class. Engines bind all of them, also those that are added later."""

    pending: ClassVar[list[tuple[Callable[..., None], type, Law]]] = []
    """Laws that are still to be bound: what binds them to an engine, the class of the part, and the law."""

    def __init__(self) -> None:
        super().__init__()
        self.bound: dict[str, dict[type, Law]] = {}
        self._binders: list[Callable[[type, Law], None]] = []

    def __setitem__(self, kind: type, law: Law) -> None:
        super().__setitem__(kind, law)
        self.pending.extend((bind, kind, law) for bind in self._binders)

    @classmethod
    def bind_pending(cls) -> None:
        """Bind the laws that came after their table was bound, once the modules that define them know them."""
        waiting, cls.pending[:] = tuple(cls.pending), ()
        for bind, kind, law in waiting:
            if getattr(law, "__globals__", {}).get(law.__name__) is law:
                bind(kind, law)
            else:
                cls.pending.append((bind, kind, law))

    def register(self, kind: type) -> Callable[[F], F]:
        """Make a function the law of a part, on every engine: `@LAWS.register(Kind)`."""

        def add(law: F) -> F:
            self[kind] = law
            return law

        return add

    def bind(self, engine: str, bind_law: Callable[[Law], Law]) -> dict[type, Law]:
        """The same table with the laws of one engine."""
        if engine not in self.bound:
            table = self.bound[engine] = {}

            def follow(kind: type, law: Law) -> None:
                table[kind] = bind_law(law)

            for kind, law in self.items():
                follow(kind, law)
            self._binders.append(follow)
        return self.bound[engine]


# --- values without effect


def without_neutral(part: T) -> T:
    """The part with None in place of every number that has no effect, so that a step is composed without its law."""
    if isinstance(part, tuple):
        kept = tuple(without_neutral(item) for item in part)
        return part if all(a is b for a, b in zip(kept, part, strict=True)) else kept  # pyright: ignore
    if not hasattr(type(part), "__dataclass_fields__"):
        return part
    changes = {}
    for entry in fields(part):  # pyright: ignore
        value = getattr(part, entry.name)
        it = declaration_of(entry)
        if it is not None and it.neutral is not None and not acts(part, entry.name):
            value = None
        elif it is not None and it.role in ("part", "parts"):
            value = without_neutral(value)
        if value is not getattr(part, entry.name):
            changes[entry.name] = value
    if not changes:
        return part
    copy = object.__new__(type(part))
    for entry in fields(part):  # pyright: ignore
        object.__setattr__(copy, entry.name, changes.get(entry.name, getattr(part, entry.name)))
    return copy
