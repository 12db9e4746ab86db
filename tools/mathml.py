"""Hook of the documentation: turn the LaTeX that arithmatex leaves in a page into MathML.

Browsers draw MathML themselves, so the pages show their equations without a script, a font or a network.
"""

import html
import re

from latex2mathml.converter import convert
from mkdocs.exceptions import PluginError

INLINE = re.compile(r'<span class="arithmatex">\\\((.*?)\\\)</span>', re.DOTALL)
BLOCK = re.compile(r'<div class="arithmatex">\s*\\\[(.*?)\\\]\s*</div>', re.DOTALL)


def mathml(latex: str, display: str, path: str) -> str:
    try:
        return convert(html.unescape(latex).strip(), display=display)
    except Exception as error:
        raise PluginError(f"{path}: the equation {latex.strip()!r} cannot be drawn: {error!r}") from error


def on_page_content(content: str, page, **_) -> str:
    path = page.file.src_path
    content = INLINE.sub(lambda found: mathml(found[1], "inline", path), content)
    return BLOCK.sub(lambda found: mathml(found[1], "block", path), content)
