"""A studio on a free port with a folder of its own, and a browser to use it with."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

SCREENSHOTS = Path(__file__).resolve().parent.parent / "out" / "studio"
"""Where pictures of the pages are kept, to be looked at and for the documentation."""
PATIENCE = 120_000
"""How long a page may take on a machine that does other things too [ms]."""
CHROMIUM = next(
    (found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), ""
)


@dataclass
class Studio:
    """A studio that runs."""

    address: str
    process: subprocess.Popen[str]
    folder: Path
    said: str = ""
    """The line that it printed."""

    def stop(self) -> None:
        """End it."""
        self.process.terminate()
        self.process.wait()
        if self.process.stdout is not None:
            self.process.stdout.close()

    @property
    def workers(self) -> list[int]:
        """Numbers of the worker processes that it has."""
        found = []
        for place in Path("/proc").iterdir():
            if place.name.isdigit():
                try:
                    words = (place / "cmdline").read_bytes().split(b"\0")
                    stat = (place / "stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                if b"backemf.work.worker" in words and int(stat[1]) == self.process.pid and stat[0] != "Z":
                    found.append(int(place.name))
        return found

    def busy_worker(self, page: object) -> int:
        """The worker process that computes now."""
        for _ in range(600):
            before = {pid: _work(pid) for pid in self.workers}
            page.wait_for_timeout(500)  # type: ignore[attr-defined]
            busy = [pid for pid in self.workers if pid in before and _work(pid) > before[pid]]
            if len(busy) == 1:
                return busy[0]
        raise AssertionError("no worker computes")

    @property
    def megabytes(self) -> float:
        """Memory of the studio and its workers [MB]."""
        pages = [int(Path(f"/proc/{pid}/statm").read_text().split()[1]) for pid in (self.process.pid, *self.workers)]
        return sum(pages) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _work(pid: int) -> int:
    """What a process has computed so far [ticks]; 0 where it is gone."""
    try:
        return int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11])
    except OSError:
        return 0


def start_studio(folder: Path, port: int | None = None, *more: str, program: Path | None = None) -> Studio:
    """A studio that answers; `more` are further words of its command, `program` is one that serves it otherwise."""
    if port is None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
    words = [sys.executable, "-m", "backemf", "studio", "--no-browser", "--port", str(port), *more]
    if program is not None:
        words = [sys.executable, str(program), str(folder), str(port)]
    # NiceGUI takes a program of a test for a test of its own
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name and "NICEGUI" not in name}
    environment["XDG_STATE_HOME"] = str(folder)
    process = subprocess.Popen(words, cwd=folder, env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    said = process.stdout.readline()
    assert "backemf studio" in said
    address = f"http://127.0.0.1:{port}"
    while process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/motor").read()
            return Studio(address, process, folder, said)
        except urllib.error.HTTPError:
            # without its token it refuses, and so it is there
            return Studio(address, process, folder, said)
        except OSError:
            continue
    raise RuntimeError("the studio has ended")


FITTED = """[...document.querySelectorAll('.js-plotly-plot .main-svg')]
    .every(drawn => drawn.clientWidth <= drawn.closest('.picture').clientWidth + 1)"""
"""That no picture is wider than its place."""


def shoot(page: object, name: str) -> None:
    """Keep a picture of a page."""
    SCREENSHOTS.mkdir(parents=True, exist_ok=True)
    # the bar at the top stays where the page is scrolled to
    page.evaluate("window.scrollTo(0, 0)")  # type: ignore[attr-defined]
    # a new picture of Plotly finds its width after a moment
    page.wait_for_function(FITTED)  # type: ignore[attr-defined]
    page.screenshot(path=str(SCREENSHOTS / f"{name}.png"), full_page=True)  # type: ignore[attr-defined]


@pytest.fixture(scope="session")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Studio]:
    """One studio for all tests; each has a browser session of its own."""
    made = start_studio(tmp_path_factory.mktemp("studio"))
    yield made
    made.stop()


@pytest.fixture(scope="session")
def chromium() -> Iterator[object]:
    """Debian's Chromium, driven by Playwright's package."""
    if not CHROMIUM:
        pytest.exit("the tests of the studio need a browser: apt install chromium", returncode=1)
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=120_000)

    with sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture
def page(chromium: object, studio: Studio) -> Iterator[object]:
    """A page of a new session; nothing may go wrong in its scripts."""
    context = chromium.new_context(  # type: ignore[attr-defined]
        base_url=studio.address, viewport={"width": 1360, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    )  # fmt: skip
    context.set_default_timeout(120_000)
    made = context.new_page()
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    yield made
    context.close()
    assert not faults
