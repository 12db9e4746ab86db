"""Position control in volts."""

from __future__ import annotations

from ...checks import Maybe, Number
from ...parts import flag, number, part
from ..control import Asked, Targets, law_of
from .controller import Controller, check_integral


@part(family="controller")
class PositionPid(Controller):
    """Position control in volts: kp·(target - q) + ki·∫(target - q) - kd·q'."""

    kp: Number = number("V/rad", least=0.0)
    """Voltage per position error."""
    ki: Number = number("V/(rad·s)", default=0.0, least=0.0, neutral=0.0)
    """Voltage per integrated position error; 0: no integral."""
    kd: Number = number("V·s/rad", default=0.0, least=0.0)
    """Voltage against the joint velocity."""
    integral_limit: Maybe = number("rad·s", default=None, above=0.0)
    """Largest integrated error in either direction; None: no limit."""
    freeze_at_limit: bool = flag(default=False)
    """Whether the integral also rests while the voltage limit acts and the error pushes further into it."""

    asks = "voltage"
    main = "position"
    inputs = ("position",)

    def __post_init__(self) -> None:
        check_integral(self)


@law_of(PositionPid)
def position_pid(c: PositionPid, command: Targets, integral: Number, position: Number, velocity: Number) -> Asked:
    """kp·(target - q) + ki·∫(target - q) - kd·q' [V]."""
    error = command.position - position
    amount = c.kp * error - c.kd * velocity
    if c.ki is None:
        return Asked(amount, -c.kd, -c.kp)
    return Asked(amount + c.ki * integral, -c.kd, -c.kp, error)
