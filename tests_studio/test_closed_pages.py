"""A page that was closed leaves nothing behind in the server."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

from conftest import Studio, start_studio
from plain_client import open_session
from swings import write_swings

from backemf.studio.file_page import FilePage
from backemf.studio.widgets import refreshable_method

TABS = 8
"""How many tabs show each page at once."""
SHOWS = {"/motor": " motors", "/look": "", "/try": " steps", "/simulators": "Torque error", "/identify": "200 rows",
         "/size": ""}  # fmt: skip
"""Every page, and what it is told once all of it is there."""
BOUNDED = ("urllib.parse.SplitResult",)
"""What a library keeps a bounded number of."""


class Page(FilePage):
    """A page without anything on it."""

    @refreshable_method
    def results(self) -> None: ...


def test_a_closed_page_is_let_go():
    """What NiceGUI keeps of it goes, and what it keeps of the same page in another tab stays."""
    closed, other = object.__new__(Page), object.__new__(Page)
    kept = vars(Page)["results"]
    kept.targets = [SimpleNamespace(instance=each) for each in (closed, other)]
    closed.close()
    assert [target.instance for target in kept.targets] == [other]


def test_no_kind_of_object_grows_with_the_pages_that_were_shown(tmp_path: Path):
    """Of whatever one closed tab leaves behind, every round would leave one per tab; some things go later."""
    log = write_swings(tmp_path)[0].read_bytes()
    studio = start_studio(tmp_path, program=Path(__file__).with_name("counting_studio.py"))
    try:
        with ThreadPoolExecutor(1) as thread:
            counts = [thread.submit(asyncio.run, one_round(studio, log)).result() for _ in range(5)]
    finally:
        studio.stop()
    seen = {kind: [each[kind] for each in counts[1:]] for kind in counts[-1] if kind not in BOUNDED}
    grown = {kind: each for kind, each in seen.items() if all(b - a >= TABS for a, b in pairwise(each))}
    assert not grown


def test_memory_comes_back_although_nobody_opens_another_page(tmp_path: Path):
    """Tabs that were open while the studio was still loading, too; idle programs look for no rings."""
    studio = start_studio(tmp_path, program=Path(__file__).with_name("counting_studio.py"))
    left = tmp_path / "left.json"

    async def show() -> None:
        async def one(path: str) -> None:
            async with open_session(studio.address, path) as session:
                await session.wait_for(SHOWS[path])

        await asyncio.gather(*(one(path) for path in ("/motor", "/try") for _ in range(TABS)))

    try:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(asyncio.run, show()).result()
        for _ in range(600):
            left.unlink(missing_ok=True)
            studio.process.send_signal(signal.SIGUSR2)
            time.sleep(0.1)
            if left.exists() and not json.loads(left.read_text()):
                break
        else:
            raise AssertionError("pages are still in memory")
    finally:
        studio.stop()


async def one_round(studio: Studio, log: bytes) -> Counter[str]:
    """How many objects of each kind there are when tabs of every page were opened, used and closed."""

    async def one(path: str, shows: str) -> None:
        async with open_session(studio.address, path) as session:
            if path == "/identify":
                assert await session.drop("swing.csv", log) == 200
            if shows:
                await session.wait_for(shows)

    counted = studio.folder / "counts.json"
    await asyncio.gather(*(one(*page) for page in SHOWS.items() for _ in range(TABS)))
    while True:
        counted.unlink(missing_ok=True)
        studio.process.send_signal(signal.SIGUSR1)
        while not counted.exists():
            assert studio.process.poll() is None, "the studio has ended"
            await asyncio.sleep(0.1)
        found = json.loads(counted.read_text())
        if not found["open"]:
            return Counter(found["kinds"])
        await asyncio.sleep(0.5)
