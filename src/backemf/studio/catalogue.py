"""The catalogue as rows, read once for all sessions and piece by piece, so that no page waits for it."""

from __future__ import annotations

import asyncio

from nicegui import run  # pyright: ignore[reportMissingImports]

from .. import catalog
from ..cli.catalogue import Row, summary
from ..datasheet import Datasheet

PIECE = 12
"""Sheets that are read at once."""
_rows: list[Row] = []
_reading: list[asyncio.Task[None]] = []


async def rows() -> list[Row]:
    """A row per motor of the catalogue; the first call reads them."""
    if not _reading:
        _reading.append(asyncio.create_task(_read()))
    await asyncio.shield(_reading[0])
    return _rows


async def _read() -> None:
    names = catalog.ids()
    for begin in range(0, len(names), PIECE):
        _rows.extend(await run.io_bound(_piece, names[begin : begin + PIECE]))


def _piece(names: list[str]) -> list[Row]:
    return [summary(name, Datasheet.load(name)) for name in names]
