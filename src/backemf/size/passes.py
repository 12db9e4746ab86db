"""A pass over the samples of a cycle on an engine: machine code for many pairs, NumPy for a few."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from itertools import pairwise
from types import ModuleType

import numpy as np

from ..engines import bind
from ..engines import load as load_engine
from ..engines.native_sweep import sweep_native
from . import sweeps
from .sweeps import Pair

WORTH_COMPILING = 3_000_000
"""Pairs times samples from which on machine code pays, its compilation included [1]."""
SAME = 1e-12
"""Share by which samples of one length may differ [1]."""
MOST_PIECES = 20
"""Most stretches of samples of one length that are run one after the other [1]."""


@cache
def laws(engine: str) -> ModuleType:
    """The passes with the operations of an engine; what runs on Warp is traced as machine code is."""
    known = "native" if engine == "warp" else engine
    return bind(sweeps, known, load_engine(known).ops)


def run_pass(
    name: str, pair: Pair, state: Mapping[str, float | np.ndarray], samples: Mapping[str, np.ndarray], count: int,
    engine: str | None = None,
) -> dict[str, np.ndarray]:  # fmt: skip
    """States of `count` pairs after a pass of `sweeps` over all samples, by name.

    Args:
        name: "collect", "operate" or "spring_sums".
        pair: The pairs, numbers with one entry each.
        state: What each begins with.
        samples: Columns of the cycle, one value per sample.
        count: How many pairs there are.
        engine: "native", "numpy" or "warp", on Warp's default device; None: the faster one of the first two.
    """
    given = {key: np.broadcast_to(np.asarray(value, dtype=float), (count,)) for key, value in state.items()}
    steps = len(next(iter(samples.values())))
    if engine is None:
        engine = "native" if count * steps >= WORTH_COMPILING else "numpy"
    law = getattr(laws(engine), name)
    if engine in ("native", "warp"):
        sweep = sweep_native if engine == "native" else _warp()
        for piece in _pieces(samples):
            given = sweep(law, pair, given, piece, count)
        return given
    return _sweep_numpy(law, pair, given, samples)


def _warp() -> Callable[..., dict[str, np.ndarray]]:
    """The sweep on Warp, which is an extra."""
    load_engine("warp")
    from ..engines.warp_sweep import sweep_warp

    return sweep_warp


def _pieces(samples: Mapping[str, np.ndarray]) -> list[dict[str, np.ndarray | float]]:
    """The samples in stretches of one length each, which exponentials are computed once for; all of them together
    where they are too many."""
    dt = samples["dt"]
    # lengths that differ by rounding alone are one
    ends = [0, *(np.flatnonzero(np.abs(np.diff(dt)) > SAME * dt[1:]) + 1).tolist(), len(dt)]
    if len(ends) > MOST_PIECES:
        return [dict(samples)]
    return [
        {name: float(dt[first]) if name == "dt" else column[first:last] for name, column in samples.items()}
        for first, last in pairwise(ends)
    ]


def _sweep_numpy(
    law: Callable[..., dict[str, np.ndarray]], pair: Pair, state: dict[str, np.ndarray],
    samples: Mapping[str, np.ndarray],
) -> dict[str, np.ndarray]:  # fmt: skip
    """The same, sample by sample."""
    shape = next(iter(state.values())).shape
    names = list(samples)
    with np.errstate(all="ignore"):
        for row in zip(*samples.values(), strict=True):
            state = law(pair, state, dict(zip(names, row, strict=True)))
    return {name: np.broadcast_to(np.asarray(value, dtype=float), shape) for name, value in state.items()}
