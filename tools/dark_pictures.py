"""Hook of the documentation: the page shows the picture of the reader's scheme.

Every SVG picture gets a dark twin; a PNG has one beside it.
"""

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from backemf.plot.dark import darken

PICTURE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<stem>[^)\s]+)\.(?P<kind>svg|png)\)(?P<style>\{[^}]*\})?")


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    for file in list(files):
        if file.src_uri.endswith(".svg"):
            twin = file.src_uri.removesuffix(".svg") + "-dark.svg"
            files.append(File.generated(config, twin, content=darken(file.content_string)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    return PICTURE.sub(_both, markdown)


def _both(found: re.Match) -> str:
    alt, stem, kind, style = found["alt"], found["stem"], found["kind"], found["style"] or ""
    return f"![{alt}]({stem}.{kind}#only-light){style}![{alt}]({stem}-dark.{kind}#only-dark){style}"
