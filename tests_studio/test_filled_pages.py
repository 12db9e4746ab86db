"""Identify and Size with answers on them: no serious finding of axe-core, no sideways scrolling, and pictures."""

from __future__ import annotations

from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from conftest import PATIENCE, Studio, shoot
from playwright.sync_api import Browser, Page, expect
from swings import write_swings


def fill_identify(page: Page, folder: Path) -> None:
    page.goto("/identify?m=dynamixel-xl330-m288&free=motor.friction.coulomb,motor.friction.viscous")
    page.set_input_files("input[type=file]", [str(file) for file in write_swings(folder)])
    expect(page.locator(".picture")).to_have_count(2)
    page.get_by_role("button", name="Find the motor").click()
    expect(page.get_by_text("The motor that they show")).to_be_visible()


def fill_size(page: Page, folder: Path) -> None:
    page.goto("/size?ratios=30,100")
    page.get_by_role("button", name="Find motors").click()
    expect(page.get_by_text("pairs can do it")).to_be_visible()


@pytest.mark.parametrize(("name", "fill"), [("identify", fill_identify), ("size", fill_size)])
def test_an_answer_is_read_by_everyone(chromium: Browser, studio: Studio, tmp_path: Path, name: str, fill: object):
    """In light, in dark and at 390 px, from one fit."""
    context = chromium.new_context(base_url=studio.address, viewport={"width": 1360, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    fill(page, tmp_path)
    page.locator(".js-plotly-plot .main-svg").first.wait_for()
    for look, width in (("light", 1360), ("dark", 1360), ("light", 390)):
        page.emulate_media(color_scheme=look)
        page.set_viewport_size({"width": width, "height": 900})
        page.reload()
        page.locator(".js-plotly-plot .main-svg").first.wait_for()
        page.wait_for_timeout(500)
        shoot(page, f"{name}-answer-{look if width > 390 else 'narrow'}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page)
        serious = [each for each in found.response["violations"] if each["impact"] in ("serious", "critical")]
        assert not serious, [(each["id"], each["nodes"][0]["html"][:200]) for each in serious]
    context.close()
