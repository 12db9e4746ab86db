"""Torque, voltage or velocity, whichever is commanded."""

from __future__ import annotations

from ...checks import Maybe
from ...errors import ParameterError
from ...parts import one, part
from .controller import Controller
from .torque import Torque
from .torque_pid import TorquePid
from .velocity_pi import VelocityPi


@part(family="controller")
class ModeSelector(Controller):
    """Torque, voltage or velocity, whichever is commanded: torque before voltage before velocity, and 0 is a command.

    `Command(mode=...)` chooses for each motor of a batch; without it, the first input that is not None.
    """

    torque: Torque = one(Torque, default=Torque())
    """What follows `Command.effort`."""
    velocity: VelocityPi | TorquePid | None = one(VelocityPi, TorquePid, default=None)
    """What follows `Command.velocity`; None: no velocity mode."""

    asks = "mode"
    inputs = ("effort", "voltage", "velocity")
    moving_target = True
    main = "voltage"

    def __post_init__(self) -> None:
        if isinstance(self.velocity, TorquePid) and self.velocity.follows != "velocity":
            raise ParameterError("ModeSelector.velocity: give TorquePid(follows='velocity', ...)")
        if self.velocity is not None and self.velocity.bandwidth is not None:
            raise ParameterError("ModeSelector: the current loop is that of torque=Torque(current_bandwidth=...)")

    @property
    def bandwidth(self) -> Maybe:
        return self.torque.current_bandwidth

    @property
    def has_integral(self) -> bool:
        return self.velocity is not None and self.velocity.has_integral
