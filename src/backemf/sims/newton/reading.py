"""NewtonActuator prims read back: what Newton's parser would make of them, in our words and in its own."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, TorquePid
from ...actuator.delay import Delay
from ...actuator.torque_limits import AngleTable, DcClip, EffortLimit, TorqueLimit
from ...errors import BackemfError, ParameterError
from ..usd import applied_schemas, opened
from .carrier import PREFIX, carried
from .law import Clamp, DcMotor, Drive, MaxEffort, Pipeline, PositionBased
from .on_joint import NewtonJoint

DEGREE = math.pi / 180.0
BACKEMF, BACKEMF_CLAMP = "BackemfControlAPI", "BackemfClampingAPI"
PD, PID, NEURAL = "NewtonPDControlAPI", "NewtonPIDControlAPI", "NewtonNeuralControlAPI"
FLAT, LINE, TABLE = "NewtonMaxEffortClampingAPI", "NewtonDCMotorClampingAPI", "NewtonPositionBasedClampingAPI"
DELAY, JOINT = "NewtonActuatorDelayAPI", "NewtonJointAPI"
DRIVES = (PD, PID, NEURAL, BACKEMF)
BESIDE = "the whole actuator says everything: take the clamps and the delay of Newton out"


def read_actuator(stage: Any, joint: str | None = None) -> NewtonJoint:
    """The actuator of a joint in a stage, file or text, by the joint's path or name; None: the only one."""
    # a stage that nobody holds is gone, and its prims with it
    whole = opened(stage)
    prim, target = _found(whole, joint)
    try:
        return _read(prim, target)
    except ParameterError as wrong:
        raise ParameterError(f"{prim.GetPath()}: {wrong}") from None


def _read(prim: Any, target: str) -> NewtonJoint:
    applied = [name for name in applied_schemas(prim) if name in (*DRIVES, FLAT, LINE, TABLE, DELAY, BACKEMF_CLAMP)]
    drives = [name for name in applied if name in DRIVES]
    if len(drives) != 1:
        shown = " and ".join(drives) or "no drive"
        raise ParameterError(f"has {shown}: must have one of {PD}, {PID} and {BACKEMF}")
    own = _of_joint(prim.GetStage().GetPrimAtPath(target))
    if drives == [BACKEMF]:
        if len(applied) > 1:
            raise ParameterError(f"has {applied[1] if applied[0] == BACKEMF else applied[0]} too: {BESIDE}")
        return NewtonJoint(actuator=_whole(prim), joint=target, **own)
    if NEURAL in drives or BACKEMF_CLAMP in applied:
        raise ParameterError(f"has {NEURAL if NEURAL in drives else BACKEMF_CLAMP}: only Newton itself can run it")
    pipeline = Pipeline(
        drive=_drive(prim, drives[0] == PID),
        clamps=tuple(_clamps(prim, applied)),
        delay_steps=_steps(prim) if DELAY in applied else 0,
    )
    bias = {"const_effort": pipeline.drive.const_effort} if pipeline.drive.const_effort else {}
    return NewtonJoint(actuator=_in_our_words(pipeline), joint=target, pipeline=pipeline, beside=bias, **own)


def _found(stage: Any, joint: str | None) -> tuple[Any, str]:
    """The prim of an actuator, and the path of its joint."""
    found = [(prim, _target(prim)) for prim in stage.TraverseAll() if str(prim.GetTypeName()) == "NewtonActuator"]
    if joint is not None:
        found = [pair for pair in found if joint in (pair[1], pair[1].rpartition("/")[2])]
    if len(found) == 1:
        return found[0]
    if not found:
        raise ParameterError("the stage has no NewtonActuator" + ("" if joint is None else f" for the joint {joint!r}"))
    shown = ", ".join(target for _, target in found[:8])
    raise ParameterError(f"the stage has {len(found)} actuators it could be: give joint=, one of {shown}")


def _target(prim: Any) -> str:
    relation = prim.GetRelationship("newton:targets")
    targets = list(relation.GetTargets()) if relation else []
    if len(targets) != 1:
        raise ParameterError(f"{prim.GetPath()}: newton:targets names {len(targets)} joints: must be one")
    return str(targets[0])


# --- values


def _authored(prim: Any, name: str) -> Any:
    """What a prim says of an attribute; None: nothing."""
    attribute = prim.GetAttribute(f"newton:{name}")
    if not attribute or not attribute.HasAuthoredValue():
        return None
    if attribute.GetNumTimeSamples() > 0:
        raise ParameterError(f"newton:{name} has time samples: must be one value")
    return attribute.Get()


