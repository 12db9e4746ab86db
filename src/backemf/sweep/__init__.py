"""Sweeps: any function over lists of values and random draws, on the cores of this machine or on a Ray cluster.

The room can be called, and is then the function `sweep`: `backemf.sweep(function, space, out="folder")`.
"""

import sys
import types

from .cases import Answers, Case, Cases
from .result import Sweep, read_sweep
from .space import Space
from .sweeping import sweep
from .swept import Swept

__all__ = ["Answers", "Case", "Cases", "Space", "Sweep", "Swept", "read_sweep", "sweep"]


class _Room(types.ModuleType):
    __call__ = staticmethod(sweep)


sys.modules[__name__].__class__ = _Room
__wrapped__ = sweep  # whose signature the room has
