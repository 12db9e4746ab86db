"""Motors of Webots' worlds, PROTOs and bare nodes, read as backemf actuators, and what is lost."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from ...errors import ParameterError
from ..joint import single
from ..loss import APPROXIMATED, DROPPED, Loss
from ..on_joint import Unread
from .about import ABOUT
from .held import CONTROLS, OnWebotsJoint, put_on_joint
from .motor import KINDS, WebotsJoint, WebotsMotor
from .nodes.unexpanded import what_is_needed
from .nodes.world_parts import World, WorldJoint
from .nodes.worlds import read


def read_actuator(
    text_or_path: str | os.PathLike[str],
    joint: str | None = None,
    *,
    version: str | None = None,
    control: str | None = None,
    inertia: float | None = None,
    assets: Iterable[str | os.PathLike[str]] = (),
) -> OnWebotsJoint:
    """The motor of a world, a PROTO or a bare node, and what Webots does with it.

    `joint` is the name of the motor, where there are several. `control` says what is commanded ("position", "velocity"
    or "torque"): without it, what the text says in a comment, else a position where controlPID is given, else a torque.
    `inertia` is what the joint moves [kg·m²], as far as the end point's Physics does not say it. `assets` are folders
    in which PROTOs are looked for.
    """
    ABOUT.require_version(version)
    found = _find_motor(read(text_or_path, assets=assets), joint, _file(text_or_path))
    if control is not None and control not in CONTROLS:
        raise ParameterError(f"control = {control!r}: must be one of {', '.join(CONTROLS)}")
    if inertia is not None:
        found = replace(found, inertia=single("inertia", inertia))
    return _on_joint(found, control)


def read_actuators(
    text_or_path: str | os.PathLike[str],
    *,
    version: str | None = None,
    control: str | None = None,
    assets: Iterable[str | os.PathLike[str]] = (),
) -> list[OnWebotsJoint | Unread]:
    """Every motor of a world, a PROTO or a bare node, in the order of the text; a motor that is not read says why."""
    ABOUT.require_version(version)
    world = read(text_or_path, skip=True, assets=assets)
    found = [(each.line, _on_joint(each, control)) for each in world.joints if each.motor is not None]
    rows = [each for _, each in sorted([*found, *world.unread], key=lambda pair: pair[0])]
    # a PROTO that is not read may have motors
    missing = [each for each in world.unexpanded if each.robot or each.is_robot]
    return rows + [Unread(each.kind, "PROTO", each.sentence()) for each in missing]


def _file(text_or_path: str | os.PathLike[str]) -> str:
    return "text" if isinstance(text_or_path, str) and "{" in text_or_path else str(text_or_path)


def _find_motor(world: World, joint: str | None, file: str) -> WorldJoint:
    motors = [found for found in world.joints if found.motor is not None]
    if not motors:
        needs = what_is_needed(world.unexpanded) or f"it should have a {' or a '.join(KINDS.values())}"
        raise ParameterError(f"{file}: there is no motor in it; {needs}")
    names = ", ".join(repr(found.name) for found in motors[:12])
    chosen = motors if joint is None else [found for found in motors if joint in (found.name, found.end_point)]
    if len(chosen) != 1:
        many = "which of its motors" if joint is None else f"joint = {joint!r}: no single motor has that name"
        raise ParameterError(f"{file}: {many}: there are {names}; give the name of one as joint=")
    return chosen[0]


def _on_joint(found: WorldJoint, control: str | None) -> OnWebotsJoint:
    assert found.motor is not None
    on = put_on_joint(found.motor, found.joint, control or found.control, found.name, found.inertia)
    return replace(on, losses=_losses(found.motor, found.joint, on.control))


def _losses(motor: WebotsMotor, joint: WebotsJoint, control: str) -> tuple[Loss, ...]:
    """What Webots has and a backemf actuator has not."""
    follows = control != "torque"
    rows: list[tuple[bool, str, str, str]] = [
        (follows, "controller", APPROXIMATED,
         "Webots reaches a velocity within one step, as far as maxTorque goes; here a controller asks for maxTorque "
         "where the velocity is off by maxVelocity."),
        (control == "position" and bool(motor.control_i or motor.control_d), "integral", DROPPED,
         f"controlPID has I = {motor.control_i:g} 1/s² and D = {motor.control_d:g}."),
        (motor.multiplier != 1.0, "command scale", DROPPED,
         f"Webots multiplies each command by {motor.multiplier:g}; here it is that of the joint."),
        (control == "position" and motor.acceleration >= 0.0, "slew", DROPPED,
         f"On the way to a position the velocity changes by {motor.acceleration:g} rad/s² at most."),
        (control != "position" and motor.min_position != motor.max_position, "command range", DROPPED,
         f"A {control} beyond {motor.min_position:g} to {motor.max_position:g} rad is not stopped."),
        (joint.spring_constant > 0.0, "spring", DROPPED,
         f"springConstant = {joint.spring_constant:g} N·m/rad is for the load to have."),
        (joint.min_stop is not None, "hard stops", DROPPED,
         f"minStop = {joint.min_stop} rad and maxStop = {joint.max_stop} rad are for the load to have."),
        (follows and joint.static_friction > 0.0, "dry friction", APPROXIMATED,
         "staticFriction has no effect in Webots while the motor goes to a position or a velocity."),
    ]  # fmt: skip
    return tuple(Loss(name, status, note) for there, name, status, note in rows if there)
