"""The PD of mjlab and Isaac Lab."""

from __future__ import annotations

from ...checks import Maybe, Number
from ...parts import number, part, words
from ...physics.command import Command
from ..control import Asked, law_of, pd
from .controller import TORQUE_TARGETS, Controller, check_listens


@part(family="controller")
class IdealPd(Controller):
    """The PD of mjlab and Isaac Lab: stiffness·(p - q) + damping·(v - q') + effort, as a torque at the joint."""

    stiffness: Number = number("N·m/rad", least=0.0)
    """Torque per position error."""
    damping: Number = number("N·m·s/rad", default=0.0, least=0.0)
    """Torque per velocity error."""
    current_bandwidth: Maybe = number("1/s", default=None, above=0.0)
    """How fast a current loop follows the torque; None: a voltage that makes up for the back-EMF."""
    listens: tuple[str, ...] | None = words(*TORQUE_TARGETS, default=None)
    """Targets that it takes, of "position", "velocity" and "effort"; None: all three."""

    asks = "torque"
    main = "position"

    def __post_init__(self) -> None:
        check_listens(self)

    @property
    def inputs(self) -> tuple[str, ...]:
        return self.listens or TORQUE_TARGETS


@law_of(IdealPd)
def ideal_pd(c: IdealPd, command: Command, integral: Number, position: Number, velocity: Number) -> Asked:
    """stiffness·(p - q) + damping·(v - q') + effort [N·m]."""
    return pd(c.stiffness, c.damping, command, position, velocity)
