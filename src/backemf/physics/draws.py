"""Random numbers without hidden memory: a draw is a hash of a key and a counter, the same on every engine.

The hash works on 32-bit words; its multiplier is small enough that no product passes 2⁶³.
"""

from typing import Any

from .ops import fractions, words

MASK = 0xFFFFFFFF
"""All 32 bits of a word."""


def scrambled(x: Any) -> Any:
    """A word in which every bit depends on every bit of the given one."""
    x = ((x ^ (x >> 16)) * 0x45D9F3B) & MASK
    x = ((x ^ (x >> 16)) * 0x45D9F3B) & MASK
    return x ^ (x >> 16)


def mixed(key: Any, counter: Any) -> Any:
    """A word from a key and a counter."""
    return scrambled((scrambled(words(key)) + words(counter)) & MASK)


def uniform(key: Any, counter: Any, like: Any) -> Any:
    """A number in [0, 1) from a key and a counter, in the precision of `like`."""
    return fractions(mixed(key, counter) >> 8, like)
