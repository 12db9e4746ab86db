"""The state of a page as the query of its address: texts by short names, so that a link brings everything back."""

from __future__ import annotations

import base64
import binascii
import math
import zlib
from collections.abc import Mapping
from urllib.parse import parse_qsl, urlencode

from ..errors import ParameterError

LONGEST = 40_000
"""Longest text that an address holds, before it is packed [characters]."""
MARK = "~"
"""What a packed text begins with; no id of the catalogue does."""


def to_query(state: Mapping[str, str | None]) -> str:
    """The query of an address, without its question mark; what is empty is left out."""
    return urlencode({name: value for name, value in sorted(state.items()) if value}, safe=",~:/@*")


def from_query(query: str) -> dict[str, str]:
    """The state that a query holds; of a name that is there twice the last one counts."""
    return dict(parse_qsl(query.removeprefix("?"), max_num_fields=200))


def number_of(state: Mapping[str, str], name: str) -> float | None:
    """A number of the state; None where there is none."""
    text = state.get(name)
    if not text:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(f"{name}={text[:40]}: must be a number: correct it in the address, or leave it out")
    return value


def pack(text: str) -> str:
    """A text, such as that of a motor file, short enough for an address."""
    if len(text) > LONGEST:
        raise ParameterError(
            f"the text has {len(text)} characters, more than the {LONGEST} that an address holds: shorten its notes"
        )
    return MARK + base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def unpack(packed: str) -> str:
    """The text that `pack` made the address of."""
    content = packed.removeprefix(MARK)
    try:
        stream = zlib.decompressobj()
        raw = base64.urlsafe_b64decode(content + "=" * (-len(content) % 4))
        # an address of a few bytes could hold gigabytes
        text = stream.decompress(raw, 4 * LONGEST)
        if stream.unconsumed_tail or not stream.eof:
            raise ValueError
        return text.decode()
    except (ValueError, binascii.Error, zlib.error):
        raise ParameterError("the address holds a text that is cut off or damaged: ask for the link again") from None
