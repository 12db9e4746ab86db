"""Defaults of arguments, taken from the motor; an error names what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..actuator.supply import Supply
from ..checks import ABSOLUTE_ZERO, Number
from ..errors import ParameterError
from ..motor import Motor, Thermal, TwoNodeThermal
from ..physics.limits import derated_current
from ..values import Maybe


def array(value: Maybe) -> np.ndarray:
    """The value as an array of floats."""
    return np.asarray(value, dtype=float)


def finite(name: str, value: Number) -> np.ndarray:
    """The value as an array of floats, all of them finite."""
    known = array(value)
    if not np.isfinite(known).all():
        raise ParameterError(f"{name} = {value}: must be a finite number")
    return known


def positive(name: str, value: Number) -> np.ndarray:
    """The value as an array of floats, all of them finite and greater than 0."""
    known = finite(name, value)
    if (known <= 0.0).any():
        raise ParameterError(f"{name} = {value}: must be greater than 0")
    return known


def _given_or_rated(motor: Motor, name: str, value: Number | None, rating: str) -> np.ndarray:
    """The value of an argument, or the motor's rating."""
    if value is not None:
        return finite(name, value)
    rated = None if motor.ratings is None else getattr(motor.ratings, rating)
    if rated is None:
        raise ParameterError(f"Motor.ratings has no {rating}: give {name}= or Ratings({rating}=...)")
    return array(rated)


def voltage_of(motor: Motor, voltage: Number | None) -> np.ndarray:
    """The voltage asked for, or the rated one [V]."""
    return _given_or_rated(motor, "voltage", voltage, "voltage")


def supply_of(motor: Motor, supply: Supply | Number | None) -> Supply:
    """The supply asked for; a number is its voltage, None the rated voltage."""
    return supply if isinstance(supply, Supply) else Supply(voltage=voltage_of(motor, supply))


def temperature_of(motor: Motor, temperature: Number | None) -> np.ndarray:
    """The winding temperature asked for, or the one of the data [°C]."""
    winding = motor.winding
    known = finite("temperature", winding.reference_temperature if temperature is None else temperature)
    factor = 1.0 + winding.temperature_coefficient * (known - winding.reference_temperature)
    if (known < ABSOLUTE_ZERO).any() or (factor <= 0.0).any():
        raise ParameterError(f"temperature = {temperature} °C: so cold a winding has no resistance; raise it")
    return known


def limit_of(motor: Motor, limit: Number | None) -> np.ndarray:
    """The hottest winding asked for, or the rated one [°C]."""
    return _given_or_rated(motor, "limit", limit, "winding_temperature")


def thermal_of(motor: Motor) -> Thermal | TwoNodeThermal:
    """The thermal model, which must be there."""
    if motor.thermal is None:
        raise ParameterError("Motor.thermal is None: give thermal figures, Thermal(...) or TwoNodeThermal(...)")
    return motor.thermal


def current_limit_of(motor: Motor, current_limit: Number | None, temperature: Number) -> np.ndarray | None:
    """The current limit asked for, or the drive's at this winding temperature [A]; None: there is none."""
    if current_limit is not None:
        return positive("current_limit", current_limit)
    limits = motor.limits
    if limits is None or limits.rated_current is None:
        return None
    if not limits.derates:
        return array(limits.rated_current)
    bounds: Any = (limits.low_current, limits.derating_start, limits.derating_end)
    return array(derated_current(temperature, limits.rated_current, *bounds))
