"""Fit the rules by which `Datasheet.estimates()` estimates what a maker does not print, and write them down.

    python tools/fit_estimates.py            # print the table of rules
    python tools/fit_estimates.py --write    # and write src/backemf/datasheet/estimate_rules.toml
    python tools/fit_estimates.py --table    # print the table of docs/concepts/datasheets.md from the rules that ship
    python tools/fit_estimates.py --picture docs/images/estimates.svg

Reads `maxon_catalogue/maxon_motors.csv` in the folder named by BACKEMF_DATA, or in ../shared/data. A rule is a product
of powers, fitted by least squares in log space. Windings of one motor are near-duplicates, so every frame size has the
same weight however many windings it is sold with. The range of a rule is that of its errors on families of motors that
were left out of the fit, since a stranger's motor is of none of these families: their root mean square times the 90 %
point of Student's t, with as many degrees of freedom as families and frames leave. A rule is kept if its ranges cover
85 to 95 % of the frames of families that neither the fit nor the range has seen.
"""

from __future__ import annotations

import csv
import math
import os
import re
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import stats

HERE = Path(__file__).resolve().parent.parent
RULES = HERE / "src" / "backemf" / "datasheet" / "estimate_rules.toml"
LEAST, MOST = 0.85, 0.95
"""Share of frames of unseen families that the ranges of a rule that ships must cover."""

# article numbers say nothing of the family; all others begin with its name
ARTICLES = {
    "A-max": (
        "265376 265378 265392 110045 110049 110056 110069 110089 110095 249987 110121 110125 110128 110147 110151 "
        "110164 110212 110940 236662 236670"
    ),
    "RE": "148867 148877 578296 578298 353295 353297",
    "EC": "315173 118889 118890 393023 393025",
    "EC-max": (
        "283828 283833 283835 283838 283840 283858 283860 272768 272770 272763 272765 283867 283869 283873"
    ),
    "EC-4pole": "323218 323219 323220 311536 311538 309756 309758 305013 305015",
    "EC-i": (
        "539473 539482 539477 539487 449464 449470 496651 496652 496654 496655 496660 496661 574741 579165 606793 "
        "634043"
    ),
    "EC flat": (
        "624163 236679 351008 370416 267121 370418 200142 339281 251601 339287 397172 402687 350909 370427 625858 "
        "625855 614949 642221 607942 515458 580047 607950 607930 500267 500269 597974"
    ),
}  # fmt: skip
PREFIXES = {"DC-MAX": "DC-max", "DCX": "DCX", "ECX": "ECX"}

# the catalogue has no thermal time constants: capacities t/R of the motors that print them, from their datasheets
# name, family, mass [kg], winding [J/K], housing [J/K]
CAPACITIES: tuple[tuple[str, str, float, float, float | None], ...] = (
    ("RE 25", "RE", 0.13, 12.0 / 3.1, 612 / 14),
    ("RE 30", "RE", 0.26, 16.9 / 1.7, 593 / 6.0),
    ("RE 40", "RE", 0.48, 41.5 / 1.93, 809 / 4.65),
    ("RE 65", "RE", 2.1, 123 / 1.85, 1060 / 1.3),
    ("EC 32 flat", "EC flat", 0.057, 8.1 / 4.63, 108 / 9.74),
    ("EC 45 flat 30 W", "EC flat", 0.075, 13.2 / 4.57, 186 / 4.23),
    ("EC 45 flat 50 W", "EC flat", 0.11, 16.6 / 4.5, 212 / 4.25),
    ("EC 45 flat 70 W", "EC flat", 0.14, 29.6 / 4.1, None),
    ("EC 90 flat", "EC flat", 0.96, 31.9 / 1.02, 204 / 1.37),
    ("EC-max 16", "EC-max", 0.036, 0.914 / 2.57, None),
    ("DC-max 22 S", "DC-max", 0.053, 14.3 / 6.0, None),
    ("Faulhaber 0816 SR", "Faulhaber SR", 0.0045, 4.2 / 20, 242 / 48),
    ("Faulhaber 1331 SR", "Faulhaber SR", 0.019, 5 / 6.0, 190 / 25),
    ("Faulhaber 3564 B", "Faulhaber B", 0.31, 23 / 2.5, 1175 / 6.3),
)

