"""What every group of constants is checked for, and the sentence that says what is wrong."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import Any

import numpy as np

from .errors import ParameterError

ABSOLUTE_ZERO = -273.15
"""Absolute zero [°C]."""

Number = Any
"""A float, or an array of any engine that broadcasts to the batch."""
Maybe = Any
"""A number, or None where there is none."""


def concrete(value: Number) -> np.ndarray | None:
    """The value as an array if it is known now; None while it is being traced."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float, np.ndarray, np.generic)):
        return np.asarray(value, dtype=float)
    return None


_NO_NUMBERS = (str, bytes, complex, list, tuple, dict, set)
"""What people hand over by mistake. Anything else unknown may be an engine's array, or a mark that JAX puts there."""


def no_number(value: Any) -> bool:
    """Whether a value can be neither a number nor an array of numbers."""
    return isinstance(value, _NO_NUMBERS) or (isinstance(value, np.ndarray) and value.dtype.kind not in "biuf")


def known_number(part: Any, name: str) -> np.ndarray | None:
    """A field as an array if it is known now; raises one sentence if it cannot be a number."""
    value = getattr(part, name)
    left_out = value is None and type(part).__dataclass_fields__[name].default is not None
    if left_out or no_number(value):
        raise ParameterError(
            f"{type(part).__name__}.{name} = {_short(value)}: must be a number, or a NumPy array with one per motor"
        )
    return concrete(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def require_part(part: Any, name: str, *kinds: type) -> None:
    """Raise one sentence if a field that holds a group of constants holds something else."""
    value = getattr(part, name)
    optional = type(part).__dataclass_fields__[name].default is None
    wrong = isinstance(value, (int, float, np.ndarray, *_NO_NUMBERS)) or (
        is_dataclass(value) and not isinstance(value, kinds)
    )
    if wrong or (value is None and not optional):
        names = " or ".join(kind.__name__ for kind in kinds)
        shown = f"{type(value).__name__}(...)" if is_dataclass(value) else _short(value)
        raise ParameterError(f"{type(part).__name__}.{name} = {shown}: must be {names}")


def require_parts(part: object, name: str, kind: type) -> None:
    """Raise one sentence if a field is no row of groups of constants; a list becomes a tuple."""
    values = getattr(part, name)
    wrong = not isinstance(values, (tuple, list)) or not values
    if wrong or any(isinstance(x, (int, float, np.ndarray, *_NO_NUMBERS, type(None))) for x in values):
        raise ParameterError(f"{type(part).__name__}.{name} = {_short(values)}: must be a tuple of {kind.__name__}")
    object.__setattr__(part, name, tuple(values))


def require(part: object, name: str, test: str, bound: float = 0.0) -> None:
    """Raise one sentence if a field of `part` is not finite or breaks `test` (one of >, >=, <, <=)."""
    value = known_number(part, name)
    if value is None:
        return
    words = {">": "greater than", ">=": "at least", "<": "less than", "<=": "at most"}[test]
    compare = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}[test]
    good = np.isfinite(value) & compare(value, bound)
    if not good.all():
        worst = value if value.ndim == 0 else value[~good].flat[0]
        where = "" if value.ndim == 0 else f" at index {tuple(int(i) for i in np.argwhere(~good)[0])}"
        raise ParameterError(
            f"{type(part).__name__}.{name} = {float(worst):g}{where}: must be a finite number {words} {bound:g}"
        )


def leave_out(part: object, name: str, neutral: float) -> None:
    """Turn a plain number that has no effect into None, so that its law is left out of the step."""
    value = getattr(part, name)
    if isinstance(value, (int, float)) and value == neutral:
        object.__setattr__(part, name, None)


def require_finite(part: object, *names: str) -> None:
    """Raise one sentence if a field of `part` is not finite."""
    for name in names:
        value = known_number(part, name)
        if value is not None and not np.isfinite(value).all():
            raise ParameterError(f"{type(part).__name__}.{name} = {getattr(part, name)}: must be a finite number")
