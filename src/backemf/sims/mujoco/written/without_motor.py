"""An actuator without a motor as MuJoCo's `<motor>`, `<position>`, `<velocity>`, `<intvelocity>` or `<pid>`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ....actuator import Actuator
from ....actuator.controllers import IdealPd, Torque, TorquePid
from ....actuator.torque_limits import EffortRange
from ....errors import ParameterError
from ....motor import Motor
from ....parts import acts
from ...joint import parts_of, single
from ...on_joint import OnJoint
from ...text import Figure
from ..versions import known_version
from .controlling import history, limit_torque
from .joint_model import AT_JOINT, Draft, row

INPUTS = {"position": "pos", "velocity": "vel", "effort": "ff"}
"""MuJoCo's word for each target."""
WITH_PID = (3, 12)
"""First version with a `<pid>`."""
STARTS_AT_0 = "The moving target starts at 0, wherever the joint is"


class Element(NamedTuple):
    """A controller as MuJoCo has it."""

    tag: str
    """Name of the element."""
    numbers: dict[str, float]
    """Its gains."""
    heard: tuple[str, ...]
    """Targets that it takes."""
    note: str = ""
    """How the controller is approximated; empty where it is not."""
    integral: str | None = None
    """How its integral is approximated, empty where it is kept; None: it is lost, or there is none."""


def draft_without_motor(
    thing: Motor | Actuator | OnJoint, version: str, effort_limit: float | None, timestep: float
) -> Draft:
    """All numbers of an actuator without a motor, as MuJoCo has them."""
    actuator = parts_of(thing)[1]
    draft = Draft(actuator=actuator, version=version, timestep=timestep)
    element = element_of(actuator, known_version(version) >= WITH_PID)
    tag = draft.tag = element.tag
    draft.kept["controller"] = element.note
    if element.integral is not None:
        draft.kept["integral"] = element.integral
    source = type(actuator.controller).__name__
    for name, value in element.numbers.items():
        draft.attributes[name] = row(value, GAINS[name], source)
    if tag == "pid":
        words = " ".join(INPUTS[target] for target in element.heard)
        draft.attributes["input"] = Figure(words, "rad, rad/s, N·m", source)
    slew(draft, tag)
    draft.tag = command_range(draft, tag)
    effort_range(draft, effort_limit)
    joint_numbers(draft, thing)
    history(draft)
    return draft


GAINS = {
    "kp": f"N·m/rad {AT_JOINT}",
    "kv": f"N·m·s/rad {AT_JOINT}",
    "ki": f"N·m/(rad·s) {AT_JOINT}",
    "imax": "rad·s",
}
"""Unit of each gain."""


def element_of(actuator: Actuator, has_pid: bool) -> Element:
    """The element for a controller; raise ParameterError where MuJoCo has none."""
    c = actuator.controller
    if isinstance(c, Torque):
        return Element("motor", {}, ("effort",))
    if isinstance(c, TorquePid) and c.follows == "velocity":
        return velocity_element(c, has_pid)
    if not isinstance(c, (IdealPd, TorquePid)):
        raise ParameterError(
            f"{type(c).__name__} without a motor has no counterpart in MuJoCo: write one of Torque, IdealPd and "
            "TorquePid, or step the actuator inside MuJoCo"
        )
    ideal = isinstance(c, IdealPd)
    gains = {
        "kp": single("kp", c.stiffness if ideal else c.kp),
        "kv": single("kd", c.damping if ideal else c.kd),
    }
    ki, limit = (None, None) if ideal or not acts(c, "ki") else (c.ki, c.integral_limit)
    bounded = actuator.command_range is not None or actuator.slew is not None
    if not any(gains.values()) and ki is None and "effort" in c.inputs and not bounded:
        # without gains the effort alone counts
        return Element("motor", {}, ("effort",))
    if not has_pid or (c.inputs == ("position",) and ki is None and actuator.slew is None):
        note = "" if c.inputs == ("position",) else "Targets of velocity and effort have no effect."
        return Element("position", gains, ("position",), note)
    if ki is None:
        return Element("pid", gains, c.inputs)
    gains["ki"] = single("ki", ki)
    if limit is not None:
        gains["imax"] = single("integral_limit", limit)
    note = "" if limit is None else "The integral stops up to one step beyond its limit."
    return Element("pid", gains, c.inputs, integral=note)


