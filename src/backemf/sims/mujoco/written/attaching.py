"""A motor or an actuator put on a joint of a live `mujoco.MjSpec`."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass, fields
from types import ModuleType
from typing import Any, TypedDict, Unpack, cast

import numpy as np

from ....actuator import Actuator
from ....actuator.supply import Supply
from ....checks import Number
from ....errors import BackemfWarning, MissingExtraError, ParameterError
from ....motor import Motor
from ...felt_inertia import felt_inertia
from ...joint import require_known
from ...mujoco_types import MjModel, MjsElement, MjSpec
from ...on_joint import OnJoint
from ...step_growth import integrator_of
from ..motor import DcMotor
from ..parameters import SIZES
from ..reading import installed_version
from ..stability import complaint, loop_of
from ..versions import CONTROLLER_INPUTS, in_volts
from .existing import (
    Change,
    Standing,
    compiled_copy,
    decide,
    layout_of,
    remove,
    require_way,
    set_joint,
    set_keyframes,
    standing_on,
)
from .joint_model import BACKLASH
from .writing import WrittenMotor, write

ROWS = ("nominal", "saturation", "inductance", "cogging", "controller", "thermal", "lugre")
"""Attributes that `set_to_dcmotor` takes as rows."""
MODES = ("voltage", "position", "velocity")
"""Inputs until 3.11, in the order of their numbers."""
LINEAR = 1
"""MuJoCo's number for linear interpolation between remembered commands."""


class AttachNumbers(TypedDict, total=False):
    """Numbers of `write` that may be given with a motor for a specification."""

    supply: Supply | Number | None
    effort: str
    effort_limit: float | None
    keep: str
    timestep: float


@dataclass(frozen=True, kw_only=True)
class Attached(WrittenMotor):
    """What is written, and what became of what the specification had."""

    changes: tuple[Change, ...] = ()
    """A row for the actuators, armature, frictionloss and damping of the joint, keyframes, sensors and integrator."""


def attach(
    spec: MjSpec,
    thing: Motor | Actuator | OnJoint,
    joint: str,
    *,
    version: str | None = None,
    name: str | None = None,
    backlash: bool = False,
    replace: bool | None = None,
    armature: str = "replace",
    friction: str = "replace",
    **numbers: Unpack[AttachNumbers],
) -> Attached:
    """Put a `<dcmotor>` for an actuator on a joint of a specification, and what the motor knows of it on the joint.

    A joint that an actuator acts on already is refused, unless `replace=True` removes the actuator, or `replace=False`
    keeps it, with a warning. The joint gets the rotor's inertia as its armature; where the motor says anything of
    friction, the joint's frictionloss and damping are replaced. `armature="add"` and `friction="add"` add to what the
    joint has. `backlash=True` adds a second hinge, `<joint>_backlash`, to the same body. `numbers` are those of
    `write`; the physics step is the specification's own if left out. Returns the same as `write`, with a row of
    `changes` for everything that the specification had; an integrator that does not hold the gains is warned of.
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
    ways = {"armature": require_way("armature", armature)}
    ways |= dict.fromkeys(("frictionloss", "damping"), require_way("friction", friction))
    hinge = joint_of_spec(mujoco, spec, joint)
    numbers = AttachNumbers(timestep=float(spec.option.timestep)) | numbers
    written = write(thing, joint, version=version, name=name, backlash=backlash, **numbers)
    if written.kind != "dcmotor":
        raise ParameterError(
            f"attach({type(thing).__name__}(...)) without a motor: paste the <{written.kind}> of write, or give "
            "Actuator.motor, or one DcClip in Actuator.limits"
        )
    label = joint if name is None else name
    standing = standing_on(mujoco, spec, hinge)
    decide(joint, standing, replace)
    going = standing if replace else []
    named = spec.actuator(label)
    if named is not None and all(one.actuator.id != named.id for one in going):
        raise ParameterError(f"name = {label!r}: the specification has an actuator of that name; give name=")
    if backlash:
        require_room_for_backlash(mujoco, spec, hinge)
    layout = layout_of(spec, joint)
    # nothing is refused from here on
    gone = [number for number, each in enumerate(spec.actuators) if any(each.id == one.actuator.id for one in going)]
    slide = hinge.type == mujoco.mjtJoint.mjJNT_SLIDE
    changes = remove(mujoco, spec, going, label, slide)
    if standing and not going:
        changes.append(report_kept(joint, standing))
    if backlash:
        add_backlash(mujoco, spec, hinge, written)
    changes += set_joint(hinge, joint_numbers(written), ways, slide, "lugre" in written.attributes)
    add_motor(mujoco, spec, label, joint, written)
    motor = DcMotor.from_attributes(version=version, **written.attributes)
    if layout is not None:
        changes.append(set_keyframes(spec, layout, gone, written.attributes["input"].split(), len(motor.states or ())))
    changes.append(judge_integrator(mujoco, spec, joint, motor))
    known = {entry.name: getattr(written, entry.name) for entry in fields(written)}
    return Attached(**known, changes=tuple(changes))


def report_kept(joint: str, standing: list[Standing]) -> Change:
    """A row, and a warning, for actuators that stay on the joint."""
    names = " and ".join(str(one) for one in standing)
    note = f"joint {joint!r} keeps the actuator {names} beside the motor: both act on it."
    warnings.warn(f"{note} replace=True removes what was there.", BackemfWarning, stacklevel=3)
    return Change("actuator", "kept", note)


def joint_numbers(written: WrittenMotor) -> dict[str, tuple[float, ...]]:
    """The motor's armature, frictionloss and damping for the joint, those that it has."""
    found: dict[str, tuple[float, ...]] = {name: (float(value),) for name, value in written.joint_attributes.items()}
    if "damping" in found:
        found["damping"] = tuple(float(x) for x in written.attributes.get("damping", (0.0, 0.0, 0.0)))
    return found


