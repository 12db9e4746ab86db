"""An actuator without a motor as MuJoCo's own: `<motor>`, `<position>`, `<velocity>`, `<intvelocity>` or `<pid>`.

    <motor>         ctrl
    <position>      kp·(ctrl - q) - kv·w
    <velocity>      kv·(ctrl - w)
    <intvelocity>   kp·(∫ctrl - q) - kv·w
    <pid>           kp·(p - q) + ki·∫(p - q) + kv·(v - w) + ff, of any of the three inputs; since 3.12

each within `forcerange`.
"""

from __future__ import annotations

import math

from ....actuator import Actuator
from ....actuator.controllers import IdealPd, Torque, TorquePid
from ....actuator.torque_limits import AngleTable, EffortLimit, EffortRange
from ....errors import ParameterError
from ....motor import Motor
from ...joint import single
from ...on_joint import OnJoint
from ...text import Figure
from ..versions import in_volts
from .controlling import flat_top, history
from .joint_model import AT_JOINT, Draft, row
from .loops import MOVING, torque_gains_of

WORDS = {"position": "pos", "velocity": "vel", "effort": "ff"}
"""MuJoCo's word for each target."""
RANGES = {"position": "ctrlrange", "velocity": "velrange", "effort": "ffrange"}
"""Where a `<pid>` has the range of each target."""
FARTHEST = 1e6
"""Range of a moving target that has none; MuJoCo asks for one [rad]."""


def plain_draft(
    thing: Motor | Actuator | OnJoint, actuator: Actuator, version: str, effort_limit: float | None, timestep: float
) -> Draft:
    """All numbers of an actuator without a motor as MuJoCo has them."""
    draft = Draft(actuator=actuator, version=version, timestep=timestep)
    c = actuator.controller
    if isinstance(c, Torque):
        draft.tag, draft.kept["controller"] = "motor", ""
    elif isinstance(c, TorquePid) and c.follows == "velocity":
        _velocity(draft, c)
    elif isinstance(c, (IdealPd, TorquePid)):
        _position(draft, c)
    else:
        raise ParameterError(
            f"{type(c).__name__} without a motor has no counterpart in MuJoCo: step it inside MuJoCo with Motors, or "
            "write it for a simulator that has networks"
        )
    _range(draft)
    _force(draft, effort_limit)
    _joint(draft, thing)
    history(draft)
    return draft


def _velocity(draft: Draft, c: TorquePid) -> None:
    others = [target for target in c.inputs if target != "velocity"]
    told = [f"Targets of {' and '.join(others)} have no effect."] if others else []
    gains = torque_gains_of(c)
    if not gains.ki:
        draft.tag = "velocity"
        draft.attributes["kv"] = row(gains.kd, "N·m·s/rad", "TorquePid.kd")
    else:
        draft.tag, draft.kept["integral"] = "intvelocity", MOVING
        draft.attributes["kp"] = row(gains.ki, "N·m/rad", "TorquePid.ki")
        draft.attributes["kv"] = row(gains.kd, "N·m·s/rad", "TorquePid.kd")
        draft.attributes["actrange"] = row((-FARTHEST, FARTHEST), "rad", "none of its own: any angle")
        if gains.kd:
            told.append("The damping is against the velocity itself, and not against its error.")
    if gains.kp and others:
        told.append("kp has no effect.")
    draft.kept["controller"] = " ".join(told)


def _position(draft: Draft, c: IdealPd | TorquePid) -> None:
    gains, name = torque_gains_of(c), type(c).__name__
    kp, kd = ("stiffness", "damping") if isinstance(c, IdealPd) else ("kp", "kd")
    draft.attributes["kp"] = row(gains.kp, "N·m/rad", f"{name}.{kp}")
    draft.attributes["kv"] = row(gains.kd, "N·m·s/rad", f"{name}.{kd}")
    draft.tag, draft.kept["controller"] = "position", ""
    simple = c.inputs == ("position",) and not gains.ki and draft.actuator.slew is None
    if simple:
        return
    if in_volts(draft.version):
        others = [target for target in c.inputs if target != "position"]
        if others:
            draft.kept["controller"] = f"Targets of {' and '.join(others)} have no effect."
        return
    draft.tag = "pid"
    draft.attributes["input"] = Figure(" ".join(WORDS[target] for target in c.inputs), "rad, rad/s, N·m", name)
    if gains.ki:
        draft.kept["integral"] = ""
        draft.attributes["ki"] = row(gains.ki, "N·m/(rad·s)", "TorquePid.ki")
        limit = getattr(c, "integral_limit", None)
        if limit is not None:
            draft.attributes["imax"] = row(single("integral_limit", limit), "rad·s", "TorquePid.integral_limit")
            draft.kept["integral"] = "The integral passes its limit by as much as one step adds."
    if draft.actuator.slew is not None:
        draft.kept["slew"] = "The setpoint starts at 0, wherever the joint is."
        draft.attributes["slewmax"] = row(single("Actuator.slew", draft.actuator.slew), "rad/s", "Actuator.slew")