def velocity_element(c: TorquePid, has_pid: bool) -> Element:
    """The element for a controller that follows a velocity."""
    kp, kd = single("kp", c.kp), single("kd", c.kd)
    if acts(c, "ki") and kd == 0.0 and kp == 0.0:
        rest = "" if c.inputs == ("velocity",) else "Targets of position and effort have no effect."
        note = f"{STARTS_AT_0}{'.' if c.integral_limit is None else ', and has no limit.'}"
        return Element("intvelocity", {"kp": single("ki", c.ki)}, ("velocity",), rest, note)
    # a stiffness has no effect unless a position is commanded
    heard = tuple(target for target in c.inputs if target != "position" or kp)
    if heard == ("velocity",) or not has_pid:
        rest = "" if heard == ("velocity",) else "Targets of position and effort have no effect."
        return Element("velocity", {"kv": kd}, ("velocity",), rest)
    return Element("pid", {"kp": kp if "position" in heard else 0.0, "kv": kd}, heard)


def slew(draft: Draft, tag: str) -> None:
    """The slew limit, which a pid has for its position target."""
    rate = draft.actuator.slew
    if rate is None or tag != "pid" or draft.actuator.controller.main != "position":
        return
    draft.attributes["slewmax"] = row(single("Actuator.slew", rate), "rad/s", "Actuator.slew")
    draft.kept["slew"] = "The setpoint starts at 0, wherever the joint is."


def command_range(draft: Draft, tag: str) -> str:
    """The range of the main input; the name of the element, which is another where one command alone is allowed."""
    a = draft.actuator
    if a.command_range is None:
        return tag
    low, high = (single("Actuator.command_range", end) for end in a.command_range)
    if low < high:
        name = f"{INPUTS[a.controller.main]}range" if tag == "pid" else "ctrlrange"
        draft.attributes[name] = row((low, high), "of the command", "Actuator.command_range")
        draft.kept["command range"] = ""
        return tag
    if tag not in ("motor", "position", "velocity"):
        raise ParameterError(
            f"Actuator.command_range = {a.command_range} leaves a <{tag}> no range; widen it, or leave it out"
        )
    # what cannot be commanded is a bias
    gains = {name: draft.attributes.pop(name).value[0] for name in ("kp", "kv") if name in draft.attributes}
    kp, kv = gains.get("kp", 0.0), gains.get("kv", 0.0)
    bias = {"motor": 1.0, "position": kp, "velocity": kv}[tag] * low
    draft.attributes["biastype"] = Figure("affine", "-", "Actuator.command_range")
    draft.attributes["gainprm"] = row(0.0, "ctrl has no effect", "Actuator.command_range")
    draft.attributes["biasprm"] = row(
        (bias, -kp, -kv), "N·m, N·m/rad, N·m·s/rad", f"{type(a.controller).__name__} at the one command {low:g}"
    )
    draft.kept["command range"] = ""
    return "general"


def effort_range(draft: Draft, effort_limit: float | None) -> None:
    """The range of the torque."""
    ends, sources = [], []
    for limit in draft.actuator.limits:
        top = limit_torque(draft, limit)
        own = isinstance(limit, EffortRange)
        ends.append((single("lowest", limit.lowest), single("highest", limit.highest)) if own else (-top, top))
        sources.append(type(limit).__name__)
    if effort_limit is not None:
        top = single("effort_limit", effort_limit)
        ends, sources = [(-top, top)], ["as given"]
    if not sources:
        return
    low, high = max(end[0] for end in ends), min(end[1] for end in ends)
    if not low < high:
        raise ParameterError(f"the limits leave the torque {low:g} to {high:g} N·m: MuJoCo needs a range; widen them")
    draft.attributes["forcerange"] = row((low, high), f"N·m {AT_JOINT}", ", ".join(sources))


def joint_numbers(draft: Draft, thing: Motor | Actuator | OnJoint) -> None:
    """Inertia and friction of the joint."""
    friction, source = draft.actuator.friction, "the joint's own"
    on_joint = thing if isinstance(thing, OnJoint) else None
    dry = [(on_joint.coulomb, source)] if on_joint is not None else []
    viscous = [(on_joint.viscous, source)] if on_joint is not None else []
    if friction is not None:
        draft.kept["joint friction"] = "Dry friction holds a joint at rest in place of growing from there."
        dry.append((single("TanhFriction.coulomb", friction.coulomb), "TanhFriction.coulomb"))
        viscous.append((single("TanhFriction.viscous", friction.viscous), "TanhFriction.viscous"))
    if on_joint is not None:
        draft.kept |= {"rotor inertia": "", "dry friction": "", "viscous drag": ""}
        if on_joint.armature:
            draft.joint["armature"] = row(on_joint.armature, "kg·m²", source)
    for name, parts, unit in (("frictionloss", dry, "N·m"), ("damping", viscous, "N·m·s/rad")):
        there = [(value, origin) for value, origin in parts if value]
        if there:
            draft.joint[name] = row(np.sum([x for x, _ in there]), unit, " and ".join(origin for _, origin in there))
