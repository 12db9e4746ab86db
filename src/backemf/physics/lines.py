"""The current of the drive over speed as straight lines, for a step that ends at the speed it leads to.

At a command, a bound of the current or the end of the voltage, the mean current of a step falls with the rotor speed
on a straight line, and its torque with it. Which of them acts depends on the speed: the command's, kept between the
bounds of the current, kept between the ends of the voltage. None of them rises, so an implicit step along this broken
line has exactly one solution, found line by line: solve along the command; where that ends beyond a bound, solve along
the bound. `Lines` are those of one step.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from ..motor import Motor
from ..values import Bits, Number, Recorded
from .circuit import Circuit, mean_current, steady_for, steepest_torque_per_ampere, torque_per_ampere
from .current_limits import SlantedBounds, flat_bounds, has_current_limit, rate_bounds
from .demand import Demand, after_change, command_of
from .drive import battery_bus, largest_duty
from .limits import clip
from .ops import absolute, maximum, minimum, where
from .supply import COLLAPSED, Supply, duty
from .winding import steady_current


@dataclass(frozen=True)
class Line:
    """Mean current of a step over the rotor speed at its end; of a joint without a motor, its torque over its speed."""

    value: Number
    """Current at the speed of the start [A], or torque [N·m]."""
    fall: Number
    """How fast it falls with speed, 0 or more [A·s/rad] or [N·m·s/rad]."""


@dataclass(frozen=True)
class Slant:
    """A pair of bounds that fall with speed, each to a level that it does not pass."""

    low: Line
    """Lower bound."""
    high: Line
    """Upper bound."""
    low_end: Number
    """Highest value of the lower bound, whatever its line says [A] or [N·m]."""
    high_end: Number
    """Lowest value of the upper bound, whatever its line says [A] or [N·m]."""
    to_zero: bool
    """Whether both end at no torque, so that several such pairs end there together."""


@dataclass(frozen=True)
class FullDuty:
    """All of a battery of its own over the rotor speed: a line that gives way with the bus, between two that do not."""

    line: Line
    """Mean current with a bus that sags, or rises, by the battery's resistance."""
    low: Line
    """Lowest current: that of a bus which has collapsed, or of one that is not fed back."""
    high: Line
    """Highest current likewise."""


@dataclass(frozen=True)
class Lines:
    """All lines of a step, in the order in which they bound the command: the last word is that of the voltage."""

    command: Line
    """That of the command."""
    battery: tuple[Callable[[Number], Line], Callable[[Number], Number]] | None = None
    """On a battery of its own: the command's line at a bus voltage, and the bus after a change of speed [V]."""
    full_duties: tuple[FullDuty, FullDuty] | None = None
    """On a battery of its own: the lowest and the highest current that all of it drives."""
    rate: tuple[Line, Line] | None = None
    """What the current's rate allows, where slanted bounds come before it; None: nothing, or part of `flat`."""
    slants: tuple[Slant, ...] = ()
    """Bounds that fall with speed."""
    flat: tuple[Number, Number] | None = None
    """Lowest and highest value at any speed [A] or [N·m]; None: any."""
    ends: tuple[tuple[Line, Line], ...] = ()
    """Those of the lowest and the highest voltage, for each thing that ends it."""


def lines_of(
    motor: Motor, supply: Supply | None, c: Circuit, demand: Demand, speed: Number, bus: Recorded, dt: Number
) -> Lines:
    """The lines of a step that starts at a rotor speed; `bus` is the voltage of a shared battery at the start [V]."""
    limits, joint = motor.limits, demand.joint
    rate, slants, flat = None, (), None
    if has_current_limit(limits, demand):
        low, high = flat_bounds(limits, demand, c, dt)
        flat = mean_of(c, low), mean_of(c, high)
    if joint is not None and joint.slants:
        slants = tuple(slant_of(c, bounds) for bounds in joint.slants)
        if limits is not None and limits.current_rate is not None:
            slowest, fastest = (mean_of(c, current) for current in rate_bounds(limits, c, dt))
            rate = Line(slowest, 0.0), Line(fastest, 0.0)

    at_bus, battery, full_duties = partial(command_line, supply, c, demand, speed), None, None
    if supply is not None and supply.resistance is not None and not supply.shared:
        bus_after = partial(bus_of_command, supply, c, demand, speed)
        bus, battery = bus_after(0.0), (at_bus, bus_after)
        full_duties = all_of_battery(supply, c, demand, speed)
    return Lines(
        command=at_bus(bus),
        battery=battery,
        full_duties=full_duties,
        rate=rate,
        slants=slants,
        flat=flat,
        ends=voltage_lines(supply, c, demand, speed, bus),
    )


