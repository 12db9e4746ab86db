"""What a maker prints, its conventions, check() and motor()."""

from .check import Finding
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
