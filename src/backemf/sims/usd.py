"""Stages of USD as every room opens them: a `Usd.Stage`, the path of a file, or the text of a .usda file."""

from __future__ import annotations

import importlib
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

from ..errors import MissingExtraError, ParameterError


def usd(*names: str) -> tuple[Any, ...]:
    """Modules of USD by name."""
    try:
        return tuple(importlib.import_module(f"pxr.{name}") for name in names)
    except ModuleNotFoundError:
        raise MissingExtraError("usd-core", "usd", "Reading and writing USD") from None


def opened(stage: Any, text: bool = True) -> Any:
    """The stage itself, that of a file, or where `text` is allowed that of a text; raises one sentence if it cannot."""
    Sdf, Tf, Usd, UsdUtils = usd("Sdf", "Tf", "Usd", "UsdUtils")
    if isinstance(stage, Usd.Stage):
        return stage
    if not isinstance(stage, (str, os.PathLike)):
        raise ParameterError(f"stage = {stage!r}: must be a Usd.Stage or the path of a USD file")
    inline = isinstance(stage, str) and stage.lstrip().startswith("#usda")
    if inline and not text:
        raise ParameterError("stage is the text of a .usda file: write it to a file first, and give its path")
    name = "the text of the stage" if inline else str(stage)
    quiet = UsdUtils.CoalescingDiagnosticDelegate()  # what USD has to say comes as one sentence
    try:
        if not inline and not Path(stage).is_file():
            raise ParameterError(f"{name}: there is no such file")
        layer: Any = Sdf.Layer.CreateAnonymous(".usda") if inline else name
        found = Usd.Stage.Open(layer) if not inline or layer.ImportFromString(stage) else None
    except (Tf.ErrorException, OSError):
        found = None
    finally:
        del quiet
    if found is None:
        raise ParameterError(f"{name[:200]}: is no USD that can be read; usdcat says where it breaks")
    return found


def applied_schemas(prim: Any) -> list[str]:
    """Names of the schemas that a prim has, whether USD knows them or not."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def save(stage: Any, path: Path) -> None:
    """Write the stage's own layer beside the file, and then over it."""
    (Tf,) = usd("Tf")
    beside = None
    try:
        handle, beside = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=path.suffix)
        os.close(handle)
        if not stage.GetRootLayer().Export(beside):
            raise OSError
        shutil.copymode(path, beside)
        os.replace(beside, path)
    except (OSError, Tf.ErrorException):
        raise ParameterError(f"{path}: cannot be written; USD writes .usda, .usdc and .usd") from None
    finally:
        if beside is not None:
            Path(beside).unlink(missing_ok=True)
