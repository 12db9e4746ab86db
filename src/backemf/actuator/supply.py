"""Where the volts come from."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import Maybe, Number, leave_out, require, require_flag
from ..tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Supply:
    """A battery or power supply and the bridge that chops it."""

    voltage: Number
    """Open-circuit voltage [V]."""
    resistance: Maybe = None
    """Internal resistance of battery and cables [Ω], by which the bus sags; None or 0: it does not."""
    modulation_limit: Number = 1.0
    """Largest share of the bus voltage that the bridge passes on [1]."""
    regeneration: bool = True
    """Whether the supply takes current back; if not, a brake resistor burns it."""
    shared: bool = False
    """Whether all motors along the last axis of the batch hang on this one supply."""

    def __post_init__(self) -> None:
        require(self, "voltage", ">")
        require(self, "resistance", ">=")
        require(self, "modulation_limit", ">")
        require(self, "modulation_limit", "<=", 1.0)
        leave_out(self, "resistance", 0.0)
        require_flag(self, "regeneration", "shared")
