"""Functions that a sweep knows by name, and how each is made from its settings."""

from __future__ import annotations

import inspect
from importlib import import_module
from typing import cast

from ..checks import quote
from ..errors import ParameterError
from ..values import Foreign
from .swept import Function, OwnFunction, Swept

NAMED = {
    "simulate": (".simulations", "Simulations"),
    "identify": (".identifications", "Identifications"),
    "size": (".sizings", "Sizings"),
}
"""Each function by its name: the module of its class, derived from `Swept`, and the class."""


def swept_class(name: str) -> type[Swept]:
    """The class of a function by its name."""
    if name not in NAMED:
        raise ParameterError(f"sweep: function = {quote(name)}: must be a function, or one of {', '.join(NAMED)}")
    module, kind = NAMED[name]
    return getattr(import_module(module, __package__), kind)


def make_swept(function: Foreign, settings: dict[str, Foreign]) -> Swept:
    """What is swept, from a function or the name of one."""
    if isinstance(function, Swept):
        made, settings = function, dict(settings)
    elif isinstance(function, str):
        kind = swept_class(function)
        needs = [
            name for name, each in inspect.signature(kind).parameters.items()
            if each.default is inspect.Parameter.empty and each.kind is inspect.Parameter.KEYWORD_ONLY
        ]  # fmt: skip
        missing = [name for name in needs if name not in settings]
        if missing:
            raise ParameterError(f"sweep: {function} needs {' and '.join(missing)}: give {missing[0]}=...")
        return kind(**settings)
    elif callable(function):
        made = OwnFunction(cast(Function, function))
    else:
        raise ParameterError(f"sweep: function = {quote(function)}: must be a function, or one of {', '.join(NAMED)}")
    if settings:
        given = ", ".join(settings)
        raise ParameterError(f"sweep: {given}: only functions by name have settings; use functools.partial for yours")
    return made
