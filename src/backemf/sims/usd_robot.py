"""A layer over the USD model of a robot: a file that holds the model as a sublayer, and motors on its joints."""

from __future__ import annotations

from pathlib import Path

from ..errors import ParameterError
from ..values import Foreign
from .robot_text import RobotParts, path_beside
from .usd import open_stage, usd
from .usd_types import Stage

METADATA = ("metersPerUnit", "kilogramsPerUnit", "upAxis", "timeCodesPerSecond", "startTimeCode", "endTimeCode")
"""What a stage takes from its own file alone, and not from sublayers."""


def open_over(parts: RobotParts, title: str) -> Stage:
    """A stage whose own layer is empty but for what the model's says of units; the model is below it."""
    model = parts.model.path
    if model is None or parts.model.format != "USD":
        raise ParameterError(
            f"{title} loads actuators from USD, and the robot has {parts.model.format}: give a USD model"
        )
    Sdf, Usd = usd("Sdf", "Usd")
    below: Foreign = open_stage(model)
    layer: Foreign = Sdf.Layer.CreateAnonymous(".usda")
    layer.subLayerPaths.append(str(model))
    stage: Foreign = Usd.Stage.Open(layer)
    for name in METADATA:
        if below.HasAuthoredMetadata(name):
            stage.SetMetadata(name, below.GetMetadata(name))
    if below.HasDefaultPrim():
        layer.defaultPrim = below.GetDefaultPrim().GetName()
    return stage


def over_text(stage: Stage, model: Path, folder: Path) -> str:
    """The text of a stage's own layer, its model by a path from the folder where the text will be."""
    (Sdf,) = usd("Sdf")
    # a copy, since the stage would look for the path from where it is
    layer: Foreign = Sdf.Layer.CreateAnonymous(".usda")
    layer.TransferContent(stage.GetRootLayer())
    beside = path_beside(model, folder)
    layer.subLayerPaths = [beside if beside.startswith(("/", ".")) else f"./{beside}"]
    return layer.ExportToString()


def merge_layers(stage: Stage, texts: list[str]) -> None:
    """Put what layers say into a stage's own layer, where it says nothing of these prims."""
    Sdf, UsdUtils = usd("Sdf", "UsdUtils")
    for text in texts:
        layer: Foreign = Sdf.Layer.CreateAnonymous(".usda")
        if not layer.ImportFromString(text):
            raise ParameterError("a layer that was written for a joint is not USD that can be read")
        UsdUtils.StitchLayers(stage.GetRootLayer(), layer)
