"""backemf studio"""

from __future__ import annotations

from typing import Annotated

import typer

from ..cli.app import app, option
from ..web.tidy import use_system_allocator
from .app import serve_studio


@app.command(
    epilog="""\b
Examples:
  backemf studio
  backemf studio --port 9000 --no-browser
  backemf studio --host 0.0.0.0      for a class: prints a link with a token
"""
)
def studio(
    port: Annotated[int, option("PORT", "Port to listen on.")] = 8337,
    host: Annotated[str, option("ADDRESS", "Address to listen on; any but 127.0.0.1 demands a token.")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Whether to open a browser.")] = True,
) -> None:
    """Open the studio in a browser: pick a motor, look at it, try it, and take it to a simulator.

    It listens on this machine alone. With another --host the printed link holds a token, and nothing is shown
    without it.
    """
    use_system_allocator("studio")
    serve_studio(host, port, browser)
