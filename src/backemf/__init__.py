"""backemf: one motor, described once, right everywhere.

    import backemf as be

    sheet = be.Datasheet.load("maxon-re40-148877")
    motor = sheet.motor()
    run = be.simulate(motor, load=be.Inertia(1e-4), command=24.0, duration=0.5)
    run.plot("step.png")

Importing this package loads nothing else, not even NumPy: each name is loaded when it is first used, so that the
command line starts at once.
"""

from __future__ import annotations

import importlib
import sys
import types
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from . import analyze, catalog, engines, plot, sims, transfer, units
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
        LayerNorm,
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
    from .analyze.exceeded import RunFinding
    from .commands import Chirp, Constant, Samples, Sine, Step, Table, Trapezoid, from_csv
    from .datasheet import Datasheet, Finding
    from .errors import (
        BackemfError,
        BackemfWarning,
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
        Estimate,
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
    from .motorfile import load, save
    from .physics.state import Output, State, limit_names
    from .recording import Recording, read_recording
    from .rollout import Here, rest, rollout
    from .run import Run
    from .simulate import simulate
    from .transfer import Exported, export

__version__ = "0.1.0"

_HOMES = {
    ".errors": "BackemfError BackemfWarning DatasheetError MissingExtraError ParameterError SimulationError UnitError",
    ".motor": (
        "Cogging Coulomb Dahl Drag Estimate Gearbox Harmonic Limits LoadDependent LoadShare LuGre Magnet Motor "
        "QuadraticShare Ratings Rotor Saturation Stage Stribeck Thermal TwoNodeThermal Winding"
    ),
    ".physics.state": "Output State limit_names",
    ".actuator": (
        "Actuator AngleTable Command CompiledStep DcClip Delay Draws DriveEnvelope DutyServo EffortLimit "
        "EffortRange IdealPd KneeCurve ModeSelector PositionPid Supply TanhFriction Torque TorquePid "
        "TorqueSpeedTable VelocityPi Voltage"
    ),
    ".actuator.compiled_robot": "CompiledSet",
    ".actuator.distributions": "Add LogScale LogUniform Normal NormalScale Scale Uniform",
    ".actuator.gains": "Bandwidth Gains bandwidth_from_gains gains_from_bandwidth torque_gains volt_gains",
    ".actuator.hardware": "Belt LeadScrew Linkage PlanetaryStage planetary_ratio reflected_inertia",
    ".actuator.learned": (
        "Fitted Gru LayerNorm LearnedMlp LearnedRecurrent Lstm Mlp fit_learned load_learned load_network save_network"
    ),
    ".actuator.randomize": "randomize",
    ".actuator.robot": "ActuatorSet",
    ".analyze.exceeded": "RunFinding",
    ".datasheet": "Datasheet Finding",
    ".motorfile": "load save",
    ".commands": "Chirp Constant Samples Sine Step Table Trapezoid from_csv",
    ".loads": "ConstantTorque Fan Inertia LockedRotor Pendulum PrescribedMotion TwoMass",
    ".rollout": "Here rest rollout",
    ".recording": "Recording read_recording",
    ".run": "Run",
    ".simulate": "simulate",
    ".transfer": "Exported export",
}
"""Every module with public names, and these; it is loaded when one of them is first used."""
_LATER = {name: module for module, names in _HOMES.items() for name in names.split()}
_ROOMS = (
    "actuator", "analyze", "catalog", "commands", "datasheet", "engines", "errors", "loads", "motor", "motorfile",
    "physics", "plot", "run", "sims", "transfer", "units",
)  # fmt: skip
"""Modules that are loaded when they are first used."""


def __getattr__(name: str):
    if name in _LATER:
        value = globals()[name] = getattr(importlib.import_module(_LATER[name], __name__), name)
        return value
    if name in _ROOMS:
        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'backemf' has no attribute {name!r}")


class _Package(types.ModuleType):
    """This package, in which a function hides the module of its own name: `backemf.simulate` is the function."""

    def __setattr__(self, name: str, value: object) -> None:
        # Python puts here each module that it has loaded
        hidden = isinstance(value, types.ModuleType) and _LATER.get(name) == f".{name}"
        super().__setattr__(name, getattr(value, name) if hidden else value)


sys.modules[__name__].__class__ = _Package


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


__all__ = [
    "Actuator",
    "ActuatorSet",
    "Add",
    "AngleTable",
    "BackemfError",
    "BackemfWarning",
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
    "Estimate",
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
    "LayerNorm",
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
    "Recording",
    "Rotor",
    "Run",
    "RunFinding",
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
    "read_recording",
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
