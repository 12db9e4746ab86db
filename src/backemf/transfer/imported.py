"""Files of simulators, read back as actuators: what a file is, is told by what stands in it."""

from __future__ import annotations

import importlib
import re
from pathlib import Path
from typing import Any

from ..errors import ParameterError
from ..motorfile import is_actuator, loads_with_joint
from ..sims.on_joint import OnJoint

LARGEST = 64_000_000
"""Longest file that is read [bytes]."""


def read_file(path: str | Path, joint: str | None = None, version: str | None = None) -> OnJoint:
    """The actuator of a file: MJCF, USD, a configuration text of mjlab or Isaac Lab, a Webots world, or our own TOML.

    `joint` says which where a file has several; `version` is that of MuJoCo, 4.0 if left out.
    """
    file = Path(path)
    kind = kind_of(file)
    if version is not None and kind != "mujoco":
        raise ParameterError(f"{file}: version = {version!r} is for MJCF; leave it out")
    if kind == "own":
        actuator, own = loads_with_joint(file.read_text(encoding="utf-8"), str(file))
        return OnJoint(actuator=actuator, joint=own.pop("name", ""), **own)
    if kind == "mujoco":
        return _room("mujoco").read_actuator(file, joint=joint, version=version or "4.0")
    return _room(kind).read_actuator(file, joint)


def kind_of(file: Path) -> str:
    """Which room reads a file."""
    if not file.is_file():
        raise ParameterError(f"{file}: there is no such file")
    if file.stat().st_size > LARGEST:
        raise ParameterError(f"{file}: is larger than any file of a robot; give one of its own to the actuators")
    ending = file.suffix.lower()
    if ending in (".usd", ".usdc", ".usdz"):
        return _of_usd(file)
    if ending not in _KINDS:
        raise ParameterError(f"{file}: cannot be read: must end in {', '.join([*_KINDS, '.usd', '.usdc'])}")
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        why = "it is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else error.strerror or str(error)
        raise ParameterError(f"{file}: cannot be read: {why}") from None
    return _KINDS[ending](file, text)


def _of_usd(file: Path) -> str:
    # a stage that nobody holds is gone, and its prims with it
    stage = _room("usd").opened(file)
    kinds = {str(prim.GetTypeName()) for prim in stage.TraverseAll()}
    return "newton.files" if "NewtonActuator" in kinds else "physx"


def _of_python(file: Path, text: str) -> str:
    if re.search(r"\bisaaclab\b|joint_names_expr", text):
        return "isaaclab.files"
    if re.search(r"\bmjlab\b|target_names_expr", text):
        return "mjlab.files"
    raise ParameterError(
        f"{file}: has no actuator of mjlab or Isaac Lab; these have target_names_expr or joint_names_expr"
    )


def _of_toml(file: Path, text: str) -> str:
    if not is_actuator(text):
        raise ParameterError(f"{file}: is a datasheet, and no file of a simulator; backemf reads it as it is")
    return "own"


_KINDS: dict[str, Any] = {
    ".xml": lambda file, text: "mujoco",
    ".mjcf": lambda file, text: "mujoco",
    ".py": _of_python,
    ".usda": lambda file, text: _of_usd(file),
    ".wbt": lambda file, text: "webots.files",
    ".proto": lambda file, text: "webots.files",
    ".toml": _of_toml,
}


def _room(name: str) -> Any:
    return importlib.import_module(f"..sims.{name}", __package__)
