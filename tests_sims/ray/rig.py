"""What the tests sweep: functions that note when and where they run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple, TypeVar

import numpy as np

import backemf as be

T = TypeVar("T")


def patiently(start: Callable[[], T], tries: int = 5) -> T:
    """What is started, on a busy machine at the fifth try: Ray gives each node half a minute to come up."""
    for left in reversed(range(tries)):
        try:
            return start()
        except Exception as error:  # Ray's own class says no more
            if not left or "timed out" not in str(error).lower():
                raise
    raise AssertionError("never reached")


def node_id() -> str:
    """The node of the cluster that a task runs on."""
    import ray

    return ray.get_runtime_context().get_node_id()


def slow(case: be.Case, folder: str, seconds: float) -> dict[str, object]:
    """Note that a case begins, take a while, note that it ends."""
    here = f"{case.index}-{node_id()}-{os.getpid()}-{time.monotonic_ns()}"
    (Path(folder) / f"begun-{here}").touch()
    time.sleep(seconds)
    (Path(folder) / f"ended-{here}").touch()
    return {"square": case["x"] ** 2, "luck": float(np.random.default_rng(case.seed).random())}


class Run(NamedTuple):
    """A case that was computed, or is."""

    case: int
    node: str
    process: int
    time: int


def runs(folder: Path, word: str) -> list[Run]:
    """Every run that has begun, or ended."""
    found = [path.name.split("-") for path in folder.iterdir() if path.name.startswith(word)]
    return sorted(Run(int(case), node, int(process), int(time)) for _, case, node, process, time in found)
