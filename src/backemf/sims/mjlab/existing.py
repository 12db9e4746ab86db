"""Other drives of a joint that would act in addition to the motor: actuators of the XML, or of another config."""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import ParameterError
from ..mujoco_types import MjsElement, MjSpec

if TYPE_CHECKING:
    from .plugin import MotorActuator

EXISTING = ("refuse", "replace", "keep")
"""What to do with an actuator that the XML has on a joint."""


def require_choice(existing: object) -> None:
    """Check that `existing` is one of the choices; raise ParameterError if not."""
    if existing not in EXISTING:
        raise ParameterError(f"MotorActuatorCfg.existing = {existing!r}: must be one of {', '.join(EXISTING)}")


def mujoco_module() -> ModuleType:
    """MuJoCo, which mjlab brings."""
    mujoco: Any
    import mujoco

    return mujoco


# --- other configs


def require_own_joints(actuator: MotorActuator) -> None:
    """Check that no other config of the entity drives a joint of this actuator; raise ParameterError if one does."""
    from mjlab.actuator import XmlActuator

    for other in actuator.entity.actuators:
        if other is actuator or other.transmission_type.value != "joint":
            continue
        shared = [
            name
            for number, name in zip(actuator._target_ids_list, actuator._target_names, strict=True)
            if number in other._target_ids_list
        ]
        if not shared:
            continue
        words = f"MotorActuatorCfg {_patterns(actuator)}: joint {_some(shared)}"
        theirs = f"{type(other.cfg).__name__} {_patterns(other)}"
        if not isinstance(other, XmlActuator):
            raise ParameterError(
                f"{words} is driven by {theirs} too; make target_names_expr of one of them narrower, so that each "
                "joint has one actuator"
            )
        if not other._mjs_actuators:
            raise ParameterError(
                f"{words} is matched by {theirs} too, which comes later and would take the motor for an actuator of "
                "the XML; list it before the motor, or make its target_names_expr narrower"
            )
        if actuator.cfg.existing != "keep":
            raise ParameterError(
                f"{words} is driven by {theirs} too; make target_names_expr of one of them narrower, or give "
                'existing="keep" if both are meant to act'
            )


def _patterns(actuator: MotorActuator) -> str:
    return ", ".join(repr(pattern) for pattern in actuator.cfg.target_names_expr)


def _some(names: Iterable[str], most: int = 4) -> str:
    """A few names, and how many more there are."""
    known = [repr(name) for name in names]
    more = len(known) - most
    return ", ".join(known[:most]) + (f" and {more} more" if more > 0 else "")


# --- actuators of the XML


def settle_existing(
    spec: MjSpec, joint: str, existing: str, through: dict[str, list[str]] | None = None
) -> tuple[list[str], list[str]]:
    """Keep or remove the XML's actuators on a joint: descriptions of those kept, and names of those removed.

    `through` are actuators that move joints indirectly, as `reaching` finds them. Raises ParameterError if there are
    any and `existing` is "refuse", or if they cannot be replaced.
    """
    found, indirect = actuators_on(spec, joint), (through or {}).get(joint, [])
    words = [f"<{kind_of(element)}> {element.name!r} on joint {joint!r}" for _, element in found]
    words += [f"{each}, which moves joint {joint!r}," for each in indirect]
    if words and existing == "refuse":
        there = " and ".join(words).rstrip(",")
        raise ParameterError(
            f"MotorActuatorCfg: the XML has {there}, which would act in addition to the motor; "
            'take it out of the XML or the spec, or give existing="replace", which does that, or existing="keep", with '
            "which both act"
        )
    if existing == "keep":
        return words, []
    if indirect:
        raise ParameterError(
            f'MotorActuatorCfg(existing="replace"): the XML has {indirect[0]}, which moves joint {joint!r}; it is not '
            'replaced by a motor on one joint: take it out of the XML or the spec, or give existing="keep"'
        )
    gone = [element.name for _, element in found if element.name]
    remove(spec, [place for place, _ in found])
    return [], gone


