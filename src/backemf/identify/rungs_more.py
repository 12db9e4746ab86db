"""Rungs that only some logs allow: backlash, inductance, and torque that saturates."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..actuator import Actuator
from ..motor import Motor, Saturation
from .parameters import Parameter
from .rung import MOTOR, Rung, new, of_motor
from .saturation import NEVER
from .signals import resolution
from .trials import Trials

BACKLASH = 5e-3
"""Usual backlash of a gearbox at its joint [rad]."""
RESOLVED = 0.1
"""Step of an encoder over usual backlash, up to which it shows; through 12 bits it is mistaken for other laws [1]."""
REVERSALS = 6
"""Fewest reversals of a motion in which backlash shows [1]."""
INDUCTANCE = 0.3
"""Least spread of an inductance, which falls with current and frequency [1]."""


def more_rungs(actuator: Actuator, trials: Trials) -> Iterator[Rung]:
    """Those of a motor that moves a load."""
    motor = actuator.motor
    if motor is None or trials.path is not None:
        return
    if shows_backlash(motor, trials):
        yield Rung("backlash", (new("gearbox.backlash", "rad", BACKLASH),))
    if shows_inductance(motor, trials):
        found = of_motor(motor, "winding.inductance", "H")
        spread = min(max(found.spread, INDUCTANCE), 1.0)
        yield Rung("inductance", (Parameter(found.name, found.targets, spread, unit="H", source=found.source),))
    saturation = motor.magnet.saturation
    if saturation is not None and _compares(trials, "current"):
        largest = max(float(np.abs(log["current"]).max()) for log in trials.logs)
        yield Rung("torque saturation", tuple(saturation_parameters(saturation, largest)))


def saturation_parameters(saturation: Saturation, largest: float) -> Iterator[Parameter]:
    """Where it sets in, and how much torque is gained beyond; `largest` is the largest current [A]."""
    known = bool(np.all(np.asarray(saturation.knee_current) < NEVER))
    name = "magnet.saturation.knee_current"
    yield Parameter(f"motor.{name}", (MOTOR + name,), 0.5, unit="A", reference=None if known else 0.5 * largest)
    name = "magnet.saturation.torque"
    yield Parameter(f"motor.{name}", (MOTOR + name,), 0.5, unit="N·m")


def shows_backlash(motor: Motor, trials: Trials) -> bool:
    """Whether gears that may have play turn back often, with steps of the position that are far finer than the play."""
    if motor.gearbox is None or motor.rotor is None or np.any(np.asarray(motor.gearbox.backlash) > 0.0):
        return False
    measured = [log["position"] for log in trials.logs if "position" in log]
    if not measured or any((resolution(each) or 0.0) > RESOLVED * BACKLASH for each in measured):
        return False
    turns = [int(np.sum(np.diff(np.sign(np.diff(_thinned(each)))) != 0)) for each in measured]
    return sum(turns) >= REVERSALS


def shows_inductance(motor: Motor, trials: Trials) -> bool:
    """Whether the current was logged faster than it follows the voltage, L/R."""
    henry, ohm = (float(np.mean(np.asarray(x))) for x in (motor.winding.inductance, motor.winding.resistance))
    if not _compares(trials, "current") or henry <= 0.0:
        return False
    return max(float(np.median(np.diff(log.times("current")))) for log in trials.logs) < henry / ohm


def _thinned(position: np.ndarray) -> np.ndarray:
    """Positions that are further from the last one than the play, so that noise is no reversal."""
    kept = [float(position[0])]
    for value in position.tolist():
        if abs(value - kept[-1]) > 4.0 * BACKLASH:
            kept.append(value)
    return np.array(kept)


def _compares(trials: Trials, channel: str) -> bool:
    return any(reading.channel == channel for reading in trials.readings)
