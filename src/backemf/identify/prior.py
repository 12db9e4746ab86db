"""What is believed of a drive before its logs are looked at: its numbers, and how far each may be off."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from ..actuator import Actuator, JointSpring, Supply
from ..actuator.duty_curve import DutyCurve
from ..checks import quote
from ..datasheet import Datasheet
from ..errors import ParameterError
from ..motor import (
    FrictionAngleTable,
    FrictionOverAngle,
    LoadDependent,
    LoadShare,
    Motor,
    QuadraticShare,
    Stribeck,
    TorqueNetwork,
)
from ..motor.estimate import estimate_of
from ..motorfile import load as load_actuator
from ..values import Foreign
from .log import Log
from .rig import Rig
from .saturation import with_idle_saturation

NINETY = 1.645
"""Standard deviations within which nine of ten values are [1]."""
PRINTED = {
    "winding.resistance": 0.1,
    "magnet": 0.08,
    "rotor.inertia": 0.2,
    "friction": 1.0,
    "thermal": 0.3,
}
"""Spread of figures that a maker prints, as a share of them [1]."""
UNKNOWN = 1.5
"""Spread of the logarithm of a number that nobody gives [1]."""

TURN = 2.0 * math.pi
"""A turn [rad]."""
APART, MOST_POINTS = 0.1, 32
"""Angle between points of a table of friction, a few teeth of a servo's last gear [rad]; most points of it [1]."""


@dataclass(frozen=True, eq=False)
class Prior:
    """The drive before the fit, and the law that is richest of all that are tried."""

    actuator: Actuator
    """As it was given."""
    whole: Actuator
    """With every part that a rung may switch on, each without effect so far."""
    notes: tuple[str, ...] = ()
    """What was assumed, one sentence each."""

    def with_network(self, network: TorqueNetwork) -> Prior:
        """The same with a network that may have weights."""
        motor = self.whole.motor
        assert motor is not None
        return replace(self, whole=replace(self.whole, motor=replace(motor, network=network)))


def read_prior(given: object, estimate: bool = True, what: str = "identify: prior") -> Actuator:
    """The actuator that a catalogue id, a path, a sheet, a motor or an actuator stands for.

    `what` is named in the error.
    """
    if isinstance(given, Actuator):
        return given
    if isinstance(given, Motor):
        return Actuator(given)
    if isinstance(given, Datasheet):
        return given.actuator(estimate=estimate)
    if isinstance(given, (str, Path)):
        return load_actuator(given, estimate=estimate)
    raise ParameterError(
        f"{what} = {quote(given)}: must be a catalogue id, a path, a Datasheet, a Motor or an Actuator"
    )


def make_prior(given: object, rig: Rig, logs: Sequence[Log], dt: float, of_robot: bool = False) -> Prior:
    """The prior on a rig, with everything that a richer law would need, switched off.

    A joint of a robot has a slope of its friction over its angle instead of a table: it shares its log with the others.
    """
    actuator = rig.actuator_for(read_prior(given), logs[0])
    if actuator.delay is not None:
        raise ParameterError(
            "identify: the prior has a Delay; leave it out, since the lag of commands is found from the logs"
        )
    notes: list[str] = []
    motor = actuator.motor
    spring = JointSpring(rest_angle=_middle(logs)) if of_robot else JointSpring()
    if motor is None:
        return Prior(actuator, replace(actuator, spring=actuator.spring or spring), tuple(notes))
    motor, notes = _trim(motor, logs, dt, notes)
    friction = motor.friction
    over_angle = motor.friction_over_angle
    if friction is None or type(friction).__name__ in ("Coulomb", "LoadDependent"):
        friction = whole_friction(motor)
        even = FrictionOverAngle(per_angle=0.0, angle=_middle(logs)) if of_robot else _even_over_angle(logs)
        over_angle = over_angle or even
    else:
        notes.append(
            f"the friction stays {type(friction).__name__}, as in the prior; rungs of load and speed are left out"
        )
    supply = actuator.supply
    if isinstance(supply, Supply) and supply.curve is None and actuator.controller.asks in ("duty", "voltage"):
        supply = replace(supply, curve=DutyCurve(saturation=0.0))
    if (supply is None or supply.curve is None) and all("current" in log for log in logs):
        motor = replace(motor, magnet=with_idle_saturation(motor.magnet, logs))
    whole = replace(
        actuator,
        motor=replace(motor, friction=friction, friction_over_angle=over_angle),
        supply=supply,
        spring=actuator.spring or spring,
        meter=False,
    )
    return Prior(actuator, whole, tuple(notes))


