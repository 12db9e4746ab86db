"""A figure in the wrong unit: the finding says that first, with the figure and the direction."""

import math
import re
from pathlib import Path

import pytest

from backemf.datasheet import Datasheet
from backemf.datasheet.check import unit_of
from backemf.datasheet.slips import slips_of
from backemf.errors import DatasheetError
from backemf.units import parse

V, R, L, K, J, I0, IN = 24.0, 0.5, 1e-4, 0.05, 2e-5, 0.3, 4.0
ELECTRICAL = {
    "nominal_voltage": V,
    "resistance": R,
    "inductance": L,
    "electrical_time_constant": L / R,
    "kt": K,
    "ke": K,
    "no_load_current": I0,
    "stall_current": V / R,
    "nominal_current": IN,
}
MECHANICAL = {
    "no_load_speed": (V - R * I0) / K,
    "stall_torque": K * V / R,
    "nominal_torque": K * (IN - I0),
    "nominal_speed": (V - R * IN) / K,
    "speed_torque_gradient": R / K**2,
    "mechanical_time_constant": R * J / K**2,
    "max_efficiency": (1 - math.sqrt(I0 * R / V)) ** 2,
    "inertia": J,
}


def sheet(**wrong: float) -> Datasheet:
    """The consistent sheet with some figures multiplied."""
    tables = {"electrical": ELECTRICAL, "mechanical": MECHANICAL}
    given = {name: {key: value * wrong.get(key, 1.0) for key, value in table.items()} for name, table in tables.items()}
    if "kv" in wrong:
        given["electrical"]["kv"] = wrong["kv"] / given["electrical"].pop("ke")
    return Datasheet.from_si("motor", source="bench", **given)


def problems(given: Datasheet):
    """The findings that say something is wrong."""
    return [finding for finding in given.check() if finding.severity in ("warning", "error")]


def common_slips(figure: str):
    """What the unit of a figure can be confused by; a decimal point by up to three places."""
    tens = {float(f"1e{n}") for n in (-7, -6, -5, -4, 4, 5, 6, 7)}
    return [slip for slip in slips_of(unit_of(figure)) if slip.factor not in tens]


def test_the_consistent_sheet_has_no_problem():
    """The ground the others stand on."""
    assert not problems(sheet())


@pytest.mark.parametrize("figure", [*ELECTRICAL, *MECHANICAL, "kv"])
def test_each_slip_of_each_figure_is_named_first(figure):
    """Whatever figure is wrong by whatever slip: the first problem begins with that factor, and blames that figure or
    one that would explain it as well."""
    for slip in common_slips(figure):
        try:
            given = sheet(**{figure: slip.factor})
        except DatasheetError:
            # an efficiency above one is refused before it is compared
            assert figure == "max_efficiency" and slip.factor > 1
            continue
        found = [f for f in problems(given) if f.ratio and abs(math.log(f.ratio)) > math.log(1.3)]
        if figure == "no_load_current" and slip.factor <= 2:
            # the friction is so small that the other figures hardly notice
            assert not found
            continue
        assert found, (figure, slip)
        factor = max(slip.factor, 1 / slip.factor)
        shown = f"{factor:.3g}" if factor < 999.9 else f"{factor:.0f}"
        words = rf"(listed|\[\w+\] (\w+)) is (1/{shown} of|{shown} times) what the others predict: probably "
        for finding in found:
            said = re.match(words, finding.explanation)
            assert said, (figure, slip, str(finding))
            blamed = said[2] or finding.figure
            if blamed == figure:
                assert finding.cause == slip.cause, (figure, slip, str(finding))
                assert (said[3].startswith("1/")) == (slip.factor < 1)
            # no more than two figures can be told apart by one comparison
            assert blamed == figure or figure in finding.explanation or blamed in _PARTNERS[figure], str(finding)


_PARTNERS = {
    "electrical_time_constant": ("inductance",),
    "inductance": ("electrical_time_constant",),
    "mechanical_time_constant": ("inertia",),
    "inertia": ("mechanical_time_constant",),
}
"""Figures that are compared with each other alone."""


