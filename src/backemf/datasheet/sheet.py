"""The datasheet: what a maker prints, in the maker's conventions, with the source of every figure."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DatasheetError
from ..hooks import call_hook
from ..units import linear_unit
from ..values import Foreign, Json
from .figures import (
    CoggingFigures,
    Conventions,
    Electrical,
    FrictionFigures,
    GearStage,
    LimitFigures,
    Mechanical,
    Peak,
    SaturationFigures,
    ThermalFigures,
)
from .table import LISTS, TABLES, Table, quantities

if TYPE_CHECKING:
    from ..actuator import Actuator
    from ..motor import Estimate, Motor
    from .finding import Finding
    from .joint_limits import JointLimits
    from .solve import Solved

QUANTITIES = {name: it for table in reversed((TABLES | LISTS).values()) for name, it in quantities(table).items()}
"""Unit and range of every figure by its name, which is that of the first table where several have it."""


@dataclass(frozen=True)
class Figure:
    """One figure of a sheet, for printing."""

    table: str
    """Its table, `gear[0]` for the first stage."""
    key: str
    """Its name there."""
    value: Json
    """Its value in SI, in the sheet's own convention."""
    unit: str
    """SI unit of the value, as `units.format_quantity` takes it."""
    source: str
    """Where the figure comes from."""


