"""The page of the catalogue is what the exporters find."""

import importlib.util
from pathlib import Path

import pytest

import backemf as be
from backemf.transfer.targets import NAMES

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("catalogue_page", ROOT / "tools" / "catalogue_page.py")
assert SPEC is not None and SPEC.loader is not None
catalogue_page = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(catalogue_page)


@pytest.mark.long
def test_the_page_is_up_to_date():
    """Every motor in every simulator; `python tools/catalogue_page.py` writes it anew."""
    assert catalogue_page.page() == (ROOT / "docs" / "reference" / "catalogue.md").read_text(encoding="utf-8")


def test_no_cell_is_empty():
    """Each motor has a row, each row a cell for every simulator: four counts, or the reason why there are none."""
    lines = (ROOT / "docs" / "reference" / "catalogue.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines if line.startswith("| `")]
    assert [row[0].strip("`") for row in rows] == be.Datasheet.catalog()
    reasons = set(catalogue_page.REASONS.values())
    for row in rows:
        assert len(row) == 2 + len(NAMES)
        for cell in row[2:]:
            counts = cell.split("·")
            assert cell in reasons or (len(counts) == 4 and all(count.isdigit() for count in counts)), row


def test_a_reason_that_nobody_thought_of_is_no_cell():
    """An error of the exporters must not hide in the table."""
    with pytest.raises(AssertionError, match="no reason is known"):
        catalogue_page.reason("something else went wrong")
