"""Values of USD attributes as Newton's parser takes them: those that a prim says itself, and one value each."""

from __future__ import annotations

import math

import numpy as np

from ...errors import ParameterError
from ..usd_types import Prim, UsdValue

NEWTON = "newton:"
"""What the names of Newton's attributes begin with."""


def authored_value(prim: Prim, name: str) -> UsdValue:
    """What a prim says of one of Newton's attributes; None: nothing."""
    attribute = prim.GetAttribute(NEWTON + name)
    if not attribute or not attribute.HasAuthoredValue():
        return None
    if attribute.GetNumTimeSamples() > 0:
        raise ParameterError(f"newton:{name} has time samples: must be one value")
    return attribute.Get()


def authored_names(prim: Prim) -> list[str]:
    """Newton's attributes that a prim says anything of, without `newton:`."""
    names = [str(x.GetName()) for x in prim.GetAuthoredAttributes() if str(x.GetName()).startswith(NEWTON)]
    return [name.removeprefix(NEWTON) for name in names]


def number(prim: Prim, name: str, missing: float | None = 0.0, scale: float = 1.0) -> float | None:
    """An attribute that is a number; None for infinity where that is what is missing."""
    value = authored_value(prim, name)
    if value is None:
        return missing
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ParameterError(f"newton:{name} = {value!r}: must be a number")
    if missing is None and value == math.inf:
        return None
    if not math.isfinite(value):
        raise ParameterError(f"newton:{name} = {value}: must be a finite number")
    # the number that was meant, of all that USD's 32 bits cannot tell apart
    return float(str(np.float32(value))) if scale == 1.0 else float(str(np.float32(value * scale)))


def row(prim: Prim, name: str) -> np.ndarray:
    """An attribute that is a row of numbers."""
    value = authored_value(prim, name)
    if value is None:
        raise ParameterError(f"newton:{name} is missing: give lookupPositions and lookupEfforts")
    try:
        return np.array([float(str(np.float32(x))) for x in value])
    except (TypeError, ValueError):
        raise ParameterError(f"newton:{name} = {value!r}: must be a row of numbers") from None


def steps(prim: Prim) -> int:
    """The delay; Newton takes no default of its schema, so that none is none."""
    value = authored_value(prim, "delaySteps")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10_000:
        raise ParameterError(f"newton:delaySteps = {value!r}: must be a whole number from 0 to 10000")
    return value
