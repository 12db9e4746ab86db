"""The state of a page, as its address holds it: which motor, and every number that was changed."""

from __future__ import annotations

import json
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
    def speed_unit(self) -> str:
        """Unit of speeds in pictures."""
        return "rad/s" if self.get("u") == "rad/s" else "rpm"

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


def whole_number(title: str, text: str) -> int:
    """The whole number that was typed into a field; 0 where nothing is."""
    if text and not text.isdecimal():
        raise ParameterError(f"{title} {text[:40]!r}: must be a whole number of at least 0, or empty")
    return int(text or 0)


def gears_table(ratios: str, efficiency: str) -> dict[str, Foreign]:
    """The table of a task with gears for motors that have none, from what is typed; no table where nothing is."""
    found = {word: number_in(word) for word in ratios.replace(",", " ").split()[:200]}
    for word, ratio in found.items():
        if ratio is None or ratio <= 0.0:
            raise ParameterError(
                f"gears for motors without one: {word[:40]!r} is not a ratio: write them as 10, 30, 100"
            )
    if efficiency and not 0.0 < (number_in(efficiency) or 0.0) <= 1.0:
        raise ParameterError(f"efficiency of a stage: {efficiency[:40]!r} must be above 0 and at most 1, such as 0.9")
    stage = {"efficiency": number_in(efficiency)} if efficiency else {}
    return {"gears": {"ratios": list(found.values()), **stage}} if found else {}


def read_columns(text: str) -> dict[str, list[str]]:
    """Channel and unit of columns that were corrected, by column; none where the text is damaged."""
    try:
        found = json.loads(text or "{}")
        return {str(k): [str(x) for x in v][:2] for k, v in found.items() if isinstance(v, list) and len(v) >= 2}
    except (ValueError, AttributeError):
        return {}
