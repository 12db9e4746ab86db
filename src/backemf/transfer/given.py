"""What may be written for a simulator: an id, a file, a datasheet, a motor or an actuator, each as one actuator."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from .. import catalog
from ..actuator import Actuator, Supply, Torque
from ..checks import Number
from ..datasheet import Datasheet
from ..errors import ParameterError
from ..motor import Motor
from ..motorfile import load_with_joint
from ..sims.joint import parts_of
from ..sims.on_joint import OnJoint
from ..values import Foreign
from .duty import has_voltage

ACCEPTED = "a catalogue id, the path of a TOML file, a Datasheet, a Motor, an Actuator or an OnJoint"
LONGEST = 60
"""Longest text of a wrong object that is repeated [characters]."""


def given_actuator(
    thing: Foreign, supply: Supply | Number | None = None, any_voltage: bool = False
) -> Actuator | OnJoint:
    """An actuator, with what belongs to its joint; a motor gets its torque commanded.

    A motor needs a voltage, unless it is an `OnJoint` and the simulator takes `any_voltage`.
    """
    found = _as_actuator(thing)
    if supply is None and not has_voltage(found) and not (any_voltage and isinstance(found, OnJoint)):
        motor = parts_of(found)[0]
        name = thing if isinstance(thing, (str, Path)) else (motor and motor.name) or "the motor"
        raise ParameterError(f"{name}: no nominal voltage is known: give the supply, such as supply=24.0 [V]")
    return found


def _as_actuator(thing: Foreign) -> Actuator | OnJoint:
    if isinstance(thing, (str, Path)):
        _require_file(thing)
        return _with_joint(*load_with_joint(thing))
    if isinstance(thing, Datasheet):
        actuator = thing.actuator()
        return _with_joint(actuator, thing.joint() if actuator.motor is None else None)
    if isinstance(thing, Motor):
        return Actuator(thing, controller=Torque())
    if isinstance(thing, (Actuator, OnJoint)):
        return thing
    shown = f"the class {thing.__name__}" if isinstance(thing, type) else f"{type(thing).__name__} {_short(thing)}"
    raise ParameterError(f"export: {shown} cannot be written for a simulator: give {ACCEPTED}")


def _with_joint(actuator: Actuator, own: dict[str, Foreign] | None) -> Actuator | OnJoint:
    if own is None:
        return replace(actuator, controller=Torque())
    return OnJoint(actuator=actuator, joint=own.pop("name", ""), **own)


def _require_file(id_or_path: str | Path) -> None:
    """Check that a text is a catalogue id or a file; raise ParameterError if not."""
    text = str(id_or_path)
    if text in catalog.ids():
        return
    try:
        there = bool(text) and Path(text).exists()
    except (OSError, ValueError):
        there = False
    if not there:
        raise ParameterError(
            f"export: {_short(text)} is neither in the catalogue nor a file, {catalog.suggestion(text[:LONGEST])}; "
            f"give {ACCEPTED}"
        )


def _short(thing: Foreign) -> str:
    text = " ".join(repr(thing).split())
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
