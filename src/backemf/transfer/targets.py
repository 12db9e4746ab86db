"""The simulators that a motor can be exported to, by name: a table of their packages."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import NamedTuple, cast

from ..actuator import Actuator
from ..errors import ParameterError
from ..sims.on_joint import OnJoint
from ..sims.room import About, FileRoom
from ..sims.text import Written
from ..values import Foreign


class Row(NamedTuple):
    """A room's line in the table."""

    endings: tuple[str, ...]
    """Endings of its files, the one to write first."""
    versions: tuple[str, ...] = ()
    """Versions that are separate targets, the usual one first; empty: the simulator is one target."""


_USD = (".usda", ".usd", ".usdc", ".usdz")
ROOMS = {
    "mujoco": Row((".xml", ".mjcf"), ("4.0", "3.11")),
    "mjlab": Row((".py",)),
    "isaaclab": Row((".py",)),
    "newton": Row(_USD),
    "physx": Row(_USD),
    "webots": Row((".wbt", ".proto")),
}
"""Every simulator with files, by the name of its package in `sims/`. Where several share an ending, the first one that
recognises a file reads it."""
NAMES = tuple(
    f"{name}@{version}" if version else name for name, row in ROOMS.items() for version in row.versions or ("",)
)
"""Every target, with its default versions."""


def room_of(name: str) -> FileRoom:
    """The package of a simulator, loaded on first use."""
    return cast(FileRoom, importlib.import_module(f"..sims.{name}", __package__))


@dataclass(frozen=True)
class Target:
    """A simulator in one version."""

    name: str
    """Its name, such as "mujoco@3.11"."""
    room: FileRoom
    """The package that writes and reads its files."""
    version: str | None
    """The requested version; None: the newest."""
    ending: str
    """Ending of its files."""

    @property
    def about(self) -> About:
        """Facts about the simulator."""
        return self.room.ABOUT

    @property
    def title(self) -> str:
        """Its name in texts, such as "MuJoCo 3.11"."""
        return " ".join(word for word in (self.about.title, self.version or self.about.newest) if word)

    def write(
        self, thing: Actuator | OnJoint, joint: str | tuple[str, ...], timestep: float, **numbers: Foreign
    ) -> Written:
        """The text for an actuator; a simulator that takes patterns takes several."""
        named: Foreign = joint
        return self.room.write(thing, named, version=self.version, timestep=timestep, **numbers)

    def read(self, text: str) -> OnJoint:
        """What such a text holds."""
        return self.room.read_actuator(text, version=self.version)


def target_of(name: str) -> Target:
    """A target by its name; raise ParameterError where there is none."""
    simulator, _, version = str(name).partition("@")
    if simulator not in ROOMS:
        raise ParameterError(f"--to {name}: must be one of {', '.join(NAMES)}")
    room, row = room_of(simulator), ROOMS[simulator]
    if version and len(room.ABOUT.versions) < 2:
        raise ParameterError(f"--to {name}: {simulator} has one version here; give --to {simulator}")
    version = version or (row.versions[0] if row.versions else "")
    # an unknown version is refused before anything is computed
    room.ABOUT.require_version(version or None)
    return Target(f"{simulator}@{version}" if version else simulator, room, version or None, row.endings[0])


def titles() -> dict[str, str]:
    """Every target with its title, and the other versions of its simulator behind it, the newest first."""
    found: dict[str, str] = {}
    for name in ROOMS:
        versions = room_of(name).ABOUT.versions
        own = [each for each in NAMES if each.partition("@")[0] == name]
        more = [f"{name}@{version}" for version in reversed(versions)] if len(versions) > 1 else []
        for each in (*own, *more):
            title = target_of(each).title
            if title not in found.values():
                found[each] = title
    return found


def rooms_for(ending: str) -> list[FileRoom]:
    """The packages that may read a file, in the order in which they are tried."""
    return [room_of(name) for name, row in ROOMS.items() if ending in row.endings]
