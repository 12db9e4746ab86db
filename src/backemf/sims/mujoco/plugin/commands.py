"""What the motors of a model are told in a step, as rows with one number per joint."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ....actuator import Command
from ....actuator.command import TARGETS
from ....actuator.compiled_robot import share_of
from ....actuator.needs import require_command
from ....actuator.robot import ActuatorSet
from ....errors import ParameterError
from .step import MAIN, per_joint


class Commands:
    """Reads commands for the joints of a robot."""

    def __init__(self, robot: ActuatorSet):
        self._robot = robot
        self._valid: set[tuple[str, ...]] = set()

    def rows(self, command: Any) -> tuple[tuple[str, ...], list[np.ndarray]]:
        """Names and rows of what is commanded; raises one sentence where it does not fit the joints."""
        joints = self._robot.joints
        if isinstance(command, Command):
            given = {entry.name: getattr(command, entry.name) for entry in fields(command)}
            given = {name: value for name, value in given.items() if value is not None}
            self._require_targets(tuple(given))
            return tuple(given), [per_joint(f"Command.{name}", value, len(joints)) for name, value in given.items()]
        if isinstance(command, Mapping):
            for name in (*command, *joints):
                if name not in joints or name not in command:
                    problem = "has no motor" if name not in joints else "has no command"
                    raise ParameterError(f"command: joint {name!r} {problem}; the motors are on {', '.join(joints)}")
            command = [command[joint] for joint in joints]
        if command is None or isinstance(command, str):
            raise ParameterError(
                f"command = {command!r}: must be a number, one per joint, a dict by joint, or a Command"
            )
        return (MAIN,), [per_joint("command", command, len(joints))]

    def _require_targets(self, names: tuple[str, ...]) -> None:
        """Raise one sentence unless some controller takes each input and every controller has what it needs."""
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
