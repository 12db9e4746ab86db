"""What a maker prints, its conventions, check() and motor()."""

from __future__ import annotations

from typing import TYPE_CHECKING

from .figures import (
    CoggingFigures,
    Conventions,
    Electrical,
    FrictionFigures,
    GearStage,
    LimitFigures,
    Mechanical,
    Peak,
    SaturationFigures,
    ThermalFigures,
)
from .sheet import Datasheet, Figure

if TYPE_CHECKING:
    from .check import Finding


def __getattr__(name: str):
    # a sheet is read without what checks it and makes a motor of it, which load NumPy
    if name == "Finding":
        from .check import Finding

        return Finding
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "CoggingFigures",
    "Conventions",
    "Datasheet",
    "Electrical",
    "Figure",
    "Finding",
    "FrictionFigures",
    "GearStage",
    "LimitFigures",
    "Mechanical",
    "Peak",
    "SaturationFigures",
    "ThermalFigures",
]
