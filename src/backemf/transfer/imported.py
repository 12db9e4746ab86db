"""Files of simulators, read back as actuators; the simulator is recognised by what the file contains."""

from __future__ import annotations

from pathlib import Path

from ..errors import ParameterError
from ..files import read_text, require_plain
from ..motorfile import is_actuator, load_with_joint
from ..sims.on_joint import OnJoint, Unread
from ..sims.room import About, FileRoom
from .duty import as_written, complete_actuator, scale_of
from .exported import Error, compare_laws
from .targets import ROOMS, rooms_for

LARGEST = 64_000_000
"""Longest file that is read [bytes]."""
OWN = ".toml"
"""Ending of a backemf motor file."""


def read_file(path: str | Path, joint: str | None = None, version: str | None = None) -> OnJoint:
    """The actuator of a file: MJCF, USD, a configuration text of mjlab or Isaac Lab, a Webots world, or a motor file.

    `joint` selects one where a file has several; `version` is that of MuJoCo, 4.0 if left out. What a backemf actuator
    does not represent is in the `losses` of the result.
    """
    file = Path(path)
    room = room_with(file)
    return _own(file, version) if room is None else room.read_actuator(file, joint, version=version)


def read_actuators(path: str | Path, version: str | None = None) -> list[OnJoint | Unread]:
    """Every actuator of such a file, in its order; one that cannot be read is an `Unread` that says why."""
    file = Path(path)
    room = room_with(file)
    return [_own(file, version)] if room is None else list(room.read_actuators(file, version=version))


def reading_errors(found: OnJoint, timestep: float = 0.002) -> list[Error]:
    """How far the torque of the motor file is from that of the simulator whose file was read.

    Both laws run side by side, as in `export`; empty where a network replaces the motor, or both laws are the same.
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
    """The package that reads a file; None: it is a backemf motor file. Raise ParameterError where none reads it."""
    require_plain(file, LARGEST, what="a file with the actuators of a robot")
    ending = file.suffix.lower()
    if ending == OWN:
        if not is_actuator(read_text(file)):
            raise ParameterError(f"{file}: is a datasheet, not a file of a simulator; give it to backemf directly")
        return None
    rooms = rooms_for(ending)
    if not rooms:
        known = dict.fromkeys([ending for row in ROOMS.values() for ending in row.endings] + [OWN])
        raise ParameterError(f"{file}: cannot be read: must end in {', '.join(known)}")
    found = next((room for room in rooms if room.ABOUT.holds(file)), None)
    if found is None:
        titles = " or ".join(room.ABOUT.title for room in rooms)
        raise ParameterError(
            f"{file}: has no actuator of {titles}: it contains none of the words by which they are recognised"
        )
    return found
