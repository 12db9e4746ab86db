"""Quantities as people write them, to SI and back."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backemf.errors import UnitError
from backemf.units import convert, dimension, format_quantity, parse, write_quantity


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("14.7 mN*m/A", "N*m/A", 14.7e-3),
        ("7590 rpm", "rad/s", 7590 * 2 * math.pi / 60),
        ("137 g*cm^2", "kg*m^2", 137 * 1e-3 * 1e-4),
        ("158 rpm/V", "rad/(V*s)", 158 * math.pi / 30),
        ("1.13 ohm", "ohm", 1.13),
        ("12 arcmin", "rad", math.radians(12 / 60)),
        ("0.33 mH", "H", 0.33e-3),
        ("1.93 K/W", "K/W", 1.93),
        ("2.97 rpm/(mN*m)", "rad/(N*m*s)", 2.97 * math.pi / 30 * 1e3),
        ("1.521 mV/rpm", "V*s/rad", 1.521e-3 * 30 / math.pi),
        ("92 %", "1", 0.92),
        ("0.0039 1/K", "1/K", 0.0039),
        ("6:1", "1", 6.0),
        ("10 kgf*cm", "N*m", 10 * 9.80665 * 0.01),
        ("100 ozf*in", "N*m", 100 * 4.4482216152605 / 16 * 0.0254),
        ("41.5 s", "s", 41.5),
        ("2 min", "s", 120.0),
    ],
)
def test_a_printed_figure_becomes_si(text, unit, expected):
    """The number times the definition of its unit."""
    assert parse(text, unit) == pytest.approx(expected, rel=1e-15)


@pytest.mark.parametrize(
    ("pretty", "plain", "unit"),
    [
        ("1.13 Ω", "1.13 ohm", "ohm"),
        ("96 µH", "96 uH", "H"),
        ("96 μH", "96e-6 H", "H"),
        ("137 g·cm²", "137 g*cm^2", "kg*m^2"),
        ("137 g*cm**2", "137 g*cm^2", "kg*m^2"),
        ("2 mNm", "2 mN*m", "N*m"),
        ("2 N m", "2 N*m", "N*m"),
        ("90 °", "90 deg", "rad"),
        ("3.7e3rpm", "3700 rpm", "rad/s"),
    ],
)
def test_spellings_of_one_quantity_are_one_value(pretty, plain, unit):
    """Unicode signs, powers and missing spaces change nothing."""
    assert parse(pretty, unit) == parse(plain, unit)


def test_a_temperature_is_absolute_and_stays_in_degrees_celsius():
    """155 °C is 428.15 K, and neither is a difference of 155 K."""
    assert parse("155 degC", "degC") == parse("155 °C", "degC") == 155.0
    assert parse("428.15 K", "degC") == 155.0
    with pytest.raises(UnitError, match="temperature"):
        parse("155 degC", "K")


def test_torque_and_inertia_have_different_dimensions():
    """N·m is kg·m²/s², an inertia is kg·m²."""
    assert dimension("N*m") == (2, 1, -2, 0, 0)
    assert dimension("kg*m^2") == (2, 1, 0, 0, 0)
    with pytest.raises(UnitError, match=r'torque or energy, not a moment of inertia: write it like "137 g\*cm\^2"'):
        parse("137 mN*m", "kg*m^2")


def test_torque_constant_and_back_emf_constant_have_the_same_dimension():
    """1 N·m/A = 1 V·s: that is why Kt·Kv is a plain number."""
    assert dimension("N*m/A") == dimension("V*s/rad")


@pytest.mark.parametrize(
    ("text", "unit", "words"),
    [
        ("1.13", "ohm", "has no unit"),
        (1.13, "ohm", "has no unit"),
        ("2.97 rpm/mN*m", "rad/(N*m*s)", "parentheses"),
        ("1,13 ohm", "ohm", "decimal comma"),
        ("22 000 rpm", "rad/s", "without spaces"),
        ("5 Omh", "ohm", 'did you mean "mohm"'),
        ("5 v", "V", 'did you mean "V"'),
        ("5 C", "degC", "155 degC"),
        ("inf V", "V", "finite"),
        ("1e999 V", "V", "finite"),
        ("volts", "V", "a number first"),
        ("", "V", "a number first"),
        ("3 V^77", "V", "exponent"),
        ("3 (V", "V", "not closed"),
        ("3 V)", "V", "unexpected"),
        ("3 V*", "V", "ends too early"),
        ("3 @", "V", "unexpected"),
        ("3 V" + " " * 300, "V", "too long"),
        (True, "1", "not a quantity"),
        (None, "V", "not a quantity"),
        (float("nan"), "1", "finite"),
    ],
)
def test_what_is_no_quantity_is_refused_with_a_remedy(text, unit, words):
    """One sentence that says what is wrong with the text."""
    with pytest.raises(UnitError, match=words):
        parse(text, unit)


SI = ["V", "A", "ohm", "H", "N*m/A", "V*s/rad", "rad/(V*s)", "rad/s", "rad/(N*m*s)", "N*m", "N*m*s/rad"]
SI += ["kg*m^2", "kg", "s", "W", "rad", "K/W", "J/K", "1/K", "1/A", "1", "degC", "N*m*s^3/rad^3"]


@given(value=st.floats(1e-12, 1e12), unit=st.sampled_from(SI))
def test_written_quantities_read_back_exactly(value, unit):
    """Writing a sheet and reading it again loses nothing."""
    assert parse(write_quantity(value, unit), unit) == value


@given(value=st.floats(1e-6, 1e6), unit=st.sampled_from(SI))
def test_printed_quantities_are_right_to_the_digits_shown(value, unit):
    """Four digits are within half a thousandth."""
    assert parse(format_quantity(value, unit), unit) == pytest.approx(value, rel=5.1e-4)


@given(
    value=st.floats(1e-6, 1e6),
    prefix=st.sampled_from([("n", 1e-9), ("u", 1e-6), ("m", 1e-3), ("c", 1e-2), ("k", 1e3), ("M", 1e6)]),
    unit=st.sampled_from(["V", "A", "ohm", "H", "N", "W", "s", "m"]),
)
def test_a_prefix_is_its_power_of_ten(value, prefix, unit):
    """5 mV = 5e-3 V, whatever the unit behind it."""
    assert parse(f"{value!r} {prefix[0]}{unit}", unit) == pytest.approx(value * prefix[1], rel=1e-15)


@given(st.text(max_size=60))
def test_any_text_is_a_quantity_or_a_unit_error(text):
    """No text makes the parser fall over."""
    try:
        assert math.isfinite(parse(text, "N*m"))
    except UnitError as error:
        assert str(error)


def test_practical_units_are_what_makers_print():
    """0.0603 N·m/A is 60.3 mN·m/A on paper."""
    assert format_quantity(0.0603, "N*m/A") == "60.3 mN·m/A"
    assert format_quantity(1.37e-5, "kg*m^2") == "137 g·cm²"
    assert format_quantity(0.00033, "H") == "330 µH"
    assert format_quantity(1.13, "ohm") == "1.13 Ω"
    assert format_quantity(12000 * math.pi / 30, "rad/s") == "12000 rpm"
    assert convert(math.pi, "deg") == pytest.approx(180.0)
