"""From the voltage command to the current: supply, winding, magnet and the drive's limits, composed.

Parts that are None are left out here, so that they cost nothing; the laws themselves know no None.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..motor import Motor
from ..parts import acts
from ..values import Bits, Maybe, Number, Recorded
from . import state as names
from .circuit import Circuit, end_current, mean_current, mean_square_current, steady_for, torque_of, torque_per_ampere
from .current_limits import CurrentBounds, acting_limits, current_bounds, has_current_limit
from .demand import Demand, command_of
from .limits import clip
from .ops import absolute, minimum, total, where
from .supply import COLLAPSED, Supply, accepted_power, bus_current, duty, sagging_bus
from .winding import steady_current


@dataclass(frozen=True)
class Driven:
    """What the winding does over a step at a held rotor speed."""

    current: Number
    mean_current: Number
    torque: Number
    requested: Number
    slope: Number
    stiffness: Number
    voltage: Number
    back_emf: Number
    electrical_power: Number
    copper_power: Number
    magnetic_power: Number
    bus_voltage: Number
    bus_current: Number
    brake_power: Number
    limit: Bits


@dataclass(frozen=True)
class Terminals:
    """What the bridge gives the winding at a bus voltage."""

    voltage: Number
    """Voltage at the terminals [V]."""
    duty: Recorded
    """Share of the bus that makes it, 0 where a limit fixes the voltage itself [1]; None without a supply."""
    steady: Number
    """Current that it would drive in the long run [A]."""
    current: Number
    """Current at the end of the step [A]."""
    follows: Number
    """1 where the voltage follows the command, 0 where a limit acts [1]."""
    at_bound: Number
    """1 where the current sits at one of its bounds, 0 where not [1]."""
    bound_slope: Number
    """How fast that bound falls with the rotor speed [A·s/rad]."""
    limit: Bits
    """Flags of the limits that act."""


ROUNDING = 1e-14
"""Share of the currents that add up by which their sum is off [1]."""
OVERDRAWN = 1e-6
"""Share of its voltage by which a battery gives less than is drawn where it cannot give more [1]."""
SHARED_PASSES = 2
"""Times that the bus of a shared battery is found anew from what the limits leave of each motor's voltage [1]."""


def has_current_state(motor: Motor, loop: bool = False) -> bool:
    """Whether the current is remembered: for the inductance, a limit of its rate, or a current loop."""
    limited = motor.limits is not None and motor.limits.current_rate is not None
    return loop or limited or acts(motor.winding, "inductance")


def largest_duty(supply: Supply, demand: Demand) -> Number:
    """Largest share of the bus that supply, firmware and the bridge's curve allow [1]."""
    if demand.full_share is not None:
        return demand.full_share
    return supply.modulation_limit if demand.duty_limit is None else minimum(supply.modulation_limit, demand.duty_limit)


def highest_voltage(
    supply: Supply | None, demand: Demand, c: Circuit, emf: Number, bus: Number, towards: Number
) -> Maybe:
    """Largest voltage that the bridge can give in the direction of another one [V]; None: any.

    A battery of its own sags or rises by what flows then; one that is shared has the voltage of `bus`.
    """
    if supply is None:
        return demand.voltage_limit
    most = largest_duty(supply, demand)
    if supply.resistance is not None and not supply.shared:
        share = where(towards < 0.0, -most + 0.0 * towards, most + 0.0 * towards)
        bus = battery_bus(supply, c, share, 0.0, emf)
    return most * bus if demand.voltage_limit is None else minimum(most * bus, demand.voltage_limit)


