"""Estimates of what a maker does not print: their rules, their ranges, and the motors that remember them."""

import importlib.util
import json
import math
import os
import sys
import tomllib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from long import some_now
from typer.testing import CliRunner

import backemf as be
from backemf import motorfile
from backemf.cli.app import app
from backemf.datasheet import Datasheet
from backemf.datasheet.estimate import FARTHEST, WORDS, Known, apply, known_of, mass_share, missing, rules
from backemf.datasheet.figures import nodes
from backemf.datasheet.solve import solve
from backemf.motor import Estimate, Rotor, estimate_of, estimates_behind
from backemf.tree import map_numbers, numbers

ROOT = Path(__file__).parents[1]
DATA = Path(os.environ.get("BACKEMF_DATA", ROOT.parent / "shared" / "data"))
RULES = rules()
IDS = [f"{rule.figure} from {', '.join(rule.needs)}" for rule in RULES]
POOR = {"electrical": {"nominal_voltage": 24.0, "resistance": 0.5, "kt": 0.03}, "mechanical": {"mass": 0.3}}
"""A sheet with a winding and a mass, and nothing else."""
ALL = tuple(WORDS)


@pytest.fixture(scope="module")
def tool():
    """The script that makes the rules."""
    spec = importlib.util.spec_from_file_location("fit_estimates", ROOT / "tools" / "fit_estimates.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["fit_estimates"] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def refits(tool):
    """Every rule that is tried, fitted anew."""
    if not (DATA / "maxon_catalogue").is_dir():
        pytest.skip(f"no maxon catalogue at {DATA}: set BACKEMF_DATA to the folder of measurements")
    return tool.all_rules(DATA)


def sheet(kind="brushless DC", maker="somebody", gear=None, **tables):
    """A sheet of few figures in SI."""
    content = {name: dict(table) for name, table in POOR.items()}
    for name, table in tables.items():
        content[name] = content.get(name, {}) | table
    return Datasheet.from_si("poor", kind=kind, maker=maker, gear=gear or [], **content)


def call(*arguments):
    """The command line in this process."""
    return CliRunner(env={"COLUMNS": "160", "NO_COLOR": "1"}).invoke(app, [str(a) for a in arguments])


# --- the rules


def test_refit_finds_the_rules_that_ship(tool, refits):
    """The coefficients in the package are those that the script finds on the data."""
    made = tomllib.loads(tool.write(refits, tool.mass_share(DATA)))
    assert (made["mass_share"], made["mass_share_factor"]) == pytest.approx(mass_share(), rel=2e-3)
    assert [row["figure"] for row in made["rule"]] == [rule.figure for rule in RULES]
    for row, rule in zip(made["rule"], RULES, strict=True):
        assert (row.pop("unit"), row.pop("times")) == (rule.unit, rule.times)
        assert tuple(row.pop("predictors")) == rule.predictors
        del row["figure"]
        for name, value in row.items():
            expected = tuple(value) if isinstance(value, list) else value
            assert getattr(rule, name) == pytest.approx(expected, rel=2e-3), name


@pytest.mark.parametrize("index", some_now(range(len(RULES)), lambda index: index % 5 == 0), ids=IDS)
def test_ranges_cover_families_left_out(refits, index):
    """Of the frames of families that neither fit nor range has seen, the 90 % range covers 85 to 95 %."""
    kept = [fitted for fitted in refits if fitted.ships]
    share = sum(part * n for part, n in kept[index].by_family.values())
    total = sum(n for _, n in kept[index].by_family.values())
    assert 0.85 <= share / total <= 0.95
    assert share / total == pytest.approx(RULES[index].coverage, abs=1e-3)


def test_all_motors_have_a_family_and_windings_share_a_weight(tool):
    """640 motors of 10 families; every frame size counts once, however many windings it has."""
    if not (DATA / "maxon_catalogue").is_dir():
        pytest.skip(f"no maxon catalogue at {DATA}: set BACKEMF_DATA to the folder of measurements")
    data = tool.catalogue(DATA)
    assert len(data.weight) == 640
    assert len(set(data.family)) == 10
    frames = data.weight.sum()
    assert frames == pytest.approx(round(frames)) and 50 < frames < 100


def test_friction_of_other_makers_covers_makers_left_out(tool, refits):
    """The wider range of friction holds for makers that are not among those it was made from."""
    factor, coverage = tool.elsewhere(refits)
    assert 0.85 <= coverage <= 0.95
    assert all(rule.elsewhere == pytest.approx(factor) for rule in RULES if rule.figure == "friction.coulomb")


@pytest.mark.parametrize("between, within", [(1.0, 0.1), (0.5, 0.5), (0.1, 1.0)])
def test_range_covers_nine_of_ten_whatever_differs(tool, between, within):
    """On made-up motors the range covers about 90 %, whether families differ or the frames of one family do."""
    rule, hits = tool.Wanted("y", "1", ("x",)), []
    for seed in range(40):
        draw = np.random.default_rng(seed)
        family = np.repeat([f"f{i}" for i in range(10)], 7)
        x = draw.normal(0, 2, len(family))
        offset = np.repeat(draw.normal(0, between, 10), 7)
        y = 1 + 0.8 * x + offset + draw.normal(0, within, len(family))
        data = tool.Data({"x": x, "y": y}, family, np.ones(len(family)))
        hits.append(tool.coverage_of_all(tool.coverage_by_family(data, rule)))
    assert 0.86 <= np.mean(hits) <= 0.95


def test_every_figure_has_a_rule_and_the_narrowest_is_first():
    """Nothing is missing, and the order is that of the factors."""
    assert {rule.figure for rule in RULES} == set(ALL)
    for figure in ALL:
        factors = [rule.factor for rule in RULES if rule.figure == figure]
        assert factors == sorted(factors)


def test_other_makers_in_the_catalogue_are_mostly_within_the_ranges():
    """Motors that are not maxon's and print a figure: the range, made without them but for friction, holds it."""
    inside = []
    for name in Datasheet.catalog():
        listed = Datasheet.load(name)
        if "maxon" in listed.maker.lower():
            continue
        s, heat = solve(listed), nodes(listed.thermal)
        given = {"rotor.inertia": s.inertia, "winding.inductance": s.inductance, "friction.coulomb": s.coulomb}
        for node in heat[1:]:
            pair = node.pair() or (node.resistance, None)
            given |= {f"thermal.{node.prefix}resistance": pair[0], f"thermal.{node.prefix}capacitance": pair[1]}
        for figure, value in given.items():
            made = [e for r in RULES if r.figure == figure and (e := apply(r, known_of(s)))]
            if value and made:
                best = min(made, key=lambda e: e.high / e.low)
                inside.append(best.low <= value <= best.high)
    assert len(inside) > 30
    assert np.mean(inside) > 0.8


# --- what is estimated


@pytest.mark.parametrize(
    "tables, expected",
    [
        ({}, ALL),
        ({"mechanical": {"inertia": 1e-5}}, [n for n in ALL if n != "rotor.inertia"]),
        ({"mechanical": {"mechanical_time_constant": 5e-3}}, [n for n in ALL if n != "rotor.inertia"]),
        ({"electrical": {"inductance": 1e-4}}, [n for n in ALL if n != "winding.inductance"]),
        ({"electrical": {"electrical_time_constant": 1e-3}}, [n for n in ALL if n != "winding.inductance"]),
        ({"electrical": {"no_load_current": 0.1}}, [n for n in ALL if n != "friction.coulomb"]),
        ({"friction": {"coulomb": 1e-3}}, [n for n in ALL if n != "friction.coulomb"]),
        ({"friction": {"viscous": 1e-6}}, [n for n in ALL if n != "friction.coulomb"]),
        ({"thermal": {"resistance": 5.0}}, [n for n in ALL if "thermal" not in n]),
        ({"thermal": {"winding_resistance": 2.0}}, [n for n in ALL if n != "thermal.winding_resistance"]),
        (
            {"thermal": {"winding_resistance": 2.0, "winding_time_constant": 20.0}},
            [n for n in ALL if "thermal.winding" not in n],
        ),
        ({"thermal": {"winding_time_constant": 20.0}}, [n for n in ALL if n != "thermal.winding_capacitance"]),
    ],
)
def test_only_what_is_missing_is_estimated(tables, expected):
    """A figure that is printed, or follows from printed ones, is not estimated."""
    made = sheet(**tables).estimates()
    assert sorted(e.name for e in made) == sorted(expected)
    assert sorted(missing(solve(sheet(**tables)))) == sorted(expected)


def test_value_is_the_rule():
    """J = exp(c0)·(Kt²/R)^c1·w0^c2, with the no-load speed from voltage and Ke."""
    rule = next(r for r in RULES if r.predictors == ("motor_constant", "no_load_speed"))
    c0, c1, c2 = rule.coefficients
    expected = math.exp(c0) * (0.03**2 / 0.5) ** c1 * (24 / 0.03) ** c2
    made = {e.name: e for e in sheet().estimates()}["rotor.inertia"]
    assert made.value == pytest.approx(expected, rel=1e-12)
    assert made.low == pytest.approx(expected / rule.factor)
    assert made.high == pytest.approx(expected * rule.factor)
    assert made.unit == "kg*m^2"
    assert "fitted on 640 motors of 10 families" in made.rule and "within a factor of 5.6" in made.rule


def test_brushes_count_where_the_sheet_tells():
    """Brushed motors rub less than brushless ones here; without a word on it, the range is wider."""
    with_, without, unknown = (
        {e.name: e for e in sheet(kind=kind, maker="maxon").estimates()}["friction.coulomb"]
        for kind in ("brushed DC", "brushless DC", "")
    )
    assert with_.value < without.value
    assert unknown.high / unknown.low > with_.high / with_.low
    assert "with brushes" in with_.rule and "without brushes" in without.rule and "brushes" not in unknown.rule


def test_friction_of_other_makers_has_a_wider_range():
    """maxon's friction is known well; other makers' motors differ more, and the rule says so."""
    own, other = ({e.name: e for e in sheet(maker=m).estimates()}["friction.coulomb"] for m in ("maxon", "somebody"))
    assert own.value == pytest.approx(other.value)
    assert other.high / other.low > 10 * own.high / own.low
    assert "other makers" in other.rule and "other makers" not in own.rule


def test_mass_with_a_gearbox_is_shared():
    """The mass of motor and gearbox stands for part of it, with a wider range."""
    share, factor = mass_share()
    alone = {e.name: e for e in sheet().estimates()}["thermal.winding_capacitance"]
    geared = {e.name: e for e in sheet(gear=[{"ratio": 9}]).estimates()}["thermal.winding_capacitance"]
    assert geared.value == pytest.approx(share * alone.value)
    wide = math.hypot(math.log(alone.high / alone.value), math.log(factor))
    assert geared.high / geared.value == pytest.approx(math.exp(wide))
    assert "with the gearbox" in geared.rule


@pytest.mark.parametrize("rule", RULES, ids=IDS)
def test_range_widens_outside_of_the_fit_and_ends(rule):
    """Just outside the rule says so and is less sure; far outside it says nothing."""
    for name, (low, high, exponent) in rule.ranges.items():
        middle = {n: math.sqrt(a * b) for n, (a, b, _) in rule.ranges.items()} | {"brushed": 0.0, "resistance": 1.0}
        inside = apply(rule, Known(middle, maxon=True))
        assert inside is not None and "outside" not in inside.rule
        for value in (low / 3, high * 3):
            outside = apply(rule, Known(middle | {name: value}, maxon=True))
            assert outside is not None and "outside of the fitted range" in outside.rule
            more = rule.factor * 3 ** abs(exponent)
            assert outside.high / outside.value == pytest.approx(more)
        for value in (low / FARTHEST / 1.01, high * FARTHEST * 1.01):
            assert apply(rule, Known(middle | {name: value}, maxon=True)) is None


@given(
    r=st.floats(0.01, 100.0),
    kt=st.floats(1e-3, 1.0),
    mass=st.floats(1e-3, 5.0),
    volts=st.floats(3.0, 100.0),
    kind=st.sampled_from(["brushed DC", "brushless DC", "servo"]),
)
@settings(max_examples=60, deadline=None)
def test_estimates_are_finite_and_in_order(r, kt, mass, volts, kind):
    """Over the sizes of real motors each estimate is positive, finite and inside of its range."""
    made = sheet(kind=kind, electrical={"resistance": r, "kt": kt, "nominal_voltage": volts}, mechanical={"mass": mass})
    for e in made.estimates():
        assert 0 < e.low < e.value < e.high < math.inf
    motor = made.motor(estimate=True)
    assert {e.name for e in motor.valid_estimates} <= {e.name for e in made.estimates()}


# --- the motor


def test_nothing_changes_without_the_word():
    """`motor()` estimates nothing."""
    motor = sheet().motor()
    assert motor.estimates == () and motor.rotor is None and motor.friction is None and motor.thermal is None
    assert motor.winding.inductance == 0.0


def test_motor_with_estimates_has_them_in_their_places():
    """Each estimate is the number at its place in the motor."""
    made, motor = sheet().estimates(), sheet().motor(estimate=True)
    assert motor.valid_estimates == tuple(made)
    known = dict(numbers(motor))
    for e in made:
        assert known[e.name] == pytest.approx(e.value)


def test_estimates_that_complete_no_model_are_not_in_the_motor():
    """Thermal resistances without capacities give no thermal model, and so no estimate of them is in the motor."""
    poor = sheet().replace(mechanical=replace(sheet().mechanical, mass=None))
    assert "thermal.housing_resistance" in {e.name for e in poor.estimates()}
    motor = poor.motor(estimate=True)
    assert motor.thermal is None
    assert {e.name for e in motor.estimates} == {"rotor.inertia", "friction.coulomb", "winding.inductance"}


@pytest.mark.parametrize("how", ["override", "replace", "rebuilt"])
def test_a_replaced_number_is_no_estimate(how):
    """The mark goes with the number, whichever way it was replaced; the others stay."""
    rotor = Rotor(inertia=2e-5)
    if how == "override":
        motor = sheet().motor(estimate=True, rotor=rotor)
    elif how == "replace":
        motor = replace(sheet().motor(estimate=True), rotor=rotor)
    else:
        motor = be.randomize(sheet().motor(estimate=True), {"rotor.inertia": be.random.Scale(0.5, 2.0)}, 8)
    assert estimate_of(motor, "rotor.inertia") is None
    assert estimate_of(motor, "friction.coulomb") is not None
    assert len(motor.valid_estimates) == len(ALL) - 1


def test_a_removed_part_is_no_estimate():
    """Without friction there is none to be estimated."""
    assert estimates_behind(sheet().motor(estimate=True, friction=None), "dry friction") == ()


@pytest.mark.parametrize(
    "phenomenon, names",
    [
        ("rotor inertia", {"rotor.inertia"}),
        ("dry friction", {"friction.coulomb"}),
        ("inductance", {"winding.inductance"}),
        ("winding heat", {"thermal.winding_resistance", "thermal.winding_capacitance"}),
        ("housing heat", {"thermal.housing_resistance", "thermal.housing_capacitance"}),
        ("cogging", set()),
    ],
)
def test_estimates_behind_a_phenomenon(phenomenon, names):
    """A loss table can ask what its lines rest on."""
    from backemf.sims.losses import PHENOMENA

    assert phenomenon in PHENOMENA
    assert {e.name for e in estimates_behind(sheet().motor(estimate=True), phenomenon)} == names


def test_file_keeps_the_estimates(tmp_path):
    """Saved and loaded, the motor is the same and knows its estimates."""
    actuator = be.Actuator(sheet().motor(estimate=True))
    be.save(actuator, tmp_path / "motor.toml")
    again = be.load(tmp_path / "motor.toml")
    assert again == actuator
    assert again.motor is not None and again.motor.valid_estimates == actuator.motor.valid_estimates


def test_file_with_a_bad_estimate_is_refused():
    """A field that is not there, and a range that is none."""
    text = motorfile.dumps(be.Actuator(sheet().motor(estimate=True)))
    with pytest.raises(be.ParameterError, match="estimates"):
        motorfile.loads(text.replace("rule = ", "rules = "))
    with pytest.raises(be.ParameterError, match="in this order"):
        motorfile.loads(text.replace("low = ", "low = 9"))


def test_load_takes_estimates():
    """`load(id, estimate=True)` is the motor of the sheet with its estimates."""
    actuator = be.load("cubemars-ri50", estimate=True)
    assert actuator.motor == Datasheet.load("cubemars-ri50").motor(estimate=True)
    assert actuator.motor is not None and actuator.motor.valid_estimates
    assert be.load("cubemars-ri50").motor == Datasheet.load("cubemars-ri50").motor()


def test_estimates_are_no_numbers_of_the_motor():
    """They are neither walked over nor changed, and the motor stays hashable."""
    motor = sheet().motor(estimate=True)
    assert not any(name.startswith("estimates") for name, _ in numbers(motor))
    assert map_numbers(motor, np.float32).estimates == motor.estimates
    assert map_numbers(motor, np.float32).valid_estimates == motor.valid_estimates
    assert map_numbers(motor, lambda x: 2 * x).valid_estimates == ()
    assert hash(motor) == hash(sheet().motor(estimate=True))


@pytest.mark.parametrize("engine", ["numpy", "python", "jax", "torch", "native"])
def test_engines_step_over_the_estimates(engine):
    """The step is that of the same numbers without marks."""
    if engine == "torch":
        pytest.importorskip("torch")
    marked = sheet().motor(estimate=True)
    torques = []
    for motor in (marked, replace(marked, estimates=())):
        step = be.Actuator(motor).compile(engine)
        state = step.initial(())
        for _ in range(5):
            state, out = step(state, be.Command(voltage=12.0), 0.0, 1.0, 1e-3)
        torques.append(float(out.torque))
    assert torques[0] == torques[1] != 0.0


def test_jax_maps_a_motor_with_estimates():
    """The shape of the tree stays the same whatever becomes of the numbers."""
    jax = pytest.importorskip("jax")
    be.Actuator(sheet().motor(estimate=True)).compile("jax")
    motor = sheet().motor(estimate=True)
    doubled = jax.tree.map(lambda x: 2 * x, motor)
    assert doubled.valid_estimates == ()
    summed = jax.tree.map(lambda a, b: a + b, motor, doubled)
    assert summed.rotor.inertia == pytest.approx(3 * motor.rotor.inertia)


def test_motors_with_other_estimates_share_a_kernel():
    """What is estimated does not tell two motors apart when a robot is compiled."""
    from backemf.robot.grouping import group_actuators

    two = [be.Actuator(sheet(mechanical={"mass": m}).motor(estimate=True)) for m in (0.3, 0.4)]
    assert len(group_actuators(two)) == 1


@pytest.mark.parametrize("bad", ["rotor", (1.0,), ("rotor.inertia",), None])
def test_estimates_must_be_estimates(bad):
    """One sentence for anything else."""
    with pytest.raises(be.ParameterError, match="must be a tuple of Estimate"):
        replace(sheet().motor(), estimates=bad)


@pytest.mark.parametrize(
    "changes", [{"low": 0.0}, {"low": 2.0}, {"high": 0.5}, {"value": math.nan}, {"high": math.inf}, {"rule": 3}]
)
def test_estimate_checks_itself(changes):
    """A range is positive, finite and around its value."""
    good = {"name": "rotor.inertia", "value": 1.0, "low": 0.6, "high": 1.5, "unit": "kg*m^2", "rule": "a guess"}
    Estimate(**good)
    with pytest.raises(be.ParameterError, match="Estimate"):
        Estimate(**(good | changes))


# --- what people see


def test_check_says_what_could_be_estimated():
    """An info for a sheet with gaps, none for a whole one."""
    found = [f for f in sheet().check() if f.figure == "estimates"]
    assert len(found) == 1 and found[0].severity == "info" and "rotor inertia" in found[0].explanation
    whole = Datasheet.load("maxon-re30-48v")
    assert whole.estimates() == [] and not [f for f in whole.check() if f.figure == "estimates"]


def test_show_marks_estimates():
    """A hint without the option; with it a table, the rules, and a mark at what follows from them."""
    plain = call("show", "frc-falcon500").output
    assert "4 figures are not printed and could be estimated: --estimate" in plain
    assert "rotor.inertia" not in plain and "mechanical time constant" not in plain
    shown = call("show", "frc-falcon500", "--estimate").output
    assert "Estimates, not the maker's figures" in shown and "90 % range" in shown
    lines = {line.split("  ")[0]: line for line in shown.splitlines()}
    assert lines["mechanical time constant"].rstrip().endswith("estimate")
    assert not lines["stall torque"].rstrip().endswith("estimate")


def test_show_json_has_estimates():
    """The same for scripts."""
    answer = json.loads(call("show", "frc-falcon500", "--estimate", "--json").output)
    names = {e["name"] for e in answer["estimates"]}
    assert names == {"rotor.inertia", "winding.inductance"}
    marked = {row["name"] for row in answer["constants"] if row["estimated"]}
    assert marked == {"rotor inertia", "mechanical time constant", "electrical time constant"}
    assert json.loads(call("show", "frc-falcon500", "--json").output)["estimates"] == []


def test_simulate_runs_with_estimates():
    """The run has the estimated inertia, and says so."""
    arguments = ["simulate", "frc-falcon500", "--command", "6 V", "--duration", "20 ms", "--dt", "1 ms"]
    answer = json.loads(call(*arguments, "--estimate", "--json").output)
    assert {e["name"] for e in answer["estimates"]} == {"rotor.inertia", "winding.inductance"}
    assert "Estimates, not the maker's figures" in call(*arguments, "--estimate").output


@pytest.mark.parametrize("to", ["mujoco@4.0", "mjlab", "isaaclab", "newton", "physx", "webots"])
def test_exports_mark_estimates(to):
    """Beside the armature and the friction stands what they are: estimates with a range at the joint."""
    if to == "physx":
        pytest.importorskip("pxr")
    motor = sheet(gear=[{"ratio": 9.0}]).motor(estimate=True)
    text = be.export(motor, to, "/World/robot/knee" if to == "physx" else "knee", supply=24.0, compare=False).text
    for name, factor in (("rotor.inertia", 81.0), ("friction.coulomb", 9.0)):
        e = estimate_of(motor, name)
        assert e is not None
        assert f"estimate, 90 % between {factor * e.low:.2g} and {factor * e.high:.2g}" in text
    told = be.export(replace(motor, estimates=()), to, "/World/robot/knee", supply=24.0, compare=False).text
    assert "estimate" not in told


def test_export_of_mujoco_marks_heat_and_inductance():
    """The thermal row and the current's time constant rest on estimates too."""
    motor = sheet().motor(estimate=True)
    text = be.export(motor, "mujoco@4.0", supply=24.0, compare=False).text
    assert "; estimates: winding_resistance 90 % between" in text
    e = estimate_of(motor, "winding.inductance")
    assert e is not None
    assert f"estimate, 90 % between {e.low / 0.5:.2g} and {e.high / 0.5:.2g}" in text


def test_documentation_has_the_rules(tool):
    """The table of the datasheet page is that of the rules that ship."""
    assert tool.table() in (ROOT / "docs" / "concepts" / "datasheets.md").read_text(encoding="utf-8")
