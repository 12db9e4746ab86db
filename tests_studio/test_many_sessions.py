"""50 sessions at once: each has its answer in its turn, none sees another's, pages answer, and memory comes back."""

from __future__ import annotations

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import aiohttp
from conftest import Studio, start_studio
from plain_client import open_session
from swings import write_swings

SESSIONS = 50


def test_fifty_sessions(tmp_path: Path):
    """Each drops in a log and sees its own alone; pages answer all the while; two short jobs at most run at once."""
    log = write_swings(tmp_path)[0].read_bytes()
    studio = start_studio(tmp_path)
    try:
        # other tests may have an event loop in this thread
        with ThreadPoolExecutor(1) as thread:
            first = thread.submit(asyncio.run, use(studio, log)).result()
            held = studio.megabytes
            second = thread.submit(asyncio.run, use(studio, log)).result()
        for answered, strangers, waited, most in (first, second):
            assert answered == SESSIONS and strangers == 0
            # the page of another user never waits for more than a fifth of all answers
            assert waited <= SESSIONS // 5
            assert 1 <= most <= 2
        assert studio.megabytes < 1.25 * held
        folders = [path for path in tmp_path.rglob("uploads/*") if path.is_dir()]
        assert len(folders) == 2 * SESSIONS and all(path.stat().st_mode & 0o077 == 0 for path in folders)
    finally:
        studio.stop()


async def use(studio: Studio, log: bytes, took: list[float] | None = None) -> tuple[int, int, int, int]:
    """How many sessions saw their log, saw another's, answers that another page waited for, and most workers at once.

    `took` collects how long each of those pages took [s].
    """
    most = strangers = answers = waited = before = 0
    names = [f"mine{k:02d}.csv" for k in range(SESSIONS)]

    async def one(name: str) -> bool:
        nonlocal most, strangers, answers
        async with open_session(studio.address, "/identify?m=dynamixel-xl330-m288") as session:
            assert await session.drop(name, log) == 200
            await session.wait_for("200 rows")
            answers += 1
            most = max(most, len(studio.workers))
            said = " ".join(session.heard)
            strangers += any(other in said for other in names if other != name)
            return name in said

    async def probe() -> None:
        nonlocal waited, before
        async with aiohttp.ClientSession() as http:
            while True:
                began, before = time.perf_counter(), answers
                async with http.get(f"{studio.address}/motor") as answer:
                    assert answer.status == 200
                    await answer.read()
                waited = max(waited, answers - before)
                if took is not None:
                    took.append(time.perf_counter() - began)

    probing = asyncio.create_task(probe())
    done = await asyncio.gather(*map(one, names))
    # a page that has not come by now has waited, too
    waited = max(waited, answers - before)
    probing.cancel()
    return sum(done), strangers, waited, most
