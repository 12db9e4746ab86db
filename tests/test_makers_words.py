"""Figures under the names that makers print: the error names the one that was meant."""

import pytest

from backemf.datasheet.makers_words import WORDS
from backemf.datasheet.read import read_text
from backemf.datasheet.table import LISTS, TABLES, quantities
from backemf.errors import DatasheetError
from backemf.units import example

MEANT = {
    ("mechanical", "rated_torque", "1 N*m"): '"nominal_torque"',
    ("mechanical", "peak_torque", "1 N*m"): '"torque" under [peak] or "peak_torque" under [gear]',
    ("mechanical", "rated_speed", "100 rpm"): '"nominal_speed" or "rated_speed" under [thermal]',
    ("mechanical", "rotor_inertia", "1 g*cm^2"): '"inertia"',
    ("mechanical", "weight", "100 g"): '"mass"',
    ("electrical", "torque_constant", "0.05 N*m/A"): '"kt"',
    ("electrical", "speed_constant", "200 rpm/V"): '"kv"',
    ("electrical", "winding_resistance", "2 ohm"): '"resistance"',
    ("electrical", "winding_resistance", "2 K/W"): '"winding_resistance" under [thermal]',
    ("electrical", "no_load_sped", "3000 rpm"): None,
    ("thermal", "thermal_resistance", "2 K/W"): '"resistance"',
}
"""What is meant by a figure under a name and with a value; None where nothing can be said."""


@pytest.mark.parametrize(("table", "key", "value"), MEANT)
def test_the_figure_that_was_meant_is_named(table: str, key: str, value: str):
    """By what makers call it and by its unit; a name that is spelt much the same comes last."""
    meant = MEANT[table, key, value]
    with pytest.raises(DatasheetError) as caught:
        read_text(f'[{table}]\n{key} = "{value}"', "x.toml")
    assert str(caught.value).endswith(f"did you mean {meant}?" if meant else "stall_current")


@pytest.mark.parametrize(("home", "name"), [(home, name) for home, names in WORDS.items() for name in names])
def test_every_word_of_makers_leads_to_its_figure(home: str, name: str):
    """The figure is among those that are suggested, by a name that a table has and that is not the word itself."""
    kinds = TABLES | LISTS
    value = example(quantities(kinds[home])[name].unit)
    for word in WORDS[home][name].split():
        table = home if word not in quantities(kinds[home]) else "saturation"
        begin = f"[[{table}]]" if table in LISTS else f"[{table}]"
        with pytest.raises(DatasheetError, match=f'"{name}"'):
            read_text(f'{begin}\n{word} = "{value}"', "x.toml")


def test_a_table_that_is_not_known_is_no_other_table():
    """`figures` is spelt a little like `sources`: all tables are named instead."""
    with pytest.raises(DatasheetError, match="it has cogging, conventions, electrical"):
        read_text('[figures]\nkt = "1 N*m/A"', "x.toml")
    with pytest.raises(DatasheetError, match='did you mean "gear"'):
        read_text("[gearbox]\nratio = 9", "x.toml")
