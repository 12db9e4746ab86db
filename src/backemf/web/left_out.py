"""Libraries that another library would load although nobody here uses them."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def left_out(*names: str) -> Iterator[None]:
    """Within the block the named libraries seem not to be installed, unless they are loaded already.

    For optional imports alone: `try: import pandas` in a library takes half a second where pandas is installed. Use it
    before threads are started, since it holds for all of them.
    """
    absent = [name for name in names if name not in sys.modules]
    for name in absent:
        sys.modules[name] = None  # pyright: ignore[reportArgumentType]
    try:
        yield
    finally:
        for name in absent:
            del sys.modules[name]
