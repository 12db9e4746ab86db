"""Reading a dcmotor: out of a model that the installed MuJoCo compiles, or out of the file of the other generation."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np

from ...errors import MissingExtraError, ParameterError
from ..mjcf import parsed
from .parameters import fields_from_attributes
from .stripped import compiled_model
from .versions import CONTROLLER_INPUTS, in_volts, known_version

COMMON = ("ctrllimited", "ctrlrange", "gear", "damping", "armature")
"""Attributes that all kinds of actuator share in a default class."""
KINDS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
    "pid", "orientation",
)  # fmt: skip
"""Elements that stand for an actuator."""


def fields_from_model(model: Any, actuator: str | int | None, version: str) -> dict[str, Any]:
    """Fields of a `DcMotor` from a model."""
    known_version(version)
    installed = installed_version()
    if not isinstance(model, (str, Path)):
        if installed is None:
            raise MissingExtraError("mujoco", "mujoco", "Reading a MuJoCo model")
        if in_volts(installed) != in_volts(version):
            raise ParameterError(
                f"version = {version!r}: the model was compiled by MuJoCo {installed}, whose dcmotor is another; "
                f'say version="{installed}"'
            )
    if installed is None or in_volts(installed) != in_volts(version):
        return fields_from_file(model, actuator, version)
    return fields_from_rows(*compiled_model(model), actuator, version)


def installed_version() -> str | None:
    """The MuJoCo that is here, as far as its law is known; None where there is none."""
    mujoco: Any
    try:
        import mujoco
    except ModuleNotFoundError:
        return None
    version = ".".join(mujoco.__version__.split(".")[:2])
    known_version(version)
    return version


# --- from a compiled model


def fields_from_rows(mujoco: Any, model: Any, actuator: str | int | None, version: str) -> dict[str, Any]:
    """Fields from the rows of a compiled model."""
    kinds = (mujoco.mjtGain.mjGAIN_DCMOTOR, mujoco.mjtDyn.mjDYN_DCMOTOR, mujoco.mjtBias.mjBIAS_DCMOTOR)
    types = np.stack([model.actuator_gaintype, model.actuator_dyntype, model.actuator_biastype], axis=-1)
    whole = (types == np.array([int(kind) for kind in kinds])).all(axis=-1)
    names = [model.actuator(i).name for i in range(len(types))]
    index = chosen(names, whole, actuator)
    name = names[index] or f"number {index}"
    if getattr(model, "actuator_delay", np.zeros(index + 1))[index]:
        raise ParameterError(f"actuator {name!r} has a delay: the law has no history of commands; delay ctrl yourself")
    gain, dyn, bias = (getattr(model, f"actuator_{kind}prm")[index].tolist() for kind in ("gain", "dyn", "bias"))
    inputs, first = model_inputs(model, index, gain[8], version)
    low, high = np.asarray(model.actuator_ctrlrange)[first : first + len(inputs)].T.reshape(2, -1)
    limited = np.asarray(model.actuator_ctrllimited)[first : first + len(inputs)].astype(bool)
    force = model.actuator_forcerange[index] if model.actuator_forcelimited[index] else (-np.inf, np.inf)
    return {
        "version": version,
        "inputs": inputs,
        **dict(zip(GAIN, gain, strict=False)),
        **dict(zip(DYN, dyn, strict=False)),
        **dict(zip(BIAS, bias, strict=False)),
        "lowest_force": float(force[0]),
        "highest_force": float(force[1]),
        "lowest_ctrl": tuple(np.where(limited, low, -np.inf).tolist()),
        "highest_ctrl": tuple(np.where(limited, high, np.inf).tolist()),
        "gear": float(model.actuator_gear[index, 0]),
        "damping": (float(model.actuator_damping[index]), *model.actuator_dampingpoly[index].tolist()),
        "armature": float(model.actuator_armature[index]),
    }


GAIN = (
    "resistance", "motor_constant", "temperature_coefficient", "reference_temperature", "kp", "ki", "kd",
    "voltage_limit",
)  # fmt: skip
DYN = (
    "time_constant", "current_rate", "thermal_resistance", "thermal_capacitance", "ambient", "bristle_stiffness",
    "bristle_damping", "slew", "integral_limit",
)  # fmt: skip
BIAS = (
    "cogging_amplitude", "cogging_periodicity", "cogging_phase", "coulomb", "stiction", "stribeck_velocity",
)  # fmt: skip


def model_inputs(model: Any, index: int, mode: float, version: str) -> tuple[tuple[str, ...], int]:
    """The inputs of an actuator, and where its first control is."""
    if in_volts(version):
        return (("voltage", "position", "velocity")[int(mode)],), index
    spec = int(model.actuator_ctrlspec[index])
    names = (*CONTROLLER_INPUTS, "voltage")
    return tuple(name for bit, name in enumerate(names) if spec & (1 << bit)), int(model.actuator_ctrladr[index])


def chosen(names: list[str | None], whole: Any, actuator: str | int | None) -> int:
    """Number of the actuator that is meant; raises one sentence where there is none, or no one."""
    motors = [index for index, is_motor in enumerate(whole) if is_motor]
    known = ", ".join(repr(names[index] or index) for index in motors) or "none"
    if actuator is None:
        if len(motors) != 1:
            raise ParameterError(f"the model has {len(motors)} dcmotors ({known}): say which with actuator=")
        return motors[0]
    if isinstance(actuator, str):
        found = [index for index, name in enumerate(names) if name == actuator]
        if len(found) > 1:
            raise ParameterError(f"actuator = {actuator!r}: {len(found)} actuators have that name")
    else:
        found = [actuator] if 0 <= actuator < len(names) else []
    if not found:
        raise ParameterError(f"actuator = {actuator!r}: the model has no such actuator; its dcmotors are {known}")
    if not whole[found[0]]:
        raise ParameterError(
            f"actuator = {actuator!r} is no dcmotor: its gain, bias and dynamics must all be; the dcmotors are {known}"
        )
    return found[0]


# --- from a file of the other generation


def fields_from_file(source: str | Path, actuator: str | int | None, version: str) -> dict[str, Any]:
    """Fields from an MJCF text or file, its default classes resolved here."""
    root = parsed(source)
    elements = [element for section in root.findall("actuator") for element in section]
    index = chosen([e.get("name") for e in elements], [is_motor(e) for e in elements], actuator)
    element = elements[index]
    chain = default_chain(root, element.get("class", "main"))
    if element.tag == "general":
        raise ParameterError(
            f"actuator {element.get('name', index)!r} is a <general> of MuJoCo {version}: its rows can be read by a "
            "MuJoCo of that generation; write it as a <dcmotor>"
        )
    fields: dict[str, Any] | None = None
    shared: dict[str, str] = {}
    for default in chain:
        shared |= {name: text for name, text in default.attrib.items() if name in COMMON}
        if default.tag == "dcmotor":
            # bounds of the inputs are checked where they are used
            own = {name: text for name, text in default.attrib.items() if name not in ("ctrlrange", "ctrllimited")}
            fields = fields_from_attributes(own, version, fields)
        elif fields is not None:
            raise ParameterError(
                f"default class {element.get('class', 'main')!r} has a <dcmotor> and a <{default.tag}>: MuJoCo "
                f"{version} mixes them; leave one out"
            )
    return fields_from_attributes(shared | dict(element.attrib), version, fields)


def is_motor(element: ElementTree.Element) -> bool:
    """Whether an element is a dcmotor."""
    types = (element.get("gaintype"), element.get("dyntype"), element.get("biastype"))
    return element.tag == "dcmotor" or (element.tag == "general" and types == ("dcmotor",) * 3)


def default_chain(root: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    """Actuator elements of a default class and those it is in, outermost first."""
    found: list[ElementTree.Element] | None = [] if name == "main" else None

    def walk(section: ElementTree.Element, inherited: list[ElementTree.Element], fallback: str | None) -> None:
        nonlocal found
        chain = inherited + [child for child in section if child.tag in KINDS]
        if section.get("class", fallback) == name:
            found = (found or []) + chain
        for child in section.findall("default"):
            walk(child, chain, None)

    for section in root.findall("default"):
        walk(section, [], "main")
    if found is None:
        raise ParameterError(f"class {name!r}: the model has no such default class")
    return found
