"""The command is the voltage."""

from __future__ import annotations

from ...parts import part
from ...values import Number
from ..control import Asked, Targets, law_of
from .controller import Controller


@part(family="controller")
class Voltage(Controller):
    """No controller: the command is the voltage."""

    asks = "voltage"
    main = "voltage"
    inputs = ("voltage",)


@law_of(Voltage)
def voltage(c: Voltage, command: Targets, integral: Number, position: Number, velocity: Number) -> Asked:
    """The command [V]."""
    return Asked(command.voltage)
