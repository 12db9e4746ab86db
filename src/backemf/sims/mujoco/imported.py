"""Actuators that are already in a MuJoCo model, as backemf actuators, with the law that MuJoCo gives them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from pathlib import Path
from typing import NamedTuple, cast

from ...actuator import Actuator
from ...actuator.torque_limits import EffortRange
from ...errors import ParameterError, errors_at
from ...motor import Motor
from ..loss import APPROXIMATED, DROPPED, Loss
from ..mjcf import actuator_elements, parse_mjcf
from ..mujoco_types import ModelSource
from ..on_joint import OnJoint, Unread
from .general_reading import OUTSIDE, actuator_of_general, effort_limits
from .kinds import ModelActuator, actuators_of
from .motor_actuator import delay_of, drag_of, joint_range_row, motor_actuator, motor_rows
from .motor_law import MujocoOnJoint
from .picking import pick
from .reading import installed_version, is_motor
from .sources import Found, checked_source, from_file, from_model, without_motors
from .stripped import Compiled, compiled_source
from .versions import VERSIONS, in_volts, known_version, read_inputs


def read_actuator(
    model: ModelSource, joint: str | None = None, actuator: str | int | None = None, *, version: str | None = None
) -> MujocoOnJoint:
    """An actuator of an MJCF text, of a path to one, or of an `MjModel`: as a backemf actuator, with its joint.

    It is found by its joint, its name or its number; where the model has one, nothing need be said. `law()` is what
    MuJoCo of that `version` does, `losses` what the actuator does not hold of it. Files of meshes may be missing.
    """
    source = open_model(model, VERSIONS[-1] if version is None else version)
    try:
        return on_joint_of(source, pick(source.names, source.joints, joint, actuator))
    except ParameterError as error:
        raise ParameterError(f"{file_of(model)}{error}") from None


def read_actuators(model: ModelSource, *, version: str | None = None) -> list[OnJoint | Unread]:
    """Every actuator of an MJCF text, of a path to one, or of an `MjModel`, in order.

    Each is a `MujocoOnJoint` as `read_actuator` gives it, or an `Unread` that says why it is not read.
    """
    source = open_model(model, VERSIONS[-1] if version is None else version)
    rows: list[OnJoint | Unread] = []
    for index, name in enumerate(source.names):
        try:
            rows.append(on_joint_of(source, index))
        except ParameterError as error:
            shown = name or source.joints[index] or f"number {index}"
            why = str(error) if repr(shown) in str(error) else f"actuator {shown!r}: {error}"
            rows.append(Unread(name=shown, kind=source.kind(index), why=f"{file_of(model)}{why}"))
    return rows


def file_of(model: ModelSource) -> str:
    """What an error begins with: the file, if there is one."""
    is_text = isinstance(model, str) and model.removeprefix("\ufeff").lstrip().startswith("<")
    return f"{model}: " if isinstance(model, (str, Path)) and not is_text else ""


class Source(NamedTuple):
    """The actuators of a model."""

    names: list[str | None]
    """Name of each; None where it has none."""
    joints: list[str | None]
    """Joint that each drives; None where it drives something else."""
    kind: Callable[[int], str]
    """What MuJoCo calls one."""
    find: Callable[[int], Found]
    """One with its joint; raises ParameterError where it cannot be read."""


def open_model(model: ModelSource, version: str) -> Source:
    """The actuators of a model, by the installed MuJoCo if it can compile them, else out of the file."""
    known_version(version)
    if isinstance(model, (str, Path)):
        try:
            return open_file(checked_source(model), version)
        except RecursionError:
            raise too_deep() from None
    if type(model).__name__ != "MjModel":
        raise ParameterError(f"{type(model).__name__}(...): give an MJCF text, a path to one, or an MjModel")
    return of_compiled(compiled_source(model), version)


def too_deep() -> ParameterError:
    """A file that no robot needs."""
    return ParameterError("the model is nested too deeply to be a robot")


def of_compiled(source: Compiled, version: str) -> Source:
    """The actuators of a compiled model."""
    rows = actuators_of(source.mujoco, source.model)
    return Source(
        [source.model.actuator(row.index).name or None for row in rows],
        [row.joint_name for row in rows],
        kind=lambda index: ModelActuator(source.mujoco, source.model, index).kind,
        find=lambda index: from_model(source, index, version),
    )


def open_file(source: str | Path, version: str) -> Source:
    """The actuators of a file: dcmotors of the other generation out of its text, all else as MuJoCo compiles it."""
    root = parse_mjcf(source)
    elements = actuator_elements(root)
    installed = installed_version()
    foreign = installed is None or in_volts(installed) != in_volts(version)
    # one dcmotor with words of the other generation is enough for MuJoCo to refuse the model
    strange = foreign or not all(fits(each.get("input"), version) for each in root.iter("dcmotor"))
    own = [is_motor(element) and strange for element in elements]
    if not any(own):
        return of_compiled(compiled_source(source), version)
    compiled: list[Source] = []

    def rest() -> Source:
        # compiled when it is first needed: without MuJoCo the dcmotors are read all the same
        if not compiled:
            compiled.append(of_compiled(compiled_source(without_motors(root)), version))
            if len(compiled[0].names) != len(elements):
                raise ParameterError(
                    f"the model has {len(compiled[0].names)} actuators and its file {len(elements)}: dcmotors of "
                    f"MuJoCo {version} beside copied actuators can be read by a MuJoCo of that generation"
                )
        return compiled[0]

    def find(index: int) -> Found:
        if not own[index]:
            return rest().find(index)
        # MuJoCo's own message only says that it does not know the word
        if elements[index].get("input") is not None:
            read_inputs(elements[index].get("input"), version)
        return from_file(root, index, version)

    return Source(
        [element.get("name") for element in elements],
        [element.get("joint") or element.get("jointinparent") for element in elements],
        kind=lambda index: elements[index].tag,
        find=find,
    )


def fits(words: str | None, version: str) -> bool:
    """Whether a version has these inputs."""
    try:
        return words is None or bool(read_inputs(words, version)) or words.strip() == "none"
    except ParameterError:
        return False


def on_joint_of(source: Source, index: int) -> MujocoOnJoint:
    """An actuator with its joint, and what is lost."""
    try:
        found = source.find(index)
    except RecursionError:
        raise too_deep() from None
    facts, general = found.joint, found.general
    if general is not None:
        own, losses = actuator_of_general(general, found.name)
        own = replace(own, delay=delay_of(found))
    else:
        assert found.motor is not None
        own, losses = motor_actuator(found, found.motor), motor_rows(found.motor)
    if facts.slides and own.motor is not None:
        own = replace(own, motor=replace(own.motor, motion="linear"))
    own, more = with_joint(found, own, source.joints.count(facts.name))
    viscous, *higher = (a + b for a, b in zip(facts.damping, found.damping, strict=True))
    if any(higher) and own.motor is not None:
        own = replace(own, motor=with_drag(own.motor, tuple(higher)))
    elif any(higher):
        note = f"damping of the second and third order, {' '.join(f'{x:g}' for x in higher)}, needs a motor here"
        more.append(Loss("higher-order damping", DROPPED, note))
    return MujocoOnJoint(
        actuator=own,
        joint=facts.name,
        armature=facts.armature + found.armature,
        coulomb=facts.frictionloss,
        viscous=viscous + (0.0 if general is None else general.moved_damping),
        motor=found.motor,
        general=general,
        higher_drag=tuple(higher),
        lowest_effort=facts.effort_range[0],
        highest_effort=facts.effort_range[1],
        history=found.history,
        losses=(*losses, *more, *facts.losses),
    )


def with_joint(found: Found, own: Actuator, count: int) -> tuple[Actuator, list[Loss]]:
    """The actuator within the joint's own range of effort, and what is lost of the joint."""
    facts, losses = found.joint, []
    if count > 1:
        note = f"{count} actuators drive the joint, and its armature and friction are given with each: count them once"
        losses.append(Loss("joint", APPROXIMATED, note))
    with errors_at(f"joint {facts.name!r}"):
        bounds = effort_limits(facts.effort_range, 1.0, "actuatorfrcrange")
    if not bounds:
        return own, losses
    if found.general is not None and found.general.moved_damping and not own.limits:
        losses.append(OUTSIDE)
    if count > 1:
        note = "actuatorfrcrange bounds the sum of the joint's actuators in MuJoCo; here it bounds each"
        losses.append(Loss("joint effort range", APPROXIMATED, note))
    elif found.motor is not None and (row := joint_range_row(found.motor)) is not None:
        losses.append(row)
    lows, highs = zip(
        *((limit.lowest, limit.highest) for limit in cast(tuple[EffortRange, ...], (*bounds, *own.limits))), strict=True
    )
    return replace(own, limits=(EffortRange(lowest=max(lows) or 0.0, highest=min(highs) or 0.0),)), losses


def with_drag(motor: Motor, higher: tuple[float, ...]) -> Motor:
    """A motor with the joint's damping of the second and third order."""
    had = () if motor.drag is None else motor.drag.coefficients
    n = abs(motor.ratio)
    more = (0.0, *(each / n ** (order + 1) for order, each in enumerate(higher, start=2)))
    return replace(motor, drag=drag_of(tuple(a + b for a, b in zip_longest(had, more, fillvalue=0.0))))