def _middle(logs: Sequence[Log]) -> float:
    """Middle of the angles of these logs [rad]."""
    angles = [log["position"] for log in logs if "position" in log]
    return 0.5 * (min(float(np.min(x)) for x in angles) + max(float(np.max(x)) for x in angles)) if angles else 0.0


def _even_over_angle(logs: Sequence[Log]) -> FrictionAngleTable | None:
    """A table of friction over the angles of these logs, with the same friction at each; None: they have no angles."""
    angles = [log["position"] for log in logs if "position" in log]
    if not angles:
        return None
    low, high = min(float(np.min(x)) for x in angles), max(float(np.max(x)) for x in angles)
    if high - low > TURN:
        return FrictionAngleTable(shares=(1.0,) * MOST_POINTS, first=0.0, last=TURN, repeats=True)
    intervals = min(max(1, math.ceil((high - low) / APART)), MOST_POINTS - 1)
    middle, half = 0.5 * (low + high), 0.5 * intervals * max(APART, (high - low) / intervals)
    return FrictionAngleTable(shares=(1.0,) * (intervals + 1), first=middle - half, last=middle + half)


def _trim(motor: Motor, logs: Sequence[Log], dt: float, notes: list[str]) -> tuple[Motor, list[str]]:
    """The motor without what these logs cannot show."""
    henry, ohm = np.max(np.asarray(motor.winding.inductance)), np.min(np.asarray(motor.winding.resistance))
    if henry > 0.0 and henry / ohm < dt and not any("current" in log for log in logs):
        motor = replace(motor, winding=replace(motor.winding, inductance=0.0))
        notes.append(
            f"the inductance is left out: L/R is {1e3 * henry / ohm:.3g} ms, shorter than a step, and no current "
            "is logged"
        )
    return motor, notes


def whole_friction(motor: Motor) -> LoadDependent:
    """Friction with every term of the family M1 to M6; those that the motor does not have are 0."""
    before: Foreign = motor.friction
    coulomb = getattr(before, "coulomb", 0.0)
    stribeck = getattr(before, "stribeck", None)
    load, quadratic = getattr(before, "load", None), getattr(before, "quadratic", None)
    none = LoadShare(drive=0.0, back=0.0)
    if stribeck is None:
        stribeck = Stribeck(velocity=0.05 * free_speed(motor), coulomb=0.0, load=none)
    elif stribeck.load is None:
        stribeck = replace(stribeck, load=none)
    return LoadDependent(
        coulomb=coulomb,
        viscous=getattr(before, "viscous", 0.0),
        stribeck=stribeck,
        load=load or none,
        quadratic=quadratic or QuadraticShare(drive=0.0, back=0.0),
    )


def free_speed(motor: Motor) -> float:
    """Rotor speed without load at the rated voltage, or at one volt [rad/s]."""
    volts = None if motor.ratings is None else motor.ratings.voltage
    return float(np.mean(np.asarray(1.0 if volts is None else volts))) / float(
        np.mean(np.asarray(motor.magnet.back_emf_constant))
    )


def stall_torque(motor: Motor) -> float:
    """Rotor torque at standstill at the rated voltage, or at one volt [N·m]."""
    volts = None if motor.ratings is None else motor.ratings.voltage
    amperes = float(np.mean(np.asarray(1.0 if volts is None else volts))) / float(
        np.mean(np.asarray(motor.winding.resistance))
    )
    return amperes * float(np.mean(np.asarray(motor.magnet.torque_constant)))


def spread_of(motor: Motor, name: str) -> tuple[float, str]:
    """Spread of the logarithm of a number of a motor, and where it is from."""
    found = estimate_of(motor, name)
    if found is not None:
        return math.log(found.high / found.low) / (2.0 * NINETY), "estimate"
    known = next((x for start, x in PRINTED.items() if name.startswith(start)), UNKNOWN)
    return known, "motor"
