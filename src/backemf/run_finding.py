"""What a run exceeded of what the motor's maker allows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from .hooks import call_hook


@dataclass(frozen=True, kw_only=True)
class RunFinding:
    """One thing that a run did, held against what the maker allows; numbers of a batch are those of its worst motor."""

    what: str
    """Name of the rating, as in `Ratings`; or `supply_current`, `target`, `recording`, `unknown`."""
    severity: Literal["warning", "hint", "info"]
    """`warning`: more than the maker allows; `hint`: looks like a mistake; `info`: worth knowing."""
    explanation: str
    """One sentence with its units."""
    limit: float | None = None
    """What is allowed, in `unit`; None: nothing is compared."""
    value: float | None = None
    """What the run did, in the same unit."""
    unit: str = "1"
    """SI unit of `limit` and `value`."""
    first: float | None = None
    """When the limit was first exceeded [s]."""
    total: float | None = None
    """For how long it was exceeded in all [s]."""
    longest: float | None = None
    """For how long at a stretch [s]."""
    bearable: float | None = None
    """How long the winding can bear the current of that stretch [s]; infinite: continuously; None: unknown."""
    motors: int = 1
    """How many motors of the batch it concerns [1]."""
    worst: tuple[int, ...] = ()
    """Index of the worst of them; empty for a single motor."""
    unknown: tuple[str, ...] = ()
    """The ratings that could not be checked, by name."""

    def __repr__(self) -> str:
        return f"RunFinding({self})"

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)

    def __str__(self) -> str:
        return f"{self.severity}: {self.what.replace('_', ' ')}: {self.explanation}"
