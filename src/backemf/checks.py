"""Checks of the fields of parts; each raises a `ParameterError` that names the field, the value and the remedy."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from .errors import ParameterError
from .free_memory import free_memory
from .values import Maybe as Maybe
from .values import Number as Number

ABSOLUTE_ZERO = -273.15
"""Absolute zero [°C]."""
ALWAYS_FREE = 1_000_000
"""Memory that a process may take without asking what is left [bytes]."""


def concrete(value: object) -> np.ndarray | None:
    """The value as an array if it is known now; None while it is being traced."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float, np.ndarray, np.generic)):
        try:
            return np.asarray(value, dtype=float)
        except OverflowError:
            return np.asarray(np.inf)
    return _known_array(value)


def _known_array(value: Any) -> np.ndarray | None:
    """An array of another library as NumPy's; None if it is being traced, or is no array."""
    torch, library = sys.modules.get("torch"), type(value).__module__.partition(".")[0]
    try:
        if torch is not None and isinstance(value, torch.Tensor):
            return None if torch.compiler.is_compiling() else np.asarray(value.detach().cpu().double().numpy())
        if library == "warp":
            return np.asarray(value.numpy(), dtype=float)
        return np.asarray(value, dtype=float) if library in ("jax", "jaxlib") else None
    except (TypeError, RuntimeError, NotImplementedError):
        return None


_NO_NUMBERS = (bool, np.bool_, str, bytes, complex, list, tuple, dict, set)
"""What is given by mistake."""


def no_number(value: object) -> bool:
    """Whether a value can be neither a number nor an array of numbers."""
    if isinstance(value, _NO_NUMBERS):
        return True
    if isinstance(value, (int, float)):
        return False
    if isinstance(value, (np.ndarray, np.generic)):
        return value.dtype.kind not in "iuf"
    kind = getattr(value, "dtype", None)
    # the arrays of other libraries have a type of their elements; symbols of our own tracer stand for a number
    own = type(value).__module__.startswith("backemf.engines")
    return str(kind).removeprefix("torch.").startswith(("bool", "complex")) if kind is not None else not own


def no_entry(value: object) -> bool:
    """Whether a value cannot stand in a row of numbers, since it is None, no number, or an empty array."""
    return value is None or no_number(value) or 0 in getattr(value, "shape", ())


def known_number(part: object, name: str) -> np.ndarray | None:
    """A field as an array, None while it is being traced; checks that it can be a number."""
    value = getattr(part, name)
    if value is None and _is_optional(part, name):
        return None
    if value is None or no_number(value):
        raise ParameterError(
            f"{type(part).__name__}.{name} = {quote(value)}: must be a number, or a NumPy array with one per motor"
        )
    if 0 in getattr(value, "shape", ()):
        raise ParameterError(
            f"{type(part).__name__}.{name} is an empty array of the shape {tuple(value.shape)}: "
            "give a number, or an array with one per motor"
        )
    return concrete(value)


def _is_optional(part: object, name: str) -> bool:
    """Whether a field is None where it is left out."""
    return getattr(type(part), name, ...) is None


def quote(value: object) -> str:
    """A value as a message shows it, cut where it is long."""
    text = " ".join(repr(value).split())
    return text if len(text) <= 60 else text[:57] + "..."


def require_part(part: object, name: str, *kinds: type) -> None:
    """Check that a field holds a part of one of these classes."""
    value = getattr(part, name)
    if not isinstance(value, kinds) and not (value is None and _is_optional(part, name)):
        names = " or ".join(kind.__name__ for kind in kinds)
        given = f"{type(value).__name__}(...)" if is_dataclass(value) else quote(value)
        raise ParameterError(f"{type(part).__name__}.{name} = {given}: must be {names}")


def require_parts(part: object, name: str, kind: type) -> None:
    """Check that a field holds a tuple of parts; a list becomes a tuple."""
    values = getattr(part, name)
    if not isinstance(values, (tuple, list)) or not values or not all(isinstance(x, kind) for x in values):
        raise ParameterError(f"{type(part).__name__}.{name} = {quote(values)}: must be a tuple of {kind.__name__}")
    object.__setattr__(part, name, tuple(values))


def require_flag(part: object, *names: str) -> None:
    """Check that switches are True or False; any text would act as True."""
    for name in names:
        value = getattr(part, name)
        if not isinstance(value, bool):
            raise ParameterError(f"{type(part).__name__}.{name} = {quote(value)}: must be True or False")