def _number(prim: Any, name: str, missing: float | None = 0.0, scale: float = 1.0) -> Any:
    """An attribute that is a number; None for infinity where that is what is missing."""
    value = _authored(prim, name)
    if value is None:
        return missing
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise ParameterError(f"newton:{name} = {value!r}: must be a number")
    if missing is None and value == math.inf:
        return None
    if not math.isfinite(value):
        raise ParameterError(f"newton:{name} = {value}: must be a finite number")
    # the number that was meant, of all that USD's 32 bits cannot tell apart
    return float(str(np.float32(value))) if scale == 1.0 else float(str(np.float32(value * scale)))


def _row(prim: Any, name: str) -> np.ndarray:
    value = _authored(prim, name)
    if value is None:
        raise ParameterError(f"newton:{name} is missing: give lookupPositions and lookupEfforts")
    try:
        return np.array([float(str(np.float32(x))) for x in value])
    except (TypeError, ValueError):
        raise ParameterError(f"newton:{name} = {value!r}: must be a row of numbers") from None


def _steps(prim: Any) -> int:
    """The delay; Newton takes no default of its schema, so that none is none."""
    value = _authored(prim, "delaySteps")
    if value is None:
        return 0
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 10_000:
        raise ParameterError(f"newton:delaySteps = {value!r}: must be a whole number from 0 to 10000")
    return value


# --- parts


def _whole(prim: Any) -> Actuator:
    given = {name: _authored(prim, PREFIX + name) for name in ("actuator", "motor", "voltage", "kp", "ki", "kd")}
    given = {name: value for name, value in given.items() if value not in (None, "")}
    for name, value in given.items():
        text = name in ("actuator", "motor")
        if text != isinstance(value, str) or not (text or math.isfinite(value)):
            raise ParameterError(f"newton:{PREFIX}{name} = {value!r}: must be a {'text' if text else 'finite number'}")
    try:
        return carried(given)
    except ParameterError:
        raise
    except BackemfError as wrong:
        raise ParameterError(str(wrong)) from None


def _drive(prim: Any, integral: bool) -> Drive:
    more = {"ki": _number(prim, "ki"), "integral_max": _number(prim, "integralMax", None)} if integral else {}
    kp, kd, bias = (_number(prim, name) for name in ("kp", "kd", "constEffort"))
    return Drive(kp=kp, kd=kd, const_effort=bias, **more)


def _clamps(prim: Any, applied: list[str]) -> Iterator[Clamp]:
    for name in applied:
        if name == FLAT:
            yield MaxEffort(max_effort=_number(prim, "maxEffort", None))
        elif name == LINE:
            yield DcMotor(
                saturation_effort=_number(prim, "saturationEffort", None),
                velocity_limit=_number(prim, "velocityLimit", None),
                max_motor_effort=_number(prim, "maxMotorEffort", None),
            )
        elif name == TABLE:
            yield PositionBased(positions=_row(prim, "lookupPositions"), efforts=_row(prim, "lookupEfforts"))


def _of_joint(prim: Any) -> dict[str, Any]:
    """What the joint itself has; degrees end here."""
    if not prim or JOINT not in applied_schemas(prim):
        return {}
    angular = str(prim.GetTypeName()) != "PhysicsPrismaticJoint"
    return {
        "armature": _number(prim, "armature"),
        "coulomb": _number(prim, "friction"),
        "viscous": _number(prim, "damping", scale=1.0 / DEGREE if angular else 1.0),
    }


# --- in our words


def _in_our_words(pipeline: Pipeline) -> Actuator:
    """The nearest actuator of ours: the same but for when the integral takes an error, and for a constant torque."""
    drive = pipeline.drive
    controller: Any = IdealPd(stiffness=drive.kp, damping=drive.kd)
    if drive.ki is not None:
        bound = drive.integral_max if drive.ki else None
        controller = TorquePid(kp=drive.kp, ki=drive.ki, kd=drive.kd, integral_limit=bound)
    delay = None
    if pipeline.delay_steps:
        delay = Delay(steps=int(pipeline.delay_steps), schedule="isaaclab")
    return Actuator(controller=controller, limits=tuple(_limits(pipeline.clamps)), delay=delay)


def _limits(clamps: tuple[Clamp, ...]) -> Iterator[TorqueLimit]:
    for clamp in clamps:
        if isinstance(clamp, PositionBased):
            yield AngleTable(angle=clamp.positions, effort=clamp.efforts)
            continue
        line = isinstance(clamp, DcMotor) and clamp.velocity_limit is not None
        top = clamp.max_motor_effort if isinstance(clamp, DcMotor) else clamp.max_effort
        stall = clamp.saturation_effort if isinstance(clamp, DcMotor) else None
        if line and isinstance(clamp, DcMotor):
            # a top that is never reached: the line alone, up to any speed
            unreached = 1e6 * stall if stall else 0.0
            yield DcClip(
                saturation_effort=stall,
                velocity_limit=clamp.velocity_limit,
                effort_limit=unreached if top is None else top,
            )
            continue
        known = [x for x in (top, stall) if x is not None]
        if known:
            yield EffortLimit(effort_limit=min(known))