def acting_line(lines: Lines, change: Callable[[Line], Number]) -> Line:
    """The line that acts; `change` says how the speed changes along a line [rad/s]."""
    line, flat, ends = lines.command, lines.flat, lines.ends
    if lines.battery is not None and lines.full_duties is not None:
        low, high = lines.full_duties
        # whatever acts, the step ends between those of all of the battery either way
        slowest, fastest = change(low.line), change(high.line)
        line = lines.battery[0](end_bus(*lines.battery, lambda line: clip(change(line), slowest, fastest)))
        full = within(low.line, low.low, low.high, slowest), within(high.line, high.low, high.high, fastest)
        ends = full, *ends
    if lines.rate is not None:
        line = within(line, *lines.rate, change(line))
    if flat is not None:
        low, high = flat
        for k, slant in enumerate(lines.slants):
            if k > 0 and not (slant.to_zero and lines.slants[k - 1].to_zero):
                # the bound so far ends before the next one begins
                line = within(line, Line(low, 0.0), Line(high, 0.0), change(line))
                low, high = flat
            line, over, under = along_slant(line, slant, change(line))
            low = where(over, clip(slant.high_end, *flat), low)
            high = where(under, clip(slant.low_end, *flat), high)
        line = within(line, Line(low, 0.0), Line(high, 0.0), change(line))
    for end in ends:
        line = within(line, *end, change(line))
    return line


def end_bus(
    at_bus: Callable[[Number], Line], bus_after: Callable[[Number], Number], change: Callable[[Line], Number]
) -> Number:
    """Bus voltage of a battery where the step ends [V].

    A higher bus drives more current, and the bus that this leads to is lower. So the one that leads to itself lies
    between that of the start and that which this leads to: it is taken from the chord through two tries. Where a
    motor is braked less and less on the way, the second try goes on from the first, and is nearer than both.
    """
    start = bus_after(0.0)
    once = bus_after(change(at_bus(start)))
    twice = bus_after(change(at_bus(once)))
    rise, back = once - start, once - twice
    between, moves = rise * back >= 0.0, absolute(rise + back) > 0.0
    chord = start + rise * clip(where(moves, rise, 0.0) / where(moves, rise + back, 1.0), 0.0, 1.0)
    return where(between, chord, twice)


def value_at(line: Line, change: Number) -> Number:
    """Value after a change of the speed [A] or [N·m]."""
    return line.value - line.fall * change


def within(line: Line, low: Line, high: Line, change: Number) -> Line:
    """The line that acts at a change of speed, of one that is kept between two others."""
    value = value_at(line, change)
    over, under = value > value_at(high, change), value < value_at(low, change)
    return Line(
        where(over, high.value, where(under, low.value, line.value)),
        where(over, high.fall, where(under, low.fall, line.fall)),
    )


def along_slant(line: Line, slant: Slant, change: Number) -> tuple[Line, Bits, Bits]:
    """The line that acts beside slanted bounds, as if they had no end, and where that is the upper or the lower one."""
    value = value_at(line, change)
    over = value > maximum(value_at(slant.high, change), slant.high_end)
    under = value < minimum(value_at(slant.low, change), slant.low_end)
    value = where(over, slant.high.value, where(under, slant.low.value, line.value))
    return Line(value, where(over, slant.high.fall, where(under, slant.low.fall, line.fall))), over, under


def torque_per_mean_ampere(motor: Motor, c: Circuit, lines: Lines) -> Number:
    """Torque per ampere of a step [N·m/A]: that of the current of its start, where the iron saturates.

    One for all lines, so that the higher current has the higher torque.
    """
    if motor.magnet.saturation is None:
        return torque_per_ampere(motor, 0.0, c.flux)
    return steepest_torque_per_ampere(motor, acting_line(lines, lambda line: 0.0).value, c.flux)


def command_line(supply: Supply | None, c: Circuit, demand: Demand, speed: Number, bus: Recorded) -> Line:
    """The line that the command asks for at the voltage of a battery; one that rises counts as flat."""
    emf = c.back_emf_constant * speed
    voltage, per_speed, _ = command_of(demand, c, emf)
    if supply is not None and supply.resistance is not None:
        voltage, per_speed = voltage * bus / supply.voltage, per_speed * bus / supply.voltage
    steady = steady_current(voltage, emf, c.resistance)
    fall = c.come_mean / c.resistance * (c.back_emf_constant - per_speed)
    return Line(mean_current(c, steady), maximum(fall, 0.0))


