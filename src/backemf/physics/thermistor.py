"""What a thermistor in the winding reads: the phase that it sits in, and its own lag; both stepped exactly.

States are rises [K]: of that phase above the mean of the winding, and of the sensor above ambient.
"""

from ..motor.thermistor import PhaseHeat, Thermistor
from ..values import Number
from .exact import decay, rise, rise_mean
from .ops import absolute, cos, maximum, sin, where


def uneven_heat(copper: Number, angle: Number, speed: Number, dt: Number, p: PhaseHeat) -> Number:
    """Copper heat of the sensor's phase above its even share, if all phases had as much [W].

    The mean over a step in which the rotor turns on from an angle: cos(2·pole_pairs·angle + phase) halfway, times
    sin(x)/x with x = pole_pairs·speed·dt.
    """
    half = p.pole_pairs * speed * dt
    small = absolute(half) < 1e-3
    evened = where(small, 1.0 - half * half / 6.0, sin(half) / where(small, 1.0, half))
    return -p.modulation * copper * evened * cos(2.0 * p.pole_pairs * angle + p.phase + half)


def phase_rise_after(
    phase_rise: Number, heat: Number, dt: Number, resistance: Number, capacitance: Number, p: PhaseHeat
) -> Number:
    """Rise of the sensor's phase above the winding after a step: C·dT/dt = P - T·(1/R + exchange) [K]."""
    u = dt * (1.0 / resistance + p.exchange) / capacitance
    return phase_rise * decay(u) + heat * dt / capacitance * rise(u)


def sensor_rise_after(sensor_rise: Number, before: Number, after: Number, dt: Number, t: Thermistor) -> Number:
    """Rise of a sensor that lags behind copper whose rise goes evenly from one value to another [K]."""
    u = dt / maximum(t.time_constant, 1e-30)
    late = u * rise_mean(u)
    return sensor_rise * decay(u) + before * (u * rise(u) - late) + after * late