def require_count(part: object, name: str, least: int, unit: str = "number") -> None:
    """Check that a field is an integer of at least `least`."""
    value = getattr(part, name)
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < least:
        raise ParameterError(f"{type(part).__name__}.{name} = {quote(value)}: must be a whole {unit}, {least} or more")


def require_choice(part: object, name: str, choices: tuple[str, ...]) -> None:
    """Check that a word is one of those that are allowed."""
    value = getattr(part, name)
    if not isinstance(value, str) or value not in choices:
        raise ParameterError(f"{type(part).__name__}.{name} = {quote(value)}: must be one of {', '.join(choices)}")


_COMPARISONS = {
    ">": (np.greater, "greater than"),
    ">=": (np.greater_equal, "at least"),
    "<": (np.less, "less than"),
    "<=": (np.less_equal, "at most"),
}


def require(part: object, name: str, test: str, bound: float = 0.0) -> None:
    """Check that a field is finite and on the right side of a bound; `test` is one of >, >=, <, <=."""
    compare, words = _COMPARISONS[test]
    _require(part, name, lambda value: np.isfinite(value) & compare(value, bound), f" {words} {bound:g}")


def require_finite(part: object, *names: str) -> None:
    """Check that fields are finite."""
    for name in names:
        _require(part, name, np.isfinite, "")


def _require(part: object, name: str, test: Callable[[np.ndarray], np.ndarray], words: str) -> None:
    value = known_number(part, name)
    if value is not None and not (good := test(value)).all():
        raise ParameterError(f"{type(part).__name__}.{name} = {first_bad(value, good)}: must be a finite number{words}")


def first_bad(value: np.ndarray, good: np.ndarray) -> str:
    """The first value of an array that is not good, and its index."""
    if value.ndim == 0:
        return f"{float(value):g}"
    index = tuple(int(i) for i in np.argwhere(~good)[0])
    return f"{float(value[index]):g} at index {index}"


def require_rising_table(part: object, time: str, values: str, two: bool = False) -> None:
    """Check that two fields are finite lists of one length, and that the first one rises; `two`: of at least two."""
    kind, times, others = type(part).__name__, getattr(part, time), getattr(part, values)
    if times.ndim != 1 or times.shape != others.shape or len(times) < 1 + two:
        more = ", two or more" if two else ""
        raise ParameterError(
            f"{kind}: {time} {times.shape} and {values} {others.shape} must be two lists of one length{more}"
        )
    for name, found in ((time, times), (values, others)):
        bad = np.flatnonzero(~np.isfinite(found))
        if len(bad):
            raise ParameterError(f"{kind}.{name}[{bad[0]}] = {found[bad[0]]}: must be finite")
    falls = np.flatnonzero(np.diff(times) <= 0)
    if len(falls):
        at = falls[0] + 1
        raise ParameterError(f"{kind}.{time}[{at}] = {times[at]:g} s: must be after the one before")


# --- sizes


def require_sizes(name: str, shape: int | Sequence[int], least: int = 0) -> tuple[int, ...]:
    """The shape of a batch as a tuple; checks that it consists of integers."""
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    whole = isinstance(sizes, (tuple, list)) and all(
        isinstance(n, (int, np.integer)) and not isinstance(n, bool) and n >= least for n in sizes
    )
    if not whole:
        raise ParameterError(
            f"{name} = {quote(shape)}: must be a whole number of motors, or a tuple of them such as (4096, 12)"
        )
    return tuple(int(n) for n in sizes)


def require_seed(name: str, seed: object) -> int:
    """A random seed; `name` is the function that is named in the error."""
    if isinstance(seed, bool) or not isinstance(seed, (int, np.integer)) or seed < 0:
        raise ParameterError(f"{name}: seed = {quote(seed)}: must be a whole number of at least 0")
    return int(seed)


def require_room(what: str, wanted: int, remedy: str, most: int | None = None) -> None:
    """Check that so many bytes fit into the memory that this process may still take, or into `most` bytes."""
    if most is None and wanted < ALWAYS_FREE:
        return
    memory = free_memory() if most is None else most
    if memory is not None and wanted > memory:
        sizes = [f"{min(size, 10**60) / 2**30:.3g} GiB" for size in (wanted, memory)]
        raise ParameterError(f"{what} would take {sizes[0]}, and there are {sizes[1]} free: {remedy}")
