"""Which drive each joint of a robot gets, and what of the model's joint stays."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from ...actuator import Actuator
from ...datasheet import Finding
from ...datasheet.finding import Severity
from ...errors import BackemfError, ParameterError
from ...robot.actuator_set import ActuatorSet
from ...robot.joint_drive import JointDrive
from ...robot.robot import Robot
from ...sims.joint_patterns import fits
from ...sims.on_joint import OnJoint
from ...sims.pattern_alternatives import unused_alternatives
from ...sims.robot_model import FIXED, SLIDE, ModelJoint, RobotModel
from ...values import Foreign
from .models import place_of, read_model

MOST_NAMES = 8
"""Names that a sentence lists."""


@dataclass(frozen=True, kw_only=True)
class Placed:
    """A joint and what drives it."""

    joint: ModelJoint
    """The joint of the model."""
    pattern: str
    """Pattern of its drive."""
    overrides: tuple[str, ...]
    """Patterns of the overrides that apply to it."""
    drive: JointDrive
    """Its drive, overrides applied."""
    thing: Actuator | OnJoint
    """Its actuator, with the inertia and the friction that the joint keeps."""
    alone: Actuator
    """Its actuator, with what its own file says of the joint."""


@dataclass(frozen=True, kw_only=True)
class Placement:
    """The joints of a robot with their drives, and what is wrong with the patterns."""

    model: RobotModel
    """The model."""
    placed: tuple[Placed, ...]
    """Driven joints, in the order of the model."""
    findings: tuple[Finding, ...]
    """What is wrong; with an error among them, `placed` holds what could be placed."""


def finding(subject: str, severity: Severity, explanation: str, cause: str, **numbers: Foreign) -> Finding:
    """A finding about a joint or a pattern; `numbers` are listed, predicted and unit."""
    values: dict[str, Foreign] = {"listed": None, "predicted": None} | numbers
    return Finding(figure=subject, severity=severity, explanation=explanation, cause=cause, **values)


def list_names(names: list[str] | tuple[str, ...]) -> str:
    """Names, as many as a sentence has room for."""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return ", ".join(names[:MOST_NAMES]) + more


# --- patterns


def place(robot: Robot) -> Placement:
    """The drive of each joint, with findings where patterns and joints do not fit together."""
    model = read_model(robot)
    drives, findings = _match(robot, model)
    applied, more = _overrides(robot, drives)
    findings += more
    cache: dict[tuple[str, ...], tuple[JointDrive, Actuator, dict[str, Foreign]]] = {}
    placed = []
    for joint in model.joints:
        if joint.name not in drives:
            continue
        pattern, over = drives[joint.name], applied[joint.name]
        key = (pattern, *over)
        if key not in cache:
            drive = robot.drives[pattern]
            for each in over:
                drive = drive.changed_by(robot.overrides[each])
            try:
                cache[key] = drive, *drive.actuator(robot.supply)
            except BackemfError as error:
                where = f'override."{over[-1]}"' if over else f'joints."{pattern}"'
                raise ParameterError(f"{place_of(robot)}[{where}]: {error}") from None
        drive, actuator, own = cache[key]
        if model.path is None and actuator.motor is not None and actuator.motor.motion == "linear":
            # without a model, the motor says how its joint moves
            joint = replace(joint, kind=SLIDE)
        if problem := _motion_problem(joint, actuator, pattern):
            findings.append(problem)
            continue
        thing, alone = _with_joint(joint, drive, actuator, own), _alone(joint, actuator, own)
        placed.append(Placed(joint=joint, pattern=pattern, overrides=over, drive=drive, thing=thing, alone=alone))
    return Placement(model=model, placed=tuple(placed), findings=tuple(findings))


def _fits(robot: Robot, table: str, pattern: str, name: str) -> bool:
    try:
        return fits(pattern, name)
    except ParameterError as error:
        raise ParameterError(f"{place_of(robot)}[{table}]: {error}") from None


def _match(robot: Robot, model: RobotModel) -> tuple[dict[str, str], list[Finding]]:
    """The pattern of each driven joint."""
    found: dict[str, str] = {}
    findings: list[Finding] = []
    there = list_names([joint.name for joint in model.joints if joint.is_driven])
    for pattern in robot.drives:
        where = f'joints."{pattern}"'
        hits = [joint for joint in model.joints if _fits(robot, where, pattern, joint.name)]
        good = [joint for joint in hits if joint.is_driven]
        if not hits:
            words = f"matches no joint; there are {there}"
            findings.append(finding(where, "error", words, "pattern-without-joint"))
        elif not good:
            words = " and ".join(_why_none(joint) for joint in hits[:3])
            findings.append(finding(where, "error", f"matches only {words}: a motor has no place there", "no-place"))
        else:
            for joint in hits:
                if not joint.is_driven and joint.kind != FIXED:
                    words = f"matches {_why_none(joint)}, which gets no motor"
                    findings.append(finding(where, "info", words, "no-place"))
        findings += _unused(where, pattern, [joint.name for joint in model.joints])
        for joint in good:
            if joint.name in found:
                words = f'is matched by "{found[joint.name]}" and by "{pattern}": make one of them narrower'
                findings.append(finding(f"joint {joint.name}", "error", words, "overlap"))
            found.setdefault(joint.name, pattern)
    return found, findings + _shared(model, found) + _left_out(robot, model, found)


def _shared(model: RobotModel, found: dict[str, str]) -> list[Finding]:
    """Actuators that drive joints with and without a motor at once: they can neither stay nor go."""
    reach: dict[str, list[str]] = {}
    for joint in model.joints:
        for label in joint.actuators:
            reach.setdefault(label, []).append(joint.name)
    findings = []
    for label, names in reach.items():
        mine, others = [name for name in names if name in found], [name for name in names if name not in found]
        if mine and others:
            words = (
                f"the actuator {label!r} drives {', '.join(map(repr, others))} besides {', '.join(map(repr, mine))}, "
                "through a tendon or a crank: give them all a motor, or none of them"
            )
            findings.append(finding("model", "error", words, "shared-actuator"))
    return findings


def _left_out(robot: Robot, model: RobotModel, found: dict[str, str]) -> list[Finding]:
    """Joints without a motor, on purpose or not."""
    findings = []
    passive: set[str] = set()
    for pattern in robot.passive:
        hits = [joint.name for joint in model.joints if _fits(robot, "passive", pattern, joint.name)]
        if not hits:
            words = f'"{pattern}" matches no joint; leave it out'
            findings.append(finding("passive", "error", words, "pattern-without-joint"))
        both = [name for name in hits if name in found]
        if both:
            words = f'"{pattern}" matches {list_names(both)}, which has a drive: leave one of them out'
            findings.append(finding("passive", "error", words, "overlap"))
        findings += _unused("passive", pattern, [joint.name for joint in model.joints])
        passive |= set(hits)
    left = [joint for joint in model.joints if joint.is_driven and joint.name not in found | dict.fromkeys(passive)]
    rows = [(joint.name, _without_motor(joint, _moved_along(model, joint, found))) for joint in left]
    return findings + grouped(rows)


def _moved_along(model: RobotModel, joint: ModelJoint, found: dict[str, str]) -> str:
    """The joint with a motor or an actuator that moves a joint by equalities; empty: there is none."""
    seen, waiting = {joint.name}, [*joint.tied]
    while waiting:
        name = waiting.pop(0)
        if name in seen:
            continue
        seen.add(name)
        other = model.joint(name)
        if name in found or other.actuators:
            return name
        waiting += other.tied
    return ""


def _without_motor(joint: ModelJoint, moved_along: str) -> Finding:
    """What becomes of a joint that no pattern matches; one that an equality moves needs no motor."""
    if moved_along and not joint.actuators:
        return finding("", "info", f"no motor: an equality moves it with {moved_along!r}", "moved-along")
    keeps = f"it keeps {', '.join(joint.actuators)}" if joint.actuators else "it moves freely"
    if joint.coupled and not joint.actuators:
        keeps = f"{' and '.join(joint.coupled)} acts on it"
    words = f"no motor, and {keeps}: add a pattern that matches it, or name it in passive"
    return finding("", "warning", words, "no-motor")


def _unused(where: str, pattern: str, names: list[str]) -> list[Finding]:
    """Alternatives of a pattern that match none of some names, which may be typos."""
    words = 'its alternative "{}" matches no joint: correct it, or leave it out'
    return [
        finding(where, "warning", words.format(each), "alternative-without-joint")
        for each in unused_alternatives(pattern, names)
    ]


def grouped(rows: list[tuple[str, Finding]]) -> list[Finding]:
    """Findings of joints by their names; one where they are the same for several."""
    joints: dict[Finding, list[str]] = {}
    for name, one in rows:
        joints.setdefault(one, []).append(name)
    return [
        replace(one, figure=f"joint{'s' if len(names) > 1 else ''} {list_names(names)}")
        for one, names in joints.items()
    ]


def _why_none(joint: ModelJoint) -> str:
    if joint.follows:
        return f"{joint.name!r}, which mimics {joint.follows!r}"
    return f"{joint.name!r}, a {joint.kind} joint"


def _overrides(robot: Robot, drives: dict[str, str]) -> tuple[dict[str, tuple[str, ...]], list[Finding]]:
    applied: dict[str, tuple[str, ...]] = {name: () for name in drives}
    findings = []
    for pattern in robot.overrides:
        where = f'override."{pattern}"'
        hits = [name for name in drives if _fits(robot, where, pattern, name)]
        if not hits:
            words = f"matches no joint that has a drive; there are {list_names(list(drives))}"
            findings.append(finding(where, "error", words, "override-without-joint"))
        findings += _unused(where, pattern, list(drives))
        for name in hits:
            applied[name] += (pattern,)
    return applied, findings


# --- one joint


def _motion_problem(joint: ModelJoint, actuator: Actuator, pattern: str) -> Finding | None:
    """Whether a motor turns where the joint slides, or the other way round."""
    motor = actuator.motor
    if motor is None or (motor.motion == "linear") == (joint.kind == SLIDE):
        return None
    name = motor.name or "the motor"
    slide = 'slide = { kind = "LeadScrew", lead = "5 mm" }'
    words = f'slides, and {name} of "{pattern}" turns: give it a linear motor, or what brings it to the slide, {slide}'
    if joint.kind != SLIDE:
        words = f'turns, and {name} of "{pattern}" slides: give it a motor that turns, without slide'
    return finding(f"joint {joint.name}", "error", words, "motion")


def says_inertia(actuator: Actuator, own: dict[str, Foreign]) -> bool:
    """Whether the rotor's inertia is known."""
    return bool(own.get("armature")) or (actuator.motor is not None and actuator.motor.rotor is not None)


