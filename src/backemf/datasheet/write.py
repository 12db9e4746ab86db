"""Datasheet to TOML, in the units makers print."""

from __future__ import annotations

from typing import Any

from ..toml_text import toml_key, toml_value
from ..units import linear_unit, write_quantity
from .sheet import Datasheet
from .table import LISTS, TABLES, Table, quantities


def write(sheet: Datasheet) -> str:
    """TOML text that reads back as the same sheet."""
    heads = {key: getattr(sheet, key) for key in ("name", "maker", "kind", "source", "identified")}
    lines = [f"{key} = {toml_value(text)}" for key, text in heads.items() if text]
    if sheet.notes:
        lines += ["notes = [", *(f"  {toml_value(note)}," for note in sheet.notes), "]"]
    for name in TABLES:
        lines += _lines(f"[{name}]", getattr(sheet, name), sheet.motion)
    for name in LISTS:
        for part in getattr(sheet, name):
            lines += _lines(f"[[{name}]]", part, sheet.motion, always=True)
    for name in ("sources", "measured"):
        content: dict[str, Any] = getattr(sheet, name)
        if content:
            lines += ["", f"[{name}]", *(f"{toml_key(key)} = {toml_value(value)}" for key, value in content.items())]
    return "\n".join(lines) + "\n"


def _lines(header: str, part: Table, motion: str, always: bool = False) -> list[str]:
    units, lines = quantities(type(part)), []
    for key, value in part.entries().items():
        if key in units and units[key].many:
            orders = [f"N*m*s^{n}/rad^{n}" for n in range(2, 2 + len(value))]
            orders = [linear_unit(unit) for unit in orders] if motion == "linear" else orders
            value = [write_quantity(v, unit) for v, unit in zip(value, orders, strict=True)]
        elif key in units and units[key].unit_of(motion) != "1":
            value = write_quantity(value, units[key].unit_of(motion))
        lines.append(f"{key} = {toml_value(value)}")
    return ["", header, *lines] if lines or always else []