def judge_integrator(mujoco: ModuleType, spec: MjSpec, joint: str, motor: DcMotor) -> Change:
    """Whether the integrator of a specification holds a motor on its joint; a warning where it does not."""
    try:
        model = compiled_copy(spec)
    except ValueError as error:
        problem = " ".join(str(error).split())
        return Change("integrator", "unknown", f"Not looked at: the specification does not compile ({problem}).")
    change = integrator_change(mujoco, model, joint, motor)
    if change.status == "unstable":
        warnings.warn(change.note.removesuffix("."), BackemfWarning, stacklevel=3)
    return change


def integrator_change(mujoco: ModuleType, model: MjModel, joint: str, motor: DcMotor) -> Change:
    """Whether the integrator of a compiled model holds a motor on its joint."""
    dof, number = int(model.jnt_dofadr[model.joint(joint).id]), model.joint(joint).id
    integrator = integrator_of(mujoco, model)
    flags, bits = int(model.opt.disableflags), mujoco.mjtDisableBit
    passive = not flags & int(bits.mjDSBL_DAMPER)
    springs = not flags & int(getattr(bits, "mjDSBL_SPRING", bits.mjDSBL_DAMPER))
    drag = float(model.dof_damping[dof]) + float(np.ravel(cast(Any, motor.damping))[0]) * float(motor.gear) ** 2
    loop = loop_of(motor)._replace(
        joint_damping=drag if passive else 0.0, joint_stiffness=float(model.jnt_stiffness[number]) if springs else 0.0
    )
    inertia, h = float(felt_inertia(mujoco, model, [dof])[0]), float(model.opt.timestep)
    damped = integrator != "Euler" or not flags & int(bits.mjDSBL_EULERDAMP)
    problem = complaint(joint, loop, inertia, h, integrator, damped)
    if problem is None:
        held = f"{integrator} with timestep = {h:g} s holds these gains on {inertia:.3g} kg·m²."
        return Change("integrator", "stable", held)
    return Change("integrator", "unstable", f"{problem}.")


def installed_mujoco() -> tuple[ModuleType, str]:
    """MuJoCo and its version."""
    version = installed_version()
    if version is None:
        raise MissingExtraError("mujoco", "mujoco", "Putting a motor on a MuJoCo joint")
    import mujoco

    return mujoco, version


def joint_of_spec(mujoco: ModuleType, spec: MjSpec, joint: str) -> MjsElement:
    """A hinge or slide of a specification."""
    found = spec.joint(joint) if isinstance(joint, str) else None
    if found is None:
        known = ", ".join(repr(each.name) for each in spec.joints if each.name) or "none with a name"
        raise ParameterError(f"joint = {joint!r}: the specification has no such joint; it has {known}")
    if found.type not in (mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE):
        kind = "ball" if found.type == mujoco.mjtJoint.mjJNT_BALL else "free"
        raise ParameterError(f"joint = {joint!r} is a {kind} joint: a motor turns a hinge, or moves a slide")
    return found


def add_motor(mujoco: ModuleType, spec: MjSpec, name: str, joint: str, written: WrittenMotor) -> None:
    """The actuator itself; nothing of a default class is left in it."""
    words = written.attributes
    actuator = spec.add_actuator(name=name, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
    for part in ("gainprm", "dynprm", "biasprm"):
        setattr(actuator, part, [0.0] * 10)
    actuator.forcelimited = actuator.actlimited = mujoco.mjtLimited.mjLIMITED_AUTO
    actuator.forcerange = actuator.actrange = [0.0, 0.0]
    constants = words["motorconst"]
    rows = {key: [*words[key], *[0.0] * SIZES[key]][: SIZES[key]] for key in ROWS if key in words}
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


def require_room_for_backlash(mujoco: ModuleType, spec: MjSpec, hinge: MjsElement) -> None:
    """Check that a body can have a second hinge; raise ParameterError if not."""
    body, label = hinge.parent, hinge.name + BACKLASH
    if hinge.type != mujoco.mjtJoint.mjJNT_HINGE:
        raise ParameterError(f"backlash = True: joint {hinge.name!r} is a slide; backlash needs a hinge")
    if len(body.joints) > 1:
        raise ParameterError(
            f"backlash = True: the body of joint {hinge.name!r} has {len(body.joints)} joints, and the second hinge "
            "must directly follow the motor's; give each its own body"
        )
    if spec.joint(label) is not None:
        raise ParameterError(f"backlash = True: the specification has a joint {label!r} already")
    if len(spec.keys) and any(len(key.qpos) for key in spec.keys):
        raise ParameterError(
            "backlash = True: keyframes have no angle for the second hinge; take them out of the specification"
        )


def add_backlash(mujoco: ModuleType, spec: MjSpec, hinge: MjsElement, written: WrittenMotor) -> None:
    """A second hinge of the same body around the same axis, whose range is the backlash."""
    body, label = hinge.parent, hinge.name + BACKLASH
    words = written.backlash_attributes
    second = body.add_joint(name=label, type=hinge.type, axis=[*hinge.axis], pos=[*hinge.pos])
    if hinge.frame is not None:
        second.set_frame(hinge.frame)
    unit = math.degrees(1.0) if spec.compiler.degree else 1.0
    second.range = [unit * end for end in words["range"]]
    second.limited = mujoco.mjtLimited.mjLIMITED_TRUE
    second.armature = second.frictionloss = 0.0
    second.damping = second.stiffness = [0.0, 0.0, 0.0]
    second.ref = second.springref = 0.0
    second.solref_limit = [*words["solreflimit"]]
    second.solimp_limit = [*words["solimplimit"], 0.5, 2.0]
