"""The simulators that a motor can be carried into: who writes for each, and who reads."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..actuator import Actuator
from ..errors import ParameterError
from ..sims.on_joint import OnJoint
from ..sims.text import Written

NAMES = ("mujoco@4.0", "mujoco@3.11", "mjlab", "isaaclab", "newton", "physx", "webots")
"""Every target, with the versions that are meant where none is said."""


@dataclass(frozen=True)
class Target:
    """A simulator, and the way there and back."""

    name: str
    """As it is asked for, such as "mujoco@3.11"."""
    title: str
    """As people call it."""
    ending: str
    """Ending of its files."""
    write: Callable[..., Written]
    """The text for an actuator: `write(actuator, joint, timestep, **numbers)`."""
    read: Callable[[str], OnJoint]
    """What such a text holds."""
    any_voltage: bool = False
    """Whether it holds a motor whose voltage nothing limits."""


def target_of(name: str) -> Target:
    """A target by its name; raises one sentence where there is none."""
    room, _, version = str(name).partition("@")
    if room not in _ROOMS:
        raise ParameterError(f"--to {name}: must be one of {', '.join(NAMES)}")
    if version and room not in ("mujoco", "isaaclab"):
        raise ParameterError(f"--to {name}: {room} has one version here; say --to {room}")
    return _ROOMS[room](version)


def _mujoco(version: str) -> Target:
    mujoco = _room("mujoco")
    version = version or "4.0"
    _room("mujoco.versions").known_version(version)

    def write(actuator: Actuator, joint: str, timestep: float, **numbers: Any) -> Written:
        return mujoco.write(actuator, joint=joint, version=version, timestep=timestep, **numbers)

    return Target(
        f"mujoco@{version}",
        f"MuJoCo {version}",
        ".xml",
        write,
        lambda text: mujoco.read_actuator(text, version=version),
        any_voltage=True,
    )


def _mjlab(_: str) -> Target:
    files = _room("mjlab.files")

    def write(actuator: Actuator, joint: str, timestep: float, **numbers: Any) -> Written:
        return files.write(actuator, joints=(joint,), timestep=timestep, **numbers)

    return Target("mjlab", "mjlab 1.6", ".py", write, files.read_actuator)


def _isaaclab(version: str) -> Target:
    files = _room("isaaclab.files")
    chosen = {"version": version} if version else {}

    def write(actuator: Actuator, joint: str, timestep: float, **numbers: Any) -> Written:
        return files.write(actuator, joints=(joint,), timestep=timestep, **chosen, **numbers)

    name = f"isaaclab@{version}" if version else "isaaclab"
    return Target(name, f"Isaac Lab {version or '2.3'}", ".py", write, files.read_actuator)


def _physx(_: str) -> Target:
    physx = _room("physx")

    def write(actuator: Actuator, joint: str, timestep: float, **numbers: Any) -> Written:
        return physx.write(actuator, prim_path(joint), **numbers)

    return Target("physx", "PhysX", ".usda", write, physx.read_actuator)


def _newton(_: str) -> Target:
    files = _room("newton.files")

    def write(actuator: Actuator, joint: str, timestep: float, **numbers: Any) -> Written:
        return files.write(actuator, prim_path(joint), timestep=timestep, **numbers)

    return Target("newton", "Newton 1.7", ".usda", write, files.read_actuator)


def _webots(_: str) -> Target:
    files = _room("webots.files")

    def write(actuator: Actuator, joint: str, timestep: float, **numbers: Any) -> Written:
        return files.write(actuator, joint, **numbers)

    return Target("webots", "Webots", ".wbt", write, _room("webots.reading").read_actuator)


_ROOMS: dict[str, Callable[[str], Target]] = {
    "mujoco": _mujoco,
    "mjlab": _mjlab,
    "isaaclab": _isaaclab,
    "newton": _newton,
    "physx": _physx,
    "webots": _webots,
}


def _room(name: str) -> Any:
    return importlib.import_module(f"..sims.{name}", __package__)


def prim_path(joint: str) -> str:
    """The path of a joint's prim; a bare name is that of a joint of /robot."""
    return joint if joint.startswith("/") else f"/robot/{joint}"
