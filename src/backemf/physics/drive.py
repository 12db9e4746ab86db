"""From the voltage command to the current: supply, winding, magnet and the drive's limits, composed.

Parts that are None are left out here, so that they cost nothing; the laws themselves know no None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..motor import Limits, Motor
from . import state as names
from .limits import clip, derated_current, within_rate
from .magnet import back_emf, flux, saturating_torque, saturating_torque_slope, torque
from .ops import absolute, minimum, total, where
from .state import State
from .supply import accepted, bus_current, bus_for_power, duty, sagging_bus
from .winding import (
    current_at_end,
    left_and_averaged,
    mean_current,
    mean_square_current,
    resistance,
    steady_current,
    step_in_time_constants,
    voltage_for_current,
)


@dataclass(frozen=True)
class Demand:
    """What is asked of the drive."""

    voltage: Any
    """Voltage at the terminals [V]; None where a current loop decides it."""
    per_speed: Any = 0.0
    """How fast what is asked, voltage or current, rises with the rotor speed [V·s/rad] or [A·s/rad]."""
    per_angle: Any = 0.0
    """How fast what is asked rises with the rotor angle [V/rad] or [A/rad]."""
    current: Any = None
    """Current at the end of the step that a current loop aims at [A]; None where there is no such loop."""
    by_current: Any = None
    """Where the loop decides, of motors of which some get a voltage; None: everywhere."""
    current_limit: Any = None
    """Largest current in either direction that the firmware allows [A]; None: what the motor's limits allow."""
    low_current: Any = None
    """Lowest current that the demand allows [A]; None: no bound."""
    high_current: Any = None
    """Highest current that the demand allows [A]; None: no bound."""
    low_slope: Any = 0.0
    """How fast the lowest current falls with the rotor speed [A·s/rad]."""
    high_slope: Any = 0.0
    """How fast the highest current falls with the rotor speed [A·s/rad]."""
    voltage_limit: Any = None
    """Largest voltage of the drive in either direction [V]; None: what the supply has."""
    limit: Any = 0
    """Limits that already act in front of the drive."""


@dataclass(frozen=True)
class Driven:
    """What the winding does over a step at a held rotor speed."""

    current: Any
    mean_current: Any
    torque: Any
    requested: Any
    slope: Any
    stiffness: Any
    voltage: Any
    back_emf: Any
    electrical_power: Any
    copper_power: Any
    magnetic_power: Any
    bus_voltage: Any
    bus_current: Any
    brake_power: Any
    limit: Any


def winding_temperature(motor: Motor, state: State):
    """Temperature of the winding at the start of the step [°C]; without a thermal model, that of the data."""
    if motor.thermal is None:
        return motor.winding.reference_temperature
    return motor.thermal.ambient + state.winding_rise


def housing_temperature(motor: Motor, state: State):
    """Temperature of the housing [°C]; None where there is no such state."""
    if motor.thermal is None or state.housing_rise is None:
        return None
    return motor.thermal.ambient + state.housing_rise


def has_current_state(motor: Motor, loop: bool = False) -> bool:
    """Whether the current is remembered: for the inductance, a limit of its rate, or a current loop."""
    limited = motor.limits is not None and motor.limits.current_rate is not None
    return loop or limited or motor.winding.inductance is not None


def torque_of(motor: Motor, current, field):
    """Torque of a current, saturation included where there is one [N·m]."""
    if motor.magnet.saturation is None:
        return torque(current, field, motor.magnet)
    return saturating_torque(current, field, motor.magnet, motor.magnet.saturation)


def torque_per_ampere(motor: Motor, current, field):
    """Slope of the torque over the current [N·m/A]."""
    if motor.magnet.saturation is None:
        return motor.magnet.torque_constant * field
    return saturating_torque_slope(current, field, motor.magnet, motor.magnet.saturation)


