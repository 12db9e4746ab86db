"""Work of which only the newest order counts."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

from ..errors import BackemfError
from ..values import Foreign

T = TypeVar("T")


class Latest(Generic[T]):
    """Work in a thread of which only the newest order counts: a slider that is moved gives more than can be drawn.

    Args:
        work: What is done, with the arguments of an order.
        done: Called with what comes back.
        failed: Called with the sentence of an error.
    """

    def __init__(self, work: Callable[..., T], done: Callable[[T], None], failed: Callable[[str], None]):
        self.work, self.done, self.failed = work, done, failed
        self.next: tuple[Foreign, ...] | None = None
        self.busy = False

    async def order(self, *arguments: Foreign) -> None:
        """Do the work with these arguments, unless newer ones come before its turn."""
        self.next = arguments
        if self.busy:
            return
        self.busy = True
        try:
            while self.next is not None:
                arguments, self.next = self.next, None
                try:
                    self.done(await asyncio.to_thread(self.work, *arguments))
                except BackemfError as error:
                    self.failed(str(error))
                # let the answer leave before the next one is begun
                await asyncio.sleep(0)
        finally:
            self.busy = False