# friction of other makers' motors is not that of maxon's: what their datasheets print, and what was measured on them
# name, maker, Kt²/R [N²·m²/W], nominal torque [N·m], brushed, torque that the free motor overcomes [N·m]
OTHER_FRICTION: tuple[tuple[str, str, float, float | None, float | None, float], ...] = (
    ("Faulhaber 1331 SR", "Faulhaber", 9.486e-6, 0.0032, 1.0, 0.00012),
    ("Faulhaber 3274 BP4", "Faulhaber", 3.226e-3, 0.1851, 0.0, 0.01003),
    ("Faulhaber 3564 B", "Faulhaber", 3.373e-4, 0.044, 0.0, 0.003812),
    ("CIM", "CIM", 3.669e-3, None, 1.0, 0.04913),
    ("775pro", "VEX", 3.135e-4, None, 1.0, 0.003709),
    ("Falcon 500", "CTRE", 7.132e-3, None, 0.0, 0.02737),
    ("Kraken X60", "CTRE", 0.01145, None, 0.0, 0.03874),
    ("NEO", "REV", 5.365e-3, None, 0.0, 0.04457),
    ("NEO Vortex", "REV", 5.118e-3, None, 0.0, 0.06168),
    ("AK60-6", "T-Motor", 0.01765, 0.4964, 0.0, 0.0068),
    ("AK80-6", "T-Motor", 0.04871, 1.083, 0.0, 0.0091),
    ("U8 KV100", "T-Motor", 0.1054, 1.064, 0.0, 0.05024),
    ("mini cheetah", "MIT", 0.02168, None, 0.0, 0.1103),
    ("Cheetah 3", "MIT", 0.2359, None, 0.0, 0.1304),
    ("XL-320", "ROBOTIS", 3.299e-7, None, None, 0.0002681),
)


@dataclass(frozen=True)
class Wanted:
    """A rule to try."""

    figure: str
    """What it estimates, as the motor calls it."""
    unit: str
    """SI unit."""
    predictors: tuple[str, ...]
    """From which figures; "brushed" is 1 or 0."""
    times: str = ""
    """A figure that the estimate is proportional to, without a fit."""


INERTIA = (
    ("motor_constant", "no_load_speed"), ("motor_constant", "max_speed"), ("motor_constant",), ("nominal_torque",),
    ("mass",), ("mass", "max_speed"),
)  # fmt: skip
FRICTION = (
    ("nominal_torque", "brushed"), ("mass", "motor_constant", "brushed"), ("motor_constant", "brushed"),
    ("mass", "brushed"), ("nominal_torque",), ("motor_constant",), ("mass",),
)  # fmt: skip
INDUCTANCE = (
    ("nominal_torque", "motor_constant", "brushed"), ("nominal_torque", "motor_constant"), ("mass", "motor_constant"),
    ("motor_constant",), ("mass",),
)  # fmt: skip
WINDING_HEAT = (
    ("mass", "brushed"), ("mass",), ("motor_constant", "brushed"), ("motor_constant",),
)  # fmt: skip
HOUSING_HEAT = (("nominal_torque",), ("motor_constant",), ("mass",), ("nominal_torque", "motor_constant"))
WANTED = (
    *(Wanted("rotor.inertia", "kg*m^2", p) for p in INERTIA),
    *(Wanted("friction.coulomb", "N*m", p) for p in FRICTION),
    *(Wanted("winding.inductance", "H", p, times="resistance") for p in INDUCTANCE),
    *(Wanted("thermal.winding_resistance", "K/W", p) for p in WINDING_HEAT),
    *(Wanted("thermal.housing_resistance", "K/W", p) for p in HOUSING_HEAT),
    Wanted("thermal.winding_capacitance", "J/K", (), times="mass"),
    Wanted("thermal.housing_capacitance", "J/K", (), times="mass"),
)


