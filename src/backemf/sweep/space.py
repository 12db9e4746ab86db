"""What a sweep varies: lists of values, all combined, and numbers that are drawn for each combination."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from ..checks import quote
from ..errors import ParameterError
from ..random.distributions import Distribution
from ..values import Foreign, Json
from .draws import even_numbers, permute

HOW = ("random", "latin-hypercube")
MOST = 10**15
"""Most cases of a sweep [1]."""
RESERVED = ("case", "error")
"""Columns that every table of a sweep has."""
Names = str | tuple[str, ...]
Nominal = Callable[[str, Mapping[str, np.ndarray]], np.ndarray | float]
"""What a field is without the sweep: from its name, and the columns of the lists."""


@dataclass(frozen=True)
class Space:
    """Every case of a sweep: all combinations of the lists, and of each combination so many draws.

    Case number k of a space is found from k alone: nothing is listed.

        be.Space({"load.inertia": [1e-5, 1e-4], "winding.resistance": be.random.Scale(0.9, 1.1)}, draws=1000)
    """

    axes: Mapping[Names, Foreign]
    """What each field may be, by its name: a list of numbers or texts, all of which are tried, or a distribution of
    `backemf.random`, which is drawn from. A tuple of names shares its draws."""
    draws: int | None = None
    """Draws for each combination of the lists; None: nothing is drawn."""
    how: str = "random"
    """How it is drawn: "random", each draw by itself, or "latin-hypercube", with which the draws of a combination fall
    one into each of `draws` equally likely intervals of every field."""

    def __post_init__(self) -> None:
        if not isinstance(self.axes, Mapping):
            raise ParameterError(f"Space.axes = {quote(self.axes)}: must be a dict of fields and what they may be")
        if not self.axes:
            raise ParameterError("Space.axes is empty: name at least one field, such as 'load.inertia': [1e-5, 1e-4]")
        seen: list[str] = []
        axes: dict[Names, Foreign] = {}
        for key, values in self.axes.items():
            names = key if isinstance(key, tuple) else (key,)
            if not names or not all(isinstance(name, str) and name for name in names):
                raise ParameterError(f"Space.axes[{quote(key)}]: must be the name of a field, or a tuple of names")
            for name in names:
                if name in seen or name in RESERVED:
                    why = "is there twice" if name in seen else "is a column of every sweep"
                    raise ParameterError(f"Space.axes[{name!r}]: {why}; leave it out or call it otherwise")
                seen.append(name)
            axes[key] = values if isinstance(values, Distribution) else _listed(key, values)
        object.__setattr__(self, "axes", MappingProxyType(axes))
        if not isinstance(self.how, str) or self.how not in HOW:
            raise ParameterError(f"Space.how = {quote(self.how)}: must be one of {', '.join(HOW)}")
        self._check_draws()
        if self.cases > MOST:
            raise ParameterError(f"Space: has {self.cases:.3g} cases, and a sweep at most {MOST:g}; shorten its lists")

    def _check_draws(self) -> None:
        whole = isinstance(self.draws, (int, np.integer)) and not isinstance(self.draws, bool)
        if self.draws is not None and (not whole or self.draws < 1):
            raise ParameterError(f"Space.draws = {quote(self.draws)}: must be a whole number, 1 or more")
        drawn = [key for key, values in self.axes.items() if isinstance(values, Distribution)]
        if drawn and self.draws is None:
            raise ParameterError(f"Space.draws is missing: say how often {_words(drawn[0])} is drawn, as in draws=1000")
        if self.draws is not None and not drawn:
            raise ParameterError(f"Space.draws = {self.draws}: every field has a list of values; leave draws out")

    def __reduce__(self) -> tuple[object, ...]:
        return Space, (dict(self.axes), self.draws, self.how)

    @property
    def lists(self) -> dict[str, tuple[float, ...] | tuple[str, ...]]:
        """Values of each field that has a list of them."""
        return {str(key): values for key, values in self.axes.items() if not isinstance(values, Distribution)}

    @property
    def distributions(self) -> dict[tuple[str, ...], Distribution]:
        """How the fields vary that are drawn; those that share a draw are together."""
        drawn = {key: values for key, values in self.axes.items() if isinstance(values, Distribution)}
        return {key if isinstance(key, tuple) else (key,): values for key, values in drawn.items()}

    @property
    def names(self) -> tuple[str, ...]:
        """Every field that varies."""
        return tuple(name for key in self.axes for name in (key if isinstance(key, tuple) else (key,)))

    @property
    def cases(self) -> int:
        """Number of cases."""
        return math.prod(len(values) for values in self.lists.values()) * int(self.draws or 1)

    def columns(self, first: int, count: int, seed: int, nominal: Nominal) -> dict[str, np.ndarray]:
        """Values of each field for the cases from number `first` on; texts are arrays of objects."""
        index = first + np.arange(count, dtype=np.int64)
        draws = int(self.draws or 1)
        place, found = index // draws, {}
        for name, values in reversed(self.lists.items()):
            text = isinstance(values[0], str)
            found[name] = np.array(values, dtype=object if text else float)[place % len(values)]
            place = place // len(values)
        for names, distribution in self.distributions.items():
            called = " ".join(sorted(names))
            even = even_numbers(seed, called, first, count)
            if self.how == "latin-hypercube":
                even = (permute(index % draws, index // draws, draws, seed, called) + even) / draws
            listed = {name: found[name] for name in self.lists}
            for name in names:
                own = 0.0 if distribution.how == "replace" else nominal(name, listed)
                found[name] = np.asarray(distribution.value(even, own), dtype=float)
        return {name: found[name] for name in self.names}

    def described(self) -> dict[str, Json]:
        """The space as it stands in a manifest."""
        axes: dict[str, Json] = {
            _words(key): repr(values) if isinstance(values, Distribution) else list(values)
            for key, values in self.axes.items()
        }
        return {"axes": axes, "draws": self.draws, "how": self.how if self.draws else None}


def _words(key: Names) -> str:
    return key if isinstance(key, str) else ", ".join(key)


def _listed(key: Names, values: Foreign) -> tuple[float, ...] | tuple[str, ...]:
    """The values of a list, all numbers or all texts."""
    if isinstance(key, tuple):
        raise ParameterError(f"Space.axes[{key!r}]: several names share draws, not a list; give a distribution")
    if isinstance(values, (str, bytes)) or not isinstance(values, (Sequence, np.ndarray, range)):
        raise ParameterError(
            f"Space.axes[{key!r}] = {quote(values)}: must be a list of values, or a distribution such as Uniform(0, 1)"
        )
    if not len(values):
        raise ParameterError(f"Space.axes[{key!r}] is an empty list: give at least one value, or leave the field out")
    rows = values.tolist() if isinstance(values, np.ndarray) else list(values)
    if all(isinstance(each, str) for each in rows):
        return tuple(rows)
    for k, each in enumerate(rows):
        number = isinstance(each, (int, float, np.integer, np.floating)) and not isinstance(each, bool)
        if not number or not math.isfinite(each):
            raise ParameterError(
                f"Space.axes[{key!r}][{k}] = {quote(each)}: must be a finite number, or all of the list texts"
            )
    return tuple(float(each) for each in rows)
