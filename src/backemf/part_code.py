"""A part as the Python code that makes it."""

from __future__ import annotations

from dataclasses import MISSING, fields, is_dataclass

from .values import Foreign


def code_of(part: Foreign, module: str = "be.") -> str:
    """The call that makes a part, such as `be.Inertia(inertia=0.1)`, without what is as its default.

    Args:
        part: A part whose numbers are plain ones.
        module: What stands before the name of its class; of the parts in it, `be.` does.
    """
    given: list[str] = []
    for entry in fields(part):
        value = getattr(part, entry.name)
        if value is not None and (entry.default is MISSING or value != entry.default):
            given.append(f"{entry.name}={code_of(value) if is_dataclass(value) else repr(value)}")
    return f"{module}{type(part).__name__}({', '.join(given)})"
