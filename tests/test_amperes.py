"""`Arms` and `Apk` in a sheet: the unit says which ampere, and must not be read as a DC ampere."""

import math

import pytest

from backemf.datasheet import Datasheet
from backemf.errors import DatasheetError


def sheet(kt='"0.12 Nm/A"', current='"5 A"', conventions="", more=""):
    """A sheet with a torque constant and a nominal current as printed."""
    text = f"""
[conventions]
{conventions}
[electrical]
resistance = "1 ohm"
kt = {kt}
nominal_current = {current}
{more}"""
    return Datasheet.loads(text, name="x.toml")


@pytest.mark.parametrize(
    ("kt", "current", "ampere", "factor"),
    [
        ('"0.12 Nm/Arms"', '"5 Arms"', "rms", math.sqrt(3 / 2)),
        ('"0.12 N·m/A rms"', '"5 A(rms)"', "rms", math.sqrt(3 / 2)),
        ('"0.12 Nm/Apk"', '"5 Apk"', "peak-phase", math.sqrt(3) / 2),
        ('"0.12 Nm/Adc"', '"5 Adc"', "dc", 1.0),
        ('"0.12 Nm/A"', '"5 Adc"', "dc", 1.0),
    ],
)
def test_the_unit_sets_the_convention(kt, current, ampere, factor):
    """The DC-equivalent motor has Kt divided and its current multiplied by the DC amperes of one such ampere."""
    read = sheet(kt, current)
    assert (read.conventions.torque_constant, read.conventions.current or "dc") == (ampere, ampere)
    motor = read.motor()
    assert motor.magnet.torque_constant == pytest.approx(0.12 / factor)
    assert motor.ratings.current == pytest.approx(5.0 * factor)
    assert Datasheet.loads(read.to_toml()) == read


def test_currents_and_torque_constant_may_name_different_amperes():
    """Kt per peak ampere and currents as RMS is a real habit: each follows its own unit."""
    read = sheet('"0.12 Nm/Apk"', '"5 Arms"')
    assert (read.conventions.torque_constant, read.conventions.current) == ("peak-phase", "rms")


def test_a_unit_may_repeat_what_the_conventions_say():
    """`Arms` in a sheet of RMS amperes settles the plain amperes beside it."""
    read = sheet('"0.12 Nm/A"', '"5 Arms"', 'torque_constant = "rms"\ncurrent = "rms"', 'stall_current = "20 A"')
    assert read.motor().ratings.current == pytest.approx(5.0 * math.sqrt(3 / 2))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (
            {"kt": '"0.12 Nm/Arms"', "current": '"5 Arms"', "conventions": 'current = "dc"'},
            r'x.toml, line 7, \[electrical\] nominal_current = "5 Arms": contradicts \[conventions\] current = "dc"',
        ),
        (
            {"kt": '"0.12 Nm/Arms"', "conventions": 'torque_constant = "peak-phase"'},
            r'kt = "0.12 Nm/Arms": contradicts \[conventions\] torque_constant = "peak-phase"',
        ),
        (
            {"kt": '"0.12 Nm/Arms"', "current": '"5 Arms"', "more": 'stall_current = "20 Apk"'},
            r'stall_current = "20 Apk": is not in the amperes of \[electrical\] nominal_current = "5 Arms"',
        ),
        (
            {"kt": '"0.12 Nm/Arms"', "current": '"5 Arms"', "more": '[limits]\ncurrent_rate = "20 A/s"'},
            r'\[limits\] current_rate = "20 A/s": does not say which ampere, and .*nominal_current = "5 Arms" does',
        ),
        (
            {"kt": '"0.12 Nm/Arms"'},
            r'nominal_current = "5 A": does not say which ampere, and \[electrical\] kt = "0.12 Nm/Arms" does: '
            r'write Arms, or give \[conventions\] current = "rms" or "dc"',
        ),
        (
            {"current": '"5 Arms"'},
            r'kt = "0.12 Nm/A": does not say which ampere.* give \[conventions\] torque_constant = "rms" or "dc"',
        ),
        ({"more": 'ke = "0.1 Nm/Arms"'}, "is per Arms, which only a torque constant is"),
    ],
)
def test_amperes_that_contradict_or_are_left_open_are_one_sentence(arguments, words):
    """File, line, both figures and the remedy."""
    with pytest.raises(DatasheetError, match=words) as caught:
        sheet(**arguments)
    assert str(caught.value).startswith("x.toml, line")


def test_the_written_convention_rules_plain_amperes_beside_a_named_torque_constant():
    """With `current` given, `A` is no question any more."""
    read = sheet('"0.12 Nm/Arms"', '"5 A"', 'current = "dc"')
    assert read.motor().ratings.current == 5.0


def test_sheets_made_in_code_follow_the_same_rules():
    """A text with `Arms` beside plain numbers has to say it too."""
    read = Datasheet.from_si("x", electrical={"kt": "0.1 Nm/Arms", "nominal_current": "5 Arms", "resistance": 1.0})
    assert read.conventions.current == "rms"
    with pytest.raises(DatasheetError, match="does not say which ampere"):
        Datasheet.from_si("x", electrical={"kt": "0.1 Nm/Arms", "nominal_current": 5.0})
