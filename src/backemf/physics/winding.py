"""The winding: v = L·di/dt + R(T)·i + Ke·w, stepped exactly while v and w are held over the step."""

from ..motor import Winding
from .exact import decay, rise
from .ops import maximum


def resistance(temperature: float, w: Winding) -> float:
    """Resistance of the copper at a winding temperature, R0·(1 + α(T - T0)) [Ω]."""
    return w.resistance * (1.0 + w.temperature_coefficient * (temperature - w.reference_temperature))


def step_in_time_constants(resistance: float, dt: float, w: Winding) -> float:
    """dt/te with te = L/R(T): the inductance is what stays, so a hot winding is faster [1]."""
    return dt * resistance / maximum(w.inductance, 1e-30)


def steady_current(voltage: float, back_emf: float, resistance: float) -> float:
    """Current that flows once di/dt = 0, (v - Ke·w)/R [A]."""
    return (voltage - back_emf) / resistance


def current_at_end(current: float, steady: float, left: float) -> float:
    """Current at the end of the step; `left` is exp(-dt/te) [A]."""
    return steady + (current - steady) * left


def mean_current(current: float, steady: float, averaged: float) -> float:
    """Current averaged over the step; `averaged` is (1 - exp(-dt/te))·te/dt [A]."""
    return steady + (current - steady) * averaged


def mean_square_current(current: float, steady: float, averaged: float, left: float) -> float:
    """Squared current averaged over the step, which is what heats [A²]."""
    swing = current - steady
    twice = 0.5 * averaged * (1.0 + left)
    return maximum(steady * steady + 2.0 * steady * swing * averaged + swing * swing * twice, 0.0)


def voltage_for_current(target: float, current: float, back_emf: float, resistance: float, left: float) -> float:
    """Voltage that brings the current to `target` at the end of the step: how a drive limits current [V]."""
    return back_emf + resistance * (target - current * left) / (1.0 - left)


def left_and_averaged(u: float) -> tuple[float, float]:
    """exp(-u) and its mean over the step for u = dt/te [1]."""
    return decay(u), rise(u)
