"""Checks of numbers that are on a GPU: they are looked at when they have come over, and nobody waits for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

Check = Callable[[list[float]], None]
"""Raises ParameterError where numbers are wrong."""


class LateChecks:
    """Looks at numbers at once on a CPU; on a GPU at the first `look` after the copy to the host is done."""

    def __init__(self) -> None:
        self._pending: list[tuple[torch.cuda.Event, torch.Tensor, Check]] = []

    def add(self, values: torch.Tensor, check: Check) -> None:
        """Check a few numbers; what is wrong is raised here, or at a later `look`."""
        import torch

        if values.device.type != "cuda":
            check(values.tolist())
            return
        copy = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
        copy.copy_(values, non_blocking=True)
        event = torch.cuda.Event()
        event.record()
        self._pending.append((event, copy, check))

    def look(self) -> None:
        """Check what has come over."""
        while self._pending and self._pending[0][0].query():
            _, copy, check = self._pending.pop(0)
            check(copy.tolist())
