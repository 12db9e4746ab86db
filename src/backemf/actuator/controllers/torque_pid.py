"""Position, velocity and feedforward control in torque."""

from __future__ import annotations

from ...checks import Maybe, Number
from ...parts import flag, number, part, word, words
from ...physics.command import Command
from ..control import Asked, law_of, pd
from .controller import TORQUE_TARGETS, Controller, check_integral, check_listens

MOVING_TARGET = {"ki": "N·m/rad", "integral_limit": "rad"}
"""Units of the fields that differ where the integral is a moving target."""


@part(family="controller")
class TorquePid(Controller):
    """Position, velocity and feedforward control in torque: kp·(p - q) + ki·∫(p - q) + kd·(v - q') + effort.

    Without a position target the integral follows the velocity target: ki·(∫v - q).
    """

    kp: Number = number("N·m/rad", default=0.0, least=0.0)
    """Torque per position error."""
    ki: Number = number("N·m/(rad·s)", default=0.0, least=0.0, neutral=0.0)
    """Torque per integrated position error, or in N·m/rad per position behind a moving target; 0: no integral."""
    kd: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Torque per velocity error."""
    integral_limit: Maybe = number("rad·s", default=None, above=0.0)
    """Largest integral in either direction, in rad for a moving target; None: no limit."""
    freeze_at_limit: bool = flag(default=False)
    """Whether the integral also rests while a limit acts and the error pushes further into it."""
    current_bandwidth: Maybe = number("1/s", default=None, above=0.0)
    """How fast a current loop follows the torque; None: a voltage that makes up for the back-EMF."""
    follows: str = word("position", "velocity", default="position")
    """Main input, which the integral follows: "position" or "velocity"."""
    listens: tuple[str, ...] | None = words(*TORQUE_TARGETS, default=None)
    """Targets that it takes, of "position", "velocity" and "effort"; None: all three."""

    asks = "torque"

    def __post_init__(self) -> None:
        check_integral(self)
        check_listens(self)

    @property
    def main(self) -> str:
        return self.follows

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.listens or TORQUE_TARGETS

    @property
    def moving_target(self) -> bool:
        return self.follows == "velocity"


@law_of(TorquePid)
def torque_pid(c: TorquePid, command: Command, integral: Number, position: Number, velocity: Number) -> Asked:
    """kp·(p - q) + ki·∫(p - q) + kd·(v - q') + effort; ∫ is that of the main input [N·m]."""
    asked = pd(c.kp, c.kd, command, position, velocity)
    if c.ki is None:
        return asked
    if c.follows == "velocity":
        amount = asked.amount + c.ki * (integral - position)
        return Asked(amount, asked.per_velocity, asked.per_position - c.ki, command.velocity)
    amount = asked.amount + c.ki * integral
    assert command.position is not None
    return Asked(amount, asked.per_velocity, asked.per_position, command.position - position)
