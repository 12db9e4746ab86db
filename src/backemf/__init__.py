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
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .hooks import set_finder
from .version import __version__

if TYPE_CHECKING:
    from . import (
        analyze,
        catalog,
        commands,
        design,
        engines,
        learned,
        plot,
        random,
        robot,
        sims,
        transfer,
        units,
    )
    from .actuator import (
        Actuator,
        AngleTable,
        Command,
        CompiledStep,
        DcClip,
        Delay,
        DriveEnvelope,
        DutyCurve,
        DutyServo,
        DutyTable,
        EffortLimit,
        EffortRange,
        IdealPd,
        JointSpring,
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
    from .c_function import CFunction, c_function
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
    from .identify import (
        Comparison,
        Excitation,
        Fit,
        Known,
        Log,
        MeasuredMotion,
        MotionLimits,
        Rig,
        RobotModel,
        RobotMotion,
        Sensor,
        ServoRegisters,
        compare,
        drive_of_joint,
        excite,
        identify,
        read_log,
    )
    from .loads import ConstantTorque, Fan, Inertia, LockedRotor, Pendulum, PrescribedMotion, TwoMass
    from .motor import (
        Cogging,
        Coulomb,
        Dahl,
        Drag,
        Estimate,
        FrictionAngleTable,
        FrictionOverAngle,
        Gearbox,
        Harmonic,
        Limits,
        LoadDependent,
        LoadShare,
        LuGre,
        Magnet,
        Motor,
        PhaseHeat,
        QuadraticShare,
        Ratings,
        Rotor,
        Saturation,
        Stage,
        Stribeck,
        TanhUnit,
        Thermal,
        Thermistor,
        TorqueNetwork,
        TwoNodeThermal,
        Winding,
    )
    from .motorfile import load, save
    from .physics.state import Output, State, limit_names
    from .random import randomize
    from .recording import Recording, read_recording
    from .robot import ActuatorSet, JointDrive, Robot, read_robot
    from .rollout import Here, rest, rollout
    from .rollout_slopes import rollout_slopes
    from .run import Run
    from .run_finding import RunFinding
    from .run_stored import StoredRun
    from .simulate import simulate
    from .size import (
        Candidates,
        Found,
        FreeGears,
        JointTask,
        SampledMotion,
        SineMotion,
        Task,
        TaskLimits,
        TrapezoidMove,
        TriangleMove,
        size,
    )
    from .sweep import Case, Space, Sweep, read_sweep, sweep
    from .transfer import Exported, export

_HOMES = {
    ".errors": "BackemfError BackemfWarning DatasheetError MissingExtraError ParameterError SimulationError UnitError",
    ".motor": (
        "Cogging Coulomb Dahl Drag Estimate FrictionAngleTable FrictionOverAngle Gearbox Harmonic Limits LoadDependent "
        "LoadShare LuGre Magnet Motor PhaseHeat QuadraticShare Ratings Rotor Saturation Stage Stribeck TanhUnit "
        "Thermal Thermistor TorqueNetwork TwoNodeThermal Winding"
    ),
    ".physics.state": "Output State limit_names",
    ".actuator": (
        "Actuator AngleTable Command CompiledStep DcClip Delay DriveEnvelope DutyCurve DutyServo DutyTable EffortLimit "
        "EffortRange IdealPd JointSpring KneeCurve ModeSelector PositionPid Supply TanhFriction Torque TorquePid "
        "TorqueSpeedTable VelocityPi Voltage"
    ),
    ".random": "randomize",
    ".robot": "ActuatorSet JointDrive Robot read_robot",
    ".datasheet": "Datasheet Finding",
    ".motorfile": "load save",
    ".loads": "ConstantTorque Fan Inertia LockedRotor Pendulum PrescribedMotion TwoMass",
    ".rollout": "Here rest rollout",
    ".rollout_slopes": "rollout_slopes",
    ".c_function": "c_function CFunction",
    ".recording": "Recording read_recording",
    ".run": "Run",
    ".run_stored": "StoredRun",
    ".run_finding": "RunFinding",
    ".simulate": "simulate",
    ".identify": (
        "Comparison Excitation Fit Known Log MeasuredMotion MotionLimits Rig RobotModel RobotMotion Sensor "
        "ServoRegisters compare drive_of_joint excite read_log"
    ),
    ".size": (
        "Candidates Found FreeGears JointTask SampledMotion SineMotion Task TaskLimits TrapezoidMove TriangleMove"
    ),
    ".sweep": "Case Space Sweep read_sweep",
    ".transfer": "Exported export",
}
"""Every module with public names, and these; it is loaded when one of them is first used."""
_LATER = {name: module for module, names in _HOMES.items() for name in names.split()}
_ROOMS = (
    "actuator", "analyze", "catalog", "commands", "datasheet", "design", "engines", "errors", "identify", "learned",
    "loads", "motor", "motorfile", "physics", "plot", "random", "robot", "run", "sims", "size", "sweep",
    "transfer", "units",
)  # fmt: skip
"""Modules that are loaded when they are first used."""
_HOOKS = {
    "Actuator": ".actuator",
    "check_robot": ".transfer.robots.checking",
    "export_robot": ".transfer.robots.exporting",
    "findings": ".analyze.exceeded",
    "held_out_torque": ".plot.held_out",
    "joints_by_pattern": ".transfer.robots.placing",
    "notebook_html": ".plot.notebook",
    "require_readable": ".sims.mjcf",
    "robot_actuators": ".transfer.robots.placing",
    "rollout_on_warp": ".rollout_warp",
    "step_response": ".plot.response",
}
"""The module of each hook that a method calls: see `hooks.py`."""


def _find_hook(name: str) -> Callable[..., object]:
    return getattr(importlib.import_module(_HOOKS[name], __name__), name)


set_finder(_find_hook)


def __getattr__(name: str) -> Any:
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
    return sorted(__all__)


__all__ = [
    "Actuator",
    "ActuatorSet",
    "AngleTable",
    "BackemfError",
    "BackemfWarning",
    "CFunction",
    "Candidates",
    "Case",
    "Cogging",
    "Command",
    "Comparison",
    "CompiledStep",
    "ConstantTorque",
    "Coulomb",
    "Dahl",
    "Datasheet",
    "DatasheetError",
    "DcClip",
    "Delay",
    "Drag",
    "DriveEnvelope",
    "DutyCurve",
    "DutyServo",
    "DutyTable",
    "EffortLimit",
    "EffortRange",
    "Estimate",
    "Excitation",
    "Exported",
    "Fan",
    "Finding",
    "Fit",
    "Found",
    "FreeGears",
    "FrictionAngleTable",
    "FrictionOverAngle",
    "Gearbox",
    "Harmonic",
    "Here",
    "IdealPd",
    "Inertia",
    "JointDrive",
    "JointSpring",
    "JointTask",
    "KneeCurve",
    "Known",
    "Limits",
    "LoadDependent",
    "LoadShare",
    "LockedRotor",
    "Log",
    "LuGre",
    "Magnet",
    "MeasuredMotion",
    "MissingExtraError",
    "ModeSelector",
    "MotionLimits",
    "Motor",
    "Output",
    "ParameterError",
    "Pendulum",
    "PhaseHeat",
    "PositionPid",
    "PrescribedMotion",
    "QuadraticShare",
    "Ratings",
    "Recording",
    "Rig",
    "Robot",
    "RobotModel",
    "RobotMotion",
    "Rotor",
    "Run",
    "RunFinding",
    "SampledMotion",
    "Saturation",
    "Sensor",
    "ServoRegisters",
    "SimulationError",
    "SineMotion",
    "Space",
    "Stage",
    "State",
    "StoredRun",
    "Stribeck",
    "Supply",
    "Sweep",
    "TanhFriction",
    "TanhUnit",
    "Task",
    "TaskLimits",
    "Thermal",
    "Thermistor",
    "Torque",
    "TorqueNetwork",
    "TorquePid",
    "TorqueSpeedTable",
    "TrapezoidMove",
    "TriangleMove",
    "TwoMass",
    "TwoNodeThermal",
    "UnitError",
    "VelocityPi",
    "Voltage",
    "Winding",
    "__version__",
    "analyze",
    "c_function",
    "catalog",
    "commands",
    "compare",
    "design",
    "drive_of_joint",
    "engines",
    "excite",
    "export",
    "identify",
    "learned",
    "limit_names",
    "load",
    "plot",
    "random",
    "randomize",
    "read_log",
    "read_recording",
    "read_robot",
    "read_sweep",
    "rest",
    "robot",
    "rollout",
    "rollout_slopes",
    "save",
    "sims",
    "simulate",
    "size",
    "sweep",
    "transfer",
    "units",
]