@dataclass(frozen=True)
class Data:
    """Motors with their figures in log space."""

    columns: dict[str, np.ndarray]
    family: np.ndarray
    weight: np.ndarray

    def take(self, some: np.ndarray) -> Data:
        """Some of the motors."""
        return Data({k: v[some] for k, v in self.columns.items()}, self.family[some], self.weight[some])

    def matrix(self, predictors: tuple[str, ...]) -> np.ndarray:
        """A column of ones and the predictors."""
        return np.column_stack([np.ones(len(self.weight)), *(self.columns[name] for name in predictors)])


def data_folder() -> Path:
    """Where the measurements of others are."""
    return Path(os.environ.get("BACKEMF_DATA", HERE.parent / "shared" / "data"))


def family_of(article: str) -> str:
    """The family of a motor, from its name or its article number."""
    for prefix, family in PREFIXES.items():
        if article.startswith(prefix):
            return family
    for family, articles in ARTICLES.items():
        if article in articles.split():
            return family
    raise ValueError(f"{article}: belongs to no family that is known here; add it to ARTICLES")


def frame_of(article: str, family: str, mass: float, inertia: float, seen: dict[str, tuple[str, float, float]]) -> str:
    """The frame size of a motor: of its name, or the one of the family with about the same mass and inertia."""
    if named := re.match(r"(DC-MAX|DCX|ECXZ)\d\d[A-Z]", article):
        return named.group()
    for frame, (of, kilograms, moment) in seen.items():
        if of == family and abs(math.log(mass / kilograms)) < 0.1 and abs(math.log(inertia / moment)) < 0.35:
            return frame
    seen[article] = (family, mass, inertia)
    return article


def figures_of(row: dict[str, str]) -> dict[str, float]:
    """Predictors and what is estimated, of one motor, in SI."""
    kt, r, i0 = float(row["k_t"]), float(row["R"]), float(row["I_nl"])
    return {
        "motor_constant": kt**2 / r,
        "nominal_torque": kt * (float(row["I_nom"]) - i0),
        "no_load_speed": float(row["omega_nl"]),
        "max_speed": float(row["max_int_speed"]),
        "mass": float(row["mass"]),
        "resistance": r,
        "rotor.inertia": float(row["inertia"]),
        "friction.coulomb": kt * i0,
        "winding.inductance": float(row["L"]),
        "thermal.winding_resistance": float(row["Rth1"]),
        "thermal.housing_resistance": float(row["Rth2"]),
    }


