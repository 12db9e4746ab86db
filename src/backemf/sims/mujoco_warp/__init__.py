"""MuJoCo Warp: backemf motors on the joints of many robots, in kernels of Warp beside its own step.

MuJoCo Warp reads MuJoCo's own models: `backemf.sims.mujoco` writes and reads their files.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from typing import TYPE_CHECKING

from ...errors import MissingExtraError
from .. import mujoco_affine as law
from .about import ABOUT

if TYPE_CHECKING:
    from .motors import Motors
    from .state import MotorsState

__all__ = ["ABOUT", "Motors", "MotorsState", "law"]
_INSIDE = {"Motors": "motors", "MotorsState": "state"}
"""What needs MuJoCo Warp, and where it is."""


def __getattr__(name: str) -> object:
    if name not in _INSIDE:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if find_spec("mujoco_warp") is None:
        raise MissingExtraError("mujoco-warp", "mujoco-warp", f"backemf.sims.mujoco_warp.{name}")
    return getattr(importlib.import_module(f"{__name__}.{_INSIDE[name]}"), name)
