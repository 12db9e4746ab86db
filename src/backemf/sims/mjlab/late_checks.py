"""Checks of numbers that are on a GPU: they are looked at when they have come over, and nobody waits for them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

EVERY = 32
"""Physics steps from one look at the numbers to the next, while they change."""


class LateChecks:
    """Looks at a few numbers that follow from what may change.

    Args:
        read: The numbers, as a tensor on the device.
        require: Raises ParameterError where they are wrong; it is given the numbers and what has changed.
    """

    def __init__(self, read: Callable[[], torch.Tensor], require: Callable[[list[float], set[str]], None]):
        self._read, self._require = read, require
        self._changed: set[str] = set()
        self._since = EVERY
        self._coming: tuple[torch.cuda.Event, torch.Tensor, set[str]] | None = None

    def add(self, what: str) -> None:
        """Something has changed."""
        self._changed.add(what)

    def look(self) -> None:
        """Check what has come over, and ask for what has changed; called once a physics step."""
        self._since += 1
        if self._coming is not None and self._coming[0].query():
            (_, copy, changed), self._coming = self._coming, None
            self._require(copy.tolist(), changed)
        if self._changed and self._coming is None and self._since >= EVERY:
            self._since = 0
            self._ask()

    def _ask(self) -> None:
        """Copy the numbers to the host, without waiting for them."""
        import torch

        values, (changed, self._changed) = self._read(), (self._changed, set())
        copy = torch.empty(values.shape, dtype=values.dtype, pin_memory=True)
        copy.copy_(values, non_blocking=True)
        event = torch.cuda.Event()
        event.record()
        self._coming = event, copy, changed