def says_friction(actuator: Actuator, own: dict[str, Foreign]) -> bool:
    """Whether anything is known of friction."""
    motor = actuator.motor
    inside = motor is not None and (motor.friction is not None or motor.drag is not None)
    return inside or actuator.friction is not None or bool(own.get("coulomb") or own.get("viscous"))


def _with_joint(
    joint: ModelJoint, drive: JointDrive, actuator: Actuator, own: dict[str, Foreign]
) -> Actuator | OnJoint:
    """The actuator with what the joint has besides it: of its file, and of the model where it is kept or added to."""
    values = {name: value for name, value in own.items() if name != "name"}
    kept: dict[str, float] = {}
    if drive.armature == "add" or not says_inertia(actuator, own):
        kept["armature"] = joint.armature or 0.0
    if drive.friction == "add" or not says_friction(actuator, own):
        kept["coulomb"], kept["viscous"] = joint.coulomb or 0.0, joint.viscous or 0.0
    for name, value in kept.items():
        values[name] = float(values.get(name) or 0.0) + value
    if values.get("stiction") is not None and kept.get("coulomb"):
        values["stiction"] += kept["coulomb"]
    known = {name: value for name, value in values.items() if value}
    return OnJoint(actuator=actuator, **known) if known else actuator


def _alone(joint: ModelJoint, actuator: Actuator, own: dict[str, Foreign]) -> Actuator:
    values = {name: value for name, value in own.items() if name != "name" and value}
    return OnJoint(actuator=actuator, joint=joint.name, **values).fold() if values else actuator


# --- the whole


def place_drives(robot: Robot) -> Placement:
    """The drive of each joint; raise ParameterError where patterns and joints do not fit together."""
    found = place(robot)
    for each in found.findings:
        if each.severity == "error":
            raise ParameterError(f"{place_of(robot)}{each.figure}: {each.explanation}")
    return found


def joints_by_pattern(robot: Robot) -> dict[str, tuple[str, ...]]:
    """Names of the joints that each pattern drives."""
    placed = place_drives(robot).placed
    return {pattern: tuple(each.joint.name for each in placed if each.pattern == pattern) for pattern in robot.drives}


def robot_actuators(robot: Robot) -> ActuatorSet:
    """The actuators of all driven joints; what the model's joint has itself is the host's."""
    placed = place_drives(robot).placed
    actuators = {re.escape(each.joint.name): each.alone for each in placed}
    return ActuatorSet([each.joint.name for each in placed], actuators)
