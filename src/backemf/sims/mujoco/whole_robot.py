"""A whole robot in MJCF: the model with every actuator of a driven joint replaced, and all else as it was."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import ModuleType
from typing import cast
from xml.etree import ElementTree

import numpy as np

from ...errors import ParameterError
from ..mjcf_edit import MjcfFile
from ..mjcf_springs import put_springs
from ..mujoco_types import MjModel, MjSpec
from ..on_joint import Unread
from ..robot_text import RobotKind, RobotParts, RobotText
from ..types import Fields
from .imported import read_actuators
from .kinds import ModelActuator, actuators_of
from .motor import DcMotor
from .motor_law import MujocoOnJoint
from .reading import default_chain, installed_version
from .robot_model import model_of
from .stripped import Compiled, compiled_source, without_files
from .urdf_model import convert_urdf
from .versions import VERSIONS, in_volts
from .written.attaching import integrator_change
from .written.existing import amount, moved_by, units_of
from .written.writing import WrittenMotor, value_text, write

LIFTED = (
    "ctrlrange", "ctrllimited", "forcerange", "forcelimited", "actrange", "actlimited", "gear", "armature", "damping",
    "delay", "nsample", "interp", "actearly",
)  # fmt: skip
"""Attributes of a default class that would act on a motor too."""
ACTUATORS = (
    "general", "motor", "position", "velocity", "intvelocity", "dcmotor", "pid", "damper", "cylinder", "muscle",
    "adhesion",
)  # fmt: skip
"""Elements of default classes that hold for every actuator of the class, whatever its own element."""
INPUTS = {"position": "position", "motor": "effort", "velocity": "velocity", "intvelocity": "velocity"}
"""What the control of an element without inputs is."""


@dataclass
class Edit:
    """A model while it is changed."""

    file: MjcfFile
    mujoco: ModuleType
    model: MjModel
    changes: list[str] = field(default_factory=list)
    made: dict[str, WrittenMotor] = field(default_factory=dict)
    """What was written for each joint."""
    kept: list[ElementTree.Element] = field(default_factory=list)
    """The new elements, so that their ids stay theirs."""
    slots: dict[int, tuple[str, int]] = field(default_factory=dict)
    """Of each new element, by its id: its joint, and the number of the actuator that it replaces, or -1."""


def write_robot(parts: RobotParts) -> RobotText:
    """The model with a motor on every driven joint, in place of the actuator that the joint had."""
    version = VERSIONS[-1] if parts.version is None else parts.version
    file, compiled, notes = open_robot(parts)
    edit = Edit(file, compiled.mujoco, compiled.model)
    file.require_actuators(len(compiled.model.actuator_trntype))
    before = [(each, number) for number, each in enumerate(file.elements)]
    for joint, kind in parts.driven.items():
        edit.made[joint] = write(
            kind.thing, joint, version=version, timestep=parts.timestep, effort=parts.effort,
            name=name_for(edit, joint),
        )  # fmt: skip
    put_actuators(edit)
    put_joints(edit)
    kinds, springs = put_springs(file, parts)
    edit.changes += springs
    notes += [*set_keys(edit, before), *control_notes(edit)]
    file.move_to(parts.output.parent)
    text = file.text()
    notes += verify(text, parts, edit, version)
    return RobotText(text=text, changes=tuple(edit.changes), notes=tuple(notes), kinds=kinds)


def open_robot(parts: RobotParts) -> tuple[MjcfFile, Compiled, list[str]]:
    """The tree of a model and its compiled form; a URDF is converted by MuJoCo."""
    path = parts.model.path
    if path is None or parts.model.format not in ("MJCF", "URDF"):
        raise ParameterError(f"MuJoCo loads MJCF or URDF, and the robot has {parts.model.format}: give such a model")
    if parts.model.format == "MJCF":
        return MjcfFile(path), compiled_source(path), []
    text, compiled, notes = convert_urdf(path)
    return MjcfFile(path, text), compiled, notes


# --- actuators


def direct(edit: Edit, joint: str) -> list[ModelActuator]:
    """Actuators that drive a joint and nothing else."""
    return [each for each in actuators_of(edit.mujoco, edit.model) if each.joint_name == joint]


def name_for(edit: Edit, joint: str) -> str:
    """The name of the actuator that is replaced, so that programs find the motor by it; else the joint's."""
    names = [edit.file.elements[each.index].get("name") for each in direct(edit, joint)]
    taken = {each.get("name") for each in edit.file.elements} - set(names)
    chosen = next((name for name in names if name), None) or joint
    while chosen in taken:
        chosen += "_motor"
    return chosen


