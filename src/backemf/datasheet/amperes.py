"""Which ampere a sheet means where its units say it: `"5 Arms"` and `"0.12 Nm/Arms"` set the conventions.

What the units name must agree with `[conventions]`, and with each other. A plain `A` beside an `Arms` could be either,
so that the sheet has to say it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ..errors import DatasheetError

_PRINTED = {"dc": "Adc", "peak-phase": "Apk", "rms": "Arms"}


@dataclass(frozen=True)
class _Noted:
    """One figure with amperes in its unit."""

    table: str
    key: str
    index: int
    value: Any
    ampere: str | None
    """The kind its unit names; None: a plain A."""

    @property
    def said(self) -> str:
        shown = f'"{self.value}"' if isinstance(self.value, str) else f"{self.value}"
        return f"[{self.table}] {self.key} = {shown}"


@dataclass
class Amperes:
    """The currents and torque constants of one sheet, noted while it is read."""

    noted: dict[str, list[_Noted]] = field(default_factory=lambda: {"torque_constant": [], "current": []})
    """By the convention that rules them."""

    def note(self, table: str, key: str, index: int, value: Any, unit: str, ampere: str | None) -> str:
        """Remember a figure if there are amperes in it; what is wrong with it, or an empty text."""
        torque = unit.endswith("/A") and unit != "1/A"
        if torque or unit in ("A", "A/s", "1/A"):
            self.noted["torque_constant" if torque else "current"].append(_Noted(table, key, index, value, ampere))
        elif ampere is not None:
            return f"is per {_PRINTED[ampere]}, which only a torque constant is: give it as [electrical] kt"
        return ""

    def conventions(self, given: dict[str, Any], error: Callable[..., DatasheetError]) -> dict[str, str]:
        """The conventions that the units give and `[conventions]` does not; `error` puts the place in front."""
        found: dict[str, str] = {}
        for convention, figures in self.noted.items():
            named = [figure for figure in figures if figure.ampere is not None]
            if not named:
                continue
            first = named[0]
            for other in named[1:]:
                if other.ampere != first.ampere:
                    raise _fault(error, other, f"is not in the amperes of {first.said}: write both in the same kind, "
                                 "1 Arms = √2 Apk in a phase = √(3/2) A DC-equivalent")  # fmt: skip
            if given.get(convention, first.ampere) != first.ampere:
                raise _fault(error, first, f'contradicts [conventions] {convention} = "{given[convention]}": correct '
                             f"one of them, or write plain A")  # fmt: skip
            if convention not in given:
                found[convention] = str(first.ampere)
        self._require_said(found, given, error)
        return found

    def _require_said(self, found: dict[str, str], given: dict[str, Any], error: Callable[..., DatasheetError]) -> None:
        """A plain A is ruled by a convention that is written, not by a neighbour's unit."""
        for convention, figures in self.noted.items():
            # without a word of its own, a current follows the torque constant
            written = convention in given or (convention == "current" and "torque_constant" in given)
            if written and convention not in found:
                continue
            marked = self._marked(sorted(found, key=lambda name: name != convention))
            for figure in figures:
                if figure.ampere is None and marked is not None:
                    raise _fault(error, figure, f"does not say which ampere, and {marked.said} does: write "
                                 f'{_PRINTED[str(marked.ampere)]}, or give [conventions] {convention} = '
                                 f'"{marked.ampere}" or "dc"')  # fmt: skip

    def _marked(self, conventions: list[str]) -> _Noted | None:
        """The first figure that names another ampere than a plain A is taken for."""
        return next((f for name in conventions for f in self.noted[name] if f.ampere not in (None, "dc")), None)


def _fault(error: Callable[..., DatasheetError], figure: _Noted, fault: str) -> DatasheetError:
    return error(figure.table, figure.key, figure.value, fault, figure.index)
