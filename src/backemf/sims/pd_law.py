"""The PD law of simulators that know only the joint, with a flat limit or the torque-speed line of a DC motor.

mjlab and Isaac Lab use the same law under different names; each package adds what only it has.
"""

from __future__ import annotations

from ..actuator.control import pd
from ..checks import Maybe, Number
from ..parts import number, part
from ..physics.command import Command


@part
class Gains:
    """Gains of a PD law."""

    stiffness: Number = number("N·m/rad", least=0.0)
    """Torque per position error."""
    damping: Number = number("N·m·s/rad", least=0.0)
    """Torque per velocity error."""


@part
class LimitedPd(Gains):
    """A PD law and a flat limit."""

    effort_limit: Maybe = number("N·m", default=None, least=0.0)
    """Largest torque in either direction; None: no limit."""


def pd_torque(
    law: Gains,
    position_target: Number,
    velocity_target: Number,
    effort_target: Number,
    position: Number,
    velocity: Number,
) -> Number:
    """Torque of the PD law before any limit, the effort target added last [N·m]."""
    command = Command(position=position_target, velocity=velocity_target, effort=effort_target)
    return pd(law.stiffness, law.damping, command, position, velocity).amount


def all_targets(command: Command | Number) -> Command:
    """A command with all three targets, 0 where one is not given; a plain number or array is the position target."""
    if not isinstance(command, Command):
        command = Command(position=command)
    given = {name: getattr(command, name) for name in ("position", "velocity", "effort")}
    return Command(**{name: 0.0 if target is None else target for name, target in given.items()})
