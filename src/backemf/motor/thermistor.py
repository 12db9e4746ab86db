"""The temperature sensor in the winding, and the phase that it sits in."""

from __future__ import annotations

from ..checks import Number
from ..parts import number, one, part


@part
class PhaseHeat:
    """Copper heat that is not spread evenly: a three-phase motor that stands still heats some phases more than others.

    The phase at the sensor gets 1 - modulation·cos(2·pole_pairs·rotor angle + phase) times its even share. All phases
    together get the same heat at any angle, and a motor that turns fast heats them alike.
    """

    pole_pairs: Number = number("1", above=0.0)
    """Electrical turns per turn of the rotor."""
    modulation: Number = number("1", default=1.0, least=0.0, most=1.0)
    """How uneven the heat is at the sensor; 1: one phase alone, 0: it sees all phases alike."""
    phase: Number = number("rad", default=0.0)
    """Phase of the cosine at rotor angle 0."""
    exchange: Number = number("W/K", default=0.0, least=0.0)
    """Heat that flows between the phases per difference of their temperatures, besides that to the housing."""


@part
class Thermistor:
    """The sensor whose temperature a drive reports, `Output.measured_temperature`. Nothing else depends on it."""

    time_constant: Number = number("s", default=0.0, least=0.0, neutral=0.0)
    """Time by which it lags behind the copper; 0: it does not."""
    phase_heat: PhaseHeat | None = one(PhaseHeat, default=None)
    """How the phase at the sensor is heated; None: as the whole winding is."""