def put_actuators(edit: Edit) -> None:
    """Each motor in the place of the first actuator of its joint; other actuators of the joint go."""
    file, elements, going = edit.file, list(edit.file.elements), []
    for joint, label, number in indirect(edit):
        going.append(elements[number])
        edit.changes.append(f"joint {joint!r}: the actuator {label} is removed.")
    for joint, written in edit.made.items():
        new = ElementTree.fromstring(written.element)
        own = [each.index for each in direct(edit, joint)]
        shown = f"<{new.tag}> {new.get('name')!r}"
        if own:
            names = " and ".join(f"<{elements[at].tag}> {elements[at].get('name', '')!r}" for at in own)
            edit.changes.append(f"joint {joint!r}: {names} replaced by {shown}.")
            file.replace(elements[own[0]], new)
            going += [elements[at] for at in own[1:]]
        else:
            edit.changes.append(f"joint {joint!r}: {shown} added; it had no actuator.")
            file.append(new)
        edit.slots[id(new)] = joint, own[0] if own else -1
        edit.kept.append(new)
    edit.changes += file.remove(going)
    clear_defaults(edit)


def indirect(edit: Edit) -> list[tuple[str, str, int]]:
    """Actuators that reach driven joints through tendons or cranks, as joint, label and number.

    Raise ParameterError where one of them drives a joint without a motor as well.
    """
    actuators = actuators_of(edit.mujoco, edit.model)
    if all(each.joint_number is not None for each in actuators):
        return []
    found = []
    for each, joints in zip(actuators, moved_by(edit.mujoco, edit.model), strict=True):
        mine = [joint for joint in joints if joint in edit.made]
        if each.joint_number is not None or not mine:
            continue
        others = [joint for joint in joints if joint not in edit.made]
        if others:
            raise ParameterError(
                f"{edit.file.path}: the actuator {each.label!r} drives {', '.join(map(repr, others))} besides "
                f"{', '.join(map(repr, mine))}, through a tendon or a crank: give them all a motor, or none of them"
            )
        found.append((", ".join(mine), repr(each.label), each.index))
    return found


def clear_defaults(edit: Edit) -> None:
    """Keep the default class of all actuators off the motors: what it says goes to the actuators that stay."""
    root = edit.file.root
    staying = [each for each in edit.file.elements if id(each) not in edit.slots]
    classes = {id(each): default_chain(root, each.get("class", "main"), ACTUATORS) for each in staying}
    for section in root.findall("default"):
        if section.get("class", "main") != "main":
            continue
        for element in [each for each in section if each.tag in ACTUATORS]:
            for word in [word for word in LIFTED if word in element.attrib]:
                value = element.attrib.pop(word)
                for each in staying:
                    nearer = [own for own in classes[id(each)] if own is not element]
                    if word not in each.attrib and not any(word in own.attrib for own in nearer):
                        each.set(word, value)
            if not staying:
                section.remove(element)


# --- joints


def put_joints(edit: Edit) -> None:
    """Inertia and friction of each joint, where they change."""
    model = edit.model
    for joint, written in edit.made.items():
        number = model.joint(joint).id
        dof, slide = int(model.jnt_dofadr[number]), int(model.jnt_type[number]) == int(edit.mujoco.mjtJoint.mjJNT_SLIDE)
        had = {
            "armature": (float(model.dof_armature[dof]),),
            "frictionloss": (float(model.dof_frictionloss[dof]),),
            "damping": (float(model.dof_damping[dof]), *map(float, model.dof_dampingpoly[dof])),
        }
        words = {}
        for name, old in had.items():
            new = float(written.joint_attributes.get(name, 0.0))
            if old == (new, *(0.0 for _ in old[1:])):
                continue
            words[name] = value_text((new, 0.0, 0.0) if any(old[1:]) else new)
            if any(old):
                unit = units_of(slide)[name]
                moved = drag_of(written) if name == "damping" else (new,)
                now = f"replaced by {amount(moved, unit)}" if any(moved) else "removed: the motor has its own friction"
                where = " in the actuator" if name == "damping" and any(moved) else ""
                edit.changes.append(f"joint {joint!r}: {name} {amount(old, unit)} {now}{where}.")
        if words:
            edit.file.set_joint(joint, words)


