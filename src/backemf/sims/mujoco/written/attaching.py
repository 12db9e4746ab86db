"""A motor or an actuator put on a joint of a live `mujoco.MjSpec`."""

from __future__ import annotations

import math
from typing import Any

from ....actuator import Actuator
from ....errors import MissingExtraError, ParameterError
from ....motor import Motor
from ...joint import require_known
from ...on_joint import OnJoint
from ..reading import installed_version
from ..versions import CONTROLLER_INPUTS, in_volts
from .joint_model import PLAY
from .writing import WrittenMotor, write

ROWS = {
    "nominal": 3, "saturation": 3, "inductance": 2, "cogging": 3, "controller": 6, "thermal": 6, "lugre": 5,
}  # fmt: skip
"""Attributes that `set_to_dcmotor` takes as rows, and their lengths."""
MODES = ("voltage", "position", "velocity")
"""Inputs until 3.11, in the order of their numbers."""
LINEAR = 1
"""MuJoCo's number for linear interpolation between remembered commands."""


def attach(
    spec: Any,
    thing: Motor | Actuator | OnJoint,
    joint: str,
    *,
    version: str | None = None,
    name: str | None = None,
    backlash: bool = False,
    **numbers: Any,
) -> WrittenMotor:
    """Put a `<dcmotor>` for an actuator on a joint of a specification, and what the motor knows of it on the joint.

    The joint gets the rotor's inertia as its armature; where the motor says anything of friction, the joint's
    frictionloss and damping are replaced. `backlash=True` adds a second hinge, `<joint>_backlash`, to the same body.
    `numbers` are those of `write`; the physics step is the specification's own if left out. Returns the same as
    `write`.
    """
    mujoco, installed = installed_mujoco()
    if not isinstance(spec, mujoco.MjSpec):
        raise ParameterError(
            f"attach({type(spec).__name__}(...)): must be a mujoco.MjSpec; for a text, mujoco.MjSpec.from_string(text)"
        )
    version = installed if version is None else version
    if in_volts(version) != in_volts(installed):
        raise ParameterError(
            f"version = {version!r}: MuJoCo {installed} is installed, whose dcmotor is another; "
            f'say version="{installed}"'
        )
    require_known(numbers, ("supply", "effort", "effort_limit", "keep", "timestep"))
    hinge = joint_of_spec(mujoco, spec, joint)
    numbers = {"timestep": float(spec.option.timestep)} | numbers
    written = write(thing, joint, version, name=name, backlash=backlash, **numbers)
    label = joint if name is None else name
    if spec.actuator(label) is not None:
        raise ParameterError(f"name = {label!r}: the specification has an actuator of that name; give name=")
    if backlash:
        add_play(mujoco, spec, hinge, written)
    set_joint(hinge, written)
    add_motor(mujoco, spec, label, joint, written)
    return written


def installed_mujoco() -> tuple[Any, str]:
    """MuJoCo and its version."""
    version = installed_version()
    if version is None:
        raise MissingExtraError("mujoco", "mujoco", "Putting a motor on a MuJoCo joint")
    import mujoco

    return mujoco, version


def joint_of_spec(mujoco: Any, spec: Any, joint: str) -> Any:
    """A hinge or slide of a specification."""
    found = spec.joint(joint) if isinstance(joint, str) else None
    if found is None:
        known = ", ".join(repr(each.name) for each in spec.joints if each.name) or "none with a name"
        raise ParameterError(f"joint = {joint!r}: the specification has no such joint; it has {known}")
    if found.type not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
        kind = "ball" if found.type == mujoco.mjtJoint.mjJNT_BALL else "free"
        raise ParameterError(f"joint = {joint!r} is a {kind} joint: a motor turns a hinge, or moves a slide")
    return found


def set_joint(hinge: Any, written: WrittenMotor) -> None:
    """Inertia and friction of the joint."""
    for name, value in written.joint_attributes.items():
        # damping is a polynomial of three orders
        setattr(hinge, name, [value, 0.0, 0.0] if name == "damping" else value)


def add_motor(mujoco: Any, spec: Any, name: str, joint: str, written: WrittenMotor) -> None:
    """The actuator itself; nothing of a default class is left in it."""
    words = written.attributes
    actuator = spec.add_actuator(name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    for part in ("gainprm", "dynprm", "biasprm"):
        setattr(actuator, part, [0.0] * 10)
    actuator.forcelimited = actuator.actlimited = mujoco.mjtLimited.mjLIMITED_AUTO
    actuator.forcerange = actuator.actrange = [0.0, 0.0]
    constants = words["motorconst"]
    rows = {key: [*words[key], *[0.0] * size][:size] for key, size in ROWS.items() if key in words}
    inputs = words["input"].split()
    if in_volts(written.version):
        mode = {"input_mode": MODES.index(inputs[0])}
    else:
        mode = {"ctrlspec": sum(1 << (*CONTROLLER_INPUTS, "voltage").index(word) for word in inputs)}
    actuator.set_to_dcmotor(
        [*constants] if isinstance(constants, tuple) else [constants, 0.0], words["resistance"], **rows, **mode
    )
    actuator.gear = [words.get("gear", 1.0), 0.0, 0.0, 0.0, 0.0, 0.0]
    actuator.damping = [*words.get("damping", (0.0, 0.0, 0.0))]
    actuator.armature = 0.0
    limited = "ctrlrange" in words
    actuator.ctrllimited = getattr(mujoco.mjtLimited, "mjLIMITED_TRUE" if limited else "mjLIMITED_FALSE")
    actuator.ctrlrange = [*words.get("ctrlrange", (0.0, 0.0))]
    actuator.delay = written.history.get("delay", 0.0)
    actuator.nsample = int(written.history.get("nsample", 0))
    actuator.interp = LINEAR if written.history else 0


def add_play(mujoco: Any, spec: Any, hinge: Any, written: WrittenMotor) -> None:
    """A second hinge of the same body around the same axis, whose range is the backlash."""
    body, label = hinge.parent, hinge.name + PLAY
    if hinge.type != mujoco.mjtJoint.mjJNT_HINGE:
        raise ParameterError(f"backlash = True: joint {hinge.name!r} is a slide; the play of gears needs a hinge")
    if len(body.joints) > 1:
        raise ParameterError(
            f"backlash = True: the body of joint {hinge.name!r} has {len(body.joints)} joints, and the play must come "
            "right behind the motor's; give each a body of its own"
        )
    if spec.joint(label) is not None:
        raise ParameterError(f"backlash = True: the specification has a joint {label!r} already")
    if len(spec.keys) and any(len(key.qpos) for key in spec.keys):
        raise ParameterError(
            "backlash = True: keyframes hold no angle for the play; take them out of the specification"
        )
    words = written.play_attributes
    play = body.add_joint(name=label, type=hinge.type, axis=[*hinge.axis], pos=[*hinge.pos])
    if hinge.frame is not None:
        play.set_frame(hinge.frame)
    unit = math.degrees(1.0) if spec.compiler.degree else 1.0
    play.range = [unit * end for end in words["range"]]
    play.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    play.armature = play.frictionloss = 0.0
    play.damping = play.stiffness = [0.0, 0.0, 0.0]
    play.ref = play.springref = 0.0
    play.solref_limit = [*words["solreflimit"]]
    play.solimp_limit = [*words["solimplimit"], 0.5, 2.0]
