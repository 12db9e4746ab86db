"""Every spelling makers print, and every one that is refused because it has two readings."""

import math
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backemf.datasheet.normalise import AMPERE
from backemf.errors import UnitError
from backemf.units import convert, parse, parse_printed, practical_unit, write_quantity
from backemf.units.kinds import PRACTICAL

G0 = 9.80665
"""Standard gravity [m/s²]."""
LB, OZ, IN, FT = 0.45359237, 0.45359237 / 16, 0.0254, 0.3048
"""Pound and ounce [kg], inch and foot [m]."""
RPM, DEG = 2 * math.pi / 60, math.pi / 180

SPELLINGS: list[tuple[str, float, str]] = [
    # what is wanted, one of it in SI, how it is printed
    (
        "rad/s",
        RPM,
        "rpm|RPM|Rpm|r.p.m.|r/min|rev/min|U/min|tr/min|1/min|/min|min⁻¹|min-1|min^-1|min−1|min**-1|rev·min⁻¹",
    ),
    ("rad/s", 1e3 * RPM, "krpm|kRPM|KRPM"),
    ("rad/s", 2 * math.pi, "rps|rev/s|r/s|rev/sec|turn/s"),
    ("rad/s", DEG, "°/s|deg/s|°/sec|deg/sec|degrees/second|deg·s⁻¹"),
    ("rad/s", 1.0, "rad/s|rad/sec|rad·s⁻¹|rad s-1"),
    ("rad/s^2", 1.0, "rad/s²|rad/s^2|rad s-2|rad/s2"),
    ("rad/s^2", RPM, "rpm/s|min⁻¹/s"),
    ("1/s", 1.0, "1/s|s⁻¹|s^-1|rad/s"),
    ("Hz", 1.0, "Hz|hz|HZ"),
    ("N*m", 1.0, "N*m|N·m|N⋅m|N∙m|N×m|N m|N.m|N-m|Nm|NM|J|W·s"),
    ("N*m", 1e-3, "mN*m|mNm|mN·m|mN.m|mN-m|mN m|N·mm|Nmm"),
    ("N*m", 1e-2, "Ncm|N·cm|N.cm|N cm|cNm"),
    ("N*m", G0 * 0.01, "kgf*cm|kgf·cm|kgf.cm|kgf-cm|kgfcm|kg*cm|kg·cm|kg-cm|kg.cm|kgcm|kg cm|Kg.cm|KG-CM|kp·cm"),
    ("N*m", G0, "kgf·m|kgf m|kg·m|kgm|kg-m"),
    ("N*m", G0 * 1e-5, "gf·cm|g·cm|gcm|g-cm|gfcm"),
    ("N*m", OZ * G0 * IN, "ozf*in|oz*in|oz-in|oz·in|ozin|oz in|oz.in|oz.-in.|OZ-IN|in-oz"),
    ("N*m", LB * G0 * IN, "lbf*in|lb-in|lb·in|lbin|in-lb|in·lb|in-lbs|in lbs|lbf-in|in-lbf|inlb|lb.in"),
    ("N*m", LB * G0 * FT, "lbf·ft|lbf*ft|lb-ft|ft-lb|ft·lb|ft-lbs|ft-lbf|ftlb|lbft"),
    ("kg*m^2", 1e-7, "g*cm^2|g·cm²|gcm²|gcm2|g cm2|g cm²|g-cm²|g.cm2|g×cm²|gcm^2"),
    ("kg*m^2", 1e-4, "kg·cm²|kgcm²|kgcm2|kg cm2|kg-cm²|kg.cm2|KG·cm²"),
    ("kg*m^2", 1.0, "kg*m^2|kgm²|kgm2|kg m2|kg·m²|kg-m²|N·m·s²|Nm s2|kg•m²"),
    ("kg*m^2", 1e-6, "kg·mm²|kgmm²|kgmm2"),
    ("kg*m^2", 1e-9, "g·mm²|gmm²"),
    ("kg*m^2", OZ * G0 * IN, "oz·in·s²|oz-in-s²|oz-in-s^2|oz-in-sec²|oz-in-sec2|ozf·in·s²|oz in s2"),
    ("kg*m^2", LB * G0 * IN, "lb-in-s²|lb·in·s²|lb-in-sec²|lbf·in·s²|in-lb-s²"),
    ("kg*m^2", LB * G0 * FT, "lb-ft-s²|lbf·ft·s²"),
    ("kg*m^2", OZ * IN**2, "oz-in²|oz·in²|oz-in2|oz-in^2|oz in²"),
    ("kg*m^2", LB * IN**2, "lb-in²|lb·in²|lb-in2|lb in²"),
    ("kg*m^2", G0 * 0.01, "kgf·cm·s²|kg-cm-s²"),
    ("V*s/rad", 1.0, "V*s/rad|Vs/rad|V·s/rad|V/(rad/s)|V·s|Vs|V s|V-s/rad|Nm/A|V·rad⁻¹·s"),
    ("V*s/rad", 1e-3 / RPM, "V/krpm|V/1000rpm|V/1000 rpm|V/kRPM|V/KRPM|V/1000 min⁻¹|V/1000min-1|Vpk/krpm|V/(1000 rpm)"),
    ("V*s/rad", 1e-3 / RPM, "mV/rpm|mV/min⁻¹|mV/min-1|mV/(1/min)|mV/RPM|mV·min"),
    ("N*m/A", 1.0, "N*m/A|Nm/A|N·m/A|N.m/A|N-m/A|N m/A|Nm/Adc|Nm/Amp|V·s|V·s/rad"),
    ("N*m/A", 1e-3, "mNm/A|mN·m/A|mN.m/A|mN m/A"),
    ("N*m/A", OZ * G0 * IN, "oz-in/A|oz·in/A|oz-in/amp|ozin/A|oz-in/Amp"),
    ("N*m/A", LB * G0 * IN, "lb-in/A|in-lb/A|lb·in/A"),
    ("N*m/A", G0 * 0.01, "kg·cm/A|kgf·cm/A|kg-cm/A"),
    ("N*m/A", 1e-3 / RPM, "mV/min⁻¹|mV/rpm|V/krpm"),
    ("rad/(V*s)", RPM, "rpm/V|RPM/V|min⁻¹/V|min-1/V|1/min/V|r/min/V|KV|Kv|kv|rpm/volt|1/(min·V)"),
    ("rad/(V*s)", 1.0, "rad/(V*s)|rad/s/V|rad/Vs|(rad/s)/V|rad·s⁻¹·V⁻¹"),
    ("rad/(N*m*s)", 1e3 * RPM, "rpm/mNm|rpm/(mN*m)|min⁻¹/mNm|min-1/mNm|min^-1/mNm|rpm/mN.m|rpm/mN-m|1/(min·mNm)"),
    ("rad/(N*m*s)", RPM / (OZ * G0 * IN), "rpm/oz-in|RPM/oz-in|min⁻¹/oz-in|rpm/ozin|rpm/(oz·in)"),
    ("N*m*s/rad", 1.0, "N*m*s/rad|Nms/rad|Nm·s/rad|N·m·s|Nms|Nm/(rad/s)|N.m.s/rad|N-m-s"),
    ("N*m*s/rad", 1e-3 / RPM, "mNm/rpm|mNm/min⁻¹|mN·m/rpm|Nm/krpm|Nm/1000 min-1"),
    ("N*m*s/rad", OZ * G0 * IN / (1e3 * RPM), "oz-in/krpm|oz-in/kRPM|oz-in/1000 rpm"),
    ("N*m/rad", 1.0, "N*m/rad|Nm/rad|N·m/rad|Nm·rad⁻¹"),
    ("N*m/rad", 60 / DEG, "Nm/arcmin|N·m/′|Nm/'"),
    ("K/W", 1.0, "K/W|°C/W|C/W|℃/W|degC/W|deg C/W|K·W⁻¹|° C/W"),
    ("J/K", 1.0, "J/K|W·s/K|J/°C|J/C"),
    ("1/K", 0.01, "%/K|%/°C|%/C|%·K⁻¹"),
    ("A", 1.0, "A|amp|amps|Amps|Adc|ADC|A DC|A dc|A(dc)"),
    ("A", 1e-3, "mA|mAdc"),
    ("V", 1.0, "V|volt|Volts|Vdc|VDC|V DC"),
    ("ohm", 1.0, "ohm|Ohm|ohms|Ohms|OHM|Ω|\u2126"),
    ("ohm", 1e-3, "mohm|mOhm|mΩ|m\u2126|mohms"),
    ("ohm", 1e3, "kohm|kOhm|kΩ|㏀"),
    ("H", 1e-6, "uH|\u00b5H|\u03bcH"),
    ("H", 1e-3, "mH"),
    ("kg", 1.0, "kg|Kg|KG|㎏|ｋｇ"),
    ("kg", 1e-3, "g|gram|grams"),
    ("kg", LB, "lb|lbs|LB|Lbs|lbm|pounds"),
    ("kg", OZ, "oz|OZ|Oz|ounces|oz."),
    ("N", LB * G0, "lbf|LBF"),
    ("N", G0, "kgf|kp"),
    ("m", 1e-3, "mm|㎜"),
    ("m", IN, "in|inch|inches|in."),
    ("s", 1.0, "s|sec|seconds|Sec"),
    ("s", 1e-3, "ms|㎳"),
    ("s", 60.0, "min|minutes"),
    ("rad", DEG, "°|deg|degrees"),
    ("rad", DEG / 60, "arcmin|′|'"),
    ("rad", DEG / 3600, 'arcsec|″|"'),
    ("rad", 2 * math.pi, "rev|turn|turns"),
    ("1", 0.01, "%|percent|％"),
    ("W", 1.0, "W|watt|Watts|V·A|Nm/s|J/s"),
    ("degC", 1.0, "degC|°C|℃|deg C|° C|deg.C"),
]  # fmt: skip
ROWS = [(spelling, unit, size) for unit, size, row in SPELLINGS for spelling in row.split("|")]


