"""The state of a page, as its address holds it: which motor, and every number that was changed."""

from __future__ import annotations

import math

from ..errors import BackemfError, ParameterError
from ..toml_text import parse_toml
from ..values import Foreign
from ..web.address import MARK, number_of, unpack
from .motors import FIRST, Chosen, choose_changed, refs_of


class State:
    """Texts by the names that stand in the address."""

    state: dict[str, str]
    """The texts."""

    def __init__(self, state: dict[str, str]):
        self.state = state

    def get(self, name: str, default: str = "") -> str:
        """A text of the state."""
        return self.state.get(name) or default

    def number(self, name: str) -> float | None:
        """A number of the state; None where there is none."""
        return number_of(self.state, name)

    @property
    def estimate(self) -> bool:
        """Whether what a datasheet does not give is estimated."""
        return self.get("est") == "1"

    @property
    def chosen(self) -> Chosen:
        """The motor that the page is about."""
        ref, percent = (refs_of(self.state) or [FIRST])[0], self.number("ge")
        share = None if percent is None else 0.01 * percent
        return choose_changed(ref, self.estimate, self.number("g"), share, self.number("ta"))

    @property
    def estimating(self) -> bool:
        """Whether estimates have to be asked for: they are not in the file already."""
        return self.estimate and not self.chosen.changed


def read_tables(text: str, first: str) -> dict[str, Foreign]:
    """The tables of a TOML text, packed or plain, or those of `first` where it is none."""
    try:
        plain = unpack(text) if text.startswith(MARK) else text
        return parse_toml(plain or first, "the address", ParameterError, "TOML")
    except BackemfError:
        return parse_toml(first, "", ParameterError, "TOML")


def number_in(text: str) -> float | None:
    """The number that a text is; None where it is none."""
    try:
        found = float(text)
    except ValueError:
        return None
    return found if math.isfinite(found) else None
