"""What the motors of a model are told in a step, as rows with one number per joint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import TypeAlias, cast

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


class Commands:
    """Reads commands for the joints of a robot."""

    def __init__(self, robot: ActuatorSet):
        self._robot = robot
        self._valid: set[tuple[str, ...]] = set()

    def rows(self, command: RobotCommand) -> tuple[tuple[str, ...], list[np.ndarray]]:
        """Names and rows of what is commanded; raises ParameterError where it does not fit the joints."""
        joints = self._robot.joints
        if isinstance(command, Command):
            given = {entry.name: getattr(command, entry.name) for entry in fields(command)}
            given = {name: value for name, value in given.items() if value is not None}
            self._require_targets(tuple(given))
            rows = [per_joint(f"Command.{name}", value, len(joints)) for name, value in given.items()]
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
        row = per_joint("command", cast(Number, command), len(joints))
        self.require_finite((MAIN,), [row])
        return (MAIN,), [row]

    def require_finite(self, names: tuple[str, ...], rows: list[np.ndarray]) -> None:
        """Check that every number is finite; raise `ParameterError` with the joint and the input if not."""
        for name, row in zip(names, rows, strict=True):
            if not all(map(math.isfinite, row.tolist())):
                self._refuse(name, row)

    def _refuse(self, name: str, row: np.ndarray) -> None:
        for joint, actuator, value in zip(self._robot.joints, self._robot.actuators, row.tolist(), strict=True):
            taken = actuator.controller.inputs
            # what a controller does not take does not reach it
            if math.isfinite(value) or (name in TARGETS and name not in taken):
                continue
            word = actuator.controller.main if name == MAIN else name
            raise ParameterError(
                f"joint {joint!r}: the command of {word} is {value}: must be finite; look at what makes the command"
            )

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
