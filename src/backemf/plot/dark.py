"""Pictures on a dark ground: the same SVG with other colours."""

from __future__ import annotations

import re

DARK = {
    "#ffffff": "#1e2129",
    "#000000": "#e4e6ea",
    "#222222": "#e4e6ea",
    "#7a7a7a": "#9aa0a8",
    "#d9d9d9": "#434852",
    "#0072b2": "#4ba9e2",
    "#009e73": "#2fc79a",
    "#d55e00": "#f5843a",
}
"""Colours of `style` on white, and what stands for each on a dark ground; others are the same on both."""

_COLOUR = re.compile(r"#[0-9a-fA-F]{6}\b")


def darken(svg: str) -> str:
    """The picture on a dark ground."""
    return _COLOUR.sub(lambda found: DARK.get(found[0].lower(), found[0]), svg)


def follow_scheme(svg: str) -> str:
    """The picture on a light or a dark ground, as the reader's system prefers."""
    names = {colour: f"var(--c{colour[1:]})" for colour in DARK}
    named = _COLOUR.sub(lambda found: names.get(found[0].lower(), found[0].lower()), svg)
    light = "".join(f"--c{colour[1:]}:{colour};" for colour in DARK)
    dark = "".join(f"--c{colour[1:]}:{other};" for colour, other in DARK.items())
    style = f"<style>:root{{{light}}}@media (prefers-color-scheme: dark){{:root{{{dark}}}}}</style>"
    return re.sub(r"(<svg\b[^>]*>)", lambda found: found[1] + style, named, count=1)
