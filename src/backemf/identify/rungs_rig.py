"""What a rig leaves to a fit: its quantities that have a spread."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..errors import ParameterError
from ..parts import declaration_of
from ..tree import numbers
from .bench import Bench, name_in_bench
from .described import field_unit
from .log import Log
from .parameters import Parameter
from .rig import Rig


def parameters_of_rig(rig: Rig, bench: Bench, logs: list[Log]) -> Iterator[Parameter]:
    """Quantities of the rig that have a spread."""
    known = dict(numbers(bench))
    for name, quantity in rig.known.items():
        if not quantity.spread:
            continue
        full = name_in_bench(name)
        if full not in known:
            raise ParameterError(
                f"rig: {name} has a spread, and nothing of the simulation follows from it; leave it out"
            )
        value = np.mean(np.asarray(known[full], dtype=float))
        spread = quantity.spread_at(logs[0].meta, name)
        positive = moves_by_factor(name, float(value))
        size = float(spread / value) if positive else spread
        yield Parameter(name, (full,), size, positive, unit=_unit(rig, name), source="rig")


def moves_by_factor(name: str, value: float) -> bool:
    """Whether a quantity of a rig is found as a factor on what was given, or as a difference."""
    return value > 0.0 and not name.endswith(("bias", "offset"))


def has_spread(rig: Rig, beginning: str) -> bool:
    """Whether the rig says how far a quantity may be off."""
    return any(quantity.spread and name.startswith(beginning) for name, quantity in rig.known.items())


def _unit(rig: Rig, name: str) -> str:
    """Unit of a quantity of a rig, such as kg of load.mass."""
    where, _, field = name.rpartition(".")
    _, dot, channel = where.partition(".")
    part = rig.sensors[channel] if dot else getattr(rig, where)
    declared = declaration_of(part.kind.__dataclass_fields__[field])
    return "1" if declared is None else field_unit(declared, part.unit)
