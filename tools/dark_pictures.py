"""Hook of the documentation: every SVG picture gets a dark twin, and the page shows the one of the reader's scheme."""

import re

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

from backemf.plot.dark import darken

PICTURE = re.compile(r"!\[(?P<alt>[^\]]*)\]\((?P<stem>[^)\s]+)\.svg\)(?P<style>\{[^}]*\})?")


def on_files(files: Files, config: MkDocsConfig, **_: object) -> Files:
    for file in list(files):
        if file.src_uri.endswith(".svg"):
            twin = file.src_uri.removesuffix(".svg") + "-dark.svg"
            files.append(File.generated(config, twin, content=darken(file.content_string)))
    return files


def on_page_markdown(markdown: str, **_: object) -> str:
    return PICTURE.sub(_both, markdown)


def _both(found: re.Match) -> str:
    alt, stem, style = found["alt"], found["stem"], found["style"] or ""
    return f"![{alt}]({stem}.svg#only-light){style}![{alt}]({stem}-dark.svg#only-dark){style}"
