"""backemf: one motor, described once, right everywhere.

    import backemf as be

    sheet = be.Datasheet.load("maxon-re40-148867")
    motor = sheet.motor()
    run = be.simulate(motor, load=be.Inertia(1e-4), command=24.0, duration=0.5)
    run.plot("step.png")

Importing this package loads NumPy and nothing heavier; what needs more is loaded when it is first used.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from .actuator import (
    Actuator,
    AngleTable,
    Command,
    CompiledStep,
    DcClip,
    Delay,
    Draws,
    DriveEnvelope,
    DutyServo,
    EffortLimit,
    IdealPd,
    KneeCurve,
    ModeSelector,
    PositionPid,
    Supply,
    TanhFriction,
    Torque,
    TorquePid,
    TorqueSpeedTable,
    VelocityPi,
    Voltage,
)
from .commands import Chirp, Constant, Samples, Sine, Step, Table, Trapezoid, from_csv
from .errors import (
    BackemfError,
    DatasheetError,
    MissingExtraError,
    ParameterError,
    SimulationError,
    UnitError,
)
from .loads import ConstantTorque, Fan, Inertia, LockedRotor, Pendulum, PrescribedMotion, TwoMass
from .motor import (
    Cogging,
    Coulomb,
    Dahl,
    Drag,
    Gearbox,
    Harmonic,
    Limits,
    LoadDependent,
    LoadShare,
    LuGre,
    Magnet,
    Motor,
    QuadraticShare,
    Ratings,
    Rotor,
    Saturation,
    Stage,
    Stribeck,
    Thermal,
    TwoNodeThermal,
    Winding,
)
from .physics.state import Output, State, limit_names
from .rollout import Here, rest, rollout
from .run import Run
from .simulate import simulate

if TYPE_CHECKING:
    from . import analyze, catalog, engines, plot, units
    from .datasheet import Datasheet, Finding

__version__ = "0.1.0"

_LATER = {"Datasheet": ".datasheet", "Finding": ".datasheet"}
_ROOMS = ("analyze", "catalog", "engines", "plot", "units")


def __getattr__(name: str):
    if name in _LATER:
        return getattr(importlib.import_module(_LATER[name], __name__), name)
    if name in _ROOMS:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'backemf' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Actuator",
    "AngleTable",
    "BackemfError",
    "Chirp",
    "Cogging",
    "Command",
    "CompiledStep",
    "Constant",
    "ConstantTorque",
    "Coulomb",
    "Dahl",
    "Datasheet",
    "DatasheetError",
    "DcClip",
    "Delay",
    "Drag",
    "Draws",
    "DriveEnvelope",
    "DutyServo",
    "EffortLimit",
    "Fan",
    "Finding",
    "Gearbox",
    "Harmonic",
    "Here",
    "IdealPd",
    "Inertia",
    "KneeCurve",
    "Limits",
    "LoadDependent",
    "LoadShare",
    "LockedRotor",
    "LuGre",
    "Magnet",
    "MissingExtraError",
    "ModeSelector",
    "Motor",
    "Output",
    "ParameterError",
    "Pendulum",
    "PositionPid",
    "PrescribedMotion",
    "QuadraticShare",
    "Ratings",
    "Rotor",
    "Run",
    "Samples",
    "Saturation",
    "SimulationError",
    "Sine",
    "Stage",
    "State",
    "Step",
    "Stribeck",
    "Supply",
    "Table",
    "TanhFriction",
    "Thermal",
    "Torque",
    "TorquePid",
    "TorqueSpeedTable",
    "Trapezoid",
    "TwoMass",
    "TwoNodeThermal",
    "UnitError",
    "VelocityPi",
    "Voltage",
    "Winding",
    "__version__",
    "analyze",
    "catalog",
    "engines",
    "from_csv",
    "limit_names",
    "plot",
    "rest",
    "rollout",
    "simulate",
    "units",
]
