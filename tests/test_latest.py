"""Work of which only the newest order counts."""

import asyncio
import threading

from backemf.errors import ParameterError
from backemf.work.latest import Latest


def test_orders_that_came_too_late_are_left_out():
    """While 1 is computed, 2 and 3 come: 3 is computed next, and 2 never is."""
    free, begun, done = threading.Event(), threading.Event(), []

    def double(number: int) -> int:
        begun.set()
        free.wait()
        return 2 * number

    async def orders() -> None:
        work = Latest(double, done.append, lambda words: None)
        first = asyncio.create_task(work.order(1))
        await asyncio.to_thread(begun.wait)
        await work.order(2)
        await work.order(3)
        free.set()
        await first

    asyncio.run(orders())
    assert done == [2, 6]


def test_a_fault_is_said_and_the_next_order_is_done():
    said, done = [], []

    def root(number: float) -> float:
        if number < 0.0:
            raise ParameterError("number is negative: give a positive one")
        return number**0.5

    async def orders() -> None:
        work = Latest(root, done.append, said.append)
        await work.order(-1.0)
        await work.order(4.0)

    asyncio.run(orders())
    assert (said, done) == (["number is negative: give a positive one"], [2.0])
