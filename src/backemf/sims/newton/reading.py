"""NewtonActuator prims read back: what Newton's parser would make of them, as a backemf actuator and as its own law."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from typing import cast

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, TorquePid
from ...actuator.delay import Delay
from ...actuator.torque_limits import AngleTable, DcClip, EffortLimit, TorqueLimit
from ...errors import BackemfError, ParameterError, errors_at
from ..loss import APPROXIMATED, DROPPED, UNKNOWN, Loss
from ..on_joint import Unread
from ..types import Fields
from ..usd import applied_schemas, open_stage
from ..usd_types import Prim, Stage, StageSource
from .about import ABOUT, ACTUATOR
from .attributes import authored_names, authored_value, number, row, steps
from .carrier import NAMES, PREFIX, actuator_from
from .joint_prim import joint_numbers, without_rotor
from .law import Clamp, DcMotor, Drive, MaxEffort, Pipeline, PositionBased
from .on_joint import NewtonJoint

BACKEMF, BACKEMF_CLAMP = "BackemfControlAPI", "BackemfClampingAPI"
PD, PID, NEURAL = "NewtonPDControlAPI", "NewtonPIDControlAPI", "NewtonNeuralControlAPI"
FLAT, LINE, TABLE = "NewtonMaxEffortClampingAPI", "NewtonDCMotorClampingAPI", "NewtonPositionBasedClampingAPI"
DELAY = "NewtonActuatorDelayAPI"
DRIVES = (PD, PID, NEURAL, BACKEMF)
SCHEMAS: dict[str, tuple[str, ...]] = {
    PD: ("constEffort", "kp", "kd"),
    PID: ("constEffort", "kp", "kd", "ki", "integralMax"),
    NEURAL: ("modelPath",),
    FLAT: ("maxEffort",),
    LINE: ("maxMotorEffort", "saturationEffort", "velocityLimit"),
    TABLE: ("lookupPositions", "lookupEfforts"),
    DELAY: ("delaySteps",),
    BACKEMF: tuple(PREFIX + name for name in NAMES),
    BACKEMF_CLAMP: (PREFIX + "limits",),
}
"""The attributes of each schema that a prim may have."""
BESIDE = "the backemf actuator has everything: remove Newton's clamps and delay"


def read_actuators(stage: StageSource, *, version: str | None = None) -> list[NewtonJoint | Unread]:
    """Every NewtonActuator of a stage, file or text in order: as an actuator, or why it is not read.

    The joint's own numbers go with its first actuator, so that they count once.
    """
    ABOUT.require_version(version)
    # prims live only as long as their stage is referenced
    whole, found = open_stage(stage), []
    seen: set[str] = set()
    for prim in _prims(whole):
        try:
            target = _target(prim)
            found.append(_read(prim, target, target not in seen))
            seen.add(target)
        except ParameterError as wrong:
            found.append(Unread(str(prim.GetPath()), _kind(prim), f"{_place(stage, prim)}: {wrong}"))
    return found


def read_actuator(stage: StageSource, joint: str | None = None, *, version: str | None = None) -> NewtonJoint:
    """The actuator of a joint in a stage, file or text, by the joint's path or name; None: the only one."""
    ABOUT.require_version(version)
    whole = open_stage(stage)
    prim = _find(whole, joint)
    with errors_at(_place(stage, prim)):
        return _read(prim, _target(prim))


# --- prims


def _prims(stage: Stage) -> Iterator[Prim]:
    """Every NewtonActuator prim; a class of prims is none of them."""
    return (x for x in stage.TraverseAll() if str(x.GetTypeName()) == ACTUATOR and not x.IsAbstract())


def _find(stage: Stage, joint: str | None) -> Prim:
    """The prim of an actuator; one that is switched off is not meant."""
    found = [(prim, _targets(prim)) for prim in _prims(stage) if prim.IsActive()]
    if joint is not None:
        found = [pair for pair in found if any(joint in (path, path.rpartition("/")[2]) for path in pair[1])]
    if len(found) == 1:
        return found[0][0]
    if not found:
        raise ParameterError("the stage has no NewtonActuator" + ("" if joint is None else f" for the joint {joint!r}"))
    shown = ", ".join(" and ".join(paths) or str(prim.GetPath()) for prim, paths in found[:8])
    raise ParameterError(f"the stage has {len(found)} actuators it could be: give joint=, one of {shown}")


def _targets(prim: Prim) -> list[str]:
    relation = prim.GetRelationship("newton:targets")
    return [str(path) for path in relation.GetTargets()] if relation else []


def _target(prim: Prim) -> str:
    """The path of an actuator's joint."""
    targets = _targets(prim)
    if not prim.IsActive():
        raise ParameterError("is switched off (active = false): Newton does not make it")
    if len(targets) != 1:
        raise ParameterError(f"newton:targets names {len(targets)} joints: must be one")
    return targets[0]


def _place(stage: StageSource, prim: Prim) -> str:
    """The file, if it is one, and the path of a prim."""
    file = isinstance(stage, os.PathLike) or (isinstance(stage, str) and not stage.lstrip().startswith("#usda"))
    return f"{stage}, {prim.GetPath()}" if file else str(prim.GetPath())


def _kind(prim: Prim) -> str:
    return next((name for name in applied_schemas(prim) if name in DRIVES), ACTUATOR)


# --- one actuator


