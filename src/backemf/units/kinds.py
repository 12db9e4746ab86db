"""What a unit measures, by name and by example, and the multiples makers print."""

from __future__ import annotations

from .expression import read_unit
from .unit import Unit

_BASE = ("m", "kg", "s", "A", "K")
CELSIUS = ("degC", "°C")
"""Temperatures, which are no multiples of a unit; parts declare them as they are printed."""

PRACTICAL: dict[str, tuple[str, ...]] = {
    "V": ("mV", "V"),
    "A": ("mA", "A"),
    "A/s": ("A/s", "kA/s"),
    "ohm": ("mohm", "ohm"),
    "H": ("uH", "mH"),
    "N*m/A": ("mN*m/A", "N*m/A"),
    "V*s/rad": ("mV*s/rad", "V*s/rad"),
    "rad/(V*s)": ("rpm/V",),
    "rad/s": ("rpm",),
    "rad/(N*m*s)": ("rpm/(N*m)", "rpm/(mN*m)"),
    "N*m": ("uN*m", "mN*m", "N*m"),
    "N*m*s/rad": ("uN*m*s/rad", "mN*m*s/rad", "N*m*s/rad"),
    "N*m/rad": ("mN*m/rad", "N*m/rad"),
    "kg*m^2": ("g*cm^2", "kg*cm^2"),
    "kg": ("g", "kg"),
    "s": ("us", "ms", "s"),
    "W": ("mW", "W"),
    "rad": ("arcmin", "deg"),
    "K/W": ("K/W",),
    "J/K": ("J/K",),
}
"""Practical units to print in, smallest first, by the SI unit the library works in."""

_KNOWN = {
    "voltage": ("V", "48 V"),
    "current": ("A", "3.17 A"),
    "current rate": ("A/s", "500 A/s"),
    "inverse current": ("1/A", "0.025 1/A"),
    "inverse torque": ("1/(N*m)", "0.005 1/(N*m)"),
    "resistance": ("ohm", "1.13 ohm"),
    "inductance": ("H", "0.33 mH"),
    "torque constant or back-EMF constant": ("N*m/A", "60.3 mN*m/A"),
    "speed constant": ("rad/(V*s)", "158 rpm/V"),
    "speed or rate": ("rad/s", "7590 rpm"),
    "speed-torque gradient": ("rad/(N*m*s)", "2.97 rpm/(mN*m)"),
    "torque or energy": ("N*m", "187 mN*m"),
    "viscous friction": ("N*m*s/rad", "2.4e-6 N*m*s/rad"),
    "moment of inertia": ("kg*m^2", "137 g*cm^2"),
    "quadratic drag": ("N*m*s^2/rad^2", "1e-8 N*m*s^2/rad^2"),
    "mass": ("kg", "480 g"),
    "time": ("s", "4.28 ms"),
    "power": ("W", "150 W"),
    "force": ("N", "10 N"),
    "length": ("m", "12 mm"),
    "thermal resistance": ("K/W", "1.93 K/W"),
    "heat capacity": ("J/K", "21.5 J/K"),
    "temperature difference": ("K", "100 K"),
    "temperature coefficient": ("1/K", "0.0039 1/K"),
    "plain number or angle": ("1", "0.9"),
    # the same dimensions by other names, for gains and commands
    "angle": ("deg", "90 deg"),
    "torque": ("Nm", "0.5 N*m"),
    "speed": ("rpm", "200 rpm"),
    "rate of voltage": ("V/s", "100 V/s"),
    "rate of angle": ("deg/s", "180 deg/s"),
    "acceleration": ("rpm/s", "1000 rpm/s"),
    "rate of torque": ("N*m/s", "10 N*m/s"),
    "bandwidth": ("1/s", "3000 rad/s"),
    "voltage per angle": ("V/rad", "10 V/rad"),
    "voltage per angle and time": ("V/(rad*s)", "5 V/(rad*s)"),
    "voltage per speed": ("V*s/rad", "0.1 V*s/rad"),
    "torque per angle": ("N*m/rad", "20 N*m/rad"),
    "torque per angle and time": ("N*m/(rad*s)", "5 N*m/(rad*s)"),
    "integrated angle": ("rad*s", "0.2 rad*s"),
    "time per angle": ("s/rad", "0.01 s/rad"),
    "rate per angle": ("1/(rad*s)", "5 1/(rad*s)"),
    # of linear motors
    "velocity": ("m/s", "1.5 m/s"),
    "force constant or back-EMF constant": ("N/A", "20 N/A"),
    "inverse of a back-EMF constant": ("m/(V*s)", "0.05 m/(V*s)"),
    "viscous friction of a slide": ("N*s/m", "3 N*s/m"),
    "stiffness of a slide": ("N/m", "1e6 N/m"),
    "speed-force gradient": ("m/(N*s)", "0.004 m/(N*s)"),
    "inverse force": ("1/N", "0.001 1/N"),
    "inverse length": ("rad/m", "262 rad/m"),
}


def describe(unit: Unit) -> tuple[str, str]:
    """What a unit measures, and an example."""
    for name, (symbol, shown) in _KNOWN.items():
        if read_unit(symbol).dimension == unit.dimension:
            return name, shown
    powers = [f"{base}^{n}" if n != 1 else base for base, n in zip(_BASE, unit.dimension, strict=True) if n]
    return "quantity in " + "*".join(powers), "1 " + "*".join(powers)


def name_of(unit: str) -> str:
    """What is wanted in a unit."""
    exact = next((name for name, (symbol, _) in _KNOWN.items() if symbol == unit), None)
    return "temperature" if unit in CELSIUS else exact or describe(read_unit(unit))[0]


def with_article(name: str) -> str:
    """`an angle`, `a torque`."""
    return f"an {name}" if name[0] in "aeiou" else f"a {name}"


def example(unit: str) -> str:
    """How a quantity of this dimension is written."""
    if unit in CELSIUS:
        return "155 degC"
    if unit == "rad":
        return "30 deg"
    return next((shown for symbol, shown in _KNOWN.values() if symbol == unit), describe(read_unit(unit))[1])


def write_it(unit: str) -> str:
    """The remedy that ends an error."""
    return f'write it like "{example(unit)}"'
