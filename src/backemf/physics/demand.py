"""What is asked of the drive: a voltage or a current, how it follows the rotor, and which limits come with it."""

from __future__ import annotations

from dataclasses import dataclass

from ..values import Bits, Maybe, Number, Recorded
from .circuit import Circuit, steady_for
from .current_limits import JointBounds, bounds_after
from .ops import change, minimum, where


@dataclass(frozen=True)
class Demand:
    """What is asked of the drive."""

    voltage: Recorded
    """Voltage at the terminals [V]; None where a current loop decides it."""
    per_speed: Number = 0.0
    """How fast what is asked, voltage or current, rises with the rotor speed [V·s/rad] or [A·s/rad]."""
    per_angle: Number = 0.0
    """How fast what is asked rises with the rotor angle [V/rad] or [A/rad]."""
    current: Maybe = None
    """Current at the end of the step that a current loop aims at [A]; None where there is no such loop."""
    by_current: Bits | None = None
    """Where the loop decides, of motors of which some get a voltage; None: everywhere."""
    current_limit: Maybe = None
    """Largest current in either direction that the firmware allows [A]; None: what the motor's limits allow."""
    joint: JointBounds | None = None
    """Bounds of the current that the joint's torque limits make; None: none."""
    voltage_limit: Maybe = None
    """Largest voltage of the drive in either direction [V]; None: what the supply has."""
    duty_limit: Maybe = None
    """Largest duty of the bus that the firmware allows [1]; None: what the supply allows."""
    full_share: Recorded = None
    """Largest share of the bus at the terminals, behind the curve of the bridge [1]; None: the largest duty."""
    steepening: Recorded = None
    """How much steeper than the bridge's curve a line is that no chord from here exceeds [1]; None: it has no curve."""
    off: Recorded = None
    """Where the bridge is off; None: nowhere."""
    limit: Bits = 0
    """Limits that already act in front of the drive."""


def after_change(demand: Demand, faster: Number) -> Demand:
    """The demand after a change of the rotor's speed, controller and bounds going along with it."""
    moved = {}
    if demand.voltage is not None:
        moved["voltage"] = demand.voltage + demand.per_speed * faster
    if demand.current is not None and demand.by_current is None:
        moved["current"] = demand.current + demand.per_speed * faster
    if demand.joint is not None:
        moved["joint"] = bounds_after(demand.joint, faster)
    return change(demand, **moved)


def along_chord(demand: Demand) -> Demand:
    """The demand along the steepest chord of the bridge's curve.

    A step along it ends before the point that it would reach along the curve itself, and never passes it.
    """
    return change(
        demand,
        per_speed=minimum(demand.per_speed, demand.per_speed * demand.steepening),
        per_angle=minimum(demand.per_angle, demand.per_angle * demand.steepening),
    )


def command_of(demand: Demand, c: Circuit, emf: Number) -> tuple[Number, Number, Number]:
    """The voltage that is asked for, and how it rises with the rotor's speed and angle."""
    if demand.current is None:
        return demand.voltage, demand.per_speed, demand.per_angle
    # a current loop finds the voltage that brings the current where it aims
    voltage = emf + c.resistance * steady_for(c, demand.current)
    if demand.by_current is not None:
        per_speed = where(demand.by_current, c.back_emf_constant + 0.0 * voltage, demand.per_speed)
        return where(demand.by_current, voltage, demand.voltage), per_speed, demand.per_angle
    # the loop makes up for all of the back-EMF, and turns a change of its aim into volts
    per_ampere = c.resistance / c.come
    return voltage, c.back_emf_constant + per_ampere * demand.per_speed, per_ampere * demand.per_angle
