"""What a joint of a live `mujoco.MjSpec` has already, and what a motor changes of it: actuators, inertia, friction."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as changed
from types import ModuleType
from typing import NamedTuple

import numpy as np

from ....checks import Number
from ....errors import ParameterError
from ...mujoco_types import MjModel, MjsElement, MjSpec

PROBES = 3
"""Poses in which it is looked at whether an actuator acts on a joint: a moment arm may be 0 in one of them."""
ALIKE = 1e-9
"""Moment arm below which an actuator does not act [m or 1]."""
WAYS = ("replace", "add")
"""What a motor's number does to that of the joint."""


@dataclass(frozen=True)
class Change:
    """What happens to something in the specification; as a text, its note."""

    what: str
    """What it is: "actuator", "armature", "frictionloss", "damping", "keyframes", "sensors" or "integrator"."""
    status: str
    """"kept", "replaced", "added", "set", "removed", "changed"; of an integrator "stable", "unstable", "unknown"."""
    note: str
    """One sentence with the numbers before and after."""

    def __str__(self) -> str:
        return self.note


def units_of(slide: bool) -> dict[str, tuple[str, ...]]:
    """Units of a joint's numbers, by order where a number has several."""
    if slide:
        return {"armature": ("kg",), "frictionloss": ("N",), "damping": ("N·s/m", "N·s²/m²", "N·s³/m³")}
    return {
        "armature": ("kg·m²",),
        "frictionloss": ("N·m",),
        "damping": ("N·m·s/rad", "N·m·s²/rad²", "N·m·s³/rad³"),
    }


def amount(values: tuple[float, ...], units: tuple[str, ...]) -> str:
    """Numbers with their units; of several orders those that are not 0."""
    pairs = [(value, unit) for value, unit in zip(values, units, strict=False) if value] or [(values[0], units[0])]
    return " and ".join(f"{value:.6g} {unit}" for value, unit in pairs)


def numbers_of(value: Number) -> tuple[float, ...]:
    """A number or a row of them, as a row."""
    return tuple(float(x) for x in np.ravel(value))


def set_joint(
    hinge: MjsElement, new: dict[str, tuple[float, ...]], ways: dict[str, str], slide: bool, bristles: bool
) -> list[Change]:
    """Inertia and friction of the joint; `new` holds the motor's numbers, of its joint or of its actuator.

    `bristles`: whether the motor's dry friction is that of bristles, which are in the actuator too.
    """
    units, changes = units_of(slide), []
    for name in ("armature", "frictionloss", "damping"):
        old, unit = numbers_of(getattr(hinge, name)), units[name]
        if name not in new:
            if any(old):
                changes.append(
                    Change(name, "kept", f"{_with_amount(name, old, unit)} of the joint kept: the motor has none.")
                )
            continue
        motor, adds = new[name], ways[name] == "add"
        # drag is in the actuator, besides the joint's own
        written = tuple(0.0 for _ in old) if name == "damping" else motor
        after = tuple(a + b for a, b in zip(old, written, strict=True)) if adds else written
        setattr(hinge, name, after[0] if len(after) == 1 else list(after))
        change = _change(name, old, motor, unit, adds)
        if name == "frictionloss" and bristles:
            change = changed(change, note=f"{change.note} Its dry friction is that of bristles, in the actuator.")
        changes.append(change)
    return changes


def _with_amount(name: str, values: tuple[float, ...], unit: tuple[str, ...]) -> str:
    return f"{name} {amount(values, unit)}"


def _change(name: str, old: tuple[float, ...], motor: tuple[float, ...], unit: tuple[str, ...], adds: bool) -> Change:
    if not any(old):
        return Change(name, "set", f"{_with_amount(name, motor, unit)} of the motor; the joint had none.")
    if adds:
        both = amount(tuple(a + b for a, b in zip(old, (*motor, 0.0, 0.0), strict=False)), unit)
        return Change(
            name,
            "added",
            f"{_with_amount(name, motor, unit)} of the motor added to {amount(old, unit)} of the joint: {both}.",
        )
    return Change(
        name,
        "replaced",
        f"{_with_amount(name, old, unit)} of the joint replaced by {amount(motor, unit)} of the motor.",
    )


def require_way(name: str, way: object) -> str:
    """One of the ways; raise ParameterError otherwise."""
    if way not in WAYS:
        raise ParameterError(f"{name} = {way!r}: must be 'replace' or 'add'")
    return way


