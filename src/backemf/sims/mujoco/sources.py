"""Finding an actuator and its joint: in a compiled model, or in the file of the other generation."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from ...actuator import Actuator
from ...errors import ParameterError
from . import files
from .motor import DcMotor
from .motor_law import History, require_hinge
from .reading import fields_from_file
from .written.joint_model import PLAY

MOST_BYTES = 100_000_000
"""Largest file that is taken for a model."""


class JointFacts(NamedTuple):
    """What a model says of a joint."""

    name: str
    armature: float = 0.0
    frictionloss: float = 0.0
    damping: tuple[float, ...] = (0.0, 0.0, 0.0)
    lowest: float = -np.inf
    highest: float = np.inf
    play: float | None = None
    """Backlash, where a second hinge of the same body stands for it [rad]."""


class Found(NamedTuple):
    """An actuator of a model."""

    name: str
    joint: JointFacts
    timestep: float
    motor: DcMotor | None = None
    """MuJoCo's own motor; None: it is another kind."""
    plain: Actuator | None = None
    """A motor, position or velocity actuator in our words."""
    armature: float = 0.0
    """Inertia that a plain actuator adds to the joint [kg·m²]."""
    damping: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Damping that a plain actuator adds to the joint, by order."""
    history: History | None = None


def picked(names: list[str | None], joints: list[str | None], joint: str | None, actuator: str | int | None) -> int:
    """Number of the actuator that is meant; raises one sentence where it is not clear which."""
    known = ", ".join(repr(name or number) for number, name in enumerate(names)) or "none"
    if isinstance(actuator, int) and not isinstance(actuator, bool):
        found = [actuator] if 0 <= actuator < len(names) else []
    else:
        found = [i for i, name in enumerate(names) if actuator is None or (name or None) == actuator]
    if not found:
        raise ParameterError(f"actuator = {actuator!r}: the model has no such actuator; it has {known}")
    if joint is not None:
        found = [i for i in found if joints[i] == joint]
        if not found:
            raise ParameterError(f"joint = {joint!r}: no such actuator drives it; the model has {known}")
    if len(found) > 1:
        what = f"actuator = {actuator!r}" if actuator is not None else f"joint = {joint!r}" if joint else "the model"
        raise ParameterError(f"{what}: {len(found)} actuators fit, of {known}; say which with actuator= or its number")
    return found[0]


# --- from a compiled model


def from_model(mujoco: Any, model: Any, joint: str | None, actuator: str | int | None, version: str) -> Found:
    """An actuator of a compiled model."""
    types, count = model.actuator_trntype, len(model.actuator_trntype)
    drives = [types[i] == mujoco.mjtTrn.mjTRN_JOINT for i in range(count)]
    numbers = [int(model.actuator_trnid[i, 0]) for i in range(count)]
    joints = [model.joint(number).name if there else None for number, there in zip(numbers, drives, strict=True)]
    index = picked([model.actuator(i).name for i in range(count)], joints, joint, actuator)
    name = model.actuator(index).name or f"number {index}"
    if not drives[index]:
        raise ParameterError(f"actuator {name!r} drives no joint: only an actuator of a joint can be read")
    facts = facts_from_model(mujoco, model, numbers[index])
    step = positive_step(float(model.opt.timestep))
    found = Found(name, facts, step, history=history_from_model(model, index, name))
    if model.actuator_gaintype[index] == mujoco.mjtGain.mjGAIN_DCMOTOR:
        return found._replace(motor=DcMotor.read(undelayed(model, index), index, version))
    gear = float(model.actuator_gear[index, 0])
    damping = (float(model.actuator_damping[index]), *model.actuator_dampingpoly[index].tolist())
    return found._replace(
        plain=files.read(mujoco, model, index, name),
        armature=gear * gear * float(model.actuator_armature[index]),
        damping=tuple(gear * gear * number for number in damping),
    )


def positive_step(seconds: float) -> float:
    """The physics step of a model; raises one sentence if time would not go on."""
    if not seconds > 0.0:
        raise ParameterError(f"option timestep = {seconds:g}: must be greater than 0")
    return seconds


def undelayed(model: Any, index: int) -> Any:
    """The model, or a copy of it in which an actuator has no delay."""
    if not model.actuator_delay[index]:
        return model
    model = copy.copy(model)
    model.actuator_delay[index] = 0.0
    return model


def history_from_model(model: Any, index: int, name: str) -> History | None:
    """The delay of an actuator."""
    frames, interpolation = (int(x) for x in model.actuator_history[index])
    return history_of(float(model.actuator_delay[index]), frames, interpolation, float(model.opt.timestep), name)


def history_of(delay: float, frames: int, interpolation: int, timestep: float, name: str) -> History | None:
    """A delay that can be read; raises one sentence for one that cannot."""
    if delay <= 0.0:
        return None
    if interpolation > 1:
        raise ParameterError(f'actuator {name!r} has interp = "cubic": only zoh and linear can be read')
    if delay > (frames - interpolation + 1e-9) * timestep:
        raise ParameterError(
            f"actuator {name!r} has delay = {delay:g} s with nsample = {frames}: too few for steps of {timestep:g} s; "
            f"give {math.ceil(delay / timestep - 1e-9) + 1}"
        )
    return History(delay, interpolation == 1)


def facts_from_model(mujoco: Any, model: Any, number: int) -> JointFacts:
    """What a compiled model says of a joint."""
    joint = model.joint(number)
    kinds = {
        int(getattr(mujoco.mjtJoint, f"mjJNT_{kind.upper()}")): kind for kind in ("free", "ball", "slide", "hinge")
    }
    require_hinge(kinds[int(model.jnt_type[number])], joint.name)
    dof, limited = int(model.jnt_dofadr[number]), bool(model.jnt_actfrclimited[number])
    low, high = model.jnt_actfrcrange[number] if limited else (-np.inf, np.inf)
    second = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint.name + PLAY) if joint.name else -1
    play = None
    if second >= 0 and model.jnt_bodyid[second] == model.jnt_bodyid[number] and model.jnt_limited[second]:
        play = float(model.jnt_range[second, 1] - model.jnt_range[second, 0])
    return JointFacts(
        name=joint.name,
        armature=float(model.dof_armature[dof]),
        frictionloss=float(model.dof_frictionloss[dof]),
        damping=(float(model.dof_damping[dof]), *model.dof_dampingpoly[dof].tolist()),
        lowest=float(low),
        highest=float(high),
        play=play,
    )


# --- from a file


def checked_source(source: str | Path) -> str | Path:
    """An MJCF text without a byte-order mark, or a path to one; raises one sentence for anything else."""
    if isinstance(source, str):
        text = source.removeprefix("\ufeff")
        if text.lstrip().startswith("<"):
            return text
        if "\n" in text or "\0" in text or not text.strip() or len(text) > 4096:
            raise ParameterError(f"{text[:40]!r}: is neither an MJCF text nor a path to one")
    path = Path(source)
    if not path.is_file():
        raise ParameterError(f"{path}: no such file; give a path to an MJCF file, its text, or an MjModel")
    if path.stat().st_size > MOST_BYTES:
        raise ParameterError(f"{path}: is larger than {MOST_BYTES // 1_000_000} MB, which no MJCF file is")
    return path


def actuator_elements(root: ElementTree.Element) -> list[ElementTree.Element]:
    """All actuators of a file."""
    if root.tag != "mujoco":
        raise ParameterError(f"the root of the file is <{root.tag}>: an MJCF file begins with <mujoco>")
    return [element for section in root.findall("actuator") for element in section]


def picked_element(root: ElementTree.Element, joint: str | None, actuator: str | int | None) -> int:
    """Number of the actuator of a file that is meant."""
    elements = actuator_elements(root)
    return picked([e.get("name") for e in elements], [e.get("joint") for e in elements], joint, actuator)


def from_file(root: ElementTree.Element, index: int, version: str) -> Found:
    """A dcmotor of a file that the installed MuJoCo cannot compile."""
    element = actuator_elements(root)[index]
    name = element.get("name") or f"number {index}"
    if element.get("joint") is None:
        raise ParameterError(f"actuator {name!r} drives no joint: only an actuator of a joint can be read")
    option = next(iter(reversed(root.findall("option"))), None)
    timestep = positive_step(number_in(option, "timestep", 0.002))
    interpolation = {"zoh": 0, "linear": 1, "cubic": 2}.get(element.get("interp", "zoh"))
    if interpolation is None:
        raise ParameterError(f"actuator {name!r} has interp = {element.get('interp')!r}: must be zoh, linear or cubic")
    history = history_of(
        number_in(element, "delay", 0.0), int(number_in(element, "nsample", 0.0)), interpolation, timestep, name
    )
    facts = facts_from_file(root, element.get("joint", ""))
    for each in root.iter("dcmotor"):
        each.attrib.pop("delay", None)
    motor = DcMotor(**fields_from_file(ElementTree.tostring(root, encoding="unicode"), index, version))
    return Found(name, facts, timestep, motor=motor, history=history)


def numbers_in(element: ElementTree.Element | None, name: str, default: tuple[float, ...]) -> tuple[float, ...]:
    """Numbers of an attribute; those that are missing are as they are by default."""
    text = None if element is None else element.get(name)
    try:
        found = tuple(float(word) for word in (text or "").split())
        if all(math.isfinite(number) for number in found):
            return found + default[len(found) :]
    except ValueError:
        pass
    raise ParameterError(f"<{'' if element is None else element.tag} {name}={text!r}>: must be finite numbers")


def number_in(element: ElementTree.Element | None, name: str, default: float) -> float:
    """A number of an attribute."""
    return numbers_in(element, name, (default,))[0]


def joints_in(root: ElementTree.Element) -> Iterator[tuple[ElementTree.Element, ElementTree.Element, str]]:
    """Each joint of a file, the body that it is in, and its class."""
    pending = [(world, world, "main") for world in root.findall("worldbody")]
    while pending:
        element, body, given = pending.pop()
        for child in element:
            if child.tag in ("body", "frame", "replicate"):
                owner = child if child.tag == "body" else body
                pending.append((child, owner, child.get("childclass", given)))
            elif child.tag in ("joint", "freejoint"):
                yield child, body, child.get("class", given)


def facts_from_file(root: ElementTree.Element, name: str) -> JointFacts:
    """What a file says of a joint, its default classes resolved."""
    joints = list(joints_in(root))
    found = [(element, body, given) for element, body, given in joints if element.get("name") == name]
    if len(found) != 1:
        raise ParameterError(f"joint = {name!r}: the file has {len(found)} joints of that name, must be one")
    element, body, given = found[0]
    words = {key: text for each in joint_classes(root, given) for key, text in each.attrib.items()} | element.attrib
    merged = ElementTree.Element("joint", words)
    kind = "free" if element.tag == "freejoint" else merged.get("type", "hinge")
    require_hinge(kind, name)
    low, high = numbers_in(merged, "actuatorfrcrange", (0.0, 0.0))
    limited = low < high and merged.get("actuatorfrclimited", "auto") != "false"
    play = next((e for e, b, _ in joints if b is body and e.get("name") == name + PLAY), None)
    span = None
    if play is not None and play.get("range") is not None:
        radian = next((c.get("angle") for c in reversed(root.findall("compiler")) if c.get("angle")), "") == "radian"
        first, second = numbers_in(play, "range", (0.0, 0.0))
        span = (second - first) * (1.0 if radian else math.radians(1.0))
    return JointFacts(
        name=name,
        armature=number_in(merged, "armature", 0.0),
        frictionloss=number_in(merged, "frictionloss", 0.0),
        damping=numbers_in(merged, "damping", (0.0, 0.0, 0.0)),
        lowest=low if limited else -np.inf,
        highest=high if limited else np.inf,
        play=span,
    )


def joint_classes(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    """The <joint> of a default class and of those it is in, outermost first."""
    pending = [(section, [], section.get("class", "main")) for section in root.findall("default")]
    while pending:
        section, outer, own = pending.pop()
        chain = [*outer, *section.findall("joint")]
        if own == name:
            return chain
        pending.extend((child, chain, child.get("class", "")) for child in section.findall("default"))
    return []
