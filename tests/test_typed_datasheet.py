"""A datasheet typed figure by figure."""

import pytest

import backemf as be
from backemf.datasheet.side_by_side import figures_side_by_side
from backemf.datasheet.typed import WHOLE, check_typed, typed_figures, unusual_figures, write_typed
from backemf.errors import DatasheetError

DESK = {
    ("", "name"): "Desk motor",
    ("electrical", "nominal_voltage"): "24 V",
    ("electrical", "resistance"): "0.5 ohm",
    ("electrical", "kt"): "30 mN*m/A",
    ("mechanical", "stall_torque"): "1440 mN*m",
}
"""48 A at stall give 48 A · 30 mN·m/A = 1440 mN·m."""


def checked(**changes: str):
    typed = DESK | {
        ("mechanical" if key == "stall_torque" else "electrical", key): text for key, text in changes.items()
    }
    return check_typed(typed, write_typed(typed))


def test_what_is_typed_is_the_sheet_and_is_read_back():
    """A ratio of 53 has no unit; a figure that is cleared is gone, and what has no field stays."""
    typed = DESK | {("gear", "ratio"): "53"}
    text = write_typed(typed, 'maker = "Desk Inc."\n')
    sheet = be.Datasheet.loads(text)
    assert (sheet.name, sheet.maker, sheet.electrical.kt, sheet.gear[0].ratio) == ("Desk motor", "Desk Inc.", 0.03, 53)
    assert typed_figures(text) == typed
    assert "kt" not in write_typed({("electrical", "kt"): ""}, text)


def test_figures_that_agree_say_so():
    found = checked()
    assert found.usable and not found.faults
    assert found.note(("mechanical", "stall_torque")) == ("agrees", "ok")
    assert found.summary() == ("1 figure agrees with the others.", "ok")


def test_a_slip_of_ten_is_found_beside_its_figure():
    """144 mN·m are a tenth of what follows."""
    found = checked(stall_torque="144 mN*m")
    said, severity = found.note(("mechanical", "stall_torque")) or ("", "")
    assert severity in ("warning", "error") and said.endswith("(0.10 times what follows)")
    assert (found.summary() or ("",))[0].startswith("1 figure does not fit the others")


def test_a_figure_that_cannot_be_read_has_its_own_sentence():
    found = checked(resistance="0.5")
    assert list(found.faults) == [("electrical", "resistance")] and not found.usable
    assert "has no unit" in (found.note(("electrical", "resistance")) or ("",))[0]
    said, severity = found.summary("the RE 40") or ("", "")
    assert severity == "error" and said.startswith("1 figure cannot be read")
    assert said.endswith("all pages show the RE 40.")


def test_a_sheet_with_too_few_figures_says_what_a_motor_lacks():
    """Every figure is right, and there is no motor yet: the pages are about another one, which is said."""
    typed = {("electrical", "nominal_voltage"): "24 V"}
    found = check_typed(typed, write_typed(typed))
    assert not found.usable and not found.faults
    said, severity = found.summary("the RE 40") or ("", "")
    assert severity == "info" and "the winding needs resistance, or nominal voltage with stall current" in said
    assert said.endswith("all pages show the RE 40.")


def test_what_is_wrong_with_all_together_is_the_summary():
    """A gear without its ratio is no fault of the figure that was typed."""
    typed = DESK | {("gear", "efficiency"): "80 %"}
    found = check_typed(typed, write_typed(typed))
    said, severity = found.summary() or ("", "")
    assert list(found.faults) == [WHOLE] and severity == "error" and said.startswith(found.faults[WHOLE])
    assert "ratio" in found.faults[WHOLE]


def test_a_broken_text_is_one_sentence():
    with pytest.raises(DatasheetError, match="the typed datasheet, line 1"):
        typed_figures("name = ")


def test_unusual_figures_are_those_that_are_not_shown():
    assert "ke" in unusual_figures("electrical", ("kt",)) and "kt" not in unusual_figures("electrical", ("kt",))


def test_figures_side_by_side_have_a_dash_where_one_prints_none():
    one = be.Datasheet.loads('name = "a"\n[electrical]\nkt = "30 mN*m/A"\nresistance = "1 ohm"\n')
    two = be.Datasheet.loads('name = "b"\n[electrical]\nresistance = "2 ohm"\n')
    found = dict(figures_side_by_side([one, None, two]))
    assert found["kt"][1:] == ["–", "–"]
    assert [text.split()[0] for text in found["resistance"]] == ["1", "–", "2"]