@pytest.mark.parametrize(("spelling", "unit", "size"), ROWS)
def test_a_spelling_is_its_size_in_si(spelling, unit, size):
    """Twelve of it are twelve times the definition, with and without a space, behind any sign makers put there."""
    space = "" if spelling[0] in "/'\"′″°%" else " "
    assert parse(f"12{space}{spelling}", unit) == pytest.approx(12 * size, rel=1e-14)
    assert parse(f"-0.25\u00a0{spelling}", unit) == pytest.approx(-0.25 * size, rel=1e-14)
    assert parse(f"1.5×10³\u2009{spelling}", unit) == pytest.approx(1500 * size, rel=1e-14)


@given(row=st.sampled_from(SPELLINGS), value=st.floats(1e-9, 1e9), data=st.data())
def test_all_spellings_of_a_row_agree(row, value, data):
    """Whatever the number, each spelling gives the very float of the first."""
    unit, _, text = row
    first, *others = text.split("|")
    name = data.draw(st.sampled_from([first, *others]))
    assert parse(f"{value!r} {name}", unit) == parse(f"{value!r} {first}", unit)


@given(value=st.floats(1e-12, 1e12), unit=st.sampled_from(sorted(PRACTICAL)))
def test_every_practical_unit_reads_back_exactly(value, unit):
    """A sheet that is written and read again is the same."""
    assert parse(write_quantity(value, unit), unit) == value
    chosen = practical_unit(value, unit)
    assert parse(f"{convert(value, chosen)!r} {chosen}", unit) == pytest.approx(value, rel=1e-14)


