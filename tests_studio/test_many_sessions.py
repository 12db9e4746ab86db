"""50 sessions at once: each gets its answer in its turn, none sees another's, and memory comes back."""

from __future__ import annotations

import asyncio
from pathlib import Path

from conftest import CHROMIUM, Studio, start_studio
from swings import write_swings

SESSIONS = 50


def test_fifty_sessions(tmp_path: Path):
    """Each drops in a log of its own and sees it alone; meanwhile other pages answer, and no worker is too many."""
    log = write_swings(tmp_path)[0].read_text()
    studio = start_studio(tmp_path)
    try:
        most, answered = asyncio.run(_use(studio, log))
        # two turns for short work, and as many for long work as there are cores
        assert 1 <= most <= 2
        assert answered == SESSIONS
        _wait_for(lambda: len(studio.workers) <= 2)
        uploads = [path for path in tmp_path.rglob("uploads/*") if path.is_dir()]
        assert len(uploads) == SESSIONS and all(path.stat().st_mode & 0o077 == 0 for path in uploads)
    finally:
        studio.process.terminate()
        studio.process.wait()
    _wait_for(lambda: not studio.workers)


def _wait_for(holds: object) -> None:
    for _ in range(10_000):
        if holds():
            return
    raise AssertionError("it does not come to hold")


async def _use(studio: Studio, log: str) -> tuple[int, int]:
    from playwright.async_api import async_playwright

    most = 0
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])

        async def one(number: int) -> bool:
            nonlocal most
            context = await browser.new_context(base_url=studio.address)
            context.set_default_timeout(500_000)
            page = await context.new_page()
            await page.goto("/identify?m=dynamixel-xl330-m288")
            file = {"name": f"mine{number}.csv", "mimeType": "text/csv", "buffer": log.encode()}
            await page.set_input_files("input[type=file]", file)
            await page.wait_for_selector(".picture")
            most = max(most, len(studio.workers))
            names = await page.locator(".file-name", has_text="mine").all_text_contents()
            await context.close()
            return names == [f"mine{number}.csv"]

        done = await asyncio.gather(*(one(k) for k in range(SESSIONS)))
        await browser.close()
    return most, sum(done)