def terminals(
    supply: Supply | None, demand: Demand, bounds: CurrentBounds | None, c: Circuit, command: Number, emf: Number,
    bus: Number,
) -> Terminals:  # fmt: skip
    """What the bridge gives at a bus voltage: the command within the limits of voltage and current."""
    # in the precision of the batch, which plain numbers alone do not have
    none, all_of_it = 0.0 * (command + emf), 0.0 * (command + emf) + 1.0
    voltage, share, beyond = command, None, None
    if demand.voltage_limit is not None:
        voltage = clip(command, -demand.voltage_limit, demand.voltage_limit)
        beyond = absolute(command) > demand.voltage_limit
    if supply is not None:
        most = largest_duty(supply, demand)
        share, full = duty(voltage, supply.voltage, most), most * supply.voltage
        over = absolute(voltage) > full
        beyond = over if beyond is None else over | beyond
        voltage = clip(voltage, -full, full) if supply.resistance is None else share * bus
        if demand.voltage_limit is not None and supply.resistance is not None:
            # a bus that is fed back rises, the limit does not
            over = absolute(voltage) > demand.voltage_limit
            voltage = clip(voltage, -demand.voltage_limit, demand.voltage_limit)
            share, beyond = where(over, none, share), over | beyond
    steady = steady_current(voltage, emf, c.resistance)
    current = end_current(c, steady)
    follows = all_of_it if beyond is None else where(beyond, none, all_of_it)
    limit = 0 if beyond is None else where(beyond, names.VOLTAGE, 0)
    if bounds is None:
        return Terminals(voltage, share, steady, current, follows, none, 0.0, limit)

    # a drive limits current by lowering its voltage, as far as the bus reaches
    allowed = clip(current, bounds.low, bounds.high)
    acts = absolute(allowed - current) > 0.0
    if demand.off is not None:
        acts = acts | demand.off
    at_bound = where(acts, all_of_it, none)
    slope = where(allowed < current, bounds.high_slope + none, bounds.low_slope + none)
    size = absolute(voltage) + absolute(emf) + c.resistance * absolute(c.current)
    flags = acting_limits(bounds, current, allowed, ROUNDING * size / c.resistance)
    wanted = steady_for(c, allowed)
    needed = emf + c.resistance * wanted
    reach = highest_voltage(supply, demand, c, emf, bus, needed)
    if reach is not None:
        short = acts & (absolute(needed) > reach)
        full = where(needed < 0.0, -reach, reach)
        wanted = where(short, steady_current(full, emf, c.resistance), wanted)
        needed = where(short, full, needed)
        allowed = where(short, end_current(c, wanted), allowed)
        at_bound = where(short, none, at_bound)
        flags = flags | where(short, names.VOLTAGE, 0)
        if supply is not None:
            by_bus = short
            if demand.voltage_limit is not None:
                by_bus = short & (reach < demand.voltage_limit)
            most = largest_duty(supply, demand)
            share = where(acts, where(by_bus, where(needed < 0.0, -most, most) + none, none), share)
    return Terminals(
        voltage=where(acts, needed, voltage),
        duty=share,
        steady=where(acts, wanted, steady),
        current=where(acts, allowed, current),
        follows=where(acts, none, follows),
        at_bound=at_bound,
        bound_slope=slope,
        limit=limit | flags,
    )


def battery_bus(supply: Supply, c: Circuit, share: Number, fixed: Number, emf: Number) -> Number:
    """Bus voltage of a battery that feeds a duty of the bus, and a power that does not depend on it [V]."""
    # mean currents are affine in the voltage, i = a + g·v
    conductance = c.come_mean / c.resistance
    drawn = share * (c.left_mean * c.current - emf * conductance)
    stiffness = share * share * conductance
    if supply.shared:
        # every motor counts, also where command and winding are one number for all of them
        drawn, stiffness, fixed = total(drawn), total(stiffness + 0.0 * drawn), total(fixed + 0.0 * drawn)
    bus = sagging_bus(supply.voltage, supply.resistance, drawn, stiffness, fixed)
    return bus if supply.regeneration else where(bus > supply.voltage, supply.voltage, bus)


def found_bus(supply: Supply, c: Circuit, t: Terminals, emf: Number) -> Number:
    """Bus voltage of a battery that feeds what the terminals take [V]."""
    fixed = where(absolute(t.duty) > 0.0, 0.0 * t.voltage, t.voltage * mean_current(c, t.steady))
    return battery_bus(supply, c, t.duty, fixed, emf)


def find_bus(
    supply: Supply, demand: Demand, bounds: CurrentBounds | None, c: Circuit, command: Number, emf: Number
) -> tuple[Terminals, Number]:
    """Terminals and bus voltage of a battery that gives way.

    A motor with a battery of its own has the bus of its duty, or of the power that its limits leave. On one that is
    shared, what the limits leave of each motor changes the bus of all, so both are found in turn.
    """
    wanted = command
    if demand.voltage_limit is not None:
        wanted = clip(command, -demand.voltage_limit, demand.voltage_limit)
    share = duty(wanted, supply.voltage, largest_duty(supply, demand))
    bus = battery_bus(supply, c, share, 0.0, emf)
    t = terminals(supply, demand, bounds, c, command, emf, bus)
    if bounds is None and demand.voltage_limit is None:
        return t, bus
    bus = found_bus(supply, c, t, emf)
    if supply.shared:
        for _ in range(SHARED_PASSES):
            t = terminals(supply, demand, bounds, c, command, emf, bus)
            bus = found_bus(supply, c, t, emf)
        t = terminals(supply, demand, bounds, c, command, emf, bus)
        bus = overdrawn_bus(supply, demand, c, t, emf, bus)
        t = terminals(supply, demand, bounds, c, command, emf, bus)
        bus = found_bus(supply, c, t, emf)
        t = terminals(supply, demand, bounds, c, command, emf, bus)
    return t, bus


def overdrawn_bus(supply: Supply, demand: Demand, c: Circuit, t: Terminals, emf: Number, bus: Number) -> Number:
    """Bus voltage where limits leave several motors more power than their battery can give at any voltage [V].

    It gives way until those that draw a fixed power have all of the bus and still too little: then a duty is what they
    have. Elsewhere it is that of what the terminals take.
    """
    power = t.voltage * mean_current(c, t.steady)
    drawn = total(power) if supply.regeneration else accepted_power(total(power))
    lacks = supply.voltage - supply.resistance * drawn / bus < (1.0 - OVERDRAWN) * bus
    most = largest_duty(supply, demand)
    falls = lacks & (power > 0.0) & (absolute(t.duty) <= 0.0)
    share = where(falls, where(t.voltage < 0.0, -most, most), t.duty)
    fixed = where(absolute(share) > 0.0, 0.0 * power, power)
    return battery_bus(supply, c, share, fixed, emf)


