"""Cogging as makers print it: in per cent of the rated torque, by poles and slots."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backemf.datasheet import Datasheet
from backemf.errors import DatasheetError

ELECTRICAL = {"kt": 0.06, "resistance": 1.13}


def sheet(*cogging, nominal_torque: float | None = 0.5, pole_pairs=None, **tables):
    mechanical = {} if nominal_torque is None else {"nominal_torque": nominal_torque}
    electrical = ELECTRICAL if pole_pairs is None else {**ELECTRICAL, "pole_pairs": pole_pairs}
    return Datasheet.from_si("test", electrical=electrical, mechanical=mechanical, cogging=list(cogging), **tables)


def harmonics(*args, **more):
    cogging = sheet(*args, **more).motor().cogging
    assert cogging is not None
    return cogging.harmonics


def test_a_share_is_one_of_the_nominal_torque():
    """2 % of 0.5 N·m."""
    (h,) = harmonics({"share": 0.02, "periodicity": 84.0})
    assert h.amplitude == pytest.approx(0.01) and h.periodicity == 84.0


def test_a_share_of_an_output_torque_is_brought_to_the_motor():
    """Cogging is at the motor, so it is a share of the torque before the gears: τ/(N·η)."""
    (h,) = harmonics(
        {"share": 0.02, "periodicity": 84.0},
        conventions={"figures_at": "output"},
        gear=[{"ratio": 10.0, "efficiency": 0.8}],
    )
    assert h.amplitude == pytest.approx(0.02 * 0.5 / 8.0)


@given(st.integers(1, 60), st.integers(1, 120))
def test_the_period_repeats_when_every_pole_faces_every_slot(pairs, slots):
    """The rotor looks the same to the stator after 1/lcm of a turn, and not sooner."""
    poles = 2 * pairs
    (h,) = harmonics({"amplitude": 0.01, "poles": poles, "slots": slots}, pole_pairs=pairs)
    period = round(h.periodicity)
    assert period % poles == 0 and period % slots == 0 and period == poles * slots // math.gcd(poles, slots)


@pytest.mark.parametrize(
    ("key", "other"),
    [("amplitude", 0.02), ("share", 0.03), ("periodicity", 42), ("poles", 16), ("slots", 18), ("phase", 0.2)],
)
def test_every_figure_changes_the_motor(key, other):
    """No figure is read and then forgotten."""
    figures = {"amplitude": 0.01} if key == "amplitude" else {"share": 0.02}
    figures |= {"periodicity": 84} if key == "periodicity" else {"poles": 14, "slots": 12}
    figures["phase"] = 0.1
    assert sheet(figures).motor() != sheet({**figures, key: other}).motor()


def test_cogging_round_trips():
    """What to_toml writes, loads reads back exactly."""
    given = sheet({"share": 0.02, "poles": 14, "slots": 12, "phase": 0.1 / 3}, {"amplitude": 0.001, "periodicity": 24})
    assert Datasheet.loads(given.to_toml()) == given


def test_a_share_may_be_written_in_per_cent():
    """As makers print it."""
    text = 'name = "x"\n[mechanical]\nnominal_torque = "0.5 N*m"\n[[cogging]]\nshare = "2 %"\npoles = 14\nslots = 12\n'
    assert Datasheet.loads(text).cogging[0].share == pytest.approx(0.02)


@pytest.mark.parametrize(
    ("figures", "words"),
    [
        ({}, "needs an amplitude, or share instead"),
        ({"amplitude": 0.01}, "needs a periodicity, or poles and slots instead"),
        ({"periodicity": 84}, "needs an amplitude, or share instead"),
        ({"amplitude": 0.01, "share": 0.02, "periodicity": 84}, "amplitude and share .*remove one"),
        ({"amplitude": 0.01, "periodicity": 84, "poles": 14, "slots": 12}, "periodicity and poles .*remove one"),
        ({"amplitude": 0.01, "poles": 14}, "poles has no effect alone: give slots too"),
        ({"amplitude": 0.01, "slots": 12}, "slots has no effect alone: give poles too"),
        ({"amplitude": 0.01, "poles": 7, "slots": 12}, "poles = 7: must be an even number"),
        ({"amplitude": 0.01, "poles": 14, "slots": 12.5}, "slots = 12.5: must be a whole number"),
        ({"share": 2.0, "periodicity": 84}, "share = 2.0: must be at most 1"),
        ({"share": 0.0, "periodicity": 84}, "share = 0.0: must be positive"),
    ],
)
def test_bad_cogging_is_refused_in_one_sentence(figures, words):
    """The table, the figure and the remedy."""
    with pytest.raises(DatasheetError, match=words) as caught:
        sheet(figures)
    assert "cogging]" in str(caught.value) and "\n" not in str(caught.value)


def test_a_share_without_a_nominal_torque_is_refused():
    """A share of something unknown is unknown."""
    with pytest.raises(DatasheetError, match=r"share = 0.02: .* give \[mechanical\] nominal_torque, or an amplitude"):
        sheet({"share": 0.02, "periodicity": 84}, nominal_torque=None)


def test_poles_must_be_twice_the_pole_pairs():
    """One motor has one number of magnets."""
    with pytest.raises(DatasheetError, match=r"poles = 14: contradicts \[electrical\] pole_pairs = 14"):
        sheet({"amplitude": 0.01, "poles": 14, "slots": 12}, pole_pairs=14)
