"""What every controller says of itself."""

from __future__ import annotations

from typing import Any, Protocol

from ...checks import Maybe, quote
from ...errors import ParameterError
from ...parts import acts

TORQUE_TARGETS = ("position", "velocity", "effort")
"""Targets of a controller in torque."""


class Controller:
    """What turns a command into something that the drive can do.

    What is `Any` here is a word, words or a switch, and a property where the gains decide it.
    """

    asks: str
    """What its law answers: "voltage" [V], "duty" [1] or "torque" [N·m]; "mode" and "network" have their own ways."""
    main: Any
    """Input that a plain number stands for: "position", "velocity", "effort" or "voltage"."""
    inputs: Any
    """All that it takes from a `Command`, a tuple of such words."""
    moving_target: Any = False
    """Whether its integral is a target that moves on, rather than an error that adds up."""

    @property
    def bandwidth(self) -> Maybe:
        """Bandwidth of its current loop [1/s]; None where there is none."""
        return getattr(self, "current_bandwidth", None)

    @property
    def has_integral(self) -> bool:
        """Whether it remembers an integral."""
        return hasattr(self, "ki") and acts(self, "ki")


class Listener(Protocol):
    """A controller that may be told which targets it listens to."""

    @property
    def listens(self) -> tuple[str, ...] | None: ...
    @property
    def main(self) -> str: ...


def check_integral(controller: Controller) -> None:
    """Raise a `ParameterError` if the integral is limited and there is none."""
    for name in ("integral_limit", "freeze_at_limit"):
        value = getattr(controller, name)
        if not controller.has_integral and value is not None and value is not False:
            raise ParameterError(
                f"{type(controller).__name__}.{name} would never take effect: give ki, or leave it out"
            )


def check_listens(controller: Listener) -> None:
    """Raise a `ParameterError` if the targets are not some of those in torque, or leave out the main one."""
    given = controller.listens
    if given is None:
        return
    name = type(controller).__name__
    words = isinstance(given, (tuple, list)) and all(isinstance(target, str) for target in given)
    if not words or not set(given) <= set(TORQUE_TARGETS) or len(set(given)) != len(given):
        raise ParameterError(f"{name}.listens = {quote(given)}: must be some of {', '.join(TORQUE_TARGETS)}, each once")
    if controller.main not in given:
        raise ParameterError(f"{name}.listens = {quote(given)}: must have {controller.main}, its main input")
    ordered = tuple(target for target in TORQUE_TARGETS if target in given)
    object.__setattr__(controller, "listens", None if ordered == TORQUE_TARGETS else ordered)
