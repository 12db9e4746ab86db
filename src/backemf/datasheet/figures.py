"""The figures that makers print, one frozen table per topic: in SI units, but in the conventions of the sheet.

Every figure is optional, and declares its unit and range.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

from ..errors import DatasheetError
from .table import Table, figure

Ampere = Literal["dc", "peak-phase", "rms"]
Side = Literal["motor", "output"]


@dataclass(frozen=True, kw_only=True)
class Conventions(Table, title="conventions"):
    """What the figures of this sheet mean where makers differ."""

    resistance: Literal["line-to-line", "phase"] = "line-to-line"
    """Between two terminals, or from a terminal to the star point, which is half of it."""
    inductance: Literal["line-to-line", "phase"] | None = None
    """As `resistance`; None: the same as that."""
    torque_constant: Ampere = "dc"
    """Which ampere Kt is per: DC (block commutation, line-to-line), peak phase (q-axis) or RMS phase."""
    current: Ampere | None = None
    """Which amperes the other currents are; None: the same as `torque_constant`."""
    motion: Literal["rotary", "linear"] = "rotary"
    """Whether the motor turns or slides. The figures of a linear motor are in N for N·m, m for rad and kg for kg·m²:
    `kt` in N/A, `inertia` as the moving mass in kg, speeds in m/s."""
    figures_at: Side = "motor"
    """Where torques and speeds are meant: at the motor or at the gearbox output."""
    peak_at: Side | None = None
    """Where the peak torque is meant; None: as `figures_at`."""
    constants_at: Side = "motor"
    """Where Kt, Ke, Kv and the speed-torque gradient are meant."""
    friction_at: Side = "motor"
    """Where the friction figures are meant."""
    inertia_at: Side = "motor"
    """Where the rotor's inertia is meant."""


@dataclass(frozen=True, kw_only=True)
class Electrical(Table, title="electrical"):
    """The winding and its constants."""

    nominal_voltage: float | None = figure("V")
    """Voltage behind the no-load, nominal and stall figures [V]."""
    resistance: float | None = figure("ohm")
    """Winding resistance at the reference temperature [Ω]."""
    inductance: float | None = figure("H", open=False)
    """Winding inductance [H]."""
    electrical_time_constant: float | None = figure("s")
    """L/R [s]."""
    kt: float | None = figure("N*m/A")
    """Torque constant [N·m/A]."""
    ke: float | None = figure("V*s/rad")
    """Back-EMF constant, line-to-line [V·s/rad]."""
    kv: float | None = figure("rad/(V*s)")
    """Speed constant 1/Ke, line-to-line [rad/(V·s)]."""
    no_load_current: float | None = figure("A", open=False)
    """Current of the free motor at the nominal voltage [A]."""
    nominal_current: float | None = figure("A")
    """Largest continuous current [A]."""
    stall_current: float | None = figure("A")
    """Current of the blocked, cold motor at the nominal voltage [A]."""
    pole_pairs: float | None = figure("1")
    """Electrical turns per turn of the rotor [1]."""


@dataclass(frozen=True, kw_only=True)
class Mechanical(Table, title="mechanical"):
    """Torques, speeds and masses."""

    no_load_speed: float | None = figure("rad/s")
    """Speed of the free motor at the nominal voltage [rad/s]."""
    nominal_speed: float | None = figure("rad/s")
    """Speed at the nominal voltage and torque [rad/s]."""
    nominal_torque: float | None = figure("N*m")
    """Largest continuous torque [N·m]."""
    nominal_power: float | None = figure("W")
    """Rated mechanical power [W]."""
    stall_torque: float | None = figure("N*m")
    """Torque of the blocked, cold motor at the nominal voltage [N·m]."""
    max_speed: float | None = figure("rad/s")
    """Fastest permissible speed [rad/s]."""
    max_efficiency: float | None = figure("1", high=1.0)
    """Best ratio of mechanical to electrical power at the nominal voltage [1]."""
    speed_torque_gradient: float | None = figure("rad/(N*m*s)")
    """Speed lost per torque, R/(Kt·Ke) [rad/(N·m·s)]."""
    mechanical_time_constant: float | None = figure("s")
    """R·J/(Kt·Ke) [s]."""
    inertia: float | None = figure("kg*m^2")
    """Moment of inertia of the rotor [kg·m²]."""
    mass: float | None = figure("kg")
    """Mass of the motor, with its gearbox where it has one [kg]."""