def bridge(supply, command, current, emf, ohms, averaged):
    """Terminal voltage, bus voltage, the reach of the bridge and the flag of its limit."""
    if supply is None:
        return command, command, None, 0
    share = duty(command, supply.voltage, supply.modulation_limit)
    bus = supply.voltage
    if supply.resistance is not None:
        # mean currents are affine in the voltage, i = a + g·v
        conductance = (1.0 - averaged) / ohms
        drawn = share * (current * averaged - emf * conductance)
        stiffness = share * share * conductance
        if supply.shared:
            # every motor counts, also where command and winding are one number for all of them
            drawn, stiffness = total(drawn), total(stiffness + 0.0 * drawn)
        bus = sagging_bus(supply.voltage, supply.resistance, drawn, stiffness)
        if not supply.regeneration:
            bus = where(bus > supply.voltage, supply.voltage, bus)
    beyond = absolute(command) > supply.modulation_limit * supply.voltage
    return share * bus, bus, supply.modulation_limit * bus, where(beyond, names.VOLTAGE, 0)


def allowed_current(limits: Limits, temperature, current, following, dt):
    """The current at the end of the step that the drive allows, and the flags of its limits."""
    allowed, flags = following, 0
    if limits.current_rate is not None:
        allowed = within_rate(allowed, current, limits.current_rate, dt)
        flags = flags + where(absolute(allowed - following) > 0.0, names.RATE, 0)
    if limits.rated_current is None:
        return allowed, flags
    highest = limits.rated_current
    if limits.derates:
        start, end = limits.derating_start, limits.derating_end
        highest = derated_current(temperature, limits.rated_current, limits.low_current, start, end)
    capped = clip(allowed, -highest, highest)
    hit = absolute(capped - allowed) > 0.0
    flags = flags + where(hit, names.CURRENT, 0)
    if limits.derates:
        flags = flags + where(hit & (absolute(allowed) < limits.rated_current), names.DERATING, 0)
    return capped, flags


def within_voltage(demand: Demand, command):
    """The voltage within the limit of the demand, and the flag of that limit."""
    if demand.voltage_limit is None:
        return command, 0
    beyond = absolute(command) > demand.voltage_limit
    return clip(command, -demand.voltage_limit, demand.voltage_limit), where(beyond, names.VOLTAGE, 0)


def within_bounds(demand: Demand, allowed):
    """The current within the bounds of the demand, and the flags of those limits."""
    flags = 0
    if demand.low_current is not None:
        bounded = clip(allowed, demand.low_current, demand.high_current)
        flags = where(absolute(bounded - allowed) > 0.0, names.TORQUE, 0)
        allowed = bounded
    if demand.current_limit is not None:
        bounded = clip(allowed, -demand.current_limit, demand.current_limit)
        flags = flags | where(absolute(bounded - allowed) > 0.0, names.CURRENT, 0)
        allowed = bounded
    return allowed, flags


def drawn_from(supply, power, bus, limited):
    """Bus voltage, bus current and brake power of what the motor takes [V], [A], [W]."""
    drawn = total(power) if supply.shared else power
    brake = 0.0
    if not supply.regeneration:
        brake, drawn = accepted(-drawn), accepted(drawn)
    if supply.resistance is not None and limited is not None:
        # a limited current lets the battery sag by what it draws itself
        lowered = total(limited) if supply.shared else limited
        bus = where(lowered > 0.0, bus_for_power(supply.voltage, supply.resistance, drawn), bus)
    return bus, bus_current(drawn, bus), brake


def loop_voltage(demand: Demand, current, emf, ohms, left, back_emf_constant):
    """Voltage of a current loop, and how it rises with the rotor's speed and angle."""
    voltage = voltage_for_current(demand.current, current, emf, ohms, left)
    if demand.by_current is not None:
        per_speed = where(demand.by_current, back_emf_constant + 0.0 * voltage, demand.per_speed)
        return where(demand.by_current, voltage, demand.voltage), per_speed, demand.per_angle
    # the loop makes up for all of the back-EMF, and turns a change of its aim into volts
    per_ampere = ohms / (1.0 - left)
    return voltage, back_emf_constant + per_ampere * demand.per_speed, per_ampere * demand.per_angle


