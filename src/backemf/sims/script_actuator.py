"""An actuator class with its fields, as it stands in a configuration text or object."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..errors import ParameterError
from .joint_patterns import fits
from .place import place
from .script_values import Partial

Value: TypeAlias = Any
"""A number, or None; until a joint is chosen, a dictionary with one number per pattern of joint names."""
FieldValue: TypeAlias = Any
"""What a person wrote into a field: a number, a text, a list, a dictionary, a `Call` or an `Unresolved`."""


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
    fields: Mapping[str, FieldValue]
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

    def take(self, name: str, default: FieldValue = None, required: str = "") -> FieldValue:
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


def _brief(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}..."
