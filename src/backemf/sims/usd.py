"""USD stages: a `Usd.Stage`, the path of a file, or the text of a .usda file."""

from __future__ import annotations

import importlib
import os
import re
from pathlib import Path
from types import ModuleType
from typing import Any, cast

from ..errors import MissingExtraError, ParameterError
from ..files import replacing
from .on_joint import OnJoint
from .usd_types import Layer, Prim, Stage, StageSource

LARGEST = 1_000_000_000
"""Largest stage that is opened, all of its files together [bytes]."""
MOST = 2000
"""Most files that a stage may be composed of."""

PATH = re.compile(r"(/[A-Za-z_]\w*)+", re.ASCII)
"""Path of a prim."""


def prim_path(joint: str | None, thing: object = None) -> str:
    """The path of a joint's prim, an axis behind a colon included; a bare name is that of a joint of /robot.

    None is the joint of an `OnJoint`, if it has one.
    """
    if joint is None:
        joint = thing.joint if isinstance(thing, OnJoint) and thing.joint else "joint"
    path = joint if isinstance(joint, str) and joint.startswith("/") else f"/robot/{joint}"
    if not isinstance(joint, str) or not PATH.fullmatch(path.partition(":")[0]):
        raise ParameterError(f"joint = {joint!r}: must be the path of a prim, such as /World/robot/knee")
    return path


def usd(*names: str) -> tuple[ModuleType, ...]:
    """Modules of USD by name."""
    try:
        return tuple(importlib.import_module(f"pxr.{name}") for name in names)
    except ModuleNotFoundError:
        raise MissingExtraError("usd-core", "usd", "Reading and writing USD") from None


def open_stage(stage: StageSource, text: bool = True) -> Stage:
    """A stage: as given, of a file or, where `text` is allowed, of a text; raise ParameterError if unreadable."""
    Sdf, Tf, Usd, UsdUtils = usd("Sdf", "Tf", "Usd", "UsdUtils")
    if isinstance(stage, Usd.Stage):
        return cast(Stage, stage)
    if not isinstance(stage, (str, os.PathLike)):
        raise ParameterError(f"stage = {stage!r}: must be a Usd.Stage or the path of a USD file")
    inline = isinstance(stage, str) and stage.lstrip().startswith("#usda")
    if inline and not text:
        raise ParameterError("stage is the text of a .usda file: write it to a file first, and give its path")
    name = "the text of the stage" if inline else str(stage)
    if inline and len(str(stage)) > LARGEST:
        raise ParameterError(f"{name}: is longer than {LARGEST:,} characters; give the robot alone")
    quiet = UsdUtils.CoalescingDiagnosticDelegate()  # USD's own messages are not shown
    try:
        if not inline and not Path(stage).is_file():
            raise ParameterError(f"{name}: there is no such file")
        layer: Any = Sdf.Layer.CreateAnonymous(".usda") if inline else name
        readable = not inline or layer.ImportFromString(stage)
        # held until the stage has them
        layers = _bounded_layers(layer, name) if readable else []
        found = Usd.Stage.Open(layer) if readable else None
        del layers
    except (Tf.ErrorException, OSError):
        found = None
    finally:
        del quiet
    if found is None:
        raise ParameterError(f"{name[:200]}: is not USD that can be read; usdcat shows where it fails")
    return found


def _bounded_layers(root: Layer | str, name: str) -> list[Layer]:
    """Every layer that a stage is composed of, each checked before it is opened; raise ParameterError if one fails.

    A stage names other files: they are opened if they are plain files of a bounded size, and there are not too many.
    USD itself would block on a pipe, and read files of any kind.
    """
    Sdf, Tf = usd("Sdf", "Tf")
    found, seen, pending, total = [], set(), [root], 0
    while pending:
        layer = pending.pop()
        if isinstance(layer, str):
            if layer in seen:
                continue
            seen.add(layer)
            file = Path(layer.partition(":SDF_FORMAT_ARGS")[0].partition("[")[0])
            if not layer or not file.exists() or file.is_dir():
                continue  # a prim of the same layer, or what USD goes on without
            size = file.stat().st_size if file.is_file() else LARGEST + 1
            total += size
            if total > LARGEST or len(seen) > MOST:
                what = (
                    "is not a plain file" if not file.is_file() else "the files of the stage are too large or too many"
                )
                raise ParameterError(
                    f"{name[:200]}: {file}: {what}; a stage has up to {MOST} files and {LARGEST // 10**6} MB in all"
                )
            try:
                layer: Any = Sdf.Layer.FindOrOpen(layer)
            except Tf.ErrorException:
                layer = None
        if layer is not None:
            found.append(layer)
            for asset in layer.GetCompositionAssetDependencies():
                pending.append(layer.ComputeAbsolutePath(asset))
    return found


def named_files(path: Path) -> list[str]:
    """Other files that a USD file is composed of, none of which is opened; none where it cannot be read."""
    Sdf, Tf, UsdUtils = usd("Sdf", "Tf", "UsdUtils")
    quiet = UsdUtils.CoalescingDiagnosticDelegate()
    found: list[str] = []
    try:
        layer: Any = Sdf.Layer.OpenAsAnonymous(str(path))

        def visit(place: Any) -> None:
            spec = layer.GetObjectAtPath(place)
            if isinstance(spec, Sdf.PrimSpec) and spec.HasInfo("clips"):
                found.append(f"clips of {place}")

        layer.Traverse(Sdf.Path.absoluteRootPath, visit)
        return [*map(str, layer.GetCompositionAssetDependencies()), *found]
    except Tf.ErrorException:
        return []
    finally:
        del quiet


def applied_schemas(prim: Prim) -> list[str]:
    """Names of the schemas that a prim has, whether USD knows them or not."""
    return [str(name) for name in prim.GetPrimTypeInfo().GetAppliedAPISchemas()]


def save(stage: Stage, path: Path) -> None:
    """Write the stage's own layer beside the file, and then over it."""
    (Tf,) = usd("Tf")
    with replacing(path) as file:
        try:
            done = stage.GetRootLayer().Export(str(file.name))
        except Tf.ErrorException:
            done = False
        if not done:
            raise ParameterError(f"{path}: cannot be written; USD writes .usda, .usdc and .usd")