def drive(motor: Motor, supply, state: State, demand: Demand, speed, dt, mean_torque: bool) -> Driven:
    """Current and torque over a step at a held rotor speed.

    The torque is that of the mean current over the step, which is the exact impulse and makes power balance, or that
    of the current at its end, which is what simulators with a current state apply.
    """
    # the winding and the magnet at their temperature
    temperature = winding_temperature(motor, state)
    ohms = resistance(temperature, motor.winding)
    field = flux(temperature, motor.magnet)
    emf = back_emf(speed, field, motor.magnet)
    current = 0.0 if state.current is None else state.current
    left, averaged = 0.0, 0.0
    if motor.winding.inductance is not None:
        left, averaged = left_and_averaged(step_in_time_constants(ohms, dt, motor.winding))

    # a current loop finds the voltage that brings the current where it aims
    command, command_per_speed, command_per_angle = demand.voltage, demand.per_speed, demand.per_angle
    if demand.current is not None:
        constant = motor.magnet.back_emf_constant * field
        command, command_per_speed, command_per_angle = loop_voltage(demand, current, emf, ohms, left, constant)

    # the voltage of the bridge, the current that it would drive, and the one without any limit
    unlimited = steady_current(command, emf, ohms)
    command, within = within_voltage(demand, command)
    voltage, bus, reach, flags = bridge(supply, command, current, emf, ohms, averaged)
    flags = flags | within
    if demand.voltage_limit is not None:
        reach = demand.voltage_limit if reach is None else minimum(reach, demand.voltage_limit)
    steady = steady_current(voltage, emf, ohms)
    following = current_at_end(current, steady, left)

    # a drive limits current by lowering its voltage, as far as the bus reaches
    limited, following_speed, following_command, of_bound = None, 1.0, 1.0, 0.0
    # in the precision of the batch, which plain numbers alone do not have
    none, all_of_it = 0.0 * following, 0.0 * following + 1.0
    if supply is not None or demand.voltage_limit is not None:
        following_command = where(flags > 0, none, all_of_it)
    if motor.limits is not None or demand.low_current is not None or demand.current_limit is not None:
        allowed, hit = following, 0
        if motor.limits is not None:
            allowed, hit = allowed_current(motor.limits, temperature, current, following, dt)
        allowed, bounded = within_bounds(demand, allowed)
        flags = flags | hit | bounded
        acts = absolute(allowed - following) > 0.0
        if demand.low_current is not None:
            # a current at a bound falls with speed as the bound does
            slope = where(following > allowed, demand.high_slope, demand.low_slope)
            of_bound = where(bounded == names.TORQUE, slope, none)
        needed = voltage_for_current(allowed, current, emf, ohms, left)
        voltage = where(acts, needed if reach is None else clip(needed, -reach, reach), voltage)
        steady = steady_current(voltage, emf, ohms)
        following = where(acts, current_at_end(current, steady, left), following)
        limited, following_speed = where(acts, all_of_it, none), where(acts, none, all_of_it)

    # the torque, and how it falls with speed: through the share of the steady current that has come by now
    mean = mean_current(current, steady, averaged)
    acting, kept = (mean, averaged) if mean_torque else (following, left)
    per_volt = torque_per_ampere(motor, acting, field) * (1.0 - kept) / ohms * following_speed
    per_speed = motor.magnet.back_emf_constant * field - following_command * command_per_speed
    magnetic = 0.0
    if motor.winding.inductance is not None:
        magnetic = motor.winding.inductance * (following - current) * (following + current) / (2.0 * dt)
    power = voltage * mean
    bus, amperes, brake = (bus, mean, 0.0) if supply is None else drawn_from(supply, power, bus, limited)
    return Driven(
        current=following,
        mean_current=mean,
        torque=torque_of(motor, acting, field),
        requested=torque_of(motor, current_at_end(current, unlimited, kept), field),
        slope=per_volt * per_speed + torque_per_ampere(motor, acting, field) * of_bound,
        stiffness=-per_volt * following_command * command_per_angle,
        voltage=voltage,
        back_emf=emf,
        electrical_power=power,
        copper_power=ohms * mean_square_current(current, steady, averaged, left),
        magnetic_power=magnetic,
        bus_voltage=bus,
        bus_current=amperes,
        brake_power=brake,
        limit=flags | demand.limit,
    )
