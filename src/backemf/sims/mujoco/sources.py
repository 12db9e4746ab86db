"""Actuators of a model and their joints: from a compiled model, or from a file of the other generation."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np

from ...errors import ParameterError
from ..loss import DROPPED, UNKNOWN, Loss
from ..mjcf import actuator_elements, joints_in
from ..mujoco_types import MjModel
from .general import General
from .general_reading import general_of
from .kinds import FREE, ModelActuator, Range, range_of
from .motor import DcMotor
from .motor_law import History, require_hinge
from .parameters import LINKS
from .reading import default_chain, fields_from_file, is_motor
from .stripped import Compiled, undamped_error
from .written.joint_model import BACKLASH

MOST_BYTES = 100_000_000
"""Largest file that is taken for a model."""


class JointFacts(NamedTuple):
    """Numbers of a joint in a model."""

    name: str
    armature: float = 0.0
    frictionloss: float = 0.0
    damping: tuple[float, ...] = (0.0, 0.0, 0.0)
    effort_range: Range = FREE
    """Range of the torque of all its actuators together [N·m]."""
    backlash: float | None = None
    """Range of a second hinge of the same body, which represents backlash [rad]."""
    losses: tuple[Loss, ...] = ()
    """What the joint does that an actuator cannot represent."""
    slides: bool = False
    """Whether it slides: N stands for N·m, m for rad and kg for kg·m²."""


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


def from_model(source: Compiled, index: int, version: str) -> Found:
    """An actuator of a compiled model."""
    model, row = source.model, ModelActuator(source.mujoco, source.model, index)
    # a kind that is not read says more than what it drives
    general = None if row.is_type("gain", "dcmotor") else general_of(row)
    number = row.require_joint()
    facts = facts_from_model(source.mujoco, model, number)
    if number in source.unsprung:
        note = "springdamper of the joint follows from its inertia, which is in mesh files that are missing"
        facts = facts._replace(losses=(*facts.losses, Loss("joint damping", UNKNOWN, note)))
    step = positive_step(float(model.opt.timestep))
    frames, interpolation = (int(x) for x in model.actuator_history[index])
    history = history_of(float(model.actuator_delay[index]), frames, interpolation, step, row.label)
    found = Found(row.label, facts, step, history=history)
    if general is None:
        return found._replace(motor=DcMotor.read(without_delay(model, index), index, version))
    if index in source.undamped:
        raise undamped_error(row.label)
    square = general.gear**2
    return found._replace(
        general=general,
        armature=square * row.numbers("armature")[0],
        damping=tuple(square * each for each in (*row.numbers("damping"), *row.numbers("dampingpoly"))),
    )


def positive_step(seconds: float) -> float:
    """The physics step of a model [s]; raise ParameterError unless it is positive."""
    if not seconds > 0.0:
        raise ParameterError(f"option timestep = {seconds:g}: must be greater than 0")
    return seconds


def without_delay(model: MjModel, index: int) -> MjModel:
    """The model, or a copy of it in which an actuator has no delay."""
    if not model.actuator_delay[index]:
        return model
    model = copy.copy(model)
    model.actuator_delay[index] = 0.0
    return model


def history_of(delay: float, frames: int, interpolation: int, timestep: float, name: str) -> History | None:
    """A delay; raise ParameterError for one that cannot be read."""
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


def facts_from_model(mujoco: ModuleType, model: MjModel, number: int) -> JointFacts:
    """Numbers of a joint in a compiled model."""
    joint = model.joint(number)
    require_hinge(mujoco.mjtJoint(int(model.jnt_type[number])).name.removeprefix("mjJNT_").lower(), joint.name)
    dof = int(model.jnt_dofadr[number])
    second = mujoco.mj_name2id(model, mujoco.mjtObj.mjOBJ_JOINT, joint.name + BACKLASH) if joint.name else -1
    backlash = None
    if second >= 0 and model.jnt_bodyid[second] == model.jnt_bodyid[number] and model.jnt_limited[second]:
        backlash = float(model.jnt_range[second, 1] - model.jnt_range[second, 0])
    return JointFacts(
        name=joint.name,
        armature=float(model.dof_armature[dof]),
        frictionloss=float(model.dof_frictionloss[dof]),
        damping=(float(model.dof_damping[dof]), *model.dof_dampingpoly[dof].tolist()),
        effort_range=range_of(model.jnt_actfrcrange[number], model.jnt_actfrclimited[number]),
        backlash=backlash,
        losses=tuple(passive_rows(model, number)),
        slides=int(model.jnt_type[number]) == int(mujoco.mjtJoint.mjJNT_SLIDE),
    )


def passive_rows(model: MjModel, number: int) -> Iterator[Loss]:
    """What a joint does besides its actuators and its friction."""
    stiffness = np.ravel(model.jnt_stiffness[number])
    if np.any(stiffness):
        yield spring_row(float(stiffness[0]))
    if np.any(np.asarray(model.body_gravcomp)) and model.jnt_actgravcomp[number]:
        note = "actuatorgravcomp: MuJoCo adds the torque that holds the weight of its bodies to the actuator's"
        yield Loss("gravity compensation", DROPPED, note)


def spring_row(stiffness: float) -> Loss:
    """A spring of the joint itself."""
    return Loss("joint spring", DROPPED, f"stiffness = {stiffness:g} of the joint itself acts besides the actuator")


# --- from a file


def checked_source(source: str | Path) -> str | Path:
    """An MJCF text without a byte-order mark, or a path to one; raise ParameterError for anything else."""
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


def without_motors(root: ElementTree.Element) -> str:
    """The text of a file with a plain motor in place of each dcmotor, so that any MuJoCo compiles it."""
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


def facts_from_file(root: ElementTree.Element, name: str) -> JointFacts:
    """Numbers of a joint in a file, its default classes resolved."""
    joints = list(joints_in(root))
    found = [(element, body, given) for element, body, given in joints if element.get("name") == name]
    if len(found) != 1:
        raise ParameterError(f"joint = {name!r}: the file has {len(found)} joints of that name, must be one")
    element, body, given = found[0]
    classes = default_chain(root, given, ("joint",))
    merged = ElementTree.Element("joint", {k: text for each in classes for k, text in each.items()} | element.attrib)
    require_hinge("free" if element.tag == "freejoint" else merged.get("type", "hinge"), name)
    low, high = numbers_in(merged, "actuatorfrcrange", (0.0, 0.0))
    second = next((e for e, b, _ in joints if b is body and e.get("name") == name + BACKLASH), None)
    backlash = None
    if second is not None and second.get("range") is not None:
        radian = next((c.get("angle") for c in reversed(root.findall("compiler")) if c.get("angle")), "") == "radian"
        first, last = numbers_in(second, "range", (0.0, 0.0))
        backlash = (last - first) * (1.0 if radian else math.radians(1.0))
    springs = numbers_in(merged, "stiffness", (0.0,))
    return JointFacts(
        name=name,
        armature=number_in(merged, "armature", 0.0),
        frictionloss=number_in(merged, "frictionloss", 0.0),
        damping=numbers_in(merged, "damping", (0.0, 0.0, 0.0)),
        effort_range=range_of((low, high), low < high and merged.get("actuatorfrclimited", "auto") != "false"),
        backlash=backlash,
        losses=(spring_row(springs[0]),) if any(springs) else (),
        slides=merged.get("type") == "slide",
    )
