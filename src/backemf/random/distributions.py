"""How a parameter varies from motor to motor.

A distribution turns draws that are spread evenly between 0 and 1 into values; 0 and 1 are the ends of its range. It
multiplies what the motor has, adds to it, or takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from ..checks import quote
from ..errors import ParameterError
from ..values import Number

PER = ("each", "environment", "joint", "all")
"""What has a draw of its own: every motor, every environment, every joint, or nothing, one draw for all."""


@dataclass(frozen=True)
class Distribution:
    """Base of all distributions."""

    how: ClassVar[str] = "replace"

    per: str | None = field(default=None, kw_only=True)
    """What has a draw of its own: "each", "environment", "joint" or "all"; None: as `randomize` says for all."""

    def spread(self, even: Number) -> Number:
        """Numbers of this distribution from even draws."""
        raise NotImplementedError

    def value(self, even: Number, nominal: Number) -> Number:
        """Values of a parameter from even draws and the value it has."""
        drawn = self.spread(even)
        if self.how == "multiply":
            return drawn * nominal
        return drawn + nominal if self.how == "add" else drawn

    def __post_init__(self) -> None:
        known = self.per is None or (isinstance(self.per, str) and self.per in PER)
        self._require(known, "per", f"must be one of {', '.join(PER)}")

    def _require(self, good: bool, name: str, words: str) -> None:
        if not good:
            raise ParameterError(f"{type(self).__name__}.{name} = {quote(getattr(self, name))}: {words}")


@dataclass(frozen=True)
class _Range(Distribution):
    low: float
    """Low end of the range."""
    high: float
    """High end of the range."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(_number(self.low), "low", "must be a finite number")
        self._require(_number(self.high), "high", "must be a finite number")
        self._require(self.low <= self.high, "high", f"must be at least low = {quote(self.low)}")

    def spread(self, even: Number) -> Number:
        return (1.0 - even) * self.low + even * self.high


@dataclass(frozen=True)
class _LogRange(_Range):
    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(self.low > 0, "low", "must be above 0, for its logarithm is taken")

    def spread(self, even: Number) -> Number:
        share: Any = even
        return self.low ** (1.0 - share) * self.high**share


@dataclass(frozen=True)
class _Bell(Distribution):
    mean: float
    """Middle."""
    std: float
    """Standard deviation, before the tails are cut."""
    sigmas: float = 3.0
    """Standard deviations from the middle beyond which nothing is drawn [1]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self._require(_number(self.mean), "mean", "must be a finite number")
        for name in ("std", "sigmas"):
            self._require(_number(getattr(self, name)) and getattr(self, name) > 0, name, "must be a number above 0")

    def spread(self, even: Number) -> Number:
        from scipy.special import ndtr, ndtri

        # the inverse of the cumulative distribution, of which the tails are left out
        tail = ndtr(-self.sigmas)
        inner = np.clip(ndtri(tail + even * (1.0 - 2.0 * tail)), -self.sigmas, self.sigmas)
        return self.mean + self.std * inner


def _number(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, (int, float, np.floating, np.integer)):
        return False
    try:
        return bool(np.isfinite(float(value)))
    except OverflowError:
        return False


@dataclass(frozen=True)
class Scale(_Range):
    """The motor's value times a factor spread evenly between two numbers."""

    how = "multiply"


@dataclass(frozen=True)
class LogScale(_LogRange):
    """Times a factor whose logarithm is spread evenly: LogScale(0.5, 2) halves as often as doubles."""

    how = "multiply"


@dataclass(frozen=True)
class NormalScale(_Bell):
    """The motor's value times a normally distributed factor without tails: NormalScale(1.0, 0.05)."""

    how = "multiply"


@dataclass(frozen=True)
class Add(_Range):
    """The motor's value plus a number spread evenly between two, in the parameter's unit."""

    how = "add"


@dataclass(frozen=True)
class Uniform(_Range):
    """A value spread evenly between two, in the parameter's unit."""


@dataclass(frozen=True)
class LogUniform(_LogRange):
    """A value whose logarithm is spread evenly between those of two, in the parameter's unit."""


@dataclass(frozen=True)
class Normal(_Bell):
    """A normally distributed value without tails, in the parameter's unit."""
