"""Files of simulators, read back as actuators: what a file is, is told by what stands in it."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from ..errors import ParameterError
from ..files import read_text, require_plain
from ..motorfile import is_actuator, load_with_joint
from ..sims.on_joint import OnJoint, Unread
from ..sims.room import About, FileRoom
from .duty import complete_actuator, scale_of
from .exported import Error, compare_laws
from .targets import ROOMS, rooms_for

LARGEST = 64_000_000
"""Longest file that is read [bytes]."""
OWN = ".toml"
"""Ending of a motor file of our own."""


def read_file(path: str | Path, joint: str | None = None, version: str | None = None) -> OnJoint:
    """The actuator of a file: MJCF, USD, a configuration text of mjlab or Isaac Lab, a Webots world, or our own TOML.

    `joint` says which where a file has several; `version` is that of MuJoCo, 4.0 if left out. What of it has no place
    in a backemf actuator is in the `losses` of what comes back.
    """
    file = Path(path)
    room = room_with(file)
    return _own(file, version) if room is None else room.read_actuator(file, joint, version=version)


def read_actuators(path: str | Path, version: str | None = None) -> list[OnJoint | Unread]:
    """Every actuator of such a file, in its order; one that cannot be read is an `Unread` that says why."""
    file = Path(path)
    room = room_with(file)
    return [_own(file, version)] if room is None else list(room.read_actuators(file, version=version))


def as_written(found: OnJoint) -> OnJoint:
    """What a motor file holds of an actuator and its joint: all but the simulator's own law."""
    own = {entry.name: getattr(found, entry.name) for entry in fields(OnJoint)}
    return OnJoint(**own)


def reading_errors(found: OnJoint, timestep: float = 0.002) -> list[Error]:
    """How far the torque of the motor file is off that of the simulator whose file was read.

    Both laws run side by side, as in `export`; empty where a network stands for the motor, or where the two are one.
    """
    if type(found).law is OnJoint.law or found.actuator.controller.asks == "network":
        return []
    full = complete_actuator(as_written(found)) if found.actuator.motor is None else as_written(found)
    return compare_laws(full, found, scale_of(full), timestep)


def _own(file: Path, version: str | None) -> OnJoint:
    About(title="a motor file").require_version(version)
    actuator, own = load_with_joint(file)
    own = own or {}
    return OnJoint(actuator=actuator, joint=own.pop("name", ""), **own)


def room_with(file: Path) -> FileRoom | None:
    """The room that reads a file; None: it is a motor file of our own. Raises one sentence where nobody reads it."""
    require_plain(file, LARGEST, what="a file with the actuators of a robot")
    ending = file.suffix.lower()
    if ending == OWN:
        if not is_actuator(read_text(file)):
            raise ParameterError(f"{file}: is a datasheet, and no file of a simulator; backemf reads it as it is")
        return None
    rooms = rooms_for(ending)
    if not rooms:
        known = dict.fromkeys([ending for row in ROOMS.values() for ending in row.endings] + [OWN])
        raise ParameterError(f"{file}: cannot be read: must end in {', '.join(known)}")
    found = next((room for room in rooms if room.ABOUT.holds(file)), None)
    if found is None:
        titles = " or ".join(room.ABOUT.title for room in rooms)
        raise ParameterError(f"{file}: has no actuator of {titles}: it has none of the words by which they are known")
    return found
