"""PROTOs that are not expanded, and what is needed to expand them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .node import Node

MOST_NAMED = 4
"""PROTOs that a sentence names [1]."""
_PLACES_OF_ROBOTS = re.compile(r"/(?:robots|vehicles)/")
_OF_A_ROBOT = ("controller", "controllerArgs", "customData", "supervisor", "synchronization")


@dataclass(frozen=True, kw_only=True)
class Unexpanded:
    """A PROTO that is not replaced."""

    kind: str
    """Its name."""
    why: str
    """The file that it needs, or what is wrong with it."""
    at: str
    """Where it stands."""
    robot: str = ""
    """Name of the robot that it is a part of; empty: of none."""
    is_robot: bool = False
    """Whether it has fields that only robots have."""
    controller: str = ""
    """Name of its controller; empty: it has none."""
    is_placed: bool = False
    """Whether it says where it stands."""

    @classmethod
    def of(cls, node: Node, robot: str) -> Unexpanded:
        """What a node says of itself."""
        return cls(
            kind=node.kind, why=node.unexpanded, at=node.at(), robot=robot,
            is_robot=any(name in node.fields for name in _OF_A_ROBOT),
            controller=node.plain_text("controller"),
            is_placed=any(name in node.fields for name in ("translation", "rotation")),
        )  # fmt: skip

    @property
    def is_missing(self) -> bool:
        """Whether its file was not found."""
        return self.why.endswith(".proto") and ": " not in self.why

    def likeness(self) -> int:
        """How much it looks like a robot: by the folder of its address, and by having a pose [1]."""
        return 2 * bool(_PLACES_OF_ROBOTS.search(self.why)) + self.is_placed

    def sentence(self) -> str:
        """Why it is not replaced."""
        if self.is_missing:
            return f"{self.at}: {self.kind} is not read: it needs {self.why}; give its folder as assets"
        return f"{self.at}: {self.kind} is not read: {self.why}"


def what_is_needed(unexpanded: Iterable[Unexpanded]) -> str:
    """What would have to be there so that motors are found; empty: nothing."""
    found = {each.kind: each for each in unexpanded}
    robots = [each for each in found.values() if each.is_robot]
    chosen = robots or list(found.values())
    if not chosen:
        return ""
    broken = [each for each in chosen if not each.is_missing]
    of_robots = [each for each in broken if each.is_robot or each.robot]
    if of_robots or len(broken) == len(chosen):
        return (of_robots or broken)[0].sentence()
    missing = sorted((each for each in chosen if each.is_missing), key=lambda each: -each.likeness())
    named = ", ".join(each.why for each in missing[:MOST_NAMED])
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    what, which = ("PROTO", "it") if len(missing) == 1 else ("PROTOs", "them")
    ways = "--assets FOLDER, assets=[...], or WEBOTS_HOME for those of Webots"
    return f"it needs the {what} {named}{more}: give the folder that has {which} ({ways})"
