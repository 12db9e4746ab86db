"""The winding: v = L·di/dt + R(T)·i + Ke·w. `circuit.py` steps it exactly while v and w are held over the step."""

from ..motor import Winding
from ..values import Number
from .ops import maximum


def resistance(temperature: Number, w: Winding) -> Number:
    """Resistance of the copper at a winding temperature, R0·(1 + α(T - T0)) [Ω]."""
    return w.resistance * (1.0 + w.temperature_coefficient * (temperature - w.reference_temperature))


def step_in_time_constants(resistance: Number, dt: Number, w: Winding) -> Number:
    """dt/te with te = L/R(T): the inductance is what stays, so a hot winding is faster [1]."""
    return dt * resistance / maximum(w.inductance, 1e-30)


def steady_current(voltage: Number, back_emf: Number, resistance: Number) -> Number:
    """Current that flows once di/dt = 0, (v - Ke·w)/R [A]."""
    return (voltage - back_emf) / resistance
