"""What a fit has found so far, in a file: a fit that was stopped goes on from there."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from ..errors import ParameterError
from ..files import read_text, write_text
from ..values import Foreign

FORMAT = "backemf fit in progress 1"
"""First line of the file."""
Arrays = dict[str, np.ndarray]
"""What a step of a fit leaves behind."""


class Memory:
    """Steps of a fit that are done, kept in a file after each of them.

    The file holds for one fit only: other logs, another prior or another seed begin anew.
    """

    def __init__(self, path: str | Path | None, about: Sequence[str]):
        self.path = None if path is None else Path(path)
        self.key = hashlib.sha256("\n".join(about).encode("utf-8")).hexdigest()
        self._steps: dict[str, dict[str, Foreign]] = {}
        if self.path is not None and self.path.exists():
            self._steps = self._read(self.path)

    def step(self, name: str, find: Callable[[], Arrays]) -> Arrays:
        """What a step has found: as it was kept, or found now and kept."""
        if name in self._steps:
            return {key: np.array(value) for key, value in self._steps[name].items()}
        found = find()
        if self.path is not None:
            self._steps[name] = {key: np.asarray(value).tolist() for key, value in found.items()}
            write_text(self.path, json.dumps({"format": FORMAT, "key": self.key, "steps": self._steps}))
        return found

    def end(self) -> None:
        """Forget the file: the fit is done."""
        if self.path is not None:
            self.path.unlink(missing_ok=True)

    def _read(self, path: Path) -> dict[str, dict[str, Foreign]]:
        try:
            content = json.loads(read_text(path, what="a fit in progress"))
            known, steps = content["format"] == FORMAT, content["steps"]
            if known and isinstance(steps, dict) and all(isinstance(step, dict) for step in steps.values()):
                return steps if content["key"] == self.key else {}
        except (ValueError, KeyError, TypeError, RecursionError):
            pass
        raise ParameterError(f"{path}: is not a fit in progress; remove it, or give another file")
