"""Hook of the documentation: turn the LaTeX that arithmatex leaves in a page into MathML.

Browsers draw MathML themselves, so the pages show their equations without a script or a network; the font is part of
the site.
"""

import html
import re

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError
from mkdocs.structure.pages import Page

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)
APART = re.compile(r"\\qquad|(?=\\quad\\Rightarrow)")
"""Between equations that stand beside each other, or below each other on a narrow screen."""
WORD = re.compile(r"_\{([a-zA-Z]{2,})\}")


def mathml(latex: str, display: str, path: str) -> str:
    try:
        # a word is set upright, and not as a product of letters
        upright = WORD.sub(r"_{\\text{\1}}", html.unescape(latex).strip())
        parts = APART.split(upright) if display == "block" else [upright]
        return "".join(convert(part, display=display) for part in parts)
    except Exception as error:
        raise PluginError(f"{path}: the equation {latex.strip()!r} cannot be drawn: {error!r}") from error


def on_page_content(content: str, page: Page, **_: object) -> str:
    path = page.file.src_path
    content = INLINE.sub(lambda found: mathml(found[1], "inline", path), content)
    return BLOCK.sub(lambda found: f'<div class="equations">{mathml(found[1], "block", path)}</div>', content)
