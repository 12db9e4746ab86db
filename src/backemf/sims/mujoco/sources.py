"""The actuators of a model and their joints: from a compiled model, or from the file of the other generation."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple
from xml.etree import ElementTree

import numpy as np

from ...errors import ParameterError
from ..loss import DROPPED, UNKNOWN, Loss
from .general import General
from .general_reading import general_of
from .kinds import joint_number, require_joint
from .motor import DcMotor
from .motor_law import History, require_hinge
from .parameters import LINKS
from .reading import fields_from_file, is_motor
from .stripped import Compiled, undamped
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
    losses: tuple[Loss, ...] = ()
    """What the joint does that no actuator holds."""


class Found(NamedTuple):
    """An actuator of a model."""

    name: str
    joint: JointFacts
    timestep: float
    motor: DcMotor | None = None
    """MuJoCo's own motor; None: it is another kind."""
    general: General | None = None
    """The constants of any other kind."""
    armature: float = 0.0
    """Inertia that a plain actuator adds to the joint [kg·m²]."""
    damping: tuple[float, ...] = (0.0, 0.0, 0.0)
    """Damping that a plain actuator adds to the joint, by order."""
    history: History | None = None


# --- from a compiled model


def names_of(source: Compiled) -> tuple[list[str | None], list[str | None]]:
    """The name of each actuator of a model, and of the joint that it drives; None where it drives none."""
    mujoco, model = source.mujoco, source.model
    count = len(model.actuator_trntype)
    numbers = [joint_number(mujoco, model, index) for index in range(count)]
    joints = [None if number is None else model.joint(number).name for number in numbers]
    return [model.actuator(index).name or None for index in range(count)], joints


def from_model(source: Compiled, index: int, version: str) -> Found:
    """An actuator of a compiled model."""
    mujoco, model = source.mujoco, source.model
    name = model.actuator(index).name or f"number {index}"
    is_dcmotor = model.actuator_gaintype[index] == mujoco.mjtGain.mjGAIN_DCMOTOR
    # a kind that is not read says more than what it drives
    general = None if is_dcmotor else general_of(mujoco, model, index, name)
    number = require_joint(mujoco, model, index, name)
    facts = facts_from_model(mujoco, model, number)
    if number in source.unsprung:
        note = "springdamper of the joint is made of its inertia, which is in mesh files that are missing"
        facts = facts._replace(losses=(*facts.losses, Loss("joint damping", UNKNOWN, note)))
    step = positive_step(float(model.opt.timestep))
    found = Found(name, facts, step, history=history_from_model(model, index, name))
    if general is None:
        return found._replace(motor=DcMotor.read(undelayed(model, index), index, version))
    if index in source.undamped:
        raise undamped(name)
    square = float(model.actuator_gear[index, 0]) ** 2
    damping = (float(model.actuator_damping[index]), *model.actuator_dampingpoly[index].tolist())
    return found._replace(
        general=general,
        armature=square * float(model.actuator_armature[index]),
        damping=tuple(square * each for each in damping),
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
        losses=tuple(passive_rows(mujoco, model, number)),
    )


def passive_rows(mujoco: Any, model: Any, number: int) -> Iterator[Loss]:
    """What a joint does beside its actuators and its friction."""
    if np.any(np.asarray(model.jnt_stiffness[number])):
        stiffness = float(np.ravel(model.jnt_stiffness[number])[0])
        yield Loss("joint spring", DROPPED, f"stiffness = {stiffness:g} of the joint itself pulls beside the actuator")
    weightless = np.any(np.asarray(model.body_gravcomp)) and bool(model.jnt_actgravcomp[number])
    if weightless:
        note = "actuatorgravcomp: MuJoCo adds the torque that holds the weight of its bodies to the actuator's"
        yield Loss("gravity compensation", DROPPED, note)


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


def without_motors(root: ElementTree.Element) -> str:
    """The text of a file in which a plain motor stands for each dcmotor, so that any MuJoCo takes it."""
    root = copy.deepcopy(root)
    for section in root.findall("actuator"):
        for place, element in enumerate(section):
            if is_motor(element):
                kept = {name: text for name, text in element.attrib.items() if name in LINKS[:1] + LINKS[5:13]}
                section[place] = ElementTree.Element("motor", kept)
    for section in root.iter("default"):
        for element in section.findall("dcmotor"):
            section.remove(element)
    return ElementTree.tostring(root, encoding="unicode")


def from_file(root: ElementTree.Element, index: int, version: str) -> Found:
    """A dcmotor of a file that the installed MuJoCo cannot compile."""
    # a delay is read here, and DcMotor has no place for it
    root = copy.deepcopy(root)
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
    springs = numbers_in(merged, "stiffness", (0.0,))
    note = f"stiffness = {springs[0]:g} of the joint itself pulls beside the actuator"
    return JointFacts(
        losses=(Loss("joint spring", DROPPED, note),) if any(springs) else (),
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
