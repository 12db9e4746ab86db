"""Bad sheets: one sentence with file, field, value and remedy, and never anything else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backemf.datasheet import Datasheet
from backemf.errors import BackemfError, DatasheetError

GOOD = 'name = "x"\n[electrical]\nresistance = "1.13 ohm"\nkt = "60 mN*m/A"\n'


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            '[electrical]\nresistance = "-1.13 ohm"',
            r'x.toml, line 2, \[electrical\] resistance = "-1.13 ohm": must be positive',
        ),
        ('[electrical]\nresistance = "0 ohm"', "must be positive"),
        ('[electrical]\nresistance = "inf ohm"', "finite"),
        ('[electrical]\nresistance = "1e999 ohm"', "finite"),
        ("[electrical]\nresistance = 1.13", r'\[electrical\] resistance = 1.13: has no unit: write it like "1.13 ohm"'),
        ("[electrical]\nresistance = true", "not a quantity"),
        ("[electrical]\nresistance = [1]", "not a quantity"),
        ('[electrical]\nresistence = "1.13 ohm"', 'did you mean "resistance"'),
        ('[electrical]\ninertia = "137 g*cm^2"', r'did you mean "inertia" under \[mechanical\]'),
        ('[electrical]\npeak_current = "10 A"', r'mean "current" under \[peak\] or "peak_current" under \[limits\]'),
        (
            '[mechanical]\ninertia = "137 mN*m"',
            r'inertia = "137 mN\*m": is a torque or energy, not a moment of inertia',
        ),
        ('[mechanical]\nmax_efficiency = "920 %"', "must be at most 1"),
        ('[eletrical]\nresistance = "1 ohm"', 'did you mean "electrical"'),
        ('[thermal]\nmax_winding_temperature = "-300 degC"', "must be above -273"),
        ('[conventions]\ntorque_constant = "peak"', '"dc", "peak-phase" or "rms"'),
        ("electrical = 3", "must be a table"),
        ("gear = 3", r"that each begin with \[\[gear\]\]"),
        ("[[gear]]\nefficiency = 0.9", "needs a ratio"),
        ("[[gear]]\nratio = 9\n[[gear]]\nratio = 0", r"line 4, \[\[gear\]\] ratio = 0.0: every stage needs a ratio"),
        ("name = 3", "must be a text"),
        ("notes = [3]", "list of texts"),
        ('[sources]\nresistanse = "bench"', 'did you mean "resistance"'),
        ("[sources]\nresistance = 3", "must be a text"),
        ("[measured]\na = {b = 1}", "must be a text, a number or a list"),
        (
            '[friction]\ncoulomb = "2 mN*m"\nstiction = "1 mN*m"\nstribeck_velocity = "1 rad/s"',
            "at least the friction when sliding",
        ),
        ('[friction]\nstiction = "1 mN*m"', "give coulomb and stribeck_velocity too"),
        ('[friction]\ndrag = "1 N*m"', "must be a list"),
        ('[friction]\ndrag = ["1 N*m"]', "not a quadratic drag"),
        ('[saturation]\nknee_current = "3 A"', "give scale and torque too"),
        ("[electrical\nresistance = 3", r"x.toml, line 1, column \d+: "),
        ("name = ", "line 1"),
        ("", "is empty"),
        ("  \n\n", "is empty"),
        ("a = " + "[" * 5000, "nested too deeply|line 1"),
    ],
)
def test_a_bad_sheet_is_refused_in_one_sentence(text, words):
    """File, place, value and what to do about it."""
    with pytest.raises(DatasheetError, match=words) as caught:
        Datasheet.loads(text, name="x.toml")
    message = str(caught.value)
    assert message.startswith("x.toml") and "\n" not in message and len(message) < 600


@pytest.mark.parametrize(
    ("tables", "words"),
    [
        ({}, "the motor constant needs kt, ke or kv.*the winding needs resistance"),
        ({"electrical": {"kt": 0.06}}, "the winding needs resistance, or nominal_voltage with stall_current"),
        ({"electrical": {"resistance": 1.0}}, "the motor constant needs kt, ke or kv"),
        (
            {"electrical": {"kt": 0.06, "resistance": 1.0, "inductance": 1e-3, "electrical_time_constant": 5e-3}},
            r"electrical_time_constant = 5 ms: contradicts inductance / resistance = 1 ms: correct or remove",
        ),
        (
            {
                "electrical": {"kt": 0.06, "resistance": 1.0},
                "thermal": {"resistance": 2.0, "capacitance": 10.0, "time_constant": 40.0},
            },
            "time_constant = 40 s: contradicts resistance · capacitance = 20 s",
        ),
        (
            {
                "electrical": {"kt": 0.06, "resistance": 1.0},
                "thermal": {"resistance": 2.0, "winding_resistance": 2.0, "housing_resistance": 2.0},
            },
            "contradicts winding_resistance",
        ),
        ({"electrical": {"kt": 0.06, "ke": 0.3, "resistance": 1.0}}, "contradicts Ke"),
        (
            {"electrical": {"kt": 0.06, "resistance": 1.0, "nominal_voltage": 12.0, "no_load_current": 20.0}},
            "no_load_current = 20 A: contradicts a smaller stall current = 12 A",
        ),
        (
            {"electrical": {"kt": 0.06, "resistance": 1.0}, "limits": {"peak_current": 3.0, "continuous_current": 2.0}},
            "derating_start",
        ),
    ],
)
def test_too_little_or_contradictory_figures_give_no_motor(tables, words):
    """The sheet loads and can be checked, but the motor is refused with what would help."""
    sheet = Datasheet.from_si("sheet", **tables)
    assert isinstance(sheet.check(), list)
    with pytest.raises(DatasheetError, match=words) as caught:
        sheet.motor()
    assert str(caught.value).startswith("sheet")


def test_sheets_made_in_code_are_held_to_the_same_rules():
    """SI numbers are checked for range and name as a file's are."""
    for tables, words in [
        ({"electrical": {"resistance": -1.0}}, "must be positive"),
        ({"electrical": {"resistance": float("nan")}}, "finite"),
        ({"electrical": {"resistance": None}}, "not a number"),
        ({"electrical": {"resistanc": 1.0}}, 'did you mean "resistance"'),
        ({"motor": {}}, "no such table or field"),
    ]:
        with pytest.raises(DatasheetError, match=words):
            Datasheet.from_si("x", **tables)


