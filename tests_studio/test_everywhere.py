"""What holds on every page: links, undo, keyboard, narrow and dark screens, and no serious fault of accessibility."""

from __future__ import annotations

import json
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from conftest import PATIENCE, Studio, shoot, start_studio
from playwright.sync_api import Browser, Page, expect

PAGES = {
    "motor": "/motor?m=maxon-re40-gp52c,maxon-re40-148877",
    "look": "/look?m=maxon-re40-gp52c",
    "try": "/try?m=maxon-re40-gp52c",
    "simulators": "/simulators?m=maxon-re40-gp52c",
    "identify": "/identify",
    "size": "/size",
}
READY = {
    "motor": ".catalogue tbody tr:nth-child(5)", "look": ".js-plotly-plot .heatmaplayer image",
    "try": ".js-plotly-plot .scatterlayer", "simulators": ".losses", "identify": "main .area, main .empty",
    "size": "main .area, main .empty",
}  # fmt: skip


def opened(page: Page, name: str) -> None:
    page.goto(PAGES[name])
    page.wait_for_selector(READY[name])
    if name == "motor":
        page.wait_for_selector(".js-plotly-plot .main-svg")
    if name == "try":
        page.wait_for_function("document.querySelector('.js-plotly-plot')?.data?.length > 5")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", PAGES)
def test_accessibility_and_pictures(chromium: Browser, studio: Studio, name: str, scheme: str):
    """axe-core finds nothing serious, in light and dark; both are kept as pictures."""
    from axe_playwright_python.sync_playwright import Axe

    context = chromium.new_context(
        base_url=studio.address, viewport={"width": 1360, "height": 900}, color_scheme=scheme
    )
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    opened(page, name)
    page.wait_for_timeout(700)
    shoot(page, f"{name}-{scheme}")
    found = Axe().run(page).response["violations"]
    serious = [
        (each["id"], [(node["html"][:120], node["failureSummary"][:200]) for node in each["nodes"]][:3])
        for each in found if each["impact"] in ("serious", "critical")
    ]  # fmt: skip
    context.close()
    assert not serious, json.dumps(serious, indent=1)


@pytest.mark.parametrize("name", PAGES)
def test_a_narrow_screen_needs_no_sideways_scrolling(chromium: Browser, studio: Studio, name: str):
    """At 390 px the page is as wide as the screen."""
    context = chromium.new_context(base_url=studio.address, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.set_default_timeout(PATIENCE)
    opened(page, name)
    shoot(page, f"{name}-narrow")
    width = page.evaluate("document.documentElement.scrollWidth")
    context.close()
    assert width <= 390


def test_undo_back_and_reload(page: Page):
    """Undo takes a change back, back goes to the page before, and a reload changes nothing."""
    opened(page, "motor")
    before = page.url
    page.get_by_label("Search").fill("mini cheetah")
    page.get_by_role("button", name="MIT Mini Cheetah actuator").click()
    page.wait_for_function("location.search.includes('mit-mini-cheetah')")
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("!location.search.includes('mit-mini-cheetah')")
    page.wait_for_selector(READY["motor"].replace(":nth-child(5)", ""))
    page.get_by_role("button", name="Undo").click()
    page.wait_for_function("before => location.href === before", arg=before)
    page.get_by_role("link", name="Look", exact=False).first.click()
    page.wait_for_selector(READY["look"])
    assert "maxon-re40-gp52c" in page.url
    page.reload()
    page.wait_for_selector(READY["look"])
    page.go_back()
    page.wait_for_selector(READY["motor"])
    assert page.url == before


def test_by_keyboard_alone(page: Page):
    """From the first page to a motor and on to Look with Tab and Enter, and the focus can be seen."""
    opened(page, "motor")
    for _ in range(60):
        page.keyboard.press("Tab")
        inside = page.evaluate("document.activeElement.className + ' ' + (document.activeElement.textContent || '')")
        if inside.startswith("as-link"):
            break
    assert "as-link" in inside
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    page.keyboard.press("Enter")
    expect(page.locator(".motor-small").first).to_have_text(inside.removeprefix("as-link "))
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent") == "Look at it":
            break
    page.keyboard.press("Enter")
    page.wait_for_url("**/look?*")


def test_copy_puts_the_text_into_the_clipboard(page: Page):
    """The text of the simulator, byte for byte."""
    opened(page, "simulators")
    page.get_by_role("button", name="Copy").first.click()
    page.wait_for_function("navigator.clipboard.readText().then(text => text.includes('<mujoco>'))")


def test_sessions_are_apart_and_a_restart_brings_them_back(chromium: Browser, tmp_path: Path):
    """Each browser comes back to its own motor, also after the studio was started again."""
    studio = start_studio(tmp_path)
    port = int(studio.address.rsplit(":", 1)[1])
    try:
        contexts = [chromium.new_context(base_url=studio.address) for _ in range(2)]
        for context, motor in zip(contexts, ("maxon-re40-gp52c", "mit-mini-cheetah"), strict=True):
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto(f"/look?m={motor}")
            page.wait_for_selector(READY["look"])
            # what is kept is written a moment later
            while not any(motor in file.read_text() for file in tmp_path.rglob("storage-user-*.json")):
                page.wait_for_timeout(100)
            page.close()
        studio.stop()
        studio = start_studio(tmp_path, port)
        for context, motor in zip(contexts, ("maxon-re40-gp52c", "mit-mini-cheetah"), strict=True):
            page = context.new_page()
            page.set_default_timeout(PATIENCE)
            page.goto("/")
            assert f"/look?m={motor}" in page.url
        fresh = chromium.new_context(base_url=studio.address).new_page()
        fresh.goto("/")
        assert "m=" not in fresh.url
        for context in (*contexts, fresh.context):
            context.close()
    finally:
        studio.stop()


def test_foreign_origins_and_hosts_are_refused(chromium: Browser, studio: Studio):
    """By HTTP and on the socket; and a page of another site cannot load the studio into a frame."""
    socket = f"{studio.address}/_nicegui_ws/socket.io/?EIO=4&transport=polling"
    for address in (f"{studio.address}/motor", socket):
        for headers in ({"Host": "rebound.example"}, {"Origin": "http://evil.example"}):
            with pytest.raises(urllib.error.HTTPError) as refused:
                urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30)
            assert refused.value.code == 403
    page = chromium.new_context().new_page()
    page.route("http://evil.example/**", lambda route: route.fulfill(content_type="text/html", body="<p>other</p>"))
    page.goto("http://evil.example/")
    answer = page.evaluate(
        """address => new Promise(done => {
            const place = "/_nicegui_ws/socket.io/?EIO=4&transport=websocket";
            const socket = new WebSocket(address.replace("http", "ws") + place);
            socket.onopen = () => done("open");
            socket.onerror = () => done("refused");
        })""",
        studio.address,
    )
    assert answer == "refused"
    page.context.close()


def test_another_host_demands_the_token(chromium: Browser, tmp_path: Path):
    """Without the printed link nothing is shown; with it the token leaves the address."""
    studio = start_studio(tmp_path, None, "--host", "0.0.0.0")
    try:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{studio.address}/motor", timeout=30)
        assert refused.value.code == 403
        token = studio.said.split("token=")[1].split()[0]
        page = chromium.new_context().new_page()
        page.set_default_timeout(PATIENCE)
        page.goto(f"{studio.address}/look?m=mit-mini-cheetah&token={token}")
        page.wait_for_selector(READY["look"])
        assert token not in page.url
        page.context.close()
    finally:
        studio.stop()
