"""Random numbers without hidden memory: a draw is a hash of a key and a counter, the same on every engine.

The hash works on 32-bit words; its multiplier is small enough that no product passes 2⁶³.
"""

from ..values import Bits, Number
from .ops import alike, fractions, low_word, words


def scramble(x: Bits) -> Bits:
    """A word in which every bit depends on every bit of the given one."""
    x = low_word((x ^ (x >> 16)) * 0x45D9F3B)
    x = low_word((x ^ (x >> 16)) * 0x45D9F3B)
    return x ^ (x >> 16)


def mix(key: Bits, counter: Bits) -> Bits:
    """A word from a key and a counter."""
    return scramble(low_word(scramble(words(key)) + words(counter)))


def renew(key: Bits) -> Bits:
    """The key that follows after a reset."""
    # 0 would follow itself
    return alike(scramble(words(key + (key == 0))), key)


def uniform(key: Bits, counter: Bits, like: Number) -> Number:
    """A number in [0, 1) from a key and a counter, in the precision of `like`."""
    return fractions(mix(key, counter) >> 8, like)
