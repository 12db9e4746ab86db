"""backemf: one motor, described once, right everywhere.

    import backemf as be

    sheet = be.Datasheet.load("maxon-re40-148877")
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
    EffortRange,
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
    from . import analyze, catalog, engines, plot, sims, transfer, units
    from .actuator.compiled_robot import CompiledSet
    from .actuator.distributions import (
        Add,
        LogScale,
        LogUniform,
        Normal,
        NormalScale,
        Scale,
        Uniform,
    )
    from .actuator.gains import (
        Bandwidth,
        Gains,
        bandwidth_from_gains,
        gains_from_bandwidth,
        torque_gains,
        volt_gains,
    )
    from .actuator.hardware import (
        Belt,
        LeadScrew,
        Linkage,
        PlanetaryStage,
        planetary_ratio,
        reflected_inertia,
    )
    from .actuator.learned import (
        Fitted,
        Gru,
        LearnedMlp,
        LearnedRecurrent,
        Lstm,
        Mlp,
        fit_learned,
        load_learned,
        load_network,
        save_network,
    )
    from .actuator.randomize import randomize
    from .actuator.robot import ActuatorSet
    from .datasheet import Datasheet, Finding
    from .motorfile import load, save
    from .transfer import Exported, export

__version__ = "0.1.0"

_LATER = {
    "Add": ".actuator.distributions",
    "LogScale": ".actuator.distributions",
    "LogUniform": ".actuator.distributions",
    "Normal": ".actuator.distributions",
    "NormalScale": ".actuator.distributions",
    "Scale": ".actuator.distributions",
    "Uniform": ".actuator.distributions",
    "Bandwidth": ".actuator.gains",
    "Gains": ".actuator.gains",
    "bandwidth_from_gains": ".actuator.gains",
    "gains_from_bandwidth": ".actuator.gains",
    "torque_gains": ".actuator.gains",
    "volt_gains": ".actuator.gains",
    "Belt": ".actuator.hardware",
    "LeadScrew": ".actuator.hardware",
    "Linkage": ".actuator.hardware",
    "PlanetaryStage": ".actuator.hardware",
    "planetary_ratio": ".actuator.hardware",
    "reflected_inertia": ".actuator.hardware",
    "Fitted": ".actuator.learned",
    "Gru": ".actuator.learned",
    "LearnedMlp": ".actuator.learned",
    "LearnedRecurrent": ".actuator.learned",
    "Lstm": ".actuator.learned",
    "Mlp": ".actuator.learned",
    "fit_learned": ".actuator.learned",
    "load_learned": ".actuator.learned",
    "load_network": ".actuator.learned",
    "save_network": ".actuator.learned",
    "randomize": ".actuator.randomize",
    "ActuatorSet": ".actuator.robot",
    "CompiledSet": ".actuator.compiled_robot",
    "Datasheet": ".datasheet",
    "Finding": ".datasheet",
    "load": ".motorfile",
    "save": ".motorfile",
    "Exported": ".transfer",
    "export": ".transfer",
}
"""Names that are loaded when they are first used, and the module of each."""
_ROOMS = ("analyze", "catalog", "engines", "plot", "sims", "transfer", "units")


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
    "ActuatorSet",
    "Add",
    "AngleTable",
    "BackemfError",
    "Bandwidth",
    "Belt",
    "Chirp",
    "Cogging",
    "Command",
    "CompiledSet",
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
    "EffortRange",
    "Exported",
    "Fan",
    "Finding",
    "Fitted",
    "Gains",
    "Gearbox",
    "Gru",
    "Harmonic",
    "Here",
    "IdealPd",
    "Inertia",
    "KneeCurve",
    "LeadScrew",
    "LearnedMlp",
    "LearnedRecurrent",
    "Limits",
    "Linkage",
    "LoadDependent",
    "LoadShare",
    "LockedRotor",
    "LogScale",
    "LogUniform",
    "Lstm",
    "LuGre",
    "Magnet",
    "MissingExtraError",
    "Mlp",
    "ModeSelector",
    "Motor",
    "Normal",
    "NormalScale",
    "Output",
    "ParameterError",
    "Pendulum",
    "PlanetaryStage",
    "PositionPid",
    "PrescribedMotion",
    "QuadraticShare",
    "Ratings",
    "Rotor",
    "Run",
    "Samples",
    "Saturation",
    "Scale",
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
    "Uniform",
    "UnitError",
    "VelocityPi",
    "Voltage",
    "Winding",
    "__version__",
    "analyze",
    "bandwidth_from_gains",
    "catalog",
    "engines",
    "export",
    "fit_learned",
    "from_csv",
    "gains_from_bandwidth",
    "limit_names",
    "load",
    "load_learned",
    "load_network",
    "planetary_ratio",
    "plot",
    "randomize",
    "reflected_inertia",
    "rest",
    "rollout",
    "save",
    "save_network",
    "sims",
    "simulate",
    "torque_gains",
    "transfer",
    "units",
    "volt_gains",
]