def bus_of_command(supply: Supply, c: Circuit, demand: Demand, speed: Number, change: Number) -> Number:
    """Bus of a battery of its own under a command after a change of the rotor's speed [V]."""
    emf = c.back_emf_constant * (speed + change)
    voltage, _, _ = command_of(after_change(demand, change), c, emf)
    return battery_bus(supply, c, duty(voltage, supply.voltage, commanded_duty(supply, demand)), 0.0, emf)


def mean_of(c: Circuit, current: Number) -> Number:
    """Mean current of a step that ends at a current [A]."""
    return mean_current(c, steady_for(c, current))


def slant_of(c: Circuit, bounds: SlantedBounds) -> Slant:
    """The lines of a pair of bounds of the current at the end of the step."""
    per_end = c.come_mean / c.come
    return Slant(
        Line(mean_of(c, bounds.low), per_end * bounds.low_fall),
        Line(mean_of(c, bounds.high), per_end * bounds.high_fall),
        mean_of(c, -bounds.floor),
        mean_of(c, bounds.floor),
        bounds.to_zero,
    )


def voltage_lines(
    supply: Supply | None, c: Circuit, demand: Demand, speed: Number, bus: Recorded
) -> tuple[tuple[Line, Line], ...]:
    """The lines of the lowest and the highest voltage that no current moves; `bus` is that of a shared battery [V]."""
    rest, conductance, fall = at_no_voltage(c, speed)
    limit = demand.voltage_limit
    if supply is None or supply.resistance is None:
        if supply is not None:
            most = largest_duty(supply, demand) * supply.voltage
            limit = most if limit is None else minimum(most, limit)
        return () if limit is None else (pair_around(rest, conductance * limit, fall),)
    # a bus that is fed back rises, the limit does not
    ends = () if limit is None else (pair_around(rest, conductance * limit, fall),)
    if supply.shared and bus is not None:
        return (pair_around(rest, conductance * commanded_duty(supply, demand) * bus, fall), *ends)
    return ends


def at_no_voltage(c: Circuit, speed: Number) -> tuple[Number, Number, Number]:
    """Mean current without a voltage [A], how it rises with one [A/V], and how it falls with speed [A·s/rad]."""
    conductance = c.come_mean / c.resistance
    rest = c.left_mean * c.current - c.back_emf_constant * speed * conductance
    return rest, conductance, conductance * c.back_emf_constant


def commanded_duty(supply: Supply, demand: Demand) -> Number:
    """Largest share of the bus that a command gets [1]; a voltage limit bounds the share of the battery's voltage."""
    most = largest_duty(supply, demand)
    return most if demand.voltage_limit is None else minimum(most, demand.voltage_limit / supply.voltage)


def pair_around(value: Number, reach: Number, fall: Number) -> tuple[Line, Line]:
    """Two lines that fall alike, as far below a value as above it."""
    return Line(value - reach, fall), Line(value + reach, fall)


def all_of_battery(supply: Supply, c: Circuit, demand: Demand, speed: Number) -> tuple[FullDuty, FullDuty]:
    """The lowest and the highest current that all of a battery of its own drives, from a rotor speed on."""
    most = commanded_duty(supply, demand)
    line, collapsed, whole = full_duty(supply, c, speed, -most)
    lowest = FullDuty(line, whole, collapsed)
    line, collapsed, whole = full_duty(supply, c, speed, most)
    return lowest, FullDuty(line, collapsed, whole)


def full_duty(supply: Supply, c: Circuit, speed: Number, share: Number) -> tuple[Line, Line, Line]:
    """The lines of the largest duty `share`: of a bus that gives way, of its last thousandth, and where it rises.

    With i = rest + g·share·bus and bus = V - r·share·i the first is (rest + g·share·V)/(1 + r·g·share²), which falls
    less with speed than at a bus that stays. A bus that nothing is fed back to does not rise above V.
    """
    rest, conductance, fall = at_no_voltage(c, speed)
    per_bus = conductance * share
    give = 1.0 + supply.resistance * share * per_bus
    line = Line((rest + per_bus * supply.voltage) / give, fall / give)
    collapsed = Line(rest + per_bus * (COLLAPSED * supply.voltage), fall)
    return line, collapsed, line if supply.regeneration else Line(rest + per_bus * supply.voltage, fall)
