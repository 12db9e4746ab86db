"""What a maker prints, its conventions, check() and motor()."""

from __future__ import annotations

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
from .finding import Finding
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
