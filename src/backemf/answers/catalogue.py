"""The catalogue as rows, read once for all sessions and one by one, so that no page waits for it."""

from __future__ import annotations

import asyncio
from functools import cache

from .. import catalog
from ..cli.catalogue import Row, summary
from ..datasheet import Datasheet


async def rows() -> list[Row]:
    """A row per motor of the catalogue; the first call reads them."""
    return await asyncio.shield(_reading())


@cache
def _reading() -> asyncio.Task[list[Row]]:
    return asyncio.create_task(_read())


async def _read() -> list[Row]:
    return [await asyncio.to_thread(lambda name=name: summary(name, Datasheet.load(name))) for name in catalog.ids()]
