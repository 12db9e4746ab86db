"""Motors that differ: named parameters become arrays of draws, one per motor, environment or joint.

Nothing does nothing in silence: a name that is not there, a range that leaves what can exist, or a limit that would
never act is an error before anything is drawn.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from difflib import get_close_matches
from itertools import combinations, product
from typing import Any, TypeVar

import numpy as np

from ..checks import concrete, quote, require_room, require_seed, require_sizes
from ..errors import ParameterError
from ..motor import Motor
from ..tree import numbers
from ..values import Number
from .distributions import PER, Distribution
from .no_effect import require_effect

Target = TypeVar("Target")
N = TypeVar("N", bound=str | tuple[str, ...])


@dataclass(frozen=True)
class Entry:
    """One line of a randomisation: parameters that share a draw."""

    names: tuple[str, ...]
    """Dotted names, as `tree.numbers` gives them."""
    distribution: Distribution
    """How they vary."""
    nominal: tuple[Number, ...]
    """What the target has there."""

    def values(self, even: Number) -> dict[str, Number]:
        """Value of each parameter from even draws."""
        return {name: self.distribution.value(even, x) for name, x in zip(self.names, self.nominal, strict=True)}

    def __str__(self) -> str:
        low, high = (float(self.distribution.spread(end)) for end in (0.0, 1.0))
        return f"{' and '.join(self.names)}: {type(self.distribution).__name__} from {low:g} to {high:g}"


def randomize(
    target: Target,
    entries: Mapping[N, Distribution],
    shape: tuple[int, ...] | int,
    seed: int = 0,
    per: str = "each",
) -> Target:
    """A copy of a motor, an actuator or any other group of constants whose named parameters are arrays of draws.

    Names are dotted: "winding.resistance", "gearbox.stages.0.efficiency"; those of an actuator's motor may leave out
    "motor.". A tuple of names shares its draws, so that one factor scales all of them. `shape` is that of the batch,
    (environments, joints); `per` says what has a draw of its own: "each" motor, an "environment" (E, 1), a "joint"
    (1, J) or "all" together; a distribution may say it for itself. Every name has a stream of its own from the seed,
    so that other entries and their order change nothing.
    """
    batch = require_sizes("randomize: shape", shape, 1)
    if per not in PER:
        raise ParameterError(f"randomize: per = {per!r}: must be one of {', '.join(PER)}")
    seed = require_seed("randomize", seed)
    known = [_entry(target, key, distribution) for key, distribution in entries.items()]
    _require_once(known)
    for entry in known:
        _require_fits(entry, batch)
    _require_possible(target, known)
    require_effect(target, {name: _ends(entry, name) for entry in known for name in entry.names})
    count = sum(math.prod(_size(batch, entry.distribution.per or per)) * len(entry.names) for entry in known)
    require_room(f"{len(known)} parameters of the shape {quote(batch)}", 8 * count, "draw for fewer motors at once")
    drawn: dict[str, Number] = {}
    for entry in known:
        size = _size(batch, entry.distribution.per or per)
        drawn |= entry.values(_stream(target, entry.names, seed).random(size))
    return rebuild(target, drawn)


# --- names


def resolve(target: object, name: str) -> str:
    """The full name of a number of the target; says what is near where there is none."""
    known = [full for full, _ in numbers(target)]
    kind = type(target).__name__
    ways = (name, f"motor.{name}")
    for full in ways:
        if full in known:
            return full
    # where the motor has a part of that name, the motor is meant
    full = ways[1] if "." in _walk(target, ways[1])[0] else name
    path, value = _walk(target, full)
    if value is None:
        raise ParameterError(
            f'randomize: "{name}": this {kind} has no {path}, it is None; give it one before varying it'
        )
    if path == full and not is_dataclass(value) and not isinstance(value, tuple):
        raise ParameterError(f'randomize: "{name}" is the same for all motors, a table or a choice: vary a number')
    raise ParameterError(f'randomize: "{name}" is no parameter of this {kind}; {_near(name, known)}')


def _near(name: str, known: list[str]) -> str:
    short = [full.removeprefix("motor.") for full in known]
    near = [full for full in short if full.startswith(f"{name}.")][:3]
    # the last word counts most: people remember "resistance" and forget where it is
    near = near or get_close_matches(name, short, n=3, cutoff=0.6)
    near = near or [full for full in short if full.split(".")[-1] == name.split(".")[-1]][:3]
    near = near or get_close_matches(name, short, n=3, cutoff=0.0)
    return f"did you mean {' or '.join(near)}?" if near else "it has no numbers at all"


def _walk(part: object, name: str) -> tuple[str, object]:
    """How far a name leads, and to what; None as soon as a part is None."""
    path: list[str] = []
    for word in name.split("."):
        if is_dataclass(part) and word in {entry.name for entry in fields(part)}:
            part = getattr(part, word)
        elif isinstance(part, tuple) and word.isdigit() and int(word) < len(part):
            part = part[int(word)]
        else:
            break
        path.append(word)
        if part is None:
            break
    return ".".join(path), part


def _entry(target: object, key: str | tuple[str, ...], distribution: object) -> Entry:
    names = key if isinstance(key, tuple) else (key,)
    if not names or not all(isinstance(name, str) for name in names):
        raise ParameterError(f"randomize: {key!r}: must be the name of a parameter or a tuple of names")
    if not isinstance(distribution, Distribution):
        raise ParameterError(
            f'randomize: "{" and ".join(names)}": {distribution!r} is no distribution; '
            "write Scale(0.9, 1.1), Uniform(low, high) or another"
        )
    full = tuple(resolve(target, name) for name in names)
    values = dict(numbers(target))
    for name in full:
        if name.startswith("delay.steps"):
            raise ParameterError(f'randomize: "{name}": a delay draws its own steps; give Delay(steps=(low, high))')
        if concrete(values[name]) is None:
            raise ParameterError(f'randomize: "{name}": must be a number or a NumPy array to vary from')
        if distribution.how == "multiply" and np.all(np.asarray(values[name]) == 0):
            raise ParameterError(
                f'randomize: "{name}" is 0, which {type(distribution).__name__} leaves at 0: use Uniform or Add'
            )
    return Entry(full, distribution, tuple(values[name] for name in full))


def _require_once(entries: list[Entry]) -> None:
    seen: set[str] = set()
    for name in (name for entry in entries for name in entry.names):
        if name in seen:
            raise ParameterError(f'randomize: "{name}" is there twice: one entry says how it varies')
        seen.add(name)


# --- ranges


def _ends(entry: Entry, name: str) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest value a parameter can get."""
    ends = np.stack(np.broadcast_arrays(entry.values(0.0)[name], entry.values(1.0)[name]))
    return ends.min(axis=0), ends.max(axis=0)


