"""The circuit over one step: the winding and the magnet at their temperature, and what a voltage makes of the current.

Everything here is the same at every speed, so that a step finds it once.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..motor import Motor
from ..values import Maybe, Number, Recorded
from .exact import decay, rise, rise_mean
from .magnet import flux, saturating_torque, saturating_torque_slope, torque
from .ops import absolute, expm1, maximum, sign, where
from .state import State
from .winding import resistance, step_in_time_constants


@dataclass(frozen=True)
class Circuit:
    """Winding and magnet during a step. A steady current s makes i(end) = left·i + come·s, and its mean likewise."""

    temperature: Number
    """Winding temperature [°C]."""
    resistance: Number
    """Resistance at that temperature [Ω]."""
    flux: Number
    """Flux of the magnet relative to its reference [1]."""
    back_emf_constant: Number
    """Volts per rotor speed at that flux [V·s/rad]."""
    current: Number
    """Current at the start of the step [A]."""
    left: Number
    """Share of it that is left at the end [1]."""
    come: Number
    """Share of the steady current that has come by then [1]."""
    left_mean: Number
    """Share of the current at the start in the mean over the step [1]."""
    come_mean: Number
    """Share of the steady current in that mean [1]."""


def circuit_of(motor: Motor, state: State, dt: Number) -> Circuit:
    """The circuit of a motor in a step."""
    temperature = winding_temperature(motor, state)
    ohms, field = resistance(temperature, motor.winding), flux_of(motor, state)
    current = 0.0 if state.current is None else state.current
    shares = (0.0, 1.0, 0.0, 1.0)
    if motor.winding.inductance is not None:
        u = step_in_time_constants(ohms, dt, motor.winding)
        shares = (decay(u), -expm1(-u), rise(u), u * rise_mean(u))
    return Circuit(temperature, ohms, field, motor.magnet.back_emf_constant * field, current, *shares)


def winding_temperature(motor: Motor, state: State) -> Number:
    """Temperature of the winding at the start of the step [°C]; without a thermal model, that of the data."""
    if motor.thermal is None:
        return motor.winding.reference_temperature
    return motor.thermal.ambient + state.winding_rise


def flux_of(motor: Motor, state: State) -> Number:
    """Flux of the magnet relative to its data [1]; without a thermal model nothing is warmer than the data."""
    return 1.0 if motor.thermal is None else flux(winding_temperature(motor, state), motor.magnet)


def housing_temperature(motor: Motor, state: State) -> Maybe:
    """Temperature of the housing [°C]; None where there is no such state."""
    if motor.thermal is None or state.housing_rise is None:
        return None
    return motor.thermal.ambient + state.housing_rise


def measured_temperature(motor: Motor, state: State) -> Maybe:
    """What the thermistor reads [°C]; None where there is none."""
    if motor.thermistor is None or motor.thermal is None:
        return None
    if state.sensor_rise is not None:
        return motor.thermal.ambient + state.sensor_rise
    return motor.thermal.ambient + copper_rise(state, state.winding_rise)


def copper_rise(state: State, winding_rise: Recorded) -> Recorded:
    """Rise of the copper at the thermistor above ambient, of a winding with this mean rise [K]."""
    return winding_rise if state.phase_rise is None else winding_rise + state.phase_rise


def end_current(c: Circuit, steady: Number) -> Number:
    """Current at the end of the step [A]."""
    return c.left * c.current + c.come * steady


def mean_current(c: Circuit, steady: Number) -> Number:
    """Current averaged over the step [A]."""
    return c.left_mean * c.current + c.come_mean * steady


def steady_for(c: Circuit, target: Number) -> Number:
    """Steady current that brings the current to a target at the end of the step [A]."""
    return (target - c.left * c.current) / c.come


def mean_square_current(c: Circuit, steady: Number) -> Number:
    """Squared current averaged over the step, which is what heats [A²].

    With x = t/te it is the mean of (i·exp(-x) + s·(1 - exp(-x)))², without a difference of large numbers.
    """
    crossed, half = c.left_mean * c.come, 0.5 * c.left_mean
    of_start = (half + half * c.left) * c.current
    square = c.current * (of_start + crossed * steady) + (c.come_mean - 0.5 * crossed) * steady * steady
    return maximum(square, 0.0)


def torque_of(motor: Motor, current: Number, field: Number) -> Number:
    """Torque of a current, saturation included where there is one [N·m]."""
    if motor.magnet.saturation is None:
        return torque(current, field, motor.magnet)
    return saturating_torque(current, field, motor.magnet, motor.magnet.saturation)


def current_for(motor: Motor, torque: Number, field: Number) -> Number:
    """Current that makes a torque, saturation included: the inverse of `torque_of` [A].

    Beyond the knee, torque·log2(1 + scale·x) is what is gained by x more amperes.
    """
    linear = torque / (motor.magnet.torque_constant * field)
    s = motor.magnet.saturation
    if s is None:
        return linear
    gained = absolute(torque) / field - motor.magnet.torque_constant * s.knee_current
    beyond = expm1(0.6931471805599453 * maximum(gained, 0.0) / s.torque) / s.scale
    return where(gained > 0.0, sign(torque) * (s.knee_current + beyond), linear)


def torque_per_ampere(motor: Motor, current: Number, field: Number) -> Number:
    """Slope of the torque over the current [N·m/A]."""
    if motor.magnet.saturation is None:
        return motor.magnet.torque_constant * field
    return saturating_torque_slope(current, field, motor.magnet, motor.magnet.saturation)


def steepest_torque_per_ampere(motor: Motor, current: Number, field: Number) -> Number:
    """Torque per ampere with which a step may follow the current without passing zero [N·m/A].

    Where the iron saturates, that is the line to the origin, or the slope if that is steeper.
    """
    slope = torque_per_ampere(motor, current, field)
    if motor.magnet.saturation is None:
        return slope
    flows = absolute(current) > 0.0
    return maximum(where(flows, torque_of(motor, current, field) / where(flows, current, 1.0), slope), slope)