def _read(prim: Prim, target: str, own: bool = True) -> NewtonJoint:
    every = applied_schemas(prim)
    applied = [name for name in every if name in SCHEMAS]
    drives = [name for name in applied if name in DRIVES]
    if len(drives) != 1:
        shown = " and ".join(drives) or "no drive"
        raise ParameterError(f"has {shown}: must have one of {PD}, {PID} and {BACKEMF}")
    numbers, losses = joint_numbers(prim.GetStage().GetPrimAtPath(target), target) if own else ({}, [])
    losses += _not_taken(prim, every, applied)
    if drives == [BACKEMF]:
        if len(applied) > 1:
            raise ParameterError(f"has {applied[1] if applied[0] == BACKEMF else applied[0]} too: {BESIDE}")
        actuator = _whole(prim)
        numbers, more = without_rotor(numbers, actuator, target)
        return NewtonJoint(actuator=actuator, joint=target, losses=(*losses, *more), **numbers)
    if NEURAL in drives or BACKEMF_CLAMP in applied:
        raise ParameterError(f"has {NEURAL if NEURAL in drives else BACKEMF_CLAMP}: only Newton itself can run it")
    pipeline = Pipeline(
        drive=_drive(prim, drives[0] == PID),
        clamps=tuple(_clamps(prim, applied)),
        delay_steps=steps(prim) if DELAY in applied else 0,
    )
    bias: Fields = {"const_effort": pipeline.drive.const_effort} if pipeline.drive.const_effort else {}
    return NewtonJoint(
        actuator=_as_ours(pipeline),
        joint=target,
        pipeline=pipeline,
        beside=bias,
        losses=(*losses, *_approximations(pipeline)),
        **numbers,
    )


def _not_taken(prim: Prim, every: list[str], applied: list[str]) -> Iterator[Loss]:
    """Schemas and attributes of the prim that are not read."""
    for name in every:
        if name not in SCHEMAS and name.endswith("API"):
            yield Loss(name, UNKNOWN, f"{prim.GetPath()}: {name} is none of Newton's own schemas and is not read.")
    taken = {name for schema in applied for name in SCHEMAS[schema]}
    for name in authored_names(prim):
        if name not in taken:
            told = f"{prim.GetPath()}: newton:{name}: no schema of the prim has it, so that Newton does not read it."
            yield Loss(f"newton:{name}", DROPPED, told)


def _whole(prim: Prim) -> Actuator:
    given = {name: authored_value(prim, PREFIX + name) for name in NAMES}
    given = {name: value for name, value in given.items() if value not in (None, "")}
    for name, value in given.items():
        text = name in ("actuator", "motor")
        if text != isinstance(value, str) or not (text or math.isfinite(value)):
            raise ParameterError(f"newton:{PREFIX}{name} = {value!r}: must be a {'text' if text else 'finite number'}")
    try:
        return actuator_from(given)
    except ParameterError:
        raise
    except BackemfError as wrong:
        raise ParameterError(str(wrong)) from None


def _drive(prim: Prim, integral: bool) -> Drive:
    more = {"ki": number(prim, "ki"), "integral_max": number(prim, "integralMax", None)} if integral else {}
    kp, kd, bias = (cast(float, number(prim, name)) for name in ("kp", "kd", "constEffort"))
    return Drive(kp=kp, kd=kd, const_effort=bias, **more)


def _clamps(prim: Prim, applied: list[str]) -> Iterator[Clamp]:
    for name in applied:
        if name == FLAT:
            yield MaxEffort(max_effort=number(prim, "maxEffort", None))
        elif name == LINE:
            yield DcMotor(
                saturation_effort=number(prim, "saturationEffort", None),
                velocity_limit=number(prim, "velocityLimit", None),
                max_motor_effort=number(prim, "maxMotorEffort", None),
            )
        elif name == TABLE:
            yield PositionBased(positions=row(prim, "lookupPositions"), efforts=row(prim, "lookupEfforts"))


# --- as a backemf actuator


def _as_ours(pipeline: Pipeline) -> Actuator:
    """The nearest backemf actuator: the same except when the integral takes an error, and without a constant torque.

    Newton's drives take position, velocity and effort targets, as our controllers in torque do.
    """
    drive = pipeline.drive
    controller: IdealPd | TorquePid = IdealPd(stiffness=drive.kp, damping=drive.kd)
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
        if line and isinstance(clamp, DcMotor) and stall is not None and clamp.velocity_limit is not None:
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


def _approximations(pipeline: Pipeline) -> Iterator[Loss]:
    """What of Newton's law the actuator does otherwise or not at all."""
    drive = pipeline.drive
    if drive.ki:
        told = "Newton's integral takes this step's error before it is used: a step earlier than ours."
        yield Loss("integral", APPROXIMATED, told)
    if drive.const_effort:
        told = f"newton:constEffort = {drive.const_effort:g} N·m is beside the actuator: only Newton adds it."
        yield Loss("constant torque", DROPPED, told)
    for k, line in enumerate(pipeline.clamps):
        if isinstance(line, DcMotor) and line.velocity_limit is not None and _order_counts(line, pipeline.clamps[:k]):
            told = "Beyond the no-load speed Newton's last clamp wins, the torque-speed line; here the tightest does."
            yield Loss("effort limit", APPROXIMATED, told)


def _order_counts(line: DcMotor, before: tuple[Clamp, ...]) -> bool:
    """Whether a clamp before a line holds less than the torque with which the line brakes beyond the no-load speed."""
    most = math.inf if line.max_motor_effort is None else line.max_motor_effort
    for other in before:
        if isinstance(other, MaxEffort) and other.max_effort is not None and other.max_effort < most:
            return True
        if isinstance(other, PositionBased) and other.efforts.min() < most:
            return True
    return False
