"""Resetting some motors of a batch, on any engine."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from ..physics import draws
from ..physics.state import PER_MOTOR, SHARED, State
from ..values import Number
from .bind import bind

Mask = Any
"""An array of truths of the engine's own, or one truth for all."""


def reset_state(
    engine: ModuleType | SimpleNamespace,
    name: str,
    state: State,
    mask: Mask,
    values: Mapping[str, Number],
    place: Mapping[str, object],
) -> State:
    """The state with some motors back at the start; `name` is the engine's."""
    laws = bind(draws, name, engine.ops)
    fresh = {}
    for field in PER_MOTOR:
        old = getattr(state, field)
        if old is not None:
            fresh[field] = engine.select(mask, engine.array(values.get(field, 0.0), **place), old)
    if state.fresh is not None:
        fresh["fresh"] = engine.select(mask, engine.array(1.0, **place), state.fresh)
    for field in SHARED:
        old = getattr(state, field)
        if old is None:
            continue
        # an environment starts again with any of its motors
        where = mask
        if getattr(old, "ndim", 0) and np.ndim(mask) and old.shape[-1] == 1 and mask.shape[-1] != 1:
            where = mask.any(-1)[..., None]
        if field == "key" and state.lag is None:
            continue
        new = laws.renew(old) if field == "key" else old * 0
        fresh[field] = engine.select(where, new, old)
    return replace(state, **fresh)
