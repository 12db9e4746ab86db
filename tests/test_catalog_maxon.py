"""Entries of the makers of small motors: the article's own figures, explained warnings, dates, gearheads."""

import csv
import os
import re
from pathlib import Path

import pytest

from backemf import catalog
from backemf.datasheet import Datasheet

# column of the public table, where the same figure stands in a sheet
COLUMNS = {"V": "nominal_voltage", "k_t": "kt", "R": "resistance", "inertia": "inertia"}

# articles of ours that the public table of 2021 does not have
ABSENT = {
    "118743",
    "118752",
    "203950",
    "268214",
    "305014",
    "305194",
    "323772",
    "339285",
    "339286",
    "370354",
    "488607",
    "934928",
    "936176",
    "937612",
}

# figures that differ from the table's row, and why
DIFFERENT = {
    ("maxon-ec32flat-267121", "R"): "13.7 ohm in the revision of 2010, 13.8 ohm in the table",
    ("maxon-ec45flat-339281", "R"): "4.84 ohm in the revision of 2010, 4.87 ohm in the table",
}

HOT_IRON = "iron core: nominal torque above Kt times the net current, nominal speed below the cold line, as printed"
GROSS = "the printed nominal torque is Kt times the nominal current, with nothing taken off for friction"
NO_LOAD = "the printed no-load speed and Kt do not belong together"
OWN_RESISTANCE = "needs 1.30 ohm, the sheet prints 1.2"
# warnings that check() gives for figures that are as printed, and why they stay
EXPLAINED = {
    ("allied-mf0076020-48v", "no_load_speed"): "no no-load current is printed, so the prediction has no losses",
    ("allied-mf0150010-48v", "no_load_speed"): "no no-load current is printed, so the prediction has no losses",
    ("faulhaber-1331t012sr", "nominal_torque"): "rated below the nominal current",
    ("faulhaber-3268g024bx4", "no_load_speed"): NO_LOAD,
    ("faulhaber-3274g024bp4", "no_load_speed"): NO_LOAD,
    ("faulhaber-3564k024b", "mechanical_time_constant"): OWN_RESISTANCE,
    ("faulhaber-3564k024b", "speed_torque_gradient"): OWN_RESISTANCE,
    ("faulhaber-3564k024b", "stall_torque"): OWN_RESISTANCE,
    ("faulhaber-4221g024bxth", "nominal_torque"): "the thermal limit on a flange, no point of the line at 24 V",
    ("maxon-amax32-236662", "max_speed"): "6000 rpm are permitted, 6460 rpm is the printed no-load speed",
    ("maxon-ec32flat-267121", "nominal_speed"): HOT_IRON,
    ("maxon-ec32flat-267121", "nominal_torque"): HOT_IRON,
    ("maxon-ec45flat-200142", "nominal_speed"): HOT_IRON,
    ("maxon-ec45flat-200142", "nominal_torque"): HOT_IRON,
    ("maxon-ec45flat-339281", "nominal_speed"): HOT_IRON,
    ("maxon-ec45flat-339281", "nominal_torque"): HOT_IRON,
    ("maxon-ec45flat-339286", "nominal_speed"): HOT_IRON,
    ("maxon-ec45flat-339286", "nominal_torque"): HOT_IRON,
    ("maxon-ec45flat-397172", "nominal_torque"): HOT_IRON,
    ("maxon-ec45flat-gp42c", "nominal_torque"): HOT_IRON,
    ("maxon-ec4pole30-gp32hp", "gear_input_speed"): "8000 rpm are permitted, the motor runs at 16 700 rpm at 36 V",
    ("maxon-ec90flat-323772", "nominal_speed"): HOT_IRON,
    ("maxon-ec90flat-323772", "nominal_torque"): HOT_IRON,
    ("maxon-eci40-496655", "nominal_torque"): GROSS,
    ("maxon-eci52-634043", "nominal_torque"): GROSS,
    ("maxon-ht60m-936176", "nominal_torque"): HOT_IRON,
    ("maxon-ht90m-937612", "nominal_torque"): HOT_IRON,
}

MAKERS = {"Allied Motion", "Faulhaber", "Kollmorgen", "maxon"}
OURS = [id for id in catalog.ids() if Datasheet.load(id).maker in MAKERS]


def article(id: str) -> str | None:
    """The article number that an id ends in; None where it ends otherwise."""
    found = re.fullmatch(r"maxon-.*-(\d{6})", id)
    return found[1] if found else None


ARTICLES = [id for id in catalog.ids() if article(id)]