def drag_of(written: WrittenMotor) -> tuple[float, ...]:
    """Damping of the actuator itself, by order."""
    found = written.attributes.get("damping", 0.0)
    row = found if isinstance(found, tuple) else (found,)
    own = written.joint_attributes.get("damping", 0.0)
    return (row[0] + own, *row[1:])


# --- keyframes


def inputs_of(written: WrittenMotor) -> list[str]:
    """What each control of an actuator is."""
    words = written.attributes.get("input")
    return str(words).split() if words else [INPUTS.get(written.kind, "effort")]


def set_keys(edit: Edit, before: list[tuple[ElementTree.Element, int]]) -> list[str]:
    """Controls of the keyframes in the new order; a note where an activation is left out."""
    model, keys = edit.model, edit.file.keys()
    old = {id(element): number for element, number in before}
    several = hasattr(model, "actuator_ctrlnum")
    sizes = [int(x) for x in model.actuator_ctrlnum] if several else [1] * len(before)
    starts = np.cumsum([0, *sizes])
    rows = actuators_of(edit.mujoco, model)
    notes = []
    for number, key in enumerate(keys):
        if key.attrib.pop("act", None) is not None:
            notes.append(f"The keyframe {key.get('name', number)!r} had activations of actuators; they are left out.")
        if key.get("ctrl") is None:
            continue
        ctrl, qpos = model.key_ctrl[number], model.key_qpos[number]
        values: list[float] = []
        for element in edit.file.elements:
            if id(element) not in edit.slots:
                at = old[id(element)]
                values += [float(x) for x in ctrl[starts[at] : starts[at + 1]]]
                continue
            joint, at = edit.slots[id(element)]
            place = float(qpos[int(model.jnt_qposadr[model.joint(joint).id])])
            if at >= 0 and rows[at].kind == "position" and rows[at].numbers("gear")[0] == 1.0:
                # a target that holds the joint against its weight
                place = float(ctrl[starts[at]])
            words = inputs_of(edit.made[joint])
            values += [place if word in ("pos", "position") else 0.0 for word in words]
        key.set("ctrl", value_text(tuple(values)))
    return notes


def control_notes(edit: Edit) -> list[str]:
    """A note where motors have several controls, since programs that set them have to know."""
    found: dict[tuple[str, ...], list[str]] = {}
    for joint, written in edit.made.items():
        found.setdefault(tuple(inputs_of(written)), []).append(joint)
    return [
        f"The motors of {', '.join(joints[:3])}{' and others' if len(joints) > 3 else ''} have {len(words)} controls "
        f"each: {', '.join(words)}."
        for words, joints in found.items()
        if len(words) > 1
    ]


# --- what was written


def verify(text: str, parts: RobotParts, edit: Edit, version: str) -> list[str]:
    """Read the text as MuJoCo does; notes on what differs from the motor, and on what the integrator cannot hold.

    Raise ParameterError where the installed MuJoCo refuses it.
    """
    installed = installed_version()
    notes = []
    try:
        rows = {row.joint: row for row in read_actuators(text, version=version) if not isinstance(row, Unread)}
    except ParameterError as error:
        raise ParameterError(f"{parts.model.path}: with its motors MuJoCo refuses it: {error}") from None
    for joint, kind in parts.driven.items():
        row = rows.get(joint)
        if row is None or not same_numbers(row, kind):
            notes.append(f"joint {joint!r}: a default class of the model changes the motor; look at its actuators.")
    if installed is None or in_volts(installed) != in_volts(version):
        words = "No MuJoCo" if installed is None else f"MuJoCo {installed}"
        return [*notes, f"{words} is installed, and {version} was asked for: the file was read here, and not compiled."]
    spec = cast(MjSpec, edit.mujoco.MjSpec.from_string(text))
    model = without_files(edit.mujoco, spec).model
    model_of(edit.mujoco, model, parts.model.path)
    for joint, written in edit.made.items():
        if written.kind != "dcmotor":
            continue
        attributes: Fields = dict(written.attributes)
        change = integrator_change(edit.mujoco, model, joint, DcMotor.from_attributes(version=version, **attributes))
        if change.status == "unstable":
            notes.append(change.note)
    return notes


def same_numbers(row: object, kind: RobotKind) -> bool:
    """Whether an actuator of the robot has the numbers that it has alone."""
    alone = kind.on_joint
    if not isinstance(row, MujocoOnJoint) or not isinstance(alone, MujocoOnJoint):
        return False
    return row.motor == alone.motor and row.general == alone.general
