"""Binding: the laws are written once with NumPy's operations; here they get another engine's."""

from __future__ import annotations

import builtins
import importlib
import sys
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

from ..errors import MissingExtraError, ParameterError
from ..parts import Law, Laws
from ..physics import ops as numpy_ops

ENGINES = {"numpy": None, "python": None, "jax": None, "torch": "torch", "warp": "warp", "native": None}
"""Name of each engine and the extra that brings it; None: a plain install has it."""

Operations = ModuleType | SimpleNamespace
"""The operations of an engine, by the names of `physics/ops.py`."""
_LAW_ROOMS = ("physics", "actuator", "loads", "sims")
"""Rooms whose functions are laws: elementwise, with the operations in their globals."""


def _holds_laws(module: str) -> bool:
    package, _, rest = module.partition(".")
    return package == "backemf" and rest.split(".")[0] in _LAW_ROOMS


def bind(module: ModuleType, engine: str, ops: Operations) -> ModuleType:
    """The functions of a law module, re-created with the operations of `ops` in their globals.

    Laws of other modules that it uses are bound along with it. Each bound module is a real one, named after the law
    and the engine, since tracers such as Dynamo look globals up by module name.
    """
    Laws.bind_pending()
    if getattr(module, "VECTORS", False):
        ops = getattr(ops, "vectors", ops)
    name = f"{module.__name__}@{engine}"
    if name in sys.modules and _holds_laws(module.__name__):
        return sys.modules[name]
    return _recreate(name, vars(module), module.__name__, engine, ops)


def _recreate(name: str, content: dict[str, Any], home: str, engine: str, ops: Operations) -> ModuleType:
    bound = sys.modules[name] = ModuleType(name, content.get("__doc__"))
    scope = vars(bound)
    scope["__builtins__"] = builtins
    for key, value in content.items():
        if key.startswith("__"):
            continue
        scope[key] = value
        if key in numpy_ops.__all__ and value is getattr(numpy_ops, key):
            scope[key] = getattr(ops, key)
        elif isinstance(value, FunctionType) and value.__module__ == home:
            scope[key] = FunctionType(value.__code__, scope, key, value.__defaults__, value.__closure__)
            scope[key].__kwdefaults__, scope[key].__doc__ = value.__kwdefaults__, value.__doc__
        elif isinstance(value, FunctionType) and _holds_laws(value.__module__):
            scope[key] = getattr(bind(sys.modules[value.__module__], engine, ops), value.__name__)
    # an engine may have some laws of its own, such as those of its precision
    scope.update(getattr(ops, "laws", {}).get(home, {}))
    # laws of parts may use what stands here, so they come last
    for key, value in content.items():
        if isinstance(value, Laws):
            scope[key] = value.bind(engine, lambda law: bind_law(law, engine, ops))
    return bound


def bind_law(law: Law, engine: str, ops: Operations) -> Law:
    """The law of a part with the operations of an engine; also one of a person's own program."""
    home = law.__module__
    if _holds_laws(home):
        return getattr(bind(sys.modules[home], engine, ops), law.__name__)
    return getattr(_recreate(f"{home}.{law.__name__}@{engine}", law.__globals__, home, engine, ops), law.__name__)


def load(engine: str) -> ModuleType:
    """The module of an engine by name."""
    if engine not in ENGINES:
        raise ParameterError(f"engine = {engine!r}: must be one of {', '.join(ENGINES)}")
    try:
        module = importlib.import_module(f"{__package__}.{engine}_engine")
    except ModuleNotFoundError as error:
        extra = ENGINES[engine]
        if extra is None or (error.name and error.name.startswith("backemf")):
            raise
        raise MissingExtraError(str(error.name), extra, f"The {engine} engine") from None
    if hasattr(module, "require_own_process"):
        module.require_own_process()
    return module