@dataclass(frozen=True, kw_only=True)
class Datasheet:
    """What a maker prints about a motor. Every figure is optional; `motor()` says what is missing."""

    name: str
    """What people call the motor."""
    maker: str = ""
    """Who makes it."""
    kind: str = ""
    """What it is, such as `"brushed DC"`."""
    source: str = ""
    """Where the figures come from, unless `sources` names another origin."""
    identified: str = ""
    """Who measured the figures, on what and how, where they are identified and not printed by the maker."""
    notes: tuple[str, ...] = ()
    """What a reader should know besides the figures."""
    conventions: Conventions = field(default_factory=Conventions)
    electrical: Electrical = field(default_factory=Electrical)
    mechanical: Mechanical = field(default_factory=Mechanical)
    friction: FrictionFigures = field(default_factory=FrictionFigures)
    thermal: ThermalFigures = field(default_factory=ThermalFigures)
    peak: Peak = field(default_factory=Peak)
    saturation: SaturationFigures = field(default_factory=SaturationFigures)
    limits: LimitFigures = field(default_factory=LimitFigures)
    gear: tuple[GearStage, ...] = ()
    """The stages of the gearbox, from the motor to the output."""
    cogging: tuple[CoggingFigures, ...] = ()
    """The harmonics of the cogging torque."""
    sources: dict[str, str] = field(default_factory=dict)
    """Source of single figures that differ from `source`, by `"key"` or `"table.key"`."""
    measured: dict[str, Json] = field(default_factory=dict)
    """Measurements that are not datasheet rows: texts, numbers and lists, kept and shown but not used."""
    origin: str = field(default="", compare=False)
    """The file it was read from, for messages."""

    def __post_init__(self) -> None:
        friction, newton = self.friction, linear_unit("N·m") if self.motion == "linear" else "N·m"
        if friction.stiction is not None and friction.stiction < (friction.coulomb or 0.0):
            raise DatasheetError(
                f"{self.label}, [friction] stiction = {friction.stiction:g} {newton} is below coulomb = "
                f"{friction.coulomb:g} {newton}: friction at rest must be at least the friction when sliding"
            )
        self._require_cogging()
        if self.motion == "linear":
            self._require_slide()
        for key in self.sources:
            if key.split(".")[-1] not in QUANTITIES:
                raise DatasheetError(f"{self.label}, [sources] {key}: there is no such figure")

    def _require_cogging(self) -> None:
        """Check that a share has a torque to refer to, and that poles agree with the pole pairs."""
        pairs = self.electrical.pole_pairs
        for h in self.cogging:
            if h.share is not None and self.mechanical.nominal_torque is None:
                raise DatasheetError(
                    f"{self.label}, [[cogging]] share = {h.share:g}: is a share of a nominal torque that is not given: "
                    "give [mechanical] nominal_torque, or an amplitude instead"
                )
            if h.poles is not None and pairs is not None and h.poles != 2 * pairs:
                raise DatasheetError(
                    f"{self.label}, [[cogging]] poles = {h.poles:g}: contradicts [electrical] pole_pairs = {pairs:g}: "
                    "poles are twice the pole pairs: correct one of them"
                )

    def _require_slide(self) -> None:
        """Check that a linear motor has neither gears nor poles per turn."""
        if self.gear:
            raise DatasheetError(
                f"{self.label}, [[gear]]: a linear motor has no gearbox: leave it out; a rotary motor with a screw or "
                "a belt is a rotary sheet, and LeadScrew or Belt brings it to the slide"
            )
        if any(h.poles is not None for h in self.cogging):
            raise DatasheetError(
                f"{self.label}, [[cogging]] poles: a linear motor has no turns to count them on: give a periodicity, "
                '2π over the length of a period, such as "262 rad/m"'
            )

    @property
    def motion(self) -> str:
        """Whether the motor turns, `"rotary"`, or slides, `"linear"`."""
        return self.conventions.motion

    @property
    def label(self) -> str:
        """What messages call this sheet: its file, else its name."""
        return Path(self.origin).name if self.origin else self.name

    @classmethod
    def load(cls, id_or_path: str | Path) -> Datasheet:
        """A sheet of the catalogue by its id, or your own by its path."""
        from .read import read_file

        return read_file(id_or_path)

    @classmethod
    def loads(cls, text: str, name: str = "<text>") -> Datasheet:
        """A sheet from TOML text; messages call it `name`."""
        from .read import read_text

        return read_text(text, name)

    @classmethod
    def from_si(cls, name: str, **tables: Foreign) -> Datasheet:
        """A sheet from plain SI numbers: `from_si("RE 40", electrical={"resistance": 1.13}, gear=[{"ratio": 9}])`."""
        from .read import from_si

        return from_si(name, tables)

    @staticmethod
    def catalog() -> list[str]:
        """The ids of the motors that come with the library."""
        from .. import catalog

        return catalog.ids()

    def check(self) -> list[Finding]:
        """Compare every redundant figure with what the others predict."""
        from .check import check

        with self._solve() as s:
            return check(s)

    def predict(self) -> dict[str, float]:
        """The figures this sheet's constants predict, by name: SI, at the motor, in DC-equivalent amperes."""
        from .predict import predict

        with self._solve() as s:
            return predict(s)

    def how(self) -> dict[str, str]:
        """Which figures each constant of the motor comes from, in words."""
        with self._solve() as s:
            return dict(s.how)

    def estimates(self) -> list[Estimate]:
        """Estimates of what this sheet does not give, each with its 90 % range and its rule."""
        from .estimate import estimates

        with self._solve() as s:
            return estimates(s)

    def motor(self, estimate: bool = False, **overrides: object) -> Motor:
        """The motor in SI units; `overrides` replace its parts, such as `limits=Limits(...)` or `friction=None`.

        With `estimate`, what the sheet does not give is estimated; `Motor.valid_estimates` says what.
        """
        from .derive import derive

        with self._solve() as s:
            return derive(s, overrides, estimate)

    def actuator(self, estimate: bool = False, **overrides: object) -> Actuator:
        """The motor of the sheet as an actuator; where the figures are too few for one, the limits of the joint alone.

        Without a winding, a peak (or rated) torque and a top speed make a torque-speed line with a flat top.
        `estimate` and `overrides` are those of `motor()`; limits alone are never estimated.
        """
        from ..actuator import Actuator
        from .joint_limits import limits_actuator

        with self._solve() as s:
            if not s.missing() or overrides or self.motion == "linear":
                return Actuator(self.motor(estimate=estimate, **overrides))
            return limits_actuator(s)

    def limits_only(self) -> tuple[JointLimits, list[str]]:
        """The limits of the joint that the sheet gives without a winding, and what a motor lacks."""
        from .joint_limits import joint_limits

        with self._solve() as s:
            found = joint_limits(s)
        if found is None:
            raise DatasheetError(f"{self.label}: no torque is given, and so there are no limits: give [peak] torque")
        return found, s.missing()

    def joint(self) -> dict[str, float]:
        """Inertia [kg·m²] and friction [N·m, N·m·s/rad] of the drive at the joint, as far as the sheet gives them."""
        from .joint_limits import joint_constants

        with self._solve() as s:
            return joint_constants(s)

    @property
    def says(self) -> str:
        """How complete the sheet is: "whole motor", "partial motor", "limits only" or "too little".

        A whole motor has a winding, inertia, friction and heat; a partial one has a winding and lacks one of the rest.
        """
        from .solve import completeness

        with self._solve() as s:
            return completeness(s)

    @contextmanager
    def _solve(self) -> Iterator[Solved]:
        """The constants that the figures give; figures of absurd size overflow somewhere, which is an error."""
        from .solve import solve

        try:
            yield solve(self)
        except ArithmeticError:
            raise DatasheetError(
                f"{self.label}: no motor has figures of such sizes together: check their units"
            ) from None

    def to_toml(self) -> str:
        """The sheet as TOML text that `loads` reads back exactly."""
        from .write import write

        return write(self)

    def replace(self, **changes: object) -> Datasheet:
        """The same sheet with other fields."""
        return replace(self, **changes)

    def source_of(self, table: str, key: str) -> str:
        """Where a figure comes from."""
        general = self.source or (f"identified {self.identified}" if self.identified else "")
        return self.sources.get(f"{table}.{key}", self.sources.get(key, general))

    def __repr__(self) -> str:
        return f"Datasheet({self.name}: {self.says}, {len(self.figures())} figures)"

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)

    def figures(self) -> list[Figure]:
        """Every figure that is given, in the order of the sheet."""
        parts: list[tuple[str, Table]] = [(name, getattr(self, name)) for name in TABLES]
        for name in LISTS:
            parts += [(f"{name}[{i}]", part) for i, part in enumerate(getattr(self, name))]
        found = []
        for name, part in parts:
            units = quantities(type(part))
            for key, value in part.entries().items():
                if key in units:
                    source = self.source_of(name.split("[")[0], key)
                    found.append(Figure(name, key, value, units[key].unit_of(self.motion), source))
        return found


FIELDS = tuple(f.name for f in fields(Datasheet) if f.name != "origin")
"""Top-level names in a sheet's file."""