class Standing(NamedTuple):
    """An actuator that acts on a joint."""

    actuator: MjsElement
    """The element of the specification."""
    name: str
    """Its name, or its number in the specification."""
    way: str
    """How it reaches the joint where it does so through something else, such as "tendon 'grip'"; else empty."""
    others: tuple[str, ...] = ()
    """Joints that it acts on as well."""

    def __str__(self) -> str:
        return f"{self.name!r}" + (f" through the {self.way}" if self.way else "")


class Layout(NamedTuple):
    """Where the controls and the activations of the actuators are, before anything is changed."""

    controls: tuple[int, ...]
    """Number of controls of each actuator."""
    states: tuple[int, ...]
    """Number of activations of each actuator."""
    place: int
    """Place of the joint in qpos."""
    start: float
    """Its position at qpos0 [rad or m]."""


def compiled_copy(spec: MjSpec) -> MjModel:
    """The model of a specification, which stays as it is; raises ValueError where it does not compile."""
    return spec.copy().compile()


def standing_on(mujoco: ModuleType, spec: MjSpec, hinge: MjsElement) -> list[Standing]:
    """The actuators that act on a joint: its own, and those of tendons, cranks and pairs of sites that move it."""
    direct = (mujoco.mjtTrn.mjTRN_JOINT, mujoco.mjtTrn.mjTRN_JOINTINPARENT)
    found, indirect = [], []
    for number, actuator in enumerate(spec.actuators):
        name = actuator.name or f"number {number}"
        if actuator.trntype in direct:
            if actuator.target == hinge.name:
                found.append((number, Standing(actuator, name, "")))
        elif way := way_of(mujoco, actuator):
            indirect.append((number, actuator, name, way))
    if indirect:
        moved = moved_joints(mujoco, spec, hinge.name, indirect[0][2])
        for number, actuator, name, way in indirect:
            if hinge.name in moved[number]:
                others = tuple(joint for joint in moved[number] if joint != hinge.name)
                found.append((number, Standing(actuator, name, way, others)))
    return [one for _, one in sorted(found, key=lambda pair: pair[0])]


def way_of(mujoco: ModuleType, actuator: MjsElement) -> str:
    """What an actuator reaches joints through; empty where it pushes on bodies from outside, as a propeller does."""
    kinds = mujoco.mjtTrn
    if actuator.trntype == kinds.mjTRN_TENDON:
        return f"tendon {actuator.target!r}"
    if actuator.trntype == kinds.mjTRN_SLIDERCRANK:
        return f"crank {actuator.target!r}"
    if actuator.trntype == kinds.mjTRN_SITE and actuator.refsite:
        return f"site {actuator.target!r}"
    return ""


def moved_joints(mujoco: ModuleType, spec: MjSpec, joint: str, name: str) -> list[list[str]]:
    """The hinges and slides that each actuator of a specification acts on."""
    try:
        model = compiled_copy(spec)
    except ValueError as error:
        raise ParameterError(
            f"joint {joint!r}: the specification does not compile ({' '.join(str(error).split())}), so it cannot be "
            f"seen whether the actuator {name!r} acts on it; make it compile"
        ) from None
    return moved_by(mujoco, model)


def moved_by(mujoco: ModuleType, model: MjModel) -> list[list[str]]:
    """The hinges and slides that each actuator of a compiled model acts on."""
    data, random = mujoco.MjData(model), np.random.default_rng(0)
    hits = np.zeros((model.nactuator, model.nv), bool)
    first = model.actuator_outadr if hasattr(model, "actuator_outadr") else np.arange(model.nactuator)
    count = model.actuator_outnum if hasattr(model, "actuator_outnum") else np.ones(model.nactuator, int)
    for probe in range(PROBES):
        data.qpos[:] = model.qpos0
        mujoco.mj_integratePos(model, data.qpos, random.normal(size=model.nv), 0.2 * probe)
        mujoco.mj_fwdPosition(model, data)
        for number in range(model.nactuator):
            for row in range(int(first[number]), int(first[number] + count[number])):
                begin = int(data.moment_rowadr[row])
                span = slice(begin, begin + int(data.moment_rownnz[row]))
                arms = np.ravel(data.actuator_moment)[span]
                hits[number, data.moment_colind[span][np.abs(arms) > ALIKE]] = True
    single = [i for i in range(model.njnt) if model.jnt_type[i] in (2, 3)]
    return [[model.joint(i).name for i in single if hits[number, model.jnt_dofadr[i]]] for number in range(len(hits))]


