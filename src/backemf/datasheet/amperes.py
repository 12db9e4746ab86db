"""Which ampere a sheet means where its units say it: `"5 Arms"` and `"0.12 Nm/Arms"` set the conventions.

What the units name must agree with `[conventions]`, and with each other. A plain `A` beside an `Arms` could be either,
so the sheet has to say which.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..errors import DatasheetError
from .table import quote

_PRINTED = {"dc": "Adc", "peak-phase": "Apk", "rms": "Arms"}


@dataclass(frozen=True)
class _Noted:
    """One figure with amperes in its unit."""

    table: str
    key: str
    index: int
    value: object
    ampere: str | None
    """The kind its unit names; None: a plain A."""

    def __str__(self) -> str:
        return f"[{self.table}] {self.key} = {quote(self.value)}"


@dataclass
class Amperes:
    """The currents and torque constants of one sheet, noted while it is read."""

    noted: dict[str, list[_Noted]] = field(default_factory=lambda: {"torque_constant": [], "current": []})
    """By the convention that they follow."""

    def note(self, table: str, key: str, index: int, value: object, unit: str, ampere: str | None) -> str:
        """Remember a figure if there are amperes in it; returns what is wrong with it, empty if nothing is."""
        torque = unit.endswith("/A") and unit != "1/A"
        if torque or unit in ("A", "A/s", "1/A"):
            self.noted["torque_constant" if torque else "current"].append(_Noted(table, key, index, value, ampere))
        elif ampere is not None:
            return f"is per {_PRINTED[ampere]}, which only a torque constant is: give it as [electrical] kt"
        return ""

    def conventions(self, given: Mapping[str, str], error: Callable[..., DatasheetError]) -> dict[str, str]:
        """The conventions that the units give and `[conventions]` does not; `error` puts the place in front."""

        def fault(figure: _Noted, words: str) -> DatasheetError:
            return error(figure.table, figure.key, figure.value, words, figure.index)

        found: dict[str, str] = {}
        for convention, figures in self.noted.items():
            named = [figure for figure in figures if figure.ampere is not None]
            if not named:
                continue
            first = named[0]
            for other in named[1:]:
                if other.ampere != first.ampere:
                    raise fault(other, f"is not in the amperes of {first}: write both in the same kind, "
                                "1 Arms = √2 Apk in a phase = √(3/2) A DC-equivalent")  # fmt: skip
            if given.get(convention, first.ampere) != first.ampere:
                raise fault(first, f'contradicts [conventions] {convention} = "{given[convention]}": correct one of '
                            "them, or write plain A")  # fmt: skip
            if convention not in given:
                found[convention] = str(first.ampere)
        # a plain A follows a convention that is written, not the unit of another figure
        for convention, figures in self.noted.items():
            # without its own convention, a current follows the torque constant
            written = convention in given or (convention == "current" and "torque_constant" in given)
            if written and convention not in found:
                continue
            marked = self._first_marked(sorted(found, key=lambda name: name != convention))
            for figure in figures:
                if figure.ampere is None and marked is not None:
                    raise fault(figure, f"does not say which ampere, and {marked} does: write "
                                f'{_PRINTED[str(marked.ampere)]}, or give [conventions] {convention} = '
                                f'"{marked.ampere}" or "dc"')  # fmt: skip
        return found

    def _first_marked(self, conventions: list[str]) -> _Noted | None:
        """The first figure that names another ampere than a plain A is taken for."""
        return next((f for name in conventions for f in self.noted[name] if f.ampere not in (None, "dc")), None)