@pytest.mark.parametrize(
    "text", ["0.16 sec/60°", "0.16 sec/60deg", "0.16s/60°", "0.16 s/60 deg", "0.16 sec/60 degrees"]
)
def test_the_time_per_angle_of_a_hobby_servo_is_its_speed(text):
    """60° in 0.16 s."""
    assert parse(text, "rad/s") == pytest.approx(math.radians(60) / 0.16, rel=1e-14)


REFUSED = [
    # two readings, both named
    ("50 Hz", "rad/s", '"50 rev/s" or "50 rad/s"'),
    ("50 Hz", "1/s", '"50 rev/s" or "50 rad/s"'),
    ("50 1/s", "rad/s", 'turns and radians: write "50 rev/s" or "50 rad/s"'),
    ("50 s⁻¹", "rpm", '"50 rev/s" or "50 rad/s"'),
    ("50 1/s²", "rad/s^2", '"50 rev/s^2" or "50 rad/s^2"'),
    ("1 V/Hz", "V*s/rad", "a turn is 2π rad"),
    ("100 KV", "V", '"100 kV" for kilovolts, "100 rpm/V" for a speed constant'),
    ("1,234 rpm", "rad/s", '"1234 rpm" or "1.234 rpm"'),
    ("-7,590 rpm", "rad/s", '"-7590 rpm" or "-7.590 rpm"'),
    ("0.5 hp", "W", "745.7 W for an imperial horsepower or 735.5 W for a metric one"),
    ("10 lb", "N", 'a mass or its weight: as a force write "10 lbf"'),
    ("10 kg", "N", 'as a force write "10 kgf"'),
    ("25 C", "K", "coulombs and degrees Celsius"),
    # another quantity than is wanted
    ("20 kg/cm", "N*m", 'did you mean "20 kg*cm"?'),
    ("20 oz/in", "N*m", 'did you mean "20 oz*in"?'),
    ("2 N/m", "N*m", 'did you mean "2 N*m"?'),
    ("20 kg", "N*m", 'did you mean "20 kg*cm"?'),
    ("20 oz", "N*m", 'did you mean "20 oz*in"?'),
    ("2 rpm", "Hz", "is not a frequency in hertz"),
    ("100 rpm/V", "V", "is a speed constant, not a voltage"),
    ("0 s/60deg", "rad/s", "must be above 0"),
    # conventions
    ("5 Arms", "A", r"RMS phase amperes, but DC-equivalent ones are needed here: multiply by √(3/2)"),
    ("5 A rms", "A", "multiply by √(3/2)"),
    ("5 Apk", "A", "peak phase amperes, but DC-equivalent ones are needed here: multiply by √3/2"),
    ("0.1 Nm/Arms", "N*m/A", "divide by √(3/2)"),
    ("24 Vrms", "V", "multiply by √2 and write its peak"),
    ("24 VAC", "V", "multiply by √2 and write its peak"),
    ("25 Vrms/krpm", "V*s/rad", "multiply by √2 and write its peak"),
    ("300 °F", "degC", "subtract 32, divide by 1.8"),
    ("5 Arms/Apk", "1", "names two kinds of ampere"),
    # numbers
    ("0,299 ohm", "ohm", 'has a decimal comma: write a point, "0.299 ohm"'),
    ("12,5 V", "V", 'write a point, "12.5 V"'),
    ("0,5e-3 V", "V", 'write a point, "0.5e-3 V"'),
    ("7 590 rpm", "rad/s", 'without spaces or marks, "7590 rpm"'),
    ("7\u00a0590 rpm", "rad/s", 'without spaces or marks, "7590 rpm"'),
    ("7\u202f590,5 rpm", "rad/s", 'without spaces or marks, "7590.5 rpm"'),
    ("7'590 rpm", "rad/s", 'without spaces or marks, "7590 rpm"'),
    ("7’590 rpm", "rad/s", 'without spaces or marks, "7590 rpm"'),
    ("7_590 rpm", "rad/s", 'without spaces or marks, "7590 rpm"'),
    ("1,234,567 rpm", "rad/s", '"1234567 rpm"'),
    ("1.234,5 rpm", "rad/s", '"1234.5 rpm"'),
    ("7,590.5 rpm", "rad/s", '"7590.5 rpm"'),
    ("1.2.3 V", "V", "more than one decimal mark"),
    ("5, V", "V", "stray comma"),
    ("1.13 ohm ±10%", "ohm", "has a tolerance"),
    ("1½ V", "V", "unexpected"),
    ("10² V", "V", "unknown unit"),
    ("5×106 V", "V", "unknown unit"),
    ("1 V/0rpm", "V*s/rad", 'unexpected "0"'),
    ("1 V 5", "V", 'unexpected "5"'),
    ("5 nm", "N*m", "is a length, not a torque"),
]


