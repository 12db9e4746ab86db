"""A whole robot for a simulator: what a room gets to write, and what comes back."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..actuator import Actuator
from .body_tree import Body
from .on_joint import OnJoint
from .robot_model import ModelJoint, RobotModel
from .text import Written


@dataclass(frozen=True, kw_only=True)
class RobotKind:
    """Joints that are driven by the same actuator."""

    patterns: tuple[str, ...]
    """Patterns that match these joints and no other joint of the model; names where there is no such pattern."""
    joints: tuple[ModelJoint, ...]
    """The joints, in the order of the model."""
    thing: Actuator | OnJoint
    """The actuator, with what belongs to each joint itself; all that its torque depends on is in it."""
    written: Written
    """The text for its first joint alone, or for all of them where the simulator takes patterns."""
    on_joint: OnJoint
    """That text, read back."""


@dataclass(frozen=True, kw_only=True)
class RobotParts:
    """What a room writes."""

    model: RobotModel
    """The model, as it is before."""
    kinds: tuple[RobotKind, ...]
    """Its driven joints, by kind."""
    name: str
    """Name of the robot."""
    output: Path
    """Where the text will be, absolute: paths in it are relative to that folder."""
    version: str | None
    """Version of the simulator; None: the newest."""
    timestep: float
    """Physics step [s]."""
    kind: str | None
    """Which of the simulator's actuators; None: chosen by what an actuator has."""
    effort: str
    """"peak" or "continuous": the current behind the largest torque."""
    bodies: tuple[Body, ...] = ()
    """Bodies of the model, where the simulator's file holds them; the first is the world."""

    @property
    def driven(self) -> dict[str, RobotKind]:
        """The kind of each driven joint, by its name, in the order of the model."""
        kinds = {joint.name: kind for kind in self.kinds for joint in kind.joints}
        return {joint.name: kinds[joint.name] for joint in self.model.joints if joint.name in kinds}


@dataclass(frozen=True, kw_only=True)
class RobotText:
    """What is written for a whole robot."""

    text: str
    """The file that the simulator loads."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files that belong beside it, by name."""
    changes: tuple[str, ...] = ()
    """What became of what the model had, one sentence each."""
    notes: tuple[str, ...] = ()
    """What else a user has to know."""
    kinds: tuple[RobotKind, ...] = ()
    """The kinds, where the whole robot holds more of them than their actuators alone; empty: as they are."""


def path_beside(path: Path, folder: Path) -> str:
    """A path relative to a folder; absolute where it is on another disk."""
    try:
        return Path(os.path.relpath(path, folder)).as_posix()
    except ValueError:
        return path.as_posix()
