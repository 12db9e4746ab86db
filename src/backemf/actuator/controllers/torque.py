"""The command is the joint torque."""

from __future__ import annotations

from ...checks import Maybe
from ...parts import number, part
from ...values import Number
from ..control import Asked, Targets, law_of
from .controller import Controller


@part(family="controller")
class Torque(Controller):
    """Torque control: the command is the torque at the joint, before friction and gear loss."""

    current_bandwidth: Maybe = number("1/s", default=None, above=0.0)
    """How fast a current loop follows the torque; None: a voltage that makes up for the back-EMF."""

    asks = "torque"
    main = "effort"
    inputs = ("effort",)


@law_of(Torque)
def torque(c: Torque, command: Targets, integral: Number, position: Number, velocity: Number) -> Asked:
    """The command [N·m]."""
    return Asked(command.effort)
