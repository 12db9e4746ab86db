"""The motor in SI units: small frozen groups of constants, one per phenomenon.

A part that is `None` is absent: it is left out when the step is composed and costs nothing. Every number may also be
an array that broadcasts to the batch of motors being simulated.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .errors import ParameterError
from .tree import kind_of_numbers

if TYPE_CHECKING:
    from .actuator import CompiledStep

COPPER = 0.0039
"""Temperature coefficient of the resistance of copper [1/K]."""
ABSOLUTE_ZERO = -273.15
"""Absolute zero [°C]."""

Number = Any
"""A float, or an array of any engine that broadcasts to the batch."""
Maybe = Any
"""A number, or None where there is none."""


def concrete(value: Number) -> np.ndarray | None:
    """The value as an array if it is known now; None while it is being traced."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, (int, float, np.ndarray, np.generic)):
        return np.asarray(value, dtype=float)
    return None


_NO_NUMBERS = (str, bytes, complex, list, tuple, dict, set)
"""What people hand over by mistake. Anything else unknown may be an engine's array, or a mark that JAX puts there."""


def no_number(value: Any) -> bool:
    """Whether a value can be neither a number nor an array of numbers."""
    return isinstance(value, _NO_NUMBERS) or (isinstance(value, np.ndarray) and value.dtype.kind not in "biuf")


def known_number(part: Any, name: str) -> np.ndarray | None:
    """A field as an array if it is known now; raises one sentence if it cannot be a number."""
    value = getattr(part, name)
    left_out = value is None and type(part).__dataclass_fields__[name].default is not None
    if left_out or no_number(value):
        raise ParameterError(
            f"{type(part).__name__}.{name} = {_short(value)}: must be a number, or a NumPy array with one per motor"
        )
    return concrete(value)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def require_part(part: Any, name: str, *kinds: type) -> None:
    """Raise one sentence if a field that holds a group of constants holds something else."""
    value = getattr(part, name)
    optional = type(part).__dataclass_fields__[name].default is None
    wrong = isinstance(value, (int, float, np.ndarray, *_NO_NUMBERS)) or (
        is_dataclass(value) and not isinstance(value, kinds)
    )
    if wrong or (value is None and not optional):
        names = " or ".join(kind.__name__ for kind in kinds)
        shown = f"{type(value).__name__}(...)" if is_dataclass(value) else _short(value)
        raise ParameterError(f"{type(part).__name__}.{name} = {shown}: must be {names}")


def require_parts(part: object, name: str, kind: type) -> None:
    """Raise one sentence if a field is no row of groups of constants; a list becomes a tuple."""
    values = getattr(part, name)
    wrong = not isinstance(values, (tuple, list)) or not values
    if wrong or any(isinstance(x, (int, float, np.ndarray, *_NO_NUMBERS, type(None))) for x in values):
        raise ParameterError(f"{type(part).__name__}.{name} = {_short(values)}: must be a tuple of {kind.__name__}")
    object.__setattr__(part, name, tuple(values))


def require(part: object, name: str, test: str, bound: float = 0.0) -> None:
    """Raise one sentence if a field of `part` is not finite or breaks `test` (one of >, >=, <, <=)."""
    value = known_number(part, name)
    if value is None:
        return
    words = {">": "greater than", ">=": "at least", "<": "less than", "<=": "at most"}[test]
    compare = {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}[test]
    good = np.isfinite(value) & compare(value, bound)
    if not good.all():
        worst = value if value.ndim == 0 else value[~good].flat[0]
        where = "" if value.ndim == 0 else f" at index {tuple(int(i) for i in np.argwhere(~good)[0])}"
        raise ParameterError(
            f"{type(part).__name__}.{name} = {float(worst):g}{where}: must be a finite number {words} {bound:g}"
        )


def leave_out(part: object, name: str, neutral: float) -> None:
    """Turn a plain number that has no effect into None, so that its law is left out of the step."""
    value = getattr(part, name)
    if isinstance(value, (int, float)) and value == neutral:
        object.__setattr__(part, name, None)


