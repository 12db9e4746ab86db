"""Configuration text that is written to be pasted: figures with their units and sources, and what is lost."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from ..errors import ParameterError
from .digits import round_digits

if TYPE_CHECKING:
    from .losses import Loss


class Figure(NamedTuple):
    """A number with what a reader wants to know of it."""

    value: Any
    """The number itself, or a row of numbers where the field is one, in SI units."""
    unit: str
    """Its unit."""
    source: str
    """Where it came from."""


Line: TypeAlias = tuple[str, Figure | str]
"""A field of a configuration by name: a number with its source, or a text."""


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


def write_call(name: str, lines: Sequence[Line]) -> str:
    """A class with its fields, one per line; a `Figure` has its unit and source beside it."""
    rows = [f"{name}("]
    for key, value in lines:
        if isinstance(value, Figure):
            rows.append(f"    {key}={round_digits(value.value)!r},  # {value.unit}: {value.source}")
        else:
            rows.append(f"    {key}={value},")
    return "\n".join([*rows, ")"])


def quote(joints: str | Sequence[str]) -> str:
    """Patterns of joint names as Python writes them, with commas between; one text is one pattern."""
    found = (joints,) if isinstance(joints, str) else tuple(joints) if isinstance(joints, (list, tuple)) else ()
    if not found or not all(isinstance(pattern, str) for pattern in found):
        raise ParameterError(f"joint = {joints!r}: must be patterns of joint names, such as ('.*_knee',)")
    return ", ".join(json.dumps(pattern, ensure_ascii=False) for pattern in found)
