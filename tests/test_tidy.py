"""Memory of closed pages: what is collected when, and how a command begins anew with the system's allocator."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import weakref

import pytest

from backemf.web import tidy
from backemf.web.tidy import ALLOCATOR, Tidy, use_system_allocator


class Ring:
    """Holds itself, as a page does."""

    def __init__(self):
        self.own = self


@pytest.fixture(autouse=True)
def undisturbed():
    """Rings go only when they are looked for."""
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


def test_a_page_that_was_open_when_all_was_frozen_is_collected_once_nobody_is_there():
    """Frozen objects are never looked at: what was among them by chance would stay for ever."""
    ring = Ring()
    gone = weakref.ref(ring)
    gc.freeze()
    del ring
    Tidy(lambda: False).tidy()
    assert gone() is not None
    Tidy(lambda: True).tidy()
    assert gone() is None
    assert gc.get_freeze_count() > 0


def test_a_closed_page_is_collected_while_others_are_open():
    """Without a look at what is frozen, so that nobody waits for it."""
    gc.freeze()
    frozen = gc.get_freeze_count()
    gone = weakref.ref(Ring())
    Tidy(lambda: False).tidy()
    assert gone() is None
    assert gc.get_freeze_count() == frozen


def test_many_pages_that_close_are_tidied_once(monkeypatch: pytest.MonkeyPatch):
    """Every page begins the rest anew, and the last one ends it."""
    done = []
    monkeypatch.setattr(Tidy, "tidy", lambda self: done.append(self))

    async def close_pages() -> None:
        made = Tidy(lambda: True, rest=0.0)
        for _ in range(50):
            made.page_closed()
        while not done:
            await asyncio.sleep(0.0)
        await asyncio.sleep(0.0)

    asyncio.run(close_pages())
    assert len(done) == 1


def test_a_command_begins_anew_with_the_systems_allocator(monkeypatch: pytest.MonkeyPatch):
    """Once: the second time it has it, and processes that it starts do not."""
    begun = []
    monkeypatch.setattr(os, "execve", lambda *words: begun.append(words))
    monkeypatch.setattr(tidy.sys, "platform", "linux")
    monkeypatch.delenv("PYTHONMALLOC", raising=False)
    monkeypatch.setattr(sys, "argv", ["pytest"])
    use_system_allocator("studio")
    assert not begun
    monkeypatch.setattr(sys, "argv", ["backemf", "studio", "--port", "9000"])
    monkeypatch.setattr(sys, "orig_argv", ["python", "-m", "backemf", "studio", "--port", "9000"])
    use_system_allocator("studio")
    (program, words, environment) = begun.pop()
    assert program == sys.executable and words[1:] == ["-m", "backemf", "studio", "--port", "9000"]
    assert ALLOCATOR.items() <= environment.items()
    for name, value in ALLOCATOR.items():
        monkeypatch.setenv(name, value)
    use_system_allocator("studio")
    assert not begun and not ALLOCATOR.keys() & os.environ.keys()
