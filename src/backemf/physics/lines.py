"""The torque of the drive over speed as straight lines, for a step that ends at the speed it leads to.

At a command, a bound of the current or the end of the voltage, the mean current of a step falls with the rotor speed
on a straight line. Which of them acts depends on the speed: the command's, kept between the bounds of the current, kept
between the ends of the voltage. None of them rises, so an implicit step along this broken line has exactly one
solution, found line by line: solve along the command; where that ends beyond a bound, solve along the bound.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..motor import Motor
from .circuit import Circuit, mean_current, steady_for, steepest_torque_per_ampere, torque_of
from .current_limits import current_bounds, has_current_limit
from .drive import Demand, command_of, voltage_slope
from .ops import maximum, minimum, where
from .supply import sagging_bus
from .winding import steady_current


@dataclass(frozen=True)
class Line:
    """Mean current and torque of a step over the rotor speed at its end."""

    current: Any
    """Mean current at the speed of the start [A]."""
    fall: Any
    """How fast it falls with the rotor speed, 0 or more [A·s/rad]."""
    torque: Any
    """Torque at the speed of the start [N·m]."""
    slope: Any
    """How fast that falls with the rotor speed, 0 or more [N·m·s/rad]."""


def current_at(line: Line, change):
    """Mean current after a change of the rotor speed [A]."""
    return line.current - line.fall * change


def torque_line(motor: Motor, c: Circuit, current, fall) -> Line:
    """The line of a mean current that falls with speed; one that rises counts as flat."""
    fall = maximum(fall, 0.0)
    constant = steepest_torque_per_ampere(motor, current, c.flux)
    return Line(current, fall, torque_of(motor, current, c.flux), constant * fall)


def command_line(motor: Motor, supply, c: Circuit, demand: Demand, speed, bus) -> Line:
    """The line that the command asks for, as far as a bus of this voltage takes part in it."""
    emf = c.back_emf_constant * speed
    voltage, per_speed, _ = command_of(demand, c, emf)
    if supply is not None:
        share = voltage / supply.voltage
        voltage = share * bus
        mean = mean_current(c, steady_current(voltage, emf, c.resistance))
        per_speed = voltage_slope(supply, c, share, per_speed, c.back_emf_constant, bus, mean)
    steady = steady_current(voltage, emf, c.resistance)
    fall = c.come_mean / c.resistance * (c.back_emf_constant - per_speed)
    return torque_line(motor, c, mean_current(c, steady), fall)


def bound_lines(motor: Motor, c: Circuit, demand: Demand, dt) -> tuple[Line, Line] | None:
    """The lines of the lowest and the highest current; None: any current may flow."""
    if not has_current_limit(motor.limits, demand):
        return None
    bounds = current_bounds(motor.limits, demand, c, dt)
    share = c.come_mean / c.come
    low, high = (mean_current(c, steady_for(c, bound)) for bound in (bounds.low, bounds.high))
    return (
        torque_line(motor, c, low, share * bounds.low_slope),
        torque_line(motor, c, high, share * bounds.high_slope),
    )


def voltage_lines(motor: Motor, supply, c: Circuit, demand: Demand, speed, bus) -> tuple[Line, Line] | None:
    """The lines of the lowest and the highest voltage, on a bus that is shared; None: any voltage can be had."""
    if supply is None and demand.voltage_limit is None:
        return None
    emf, conductance = c.back_emf_constant * speed, c.come_mean / c.resistance
    rest = c.left_mean * c.current - emf * conductance
    lines = []
    for side, tighter in ((-1.0, maximum), (1.0, minimum)):
        if supply is None:
            ends = (rest + side * conductance * demand.voltage_limit, conductance)
        else:
            ends = full_duty(supply, c, side, rest, conductance, bus)
            if demand.voltage_limit is not None:
                limited = rest + side * conductance * demand.voltage_limit
                current = tighter(ends[0], limited)
                ends = (current, where(current == limited, conductance + 0.0 * rest, ends[1] + 0.0 * rest))
        current, conductance_seen = ends
        lines.append(torque_line(motor, c, current, conductance_seen * c.back_emf_constant))
    return lines[0], lines[1]


def full_duty(supply, c: Circuit, side, rest, conductance, bus):
    """Mean current at the largest duty [A], and how fast it falls with the back-EMF [A/V].

    A battery of its own sags with the current, which makes the line flatter; one that is shared keeps its voltage here.
    """
    share = side * supply.modulation_limit
    if supply.resistance is None or supply.shared:
        return rest + conductance * share * bus, conductance
    stiffness = share * share * conductance
    sagged = sagging_bus(supply.voltage, supply.resistance, share * rest, stiffness, 0.0)
    seen = conductance / (1.0 + supply.resistance * stiffness)
    if not supply.regeneration:
        fed_back = sagged > supply.voltage
        sagged, seen = where(fed_back, supply.voltage, sagged), where(fed_back, conductance + 0.0 * rest, seen)
    return rest + conductance * share * sagged, seen


def line_within(line: Line, pair: tuple[Line, Line], change) -> Line:
    """The line that acts at a change of speed: a bound where the line is beyond it."""
    low, high = pair
    current = current_at(line, change)
    over, under = current > current_at(high, change), current < current_at(low, change)

    def pick(name: str):
        return where(over, getattr(high, name), where(under, getattr(low, name), getattr(line, name)))

    return Line(pick("current"), pick("fall"), pick("torque"), pick("slope"))
