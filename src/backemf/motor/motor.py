"""The motor: its parts together."""

from __future__ import annotations

from typing import Unpack

from ..checks import Number, concrete, quote
from ..errors import ParameterError
from ..hooks import call_hook
from ..parts import acts, one, part, record, word
from ..values import CompileOptions
from .cogging import Cogging
from .estimate import Estimate, still_estimated
from .friction import Coulomb, Dahl, Drag, LoadDependent, LuGre
from .friction_over_angle import FrictionAngleTable, FrictionOverAngle
from .gearbox import Gearbox, Rotor
from .limits import Limits, Ratings
from .magnet import Magnet
from .network import TorqueNetwork
from .stepping import MotorStep
from .thermal import Thermal, TwoNodeThermal
from .thermistor import Thermistor
from .winding import Winding
from .words import motor_words

Friction = Coulomb | Dahl | LuGre | LoadDependent
"""The models of dry friction."""


@part
class Motor:
    """A motor and its gearbox, in SI units."""

    winding: Winding = one(Winding)
    """Resistance and inductance."""
    magnet: Magnet = one(Magnet)
    """Torque and back-EMF constants, saturation and iron loss."""
    rotor: Rotor | None = one(Rotor, default=None)
    """Its inertia; None: unknown."""
    thermal: Thermal | TwoNodeThermal | None = one(family="thermal", default=None)
    """How heat flows from the winding to the air; None: the winding stays at its reference temperature."""
    thermistor: Thermistor | None = one(Thermistor, default=None)
    """The sensor that measures the winding's temperature; None: none."""
    friction: Friction | None = one(family="friction", default=None)
    """Dry friction; None: none."""
    friction_over_angle: FrictionOverAngle | FrictionAngleTable | None = one(family="friction_over_angle", default=None)
    """How the dry friction varies with the joint's angle; None: it does not."""
    drag: Drag | None = one(Drag, default=None)
    """Friction that grows with speed; None: none."""
    cogging: Cogging | None = one(Cogging, default=None)
    """Torque of the magnets over the slots; None: none."""
    network: TorqueNetwork | None = one(TorqueNetwork, default=None)
    """Torque at the joint that a fit has found beside the laws; None: none."""
    gearbox: Gearbox | None = one(Gearbox, default=None)
    """The gear stages; None: the rotor is the joint."""
    limits: Limits | None = one(Limits, default=None)
    """What the drive enforces; None: any current."""
    ratings: Ratings | None = one(Ratings, default=None)
    """What the maker allows; None: unknown."""
    name: str = word(default="")
    """Name of the motor."""
    estimates: tuple[Estimate, ...] = record(default=())
    """What was estimated when the motor was made; `valid_estimates` is what of it still holds."""
    motion: str = word("rotary", "linear", default="rotary")
    """`"rotary"`, or `"linear"` for a motor that slides: N stands for N·m, m for rad and kg for kg·m² throughout."""

    def __post_init__(self) -> None:
        if isinstance(self.estimates, list):
            object.__setattr__(self, "estimates", tuple(self.estimates))
        if not isinstance(self.estimates, tuple) or not all(isinstance(e, Estimate) for e in self.estimates):
            raise ParameterError(f"Motor.estimates = {quote(self.estimates)}: must be a tuple of Estimate")
        if not isinstance(self.name, str):
            raise ParameterError(f"Motor.name = {quote(self.name)}: must be a text")
        if self.limits is not None and self.limits.derates and self.thermal is None:
            raise ParameterError(
                "Motor.limits derates with the winding temperature, but Motor.thermal is None: give a thermal model"
            )
        if self.thermistor is not None and self.thermal is None:
            raise ParameterError(
                "Motor.thermistor has nothing to measure, since Motor.thermal is None: give a thermal model"
            )
        if self.friction_over_angle is not None and self.friction is None:
            raise ParameterError(
                "Motor.friction_over_angle would never take effect without dry friction: give Motor.friction"
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
    def valid_estimates(self) -> tuple[Estimate, ...]:
        """The numbers that are estimates rather than the maker's; one that was replaced is no longer among them."""
        return still_estimated(self)

    @property
    def ratio(self) -> Number:
        """Rotor speed over joint speed [1]."""
        return 1.0 if self.gearbox is None else self.gearbox.ratio

    @property
    def inertia(self) -> Number:
        """Moment of inertia on the motor side, gear stages included [kg·m²]; 0 if it is unknown."""
        total = 0.0 if self.rotor is None else self.rotor.inertia
        return total if self.gearbox is None else total + self.gearbox.inertia

    @property
    def reflected_inertia(self) -> Number:
        """Moment of inertia of rotor and gears felt at the joint, N²·J [kg·m²]."""
        return self.ratio * self.ratio * self.inertia

    @property
    def armature(self) -> Number:
        """Inertia that a host has to add to the joint [kg·m²]: the reflected one, or 0 with backlash."""
        return 0.0 if self.gearbox is not None and acts(self.gearbox, "backlash") else self.reflected_inertia

    def compile(self, engine: str = "numpy", **options: Unpack[CompileOptions]) -> MotorStep:
        """The `CompiledStep` of this motor under a voltage command; see `Actuator.compile`."""
        return call_hook("Actuator", self).compile(engine, **options)

    def __repr__(self) -> str:
        return f"Motor({motor_words(self)})"

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)