@dataclass(frozen=True, kw_only=True)
class FrictionFigures(Table, title="friction"):
    """What brakes the rotor without current.

    The figures that are given choose the model: `coulomb` alone is Coulomb friction, with `stiffness` Dahl's, with
    `stiction` and `stribeck_velocity` a Stribeck curve, with all four LuGre's. The shares of the transmitted torque
    make it the load-dependent family M1 to M6, which has no bristles.
    """

    together: ClassVar[dict[str, tuple[str, ...]]] = {
        "stiction": ("coulomb", "stribeck_velocity"),
        "stribeck_exponent": ("stribeck_velocity",),
        "stiffness": ("coulomb",),
        "damping": ("stiffness", "stiction"),
        "damping_exponent": ("damping",),
        "load_drive": ("coulomb", "load_back"),
        "load_back": ("load_drive",),
        "stribeck_load_drive": ("coulomb", "stribeck_load_back", "stribeck_velocity"),
        "stribeck_load_back": ("stribeck_load_drive",),
        "quadratic_drive": ("coulomb", "quadratic_back", "stribeck_velocity"),
        "quadratic_back": ("quadratic_drive",),
    }
    any_of: ClassVar[dict[str, tuple[str, ...]]] = {
        "stribeck_velocity": ("stiction", "stribeck_load_drive", "quadratic_drive")
    }
    apart: ClassVar[dict[str, tuple[str, ...]]] = {
        "stiffness": ("load_drive", "stribeck_load_drive", "quadratic_drive")
    }

    coulomb: float | None = figure("N*m", open=False)
    """Dry friction torque when sliding, without load [N·m]."""
    viscous: float | None = figure("N*m*s/rad", open=False)
    """Friction torque per speed, B1 [N·m·s/rad]."""
    drag: tuple[float, ...] = figure("N*m*s^2/rad^2", open=False, many=True)
    """Drag of higher order, B2 [N·m·s²/rad²], B3 [N·m·s³/rad³] and so on."""
    stiction: float | None = figure("N*m", open=False)
    """Friction torque at rest, without load, at least the Coulomb torque [N·m]."""
    stribeck_velocity: float | None = figure("rad/s")
    """Speed over which the friction at rest falls to that of sliding [rad/s]."""
    stribeck_exponent: float | None = figure("1")
    """How sharply it falls, as exp(-|speed/stribeck_velocity|^exponent) [1]; None: 2."""
    stiffness: float | None = figure("N*m/rad")
    """Stiffness of the bristles, of Dahl's model or with stiction of the LuGre model [N·m/rad]."""
    damping: float | None = figure("N*m*s/rad", open=False)
    """Damping of the bristles of a LuGre model [N·m·s/rad]."""
    damping_exponent: float | None = figure("1")
    """Exponent with which that damping fades with speed, as `stribeck_exponent` [1]; None: it is constant."""
    load_drive: float | None = figure("1", open=False)
    """Friction per torque of the motor [1]."""
    load_back: float | None = figure("1", open=False)
    """Friction per torque of the load [1]."""
    stribeck_load_drive: float | None = figure("1", open=False)
    """Friction per torque of the motor that is added at rest [1]."""
    stribeck_load_back: float | None = figure("1", open=False)
    """Friction per torque of the load that is added at rest [1]."""
    quadratic_drive: float | None = figure("1/(N*m)", open=False)
    """Added at rest per squared torque of the motor, while a stronger load opposes it [1/(N·m)]."""
    quadratic_back: float | None = figure("1/(N*m)", open=False)
    """Added at rest per squared torque of the load, while a stronger motor opposes it [1/(N·m)]."""
    iron_loss: float | None = figure("W*s^2/rad^2", open=False)
    """Eddy-current and hysteresis loss per squared speed [W·s²/rad²]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.stiffness is not None and not self.coulomb:
            raise DatasheetError("[friction] coulomb = 0 N·m: bristles need friction that bends them: give more than 0")
        if self.damping_exponent is not None and not self.damping:
            raise DatasheetError("[friction] damping_exponent has no effect with damping = 0: give a damping above 0")
        driving = (self.load_drive or 0.0) + (self.stribeck_load_drive or 0.0)
        if driving >= 1:
            raise DatasheetError(
                f"[friction] load_drive and stribeck_load_drive together = {driving:g}: must be below 1, "
                'or the motor could not turn itself: write 20 % as 0.2 or "20 %"'
            )


@dataclass(frozen=True, kw_only=True)
class ThermalFigures(Table, title="thermal"):
    """How the motor warms up and what it stands.

    Makers print a resistance and a time constant per node: the winding against the housing, C = t1/R1, and the housing
    against the air, C = t2/R2. maxon states that its time constants are the product of heat capacity and the listed
    thermal resistance: each is the reaction time of that node alone, not of the two in series.
    """

    resistance: float | None = figure("K/W")
    """Winding to ambient, one lump [K/W]."""
    capacitance: float | None = figure("J/K")
    """Heat capacity of the one lump [J/K]."""
    time_constant: float | None = figure("s")
    """Time constant of the one lump [s]."""
    winding_resistance: float | None = figure("K/W")
    """Winding to housing, Rth1 [K/W]."""
    winding_capacitance: float | None = figure("J/K")
    """Heat capacity of the winding [J/K]."""
    winding_time_constant: float | None = figure("s")
    """Thermal time constant of the winding [s]."""
    housing_resistance: float | None = figure("K/W")
    """Housing to ambient, Rth2 [K/W]."""
    housing_capacitance: float | None = figure("J/K")
    """Heat capacity of the housing [J/K]."""
    housing_time_constant: float | None = figure("s")
    """Thermal time constant of the motor [s]."""
    rated_housing_resistance: float | None = figure("K/W")
    """Housing to ambient as mounted for the nominal figures, where it differs [K/W]."""
    rated_speed: float | None = figure("rad/s")
    """Motor speed at which the nominal figures are meant, where it is not the nominal speed [rad/s]."""
    max_winding_temperature: float | None = figure("degC", low=-273.15)
    """Hottest permissible winding [°C]."""
    reference_temperature: float | None = figure("degC", low=-273.15)
    """Winding temperature at which resistance and constants are given [°C]; None: 25."""
    ambient: float | None = figure("degC", low=-273.15)
    """Temperature of the surroundings [°C]; None: 25."""
    temperature_coefficient: float | None = figure("1/K", open=False)
    """Relative rise of the resistance [1/K]; None: copper."""
    magnet_temperature_coefficient: float | None = figure("1/K", low=-0.05, high=0.0)
    """Relative change of the flux, zero or negative [1/K]; None: 0."""


@dataclass(frozen=True)
class Node:
    """One lump of heat as printed."""

    prefix: str
    resistance: float | None
    capacitance: float | None
    time_constant: float | None

    def pair(self) -> tuple[float, float] | None:
        """Resistance [K/W] and capacitance [J/K] from any two of the three; None with fewer."""
        r, c, t = self.resistance, self.capacitance, self.time_constant
        if r is not None and c is not None:
            return r, c
        if r is not None and t is not None:
            return r, t / r
        if c is not None and t is not None:
            return t / c, c
        return None


def nodes(t: ThermalFigures) -> tuple[Node, Node, Node]:
    """The single lump, the winding and the housing."""
    winding_to_ambient = t.resistance
    if winding_to_ambient is None and t.winding_resistance is not None and t.housing_resistance is not None:
        winding_to_ambient = t.winding_resistance + t.housing_resistance
    return (
        Node("", winding_to_ambient, t.capacitance, t.time_constant),
        Node("winding_", t.winding_resistance, t.winding_capacitance, t.winding_time_constant),
        Node("housing_", t.housing_resistance, t.housing_capacitance, t.housing_time_constant),
    )


@dataclass(frozen=True, kw_only=True)
class Peak(Table, title="peak"):
    """The short-time rating and what is behind it."""

    torque: float | None = figure("N*m")
    """Largest short torque [N·m]."""
    current: float | None = figure("A")
    """Largest short current [A]."""
    duration: float | None = figure("s")
    """How long it may last [s]."""
    temperature: float | None = figure("degC", low=-273.15)
    """Winding temperature from which it may start [°C]."""


@dataclass(frozen=True, kw_only=True)
class SaturationFigures(Table, title="saturation"):
    """Above a knee the torque grows with the logarithm of the current; currents in the sheet's convention."""

    together: ClassVar[dict[str, tuple[str, ...]]] = {
        "knee_current": ("scale", "torque"),
        "scale": ("knee_current", "torque"),
        "torque": ("knee_current", "scale"),
    }

    knee_current: float | None = figure("A")
    """Current up to which the torque is proportional [A]."""
    scale: float | None = figure("1/A")
    """Steepness of the logarithm beyond the knee [1/A]."""
    torque: float | None = figure("N*m")
    """Torque gained per doubling of the logarithm's argument, at the motor [N·m]."""


