"""Catalogue entries that carry a maxon article number have the figures of that article."""

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
ABSENT = {"118743", "118752", "203950", "268214", "305194", "339285", "339286", "488607"}

# figures that differ from the table's row, and why
DIFFERENT = {
    ("maxon-ec32flat-267121", "R"): "13.7 ohm in the revision of 2010, 13.8 ohm in the table",
    ("maxon-ec45flat-339281", "R"): "4.84 ohm in the revision of 2010, 4.87 ohm in the table",
}


def article(id: str) -> str | None:
    """The article number that an id ends in; None where it ends otherwise."""
    found = re.fullmatch(r"maxon-.*-(\d{6})", id)
    return found[1] if found else None


ARTICLES = [id for id in catalog.ids() if article(id)]


@pytest.fixture(scope="module")
def table() -> dict[str, dict[str, str]]:
    """The public table of maxon motors by article number."""
    folder = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
    file = folder / "maxon_catalogue" / "maxon_motors.csv"
    if not file.exists():
        pytest.skip(f"no maxon catalogue at {file}: set BACKEMF_DATA to the folder of measurements")
    with file.open() as lines:
        return {row["ID"]: row for row in csv.DictReader(lines)}


def listed(sheet: Datasheet, name: str) -> float | None:
    """A figure of the sheet in SI."""
    return getattr(sheet.electrical, name, None) or getattr(sheet.mechanical, name, None)


@pytest.mark.parametrize("id", ARTICLES)
def test_an_article_has_the_figures_of_its_number(id, table):
    """Voltage, Kt, R and inertia are those of the article's row, digit for digit, or the reason is named."""
    row = table.get(article(id) or "")
    assert (row is None) is (article(id) in ABSENT)
    for column, name in COLUMNS.items() if row else ():
        ours, theirs = listed(Datasheet.load(id), name), float(row[column])
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
