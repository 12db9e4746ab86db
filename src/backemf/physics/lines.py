"""The torque of the drive over speed as straight lines, for a step that ends at the speed it leads to.

At a command, a bound of the current or the end of the voltage, the torque of a step falls with the rotor speed on a
straight line. Which of them acts depends on the speed: the command's, kept between the bounds of the current, kept
between the ends of the voltage. None of them rises, so an implicit step along this broken line has exactly one
solution, found line by line: solve along the command; where that ends beyond a bound, solve along the bound.
`Lines` are those of one step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..motor import Motor
from .circuit import Circuit, mean_current, steady_for, steepest_torque_per_ampere, torque_of
from .current_limits import UNBOUNDED, SlantedBounds, flat_bounds, has_current_limit
from .demand import Demand, command_of
from .drive import largest_duty
from .ops import maximum, minimum, where
from .supply import sagging_bus
from .winding import steady_current


@dataclass(frozen=True)
class Line:
    """Torque of a step over the rotor speed at its end."""

    torque: Any
    """Torque at the speed of the start [N·m]."""
    slope: Any
    """How fast it falls with the rotor speed, 0 or more [N·m·s/rad]."""


@dataclass(frozen=True)
class Lines:
    """All lines of a step."""

    command: Line
    """That of the command."""
    slants: tuple[tuple[Line, Line, Any], ...]
    """Pairs of bounds that fall with speed, each with the current that its upper line ends at [A]."""
    flat: Callable[[Any, Any], tuple[Line, Line]] | None
    """The bounds that no speed moves, within a lowest and a highest current [A]; None: any current may flow."""
    lowest: Any
    """Lowest current that the joint allows at any speed [A]."""
    highest: Any
    """Highest current that the joint allows at any speed [A]."""
    ends: tuple[Line, Line] | None
    """Those of the lowest and the highest voltage; None: any can be had."""


def lines_of(motor: Motor, supply, c: Circuit, demand: Demand, speed, bus, dt) -> Lines:
    """The lines of a step that starts at a rotor speed; `bus` is the voltage of the supply at the start [V]."""

    def flat(lowest, highest):
        low, high = flat_bounds(motor.limits, demand, c, dt, lowest, highest)
        return current_line(motor, c, low, 0.0), current_line(motor, c, high, 0.0)

    joint, voltages = demand.joint, supply is not None or demand.voltage_limit is not None
    return Lines(
        command=command_line(motor, supply, c, demand, speed, bus),
        slants=() if joint is None else tuple((*slanted_lines(motor, c, s), s.floor) for s in joint.slants),
        flat=flat if has_current_limit(motor.limits, demand) else None,
        lowest=-UNBOUNDED if joint is None else joint.flat_low,
        highest=UNBOUNDED if joint is None else joint.flat_high,
        ends=voltage_lines(motor, supply, c, demand, speed, bus) if voltages else None,
    )


def acting_line(lines: Lines, change: Callable[[Line], Any]) -> Line:
    """The line that acts; `change` says how the speed changes along a line [rad/s]."""
    line, lowest, highest = lines.command, lines.lowest, lines.highest
    for low, high, floor in lines.slants:
        line, over, under = within(line, low, high, change(line))
        # a slanted bound goes no further than its floor
        lowest = where(over, maximum(lowest, floor), lowest)
        highest = where(under, minimum(highest, -floor), highest)
    if lines.flat is not None:
        line, _, _ = within(line, *lines.flat(lowest, highest), change(line))
    if lines.ends is not None:
        line, _, _ = within(line, *lines.ends, change(line))
    return line


def torque_at(line: Line, change):
    """Torque after a change of the rotor speed [N·m]."""
    return line.torque - line.slope * change


def torque_line(motor: Motor, c: Circuit, current, fall) -> Line:
    """The line of a mean current [A] that falls with speed [A·s/rad]; one that rises counts as flat."""
    constant = steepest_torque_per_ampere(motor, current, c.flux)
    return Line(torque_of(motor, current, c.flux), constant * maximum(fall, 0.0))


def command_line(motor: Motor, supply, c: Circuit, demand: Demand, speed, bus) -> Line:
    """The line that the command asks for, on a bus of this voltage [V] that does not give way."""
    emf = c.back_emf_constant * speed
    voltage, per_speed, _ = command_of(demand, c, emf)
    if supply is not None:
        voltage, per_speed = voltage * bus / supply.voltage, per_speed * bus / supply.voltage
    steady = steady_current(voltage, emf, c.resistance)
    fall = c.come_mean / c.resistance * (c.back_emf_constant - per_speed)
    return torque_line(motor, c, mean_current(c, steady), fall)


def current_line(motor: Motor, c: Circuit, current, fall) -> Line:
    """The line of a current at the end of the step [A] that falls with speed [A·s/rad]."""
    return torque_line(motor, c, mean_current(c, steady_for(c, current)), c.come_mean / c.come * fall)


def slanted_lines(motor: Motor, c: Circuit, bounds: SlantedBounds) -> tuple[Line, Line]:
    """The lines of a pair of bounds that fall with speed."""
    return current_line(motor, c, bounds.low, bounds.low_fall), current_line(motor, c, bounds.high, bounds.high_fall)


def voltage_lines(motor: Motor, supply, c: Circuit, demand: Demand, speed, bus) -> tuple[Line, Line]:
    """The lines of the lowest and the highest voltage; `bus` is that of a supply that is shared [V]."""
    emf, conductance = c.back_emf_constant * speed, c.come_mean / c.resistance
    rest = c.left_mean * c.current - emf * conductance
    lines = []
    for side, tighter in ((-1.0, maximum), (1.0, minimum)):
        if supply is None:
            current, seen = rest + side * conductance * demand.voltage_limit, conductance
        else:
            current, seen = full_duty(supply, side * largest_duty(supply, demand), rest, conductance, bus)
            if demand.voltage_limit is not None:
                limited = rest + side * conductance * demand.voltage_limit
                current = tighter(current, limited)
                seen = where(current == limited, conductance + 0.0 * rest, seen + 0.0 * rest)
        lines.append(torque_line(motor, c, current, seen * c.back_emf_constant))
    return lines[0], lines[1]


def full_duty(supply, share, rest, conductance, bus):
    """Mean current at the largest duty `share` [A], and how fast it falls with the back-EMF [A/V].

    A battery of its own sags with the current, which makes the line flatter; one that is shared keeps its voltage.
    """
    if supply.resistance is None or supply.shared:
        return rest + conductance * share * bus, conductance
    stiffness = share * share * conductance
    sagged = sagging_bus(supply.voltage, supply.resistance, share * rest, stiffness, 0.0)
    seen = conductance / (1.0 + supply.resistance * stiffness)
    if not supply.regeneration:
        fed_back = sagged > supply.voltage
        sagged, seen = where(fed_back, supply.voltage, sagged), where(fed_back, conductance + 0.0 * rest, seen)
    return rest + conductance * share * sagged, seen


def within(line: Line, low: Line, high: Line, change):
    """The line that acts at a change of speed, and where that is the upper or the lower bound."""
    torque = torque_at(line, change)
    over, under = torque > torque_at(high, change), torque < torque_at(low, change)
    torque = where(over, high.torque, where(under, low.torque, line.torque))
    return Line(torque, where(over, high.slope, where(under, low.slope, line.slope))), over, under