def _require_possible(target: object, entries: list[Entry]) -> None:
    """Check that every corner of the ranges can exist, even where no draw falls there; raise `ParameterError` if not.

    Every check compares up to three parameters, so it is enough that any three are at every combination of ends.
    """
    corners: set[tuple[int, ...]] = set()
    for chosen in combinations(range(len(entries)), min(3, len(entries))):
        for ends in product((0, 1), repeat=len(chosen)):
            corner = [0] * len(entries)
            for index, end in zip(chosen, ends, strict=True):
                corner[index] = end
            corners.add(tuple(corner))
    rows = sorted(corners)
    # corners lie along an axis of environments, with one of joints behind it
    deepest = max((1, *(np.ndim(x) for entry in entries for x in entry.nominal)))
    ends = np.array(rows, dtype=float).T.reshape(len(entries), len(rows), *(1,) * deepest)
    try:
        rebuild(target, _values(entries, ends))
    except ParameterError:
        # all corners at once say that something is wrong; one alone says what, without an index
        for row in rows:
            _require_corner(target, entries, row)
        raise


def _require_corner(target: object, entries: list[Entry], row: tuple[int, ...]) -> None:
    try:
        rebuild(target, _values(entries, row))
    except ParameterError as error:
        guilty = [entry for index, entry in enumerate(entries) if _exists(target, entries, row, without=index)]
        said = "; ".join(map(str, guilty or entries))
        raise ParameterError(f"randomize: {said} reaches what cannot be: {error}") from None


def _exists(target: object, entries: list[Entry], row: tuple[int, ...], without: int) -> bool:
    left = [entry for index, entry in enumerate(entries) if index != without]
    try:
        rebuild(target, _values(left, [end for index, end in enumerate(row) if index != without]))
    except ParameterError:
        return False
    return True


def _values(entries: list[Entry], even: Iterable[Number]) -> dict[str, Number]:
    return {name: value for entry, x in zip(entries, even, strict=True) for name, value in entry.values(x).items()}


# --- draws


def _size(batch: tuple[int, ...], per: str) -> tuple[int, ...]:
    """Shape of the draws: 1 along every axis that shares them."""
    if per == "each":
        return batch
    if per == "all":
        return (1,) * len(batch)
    if len(batch) < 2:
        raise ParameterError(f'randomize: per = "{per}" needs a shape (environments, joints), not {batch}')
    ones = (1,) * (len(batch) - 1)
    return (batch[0], *ones) if per == "environment" else (*ones, batch[-1])


def _stream(target: object, names: tuple[str, ...], seed: int) -> np.random.Generator:
    """A stream of its own for each name; a motor alone and the same motor in an actuator draw alike."""
    prefix = "motor." if isinstance(target, Motor) else ""
    text = " ".join(sorted(prefix + name for name in names))
    words = np.frombuffer(hashlib.sha256(text.encode()).digest(), dtype="<u4")
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=tuple(int(word) for word in words)))


def _require_fits(entry: Entry, batch: tuple[int, ...]) -> None:
    """Check that parameters that are arrays already broadcast to the batch; raise `ParameterError` if not."""
    for name, nominal in zip(entry.names, entry.nominal, strict=True):
        shape = np.shape(nominal)
        good = len(shape) <= len(batch)
        if not good or any(a not in (1, b) for a, b in zip(reversed(shape), reversed(batch), strict=False)):
            raise ParameterError(f'randomize: "{name}" has the shape {shape}, which does not fit the batch {batch}')


def rebuild(part: Target, changes: Mapping[str, Number], prefix: str = "") -> Target:
    """The same part with the named numbers changed, made by its constructors, so that every check runs."""
    inside = f"{prefix}." if prefix else ""
    changed: Any
    if prefix in changes:
        changed = changes[prefix]
        return changed
    if not any(name.startswith(inside) for name in changes):
        return part
    if isinstance(part, tuple):
        changed = tuple(rebuild(item, changes, f"{inside}{index}") for index, item in enumerate(part))
        return changed
    if not is_dataclass(part) or isinstance(part, type):
        return part
    new = {entry.name: rebuild(getattr(part, entry.name), changes, f"{inside}{entry.name}") for entry in fields(part)}
    return replace(part, **{name: value for name, value in new.items() if value is not getattr(part, name)})
