"""A robot's actuators: joint names to actuators."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar, Unpack

import numpy as np

from ..actuator.actuator import Actuator
from ..errors import ParameterError
from ..motor import Motor
from ..random.distributions import Distribution
from ..random.randomize import randomize, rebuild, resolve
from ..tree import numbers
from ..values import CompileOptions
from .compiled import CompiledSet
from .grouping import Group, group_actuators

Name = str | tuple[str, ...]
"""Name of a parameter, or names that share their draws."""
N = TypeVar("N", bound=str | tuple[str, ...])


class ActuatorSet:
    """Actuators of all joints of a robot, different motors and controllers side by side.

    Args:
        joints: Names of the joints, in the order of the last axis of every array.
        actuators: Patterns (regular expressions that match a whole name) to actuators or motors. Each joint has to be
            matched by exactly one pattern.
    """

    def __init__(self, joints: Sequence[str], actuators: Mapping[str, Actuator | Motor]):
        self.joints = check_joints(joints)
        self.patterns = match_patterns(self.joints, actuators)
        kinds = {
            pattern: Actuator(kind) if isinstance(kind, Motor) else kind for pattern, kind in dict(actuators).items()
        }
        check_shapes(kinds)
        self.actuators: tuple[Actuator, ...] = tuple(kinds[self.patterns[joint]] for joint in self.joints)
        self.groups: tuple[Group, ...] = tuple(group_actuators(list(self.actuators)))
        check_supplies(self.groups)

    def __getitem__(self, joint: str) -> Actuator:
        if joint not in self.patterns:
            raise ParameterError(f"no joint {joint!r}; there are {', '.join(self.joints)}")
        return self.actuators[self.joints.index(joint)]

    def __len__(self) -> int:
        return len(self.joints)

    @property
    def armature(self) -> np.ndarray:
        """Inertia that a host has to add to each joint, 0 where there is no motor [kg·m²]."""
        known = [0.0 if each.motor is None else each.motor.armature for each in self.actuators]
        return np.stack(np.broadcast_arrays(*[np.asarray(x, dtype=float) for x in known]), axis=-1)

    def randomize(
        self,
        entries: Mapping[N, Distribution | Mapping[str, Distribution]],
        environments: int,
        seed: int = 0,
        per: str = "each",
    ) -> ActuatorSet:
        """A robot whose named parameters are arrays of draws; see `randomize`.

        A name such as "winding.resistance" varies it in every joint that has it; a pattern of joints with a dict of its
        own, {".*_knee": {"winding.resistance": Scale(0.9, 1.1)}}, in these alone.
        """
        shape = (environments, len(self.joints))
        wanted = entries_by_joint(self, entries)
        varied = {}
        for column, joint in enumerate(self.joints):
            varied[re.escape(joint)] = self.actuators[column]
            if wanted[joint]:
                # all joints draw from one batch, so that neighbours differ and environments agree
                batch = randomize(self.actuators[column], wanted[joint], shape, seed, per)
                varied[re.escape(joint)] = column_of(self.actuators[column], batch, column, len(self.joints))
        return ActuatorSet(self.joints, varied)

    def compile(self, engine: str = "numpy", **options: Unpack[CompileOptions]) -> CompiledSet:
        """One step for all joints on "numpy", "jax", "torch" or "native", with the options of `Actuator.compile`."""
        return CompiledSet(self.groups, engine, options)


# --- names


def check_joints(joints: Sequence[str]) -> tuple[str, ...]:
    """The names of the joints; raises ParameterError if they are none, or one is there twice."""
    if isinstance(joints, str) or not joints or not all(isinstance(name, str) for name in joints):
        raise ParameterError(f"joints = {joints!r}: must be a list of the joints' names")
    for name in joints:
        if list(joints).count(name) > 1:
            raise ParameterError(f"joints: {name!r} is there twice")
    return tuple(joints)


def match_patterns(joints: tuple[str, ...], actuators: Mapping[str, object]) -> dict[str, str]:
    """The pattern of each joint; raises ParameterError unless every joint has exactly one and every pattern some."""
    if not isinstance(actuators, Mapping) or not actuators:
        raise ParameterError("actuators: must be a dict of patterns and actuators, e.g. {'.*_knee': Actuator(...)}")
    found: dict[str, str] = {}
    for pattern, kind in actuators.items():
        if not isinstance(kind, (Actuator, Motor)):
            raise ParameterError(f"actuators[{pattern!r}] = {kind!r}: must be an Actuator or a Motor")
        try:
            hits = [joint for joint in joints if re.fullmatch(pattern, joint)]
        except re.error as error:
            raise ParameterError(f"actuators[{pattern!r}]: is no regular expression ({error})") from None
        if not hits:
            raise ParameterError(f"actuators[{pattern!r}] matches no joint; there are {', '.join(joints)}")
        for joint in hits:
            if joint in found:
                raise ParameterError(
                    f"joint {joint!r} is matched by {found[joint]!r} and by {pattern!r}: make one of them narrower"
                )
            found[joint] = pattern
    missing = [joint for joint in joints if joint not in found]
    if missing:
        raise ParameterError(f"no actuator for the joints {', '.join(missing)}: add a pattern that matches them")
    return found


def check_shapes(actuators: Mapping[str, Actuator]) -> None:
    """Check that numbers have 1 along the axis of joints, the last one; raise `ParameterError` if not."""
    for pattern, actuator in actuators.items():
        for name, value in numbers(actuator):
            shape = np.shape(value)
            if shape and shape[-1] != 1:
                raise ParameterError(
                    f"actuators[{pattern!r}]: {name} has the shape {shape}, and the last axis is that of the joints, "
                    "of which it is one: make it (environments, 1), as with randomize or fit.samples of that shape"
                )


def check_supplies(groups: tuple[Group, ...]) -> None:
    """Check that motors that share a supply are of one kind; raise `ParameterError` if not."""
    shared = [g for g in groups if g.actuator.supply is not None and g.actuator.supply.shared]
    if shared and len(groups) > 1:
        raise ParameterError(
            "Supply.shared=True: a bus is shared by actuators of one kind; this robot has "
            f"{len(groups)} kinds, so give them supplies of their own"
        )


# --- numbers that vary


def entries_by_joint(
    robot: ActuatorSet, entries: Mapping[N, Distribution | Mapping[str, Distribution]]
) -> dict[str, dict[Name, Distribution]]:
    """The entries of each joint; raises ParameterError if a name is in no joint, or a pattern matches none."""
    wanted: dict[str, dict[Name, Distribution]] = {joint: {} for joint in robot.joints}
    for key, value in entries.items():
        if isinstance(value, Mapping):
            pattern: Any = key
            hits = [joint for joint in robot.joints if re.fullmatch(pattern, joint)]
            if not hits:
                raise ParameterError(f"randomize: {key!r} matches no joint; there are {', '.join(robot.joints)}")
            for joint in hits:
                wanted[joint] = {**wanted[joint], **value}
            continue
        having = [joint for joint in robot.joints if has(robot[joint], key)]
        # none has it: the first joint's own sentence says what is near
        for joint in having or robot.joints[:1]:
            wanted[joint][key] = value
    return wanted


def has(actuator: Actuator, key: Name) -> bool:
    """Whether an actuator has every number of an entry."""
    try:
        for name in key if isinstance(key, tuple) else (key,):
            resolve(actuator, name)
    except ParameterError:
        return False
    return True


def column_of(before: Actuator, batch: Actuator, column: int, joints: int) -> Actuator:
    """One joint's share of what was drawn for all."""
    old = dict(numbers(before))
    # what was drawn is an array
    drawn: dict[str, Any] = {name: x for name, x in numbers(batch) if x is not old[name]}
    return rebuild(before, {n: x[..., column : column + 1] if x.shape[-1] == joints else x for n, x in drawn.items()})
