"""Pictures of the documentation are shown on a light and on a dark ground, and equations with a font of the site."""

import importlib.util
import re
from pathlib import Path

import pytest

from backemf.plot.dark import DARK, darken, follow_scheme

ROOT = Path(__file__).resolve().parent.parent
PICTURES = sorted([*(ROOT / "docs" / "images").glob("*.svg"), *(ROOT / "docs" / "examples").glob("*.svg")])
SVG = '<svg width="9"><path style="stroke: #222222; fill: #E69F00"/><path style="fill: #ffffff"/></svg>'


def tool(name: str):
    """A hook of the documentation."""
    pytest.importorskip("mkdocs")
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_ink_becomes_light_and_the_ground_dark():
    """Colours that read on both stay."""
    dark = darken(SVG)
    assert DARK["#222222"] in dark and DARK["#ffffff"] in dark and "#E69F00" in dark
    assert "#222222" not in dark and "#ffffff" not in dark


def test_a_picture_can_follow_the_reader():
    text = follow_scheme(SVG)
    assert "stroke: var(--c222222)" in text and "prefers-color-scheme: dark" in text
    assert text.index("<style>") < text.index("<path")


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_every_letter_of_a_picture_has_a_colour(path):
    """A letter without one is black, also on a dark ground."""
    text = path.read_text(encoding="utf-8")
    letters = re.findall(r'<g id="text_\d+">\s*(?:<!--.*?-->\s*)?(<g[^>]*>)', text, re.DOTALL)
    assert letters
    for group in letters:
        assert re.search(r"fill: #(?!000000)", group), group


def test_no_page_shows_a_picture_without_a_dark_form():
    """That of a PNG file, such as a screenshot, lies beside it."""
    for page in (ROOT / "docs").rglob("*.md"):
        for path in re.findall(r"!\[[^\]]*\]\(([^)]*\.(?:png|jpg))", page.read_text(encoding="utf-8")):
            assert path.endswith(".png") and (page.parent / f"{path.removesuffix('.png')}-dark.png").is_file(), (
                page,
                path,
            )


def test_the_page_shows_the_picture_of_the_scheme():
    shown = tool("dark_pictures").on_page_markdown("![A motor](../images/a.svg){ width=340 }")
    assert shown == (
        "![A motor](../images/a.svg#only-light){ width=340 }![A motor](../images/a-dark.svg#only-dark){ width=340 }"
    )


def test_equations_that_stand_side_by_side_may_stand_below_each_other():
    """A narrow screen breaks between them."""
    text = tool("mathml").mathml(r"a = b \qquad c = d", "block", "page")
    assert text.count("<math") == 2
    assert tool("mathml").mathml(r"a_{max}", "inline", "page").count("<mtext>max</mtext>") == 1


def test_the_font_of_equations_is_part_of_the_site():
    """With a MATH table, accents included."""
    ttlib = pytest.importorskip("fontTools.ttLib")
    font = ttlib.TTFont(ROOT / "docs" / "assets" / "math.woff")
    assert "MATH" in font
    assert {ord("˙"), ord("¨"), ord("¯"), ord("∑"), ord("𝑞"), ord("𝜔")} <= set(font.getBestCmap())
    assert "math.woff" in (ROOT / "docs" / "assets" / "site.css").read_text(encoding="utf-8")