@pytest.mark.parametrize(("text", "unit", "words"), REFUSED)
def test_what_has_two_readings_or_another_meaning_is_refused(text, unit, words):
    """The error names the readings, or what to write."""
    with pytest.raises(UnitError, match=re.escape(words)) as caught:
        parse(text, unit)
    assert f'"{text}"' in str(caught.value)


@pytest.mark.parametrize(
    ("text", "ampere"),
    [
        ("5 A", None),
        ("5 Arms", "rms"),
        ("5 A_rms", "rms"),
        ("5 A(rms)", "rms"),
        ("5 A RMS", "rms"),
        ("5 Aeff", "rms"),
        ("5000 mArms", "rms"),
        ("5 Apk", "peak-phase"),
        ("5 A peak", "peak-phase"),
        ("5 A_pk", "peak-phase"),
        ("5 Adc", "dc"),
    ],
)
def test_a_unit_names_its_ampere(text, ampere):
    """The number stays what is printed, and the kind comes with it."""
    assert parse_printed(text, "A") == (5.0, ampere)


def documented_rows(header: str) -> list[list[list[str]]]:
    """Rows of the table in the docs that begins with a header: the code spans of each cell."""
    page = (Path(__file__).parents[1] / "docs" / "concepts" / "datasheets.md").read_text(encoding="utf-8")
    lines = page[page.index(header) :].split("\n\n")[0].splitlines()[2:]
    assert len(lines) > 5
    return [[re.findall("`([^`]*)`", cell) for cell in line.strip("|").split("|")] for line in lines]


def test_each_row_of_the_documented_spellings_is_one_value():
    """The page promises it."""
    for _, (unit,), spellings in documented_rows("| quantity | SI | understood |"):
        values = [parse(text, unit) for text in spellings]
        assert len(values) > 1
        assert values == pytest.approx([values[0]] * len(values), rel=1e-12), spellings


def test_each_refusal_in_the_docs_names_what_to_write():
    """The page shows the remedy that the error names."""
    for texts, (unit,), remedies in documented_rows("| written | where | write |"):
        for text in texts:
            with pytest.raises(UnitError) as caught:
                parse(text, unit)
            assert all(remedy in str(caught.value) for remedy in remedies), str(caught.value)


def test_the_factors_of_the_remedy_are_those_of_the_datasheet():
    """√(3/2) DC amperes carry the torque of one RMS ampere, √3/2 that of one peak ampere."""
    assert AMPERE["rms"] == pytest.approx(math.sqrt(3 / 2))
    assert AMPERE["peak-phase"] == pytest.approx(math.sqrt(3) / 2)
