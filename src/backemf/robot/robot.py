"""A whole robot: its model, what drives each joint, and what feeds all of them."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, TypedDict, Unpack

from ..actuator import Supply
from ..checks import quote, require
from ..errors import ParameterError
from ..files import read_text, write_text
from ..hooks import call_hook
from ..values import Foreign
from .actuator_set import ActuatorSet
from .joint_drive import JointDrive, _plain
from .robot_file import LARGEST, read_content, write_content

if TYPE_CHECKING:
    from ..datasheet import Finding

MODELS = (".xml", ".mjcf", ".urdf", ".usd", ".usda", ".usdc", ".usdz")
"""Endings of models."""


class ExportOptions(TypedDict, total=False):
    """Options of `Robot.export`."""

    kind: str | None
    effort: str
    timestep: float | None
    strict: bool
    compare: bool
    digits: int | None


@dataclass(frozen=True, kw_only=True)
class Robot:
    """A robot: a model, joints by patterns, and their drives.

    A pattern is a regular expression that matches the whole name of a joint. Paths are kept absolute: those that are
    given here are relative to the working directory, those of a robot file to its folder.
    """

    drives: Mapping[str, JointDrive]
    """What drives the joints, by pattern; no joint may match two of them."""
    overrides: Mapping[str, JointDrive] = field(default_factory=dict)
    """What is different for some joints, by pattern, in the order in which it is applied."""
    model: str | Path | None = None
    """The model: MJCF, URDF or USD; None: there is none, and `joint_names` names the joints."""
    joint_names: Sequence[str] = ()
    """Names of the joints of a robot without a model."""
    passive: Sequence[str] = ()
    """Patterns of joints that have no motor on purpose."""
    supply: Supply | None = None
    """What feeds every motor that has no supply of its own."""
    peak_current: float | None = None
    """Largest current that the supply gives for a short time [A]; None: not known."""
    continuous_current: float | None = None
    """Largest current that it gives for as long as one likes [A]; None: not known."""
    name: str = ""
    """What it is called."""
    file: Path | None = field(default=None, compare=False)
    """The file that it was read from, for messages; None: there is none."""

    def __post_init__(self) -> None:
        if not isinstance(self.drives, Mapping) or not self.drives:
            raise ParameterError("drives: a robot needs at least one, such as {'.*_knee': JointDrive(motor=...)}")
        for group in ("drives", "overrides"):
            _check_drives(group, getattr(self, group))
            object.__setattr__(self, group, MappingProxyType(dict(getattr(self, group))))
        for pattern, drive in self.drives.items():
            if drive.motor is None:
                raise ParameterError(
                    f"drives[{pattern!r}]: motor is missing: give a catalogue id, a datasheet or a motor file"
                )
        for group in ("joint_names", "passive"):
            names = getattr(self, group)
            if isinstance(names, str) or not all(isinstance(name, str) and name for name in names):
                raise ParameterError(f"{group} = {quote(names)}: must be a list of texts")
            object.__setattr__(self, group, tuple(names))
        if self.supply is not None and not isinstance(self.supply, Supply):
            raise ParameterError(f"supply = {quote(self.supply)}: must be a Supply")
        for name in ("peak_current", "continuous_current"):
            require(self, name, ">")
        _check_name(self.name)
        object.__setattr__(self, "model", _checked_model(self.model))
        if (self.model is None) == (not self.joint_names):
            raise ParameterError("model: give the path of a model, or joint_names where there is none, and not both")

    def __reduce__(self) -> tuple[object, ...]:
        return _made, ({entry.name: _plain(getattr(self, entry.name)) for entry in fields(self)},)

    @property
    def joints(self) -> dict[str, tuple[str, ...]]:
        """Names of the joints that each pattern drives, in the order of the model."""
        return call_hook("joints_by_pattern", self)

    @property
    def actuators(self) -> ActuatorSet:
        """The actuators of all driven joints, in the order of the model."""
        return call_hook("robot_actuators", self)

    def check(self) -> list[Finding]:
        """What does not fit together: patterns, joints, inertia, limits and the supply."""
        return call_hook("check_robot", self)

    def export(self, to: str, path: str | Path | None = None, **options: Unpack[ExportOptions]) -> Foreign:
        """The whole robot for a simulator, a `RobotExported`, written to a file if there is a path.

        `to` is "mujoco@4.0", "mujoco@3.11", "mjlab", "isaaclab", "newton", "physx", "webots" or "urdf"; `options` are
        those of `backemf.transfer.export_robot`.
        """
        return call_hook("export_robot", self, to, path, **options)

    def save(self, path: str | Path) -> None:
        """Write the robot to a file that reads back as the same robot, atomically."""
        target = Path(os.path.abspath(path))
        if target.suffix != ".toml":
            raise ParameterError(f"{path}: the name of a robot file must end in .toml")
        if target == self.model or any(target == drive.motor for drive in self.drives.values()):
            raise ParameterError(f"{path}: is a file that the robot is made of; give another name")
        write_text(target, write_content(self, target.parent))


def read_robot(path: str | Path) -> Robot:
    """A robot from its TOML file."""
    file = Path(path)
    text = read_text(file, LARGEST, what="a robot file")
    values = read_content(text, str(file), Path(os.path.abspath(file)).parent)
    try:
        return Robot(**values, file=file)
    except ParameterError as error:
        raise ParameterError(f"{file}: {error}") from None


def _made(values: dict[str, Foreign]) -> Robot:
    return Robot(**values)


def _check_name(name: object) -> None:
    if not isinstance(name, str) or any(ord(char) < 32 for char in name) or len(name) > 200:
        raise ParameterError(f"name = {quote(name)}: must be a short text")


def _check_drives(group: str, drives: object) -> None:
    if not isinstance(drives, Mapping):
        raise ParameterError(f"{group} = {quote(drives)}: must be a dict of patterns and drives")
    for pattern, drive in drives.items():
        if not isinstance(pattern, str) or not pattern:
            raise ParameterError(f"{group}[{quote(pattern)}]: must be a pattern of joint names, such as '.*_knee'")
        if not isinstance(drive, JointDrive):
            raise ParameterError(f"{group}[{pattern!r}] = {quote(drive)}: must be a JointDrive")


def _checked_model(model: object) -> Path | None:
    """The absolute path of a model; raise ParameterError where it is not there, or not a model."""
    if model is None:
        return None
    if not isinstance(model, (str, Path)) or not str(model):
        raise ParameterError(f"model = {quote(model)}: must be the path of a model")
    path = Path(os.path.abspath(model))
    if path.suffix.lower() == ".xacro":
        raise ParameterError(f"model = {str(model)!r}: is a template: run xacro on it, and give the URDF it makes")
    if path.suffix.lower() not in MODELS:
        raise ParameterError(f"model = {str(model)!r}: must end in {', '.join(MODELS)}")
    if not path.is_file():
        raise ParameterError(f"model = {str(model)!r}: there is no such file; give the path of the model")
    return path
