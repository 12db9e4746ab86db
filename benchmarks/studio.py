"""How fast the studio is, measured in Debian's Chromium: start to first picture, and a slider to its new picture.

`make bench` runs it in the environment `.venv-studio`.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

MOVES, SESSIONS = 200, 50
FIRST_PICTURE, SLIDER = 3.0, 150.0
"""Bounds: start to first picture [s], and a slider to its new picture at the 95th percentile [ms]."""
MEASURE = """
async moves => {
  const plot = document.querySelector(".js-plotly-plot");
  const times = [];
  const slider = document.querySelector('[data-key="v"] [tabindex="0"]');
  slider.focus();
  for (let k = 0; k < moves; k++) {
    const begin = performance.now();
    const drawn = new Promise(done => plot.once("plotly_afterplot", done));
    const key = Math.floor(k / 40) % 2 ? "ArrowLeft" : "ArrowRight";
    const code = key === "ArrowLeft" ? 37 : 39;
    slider.dispatchEvent(new KeyboardEvent("keydown", { key, code: key, keyCode: code, bubbles: true }));
    await drawn;
    times.push(performance.now() - begin);
    await new Promise(done => setTimeout(done, 200));
  }
  return times;
}
"""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(folder: str) -> tuple[subprocess.Popen[bytes], str]:
    """A studio that listens, and its address: a browser is opened then, by the studio as by us."""
    port = free_port()
    command = [sys.executable, "-m", "backemf", "studio", "--no-browser", "--port", str(port)]
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    server = subprocess.Popen(command, env={**environment, "XDG_STATE_HOME": folder}, stdout=subprocess.DEVNULL)
    while server.poll() is None:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            break
        except OSError:
            time.sleep(0.01)
    return server, f"http://127.0.0.1:{port}"


def compile_libraries(folder: str) -> None:
    """Show every page once: pip compiles libraries when it installs them, `tools/environment.py` leaves it to us."""
    server, address = start(folder)
    for page in ("motor", "look", "try", "simulators", "identify", "size"):
        urllib.request.urlopen(f"{address}/{page}").read()
    server.terminate()
    server.wait()


def processor_time(server: subprocess.Popen[bytes]) -> float:
    """What the threads of a process have computed [s]."""
    tasks = Path(f"/proc/{server.pid}/task").iterdir()
    return 1e-9 * sum(int((task / "schedstat").read_text().split()[0]) for task in tasks)


def main() -> None:
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium")
    if chromium is None:
        sys.exit("the studio is measured in a browser: apt-get install chromium")
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        compile_libraries(folder)
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page()
        page.set_default_timeout(60_000)
        began = time.perf_counter()
        server, address = start(folder)
        try:
            listens, computed = time.perf_counter() - began, processor_time(server)
            page.goto(f"{address}/look?m=maxon-re40-gp52c", wait_until="commit")
            answers = time.perf_counter() - began
            page.wait_for_selector(".js-plotly-plot .scatterlayer .trace")
            first, computed_then = time.perf_counter() - began, processor_time(server)
            page.wait_for_timeout(8000)
            times = sorted(page.evaluate(MEASURE, MOVES))
        finally:
            server.terminate()
            server.wait()
            browser.close()
    late = times[int(0.95 * len(times))]
    print(f"studio, start to first picture: {first:.2f} s (at most {FIRST_PICTURE:g} s)")
    print(f"studio, until then: listens after {listens:.2f} s, having computed {computed:.2f} s; "
          f"answers after {answers:.2f} s; computes {computed_then:.2f} s in all")  # fmt: skip
    print(f"studio, slider to new picture over {len(times)} moves: median {times[len(times) // 2]:.0f} ms, "
          f"95th percentile {late:.0f} ms (at most {SLIDER:g} ms)")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        answers, pages, held = measure_sessions(folder)
    middle, later = (1e3 * pages[int(share * len(pages))] for share in (0.5, 0.95))
    print(
        f"studio, {SESSIONS} sessions that each drop in a log at once: the last has its answer after {answers:.1f} s; "
        f"meanwhile another page takes {middle:.0f} ms, 95th percentile {later:.0f} ms"
    )
    print(f"studio, memory after one round of these sessions: {held[0]:.0f} MB, after two: {held[1]:.0f} MB")


def measure_sessions(folder: str) -> tuple[float, list[float], list[float]]:
    """Time until all sessions have answers [s], times of other pages meanwhile [s], memory after each round [MB]."""
    sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests_studio"))
    from conftest import start_studio
    from swings import write_swings
    from test_many_sessions import use

    place = Path(folder)
    log = write_swings(place)[0].read_bytes()
    studio = start_studio(place)
    pages: list[float] = []
    held: list[float] = []
    try:
        for _ in range(2):
            began = time.perf_counter()
            asyncio.run(use(studio, log, pages))
            spent = time.perf_counter() - began
            held.append(studio.megabytes)
    finally:
        studio.stop()
    return spent, sorted(pages), held


if __name__ == "__main__":
    main()
