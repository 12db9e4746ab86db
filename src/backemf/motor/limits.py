"""Limits that the drive enforces, and ratings by the maker."""

from __future__ import annotations

from ..checks import ABSOLUTE_ZERO, Maybe, concrete
from ..errors import ParameterError
from ..parts import number, part


@part
class Limits:
    """What the drive allows. It limits the current itself, so the heat follows."""

    continuous_current: Maybe = number("A", default=None, above=0.0)
    """Continuous current."""
    peak_current: Maybe = number("A", default=None, above=0.0)
    """Current allowed while the winding is cooler than `derating_start`."""
    current_rate: Maybe = number("A/s", default=None, above=0.0)
    """Fastest change of the current."""
    derating_start: Maybe = number("°C", default=None)
    """Winding temperature at which the limit begins to fall."""
    derating_end: Maybe = number("°C", default=None)
    """Winding temperature at which the limit has fallen to its low value."""
    safe_current: Maybe = number("A", default=None, least=0.0)
    """Low value of the limit when hot; None: the continuous current."""

    def __post_init__(self) -> None:
        if (self.derating_start is None) != (self.derating_end is None):
            raise ParameterError("Limits: derating_start and derating_end are given together or not at all")
        start, end = concrete(self.derating_start), concrete(self.derating_end)
        if start is not None and end is not None and (end <= start).any():
            raise ParameterError(
                f"Limits.derating_end = {self.derating_end} °C must be above derating_start = {self.derating_start} °C"
            )
        if self.derates and (self.rated_current is None or self.low_current is None):
            raise ParameterError(
                "Limits: derating needs a current when cool (peak_current or continuous_current) "
                "and one when hot (safe_current, or continuous_current beside peak_current)"
            )
        if not self.derates:
            if self.safe_current is not None:
                raise ParameterError(
                    f"Limits.safe_current = {self.safe_current} A would never take effect: "
                    "give derating_start and derating_end"
                )
            if self.peak_current is not None and self.continuous_current is not None:
                raise ParameterError(
                    "Limits: a peak_current beside a continuous_current needs derating_start and derating_end, "
                    "the winding temperatures between which one gives way to the other"
                )
        high, low = concrete(self.rated_current), concrete(self.low_current)
        if self.derates and high is not None and low is not None and (low > high).any():
            raise ParameterError(
                f"Limits: the current when hot, {self.low_current} A, "
                f"is above the current when cool, {self.rated_current} A"
            )

    @property
    def derates(self) -> bool:
        """Whether the current limit falls with the winding temperature."""
        return self.derating_start is not None

    @property
    def rated_current(self) -> Maybe:
        """Limit of the current when cool [A]."""
        return self.continuous_current if self.peak_current is None else self.peak_current

    @property
    def low_current(self) -> Maybe:
        """Limit of the current when hot [A]."""
        if self.safe_current is not None:
            return self.safe_current
        return self.continuous_current if self.peak_current is not None else None


@part
class Ratings:
    """What the maker allows. Nothing enforces it; `Run.findings` says where a run exceeds it."""

    voltage: Maybe = number("V", default=None, above=0.0)
    """Nominal voltage."""
    current: Maybe = number("A", default=None, above=0.0)
    """Continuous current."""
    peak_current: Maybe = number("A", default=None, above=0.0)
    """Largest current for a short time."""
    peak_duration: Maybe = number("s", default=None, above=0.0)
    """How long the peak current may last."""
    winding_temperature: Maybe = number("°C", default=None, above=ABSOLUTE_ZERO)
    """Hottest winding."""
    speed: Maybe = number("rad/s", default=None, above=0.0)
    """Fastest rotor."""
    gear_input_speed: Maybe = number("rad/s", default=None, above=0.0)
    """Fastest input of the gearbox."""
    gear_torque: Maybe = number("N·m", default=None, above=0.0)
    """Largest continuous torque at the gearbox output."""
    gear_peak_torque: Maybe = number("N·m", default=None, above=0.0)
    """Largest short torque at the gearbox output."""
