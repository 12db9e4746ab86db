"""Which parts, and which of their fields, a form can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields

from ..parts import declaration_of

ROLES = ("number", "flag", "word", "words", "count")
"""What a field of a form can hold."""


def fits_form(entry: Field) -> bool:
    """Whether a field of a part can be a field of a form."""
    it = declaration_of(entry)
    return it is not None and it.role in ROLES


def kinds_of(kinds: Mapping[str, type]) -> dict[str, type]:
    """The parts that a form can hold: those whose needed fields are numbers and words."""
    return {n: kind for n, kind in kinds.items() if all(fits_form(e) or e.default is not MISSING for e in fields(kind))}
