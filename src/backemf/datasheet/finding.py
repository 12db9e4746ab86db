"""What a check finds about one figure of a sheet."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ..hooks import call_hook
from ..units import format_quantity

Severity = Literal["ok", "info", "warning", "error"]


@dataclass(frozen=True)
class Finding:
    """One figure compared with the others."""

    figure: str
    """Name of the figure, or of what the finding is about."""
    listed: float | None
    """What the sheet says, in SI and in the sheet's own convention."""
    predicted: float | None
    """What the other figures say, in the same terms."""
    severity: Severity
    """`ok`: agrees; `info`: worth knowing; `warning`: look at it; `error`: cannot be."""
    explanation: str
    """One sentence."""
    cause: str = ""
    """The diagnosis in a word for programs: `electronics`, `rms-ampere`, `peak-phase-ampere`, `gear-efficiency`,
    `power-balance`, `not-passive`, or a unit slip such as `rpm-as-rad/s`, `phase-resistance`, `factor-10`; empty if
    there is none."""
    unit: str = "1"
    """SI unit of `listed` and `predicted`."""
    follows_from: str = ""
    """What `listed` follows from where the sheet does not print the figure itself; empty: it does."""

    @property
    def ratio(self) -> float | None:
        """Listed over predicted; None where nothing is compared."""
        if self.listed is None or not self.predicted:
            return None
        return self.listed / self.predicted

    def __repr__(self) -> str:
        return f"Finding({self})"

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)

    def __str__(self) -> str:
        return f"{self.severity}: {self.figure}{self._numbers()}: {self.explanation}"

    def _numbers(self) -> str:
        if self.listed is None or self.predicted is None:
            return ""
        listed, predicted = (format_quantity(value, self.unit) for value in (self.listed, self.predicted))
        both = f" {listed} {self.follows_from or 'listed'}, {predicted} predicted"
        return both if self.ratio is None else f"{both}, ratio {self.ratio:.3f}"
