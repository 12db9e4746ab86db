"""Where the volts come from."""

from __future__ import annotations

from ..checks import Number
from ..parts import flag, number, one, part
from .duty_curve import DutyCurve, DutyTable, full_share


@part
class Supply:
    """A battery or power supply and the bridge that chops it."""

    voltage: Number = number("V", above=0.0)
    """Open-circuit voltage."""
    resistance: Number = number("Ω", default=0.0, least=0.0, neutral=0.0)
    """Internal resistance of battery and cables, by which the bus sags; 0: it does not."""
    modulation_limit: Number = number("1", default=1.0, above=0.0, most=1.0)
    """Largest share of the bus voltage that the bridge passes on."""
    curve: DutyCurve | DutyTable | None = one(family="duty_curve", default=None)
    """How the voltage follows the duty; None: in proportion."""
    regeneration: bool = flag(default=True)
    """Whether the supply takes current back; if not, a brake resistor burns it."""
    shared: bool = flag(default=False)
    """Whether all motors along the last axis of the batch hang on this one supply."""

    @property
    def largest_share(self) -> Number:
        """Largest share of the bus voltage at the terminals: that of the modulation limit, behind the curve [1]."""
        return full_share(self.modulation_limit, self.curve)
