"""Hostile files in a browser: each gives a sentence, none is run, and the page goes on."""

from __future__ import annotations

import http.client
import io
from pathlib import Path

import numpy as np
from conftest import Studio
from playwright.sync_api import Page, expect
from swings import write_swings


class Evil:
    """Runs where it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return Path.touch, (Path("/tmp/backemf-studio-pwned"),)


def test_each_is_a_sentence(page: Page, studio: Studio, tmp_path: Path):
    """A pickle, an archive that is none, a table without end, a program, a path in a name; then a log is read."""
    made = io.BytesIO()
    np.savez(made, position=np.array([Evil(), Evil()], dtype=object), allow_pickle=True)
    hostile = {
        "evil.npz": made.getvalue(),
        "broken.npz": b"PK\3\4" + bytes(100),
        "wide.csv": b",".join(b"c%d" % k for k in range(20_000)) + b"\n1\n",
        "deep.json": b"[" * 200_000,
        "..%2f..%2fpasswd.csv": b"time [s],position [rad]\n",
    }
    page.goto("/identify?m=dynamixel-xl330-m288")
    for number, (name, content) in enumerate(hostile.items(), start=1):
        page.set_input_files("input[type=file]", {"name": name, "mimeType": "text/plain", "buffer": content})
        expect(page.locator(".sentence.error")).to_have_count(number)
    text = " ".join(page.locator(".sentence.error").all_text_contents())
    assert "Traceback" not in text and str(studio.folder) not in text and "could run code" in text
    assert not Path("/tmp/backemf-studio-pwned").exists()
    page.set_input_files("input[type=file]", {"name": "x.exe", "mimeType": "text/plain", "buffer": b"MZ"})
    for left in reversed(range(len(hostile))):
        page.get_by_role("button", name="Remove").first.click()
        expect(page.get_by_role("button", name="Remove")).to_have_count(left)
    expect(page.locator(".sentence.error")).to_have_count(0)
    page.set_input_files("input[type=file]", str(write_swings(tmp_path)[0]))
    expect(page.locator(".picture")).to_have_count(1)
    # every file lies in a folder of its session, under a name of ours
    kept = [path for path in studio.folder.rglob("*") if path.suffix in (".npz", ".csv", ".json", ".exe")]
    assert all(
        set(path.stem) <= set("0123456789abcdef") or path.stem in ("index",) or "storage" in path.stem for path in kept
    )


def test_a_rig_cannot_name_a_file_of_the_machine(page: Page, tmp_path: Path):
    """A path in a rig is no upload of the session."""
    logs = write_swings(tmp_path)
    page.goto("/identify?m=dynamixel-xl330-m288")
    page.set_input_files("input[type=file]", str(logs[0]))
    expect(page.locator(".picture")).to_have_count(1)
    rig = 'format = "backemf rig 1"\n[load]\nkind = "RobotModel"\nmodel = "/etc/passwd"\n'
    page.set_input_files("input[type=file]", {"name": "rig.toml", "mimeType": "text/plain", "buffer": rig.encode()})
    expect(page.get_by_label("model")).to_have_value("/etc/passwd")
    page.get_by_role("button", name="Find the motor").click()
    expect(page.get_by_text("which was not dropped in").first).to_be_visible()


def test_headings_are_texts(page: Page):
    """Quotes, tags and zero bytes in a heading are shown as they are, and become nothing else."""
    headings = ['x" autofocus onfocus="document.title=1', "<img src=x onerror=document.title=1>", "nul\0byte"]
    content = "time [s]," + ",".join('"' + text.replace('"', '""') + '"' for text in headings) + "\n0,1,2,3\n1,2,3,4\n"
    page.goto("/identify?m=dynamixel-xl330-m288")
    page.set_input_files("input[type=file]", {"name": "x.csv", "mimeType": "text/csv", "buffer": content.encode()})
    expect(page.locator(".sentence.error")).to_have_count(1)
    for text in headings[:2]:
        expect(page.locator(".column-map").get_by_text(text, exact=True)).to_be_visible()
        assert page.evaluate(
            "text => [...document.querySelectorAll('[aria-label]')].some(e => e.ariaLabel === 'Channel of ' + text)",
            text,
        )
    assert page.evaluate("document.querySelectorAll('main [onfocus], main img').length") == 0
    assert page.title() == "Identify · backemf studio"


def test_a_request_without_end_is_cut_off(studio: Studio):
    """By its stated length before a byte of it is read."""
    host = studio.address.removeprefix("http://")
    connection = http.client.HTTPConnection(host)
    connection.putrequest("POST", "/motor")
    connection.putheader("Content-Length", str(10**12))
    connection.endheaders()
    assert connection.getresponse().status == 413
    connection.close()