def test_an_unknown_id_names_the_nearest(tmp_path):
    """A slip of the finger finds its motor."""
    with pytest.raises(DatasheetError, match="not in the catalogue: did you mean maxon-re40-148877"):
        Datasheet.load("maxon-re40-148876")
    with pytest.raises(DatasheetError, match="backemf list"):
        Datasheet.load("qqqqqqqq")
    with pytest.raises(DatasheetError, match="no such file"):
        Datasheet.load(tmp_path / "missing.toml")
    with pytest.raises(DatasheetError, match="neither"):
        Datasheet.load("\0")
    with pytest.raises(DatasheetError, match="catalogue"):
        Datasheet.load("x" * 5000)
    with pytest.raises(DatasheetError, match="neither"):
        Datasheet.load("")


def test_files_that_are_no_text_are_refused(tmp_path):
    """Binary, another encoding, a directory, something huge."""
    for name, data, words in [
        ("binary.toml", b"\x00\x01\x02\xff", "UTF-8"),
        ("latin.toml", 'name = "Müller"'.encode("latin-1"), "not UTF-8 text .byte 0xfc at offset 9"),
        ("zeros.toml", b"\x00" * 100, "line 1"),
        ("empty.toml", b"", "is empty"),
        ("huge.toml", b"#" * 2_000_000, "larger than 1 MB, the most for a datasheet"),
    ]:
        file = tmp_path / name
        file.write_bytes(data)
        with pytest.raises(DatasheetError, match=words) as caught:
            Datasheet.load(file)
        assert name in str(caught.value)
    with pytest.raises(DatasheetError, match="it is a folder"):
        Datasheet.load(tmp_path)


def test_a_byte_order_mark_is_no_fault(tmp_path):
    """Some editors write one."""
    file = tmp_path / "x.toml"
    file.write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert Datasheet.load(str(file)).motor().winding.resistance == 1.13


@given(st.text(max_size=200))
def test_any_text_is_a_sheet_or_a_datasheet_error(text):
    """Nothing but the library's own error comes out."""
    try:
        Datasheet.loads(text)
    except DatasheetError as error:
        assert "\n" not in str(error) or "\n" in text


@given(
    table=st.sampled_from(["electrical", "mechanical", "thermal", "friction", "conventions", "gear", "sources"]),
    key=st.sampled_from(["resistance", "kt", "inertia", "ratio", "coulomb", "drag", "torque_constant"]),
    value=st.one_of(
        st.text(max_size=20), st.floats(), st.integers(), st.booleans(), st.none(), st.lists(st.integers(), max_size=3)
    ),
)
def test_any_value_is_a_figure_or_a_datasheet_error(table, key, value):
    """Whatever stands behind a key, building, checking and deriving end well or in one sentence."""
    content = [{"ratio": 2, key: value}] if table == "gear" else {key: value}
    try:
        sheet = Datasheet.from_si("x", **{table: content})
        sheet.check()
        sheet.motor()
    except BackemfError as error:
        assert str(error)


SIZES = st.floats(1e-19, 1e19)
FIGURES = {
    "electrical": [
        "nominal_voltage",
        "resistance",
        "inductance",
        "kt",
        "ke",
        "kv",
        "no_load_current",
        "nominal_current",
    ],
    "mechanical": [
        "no_load_speed",
        "nominal_speed",
        "nominal_torque",
        "stall_torque",
        "inertia",
        "speed_torque_gradient",
    ],
    "thermal": [
        "resistance",
        "capacitance",
        "time_constant",
        "winding_resistance",
        "housing_resistance",
        "rated_speed",
    ],
    "friction": ["coulomb", "viscous", "iron_loss"],
    "peak": ["torque", "current"],
}


@given(
    tables=st.fixed_dictionaries(
        {name: st.dictionaries(st.sampled_from(keys), SIZES) for name, keys in FIGURES.items()}
    ),
    ratios=st.lists(SIZES, max_size=3),
    ampere=st.sampled_from(["dc", "peak-phase", "rms"]),
    side=st.sampled_from(["motor", "output"]),
)
def test_any_set_of_figures_is_a_motor_or_a_datasheet_error(tables, ratios, ampere, side):
    """However many figures are given and however absurd: a motor, or one sentence."""
    sheet = Datasheet.from_si(
        "x",
        conventions={"torque_constant": ampere, "figures_at": side, "constants_at": side, "friction_at": side},
        gear=[{"ratio": ratio} for ratio in ratios],
        **tables,
    )
    assert Datasheet.loads(sheet.to_toml()) == sheet
    for act in (sheet.check, sheet.predict, sheet.motor):
        try:
            assert str(act())
        except DatasheetError as error:
            assert "\n" not in str(error)
