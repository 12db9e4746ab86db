"""What the logs of a robot cannot tell, joint by joint.

A kind and its joints move the same numbers, so that one can always go up as the others go down. What counts is what is
known of each joint: its numbers with the spread that kind and joint have together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from .information import Blind, blind_directions
from .joints import joints_of_kinds
from .loss import Information
from .parameters import Parameter, Space


def blind_joints(
    space: Space, told: Information, weights: np.ndarray, active: np.ndarray, lanes: Sequence[str]
) -> list[Blind]:
    """Directions that the data do not see: of what all joints share, and of the numbers of each joint.

    The same direction of several joints is named once, with the joints or their kind behind an @.
    """
    free = np.flatnonzero(active).tolist()
    shared = [k for k in free if not space.parameters[k].joint]
    found = _directions(space, [[k] for k in shared], told.curvature(weights))
    each = weights.reshape(len(lanes), -1)
    alike: dict[frozenset[str], list[tuple[str, Blind]]] = {}
    for joint in dict.fromkeys(lanes):
        own = np.array([name == joint for name in lanes])
        curve = told.curvature(np.where(own[:, None], each, 0.0).reshape(-1))
        groups: dict[str, list[int]] = {}
        for k in free:
            if space.parameters[k].joint and space.lanes[k][own].any():
                groups.setdefault(space.parameters[k].name.partition("@")[0], []).append(k)
        for direction in _directions(space, list(groups.values()), curve):
            alike.setdefault(frozenset(name for name, _ in direction.parts), []).append((joint, direction))
    for members in alike.values():
        first, where = members[0][1], _where([joint for joint, _ in members], tuple(dict.fromkeys(lanes)))
        information = max(direction.information for _, direction in members)
        found.append(Blind(information, tuple((f"{name}{where}", part) for name, part in first.parts)))
    return found


def _directions(space: Space, groups: Sequence[Sequence[int]], curve: np.ndarray) -> list[Blind]:
    """Directions among groups of parameters that move the same number."""
    if not groups:
        return []
    first = [group[0] for group in groups]
    made = [_together([space.parameters[k] for k in group]) for group in groups]
    return blind_directions(made, curve[np.ix_(first, first)], np.ones(len(made), dtype=bool))


def _together(parameters: Sequence[Parameter]) -> Parameter:
    """One parameter in place of several that move the same number."""
    spread = float(np.sqrt(sum(each.spread**2 for each in parameters)))
    return replace(parameters[0], name=parameters[0].name.partition("@")[0], spread=spread)


def _where(joints: Sequence[str], every: tuple[str, ...]) -> str:
    """Joints in a few words: none where all are meant, else kinds, else the joints."""
    if set(joints) == set(every):
        return ""
    kinds = {kind: set(members) for kind, members in joints_of_kinds(every).items()}
    whole = [kind for kind, members in kinds.items() if members <= set(joints)]
    rest = [joint for joint in joints if not any(joint in kinds[kind] for kind in whole)]
    return "@" + "/".join([*whole, *rest])
