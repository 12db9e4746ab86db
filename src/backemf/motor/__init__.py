"""The motor in SI units: small frozen groups of constants, one per phenomenon.

A part that is `None` is absent: it is left out when the step is composed and costs nothing. Every number may also be
an array that broadcasts to the batch of motors being simulated.
"""

from .cogging import Cogging, Harmonic
from .estimate import Estimate, estimate_of, estimates_behind, heat_mark, mark
from .friction import Coulomb, Dahl, Drag, LoadDependent, LoadShare, LuGre, QuadraticShare, Stribeck
from .friction_over_angle import FrictionAngleTable, FrictionOverAngle
from .gearbox import Gearbox, Rotor, Stage
from .limits import Limits, Ratings
from .magnet import Magnet, Saturation
from .motor import Friction, Motor
from .network import TanhUnit, TorqueNetwork
from .thermal import Thermal, TwoNodeThermal
from .thermistor import PhaseHeat, Thermistor
from .winding import COPPER, Winding

__all__ = [
    "COPPER",
    "Cogging",
    "Coulomb",
    "Dahl",
    "Drag",
    "Estimate",
    "Friction",
    "FrictionAngleTable",
    "FrictionOverAngle",
    "Gearbox",
    "Harmonic",
    "Limits",
    "LoadDependent",
    "LoadShare",
    "LuGre",
    "Magnet",
    "Motor",
    "PhaseHeat",
    "QuadraticShare",
    "Ratings",
    "Rotor",
    "Saturation",
    "Stage",
    "Stribeck",
    "TanhUnit",
    "Thermal",
    "Thermistor",
    "TorqueNetwork",
    "TwoNodeThermal",
    "Winding",
    "estimate_of",
    "estimates_behind",
    "heat_mark",
    "mark",
]
