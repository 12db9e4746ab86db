"""What the drive enforces, and what the maker allows."""

from __future__ import annotations

from dataclasses import dataclass, fields

from ..checks import ABSOLUTE_ZERO, Maybe, concrete, require, require_finite
from ..errors import ParameterError
from ..tree import kind_of_numbers


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Limits:
    """What the drive allows. It limits the current itself, so the heat follows."""

    continuous_current: Maybe = None
    """Current allowed for ever [A]."""
    peak_current: Maybe = None
    """Current allowed while the winding is cooler than `derating_start` [A]."""
    current_rate: Maybe = None
    """Fastest change of the current [A/s]."""
    derating_start: Maybe = None
    """Winding temperature at which the limit begins to fall [°C]."""
    derating_end: Maybe = None
    """Winding temperature at which the limit has fallen to its low value [°C]."""
    safe_current: Maybe = None
    """Low value of the limit when hot [A]; None: the continuous current."""

    def __post_init__(self) -> None:
        for name in ("continuous_current", "peak_current", "current_rate"):
            require(self, name, ">")
        require(self, "safe_current", ">=")
        require_finite(self, "derating_start", "derating_end")
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


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Ratings:
    """What the maker allows. Nothing enforces it; `Run.findings` says where a run exceeds it."""

    voltage: Maybe = None
    """Nominal voltage [V]."""
    current: Maybe = None
    """Largest current for ever [A]."""
    peak_current: Maybe = None
    """Largest current for a short time [A]."""
    peak_duration: Maybe = None
    """How long the peak current may last [s]."""
    winding_temperature: Maybe = None
    """Hottest winding [°C]."""
    speed: Maybe = None
    """Fastest rotor [rad/s]."""
    gear_input_speed: Maybe = None
    """Fastest input of the gearbox [rad/s]."""
    gear_torque: Maybe = None
    """Largest continuous torque at the gearbox output [N·m]."""
    gear_peak_torque: Maybe = None
    """Largest short torque at the gearbox output [N·m]."""

    def __post_init__(self) -> None:
        for entry in fields(self):
            if entry.name != "winding_temperature":
                require(self, entry.name, ">")
        require(self, "winding_temperature", ">", ABSOLUTE_ZERO)
