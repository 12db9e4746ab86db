"""How many digits are written: as many as the numbers mean, where a person reads them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar, cast

from ..errors import ParameterError

T = TypeVar("T")
EXACT = 14
"""Digits of a text that is exact: two fewer than a float has, so that writing what was read changes no digit."""
MEANT = 6
"""Digits of a text for people: a datasheet has three or four."""
_DIGITS: ContextVar[int | None] = ContextVar("digits", default=None)


@contextmanager
def written_digits(digits: int | None) -> Iterator[None]:
    """Write numbers with so many significant digits from here on; None: exactly."""
    if digits is not None and (isinstance(digits, bool) or not isinstance(digits, int) or not 3 <= digits <= 17):
        raise ParameterError(f"digits = {digits!r}: must be a whole number from 3 to 17, or None for exact numbers")
    token = _DIGITS.set(digits)
    try:
        yield
    finally:
        _DIGITS.reset(token)


def digits_or(default: int) -> int:
    """The requested digits, or a default."""
    return _DIGITS.get() or default


def round_digits(value: T) -> T:
    """A number, or each of a row of numbers, with the requested digits; what is not a float stays."""
    digits = _DIGITS.get()
    if isinstance(value, tuple):
        return cast(T, tuple(round_digits(item) for item in value))
    if digits is None or not isinstance(value, float):
        return value
    return cast(T, float(f"{value:.{digits}g}"))