def decide(joint: str, standing: list[Standing], replace: bool | None) -> None:
    """Check that the actuators of a joint allow for a motor; raise ParameterError if not."""
    if replace is not None and not isinstance(replace, bool):
        raise ParameterError(f"replace = {replace!r}: must be True, False, or left out")
    if not standing or replace is False:
        return
    names = " and ".join(str(one) for one in standing)
    if replace is None:
        many = "actuators" if len(standing) > 1 else "actuator"
        raise ParameterError(
            f"joint {joint!r} already has the {many} {names}: replace=True removes what is there, replace=False keeps "
            "it beside the motor"
        )
    for one in standing:
        if one.others:
            also = ", ".join(repr(other) for other in one.others)
            raise ParameterError(
                f"replace = True: the actuator {one} drives {also} besides {joint!r}, which would be left without; "
                "delete it from the specification yourself, or say replace=False"
            )


def layout_of(spec: MjSpec, joint: str) -> Layout | None:
    """Where controls and activations are; None where no keyframe says anything of them."""
    if not any(len(key.ctrl) or len(key.act) for key in spec.keys):
        return None
    try:
        model = compiled_copy(spec)
    except ValueError as error:
        raise ParameterError(
            f"joint {joint!r}: the specification has keyframes with controls and does not compile "
            f"({' '.join(str(error).split())}): make it compile, or take the keyframes out"
        ) from None
    count = model.nactuator
    controls = model.actuator_ctrlnum if hasattr(model, "actuator_ctrlnum") else np.ones(count, int)
    states = model.actuator_actnum
    place = int(model.jnt_qposadr[model.joint(joint).id])
    return Layout(tuple(map(int, controls)), tuple(map(int, states)), place, float(model.qpos0[place]))


def remove(mujoco: ModuleType, spec: MjSpec, standing: list[Standing], label: str, slide: bool) -> list[Change]:
    """Take actuators out of a specification; their sensors see the motor from now on."""
    for one in standing:
        for group in spec.tuples:
            named = zip(group.objtype, group.objname, strict=True)
            if one.actuator.name and any(
                int(kind) == int(mujoco.mjtObj.mjOBJ_ACTUATOR) and name == one.actuator.name for kind, name in named
            ):
                raise ParameterError(
                    f"replace = True: the tuple {group.name!r} has the actuator {one.name!r}; take it out there"
                )
    changes = []
    for one in standing:
        gear = float(one.actuator.gear[0])
        had = own_numbers(one.actuator, gear, slide)
        changes.append(Change("actuator", "removed", f"The actuator {one} of the joint is removed{had}."))
        seen = [
            sensor
            for sensor in spec.sensors
            if one.actuator.name
            and sensor.objtype == mujoco.mjtObj.mjOBJ_ACTUATOR
            and sensor.objname == one.actuator.name
        ]
        for sensor in seen:
            sensor.objname = label
        if seen:
            names = ", ".join(repr(sensor.name or "without a name") for sensor in seen)
            turned = "" if gear == 1.0 else f", at the joint where it was behind a gear of {gear:g}"
            changes.append(
                Change("sensors", "replaced", f"The sensors of {one.name!r} see the motor{turned}: {names}.")
            )
        spec.delete(one.actuator)
    return changes


def own_numbers(actuator: MjsElement, gear: float, slide: bool) -> str:
    """Armature and damping of an actuator itself, which go with it."""
    kept = []
    for name in ("armature", "damping"):
        value = tuple(gear * gear * float(x) for x in np.ravel(getattr(actuator, name)))
        if any(value):
            kept.append(f"its {name} of {amount(value, units_of(slide)[name])} at the joint")
    return f", and with it {' and '.join(kept)}" if kept else ""


def set_keyframes(spec: MjSpec, layout: Layout, gone: list[int], inputs: list[str], states: int) -> Change:
    """Controls and activations of the keyframes without those of removed actuators and with those of the motor."""
    for key in spec.keys:
        at = key.qpos[layout.place] if len(key.qpos) > layout.place else layout.start
        more = [at if word in ("pos", "position") else 0.0 for word in inputs]
        if len(key.ctrl):
            key.ctrl = [*without(list(key.ctrl), layout.controls, gone), *more]
        if len(key.act):
            key.act = [*without(list(key.act), layout.states, gone), *[0.0] * states]
    value = "the joint's position in the keyframe" if inputs[:1] in (["pos"], ["position"]) else "0"
    return Change("keyframes", "changed", f"The motor is the last control of each keyframe, at {value}.")


def without(values: list[float], sizes: tuple[int, ...], gone: list[int]) -> list[float]:
    """A row of an actuator each, without those that are gone; what a row leaves out at its end is 0."""
    values = [*values, *[0.0] * (sum(sizes) - len(values))]
    starts = np.cumsum([0, *sizes])
    kept = [values[starts[i] : starts[i + 1]] for i in range(len(sizes)) if i not in gone]
    return [value for part in kept for value in part]
