"""What the motors of a model are told in a step, as rows with one number per joint."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import fields
from typing import Generic, TypeAlias, TypeVar, cast

import numpy as np

from ..actuator import Command
from ..actuator.needs import require_command
from ..checks import Number
from ..errors import ParameterError
from ..physics.command import TARGETS
from ..robot.actuator_set import ActuatorSet
from ..robot.compiled import share_of
from .robot_step import MAIN, per_joint

RobotCommand: TypeAlias = "Command | Number | Mapping[str, Number]"
"""Main inputs, one for all or one per joint in their order, the same by joint name, or a `Command` of arrays."""


Row = TypeVar("Row")


class CommandReader(ABC, Generic[Row]):
    """Reads commands for the joints of a robot as rows of some library's arrays."""

    def __init__(self, robot: ActuatorSet):
        self._robot = robot
        self._valid: set[tuple[str, ...]] = set()

    @abstractmethod
    def row(self, name: str, value: Number) -> Row:
        """A number for all joints, or one per joint, as a row; raises ParameterError if it is neither."""

    @abstractmethod
    def require_finite(self, names: tuple[str, ...], rows: list[Row]) -> None:
        """Check that every number is finite, as far as it is known; raise `ParameterError` if not."""

    def rows(self, command: RobotCommand) -> tuple[tuple[str, ...], list[Row]]:
        """Names and rows of what is commanded; raises ParameterError where it does not fit the joints."""
        joints = self._robot.joints
        if isinstance(command, Command):
            given = {entry.name: getattr(command, entry.name) for entry in fields(command)}
            given = {name: value for name, value in given.items() if value is not None}
            self._require_targets(tuple(given))
            rows = [self.row(f"Command.{name}", value) for name, value in given.items()]
            self.require_finite(tuple(given), rows)
            return tuple(given), rows
        if isinstance(command, Mapping):
            for name in (*command, *joints):
                if name not in joints or name not in command:
                    problem = "has no motor" if name not in joints else "has no command"
                    raise ParameterError(f"command: joint {name!r} {problem}; the motors are on {', '.join(joints)}")
            command = cast(Number, [command[joint] for joint in joints])
        if command is None or isinstance(command, str):
            raise ParameterError(
                f"command = {command!r}: must be a number, one per joint, a dict by joint, or a Command"
            )
        row = self.row("command", cast(Number, command))
        self.require_finite((MAIN,), [row])
        return (MAIN,), [row]

    def _require_targets(self, names: tuple[str, ...]) -> None:
        """Check that some controller takes each input and that every controller has what it needs."""
        if names in self._valid:
            return
        actuators = self._robot.actuators
        taken = {name for each in actuators for name in each.controller.inputs}
        for name in names:
            if name in TARGETS and name not in taken:
                raise ParameterError(f"Command.{name}: no controller of these motors takes it")
        for each in actuators:
            require_command(each, share_of(each, Command(**dict.fromkeys(names, 0.0))))
        self._valid.add(names)


class Commands(CommandReader[np.ndarray]):
    """Reads commands as NumPy arrays with one number per joint."""

    def row(self, name: str, value: Number) -> np.ndarray:
        """A number for all joints, or one per joint, as an array."""
        return per_joint(name, value, len(self._robot.joints))

    def require_finite(self, names: tuple[str, ...], rows: list[np.ndarray]) -> None:
        """Check that every number is finite; raise `ParameterError` with the joint and the input if not."""
        for name, row in zip(names, rows, strict=True):
            refuse_not_finite(self._robot, name, row)


def refuse_not_finite(robot: ActuatorSet, name: str, row: np.ndarray) -> None:
    """Raise a `ParameterError` with the joint and the input where a command is not finite."""
    values = row.tolist()
    if all(map(math.isfinite, values)):
        return
    for joint, actuator, value in zip(robot.joints, robot.actuators, values, strict=True):
        taken = actuator.controller.inputs
        # what a controller does not take does not reach it
        if math.isfinite(value) or (name in TARGETS and name not in taken):
            continue
        word = actuator.controller.main if name == MAIN else name
        raise ParameterError(
            f"joint {joint!r}: the command of {word} is {value}: must be finite; look at what makes the command"
        )
