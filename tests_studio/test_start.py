"""What the studio loads until its first picture: only what that page needs."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Page

PROGRAM = """
import json, os, sys, threading, time, urllib.request
from backemf.studio.app import serve_studio

def loaded():
    return sorted({name.partition(".")[0] for name in sys.modules}), sorted(m for m in sys.modules if "backemf" in m)

def ask():
    while True:
        try:
            urllib.request.urlopen("http://127.0.0.1:PORT/look?m=maxon-re40-gp52c").read()
            break
        except OSError:
            time.sleep(0.01)
    tops, ours = loaded()
    print("\\n" + json.dumps({"tops": tops, "ours": ours}), flush=True)
    os._exit(0)

threading.Thread(target=ask).start()
serve_studio(port=PORT, browser=False)
"""
HEAVY = {"jax", "jaxlib", "scipy", "matplotlib", "llvmlite", "torch", "warp", "mujoco", "pyarrow", "ray", "aiohttp",
         "pandas", "plotly", "polars", "IPython"}  # fmt: skip
"""Libraries that take longer to load than the page takes to build."""
LATER = ("identify", "size", "sweep", "transfer", "simulate")
"""Rooms that other pages use."""


def test_the_first_picture_waits_for_nothing_else(tmp_path: Path):
    """When Look was served, no heavy library and no other page is loaded."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    environment = {name: value for name, value in os.environ.items() if "PYTEST" not in name and "NICEGUI" not in name}
    environment["XDG_STATE_HOME"] = str(tmp_path)
    words = [sys.executable, "-c", PROGRAM.replace("PORT", str(port))]
    said = subprocess.run(words, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    found = json.loads(said.splitlines()[-1])
    assert HEAVY.isdisjoint(found["tops"])
    pages = {name for name in found["ours"] if name.endswith("_page")}
    assert pages == {"backemf.studio.look_page"}
    assert not [name for name in found["ours"] if name.startswith(tuple(f"backemf.{room}" for room in LATER))]


def test_the_browser_loads_plotly_early(page: Page):
    """Look asks for it in its head, by the address under which it is then used; a page without a picture does not."""
    early = """[...document.querySelectorAll("link[rel=modulepreload]")].map(link => link.href)
        .filter(address => address.includes("/esm/"))"""
    page.goto("/look")
    page.wait_for_selector(".js-plotly-plot .scatterlayer .trace")
    (address,) = page.evaluate(early)
    loaded = page.evaluate("performance.getEntriesByType('resource').map(entry => entry.name)")
    assert loaded.count(address) == 1 and page.evaluate("import('nicegui-plotly').then(it => 'Plotly' in it)")
    page.goto("/motor")
    page.wait_for_selector("main")
    assert page.evaluate(early) == []
