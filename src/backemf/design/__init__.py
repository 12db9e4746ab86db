"""Design: gains for a bandwidth, and what stages, screws, belts and linkages do to inertia and ratio."""

from .gains import Bandwidth, Gains, bandwidth_from_gains, gains_from_bandwidth, torque_gains, volt_gains
from .hardware import Belt, LeadScrew, Linkage, PlanetaryStage, planetary_ratio, reflected_inertia

__all__ = [
    "Bandwidth",
    "Belt",
    "Gains",
    "LeadScrew",
    "Linkage",
    "PlanetaryStage",
    "bandwidth_from_gains",
    "gains_from_bandwidth",
    "planetary_ratio",
    "reflected_inertia",
    "torque_gains",
    "volt_gains",
]
