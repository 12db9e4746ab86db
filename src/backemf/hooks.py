"""Methods whose work is done further down: `motor.compile()`, `run.plot()`, what a notebook shows of a motor.

A room imports only from the rooms above it. A method that needs a room below calls a hook by its name; the front door,
`backemf/__init__.py`, says where each hook is found, and loads it at the first call.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Hook = Callable[..., Any]
"""What is called by its name: the method that calls it says what goes in and comes out."""
_finders: list[Callable[[str], Hook]] = []


def set_finder(find: Callable[[str], Hook]) -> None:
    """Set the function that finds a hook by its name."""
    _finders[:] = [find]


def call_hook(name: str, *arguments: object, **options: object) -> Any:
    """Call a hook and return its result."""
    return _finders[0](name)(*arguments, **options)