def _range(draft: Draft) -> None:
    """The range of the main input."""
    ends, main = draft.actuator.command_range, draft.actuator.controller.main
    if ends is None:
        return
    low, high = (single("Actuator.command_range", end) for end in ends)
    if not low < high:
        raise ParameterError(f"Actuator.command_range = {ends} leaves MuJoCo no control range: widen it")
    units = {"position": "rad", "velocity": "rad/s", "effort": "N·m"}
    name = RANGES[main] if draft.tag == "pid" else "ctrlrange"
    draft.attributes[name] = row((low, high), units[main], "Actuator.command_range")
    draft.kept["command range"] = ""


def _force(draft: Draft, effort_limit: float | None) -> None:
    """The range of the torque: the tightest of all limits in each direction."""
    lows, highs, told = [-math.inf], [math.inf], []
    for limit in draft.actuator.limits:
        if isinstance(limit, EffortRange):
            lows.append(single("EffortRange.lowest", limit.lowest))
            highs.append(single("EffortRange.highest", limit.highest))
        else:
            top = flat_top(limit)[0]
            lows.append(-top)
            highs.append(top)
        told.append(type(limit).__name__)
        if isinstance(limit, AngleTable):
            draft.kept["angle limits"] = "The torque is limited to the largest of the table at every angle."
        elif not isinstance(limit, (EffortLimit, EffortRange)):
            draft.notes.append(f"Of {type(limit).__name__}, the largest torque is left, the same at all speeds.")
    if draft.actuator.limits:
        draft.kept["effort limit"] = ""
    if effort_limit is not None:
        given = single("effort_limit", effort_limit)
        if not given > 0.0:
            raise ParameterError(f"effort_limit = {given:g}: must be greater than 0")
        lows, highs, told = [-given], [given], ["as given"]
    low, high = max(lows), min(highs)
    if not math.isfinite(low) and not math.isfinite(high):
        return
    if not low < high:
        raise ParameterError(f"the limits leave the joint no torque, {low:g} to {high:g} N·m: widen them")
    # MuJoCo wants both ends: one that is open is farther than any torque
    ends = (low if math.isfinite(low) else -1e9, high if math.isfinite(high) else 1e9)
    draft.attributes["forcerange"] = row(ends, f"N·m {AT_JOINT}", " and ".join(dict.fromkeys(told)))


def _joint(draft: Draft, thing: Motor | Actuator | OnJoint) -> None:
    """Inertia and friction of the joint."""
    draft.kept |= {"rotor inertia": "", "dry friction": "", "viscous drag": ""}
    rubs = draft.actuator.friction
    dry, drag = 0.0, 0.0
    if rubs is not None:
        dry, drag = single("coulomb", rubs.coulomb), single("viscous", rubs.viscous)
        draft.kept["joint friction"] = "Dry friction is against any motion, and not smooth around rest."
    if isinstance(thing, OnJoint):
        dry, drag = dry + thing.coulomb, drag + thing.viscous
        if thing.armature:
            draft.joint["armature"] = row(thing.armature, "kg·m²", "armature of the joint")
        if thing.stiction is not None and thing.stiction > thing.coulomb:
            draft.kept["dry friction"] = "Friction at rest is no higher than when sliding."
    if drag:
        draft.joint["damping"] = row(drag, "N·m·s/rad", "viscous friction of the joint")
    if dry:
        draft.joint["frictionloss"] = row(dry, "N·m", "dry friction of the joint")