@pytest.mark.parametrize(
    ("figure", "written", "meant", "cause"),
    [
        ("no_load_speed", "rad/s", "rpm", "rpm-as-rad/s"),
        ("no_load_speed", "rpm", "rad/s", "rad/s-as-rpm"),
        ("nominal_speed", "rad/s", "rev/s", "rev/s-as-rad/s"),
        ("nominal_speed", "rev/s", "rad/s", "rad/s-as-rev/s"),
        ("stall_torque", "N*m", "kgf*m", "kgf*m-as-N*m"),
        ("stall_torque", "kgf*m", "N*m", "N*m-as-kgf*m"),
        ("stall_torque", "N*m", "kgf*cm", "kgf*cm-as-N*m"),
        ("nominal_torque", "N*m", "ozf*in", "ozf*in-as-N*m"),
        ("ke", "V*s/rad", "V/krpm", "V/krpm-as-V*s/rad"),
        ("kv", "rad/(V*s)", "rpm/V", "rpm/V-as-rad/(V*s)"),
        ("kt", "N*m/A", "ozf*in/A", "ozf*in/A-as-N*m/A"),
        ("speed_torque_gradient", "rad/(N*m*s)", "rpm/(mN*m)", "rpm/(mN*m)-as-rad/(N*m*s)"),
    ],
)
def test_a_slip_and_its_inverse_have_different_names(figure, written, meant, cause):
    """The number of one unit with the name of another behind it: too large by the ratio of their sizes."""
    unit = unit_of(figure)
    factor = parse(f"1 {written}", unit) / parse(f"1 {meant}", unit)
    finding = next(f for f in problems(sheet(**{figure: factor})) if f.cause)
    assert finding.cause == cause
    assert f"probably {meant} written as {written}" in finding.explanation


def test_the_error_of_a_motor_begins_with_the_slip():
    """No motor is made from Kt in kgf·cm/A called N·m/A, and the sentence says why before what it contradicts."""
    words = (
        r"^motor, \[electrical\] kt = 509.9 mN·m/A: listed is 10.2 times what the others predict: probably kgf\*cm/A "
        r"written as N\*m/A.*; it contradicts Ke .* = 50 mN·m/A: correct or remove one of them$"
    )
    with pytest.raises(DatasheetError, match=words):
        sheet(kt=1 / 0.0980665).motor()


def test_near_factors_are_both_named():
    """9.68 lies between 60/2π and 9.81: the figures cannot tell, and the finding says so."""
    finding = next(f for f in problems(sheet(stall_torque=9.68)) if f.figure == "stall_torque")
    assert "9.55 times" in finding.explanation and "9.81 times" in finding.explanation
    assert "; or " in finding.explanation


@pytest.mark.parametrize("factor", [1.25, 1.6, 2.5, 3.5, 5.0, 7.5, 0.6, 0.3, 0.15])
@pytest.mark.parametrize("figure", ["no_load_speed", "stall_torque", "kt", "stall_current", "resistance"])
def test_other_factors_are_no_slip(figure, factor):
    """A claim is only made near a known factor."""
    for finding in problems(sheet(**{figure: factor})):
        assert "what the others predict: probably" not in finding.explanation, str(finding)


def test_a_thermal_time_constant_in_minutes():
    """15 s for 15 min: 60 times too short."""
    given = Datasheet.from_si(
        "motor",
        electrical={"kt": K, "resistance": R},
        thermal={"resistance": 3.0, "capacitance": 300.0, "time_constant": 900.0 / 60},
    )
    with pytest.raises(
        DatasheetError, match=r"time_constant = 15 s: listed is 1/60 of .*: probably min written as s; it"
    ):
        given.motor()


@pytest.mark.parametrize(
    ("factor", "words"),
    [(1000.0, "listed is 1000 times .* a wrong prefix"), (math.pi / 30, "listed is 1/9.55 of .* rpm and rad/s mixed")],
)
def test_power_is_torque_times_speed_in_radians(factor, words):
    """P = M·w: with the speed in rpm it is 9.55 times too large."""
    table = {"nominal_torque": 0.2, "nominal_speed": 300.0, "nominal_power": 0.2 * 300.0 * factor}
    (finding,) = problems(Datasheet.from_si("motor", source="bench", mechanical=table))
    assert re.search(words, finding.explanation), str(finding)


def test_the_example_of_the_docs_is_what_comes_out():
    """The first sheet of the page, with its speed in the wrong unit, gives the line shown."""
    page = (Path(__file__).parents[1] / "docs" / "concepts" / "datasheets.md").read_text(encoding="utf-8")
    text, *_ = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    (finding,) = problems(Datasheet.loads(text.replace('"7590 rpm"', '"7590 rad/s"')))
    assert f"\n{finding}\n" in page


@pytest.mark.parametrize("name", Datasheet.catalog())
def test_no_sheet_of_the_catalogue_is_accused(name):
    """Rounding, gear losses and electronics are no slips."""
    for finding in Datasheet.load(name).check():
        assert "what the others predict: probably" not in finding.explanation, str(finding)
