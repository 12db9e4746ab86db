"""What pages show as Python and as a command runs as it stands, and writes the files of the pages, byte for byte."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from swings import write_swings

PID = "ctrl=position-pid+kp%3D10V/rad+kd%3D0.1V*s/rad&cmd=step+value%3D90deg+time%3D10ms"
ADDRESSES = {
    "motor": "/motor?m=maxon-re40-gp52c&ft=%3E5+N*m&fb=maxon",
    "look": "/look?m=maxon-re40-gp52c&v=18&t=60",
    "look, with other gears": "/look?m=maxon-re40-gp52c&v=18&g=20&ge=80&ta=40",
    "look, limits alone": "/look?m=unitree-go2",
    "look, nothing says what is continuous": "/look?m=dynamixel-xl330-m288&est=1",
    "try": f"/try?m=maxon-re40-gp52c&v=18&delay=seconds%3D4ms&dur=0.1+s&{PID}",
    "try, with other gears": "/try?m=maxon-re40-gp52c&g=20&ge=80&ta=40&dur=0.1+s",
    "try, limits alone": "/try?m=unitree-go2&dur=0.1+s",
    "simulators": "/simulators?m=maxon-re40-gp52c",
    "simulators, with gains": "/simulators?m=maxon-re40-gp52c&to=isaaclab&v=18&ts=1+ms&joint=knee&g=20"
    "&xc=ideal-pd+stiffness%3D40N*m/rad+damping%3D1N*m*s/rad",
    "simulators, limits alone": "/simulators?m=unitree-go2&to=webots",
    "simulators, with estimates": "/simulators?m=dynamixel-xl330-m288&est=1",
    "identify": "/identify?m=dynamixel-xl330-m288&free=motor.friction.coulomb,motor.friction.viscous",
    "size": "/size?ratios=30,100",
}


def reach(page: Page, name: str, folder: Path) -> None:
    """Open a page and do what it is for."""
    page.goto(ADDRESSES[name])
    if name == "identify":
        page.set_input_files("input[type=file]", [str(file) for file in write_swings(folder)])
        expect(page.locator(".picture")).to_have_count(2)
        page.get_by_role("button", name="Find the motor").click()
        expect(page.get_by_text("The motor that they show")).to_be_visible()
    elif name == "size":
        page.get_by_role("button", name="Find motors").click()
        expect(page.get_by_text("pairs can do it")).to_be_visible()
    page.locator(".downloads button").first.wait_for()


def run(words: list[str], folder: Path) -> None:
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ADDRESSES)
def test_texts_do_what_the_page_does(page: Page, tmp_path: Path, name: str):
    """Both run in a folder with the TOML files of the page; a file that they write is the one of its button."""
    given = tmp_path / "given"
    given.mkdir()
    reach(page, name, given)
    # read as they are, closed: a panel that opens moves the next one away from under the cursor
    texts = [page.locator(f'pre[aria-label="{title}"]') for title in ("As Python", "As command")]
    for text in texts:
        expect(text).to_contain_text("backemf")
    python, command = (text.text_content() for text in texts)
    downloads = {}
    for button in page.locator(".downloads button").all():
        with page.expect_download() as got:
            button.click()
        downloads[got.value.suggested_filename] = given / f"page-{got.value.suggested_filename}"
        got.value.save_as(downloads[got.value.suggested_filename])
    program = f'"{sys.executable}" -m backemf '
    lines = [program + line[8:] if line.startswith("backemf ") else line for line in command.splitlines()]
    written: set[str] = set()
    for words in (["bash", "-ec", "\n".join(lines)], [sys.executable, "-c", python]):
        folder = tmp_path / words[0].rpartition("/")[2]
        folder.mkdir()
        # what the texts begin with: logs, and the TOML files of the page, but for what a fit finds
        for file in (*given.glob("*.csv"), *(downloads[key] for key in downloads if key.endswith(".toml"))):
            if not file.name.endswith("fitted.toml"):
                shutil.copy(file, folder / file.name.removeprefix("page-"))
        before = {file.name for file in folder.iterdir()}
        run(words, folder)
        made = {file.name for file in folder.iterdir()} - before
        for key in made & set(downloads):
            assert (folder / key).read_bytes() == downloads[key].read_bytes(), key
        written |= made
    # every file that is no beginning is written by one of both; the same run can be written as a table, too
    assert set(downloads) - {file for file in downloads if file.endswith(".toml")} - {"run.csv"} <= written
    assert name != "identify" or "fitted.toml" in written