def voltage_slope(
    supply: Supply, c: Circuit, share: Number, command_slope: Number, emf_slope: Number, bus: Number, mean: Number
) -> Number:
    """How fast the terminal voltage rises with speed or angle, of a duty that follows the command [V·s/rad] or [V/rad].

    A battery gives way as the current changes: with v = duty·bus, bus = V - r·duty·i and i = a + g·(v - emf),
    v'·(1 + r·g·duty²) = duty'·(bus - r·duty·i) + r·g·duty²·emf'. One that is shared is taken as it is.
    """
    rises = command_slope / supply.voltage
    if supply.resistance is None or supply.shared:
        return rises * bus
    give = supply.resistance * share * share * c.come_mean / c.resistance
    felt = (rises * (bus - supply.resistance * share * mean) + give * emf_slope) / (1.0 + give)
    gives_way = bus > COLLAPSED * supply.voltage
    if not supply.regeneration:
        gives_way = gives_way & (bus < supply.voltage)
    return where(gives_way, felt, rises * bus)


def bus_draw(supply: Supply, power: Number, bus: Number) -> tuple[Number, Number]:
    """Bus current and brake power of what the motor takes [A], [W]."""
    drawn = total(power) if supply.shared else power
    brake = 0.0
    if not supply.regeneration:
        brake, drawn = accepted_power(-drawn), accepted_power(drawn)
    return bus_current(drawn, bus), brake


def flags_when_off(flags: Bits, demand: Demand) -> Bits:
    """Flags of all limits that act; that of a bridge that is off is the bus that its diodes conduct to."""
    return demand.limit | where(demand.off, flags & names.VOLTAGE | names.OFF, flags)


def drive(
    motor: Motor, supply: Supply | None, c: Circuit, demand: Demand, speed: Number, dt: Number, mean_torque: bool
) -> Driven:
    """Current and torque over a step at a held rotor speed.

    The torque is that of the mean current over the step, which is the exact impulse and makes power balance, or that
    of the current at its end, which is what simulators with a current state apply.
    """
    emf = c.back_emf_constant * speed
    command, command_per_speed, command_per_angle = command_of(demand, c, emf)
    bounds = current_bounds(motor.limits, demand, c, dt) if has_current_limit(motor.limits, demand) else None

    # the bus and what the bridge makes of it
    if supply is None or supply.resistance is None:
        bus = command if supply is None else supply.voltage
        t = terminals(supply, demand, bounds, c, command, emf, bus)
    else:
        t, bus = find_bus(supply, demand, bounds, c, command, emf)

    # the torque, and how it falls with speed: through the share of the steady current that has come by now
    mean = mean_current(c, t.steady)
    acting, come = (mean, c.come_mean) if mean_torque else (t.current, c.come)
    per_ampere = torque_per_ampere(motor, acting, c.flux)
    per_volt = per_ampere * come / c.resistance
    rises, turns = t.follows * command_per_speed, t.follows * command_per_angle
    if supply is not None:
        rises = voltage_slope(supply, c, t.duty, rises, c.back_emf_constant, bus, mean)
        turns = voltage_slope(supply, c, t.duty, turns, 0.0, bus, mean)
    slope = per_volt * (1.0 - t.at_bound) * (c.back_emf_constant - rises)
    magnetic = 0.0
    if motor.winding.inductance is not None:
        magnetic = motor.winding.inductance * (t.current - c.current) * (t.current + c.current) / (2.0 * dt)
    power = t.voltage * mean
    amperes, brake = (mean, 0.0) if supply is None else bus_draw(supply, power, bus)
    unlimited = steady_current(command, emf, c.resistance)
    requested = mean_current(c, unlimited) if mean_torque else end_current(c, unlimited)
    if demand.off is not None:
        requested = where(demand.off, 0.0 * requested, requested)
    return Driven(
        current=t.current,
        mean_current=mean,
        torque=torque_of(motor, acting, c.flux),
        requested=torque_of(motor, requested, c.flux),
        slope=slope + per_ampere * (come / c.come) * t.at_bound * t.bound_slope,
        stiffness=-per_volt * turns,
        voltage=t.voltage,
        back_emf=emf,
        electrical_power=power,
        copper_power=c.resistance * mean_square_current(c, t.steady),
        magnetic_power=magnetic,
        bus_voltage=t.voltage if supply is None else bus,
        bus_current=amperes,
        brake_power=brake,
        limit=t.limit | demand.limit if demand.off is None else flags_when_off(t.limit, demand),
    )