def require_finite(part: object, *names: str) -> None:
    """Raise one sentence if a field of `part` is not finite."""
    for name in names:
        value = known_number(part, name)
        if value is not None and not np.isfinite(value).all():
            raise ParameterError(f"{type(part).__name__}.{name} = {getattr(part, name)}: must be a finite number")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Winding:
    """The copper: what turns volts into amperes."""

    resistance: Number
    """Terminal resistance at the reference temperature [Ω]."""
    inductance: Maybe = None
    """Terminal inductance [H]; None or 0: the current follows the voltage at once."""
    temperature_coefficient: Number = COPPER
    """Relative rise of the resistance per kelvin [1/K]."""
    reference_temperature: Number = 25.0
    """Winding temperature at which the resistance is given [°C]."""

    def __post_init__(self) -> None:
        require(self, "resistance", ">")
        require(self, "inductance", ">=")
        require(self, "temperature_coefficient", ">=")
        require(self, "reference_temperature", ">", ABSOLUTE_ZERO)
        leave_out(self, "inductance", 0.0)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Saturation:
    """Iron that saturates: above a knee the torque grows with the logarithm of the current.

    torque(i) = Kt·knee_current + torque·log2(1 + scale·(|i| - knee_current)) beyond the knee.
    """

    knee_current: Number
    """Current up to which the torque is proportional [A]."""
    scale: Number
    """Steepness of the logarithm beyond the knee [1/A]."""
    torque: Number
    """Torque gained each time the argument of the logarithm doubles [N·m]."""

    def __post_init__(self) -> None:
        for name in ("knee_current", "scale", "torque"):
            require(self, name, ">")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Magnet:
    """The field: what turns amperes into torque and speed into volts. Kt and Ke stay apart."""

    torque_constant: Number
    """Torque per ampere Kt [N·m/A]."""
    back_emf_constant: Number
    """Voltage per speed Ke [V·s/rad]."""
    temperature_coefficient: Number = 0.0
    """Relative change of the flux per kelvin, zero or negative [1/K]."""
    reference_temperature: Number = 25.0
    """Temperature at which both constants are given [°C]."""
    iron_loss: Maybe = None
    """Eddy-current and hysteresis loss per squared speed [W·s²/rad²]; brakes the rotor and heats the motor."""
    saturation: Saturation | None = None
    """How the torque falls behind the current; None: never."""

    def __post_init__(self) -> None:
        require(self, "torque_constant", ">")
        require(self, "back_emf_constant", ">")
        require(self, "temperature_coefficient", "<=")
        require(self, "temperature_coefficient", ">", -0.05)
        require(self, "reference_temperature", ">", ABSOLUTE_ZERO)
        require(self, "iron_loss", ">=")
        require_part(self, "saturation", Saturation)
        leave_out(self, "iron_loss", 0.0)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Rotor:
    """The turning mass on the motor side."""

    inertia: Number
    """Moment of inertia of the rotor [kg·m²]."""

    def __post_init__(self) -> None:
        require(self, "inertia", ">")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Thermal:
    """One lump of heat: the winding, cooled by the ambient air."""

    resistance: Number
    """Thermal resistance from winding to ambient [K/W]."""
    capacitance: Number
    """Heat capacity of the winding [J/K]."""
    ambient: Number = 25.0
    """Temperature of the surroundings [°C]."""

    def __post_init__(self) -> None:
        require(self, "resistance", ">")
        require(self, "capacitance", ">")
        require(self, "ambient", ">", ABSOLUTE_ZERO)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class TwoNodeThermal:
    """Two lumps of heat: the winding inside a housing, the housing in the ambient air."""

    winding_resistance: Number
    """Thermal resistance from winding to housing [K/W]."""
    winding_capacitance: Number
    """Heat capacity of the winding [J/K]."""
    housing_resistance: Number
    """Thermal resistance from housing to ambient [K/W]."""
    housing_capacitance: Number
    """Heat capacity of the housing [J/K]."""
    ambient: Number = 25.0
    """Temperature of the surroundings [°C]."""

    def __post_init__(self) -> None:
        for name in ("winding_resistance", "winding_capacitance", "housing_resistance", "housing_capacitance"):
            require(self, name, ">")
        require(self, "ambient", ">", ABSOLUTE_ZERO)

    @property
    def resistance(self) -> Number:
        """Thermal resistance from winding to ambient [K/W]."""
        return self.winding_resistance + self.housing_resistance


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Coulomb:
    """Dry friction of constant size, exact at standstill."""

    coulomb: Number
    """Friction torque [N·m]."""

    def __post_init__(self) -> None:
        require(self, "coulomb", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Dahl:
    """Dry friction with elastic pre-sliding: a spring that slips."""

    coulomb: Number
    """Friction torque when sliding [N·m]."""
    stiffness: Number
    """Pre-sliding stiffness of the bristles [N·m/rad]."""

    def __post_init__(self) -> None:
        require(self, "coulomb", ">")
        require(self, "stiffness", ">")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class LuGre:
    """Bristle friction with stiction, the Stribeck effect and micro-damping."""

    coulomb: Number
    """Friction torque when sliding fast [N·m]."""
    stiction: Number
    """Friction torque at rest, at least the Coulomb torque [N·m]."""
    stribeck_velocity: Number
    """Speed over which stiction falls to Coulomb friction [rad/s]."""
    stiffness: Number
    """Stiffness of the bristles [N·m/rad]."""
    damping: Number = 0.0
    """Damping of the bristles at rest [N·m·s/rad]."""
    viscous: Number = 0.0
    """Friction torque per speed [N·m·s/rad]."""
    stribeck_exponent: Maybe = None
    """Exponent of the Stribeck curve, usually 1 or 2; None: 2."""
    damping_exponent: Maybe = None
    """Exponent with which the bristle damping dies away with speed; None: it is constant."""

    def __post_init__(self) -> None:
        for name in ("coulomb", "stribeck_velocity", "stiffness", "stribeck_exponent"):
            require(self, name, ">")
        require(self, "damping", ">=")
        require(self, "viscous", ">=")
        require(self, "damping_exponent", ">")
        leave_out(self, "stribeck_exponent", 2.0)
        require_finite(self, "stiction")
        coulomb, stiction = concrete(self.coulomb), concrete(self.stiction)
        if coulomb is not None and stiction is not None and (stiction < coulomb).any():
            raise ParameterError(
                f"LuGre.stiction = {self.stiction} N·m is below coulomb = {self.coulomb} N·m: "
                "friction at rest must be at least the friction when sliding"
            )


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class LoadDependent:
    """Dry friction that grows with the torque through the gears: the family M1..M6.

    The groups that are None are left out: a `coulomb` and `viscous` alone are M1, all groups together are M6.
    """

    coulomb: Number
    """Friction torque without load [N·m]."""
    viscous: Number = 0.0
    """Friction torque per speed [N·m·s/rad]."""
    stribeck: Stribeck | None = None
    """What is added near standstill (M2, M4, M5, M6)."""
    load: LoadShare | None = None
    """What the transmitted torques add (M3 to M6)."""
    quadratic: QuadraticShare | None = None
    """What opposing torques add in the square (M6)."""

    def __post_init__(self) -> None:
        require(self, "coulomb", ">=")
        require(self, "viscous", ">=")
        require_part(self, "stribeck", Stribeck)
        require_part(self, "load", LoadShare)
        require_part(self, "quadratic", QuadraticShare)
        if self.quadratic is not None and self.stribeck is None:
            raise ParameterError(
                "LoadDependent.quadratic fades with the Stribeck curve: give LoadDependent.stribeck too"
            )


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class LoadShare:
    """Friction per transmitted torque, for driving and for being driven."""

    drive: Number
    """Friction per torque of the motor [1]."""
    back: Number
    """Friction per torque of the load [1]."""

    def __post_init__(self) -> None:
        require(self, "drive", ">=")
        require(self, "back", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Stribeck:
    """Friction that fades as exp(-|speed/velocity|^exponent)."""

    velocity: Number
    """Speed over which it fades [rad/s]."""
    exponent: Number = 2.0
    """How sharply it fades [1]."""
    coulomb: Number = 0.0
    """Friction torque added at rest [N·m]."""
    load: LoadShare | None = None
    """Friction per transmitted torque added at rest."""

    def __post_init__(self) -> None:
        require(self, "velocity", ">")
        require(self, "exponent", ">")
        require(self, "coulomb", ">=")
        require_part(self, "load", LoadShare)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class QuadraticShare:
    """Friction per squared torque while motor and load oppose each other."""

    drive: Number
    """While the load is the stronger: per squared torque of the motor [1/(N·m)]."""
    back: Number
    """While the motor is the stronger: per squared torque of the load [1/(N·m)]."""

    def __post_init__(self) -> None:
        require(self, "drive", ">=")
        require(self, "back", ">=")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Drag:
    """Viscous drag as a polynomial of the speed: B1·w + B2·w|w| + B3·w³ + ..."""

    coefficients: tuple[Number, ...]
    """B1 [N·m·s/rad], B2 [N·m·s²/rad²], ... of any order."""

    def __post_init__(self) -> None:
        if not isinstance(self.coefficients, (tuple, list)) or not self.coefficients:
            raise ParameterError(f"Drag.coefficients = {self.coefficients!r}: must be a tuple such as (B1, B2)")
        object.__setattr__(self, "coefficients", tuple(self.coefficients))
        for order, value in enumerate(self.coefficients, start=1):
            known = None if no_number(value) else concrete(value)
            bad = known is not None and not (np.isfinite(known) & (known >= 0)).all()
            if bad or value is None or no_number(value):
                raise ParameterError(f"Drag.coefficients, B{order} = {value}: must be a finite number of at least 0")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Harmonic:
    """One sine of the cogging torque."""

    amplitude: Number
    """Peak torque [N·m]."""
    periodicity: Number
    """Periods per turn of the rotor [1]."""
    phase: Number = 0.0
    """Phase at rotor angle 0 [rad]."""

    def __post_init__(self) -> None:
        require(self, "amplitude", ">=")
        require(self, "periodicity", ">")
        require_finite(self, "phase")


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Cogging:
    """Torque ripple of magnets passing slots: a sum of any number of harmonics."""

    harmonics: tuple[Harmonic, ...]
    """The sines that add up."""

    def __post_init__(self) -> None:
        require_parts(self, "harmonics", Harmonic)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Stage:
    """One reduction of a gear train."""

    ratio: Number
    """Input speed over output speed [1]; negative if the stage turns the other way."""
    efficiency: Maybe = None
    """Power out over power in while the motor drives [1]; None: nothing is lost."""
    back_efficiency: Maybe = None
    """Power out over power in while the load drives [1]; None: the same."""
    inertia: Number = 0.0
    """Moment of inertia at the input of this stage [kg·m²]."""

    def __post_init__(self) -> None:
        require_finite(self, "ratio")
        ratio = concrete(self.ratio)
        if ratio is not None and (ratio == 0).any():
            raise ParameterError("Stage.ratio = 0: must not be zero; 1 means direct drive")
        for name in ("efficiency", "back_efficiency"):
            require(self, name, ">")
            require(self, name, "<=", 1.0)
        require(self, "inertia", ">=")
        leave_out(self, "efficiency", 1.0)


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Gearbox:
    """A gear train between the rotor and the joint."""

    stages: tuple[Stage, ...]
    """The reductions, from the motor to the joint."""
    backlash: Maybe = None
    """Free play at the joint, from flank to flank [rad]; None: the gears never part."""

    def __post_init__(self) -> None:
        require_parts(self, "stages", Stage)
        require(self, "backlash", ">")

    @property
    def ratio(self) -> Number:
        """Rotor speed over joint speed [1]."""
        product = self.stages[0].ratio
        for stage in self.stages[1:]:
            product = product * stage.ratio
        return product

    @property
    def efficiency(self) -> Number:
        """Power out over power in while the motor drives [1]."""
        product: Number = 1.0
        for stage in self.stages:
            product = product if stage.efficiency is None else product * stage.efficiency
        return product

    @property
    def back_efficiency(self) -> Number:
        """Power out over power in while the load drives [1]."""
        product: Number = 1.0
        for stage in self.stages:
            share = stage.efficiency if stage.back_efficiency is None else stage.back_efficiency
            product = product if share is None else product * share
        return product

    @property
    def lossless(self) -> bool:
        """Whether every stage passes all power on, so that the loss is left out of the step."""
        return all(stage.efficiency is None and stage.back_efficiency is None for stage in self.stages)

    @property
    def inertia(self) -> Number:
        """Moment of inertia of all stages, reflected to the rotor [kg·m²]."""
        total, ratio = 0.0, 1.0
        for stage in self.stages:
            total = total + stage.inertia / (ratio * ratio)
            ratio = ratio * stage.ratio
        return total


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
    """What the maker allows. Nothing enforces it; `analyze` draws it and `check` compares with it."""

    voltage: Maybe = None
    """Nominal voltage [V]."""
    current: Maybe = None
    """Largest current for ever [A]."""
    peak_current: Maybe = None
    """Largest current for a short time [A]."""
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


Friction = Coulomb | Dahl | LuGre | LoadDependent
"""The models of dry friction."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class Motor:
    """A motor and its gearbox, in SI units."""

    winding: Winding
    magnet: Magnet
    rotor: Rotor | None = None
    thermal: Thermal | TwoNodeThermal | None = None
    friction: Friction | None = None
    drag: Drag | None = None
    cogging: Cogging | None = None
    gearbox: Gearbox | None = None
    limits: Limits | None = None
    ratings: Ratings | None = None
    name: str = ""
    """What people call it."""

    def __post_init__(self) -> None:
        for part, kinds in _PARTS.items():
            require_part(self, part, *kinds)
        if self.limits is not None and self.limits.derates and self.thermal is None:
            raise ParameterError(
                "Motor.limits derates with the winding temperature, but Motor.thermal is None: give a thermal model"
            )
        self._check_cold_resistance()

    def _check_cold_resistance(self) -> None:
        if not isinstance(self.thermal, (Thermal, TwoNodeThermal)) or not isinstance(self.winding, Winding):
            return
        known = [concrete(x) for x in (self.thermal.ambient, self.winding.reference_temperature)]
        slope = concrete(self.winding.temperature_coefficient)
        if slope is None or known[0] is None or known[1] is None:
            return
        factor = 1 + slope * (known[0] - known[1])
        if (factor <= 0).any():
            raise ParameterError(
                f"Thermal.ambient = {self.thermal.ambient} °C makes the winding's resistance negative: "
                f"the linear law 1 + {self.winding.temperature_coefficient}"
                f"·(T - {self.winding.reference_temperature}) ends there"
            )

    @property
    def ratio(self) -> Number:
        """Rotor speed over joint speed [1]."""
        return 1.0 if self.gearbox is None else self.gearbox.ratio

    @property
    def inertia(self) -> Number:
        """Moment of inertia on the motor side, gear stages included [kg·m²]; 0 if nothing is known of it."""
        total = 0.0 if self.rotor is None else self.rotor.inertia
        return total if self.gearbox is None else total + self.gearbox.inertia

    @property
    def reflected_inertia(self) -> Number:
        """Moment of inertia of rotor and gears felt at the joint, N²·J [kg·m²]."""
        return self.ratio * self.ratio * self.inertia

    @property
    def armature(self) -> Number:
        """Inertia a host has to add to the joint [kg·m²]: the reflected one, or 0 where backlash lets the rotor go."""
        return 0.0 if self.gearbox is not None and self.gearbox.backlash is not None else self.reflected_inertia

    def compile(self, engine: str = "numpy", **options: Any) -> CompiledStep:
        """The step of this motor under a voltage command; see `Actuator.compile`."""
        from .actuator import Actuator

        return Actuator(self).compile(engine, **options)


_PARTS: dict[str, tuple[type, ...]] = {
    "winding": (Winding,),
    "magnet": (Magnet,),
    "rotor": (Rotor,),
    "thermal": (Thermal, TwoNodeThermal),
    "friction": (Coulomb, Dahl, LuGre, LoadDependent),
    "drag": (Drag,),
    "cogging": (Cogging,),
    "gearbox": (Gearbox,),
    "limits": (Limits,),
    "ratings": (Ratings,),
}
