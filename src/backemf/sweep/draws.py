"""Random numbers and permutations of any length, of which every element is found from its index alone.

A sweep of 1e9 cases keeps no list of them: a worker that has the number of a case has its values.
"""

from __future__ import annotations

import hashlib

import numpy as np

ROUNDS = 8
"""Rounds of the permutation [1]."""
_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))


def stream_words(seed: int, name: str, count: int) -> np.ndarray:
    """Whole numbers of 64 bits that belong to a seed and a name."""
    text = f"{seed} {name}"
    digests = [hashlib.sha256(f"{k} {text}".encode()).digest() for k in range(-(-count // 4))]
    return np.frombuffer(b"".join(digests), dtype="<u8")[:count].astype(np.uint64)


def even_numbers(seed: int, name: str, first: int, count: int) -> np.ndarray:
    """Elements `first` to `first + count` of a stream of numbers spread evenly over [0, 1)."""
    # Philox counts in blocks of four numbers, and begins at any of them
    block = first // 4
    bits = np.random.Philox(key=stream_words(seed, name, 2), counter=block)
    raw = bits.random_raw(count + 4)[first - 4 * block :][:count]
    return (raw >> np.uint64(11)) * 2.0**-53


def permute(index: np.ndarray, block: np.ndarray, count: int, seed: int, name: str) -> np.ndarray:
    """Place of each index in a random order of 0 to `count` - 1; each block has an order of its own.

    A Feistel network permutes all numbers of an even count of bits; what falls outside is permuted again, until it is
    inside, so that no two indices meet.
    """
    half = max(1, (int(count - 1).bit_length() + 1) // 2)
    keys = stream_words(seed, f"order of {name}", ROUNDS)
    place, own = index.astype(np.uint64), block.astype(np.uint64) * _SPREAD
    outside = np.ones(len(place), dtype=bool)
    while outside.any():
        place[outside] = _feistel(place[outside], own[outside], np.uint64(half), keys)
        outside = place >= np.uint64(count)
    return place.astype(np.int64)


def _feistel(place: np.ndarray, own: np.ndarray, half: np.uint64, keys: np.ndarray) -> np.ndarray:
    mask = (np.uint64(1) << half) - np.uint64(1)
    left, right = place >> half, place & mask
    for key in keys:
        left, right = right, left ^ (_mix(right + (own ^ key)) & mask)
    return (left << half) | right


def _mix(x: np.ndarray) -> np.ndarray:
    """Bits that each depend on all bits of a number."""
    x = (x ^ (x >> np.uint64(30))) * _MIX[0]
    x = (x ^ (x >> np.uint64(27))) * _MIX[1]
    return x ^ (x >> np.uint64(31))
