"""Memory for channels that a loop writes side by side, each from its first step to its last.

Channels that begin at the same place of a page share a set of the processor's cache, which has room for eight of
them: with more, a line goes to memory before it is full. So each begins one line further in its page than the last.
"""

from __future__ import annotations

import math

import numpy as np

LINE = 8
"""Numbers in a line of the cache [1]."""
PAGE = 512
"""Numbers in a page [1]."""


def channel_memory(channels: int, shape: tuple[int, ...]) -> tuple[list[np.ndarray], int]:
    """An array of a shape for each channel, and how many numbers lie between the beginnings of two of them."""
    size = math.prod(shape)
    apart = _whole(size, PAGE) + LINE if size >= PAGE else _whole(size, LINE)
    memory = np.empty(channels * apart + LINE)
    first = -(memory.ctypes.data // memory.itemsize) % LINE
    starts = (first + k * apart for k in range(channels))
    return [memory[start : start + size].reshape(shape) for start in starts], apart


def _whole(size: int, unit: int) -> int:
    """A size made up of whole units."""
    return -(-size // unit) * unit
