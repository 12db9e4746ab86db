"""Estimates of what a maker does not print, from what is printed, each with its 90 % range.

The rules are products of powers in `estimate_rules.toml`, which `tools/fit_estimates.py` makes.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from ..files import read_text
from ..motor import Estimate
from ..units import format_quantity
from ..values import Foreign
from .figures import nodes
from .solve import Solved

FARTHEST = 10.0
"""A rule is not used where a predictor is farther than this factor outside of the range it was fitted on."""
WORDS = {
    "rotor.inertia": ("rotor inertia", "J"),
    "friction.coulomb": ("no-load friction", "τc"),
    "winding.inductance": ("inductance", "L"),
    "thermal.winding_resistance": ("thermal resistance from winding to housing", "Rth1"),
    "thermal.housing_resistance": ("thermal resistance from housing to ambient", "Rth2"),
    "thermal.winding_capacitance": ("heat capacity of the winding", "C1"),
    "thermal.housing_capacitance": ("heat capacity of the housing", "C2"),
}
"""Name and symbol of what can be estimated, by its place in the motor."""
PREDICTORS = {
    "motor_constant": ("motor constant", "(Kt²/R)", "N²·m²/W"),
    "nominal_torque": ("nominal torque", "τn", "N*m"),
    "no_load_speed": ("no-load speed", "w0", "rad/s"),
    "max_speed": ("permissible speed", "wmax", "rad/s"),
    "mass": ("mass", "m", "kg"),
    "resistance": ("resistance", "R", "ohm"),
}
"""Name, symbol and unit of what it can be estimated from."""


@dataclass(frozen=True, kw_only=True)
class Rule:
    """One rule: figure = times · exp(coefficients[0]) · Π predictor^coefficient."""

    figure: str
    """What it estimates, by its place in the motor."""
    unit: str
    """SI unit of that."""
    predictors: tuple[str, ...]
    """From what; `"brushed"` is 1 with brushes and 0 without, and not a logarithm."""
    times: str
    """What the figure is proportional to beside the predictors; empty: nothing."""
    coefficients: tuple[float, ...]
    """Logarithm of the factor, then an exponent for each predictor [1]."""
    factor: float
    """The 90 % range is the estimate divided and multiplied by this [1]."""
    elsewhere: float
    """The same for makers other than maxon, where their motors are known to differ more [1]."""
    coverage: float
    """Share of the motors of families left out of the fit that the range covered [1]."""
    low: tuple[float, ...]
    high: tuple[float, ...]
    """Range of the fit of each predictor, and of `times` where it is the mass."""
    motors: int
    """Number of motors it was fitted on [1]."""
    families: int
    """Number of families they belong to [1]."""

    @property
    def needs(self) -> tuple[str, ...]:
        """Everything that has to be known of a motor."""
        return (*self.predictors, self.times) if self.times else self.predictors

    @property
    def ranges(self) -> dict[str, tuple[float, float, float]]:
        """Lower end, upper end and exponent of every figure whose range counts."""
        exponents = dict(zip(self.predictors, self.coefficients[1:], strict=True)) | {self.times: 1.0}
        names = [name for name in self.needs if name not in ("brushed", "resistance")]
        return {n: (low, high, exponents[n]) for n, low, high in zip(names, self.low, self.high, strict=True)}

    def formula(self, brushed: bool = False) -> str:
        """The rule as a product of powers."""
        constant = self.coefficients[0]
        terms = [PREDICTORS[self.times][1]] if self.times else []
        for name, exponent in zip(self.predictors, self.coefficients[1:], strict=True):
            if name == "brushed":
                constant += exponent * brushed
            else:
                terms.append(f"{PREDICTORS[name][1]}^{exponent:.2f}")
        return f"{WORDS[self.figure][1]} = {'·'.join([f'{math.exp(constant):.3g}', *terms])}"


@cache
def _content() -> dict[str, Foreign]:
    return tomllib.loads(read_text(Path(__file__).with_name("estimate_rules.toml")))


@cache
def rules() -> tuple[Rule, ...]:
    """The rules that come with the library, the narrowest of each figure first."""
    rows: list[dict[str, Foreign]] = [
        {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        for row in _content()["rule"]
    ]
    return tuple(Rule(**row) for row in rows)


def mass_share() -> tuple[float, float]:
    """Share of the motor in the mass of motor and gearbox [1], and the factor of its 90 % range [1]."""
    return _content()["mass_share"], _content()["mass_share_factor"]


@dataclass(frozen=True)
class Known:
    """What the rules need to know about a motor."""

    figures: dict[str, float]
    """The predictors, at the motor, in SI and DC-equivalent amperes."""
    maxon: bool = False
    """Whether maxon makes it, whose motors the rules were fitted on."""
    geared: bool = False
    """Whether its mass is taken to be a share of that of motor and gearbox."""


def estimates(s: Solved) -> list[Estimate]:
    """An estimate for every figure that the sheet does not give and that can be estimated from what it does give."""
    if s.sheet.motion == "linear":
        # the rules are of motors that turn
        return []
    known = known_of(s)
    found = []
    for figure in missing(s):
        made = [e for rule in rules() if rule.figure == figure and (e := apply(rule, known)) is not None]
        if made:
            # the narrowest for this sheet: outside of its range a good rule may be the worse one
            found.append(min(made, key=lambda e: e.high / e.low))
    return found


def missing(s: Solved) -> list[str]:
    """What a sheet does not give, of what the motor has a place for."""
    f, t = s.figures, s.sheet.thermal
    found = [] if s.inertia is not None else ["rotor.inertia"]
    if s.coulomb is None and f.stiction is None and not any(s.drag) and not f.iron_loss:
        found.append("friction.coulomb")
    if s.inductance is None:
        found.append("winding.inductance")
    single, *both = nodes(t)
    # a sheet with one lump of heat means one: two would contradict it
    if single.pair() is None and t.resistance is None and t.capacitance is None and t.time_constant is None:
        for node in both:
            if node.pair() is None:
                found += [f"thermal.{node.prefix}resistance"] if node.resistance is None else []
                unknown = node.capacitance is None and node.time_constant is None
                found += [f"thermal.{node.prefix}capacitance"] if unknown else []
    return found


def known_of(s: Solved) -> Known:
    """The predictors that a sheet gives."""
    f, mass = s.figures, s.sheet.mechanical.mass
    found: dict[str, float | None] = {
        "resistance": s.resistance,
        "nominal_torque": f.nominal_torque,
        "no_load_speed": f.no_load_speed,
        "max_speed": f.max_speed,
        # with a gearbox the sheet has the mass of both
        "mass": mass if mass is None or not s.sheet.gear else mass * mass_share()[0],
    }
    if s.kt is not None and s.resistance is not None:
        found["motor_constant"] = s.kt**2 / s.resistance
    if f.nominal_torque is None and f.nominal_current is not None and s.kt is not None:
        found["nominal_torque"] = s.kt * (f.nominal_current - (f.no_load_current or 0.0))
    if f.no_load_speed is None and f.nominal_voltage is not None and s.ke is not None:
        found["no_load_speed"] = f.nominal_voltage / s.ke
    known = {name: value for name, value in found.items() if value is not None and value > 0}
    kind = s.sheet.kind.lower()
    if "brush" in kind:
        known["brushed"] = float("brushless" not in kind)
    return Known(known, "maxon" in s.sheet.maker.lower(), bool(s.sheet.gear))


def apply(rule: Rule, of: Known) -> Estimate | None:
    """The estimate of a rule; None if a predictor is not known or too far outside of the fitted range."""
    known = of.figures
    if any(name not in known for name in rule.needs):
        return None
    log = rule.coefficients[0] + (math.log(known[rule.times]) if rule.times else 0.0)
    for name, exponent in zip(rule.predictors, rule.coefficients[1:], strict=True):
        log += exponent * (known[name] if name == "brushed" else math.log(known[name]))
    spread, outside = math.log(rule.factor if of.maxon else rule.elsewhere), []
    if of.geared and "mass" in rule.ranges:
        spread = math.hypot(spread, rule.ranges["mass"][2] * math.log(mass_share()[1]))
    for name, (low, high, exponent) in rule.ranges.items():
        beyond = max(math.log(low / known[name]), math.log(known[name] / high), 0.0)
        if beyond > math.log(FARTHEST):
            return None
        if beyond > 0.0:
            # out there the exponent is not known: it may be 0 or twice as large
            spread += abs(exponent) * beyond
            outside.append((name, low, high))
    value = math.exp(log)
    words = _sentence(rule, of, math.exp(spread), outside)
    return Estimate(rule.figure, value, value / math.exp(spread), value * math.exp(spread), rule.unit, words)


def _sentence(rule: Rule, of: Known, factor: float, outside: list[tuple[str, float, float]]) -> str:
    brushed = bool(of.figures.get("brushed"))
    share = f" ({mass_share()[0]:.0%} of that with the gearbox)" if of.geared else ""
    names = [PREDICTORS[name][0] + (share if name == "mass" else "") for name in rule.needs if name != "brushed"]
    source = " and ".join(names) if len(names) < 3 else f"{', '.join(names[:-1])} and {names[-1]}"
    kind = (" with brushes" if brushed else " without brushes") if "brushed" in rule.predictors else ""
    words = (
        f"{WORDS[rule.figure][0]}{kind} from {source}: {rule.formula(brushed)}, fitted on {rule.motors} motors of "
        f"{rule.families} families, 90 % within a factor of {factor:.2g}"
    )
    if not of.maxon and rule.elsewhere > rule.factor:
        words += ", as other makers' motors differ more"
    beyond = " and ".join(f"{PREDICTORS[name][0]} ({_ends(name, low, high)})" for name, low, high in outside)
    return f"{words}; outside of the fitted range of {beyond}, and so wider" if outside else words


def _ends(name: str, low: float, high: float) -> str:
    """A fitted range as text."""
    unit = PREDICTORS[name][2]
    if name == "motor_constant":
        return f"{low:g} to {high:g} {unit}"
    return f"{format_quantity(low, unit, 3)} to {format_quantity(high, unit, 3)}"


def with_estimates(s: Solved, made: list[Estimate]) -> Solved:
    """The constants, with estimates for those that are not known."""
    by_name = {e.name: e.value for e in made}
    heat: dict[str, Any] = {name[8:]: value for name, value in by_name.items() if name.startswith("thermal.")}
    return replace(
        s,
        sheet=s.sheet.replace(thermal=replace(s.sheet.thermal, **heat)),
        inertia=by_name.get("rotor.inertia", s.inertia),
        coulomb=by_name.get("friction.coulomb", s.coulomb),
        inductance=by_name.get("winding.inductance", s.inductance),
    )
