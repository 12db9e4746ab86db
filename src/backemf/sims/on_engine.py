"""A simulator's law on an engine: where its numbers go, and what its options are."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from ..checks import Number
from ..engines import bind, load
from ..errors import ParameterError
from ..physics.state import Array

if TYPE_CHECKING:
    import torch

EngineOption: TypeAlias = "str | torch.dtype | torch.device"
"""Where the arrays of an engine are, and of which kind: `dtype` and `device` of PyTorch."""


class OnEngine:
    """What every compiled law has: a motor, an engine, and the place of its arrays."""

    motor: Any  # each room's own class
    """The motor, with its numbers as the engine takes them."""

    def __init__(self, engine: str, options: Mapping[str, EngineOption]):
        unknown = set(options) - ({"dtype", "device"} if engine == "torch" else set())
        if unknown:
            raise ParameterError(f"options {', '.join(sorted(unknown))}: the {engine} engine has none of that name")
        self.engine, self._engine, self._place = engine, load(engine), options

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # what was compiled belongs to this process: a copy compiles it again
        return type(self), (self.motor, self.engine, self._place)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.engine}, {self.motor})"

    def _number(self, value: Number) -> Number:
        """A parameter as the engine takes it: plain numbers and the engine's own arrays stay."""
        foreign = type(value).__module__ == "numpy" and self.engine != "numpy"
        return self._engine.array(value, **self._place) if foreign else value

    def _spread(self, value: Number, shape: tuple[int, ...] | int) -> Array:
        """A value as an array of a batch."""
        return self._engine.array(value, (shape,) if isinstance(shape, int) else tuple(shape), **self._place)


def laws_on(module: str, engine: str) -> ModuleType:
    """The laws of a module, by its name, with the operations of an engine."""
    return bind(sys.modules[module], engine, load(engine).ops)
