"""Every file of the catalogue keeps the same rules: sources with dates, ids by maker, no prose, nothing contradictory
that is not named here."""

import re
import tomllib

import pytest

from backemf import catalog
from backemf.datasheet import Datasheet
from backemf.units import parse

IDS = catalog.ids()
BRANDS = {"dynamixel": "ROBOTIS", **dict.fromkeys(("ur3e", "ur5e", "ur10e"), "Universal Robots")}
"""Ids that begin with a brand, and whose it is."""
LONGEST_NOTE = 300

CONTRADICTIONS = {
    ("cubemars-ake90-8", "nominal_speed"): "its rated speed is 0.63 of what winding, Kv and voltage predict",
    ("damiao-dm-j10010l-2ec", "nominal_speed"): "its rated speed is 0.56 of what winding, Kv and voltage predict",
    ("dynamixel-pm42-010", "kt"): "its continuous current, 0.6 A, is hardly above its no-load current, 0.52 A",
    ("dynamixel-xc430-w150", "kt"): "its torque per ampere at stall is 1.06 times what its no-load speed allows",
    ("dynamixel-xl330-m077", "kt"): "its torque per ampere at stall is 1.17 times what its no-load speed allows",
    ("frc-neo", "kt"): "its torque per ampere at stall is 1.25 times what its free speed allows: RMS amperes",
}
"""What makers print that cannot be, by id and figure, and why."""


each_sheet = pytest.mark.parametrize(("id", "sheet"), [(id, Datasheet.load(id)) for id in IDS], ids=IDS)


def test_an_id_is_typed_without_quotes_and_begins_with_the_maker():
    """Lower-case words and hyphens; first the maker, the beginning of its name, or its brand."""
    assert len(IDS) >= 80
    for id in IDS:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id), id
        maker, word = Datasheet.load(id).maker, id.split("-")[0]
        names = [re.sub(r"[^a-z0-9]", "", name.lower()) for name in maker.split("/")]
        assert any(name.startswith(word) for name in names) or BRANDS.get(word) == maker, (id, maker)


@each_sheet
def test_a_sheet_is_named_and_states_its_conventions(id, sheet):
    """Who makes what, and which ampere and which side of the gears its figures mean."""
    assert sheet.name and sheet.maker and sheet.kind and sheet.figures()
    assert "conventions" in tomllib.loads(catalog.path(id).read_text(encoding="utf-8"))


@each_sheet
def test_every_figure_has_a_source_with_a_date(id, sheet):
    """The year of the publication, or the day it was read. A figure from elsewhere has a date of its own; one with a
    remark on the sheet's own source has that of the source."""
    dated = re.compile(r"\b(19|20)\d\d\b")
    for figure in sheet.figures():
        elsewhere = "http" in figure.source or "github:" in figure.source or not sheet.source
        said = figure.source if elsewhere else f"{figure.source} {sheet.source}"
        assert figure.source and dated.search(said), f"{figure}: {figure.source!r} has no date"


@each_sheet
def test_figures_only(id, sheet):
    """A note is a sentence of ours, not the maker's prose."""
    assert all(0 < len(note) <= LONGEST_NOTE for note in sheet.notes)


@each_sheet
def test_a_sheet_reads_back_from_its_own_toml(id, sheet):
    """Nothing is lost in writing."""
    assert Datasheet.loads(sheet.to_toml()) == sheet


@each_sheet
def test_only_named_contradictions(id, sheet):
    """`check()` finds no error that is not known here, and those known here are still found."""
    found = {finding.figure for finding in sheet.check() if finding.severity == "error"}
    assert found == {figure for name, figure in CONTRADICTIONS if name == id}


PRINTED = {
    "printed_no_load_speeds": ("mechanical", "no_load_speed", "rad/s"),
    "printed_stall_torques": ("mechanical", "stall_torque", "N*m"),
    "printed_stall_currents": ("electrical", "stall_current", "A"),
    "printed_no_load_currents": ("electrical", "no_load_current", "A"),
}
"""Rows that makers print for several voltages, and the figure that each has at the nominal one."""
SEVERAL = [id for id in IDS if "printed_voltages" in Datasheet.load(id).measured]


@pytest.mark.parametrize("id", SEVERAL)
def test_the_figures_are_those_of_the_nominal_voltage(id):
    """Of the rows for several voltages, the one at the nominal voltage is the sheet's; all rise with the voltage."""
    sheet = Datasheet.load(id)
    volts = [parse(text, "V") for text in sheet.measured["printed_voltages"]]
    nominal = volts.index(sheet.electrical.nominal_voltage)
    for row, (table, figure, unit) in PRINTED.items():
        if row in sheet.measured:
            values = [parse(text, unit) for text in sheet.measured[row]]
            assert len(values) == len(volts) and values == sorted(values)
            assert getattr(getattr(sheet, table), figure) == values[nominal]
