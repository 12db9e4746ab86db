"""What a motor remembers from step to step, and what a step answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..tree import kind_of_numbers

Array = Any
"""A number or an array of any engine; None where there is no such state."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class State:
    """The memory of a motor: flat arrays of the batch's shape; None where the motor has no such state."""

    current: Array = None
    """Winding current [A]."""
    winding_rise: Array = None
    """Winding temperature above ambient [K]."""
    housing_rise: Array = None
    """Housing temperature above ambient [K]."""
    bristle: Array = None
    """Bending of the friction bristles [rad]."""
    gap: Array = None
    """Rotor angle ahead of the gears, on the motor side, within ± half the play [rad]."""
    rotor_speed: Array = None
    """Rotor speed where backlash lets it differ from the joint's [rad/s]."""


VOLTAGE, CURRENT, RATE, DERATING = 1, 2, 4, 8
"""Bits of `Output.limit`: the bus voltage, the current limit, the current rate, a current limit lowered by heat."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Output:
    """What a motor does over a step: the torque and the telemetry.

    Powers are exact means over the step. They balance to rounding:
    electrical = copper + magnetic + conversion + iron + drag + friction + bristle + gear + rotor + mechanical
    - cogging - numerical. A value that is the same for the whole batch may be a plain number.
    """

    torque: Array
    """Torque on the joint [N·m]."""
    torque_requested: Array
    """Torque on the joint if no limit acted [N·m]."""
    torque_slope: Array
    """How fast the torque falls with joint speed, -d(torque)/d(speed), never negative [N·m·s/rad]."""
    motor_torque: Array
    """Electromagnetic torque on the rotor [N·m]: at the end of the step for a host, its mean in `simulate`."""
    voltage: Array
    """Voltage at the terminals [V]."""
    current: Array
    """Winding current at the end of the step [A]."""
    back_emf: Array
    """Induced voltage [V]."""
    winding_temperature: Array
    """Winding temperature at the end of the step [°C]."""
    housing_temperature: Array
    """Housing temperature at the end of the step [°C]."""
    rotor_speed: Array
    """Speed of the rotor [rad/s]."""
    electrical_power: Array
    """Power into the terminals [W]."""
    copper_power: Array
    """Heat in the winding [W]."""
    iron_power: Array
    """Heat in the iron [W]."""
    magnetic_power: Array
    """Power into the field of the inductance [W]."""
    conversion_power: Array
    """Power that the back-EMF takes and the torque does not give [W]: Kt below Ke, saturation, and for a host also the
    torque being that of the current at the end of the step."""
    drag_power: Array
    """Heat of viscous drag [W]."""
    friction_power: Array
    """Heat of dry friction [W]."""
    bristle_power: Array
    """Power into the bent bristles [W]."""
    cogging_power: Array
    """Power the cogging torque gives [W]."""
    gear_power: Array
    """Heat of the gears [W]."""
    rotor_power: Array
    """Power into the kinetic energy of a rotor that backlash lets go [W]; otherwise the rotor counts as load."""
    mechanical_power: Array
    """Power into the joint [W]."""
    numerical_power: Array
    """Power by which the linearised step of `simulate` misses the laws; 0 when a host integrates [W]."""
    bus_voltage: Array
    """Voltage of the supply's terminals [V]."""
    bus_current: Array
    """Current out of the supply [A]."""
    brake_power: Array
    """Power that a supply without regeneration burns in its brake resistor [W]."""
    limit: Array
    """Which limits act: sum of VOLTAGE = 1, CURRENT = 2, RATE = 4, DERATING = 8."""