def catalogue(folder: Path) -> Data:
    """The 640 motors; every figure used here is stated for all of them."""
    with (folder / "maxon_catalogue" / "maxon_motors.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    known = [figures_of(row) for row in rows]
    family = [family_of(row["ID"]) for row in rows]
    seen: dict[str, tuple[str, float, float]] = {}
    frames = [
        frame_of(row["ID"], f, k["mass"], k["rotor.inertia"], seen)
        for row, f, k in zip(rows, family, known, strict=True)
    ]
    columns = {name: np.log([k[name] for k in known]) for name in known[0]}
    if not all(np.isfinite(column).all() for column in columns.values()):
        raise ValueError("maxon_motors.csv: a figure that is fitted is missing, zero or negative")
    columns["brushed"] = np.array([float(row["type"] == "DC") for row in rows])
    return Data(columns, np.array(family), np.array([1.0 / frames.count(frame) for frame in frames]))


def capacities(figure: str) -> Data:
    """The motors whose thermal time constants are known."""
    column = {"thermal.winding_capacitance": 3, "thermal.housing_capacitance": 4}[figure]
    rows = [row for row in CAPACITIES if row[column] is not None]
    values = np.array([float(row[column] or 0.0) for row in rows])
    columns = {"mass": np.log([row[2] for row in rows]), figure: np.log(values)}
    return Data(columns, np.array([row[1] for row in rows]), np.ones(len(rows)))


def fit(data: Data, rule: Wanted) -> np.ndarray:
    """Logarithm of the factor, then the exponents."""
    root = np.sqrt(data.weight)
    matrix = data.matrix(rule.predictors) * root[:, None]
    return np.linalg.lstsq(matrix, target(data, rule) * root, rcond=None)[0]


def target(data: Data, rule: Wanted) -> np.ndarray:
    """What is fitted: the figure, over what it is proportional to."""
    return data.columns[rule.figure] - (data.columns[rule.times] if rule.times else 0.0)


def misses(data: Data, rule: Wanted) -> np.ndarray:
    """Error of each motor in log space, by the fit without its family."""
    found = np.empty(len(data.weight))
    for family in sorted(set(data.family)):
        out = data.family == family
        rest, left = data.take(~out), data.take(out)
        found[out] = target(left, rule) - left.matrix(rule.predictors) @ fit(rest, rule)
    return found


def log_range(data: Data, rule: Wanted) -> float:
    """Half width of the 90 % range in log space, for a motor of a family that is not among these."""
    return half_width(data, misses(data, rule))


def half_width(data: Data, errors: np.ndarray) -> float:
    """Root mean square of errors in log space, times Student's t."""
    square = np.average(errors**2, weights=data.weight)
    return float(stats.t.ppf(0.95, freedom(data, errors)) * math.sqrt(square))


def freedom(data: Data, errors: np.ndarray) -> float:
    """Degrees of freedom of the errors: near families - 1 if families differ, near frames - families if they do not.

    Satterthwaite's rule for the sum of the variance between families and the variance within them.
    """
    frames, families = data.weight.sum(), sorted(set(data.family))
    of = {f: data.family == f for f in families}
    size = {f: data.weight[of[f]].sum() for f in families}
    mean = {f: np.average(errors[of[f]], weights=data.weight[of[f]]) for f in families}
    middle = np.average(errors, weights=data.weight)
    k = len(families)
    between = sum(size[f] * (mean[f] - middle) ** 2 for f in families) / (k - 1)
    within = sum(float(data.weight[of[f]] @ (errors[of[f]] - mean[f]) ** 2) for f in families) / (frames - k)
    typical = (frames - sum(n**2 for n in size.values()) / frames) / (k - 1)
    a, b = between / typical, (1 - 1 / typical) * within
    return float((a + b) ** 2 / (a**2 / (k - 1) + b**2 / (frames - k)))


def coverage_by_family(data: Data, rule: Wanted) -> dict[str, tuple[float, float]]:
    """By family, left out of fit and range: the share of its frames that the range covers, and their number."""
    found = {}
    for family in sorted(set(data.family)):
        out = data.family == family
        rest, left = data.take(~out), data.take(out)
        error = np.abs(target(left, rule) - left.matrix(rule.predictors) @ fit(rest, rule))
        inside = error <= log_range(rest, rule)
        found[str(family)] = (float(np.average(inside, weights=left.weight)), float(left.weight.sum()))
    return found


def coverage_of_all(by_family: dict[str, tuple[float, float]]) -> float:
    """Share of all frames."""
    return sum(share * n for share, n in by_family.values()) / sum(n for _, n in by_family.values())


def mass_share(folder: Path) -> tuple[float, float]:
    """Share of the motor in the mass of motor and gearbox, and the factor of its 90 % range, every family alike."""
    tables = folder / "maxon_catalogue"
    with (tables / "maxon_motors.csv").open(encoding="utf-8") as file:
        motors = {row["key"]: (float(row["mass"]), family_of(row["ID"])) for row in csv.DictReader(file)}
    with (tables / "maxon_gearboxes.csv").open(encoding="utf-8") as file:
        gears = {row["key"]: float(row["mass"]) for row in csv.DictReader(file)}
    shares, families = [], []
    with (tables / "maxon_compatibility.csv").open(encoding="utf-8") as file:
        for motor, *fitting in csv.reader(file):
            for gear in fitting:
                if motor in motors and gears.get(gear, 0.0) > 0.0:
                    mass, family = motors[motor]
                    shares.append(math.log(mass / (mass + gears[gear])))
                    families.append(family)
    names, count = np.unique(families, return_counts=True)
    each = dict(zip(names, count, strict=True))
    weight = np.array([10.0 / each[family] for family in families])
    errors = np.array(shares) - np.average(shares, weights=weight)
    factor = math.exp(half_width(Data({}, np.array(families), weight), errors))
    return float(f"{math.exp(np.average(shares, weights=weight)):.3g}"), float(f"{factor:.3g}")


def elsewhere(rules: list[Fitted]) -> tuple[float, float]:
    """Factor of the 90 % range of friction for makers other than maxon, and its coverage of makers left out."""
    friction = [f for f in rules if f.rule.figure == "friction.coulomb" and f.ships]
    errors = []
    for _, _, constant, torque, brushed, value in OTHER_FRICTION:
        known = {"motor_constant": math.log(constant)}
        known |= {} if torque is None else {"nominal_torque": math.log(torque)}
        known |= {} if brushed is None else {"brushed": brushed}
        best = next(f for f in friction if set(f.rule.predictors) <= set(known))
        log = best.coefficients[0]
        log += sum(c * known[p] for p, c in zip(best.rule.predictors, best.coefficients[1:], strict=True))
        errors.append(math.log(value) - log)
    data = Data({"error": np.array(errors)}, np.array([row[1] for row in OTHER_FRICTION]), np.ones(len(errors)))
    inside = []
    for maker in sorted(set(data.family)):
        out = data.family == maker
        rest, left = data.take(~out), data.take(out)
        inside += list(np.abs(left.columns["error"]) <= half_width(rest, rest.columns["error"]))
    factor = math.exp(half_width(data, data.columns["error"]))
    return float(f"{factor:.3g}"), float(np.mean(inside))


@dataclass(frozen=True)
class Fitted:
    """A rule with its numbers."""

    rule: Wanted
    coefficients: tuple[float, ...]
    factor: float
    """The range is the estimate divided and multiplied by this."""
    by_family: dict[str, tuple[float, float]]
    low: tuple[float, ...]
    high: tuple[float, ...]
    """Range of each predictor in the fit."""
    motors: int
    elsewhere: float = 0.0
    """The same factor for makers other than maxon; 0: no other."""

    @property
    def coverage(self) -> float:
        """Share of the frames of unseen families that the range covers."""
        return coverage_of_all(self.by_family)

    @property
    def ships(self) -> bool:
        """Whether the range means what it says."""
        return LEAST <= self.coverage <= MOST


def fit_rule(data: Data, rule: Wanted) -> Fitted:
    """A rule fitted to all motors and checked on families left out."""
    real = [name for name in (*rule.predictors, rule.times) if name not in ("brushed", "", "resistance")]
    return Fitted(
        rule=rule,
        coefficients=tuple(float(f"{c:.4g}") for c in fit(data, rule)),
        factor=float(f"{math.exp(log_range(data, rule)):.3g}"),
        by_family=coverage_by_family(data, rule),
        low=tuple(float(f"{math.exp(data.columns[name].min()):.3g}") for name in real),
        high=tuple(float(f"{math.exp(data.columns[name].max()):.3g}") for name in real),
        motors=len(data.weight),
    )


def all_rules(folder: Path) -> list[Fitted]:
    """Every rule that was tried, the narrowest of each figure first."""
    motors = catalogue(folder)
    found = [fit_rule(capacities(w.figure) if "capacitance" in w.figure else motors, w) for w in WANTED]
    order = {figure: index for index, figure in enumerate(dict.fromkeys(w.figure for w in WANTED))}
    found.sort(key=lambda f: (order[f.rule.figure], f.factor))
    factor, _ = elsewhere(found)
    return [replace(f, elsewhere=max(factor, f.factor)) if f.rule.figure == "friction.coulomb" else f for f in found]


HEAD = """\
# Made by tools/fit_estimates.py: ln(figure / times) = coefficients[0] + sum of coefficients[i]·ln(predictor), brushed
# being 1 or 0. The 90 % range is the estimate divided and multiplied by `factor`, or by `elsewhere` for makers other
# than maxon. `mass_share` is the motor's share in the mass of motor and gearbox."""


def write(rules: list[Fitted], share: tuple[float, float]) -> str:
    """The rules that ship, as TOML."""
    lines = [HEAD, f"mass_share = {share[0]}", f"mass_share_factor = {share[1]}"]
    for f in rules:
        if f.ships:
            lines += [
                "",
                "[[rule]]",
                f'figure = "{f.rule.figure}"',
                f'unit = "{f.rule.unit}"',
                f"predictors = {list(f.rule.predictors)}".replace("'", '"'),
                f'times = "{f.rule.times}"',
                f"coefficients = {list(f.coefficients)}",
                f"factor = {f.factor}",
                f"elsewhere = {f.elsewhere or f.factor}",
                f"coverage = {round(f.coverage, 3)}",
                f"low = {list(f.low)}",
                f"high = {list(f.high)}",
                f"motors = {f.motors}",
                f"families = {len(f.by_family)}",
            ]
    return "\n".join(lines) + "\n"


def table() -> str:
    """The rules that ship, as the documentation has them."""
    from backemf.datasheet.estimate import WORDS, rules

    lines = ["| figure | rule, SI units | factor | covered |", "|---|---|---|---|"]
    for rule in rules():
        formula = rule.formula()
        if "brushed" in rule.predictors:
            formula += f"; with brushes {rule.formula(brushed=True).split(' = ')[1].split('·')[0]}"
        factor = f"{rule.factor:.2g}"
        if rule.elsewhere > rule.factor:
            factor += f"; other makers {rule.elsewhere:.2g}"
        lines.append(f"| {WORDS[rule.figure][0]} | {formula} | {factor} | {100 * rule.coverage:.0f} % |")
    return "\n".join(lines)


def picture(path: Path) -> None:
    """Listed over estimated, each motor by a fit without its family, with the 90 % range of the rule that ships."""
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    from backemf.plot.style import GREY, LIGHT, look, save

    data, rules = catalogue(data_folder()), all_rules(data_folder())
    shown = {
        "rotor.inertia": ("rotor inertia", 1e7, "g·cm²"),
        "friction.coulomb": ("no-load friction", 1e3, "mN·m"),
        "thermal.housing_resistance": ("Rth, housing to ambient", 1.0, "K/W"),
    }
    families, colours = sorted(set(data.family)), colormaps["tab10"].colors
    with look():
        figure = Figure(figsize=(10.5, 3.9), layout="constrained")
        axes = figure.subplots(1, 3)
        for axis, (name, (title, scale, unit)) in zip(axes, shown.items(), strict=True):
            best = next(f for f in rules if f.rule.figure == name and f.ships)
            listed = scale * np.exp(target(data, best.rule))
            estimated = listed / np.exp(misses(data, best.rule))
            ends = np.array([min(estimated.min(), listed.min()) / 1.5, max(estimated.max(), listed.max()) * 1.5])
            axis.fill_between(ends, ends / best.factor, ends * best.factor, color=LIGHT, lw=0)
            axis.plot(ends, ends, color=GREY, lw=0.8)
            for family, colour, shape in zip(families, colours, "os^vDPX<>*", strict=True):
                some = data.family == family
                axis.plot(estimated[some], listed[some], shape, ms=3.5, mew=0, color=colour, label=family)
            axis.set(xscale="log", yscale="log", xlim=ends, ylim=ends, title=title)
            axis.set(xlabel=f"estimated without its family [{unit}]", ylabel=f"listed [{unit}]")
        axes[-1].legend(loc="upper left", bbox_to_anchor=(1.0, 1.0), frameon=False, fontsize=8, markerscale=2)
        save(figure, path)


def main() -> None:
    """Print what was tried, and write what ships."""
    if "--table" in sys.argv[1:]:
        print(table())
        return
    if "--picture" in sys.argv[1:]:
        picture(Path(sys.argv[-1]))
        return
    rules = all_rules(data_folder())
    for f in rules:
        mark = "" if f.ships else "  (not kept)"
        names = ", ".join(f.rule.predictors) or f.rule.times
        print(f"{f.rule.figure:28} {names:40} x{f.factor:<6} {f.coverage:6.1%}{mark}")
        print("    " + ", ".join(f"{family} {share:.0%}" for family, (share, _) in f.by_family.items()))
    factor, coverage = elsewhere(rules)
    print(f"friction of other makers: x{factor}, {coverage:.1%} of the motors of makers left out")
    if "--write" in sys.argv[1:]:
        RULES.write_text(write(rules, mass_share(data_folder())), encoding="utf-8")


if __name__ == "__main__":
    main()
