"""Which rows of a log are trained on, and the windows and sequences they are cut into.

Rows are held out in blocks: windows of shuffled rows would show a network its own answers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..errors import ParameterError
from .logs import Stretch
from .training import Data

VALIDATION = 0.15
"""Share of the training rows that decides when training stops [1]."""
BLOCKS = 20
"""Pieces that a log of few episodes is cut into, to be held out or not."""
EPISODES = 5
"""With this many episodes or more, whole episodes are held out."""
FEWEST = 200
"""Fewest rows to learn from."""
LENGTH, WARM = 80, 20
"""Steps of a sequence that a recurrent network is trained on, and the first of them, which do not count: its state
has yet to settle."""


def shares(stretches: list[Stretch], held_out: float, depth: int, rng: np.random.Generator) -> list[list[Stretch]]:
    """Blocks for training, for validation and to be held out."""
    total = sum(len(stretch) for stretch in stretches)
    blocks = stretches
    if len(stretches) < EPISODES:
        size = max(total // BLOCKS, 2 * depth)
        blocks = [stretch.part(first, first + size) for stretch in stretches for first in range(0, len(stretch), size)]
    blocks = [block for block in blocks if len(block) > depth]
    usable = sum(len(block) - depth + 1 for block in blocks)
    if usable < FEWEST or len(blocks) < 3:
        raise ParameterError(
            f"log: {total} rows leave {usable} with a whole history in {len(blocks)} blocks; at least {FEWEST} rows "
            "in 3 blocks are needed"
        )
    order = rng.permutation(len(blocks))
    held = first_blocks(blocks, order, held_out * total)
    order = order[len(held) :]
    left = sum(len(blocks[i]) for i in order)
    checked = first_blocks(blocks, order, VALIDATION * left)
    trained = [blocks[i] for i in order[len(checked) :]]
    if not trained:
        raise ParameterError(f"held_out = {held_out:g} leaves no rows to train on; lower it or give a longer log")
    return [trained, checked, held]


def first_blocks(blocks: list[Stretch], order: np.ndarray, rows: float) -> list[Stretch]:
    """The first blocks of an order that hold so many rows, at least one."""
    chosen: list[Stretch] = []
    for index in order:
        if chosen and sum(len(block) for block in chosen) + 0.5 * len(blocks[index]) > rows:
            break
        chosen.append(blocks[index])
    return chosen


def cut_windows(blocks: list[Stretch], scales: Sequence[float], history: int, stride: int) -> Data:
    """Inputs newest first, torque and weight of every row with a whole history in its block, all scaled."""
    depth = (history - 1) * stride + 1
    inputs, outputs = [], []
    for block in blocks:
        rows = len(block) - depth + 1
        ages = [depth - 1 - age * stride for age in range(history)]
        columns = [block.error[age : age + rows] / scales[0] for age in ages]
        columns += [block.velocity[age : age + rows] / scales[1] for age in ages]
        inputs.append(np.stack(columns, axis=1))
        outputs.append(block.torque[depth - 1 :] / scales[2])
    x, y = np.concatenate(inputs), np.concatenate(outputs)
    return x, y, np.ones_like(y)


def cut_sequences(blocks: list[Stretch], scales: Sequence[float]) -> Data:
    """Sequences of equal length that overlap by the steps that do not count; missing rows have no weight."""
    inputs, outputs, weights = [], [], []
    for block in blocks:
        values = np.stack([block.error / scales[0], block.velocity / scales[1], block.torque / scales[2]], axis=1)
        for first in range(0, len(block) - WARM, LENGTH - WARM):
            piece = values[first : first + LENGTH]
            row = np.zeros((LENGTH, 3))
            row[: len(piece)] = piece
            weight = np.zeros(LENGTH)
            weight[WARM : len(piece)] = 1.0
            inputs.append(row[:, :2])
            outputs.append(row[:, 2])
            weights.append(weight)
    return np.stack(inputs), np.stack(outputs), np.stack(weights)


def root_mean_square(columns: list[np.ndarray]) -> float:
    """Root of the mean square of all values."""
    return float(np.sqrt(np.mean(np.concatenate(columns) ** 2)))