@dataclass(frozen=True, kw_only=True)
class GearStage(Table, title="gear", repeated=True):
    """One stage of the gear train, or the whole gearbox where the maker gives one figure for it."""

    ratio: float | None = figure("1", low=-math.inf)
    """Input speed over output speed [1]; negative if it turns the other way."""
    efficiency: float | None = figure("1", high=1.0)
    """Power out over power in while the motor drives [1]."""
    back_efficiency: float | None = figure("1", high=1.0)
    """Power out over power in while the load drives [1]."""
    inertia: float | None = figure("kg*m^2", open=False)
    """Moment of inertia at the input of this stage [kg·m²]."""
    backlash: float | None = figure("rad")
    """Free play at the output of this stage, from flank to flank [rad]."""
    torque: float | None = figure("N*m")
    """Permissible continuous torque at the output of this stage [N·m]."""
    peak_torque: float | None = figure("N*m")
    """Permissible short torque at the output of this stage [N·m]."""
    max_input_speed: float | None = figure("rad/s")
    """Permissible speed at the input of this stage [rad/s]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.ratio is None or self.ratio == 0:
            raise DatasheetError(f"[gear] ratio = {self.ratio}: every stage needs one that is not zero, such as 9")


@dataclass(frozen=True, kw_only=True)
class CoggingFigures(Table, title="cogging", repeated=True):
    """One harmonic of the cogging torque, at the motor: a size and a period, each in one of two ways."""

    together: ClassVar[dict[str, tuple[str, ...]]] = {"poles": ("slots",), "slots": ("poles",)}
    apart: ClassVar[dict[str, tuple[str, ...]]] = {"amplitude": ("share",), "periodicity": ("poles", "slots")}

    amplitude: float | None = figure("N*m", open=False)
    """Peak torque [N·m]."""
    share: float | None = figure("1", high=1.0)
    """Peak torque over the nominal torque, instead of `amplitude` [1]."""
    periodicity: float | None = figure("1", linear="rad/m")
    """Periods per turn of the rotor [1]; of a linear motor 2π over the length of a period [rad/m]."""
    poles: float | None = figure("1")
    """Number of magnet poles, twice the pole pairs, instead of `periodicity` [1]."""
    slots: float | None = figure("1")
    """Number of stator slots: the least common multiple with `poles` is the periodicity [1]."""
    phase: float | None = figure("rad", low=-math.inf, linear="rad")
    """Phase at rotor angle 0 [rad]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.amplitude is None and self.share is None:
            raise DatasheetError("[cogging] needs an amplitude, or share instead")
        if self.periodicity is None and self.poles is None:
            raise DatasheetError("[cogging] needs a periodicity, or poles and slots instead")
        for name, value, step, kind in (("poles", self.poles, 2, "an even"), ("slots", self.slots, 1, "a whole")):
            if value is not None and value % step:
                raise DatasheetError(f"[cogging] {name} = {value:g}: must be {kind} number")

    @property
    def periods(self) -> float:
        """Periods per turn of the rotor [1]."""
        if self.poles is None or self.slots is None:
            return self.periodicity or 0.0
        return float(math.lcm(round(self.poles), round(self.slots)))


@dataclass(frozen=True, kw_only=True)
class LimitFigures(Table, title="limits"):
    """What the drive enforces; currents in the sheet's convention."""

    continuous_current: float | None = figure("A")
    """Continuous current [A]."""
    peak_current: float | None = figure("A")
    """Current allowed while the winding is cool [A]."""
    current_rate: float | None = figure("A/s")
    """Fastest change of the current [A/s]."""
    derating_start: float | None = figure("degC", low=-273.15)
    """Winding temperature at which the limit begins to fall [°C]."""
    derating_end: float | None = figure("degC", low=-273.15)
    """Winding temperature at which the limit has fallen to its low value [°C]."""
    safe_current: float | None = figure("A", open=False)
    """Low value of the limit when hot [A]."""
