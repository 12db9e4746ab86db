"""Numbers of an actuator as a text can hold them."""

from __future__ import annotations

import numpy as np

from ..checks import Number
from ..errors import ParameterError


def single(name: str, value: Number) -> float:
    """A number as a text can hold it; an array cannot be written."""
    try:
        known = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} = {value!r}: must be a number") from None
    if known.size != 1 or not np.isfinite(known).all():
        raise ParameterError(f"{name} = {value}: a configuration holds one finite number; write one text per motor")
    return float(known.reshape(()))
