"""Reading a dcmotor: from a model that the installed MuJoCo compiles, or from a file of the other generation."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any
from xml.etree import ElementTree

from ...errors import MissingExtraError, ParameterError
from ..mjcf import parse_mjcf
from ..mujoco_types import MjModel, ModelSource
from ..types import Fields
from .kinds import actuators_of, range_of
from .parameters import fields_from_attributes
from .picking import pick_motor
from .stripped import compiled_source
from .versions import in_volts, known_version

COMMON = ("ctrllimited", "ctrlrange", "gear", "damping", "armature")
"""Attributes that all kinds of actuator share in a default class."""
KINDS = (
    "general", "motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "dcmotor",
    "pid", "orientation",
)  # fmt: skip
"""Elements that are an actuator."""
GAIN = (
    "resistance", "motor_constant", "temperature_coefficient", "reference_temperature", "kp", "ki", "kd",
    "voltage_limit",
)  # fmt: skip
"""Fields of a `DcMotor` in the order of `actuator_gainprm`; the two below are those of `dynprm` and `biasprm`."""
DYN = (
    "time_constant", "current_rate", "thermal_resistance", "thermal_capacitance", "ambient", "bristle_stiffness",
    "bristle_damping", "slew", "integral_limit",
)  # fmt: skip
BIAS = (
    "cogging_amplitude", "cogging_periodicity", "cogging_phase", "coulomb", "stiction", "stribeck_velocity",
)  # fmt: skip


def fields_from_model(model: ModelSource, actuator: str | int | None, version: str) -> Fields:
    """Fields of a `DcMotor` from a model."""
    known_version(version)
    installed = installed_version()
    same = installed is not None and in_volts(installed) == in_volts(version)
    if same:
        mujoco, compiled, *_ = compiled_source(model)
        return fields_from_rows(mujoco, compiled, actuator, version)
    if isinstance(model, (str, Path)):
        return fields_from_file(model, actuator, version)
    if installed is None:
        raise MissingExtraError("mujoco", "mujoco", "Reading a MuJoCo model")
    raise ParameterError(
        f"version = {version!r}: the model was compiled by MuJoCo {installed}, whose dcmotor is another; "
        f'give version="{installed}"'
    )


def installed_version() -> str | None:
    """The version of the installed MuJoCo, if its law is known; None where there is no MuJoCo."""
    mujoco: Any
    try:
        import mujoco
    except ModuleNotFoundError:
        return None
    version = ".".join(mujoco.__version__.split(".")[:2])
    known_version(version)
    return version


# --- from a compiled model


def fields_from_rows(mujoco: ModuleType, model: MjModel, actuator: str | int | None, version: str) -> Fields:
    """Fields from the rows of a compiled model."""
    rows = actuators_of(mujoco, model)
    motors = [all(row.is_type(part, "dcmotor") for part in ("gain", "dyn", "bias")) for row in rows]
    index = pick_motor([model.actuator(row.index).name or None for row in rows], motors, actuator)
    row = rows[index]
    if any(getattr(model, "actuator_delay", ())[index : index + 1]):
        raise ParameterError(
            f"actuator {row.label!r} has a delay: the law has no history of commands; delay ctrl yourself"
        )
    gain, ranges = row.numbers("gainprm"), row.ctrl_ranges
    force = range_of(model.actuator_forcerange[index], model.actuator_forcelimited[index])
    return {
        "version": version,
        "inputs": (("voltage", "position", "velocity")[int(gain[8])],) if in_volts(version) else row.inputs,
        **dict(zip(GAIN, gain, strict=False)),
        **dict(zip(DYN, row.numbers("dynprm"), strict=False)),
        **dict(zip(BIAS, row.numbers("biasprm"), strict=False)),
        "lowest_force": force[0],
        "highest_force": force[1],
        "lowest_ctrl": tuple(low for low, _ in ranges),
        "highest_ctrl": tuple(high for _, high in ranges),
        "gear": row.numbers("gear")[0],
        "damping": (*row.numbers("damping"), *row.numbers("dampingpoly")),
        "armature": row.numbers("armature")[0],
    }


# --- from a file of the other generation


def fields_from_file(source: str | Path, actuator: str | int | None, version: str) -> Fields:
    """Fields from an MJCF text or file, its default classes resolved here."""
    root = parse_mjcf(source)
    elements = [element for section in root.findall("actuator") for element in section]
    index = pick_motor([e.get("name") for e in elements], [is_motor(e) for e in elements], actuator)
    element = elements[index]
    chain = default_chain(root, element.get("class", "main"), KINDS)
    if element.tag == "general":
        raise ParameterError(
            f"actuator {element.get('name', index)!r} is a <general> of MuJoCo {version}: its rows can be read by a "
            "MuJoCo of that generation; write it as a <dcmotor>"
        )
    fields: Fields | None = None
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


def default_chain(root: ElementTree.Element, name: str, tags: tuple[str, ...]) -> list[ElementTree.Element]:
    """Elements with some tags of a default class and of those it is in, outermost first."""
    found: list[list[ElementTree.Element]] = [[]] if name == "main" else []

    def walk(section: ElementTree.Element, inherited: list[ElementTree.Element], own: str) -> None:
        chain = inherited + [child for child in section if child.tag in tags]
        if section.get("class", own) == name:
            found.append(chain)
        for child in section.findall("default"):
            walk(child, chain, "")

    for section in root.findall("default"):
        walk(section, [], "main")
    if not found:
        raise ParameterError(f"class {name!r}: the model has no such default class")
    return [element for chain in found for element in chain]
