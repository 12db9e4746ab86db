"""Status of one phenomenon of an actuator in a simulator."""

from __future__ import annotations

from dataclasses import dataclass

KEPT, APPROXIMATED, DROPPED, UNKNOWN = "kept", "approximated", "dropped", "unknown"


@dataclass(frozen=True)
class Loss:
    """Status of one phenomenon; as a text, its note."""

    phenomenon: str
    """What it is, such as "dry friction"."""
    status: str
    """"kept", "approximated", "dropped", or "unknown" where the actuator itself leaves it open."""
    note: str = ""
    """How it is approximated, or what is missing; empty where it is kept."""
    estimates: tuple[str, ...] = ()
    """The numbers behind it that are estimates rather than the maker's, such as "rotor.inertia"."""

    def __str__(self) -> str:
        return self.note
