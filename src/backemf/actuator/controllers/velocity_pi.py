"""Velocity control in volts."""

from __future__ import annotations

from ...checks import Maybe, Number
from ...parts import flag, number, part
from ..control import Asked, Targets, law_of
from .controller import Controller, check_integral


@part(family="controller")
class VelocityPi(Controller):
    """Velocity control in volts: kp·(target - q') + ki·(p - q), where p moves on at the target velocity."""

    kp: Number = number("V·s/rad", least=0.0)
    """Voltage per velocity error."""
    ki: Number = number("V/rad", default=0.0, least=0.0, neutral=0.0)
    """Voltage per position behind the moving target; 0: no integral."""
    integral_limit: Maybe = number("rad", default=None, above=0.0)
    """Farthest that the moving target may run ahead of the joint; None: no limit."""
    freeze_at_limit: bool = flag(default=False)
    """Whether the moving target also rests while the voltage limit acts and it would only run further ahead."""

    asks = "voltage"
    main = "velocity"
    inputs = ("velocity",)
    moving_target = True

    def __post_init__(self) -> None:
        check_integral(self)


@law_of(VelocityPi)
def velocity_pi(c: VelocityPi, command: Targets, integral: Number, position: Number, velocity: Number) -> Asked:
    """kp·(target - q') + ki·(p - q), where p goes on at the target velocity [V]."""
    target = command.velocity
    amount = c.kp * (target - velocity)
    if c.ki is None:
        return Asked(amount, -c.kp, 0.0)
    return Asked(amount + c.ki * (integral - position), -c.kp, -c.ki, target)