def reaching(spec: MjSpec) -> dict[str, list[str]]:
    """Descriptions of actuators that move joints through a tendon, a crank or a pair of sites, by joint name."""
    mujoco = mujoco_module()
    kinds = mujoco.mjtTrn
    ways = {kinds.mjTRN_TENDON: "tendon", kinds.mjTRN_SLIDERCRANK: "crank", kinds.mjTRN_SITE: "site"}
    found: dict[str, list[str]] = {}
    rows = [(place, each) for place, each in enumerate(spec.actuators) if each.trntype in ways]
    # one without a reference pushes a body from outside, as a propeller does
    rows = [(place, each) for place, each in rows if each.trntype != kinds.mjTRN_SITE or each.refsite]
    moved = moved_joints(spec) if rows else []
    for place, each in rows:
        for joint in moved[place]:
            words = f"<{kind_of(each)}> {each.name!r} on {ways[each.trntype]} {each.target!r}"
            found.setdefault(joint, []).append(words)
    return found


POSES = 3
"""Poses in which moment arms are computed: one may be 0 in a single pose."""


def moved_joints(spec: MjSpec) -> list[set[str]]:
    """Names of the joints on which each actuator of a spec has a moment arm."""
    mujoco = mujoco_module()
    model = spec.copy().compile()
    data, random = mujoco.MjData(model), np.random.default_rng(0)
    arms = np.zeros((model.nu, model.nv))
    for pose in range(POSES):
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, random.normal(size=model.nv), 0.2 * pose)
        mujoco.mj_fwdPosition(model, data)
        dense = np.zeros_like(arms)
        mujoco.mju_sparse2dense(
            dense, data.actuator_moment.ravel(), data.moment_rownnz, data.moment_rowadr, data.moment_colind.ravel()
        )
        arms = np.maximum(arms, np.abs(dense))
    owners = [model.joint(int(number)).name for number in model.dof_jntid]
    return [{owners[dof] for dof in np.flatnonzero(row > 1e-9)} for row in arms]


def actuators_on(spec: MjSpec, joint: str) -> list[tuple[int, MjsElement]]:
    """Actuators of a spec that drive a joint directly, each with its place among all."""
    mujoco = mujoco_module()
    direct = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    return [
        (place, each) for place, each in enumerate(spec.actuators) if each.trntype in direct and each.target == joint
    ]


def kind_of(element: MjsElement) -> str:
    """What an actuator of a spec is in XML: "motor", "position", "velocity", "dcmotor", "muscle", or "general"."""
    mujoco = mujoco_module()
    gains, biases = mujoco.mjtGain, mujoco.mjtBias
    special = {int(getattr(gains, f"mjGAIN_{kind.upper()}", -1)): kind for kind in ("dcmotor", "muscle")}
    if int(element.gaintype) in special:
        return special[int(element.gaintype)]
    if element.gaintype != gains.mjGAIN_FIXED or element.dyntype != mujoco.mjtDyn.mjDYN_NONE:
        return "general"
    if element.biastype == biases.mjBIAS_NONE:
        return "motor"
    if element.biastype != biases.mjBIAS_AFFINE or element.biasprm[0] != 0.0:
        return "general"
    return "position" if element.biasprm[1] != 0.0 else "velocity" if element.biasprm[2] != 0.0 else "motor"


def remove(spec: MjSpec, places: list[int]) -> None:
    """Take actuators out of a spec, and their controls and activations out of the keyframes."""
    states = activations(spec, places)
    for key in spec.keys:
        # actuators that were added since the XML was read have no control there yet
        key.ctrl = [value for place, value in enumerate(key.ctrl) if place not in places]
        key.act = [value for place, value in enumerate(key.act) if place not in states]
    for element in [spec.actuators[place] for place in places]:
        spec.delete(element)


def activations(spec: MjSpec, places: list[int]) -> set[int]:
    """Numbers of the activations of some actuators; none where no keyframe has any."""
    if not any(len(key.act) for key in spec.keys):
        return set()
    model = spec.copy().compile()
    rows = [(int(model.actuator_actadr[place]), int(model.actuator_actnum[place])) for place in places]
    return {first + number for first, count in rows for number in range(count)}


def move_sensors(spec: MjSpec, names: list[str], to: str) -> None:
    """Let the sensors of actuators that are gone look at another one."""
    mujoco = mujoco_module()
    for sensor in spec.sensors:
        if sensor.objtype == mujoco.mjtObj.mjOBJ_ACTUATOR and sensor.objname in names:
            sensor.objname = to
