"""Files of simulators, read back as actuators: what a file is, is told by what stands in it."""

from __future__ import annotations

import importlib
import re
from dataclasses import fields
from pathlib import Path
from typing import Any

from ..actuator.actuator import NETWORKS
from ..errors import ParameterError
from ..files import read_text, require_plain
from ..motorfile import is_actuator, load_with_joint
from ..sims.on_joint import OnJoint, Unread
from .duty import completed, scale_of
from .exported import Error, compared

LARGEST = 64_000_000
"""Longest file that is read [bytes]."""


def read_file(path: str | Path, joint: str | None = None, version: str | None = None) -> OnJoint:
    """The actuator of a file: MJCF, USD, a configuration text of mjlab or Isaac Lab, a Webots world, or our own TOML.

    `joint` says which where a file has several; `version` is that of MuJoCo, 4.0 if left out. What of it has no place
    in a backemf actuator is in the `losses` of what comes back.
    """
    file = Path(path)
    kind = kind_of(file)
    options = _options(kind, file, version)
    if kind == "own":
        return _own(file)
    return _room(kind).read_actuator(file, joint=joint, **options)


def read_actuators(path: str | Path, version: str | None = None) -> list[OnJoint | Unread]:
    """Every actuator of such a file, in its order; one that cannot be read is an `Unread` that says why."""
    file = Path(path)
    kind = kind_of(file)
    options = _options(kind, file, version)
    return [_own(file)] if kind == "own" else _room(kind).read_actuators(file, **options)


def as_written(found: OnJoint) -> OnJoint:
    """What a motor file holds of an actuator and its joint: all but the simulator's own law."""
    own = {entry.name: getattr(found, entry.name) for entry in fields(OnJoint)}
    return OnJoint(**own)


def reading_errors(found: OnJoint, timestep: float = 0.002) -> list[Error]:
    """How far the torque of the motor file is off that of the simulator whose file was read.

    Both laws run side by side, as in `export`; empty where a network stands for the motor, or where the two are one.
    """
    if type(found).law is OnJoint.law or isinstance(found.actuator.controller, NETWORKS):
        return []
    full = completed(as_written(found)) if found.actuator.motor is None else as_written(found)
    return compared(full, found, scale_of(full), timestep)


def _options(kind: str, file: Path, version: str | None) -> dict[str, str]:
    if version is not None and kind != "mujoco":
        raise ParameterError(f"{file}: version = {version!r} is for MJCF; leave it out")
    return {"version": version or "4.0"} if kind == "mujoco" else {}


def _own(file: Path) -> OnJoint:
    actuator, own = load_with_joint(file)
    own = own or {}
    return OnJoint(actuator=actuator, joint=own.pop("name", ""), **own)


def kind_of(file: Path) -> str:
    """Which room reads a file."""
    require_plain(file, LARGEST, what="a file with the actuators of a robot")
    ending = file.suffix.lower()
    if ending in (".usd", ".usdc", ".usdz"):
        return _of_usd(file)
    if ending not in _KINDS:
        raise ParameterError(f"{file}: cannot be read: must end in {', '.join([*_KINDS, '.usd', '.usdc'])}")
    return _KINDS[ending](file)


def _of_usd(file: Path) -> str:
    # a stage that nobody holds is gone, and its prims with it
    stage = _room("usd").opened(file)
    kinds = {str(prim.GetTypeName()) for prim in stage.TraverseAll()}
    return "newton.files" if "NewtonActuator" in kinds else "physx"


def _of_python(file: Path) -> str:
    text = read_text(file)
    # mjlab before 1.6 has joint_names_expr too
    if re.search(r"^\s*(from|import)\s+mjlab\b", text, re.MULTILINE) and not re.search(r"\bisaaclab\b", text):
        return "mjlab.files"
    if re.search(r"\bisaaclab\b|joint_names_expr", text):
        return "isaaclab.files"
    if re.search(r"\bmjlab\b|target_names_expr", text):
        return "mjlab.files"
    raise ParameterError(
        f"{file}: has no actuator of mjlab or Isaac Lab; these have target_names_expr or joint_names_expr"
    )


def _of_toml(file: Path) -> str:
    if not is_actuator(read_text(file)):
        raise ParameterError(f"{file}: is a datasheet, and no file of a simulator; backemf reads it as it is")
    return "own"


_KINDS: dict[str, Any] = {
    ".xml": lambda file: "mujoco",
    ".mjcf": lambda file: "mujoco",
    ".py": _of_python,
    ".usda": _of_usd,
    ".wbt": lambda file: "webots.reading",
    ".proto": lambda file: "webots.reading",
    ".toml": _of_toml,
}


def _room(name: str) -> Any:
    return importlib.import_module(f"..sims.{name}", __package__)
