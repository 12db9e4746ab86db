"""A page that was closed leaves nothing behind in the server."""

from __future__ import annotations

import asyncio
import json
import signal
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
            counts = [thread.submit(asyncio.run, one_round(studio, log)).result() for _ in range(4)]
    finally:
        studio.stop()
    grown = {kind: [each[kind] for each in counts] for kind in counts[-1] if kind not in BOUNDED
             and counts[-1][kind] - counts[1][kind] >= 2 * TABS}  # fmt: skip
    assert not grown


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
