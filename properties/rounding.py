"""What rounding does to a step: NumPy's own numbers when every single operation rounds at random.

Two engines that compute the same law round its operations differently: a compiled one fuses a product and a sum. Where
large numbers cancel, that shows in the answer, and no engine is nearer to the truth than the other. How far is measured
by Monte Carlo arithmetic (Parker, 1997): the step is repeated with a random error of one rounding in each operation.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from backemf.tree import map_numbers

from .cases import Case, map_numbers_of, numbers_of, steps_of

RUNS = 8
"""Repetitions of a step [1]."""
UNIT = 2.0**-53
"""Largest relative error of one rounding [1]."""
EXACT = {
    np.absolute, np.negative, np.positive, np.sign, np.maximum, np.minimum, np.floor, np.copysign, np.rint, np.trunc,
}  # fmt: skip
"""Operations that do not round."""
BY_SERIES = {np.exp, np.expm1, np.log2, np.power, np.sin, np.cos, np.tanh}
"""Operations whose libraries are off by a few roundings."""


class Rounding(np.ndarray):
    """An array whose operations each round at random."""

    rng: np.random.Generator

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any) -> Any:
        if "out" in kwargs:
            kwargs["out"] = tuple(plain(x) for x in kwargs["out"])
        found = getattr(ufunc, method)(*(plain(x) for x in inputs), **kwargs)
        if ufunc in EXACT or np.asarray(found).dtype.kind != "f":
            return wrap(found)
        size = UNIT * (4.0 if ufunc in BY_SERIES else 1.0)
        return wrap(found * (1.0 + size * self.rng.uniform(-1.0, 1.0, np.shape(found))))

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        del types
        return wrap(func(*plain(args), **plain(kwargs)))


def plain(x: Any) -> Any:
    """The same with ordinary arrays."""
    if isinstance(x, Rounding):
        return x.view(np.ndarray)
    if isinstance(x, (tuple, list)):
        return type(x)(plain(item) for item in x)
    return {key: plain(item) for key, item in x.items()} if isinstance(x, dict) else x


def wrap(x: Any) -> Any:
    """The same with arrays that round at random."""
    if isinstance(x, (tuple, list)):
        return type(x)(wrap(item) for item in x)
    return np.asarray(x).view(Rounding) if isinstance(x, (np.ndarray, np.floating)) else x


def rounding_of(case: Case) -> dict[str, np.ndarray]:
    """How far every number of a case's first step moves when its operations round at random."""
    # the same roundings for the same case, whatever was tried before it
    Rounding.rng = np.random.default_rng(0)
    shaken = map_numbers_of(case, lambda part: map_numbers(part, wrap))
    with np.errstate(all="ignore"):
        exact = numbers_of(next(iter(steps_of(case))), case.shape)
        spread = {name: np.zeros(case.shape) for name in exact}
        for _ in range(RUNS):
            moved = numbers_of(next(iter(steps_of(shaken))), case.shape)
            for name, value in exact.items():
                away = np.abs(plain(moved[name]) - value)
                spread[name] = np.maximum(spread[name], np.where(np.isnan(away), 0.0, away))
    return spread
