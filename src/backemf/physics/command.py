"""The command of one step."""

from __future__ import annotations

from dataclasses import dataclass

from ..checks import Maybe
from ..tree import kind_of_numbers

TORQUE, VOLTAGE, VELOCITY = 1, 2, 3
"""Values of `Command.mode`: what a `ModeSelector` follows, motor by motor."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Command:
    """Targets of one step; what is None is not commanded, and 0 is a command.

    A plain number or array in place of a `Command` is the controller's main input.
    """

    position: Maybe = None
    """Joint position to go to [rad]."""
    velocity: Maybe = None
    """Joint velocity to go with [rad/s]."""
    effort: Maybe = None
    """Joint torque to add, or to give [N·m]."""
    voltage: Maybe = None
    """Voltage at the terminals [V]."""
    mode: Maybe = None
    """TORQUE = 1, VOLTAGE = 2 or VELOCITY = 3 where motors of a batch follow different inputs; None: the first of them
    that is given [1]."""
    enable: Maybe = None
    """1 where the bridge is on, 0 where it is off and no current flows but through its diodes; None: on [1]."""


TARGETS = ("position", "velocity", "effort", "voltage")
"""The inputs that travel to the actuator, and that a delay can hold up."""
SWITCHES = ("mode", "enable")
"""The inputs that say what becomes of the others."""
