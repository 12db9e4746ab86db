"""Words of the command line: taken apart, put together, and what is typed in them."""

from dataclasses import fields

import backemf as be
from backemf.actuator import Delay
from backemf.cli.as_program import option_words
from backemf.cli.losses import error_cells
from backemf.cli.size import COLUMNS, rounded
from backemf.cli.words import join_words, load_from, quantity, split_words, typed_example
from backemf.transfer import Error


def test_words_are_taken_apart_and_put_together():
    """Blanks inside a value stay; what is empty is left out; the words are those that a load is read from."""
    word, values = split_words("pendulum mass=0.5 kg  length = 10cm")
    assert (word, values) == ("pendulum", {"mass": "0.5 kg", "length": "10cm"})
    assert join_words(word, values | {"damping": ""}) == "pendulum mass=0.5 kg length=10cm"
    assert load_from(join_words(word, values)) == be.Pendulum(mass=0.5, length=0.1)
    assert split_words("locked") == ("locked", {})


def test_examples_can_be_typed():
    """With the unit that people type, degrees in place of radians; a number of steps has none."""
    values = {entry.name: typed_example(entry) for entry in fields(be.Pendulum)}
    assert isinstance(load_from(join_words("pendulum", values)), be.Pendulum)
    known = {entry.name: entry for entry in fields(Delay)}
    assert typed_example(known["steps"]) == "2"
    (value,) = [entry for entry in fields(be.commands.Step) if entry.name == "value"]
    assert 0.0 < quantity("", typed_example(value, "rpm"), "rpm") < 1e4


def test_options_are_words():
    """Once for each value of a list and each pair of a dict; what is empty or 0 is left out."""
    given = {"hold_out": 0.3, "free": ["a.*", "b"], "unit": {"angle": "deg"}, "seed": 0, "rate": ""}
    words = "--hold-out 0.3 --free 'a.*' --free b --unit angle=deg"
    assert " ".join(option_words(given)) == words


def test_an_error_of_a_motor_without_torque_has_no_share():
    """A share of the peak needs a peak; below the written digits there is none to speak of."""
    assert error_cells(Error("stall", 0.1, 0.2, 0.0, 0.0))[3] == ""
    assert error_cells(Error("stall", 0.1, 0.2, 0.0, 2.0))[1:4] == ("0.1 N·m", "0.2 N·m", "10 %")
    assert error_cells(Error("start", 1e-9, 1e-9, 0.0, 1.0)) == ("start", "0", "0", "0 %", "")
    assert error_cells(Error("heat", *4 * [float("nan")], unknown="why"))[1:] == ("unknown", "", "", "why")


def test_rounded_figures_stay_numbers():
    """So that a column can be sorted; a share becomes per cent."""
    row = {"name": "m", "mass": 0.123456, "margin": 0.256, "tightest": "peak_current"}
    columns = [each for each in COLUMNS if each[1] in row]
    assert rounded(row, columns) == {"name": "m", "mass": 0.123, "margin": 26, "tightest": "peak current"}
