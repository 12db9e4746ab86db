"""What a sweep runs: a function of your own, or one that takes many cases at once."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from ..errors import BackemfError, ParameterError
from .cases import Answers, Case, Cases
from .fingerprint import fingerprint
from .space import RESERVED, Space

Function = Callable[[Case], Mapping[str, object]]
"""A function of your own: from a case to its answers by name, each a number, a truth or a text."""


class Swept:
    """What all have; a class derived from it says what is run."""

    name = ""
    """What it is called in a manifest."""
    part = 1000
    """Most cases of a part where nobody says otherwise [1]."""
    together = 1
    """Cases that are computed at once: a part has no fewer where there are as many [1]."""

    def check(self, space: Space) -> None:
        """Check that every field of the space is there; raise `ParameterError` if not."""
        raise NotImplementedError

    def prepare(self, paths: Mapping[str, list[str]]) -> None:
        """Read what lists of paths name, where units depend on it; by the name of the field."""

    def require_field(self, name: str) -> None:
        """Check that a field is there; raise `ParameterError` if not."""

    def unit(self, name: str) -> str:
        """Unit of a field or an answer; empty where it has none."""
        return ""

    def nominal(self, name: str, listed: Mapping[str, np.ndarray]) -> np.ndarray | float:
        """What a field is without the sweep, for each case or for all."""
        raise ParameterError(
            f"sweep: {name!r}: nothing says what it is without the sweep, so that it cannot be scaled or added to; "
            "draw from Uniform, LogUniform or Normal"
        )

    def run(self, cases: Cases, answers: Answers) -> None:
        """Compute every case; one that fails is noted with its sentence."""
        raise NotImplementedError

    def fingerprint(self) -> str:
        """SHA-256 of what is run."""
        raise NotImplementedError


class OwnFunction(Swept):
    """A function of the user's, called with one case after the other."""

    def __init__(self, function: Function):
        self.function = function
        self.name = getattr(function, "__qualname__", type(function).__name__)

    def check(self, space: Space) -> None:
        for names, distribution in space.distributions.items():
            if distribution.how != "replace":
                self.nominal(names[0], {})

    def run(self, cases: Cases, answers: Answers) -> None:
        taken = (*cases.columns, *RESERVED)
        for k in range(len(cases)):
            try:
                answers.put_all(k, self.function(cases[k]), taken)
            except BackemfError as error:
                answers.fail(k, str(error))
            except Exception as error:  # whatever a user's function raises is the answer of its case
                answers.fail(k, f"{type(error).__name__}: {error}".strip())

    def fingerprint(self) -> str:
        return fingerprint(self.function)


def require_apart(places: Mapping[str, object]) -> None:
    """Check that no two fields of a space are the same number under two names."""
    seen: dict[object, str] = {}
    for name, place in places.items():
        if place in seen:
            raise ParameterError(f"sweep: {seen[place]!r} and {name!r} are the same number; leave one of them out")
        seen[place] = name
