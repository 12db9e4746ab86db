"""From the voltage command to the current: supply, winding, magnet and the drive's limits, composed.

Parts that are None are left out here, so that they cost nothing; the laws themselves know no None.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..motor import Motor
from . import state as names
from .limits import clip, derated_current, within_rate
from .magnet import back_emf, flux, saturating_torque, saturating_torque_slope, torque
from .ops import absolute, total, where
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
class Driven:
    """What the winding does over a step at a held rotor speed."""

    current: Any
    mean_current: Any
    torque: Any
    requested: Any
    slope: Any
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


def has_current_state(motor: Motor) -> bool:
    """Whether the current is remembered: for the inductance, or for a limit of its rate."""
    return motor.winding.inductance is not None or (motor.limits is not None and motor.limits.current_rate is not None)


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


def drive(motor: Motor, supply, state: State, command, speed, dt, mean_torque: bool) -> Driven:
    """Current and torque over a step at a held rotor speed.

    The torque is that of the mean current over the step, which is the exact impulse and makes power balance, or that
    of the current at its end, which is what simulators with a current state apply.
    """
    # the winding and the magnet at their temperature
    temperature = winding_temperature(motor, state)
    ohms = resistance(temperature, motor.winding)
    field = flux(temperature, motor.magnet)
    emf = back_emf(speed, field, motor.magnet)
    current = state.current if has_current_state(motor) else 0.0
    if motor.winding.inductance is not None:
        left, averaged = left_and_averaged(step_in_time_constants(ohms, dt, motor.winding))
    else:
        left, averaged = 0.0, 0.0

    # the bridge: command to duty to terminal voltage
    flags = 0
    bus, reach = command, None
    voltage = command
    if supply is not None:
        share = duty(command, supply.voltage, supply.modulation_limit)
        bus = supply.voltage
        if supply.resistance is not None:
            conductance = (1.0 - averaged) / ohms
            drawn = share * (current * averaged - emf * conductance)
            stiffness = share * share * conductance
            if supply.shared:
                # every motor counts, also where command and winding are one number for all of them
                drawn, stiffness = total(drawn), total(stiffness + 0.0 * drawn)
            bus = sagging_bus(supply.voltage, supply.resistance, drawn, stiffness)
            if not supply.regeneration:
                bus = where(bus > supply.voltage, supply.voltage, bus)
        voltage = share * bus
        reach = supply.modulation_limit * bus
        flags = flags + where(absolute(command) > supply.modulation_limit * supply.voltage, names.VOLTAGE, 0)

    # the current that this voltage would drive, and the one the limits allow
    steady = steady_current(voltage, emf, ohms)
    following = current_at_end(current, steady, left)
    unlimited = steady if supply is None else steady_current(command, emf, ohms)
    active = 1.0
    if motor.limits is not None:
        allowed = following
        if motor.limits.current_rate is not None:
            allowed = within_rate(allowed, current, motor.limits.current_rate, dt)
            flags = flags + where(absolute(allowed - following) > 0.0, names.RATE, 0)
        if motor.limits.rated_current is not None:
            highest = motor.limits.rated_current
            if motor.limits.derates:
                low = motor.limits.low_current
                start, end = motor.limits.derating_start, motor.limits.derating_end
                highest = derated_current(temperature, motor.limits.rated_current, low, start, end)
            capped = clip(allowed, -highest, highest)
            hit = absolute(capped - allowed) > 0.0
            flags = flags + where(hit, names.CURRENT, 0)
            if motor.limits.derates:
                lowered = absolute(allowed) < motor.limits.rated_current
                flags = flags + where(hit & lowered, names.DERATING, 0)
            allowed = capped
        # a drive limits current by lowering its voltage, as far as the bus reaches
        limited = absolute(allowed - following) > 0.0
        needed = voltage_for_current(allowed, current, emf, ohms, left)
        if reach is not None:
            needed = clip(needed, -reach, reach)
        voltage = where(limited, needed, voltage)
        steady = steady_current(voltage, emf, ohms)
        following = where(limited, current_at_end(current, steady, left), following)
        active = where(limited, 0.0, 1.0)

    mean = mean_current(current, steady, averaged)
    square = mean_square_current(current, steady, averaged, left)
    magnetic = 0.0
    if motor.winding.inductance is not None:
        # L·Δ(i²)/2dt, from the circuit's own balance so that powers add up to rounding
        magnetic = motor.winding.inductance * (following - current) * (following + current) / (2.0 * dt)
    # the torque, and how it falls with speed: through the share of the steady current that has come by now
    kept = averaged if mean_torque else left
    acting = mean if mean_torque else following
    per_ampere = torque_per_ampere(motor, acting, field)
    slope = active * per_ampere * motor.magnet.back_emf_constant * field * (1.0 - kept) / ohms
    power = voltage * mean

    # what the supply gives for it
    drawn_power = total(power) if supply is not None and supply.shared else power
    brake = 0.0
    if supply is not None and not supply.regeneration:
        brake = accepted(-drawn_power)
        drawn_power = accepted(drawn_power)
    if supply is not None and supply.resistance is not None and motor.limits is not None:
        # a limited current lets the battery sag by what it draws itself
        lowered = total(1.0 - active) if supply.shared else 1.0 - active
        bus = where(lowered > 0.0, bus_for_power(supply.voltage, supply.resistance, drawn_power), bus)
    amperes = mean if supply is None else bus_current(drawn_power, bus)
    return Driven(
        current=following,
        mean_current=mean,
        torque=torque_of(motor, acting, field),
        requested=torque_of(motor, current_at_end(current, unlimited, kept), field),
        slope=slope,
        voltage=voltage,
        back_emf=emf,
        electrical_power=power,
        copper_power=ohms * square,
        magnetic_power=magnetic,
        bus_voltage=bus,
        bus_current=amperes,
        brake_power=brake,
        limit=flags,
    )
