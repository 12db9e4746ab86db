"""Learned actuators: networks trained on logs, their files, and the training."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ..actuator.controllers.learned import LearnedController, LearnedMlp, LearnedRecurrent, learned_torque, memory_of
from ..actuator.networks import Gru, LayerNorm, Lstm, Mlp, Network

if TYPE_CHECKING:
    from .files import load_learned, load_network, save_network
    from .fit import Fitted, Pd, fit_learned

_LATER = {
    "Fitted": ".fit",
    "Pd": ".fit",
    "fit_learned": ".fit",
    "load_learned": ".files",
    "load_network": ".files",
    "save_network": ".files",
}


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name], __name__), name)
    raise AttributeError(f"module 'backemf.learned' has no attribute {name!r}")


__all__ = [
    "Fitted",
    "Gru",
    "LayerNorm",
    "LearnedController",
    "LearnedMlp",
    "LearnedRecurrent",
    "Lstm",
    "Mlp",
    "Network",
    "Pd",
    "fit_learned",
    "learned_torque",
    "load_learned",
    "load_network",
    "memory_of",
    "save_network",
]
