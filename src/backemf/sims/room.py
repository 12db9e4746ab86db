"""The interface of a simulator's package: the few names that every package here offers, with the same signatures.

`transfer/` uses only these names. What else a package offers is specific to it: the classes of its law, and what its
program needs to run backemf motors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol, TypeAlias, Unpack

from ..actuator import Actuator
from ..errors import ParameterError
from ..motor import Motor
from .on_joint import OnJoint, Unread
from .robot_text import RobotParts, RobotText
from .text import Written
from .types import JointNumbers


@dataclass(frozen=True, kw_only=True)
class About:
    """Facts about a simulator's package."""

    title: str
    """Name of the simulator, such as "Isaac Lab"."""
    kinds: tuple[str, ...] = ()
    """Kinds of actuators that `write` can choose from; empty: there is one kind."""
    whole: tuple[str, ...] = ()
    """Those of the kinds that hold a whole backemf actuator, so that no number is given with it."""
    versions: tuple[str, ...] = ()
    """Versions whose files are known, the newest last; empty: its files do not depend on the version."""
    check_version: Callable[[str], object] | None = None
    """Raises ParameterError for an unknown version, where more are known than those in `versions`."""
    networks: bool = False
    """Whether an actuator may be a network in a file: then `write_learned` and `read_learned` are there too."""
    any_voltage: bool = False
    """Whether it can represent a motor without a voltage limit."""
    patterns: bool = False
    """Whether an actuator names its joints by patterns, so that one text is for several joints."""
    bodies: bool = False
    """Whether the file of a whole robot holds its bodies too, so that they are read from the model."""
    plugin: str | None = None
    """Name of the class that runs backemf motors inside the simulator, loaded on first use; None: there is none."""
    holds: Callable[[Path], bool] = lambda file: True
    """Whether a file with one of the simulator's endings is a file of this simulator."""

    @property
    def newest(self) -> str | None:
        """The default version."""
        return self.versions[-1] if self.versions else None

    def require(self, kind: str | None, version: str | None) -> None:
        """Check a kind of actuator and a version; raise ParameterError if either is not known."""
        self.require_kind(kind)
        self.require_version(version)

    def require_kind(self, kind: str | None) -> None:
        """Check a kind of actuator; raise ParameterError if there is no such kind."""
        if kind is None or kind in self.kinds:
            return
        if not self.kinds:
            raise ParameterError(f"kind = {kind!r}: {self.title} has one kind of motor here; leave it out")
        raise ParameterError(f"kind = {kind!r}: must be one of {', '.join(self.kinds)}")

    def require_version(self, version: str | None) -> None:
        """Check a version; raise ParameterError if its files are not known."""
        if version is None or version in self.versions:
            return
        if self.check_version is not None:
            self.check_version(version)
            return
        if not self.versions:
            raise ParameterError(f"version = {version!r}: {self.title} has one version here; leave it out")
        raise ParameterError(f"version = {version!r}: must be one of {', '.join(self.versions)}")


class Room(Protocol):
    """What the package of every simulator offers."""

    @property
    def ABOUT(self) -> About:
        """Facts about the package."""
        ...

    @property
    def law(self) -> ModuleType:
        """What the simulator's own actuators compute, as elementwise functions that `engines.bind` puts on any
        engine."""
        ...


Source: TypeAlias = Any
"""A text, a path, or an object of the simulator: a model, a stage, a configuration; each room names its own."""


class RobotRoom(Room, Protocol):
    """The room of a simulator that has files of whole robots."""

    def write_robot(self, parts: RobotParts) -> RobotText:
        """The file of a robot with motors on its joints, what stood there before replaced.

        Called while the digits of `written_digits` hold; raises ParameterError where the simulator cannot load such a
        model.
        """
        ...


class FileRoom(Room, Protocol):
    """The room of a simulator that has files."""

    def write(
        self,
        thing: Motor | Actuator | OnJoint,
        joint: str | None = None,
        kind: str | None = None,
        *,
        version: str | None = None,
        timestep: float | None = None,
        **numbers: Unpack[JointNumbers],
    ) -> Written:
        """The text for an actuator, and the status of each phenomenon.

        `joint` names the joint as the simulator does; left out, it is that of an `OnJoint`, or a default
        name. `kind` is one of `ABOUT.kinds`, chosen by what the actuator has if left out, `version` one of
        `ABOUT.versions`, the newest if left out. `timestep` is the physics step of the simulator [s], which some need
        for a delay. `numbers` are the room's own; every room takes `supply`, `effort` and `effort_limit`.
        """
        ...

    def read_actuator(self, source: Source, joint: str | None = None, *, version: str | None = None) -> OnJoint:
        """The actuator of a text, a path or an object of the simulator, or the one for a joint.

        Its `law()` is what the simulator computes with it, its `losses` what the backemf actuator does not represent.
        """
        ...

    def read_actuators(self, source: Source, *, version: str | None = None) -> Sequence[OnJoint | Unread]:
        """Every actuator of such a source in its order, or why it is not read."""
        ...
