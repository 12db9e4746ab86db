"""The magnet: torque from current, voltage from speed, weaker when hot and saturating at high current."""

from ..motor import Magnet, Saturation
from ..values import Number
from .limits import clip
from .ops import absolute, log2, maximum, sign, where


def flux(temperature: Number, m: Magnet) -> Number:
    """Flux relative to the reference temperature, 1 + αm(T - T0), never below 0 [1]."""
    return maximum(1.0 + m.temperature_coefficient * (temperature - m.reference_temperature), 0.0)


def back_emf(speed: Number, flux: Number, m: Magnet) -> Number:
    """Voltage the turning rotor induces, Ke·w [V]."""
    return m.back_emf_constant * flux * speed


def torque(current: Number, flux: Number, m: Magnet) -> Number:
    """Torque of a current, Kt·i [N·m]."""
    return m.torque_constant * flux * current


def saturating_torque(current: Number, flux: Number, m: Magnet, s: Saturation) -> Number:
    """Torque of a current where the iron saturates: linear to the knee, logarithmic beyond [N·m]."""
    beyond = maximum(absolute(current) - s.knee_current, 0.0)
    gained = s.torque * log2(1.0 + s.scale * beyond)
    return flux * (m.torque_constant * clip(current, -s.knee_current, s.knee_current) + sign(current) * gained)


def saturating_torque_slope(current: Number, flux: Number, m: Magnet, s: Saturation) -> Number:
    """Torque gained per ampere where the iron saturates [N·m/A]."""
    beyond = maximum(absolute(current) - s.knee_current, 0.0)
    logarithmic = s.torque * s.scale / (0.6931471805599453 * (1.0 + s.scale * beyond))
    return flux * where(beyond > 0.0, logarithmic, m.torque_constant)


def iron_heat(speed: Number, iron_loss: Number) -> Number:
    """Eddy-current and hysteresis loss, Kfe·w², which brakes with a torque of Kfe·w [W]."""
    return iron_loss * speed * speed
