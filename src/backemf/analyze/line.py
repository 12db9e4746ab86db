"""The winding's straight line from stall to no load, at the joint: what simplified limits are made of."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..actuator.supply import Supply
from ..checks import Number
from ..motor import Motor
from ..parts import acts
from ..physics.circuit import torque_of
from ..physics.magnet import flux
from ..physics.winding import resistance
from .constants import no_load, plain
from .steady import drag_torque


@dataclass(frozen=True, kw_only=True)
class Line:
    """Figures of a motor at the joint, at a supply and a temperature, in size."""

    stall_torque: Number
    """Torque of the winding line at standstill while the motor drives, η·N·Kt·V/R [N·m]."""
    ideal_speed: Number
    """Speed at which the back-EMF is the whole voltage, V/(Ke·N) [rad/s]."""
    no_load_speed: Number
    """Speed at which drag and friction eat the torque, as datasheets print it [rad/s]."""
    limit_torque: Number | None
    """Torque of the current limit while the motor drives, η·N·τ(imax) [N·m]; None: no limit."""
    knee_speed: Number
    """Speed at which the current limit meets the line to the no-load speed [rad/s]; 0 where it does not."""
    drag: Number
    """Torque per speed of all drag, as a chord to the ideal speed, η·N²·drag/speed [N·m·s/rad]."""
    efficiency: Number
    """Of the gears while the motor drives η [1]."""
    back_efficiency: Number
    """Of the gears while the load drives [1]."""


def line_of(motor: Motor, supply: Supply, current_limit: Number | None, celsius: Number) -> Line:
    """The line of a motor on a supply [V] with a current limit [A] at a winding temperature [°C]."""
    # with the bridge at its limit d, a supply's own resistance acts like d²·Rs more in the winding
    share = supply.largest_share
    volts = share * supply.voltage
    ohms = resistance(celsius, motor.winding)
    if acts(supply, "resistance"):
        ohms = ohms + share * share * supply.resistance
    field = flux(celsius, motor.magnet)
    gears = motor.gearbox
    efficiency, back = (1.0, 1.0) if gears is None else (gears.efficiency, gears.back_efficiency)
    turns = np.abs(motor.ratio)
    stall = efficiency * turns * motor.magnet.torque_constant * field * volts / ohms
    ideal = volts / (motor.magnet.back_emf_constant * field)
    there = replace(motor, winding=replace(motor.winding, resistance=ohms, temperature_coefficient=0.0))
    top = no_load(there, volts, celsius)[0] / turns
    limit = None if current_limit is None else efficiency * turns * torque_of(motor, current_limit, field)
    return Line(
        stall_torque=plain(stall),
        ideal_speed=plain(ideal / turns),
        no_load_speed=plain(top),
        limit_torque=None if limit is None else plain(limit),
        knee_speed=plain(0.0 * top if limit is None else top * np.maximum(1.0 - limit / stall, 0.0)),
        drag=plain(efficiency * turns * turns * drag_torque(motor, ideal) / ideal),
        efficiency=efficiency,
        back_efficiency=back,
    )
