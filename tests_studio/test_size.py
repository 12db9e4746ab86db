"""Size in a browser: from an empty page to a table, a front whose points open, and files that the library reads."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path

from conftest import FITTED
from playwright.sync_api import Page, expect

import backemf as be


def test_from_an_empty_page_to_a_motor_in_look(page: Page, tmp_path: Path):
    """A task by form, gears, the table sorted, a point of the front opened, and the motor in Look."""
    page.goto("/size")
    expect(page.get_by_text("No motors yet.")).to_be_visible()
    page.get_by_label("mass", exact=True).first.fill("-1 kg")
    expect(page.get_by_text("Pendulum.mass = -1: must be").first).to_be_visible()
    expect(page.get_by_role("button", name="Find motors")).to_be_disabled()
    page.get_by_label("mass", exact=True).first.fill("1 kg")
    page.get_by_label("gears for motors without one").fill("30, 100")
    page.wait_for_url("**ratios=**")
    page.get_by_role("button", name="Find motors").click()
    expect(page.get_by_text("pairs can do it")).to_be_visible()
    # the table sorts by numbers
    header = page.get_by_role("columnheader", name="energy [J]")
    header.click()
    # the order of a table is kept by the server, and comes back from there
    expect(header).to_have_class(re.compile(r"\bsorted\b"))
    cells = page.locator("tbody tr td:nth-child(4)").all_text_contents()
    assert [float(cell) for cell in cells] == sorted(float(cell) for cell in cells) and len(cells) > 3
    # a point of the front opens its pair, once the picture has found its width
    page.wait_for_function(FITTED)
    page.locator(".picture .scatterlayer .trace").nth(1).locator("path.point").first.click(force=True)
    links = page.locator(".open-in").get_by_role("link")
    expect(links).to_have_count(3)
    for name, read in (("task.toml", be.size.Task.read), ("size.json", lambda path: json.loads(path.read_text()))):
        with page.expect_download() as waiting:
            page.get_by_role("button", name=name).click()
        waiting.value.save_as(tmp_path / name)
        assert read(tmp_path / name)
    assert be.size.Task.read(tmp_path / "task.toml").joints["joint"].load.mass == 1.0
    page.reload()
    expect(page.get_by_text("pairs can do it")).to_be_visible()
    page.get_by_role("link", name="Look", exact=True).first.click()
    expect(page.locator(".picture").first).to_be_visible()
    expect(page.locator(".sentence.error")).to_have_count(0)


def test_a_motion_from_a_file(page: Page, tmp_path: Path):
    """A CSV file with a torque is the task; one that is damaged is a sentence, and the page goes on."""
    file = tmp_path / "knee.csv"
    # there and back, at rest where it begins and ends
    angles = [0.5 - 0.5 * math.cos(2.0 * math.pi * 0.01 * k) for k in range(101)]
    rows = [f"{0.01 * k:.2f},{angle:.6f},{5 - 0.05 * k:.3f}" for k, angle in enumerate(angles)]
    file.write_text("time [s],position [rad],torque [N*m]\n0,0,x\n" + "\n".join(rows) + "\n")
    page.goto("/size")
    page.set_input_files("input[type=file]", str(file))
    expect(page.get_by_text("moves as in knee.csv")).to_be_visible()
    page.get_by_role("button", name="Find motors").click()
    expect(page.locator(".sentence.error")).to_contain_text("knee.csv")
    file = tmp_path / "knee2.csv"
    file.write_text("time [s],position [rad],torque [N*m]\n" + "\n".join(rows) + "\n")
    page.set_input_files("input[type=file]", str(file))
    expect(page.get_by_text("moves as in knee2.csv")).to_be_visible()
    page.get_by_label("gears for motors without one").fill("30")
    page.wait_for_url("**ratios=30**")
    page.get_by_role("button", name="Find motors").click()
    expect(page.get_by_text("pairs can do it")).to_be_visible()
    expect(page.locator(".sentence.error")).to_have_count(0)
