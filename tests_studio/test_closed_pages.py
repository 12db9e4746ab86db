"""A page that was closed leaves nothing behind in the server."""

from __future__ import annotations

import asyncio
import json
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
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
TURNS, PATIENCE = 4, 20
"""How often tabs are opened, and objects are counted until those of closed tabs are gone."""
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
    """Of whatever one closed tab leaves behind, two further rounds of tabs would leave one per tab."""
    log = write_swings(tmp_path)[0].read_bytes()
    studio = start_studio(tmp_path, program=Path(__file__).with_name("counting_studio.py"))
    try:
        with ThreadPoolExecutor(1) as thread:
            grown = thread.submit(asyncio.run, grown_kinds(studio, log)).result()
    finally:
        studio.stop()
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
        for _ in range(3000):
            left.unlink(missing_ok=True)
            studio.process.send_signal(signal.SIGUSR2)
            time.sleep(0.1)
            if left.exists() and not json.loads(left.read_text()):
                break
        else:
            raise AssertionError("pages are still in memory")
    finally:
        studio.stop()


async def grown_kinds(studio: Studio, log: bytes) -> dict[str, list[int]]:
    """Kinds of objects of which every two rounds of tabs leave one per tab behind, and how many there were each time.

    What a library makes once, whenever that is, grows once.
    """
    seen: dict[str, list[int]] = {}
    for turn in range(TURNS):
        for _ in range(2):
            await show_pages(studio, log)
        # sockets and timers of a tab go some seconds after it: the fewest of several counts are without them
        fewest = await count_objects(studio)
        for _ in range(PATIENCE):
            grown = {kind: each for kind, each in seen.items() if fewest[kind] - each[-1] >= 2 * TABS}
            if turn and not grown:
                return {}
            fewest &= await count_objects(studio)
        seen = {kind: [count] for kind, count in fewest.items() if kind not in BOUNDED} if not turn else {
            kind: [*each, fewest[kind]] for kind, each in grown.items()
        }  # fmt: skip
    return seen


async def show_pages(studio: Studio, log: bytes) -> None:
    """Open tabs of every page, use them and close them."""

    async def one(path: str, shows: str) -> None:
        async with open_session(studio.address, path) as session:
            if path == "/identify":
                assert await session.drop("swing.csv", log) == 200
            if shows:
                await session.wait_for(shows)

    await asyncio.gather(*(one(*page) for page in SHOWS.items() for _ in range(TABS)))


async def count_objects(studio: Studio) -> Counter[str]:
    """How many objects of each kind the studio has, half a second later."""
    await asyncio.sleep(0.5)
    counted = studio.folder / "counts.json"
    counted.unlink(missing_ok=True)
    studio.process.send_signal(signal.SIGUSR1)
    while not counted.exists():
        assert studio.process.poll() is None, "the studio has ended"
        await asyncio.sleep(0.1)
    return Counter(json.loads(counted.read_text()))
