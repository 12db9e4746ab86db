"""Motions that may be commanded for a log: pieces such as chirps, triangles and releases, alone or one after another.

Every piece begins and ends at a command of 0. Its largest command is a share of what the limits leave, and its
frequency is such that its speed is a share of the drive's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from ..units import format_quantity

CHIRP_START = 0.1
"""First frequency of a chirp over its last [1]."""
CHIRP_MEAN = 0.5 * (1.0 + CHIRP_START)
"""Mean frequency of a chirp over its last [1]."""
LIFT = ((0.0, 0.1, 0.25, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0), (0.0, 1.0, 1.0, 0.4, 0.4, -1.0, -1.0, 0.0, 0.0))
"""Shares of the time, and of the largest command: up, hold, lower, hold, down, hold, back."""
LEVELS = 4
"""Steps of a staircase to its top [1]."""
RELEASE = 2.5
"""About how long one release takes, from lifting to rest [s]."""


@dataclass(frozen=True)
class Piece:
    """One kind of motion, as a share of a larger one."""

    kind: str
    """Its shape, one of `SHAPES`."""
    amplitude: float
    """Largest command, in the unit of the controller's input."""
    frequency: float = 0.0
    """Fastest cycles, or steps, per second; 0: the shape has its own times [Hz]."""
    seed: int = 0
    """Random seed of the levels of steps."""

    def sample(self, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Command and enable at times since its start [s]; it lasts some seconds."""
        command, enable = SHAPES[self.kind](self, time, seconds)
        return self.amplitude * command, enable

    def count(self, seconds: float) -> int:
        """Whole cycles within some seconds; of steps, the levels; of releases, how many [1]."""
        if self.kind == "chirp":
            return max(1, round(CHIRP_MEAN * self.frequency * seconds))
        if self.kind == "triangle":
            return max(1, round(self.frequency * seconds))
        if self.kind == "steps":
            return max(3, round(2.0 * self.frequency * seconds) + 1)
        return max(1, round(seconds / RELEASE))

    def words(self, unit: str, seconds: float) -> str:
        """What it is within some seconds, such as `chirp of ±60 deg up to 2 Hz`; the amplitude is in an SI unit."""
        count = self.count(seconds)
        more = {
            "chirp": f" up to {count / (CHIRP_MEAN * seconds):.2g} Hz",
            "triangle": f" at {count / seconds:.2g} Hz",
            "steps": f", {seconds / count:.2g} s each",
            "release": f", {count} times" if count > 1 else "",
        }
        return f"{self.kind} of ±{format_quantity(self.amplitude, unit, 3)}{more.get(self.kind, '')}"


@dataclass(frozen=True)
class Motion:
    """Pieces one after another, each of the same duration."""

    pieces: tuple[Piece, ...]
    """The pieces."""

    @property
    def kinds(self) -> str:
        """Their kinds in words, such as `chirp, then release`."""
        return ", then ".join(piece.kind for piece in self.pieces)

    def words(self, unit: str, seconds: float) -> str:
        """What it is within some seconds, with amplitudes in an SI unit."""
        return ", then ".join(piece.words(unit, seconds / len(self.pieces)) for piece in self.pieces)

    def scaled(self, factor: float) -> Motion:
        """The same motion with smaller or larger commands."""
        return Motion(tuple(replace(piece, amplitude=factor * piece.amplitude) for piece in self.pieces))

    def sample(self, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
        """Command and enable at times since the start, rising [s]; the whole lasts some seconds."""
        each = seconds / len(self.pieces)
        place = np.minimum((time / each + 1e-9).astype(int), len(self.pieces) - 1)
        command, enable = np.zeros(len(time)), np.ones(len(time))
        for k, piece in enumerate(self.pieces):
            rows = place == k
            command[rows], enable[rows] = piece.sample(time[rows] - k * each, each)
        return command, enable


def single_motions(amplitude: float, speed: float, fastest: float, seed: int) -> list[Motion]:
    """Motions of one piece: every kind with a large and a small amplitude, and those with cycles at two frequencies.

    Args:
        amplitude: Largest command.
        speed: Largest rate of the command, over which nothing follows it; [1/s] of the command's unit.
        fastest: Highest frequency [Hz].
        seed: Random seed of the levels of steps.
    """
    made = []
    for kind, shares in SHARES.items():
        for size in (1.0, 0.4):
            # a sine of this amplitude and frequency has this speed
            fast = speed / (2.0 * np.pi * size * amplitude)
            made += [Motion((Piece(kind, size * amplitude, min(share * fast, fastest), seed),)) for share in shares]
    return made


def joined_motions(singles: Sequence[Motion]) -> list[Motion]:
    """Each two and each three of some motions of one piece, in their order."""
    return [Motion(tuple(m.pieces[0] for m in some)) for count in (2, 3) for some in combinations(singles, count)]


# --- shapes, between -1 and 1


Shape = Callable[[Piece, np.ndarray, float], tuple[np.ndarray, np.ndarray]]
"""Command over its largest, and enable, of a piece at some times [s], which lasts some seconds."""


def _chirp(piece: Piece, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """A sine whose frequency rises evenly, in whole cycles."""
    share = time / seconds
    rising = (CHIRP_START * share + 0.5 * (1.0 - CHIRP_START) * share**2) / CHIRP_MEAN
    return np.sin(2.0 * np.pi * piece.count(seconds) * rising), np.ones(len(time))


def _triangle(piece: Piece, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Back and forth at one speed, in whole cycles."""
    cycles = piece.count(seconds) * time / seconds
    return 2.0 / np.pi * np.arcsin(np.sin(2.0 * np.pi * cycles)), np.ones(len(time))


def _steps(piece: Piece, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Jumps between random levels of either sign, of which the first is the largest; the last is 0."""
    count = piece.count(seconds)
    sizes = np.random.default_rng(piece.seed).uniform(0.3, 1.0, count)
    levels = sizes * np.where(np.arange(count) % 2, -1.0, 1.0)
    levels[0], levels[-1] = 1.0, 0.0
    return levels[np.minimum((time * count / seconds).astype(int), count - 1)], np.ones(len(time))


def _lift(piece: Piece, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Slowly up, hold, lower, hold, and to the other side."""
    return np.interp(time / seconds, *LIFT), np.ones(len(time))


def _release(piece: Piece, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Lift, switch off, let it come to rest, switch on at 0; from either side in turn."""
    count = piece.count(seconds)
    share = time / seconds * count
    side = np.where(np.minimum(share.astype(int), count - 1) % 2, -1.0, 1.0)
    within = share - np.minimum(share.astype(int), count - 1)
    lifted = np.interp(within, (0.0, 0.3, 0.4), (0.0, 1.0, 1.0))
    return np.where(within < 0.4, side * lifted, 0.0), np.where((within >= 0.4) & (within < 0.9), 0.0, 1.0)


def _staircase(piece: Piece, time: np.ndarray, seconds: float) -> tuple[np.ndarray, np.ndarray]:
    """Up and down in equal steps, each held, to both sides."""
    up = np.arange(1, LEVELS + 1) / LEVELS
    levels = np.concatenate([up, up[-2::-1], [0.0], -up, -up[-2::-1], [0.0]])
    return levels[np.minimum((time * len(levels) / seconds).astype(int), len(levels) - 1)], np.ones(len(time))


SHAPES: dict[str, Shape] = {
    "chirp": _chirp,
    "triangle": _triangle,
    "steps": _steps,
    "lift and hold": _lift,
    "release": _release,
    "staircase": _staircase,
}
"""Every kind of piece."""
SHARES = {
    "chirp": (0.3, 1.0), "triangle": (0.1, 0.4), "steps": (0.15, 0.5),
    "lift and hold": (0.0,), "release": (0.0,), "staircase": (0.0,),
}  # fmt: skip
"""Frequencies that are tried of each kind, over that of a sine with the drive's speed [1]."""
