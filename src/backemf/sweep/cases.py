"""The cases of a part of a sweep, and the table of what came of them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..errors import ParameterError
from .draws import stream_words


class MissingFieldError(ParameterError, KeyError):
    """A case is asked for a field that the sweep does not vary."""

    def __init__(self, name: object, given: Mapping[str, float | str]):
        super().__init__(f"case[{name!r}]: the sweep does not vary it; it varies {', '.join(given)}")

    __str__ = ParameterError.__str__


@dataclass(frozen=True)
class Case(Mapping[str, "float | str"]):
    """One case of a sweep: `case["load.inertia"]` is the value of a field."""

    index: int
    """Its number in the sweep."""
    seed: int
    """A random seed of its own: the same for the same sweep, whoever computes it."""
    given: Mapping[str, float | str]
    """Value of each field that varies."""

    def __getitem__(self, name: str) -> float | str:
        if name not in self.given:
            raise MissingFieldError(name, self.given)
        return self.given[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.given)

    def __len__(self) -> int:
        return len(self.given)


@dataclass(frozen=True)
class Cases:
    """Cases in a row."""

    first: int
    """Number of the first one."""
    seed: int
    """Random seed of the sweep."""
    columns: Mapping[str, np.ndarray]
    """Values of each field, one per case; texts are arrays of objects."""

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())))

    def __getitem__(self, k: int) -> Case:
        values = {name: v[k] if v.dtype == object else float(v[k]) for name, v in self.columns.items()}
        index = self.first + k
        return Case(index, int(stream_words(self.seed, f"case {index}", 1)[0] >> np.uint64(32)), values)


class Answers:
    """What came of each case: columns of numbers, truths or texts, and a sentence where a case failed."""

    def __init__(self, count: int):
        self.count = count
        self.values: dict[str, np.ndarray] = {}
        self.there: dict[str, np.ndarray] = {}
        self.errors = np.full(count, None, dtype=object)

    def put(self, where: np.ndarray | int, name: str, values: object) -> None:
        """Put values into a column; raises `ParameterError` for what no column can hold."""
        row = np.asarray(values)
        kind = {"f": float, "i": float, "u": float, "b": bool, "U": object, "O": object}.get(row.dtype.kind)
        # an array of objects is one of texts
        if kind is None or (row.dtype.kind == "O" and not all(isinstance(x, str) for x in row.ravel())):
            raise ParameterError(f"the answer {name!r} is a {type(values).__name__}: give a number, a truth or a text")
        if row.ndim and row.shape != np.shape(where):
            raise ParameterError(f"the answer {name!r} has the shape {row.shape}: give one value")
        column = self.values.get(name)
        if column is None:
            column = self.values[name] = np.full(self.count, None if kind is object else 0, dtype=kind)
            self.there[name] = np.zeros(self.count, dtype=bool)
        if column.dtype != kind:
            raise ParameterError(
                f"the answer {name!r} is a {type(values).__name__} here and something else in another case: "
                "give the same kind in all"
            )
        column[where] = row if row.ndim else row.item()
        self.there[name][where] = True

    def fail(self, where: np.ndarray | int, sentence: str) -> None:
        """Note why cases have no answer, and forget what they have of one."""
        self.errors[where] = sentence
        for there in self.there.values():
            there[where] = False

    @property
    def failed(self) -> int:
        """Number of cases that failed."""
        return sum(each is not None for each in self.errors)

    def put_all(self, where: int, answer: Mapping[str, object], taken: Sequence[str]) -> None:
        """Put the answer of one case; `taken` are the columns of the space."""
        if not isinstance(answer, Mapping):
            raise ParameterError(f"the function gave a {type(answer).__name__}: return a dict of numbers and texts")
        for name, value in answer.items():
            if not isinstance(name, str) or not name or name in taken:
                raise ParameterError(f"the answer {name!r}: is no name, or that of a field of the space; rename it")
            if value is not None:
                self.put(where, name, value)
