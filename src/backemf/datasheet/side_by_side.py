"""The printed figures of several motors side by side."""

from __future__ import annotations

from collections.abc import Sequence

from ..units import format_quantity
from .sheet import Datasheet


def figures_side_by_side(sheets: Sequence[Datasheet | None], unknown: str = "–") -> list[tuple[str, list[str]]]:
    """Each figure that one of the sheets prints with its unit, by its name; a sheet that is None prints none."""
    found: dict[tuple[str, str], list[str]] = {}
    for number, sheet in enumerate(sheets):
        for figure in sheet.figures() if sheet is not None else ():
            shown = format_quantity(figure.value, figure.unit) if isinstance(figure.value, float) else str(figure.value)
            found.setdefault((figure.table, figure.key), [unknown] * len(sheets))[number] = shown
    return [(key.replace("_", " "), texts) for (_, key), texts in found.items()]