def rows(name: str) -> dict[str, dict[str, str]]:
    """A public table of maxon products by article number."""
    folder = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "maxon_catalogue" / name
    if not file.exists():
        pytest.skip(f"no maxon catalogue at {file}: set BACKEMF_DATA to the folder of measurements")
    with file.open() as lines:
        return {row["ID"]: row for row in csv.DictReader(lines)}


@pytest.fixture(scope="module")
def table() -> dict[str, dict[str, str]]:
    """The public table of maxon motors by article number."""
    return rows("maxon_motors.csv")


def listed_figure(sheet: Datasheet, name: str) -> float | None:
    """A figure of the sheet in SI."""
    return getattr(sheet.electrical, name, None) or getattr(sheet.mechanical, name, None)


@pytest.mark.parametrize("id", ARTICLES)
def test_an_article_has_the_figures_of_its_number(id, table):
    """Voltage, Kt, R and inertia are those of the article's row, digit for digit, or the reason is named."""
    row = table.get(article(id) or "")
    assert (row is None) is (article(id) in ABSENT)
    for column, name in COLUMNS.items() if row else ():
        ours, theirs = listed_figure(Datasheet.load(id), name), float(row[column])
        same = ours is None or ours == pytest.approx(theirs, rel=1e-6)
        assert same is not ((id, column) in DIFFERENT), f"{name}: {ours}, the row has {theirs}"


def test_the_two_windings_of_the_re40_are_not_mixed_up():
    """148867 is the 24 V winding, 148877 the 48 V winding: twice the turns, twice Kt, nearly four times R and L."""
    low, high = (Datasheet.load(f"maxon-re40-{number}") for number in (148867, 148877))
    assert (low.electrical.nominal_voltage, high.electrical.nominal_voltage) == (24.0, 48.0)
    assert (low.electrical.resistance, low.electrical.kt) == (0.299, 0.0302)
    assert low.mechanical.inertia == pytest.approx(142e-7, rel=1e-12)
    assert high.electrical.kt == pytest.approx(2.0 * low.electrical.kt, rel=0.003)
    assert high.electrical.resistance == pytest.approx(4.0 * low.electrical.resistance, rel=0.06)
    assert high.electrical.inductance == pytest.approx(4.0 * low.electrical.inductance, rel=0.01)


@pytest.mark.parametrize("id", OURS)
def test_every_warning_is_explained_and_every_explanation_needed(id):
    """check() finds nothing but what is named above, and each of those."""
    found = {finding.figure for finding in Datasheet.load(id).check() if finding.severity in ("warning", "error")}
    assert found == {figure for named, figure in EXPLAINED if named == id}


@pytest.mark.parametrize("id", OURS)
def test_every_source_has_a_date(id):
    """A day on which the figure was read or transcribed; what is no maker's figure says so."""
    undated = ("a choice, ", "the same ", "300 g of the motor", "140 g of the motor")
    for figure in Datasheet.load(id).figures():
        dated = re.search(r"20\d\d-\d\d-\d\d", figure.source)
        assert dated or figure.source.startswith(undated), f"{figure.name}: {figure.source}"


GEARED = ["maxon-ec45flat-gp42c", "maxon-ec4pole30-gp32hp", "maxon-re40-gp52c"]


@pytest.mark.parametrize("id", GEARED)
def test_the_drive_of_a_geared_motor_stays_below_the_permissible_torque(id):
    """Kt times the peak current, through ratio and efficiency, is at most the gearhead's intermittent torque."""
    sheet = Datasheet.load(id)
    stage = sheet.gear[0]
    assert stage.ratio and stage.efficiency and stage.torque and stage.peak_torque
    assert sheet.limits.peak_current and sheet.electrical.kt and sheet.electrical.nominal_current
    to_output = sheet.electrical.kt * stage.ratio * stage.efficiency
    assert sheet.electrical.nominal_current * to_output <= stage.torque
    assert 0.5 * stage.peak_torque < sheet.limits.peak_current * to_output <= stage.peak_torque


@pytest.mark.parametrize(("id", "key"), [*zip(GEARED, ("203124", "326666", "223090"), strict=True)])
def test_a_gearhead_has_the_figures_of_its_article(id, key):
    """Ratio, efficiency, inertia and both torques are those of the gearhead's row."""
    row = rows("maxon_gearboxes.csv")[key]
    stage = Datasheet.load(id).gear[0]
    ours = (stage.ratio, stage.efficiency, stage.inertia, stage.torque, stage.peak_torque)
    theirs = tuple(float(row[c]) for c in ("ratio", "efficiency", "inertia", "max_cont_torque", "max_int_torque"))
    assert ours == pytest.approx(theirs, rel=1e-6)
