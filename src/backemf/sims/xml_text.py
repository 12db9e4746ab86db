"""XML that somebody else wrote, parsed within bounds and written again with its comments."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

from ..errors import ParameterError
from ..files import read_text

LARGEST = 16_000_000
"""Longest file that is read [bytes]."""
MOST_TAGS = 400_000
"""Most opening and closing tags of a file [1]."""
MOST_ATTRIBUTES = 1000
"""Most attributes of an element [1]."""
DEPTH = 500
"""Deepest nesting of elements, the same as MuJoCo's [1]."""
_ROOT = re.compile(r"<(?![?!])")
"""The first tag of a document."""


def parse_xml(text: str, where: str, language: str, comments: bool = False) -> ElementTree.Element:
    """The root of a text; no entity is expanded, and nothing is fetched. `comments`: whether they are kept."""
    if "<!DOCTYPE" in text or "<!ENTITY" in text:
        raise ParameterError(f"{where}: declares a DOCTYPE or an entity, which {language} does not have")
    if len(text) > LARGEST or text.count("<") > MOST_TAGS:
        raise ParameterError(
            f"{where}: has more than {LARGEST:,} characters or {MOST_TAGS:,} tags; give the robot alone"
        )
    builder = ElementTree.TreeBuilder(insert_comments=comments)
    try:
        root = ElementTree.fromstring(text, ElementTree.XMLParser(target=builder))
    except (ElementTree.ParseError, ValueError) as error:
        raise ParameterError(f"{where}: is not well-formed XML: {error}") from None
    if any(len(element.attrib) > MOST_ATTRIBUTES for element in root.iter()):
        raise ParameterError(
            f"{where}: an element has more than {MOST_ATTRIBUTES} attributes; none of {language} has so many"
        )
    level, depth = [root], 0
    while level:
        level, depth = [child for element in level for child in element], depth + 1
        if depth > DEPTH:
            raise ParameterError(f"{where}: elements are nested too deeply; MuJoCo reads {DEPTH} levels")
    return root


def xml_text(root: ElementTree.Element, before: str = "") -> str:
    """The text of a document, with what stood before its root in an earlier text: declaration and comments."""
    start = _before_root(before)
    return f"{start}{ElementTree.tostring(root, encoding='unicode')}".rstrip() + "\n"


def _before_root(text: str) -> str:
    """What stands before the root, comments included."""
    at = 0
    while True:
        found = _ROOT.search(text, at)
        comment = text.find("<!--", at)
        if found is None:
            return ""
        if comment < 0 or comment > found.start():
            return text[: found.start()]
        at = text.find("-->", comment) + 3
        if at < 3:
            return ""


def root_tag(path: Path) -> str:
    """The tag of the root of a file, as far as its beginning shows it."""
    text = read_text(path, LARGEST, what="an XML file")
    found = re.match(r"<([\w:]+)", text[len(_before_root(text)) :])
    return "" if found is None else found[1]
