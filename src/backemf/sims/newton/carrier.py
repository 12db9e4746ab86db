"""How an actuator reaches Newton: as an object, as TOML text, or as a motor of the catalogue with gains."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any, Generic, TypeVar, cast

from ... import catalog
from ...actuator import Actuator
from ...actuator.controllers import ModeSelector, TorquePid
from ...actuator.needs import require_load
from ...actuator.supply import Supply
from ...analyze.given import supply_of
from ...datasheet import Datasheet
from ...errors import ParameterError
from ...motor import Motor
from ...motorfile import loads
from ..types import Fields

A = TypeVar("A", Actuator, Motor)
PREFIX = "backemf:"
"""What the names of the USD attributes begin with, after `newton:`."""
GAINS = ("kp", "ki", "kd")
NAMES = ("actuator", "motor", "voltage", *GAINS)
"""What describes an actuator: TOML text, or a motor of the catalogue, its bus voltage [V] and gains in torque."""


class Carried(Generic[A]):
    """An actuator, or a motor, that Newton can compare: joints with the same object are stepped together."""

    def __init__(self, actuator: A):
        self.actuator = actuator

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Carried) and other.actuator is self.actuator

    def __hash__(self) -> int:
        return id(self.actuator)


def actuator_from(arguments: Fields) -> Actuator:
    """The actuator that Newton's arguments describe, under plain names or those of the USD attributes."""
    given: Fields = {}
    for key, value in arguments.items():
        name = key.removeprefix(PREFIX)
        if name not in NAMES:
            raise ParameterError(f"{key}: a backemf actuator has no such number; it takes {', '.join(NAMES)}")
        if name in given:
            raise ParameterError(f"{name} is given twice, with {PREFIX} and without")
        given[name] = value
    actuator = given.pop("actuator", None)
    if isinstance(actuator, Carried):
        actuator = actuator.actuator
    if actuator in (None, ""):
        if not isinstance(given.get("motor", ""), str):
            raise ParameterError("motor: must be an id of the catalogue; give a Motor as actuator=Actuator(motor, ...)")
        return _of_motor(**given)
    if given:
        raise ParameterError(f"{next(iter(given))} together with actuator: the actuator has everything, leave it out")
    if isinstance(actuator, str):
        return _of_text(actuator)
    if isinstance(actuator, Motor):
        return _of_alone(Carried(actuator))
    if not isinstance(actuator, Actuator):
        raise ParameterError(f"actuator = {actuator!r}: must be an Actuator, a Motor or TOML text")
    return actuator


# what is made of the same thing is the same object, so that its joints are stepped together


@lru_cache(maxsize=256)
def _of_alone(motor: Carried[Motor]) -> Actuator:
    return Actuator(motor.actuator)


@lru_cache(maxsize=256)
def _of_text(text: str) -> Actuator:
    return loads(text, "newton:backemf:actuator")


@lru_cache(maxsize=256)
def _of_motor(
    motor: str | None = None,
    voltage: float | None = None,
    kp: float | None = None,
    ki: float | None = None,
    kd: float | None = None,
) -> Actuator:
    if not motor:
        raise ParameterError("a backemf actuator needs newton:backemf:actuator, or newton:backemf:motor with gains")
    if motor not in catalog.ids():
        raise ParameterError(f"newton:backemf:motor = {motor!r}: {catalog.suggestion(motor)}")
    known = Datasheet.load(motor).motor()
    controller: Any = None
    if any(gain is not None for gain in (kp, ki, kd)):
        controller = TorquePid(kp=kp or 0.0, ki=cast(Any, ki or None), kd=kd or 0.0)
    supply = supply_of(known, None if voltage is None else Supply(voltage=float(voltage)))
    return Actuator(known, supply, controller=controller)


@lru_cache(maxsize=256)
def for_newton(given: Carried[Actuator]) -> Actuator:
    """The actuator as Newton can run it, the same object for the same input; raises ParameterError if it cannot."""
    actuator = given.actuator
    if isinstance(actuator.controller, ModeSelector):
        raise ParameterError("ModeSelector: Newton has no modes; give one controller, such as Torque or VelocityPi")
    require_load(actuator, None, None)
    delay = actuator.delay
    if delay is not None and delay.is_random and delay.per == "environment":
        # a row of joints does not say where an environment ends
        return replace(actuator, delay=replace(delay, per="joint"))
    return actuator
