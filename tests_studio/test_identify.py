"""Identify in a browser: from an empty page to a motor file, and what happens to a fit that is ended."""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest
from conftest import Studio
from playwright.sync_api import Page, expect
from swings import RIG, write_swings

import backemf as be

RUNG = re.compile(r"identify, [1-9]\d* of")
"""Progress of a fit that has one law or more behind it: a quick one may be gone before it is looked for."""


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    return write_swings(tmp_path_factory.mktemp("logs"))


def fill(page: Page, label: str, text: str) -> None:
    page.get_by_label(label, exact=True).fill(text)


def drop(page: Page, *files: Path) -> None:
    page.set_input_files("input[type=file]", [str(file) for file in files])


def ready(page: Page, logs: list[Path]) -> None:
    """Logs and rig are dropped in, and the fit may begin."""
    page.goto("/identify?m=dynamixel-xl330-m288&free=motor.friction.*")
    drop(page, *logs)
    expect(page.locator(".picture")).to_have_count(2)
    expect(page.get_by_role("button", name="Find the motor")).to_be_enabled()


def test_from_an_empty_page_to_a_motor_file(page: Page, logs: list[Path], tmp_path: Path):
    """Logs, rig by form, one law, report, the file; reloading brings the answer back, and the motor opens in Look."""
    page.goto("/identify?m=dynamixel-xl330-m288")
    expect(page.get_by_text("No logs yet.")).to_be_visible()
    drop(page, *logs[:2])
    expect(page.locator(".picture")).to_have_count(2)
    expect(page.get_by_text("Pendulum needs mass and length")).to_be_visible()
    fill(page, "mass", "0.49 kg")
    fill(page, "length", "0.1 m")
    page.get_by_label("firmware").click()
    page.get_by_role("option", name="ServoRegisters").click()
    fill(page, "servo", "dynamixel xl330-m288")
    expect(page.get_by_text("the rig is complete")).to_be_visible()
    page.get_by_role("button", name="more").nth(1).click()
    fill(page, "position p gain", "log.kp")
    fill(page, "voltage", "7.3 V")
    fill(page, "free", "motor.friction.*")
    page.wait_for_url("**free=**")
    page.get_by_role("button", name="Find the motor").click()
    expect(page.get_by_text("The motor that they show")).to_be_visible()
    with page.expect_download() as waiting:
        page.get_by_role("button", name="fitted.toml").click()
    file = tmp_path / "fitted.toml"
    waiting.value.save_as(file)
    motor = be.load(file).motor
    assert motor is not None and motor.friction is not None
    assert 0.3 < motor.friction.coulomb / 1.2e-4 < 3.0
    with page.expect_download() as waiting:
        page.get_by_role("button", name="rig.toml").click()
    waiting.value.save_as(tmp_path / "rig.toml")
    assert be.Rig.read(tmp_path / "rig.toml") == be.Rig.parse(RIG)
    # the answer is in the address
    page.reload()
    expect(page.get_by_text("The motor that they show")).to_be_visible()
    page.get_by_role("link", name="Look", exact=True).click()
    expect(page.locator(".picture").first).to_be_visible()


def test_columns_are_corrected(page: Page, tmp_path: Path):
    """Headings that say nothing are mapped by hand, with their units; the command says the same."""
    files = write_swings(tmp_path, "t [s],goal,alpha")
    page.goto("/identify?m=dynamixel-xl330-m288")
    drop(page, files[0])
    expect(page.get_by_text("none of its columns is a channel")).to_be_visible()
    for column, channel in (("goal", "position command"), ("alpha", "position")):
        page.get_by_label(f"Channel of {column}").click()
        page.get_by_role("option", name=channel, exact=True).click()
        page.wait_for_url(lambda url, column=column: column in url)
    expect(page.locator(".picture")).to_have_count(1)
    page.get_by_text("As command").click()
    expect(page.get_by_text("--channel position=alpha")).to_be_visible()


def test_a_fit_that_is_cancelled_and_one_that_is_killed(page: Page, studio: Studio, logs: list[Path]):
    """Each leaves a sentence and a page that goes on: the third fit ends well."""
    ready(page, logs)
    start, cancel = page.get_by_role("button", name="Find the motor"), page.get_by_role("button", name="Cancel")
    page.get_by_label("free").fill("")
    page.wait_for_url(lambda url: "free" not in url)
    start.click()
    expect(page.get_by_text(RUNG)).to_be_visible()
    cancel.locator("visible=true").click()
    expect(page.get_by_text("cancelled; nothing was changed")).to_be_visible()
    start.click()
    expect(page.get_by_text(RUNG)).to_be_visible()
    os.kill(studio.busy_worker(page), signal.SIGKILL)
    expect(page.get_by_text("its process was ended from outside")).to_be_visible()
    page.get_by_label("free").fill("motor.friction.*")
    page.wait_for_url("**free=**")
    start.click()
    expect(page.get_by_text("The motor that they show")).to_be_visible()


def test_closing_the_tab_ends_its_work(page: Page, studio: Studio, logs: list[Path]):
    """The process of the fit is gone once the tab is, and no other starts."""
    ready(page, logs)
    page.get_by_label("free").fill("")
    page.wait_for_url(lambda url: "free" not in url)
    page.get_by_role("button", name="Find the motor").click()
    expect(page.get_by_text(RUNG)).to_be_visible()
    worker = studio.busy_worker(page)
    # the fit must not end by itself before the studio misses the tab
    os.kill(worker, signal.SIGSTOP)
    other = page.context.new_page()
    page.close()
    for _ in range(600):
        if worker not in studio.workers:
            break
        other.wait_for_timeout(100)
    assert worker not in studio.workers
