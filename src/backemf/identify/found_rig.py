"""What a fit has found of a rig: its quantities as the logs show them, for logs with other notes as well."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np

from .information import NINETY_FIVE
from .known import Known
from .rig import Rig
from .rungs_rig import moves_by_factor

SMALLEST = 1e-6
"""Least part of a number down to which its interval counts [1]."""
LAG = "command.lag"
"""A quantity that a fit looks for where the rig does not have it."""


@dataclass(frozen=True)
class Found:
    """A quantity of a rig."""

    before: Known | None
    """As the rig had it; None: it had none."""
    after: Known
    """As it was found, with the spread that is left."""


class FittedNumber(Protocol):
    """A number that was fitted, as far as its rig needs to know."""

    @property
    def name(self) -> str:
        """Its name."""
        ...

    @property
    def prior(self) -> float:
        """Before the fit, in the first log."""
        ...

    @property
    def value(self) -> float:
        """After it."""
        ...

    @property
    def low(self) -> float:
        """Lower end of its 95 % interval."""
        ...

    @property
    def high(self) -> float:
        """Upper end of it."""
        ...


def found_of_rig(rig: Rig, fitted: Iterable[FittedNumber]) -> dict[str, Found]:
    """What was found of a rig's quantities, by their names.

    A quantity that follows from a note of each log is found as a factor on it; a difference would not be one.
    """
    known, made = rig.known, {}
    for each in fitted:
        before = known.get(each.name)
        if before is None and each.name != LAG:
            continue
        if before is not None and moves_by_factor(each.name, each.prior):
            spread = _rounded(np.log(each.high / max(each.low, SMALLEST * each.value)))
            after = replace(before, value=before.value * each.value / each.prior, spread=spread, relative=True)
        elif before is None or not before.note:
            after = Known(each.value, _rounded(each.high - each.low))
        else:
            continue
        made[each.name] = Found(before, after)
    return made


def _rounded(width: float) -> float:
    """The spread of a 95 % interval, to three digits."""
    return float(f"{width / (2.0 * NINETY_FIVE):.3g}")


def rig_with(rig: Rig, found: Mapping[str, Found]) -> Rig:
    """A rig with what was found of it; quantities in which it is not the rig of the fit stay as they are."""
    known = rig.known
    changes = {name: each.after for name, each in found.items() if _same(known.get(name), each.before)}
    return rig.with_known(changes) if changes else rig


def _same(given: Known | None, before: Known | None) -> bool:
    if given is None or before is None:
        return given is before
    return (given.value, given.note) == (before.value, before.note)
