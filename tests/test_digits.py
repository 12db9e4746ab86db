"""Numbers in an exported text have as many digits as they mean."""

import re
from dataclasses import replace

import pytest

import backemf as be
from backemf.errors import ParameterError
from backemf.sims.digits import MEANT, round_digits, written_digits
from backemf.transfer.exported import export
from backemf.transfer.targets import NAMES

ODD = be.Motor(
    winding=be.Winding(resistance=0.29912345678912, inductance=8.2123456789e-05),
    magnet=be.Magnet(torque_constant=0.0301987654321, back_emf_constant=0.0302123456789),
    rotor=be.Rotor(inertia=1.4212345678e-05),
    friction=be.Coulomb(coulomb=0.0041374123456789),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=53.0833333333333, efficiency=0.7512345678),)),
    ratings=be.Ratings(voltage=24.123456789),
)
PD = be.Actuator(ODD, controller=be.IdealPd(stiffness=40.123456789, damping=1.0123456789))


def longest(text: str) -> int:
    """Most significant digits of any number of a text, comments aside."""
    bare = re.sub(r"<!--.*?-->", "", re.sub(r"#.*", "", text), flags=re.S)
    found = re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[+-]?\d+)?(?![\w.])", bare)
    return max(len(re.sub(r"e.*|[-.]", "", number).strip("0")) for number in found)


@pytest.mark.parametrize("name", NAMES)
def test_a_text_has_six_digits(name):
    """Of a motor whose every constant is odd."""
    assert longest(export(PD, name, compare=False).text) == MEANT


@pytest.mark.parametrize("name", ["mujoco@4.0", "mjlab", "isaaclab", "webots"])
def test_all_digits_are_there_for_who_asks(name):
    """`digits=None` writes what a float has."""
    assert longest(export(PD, name, compare=False, digits=None).text) >= 13


@pytest.mark.parametrize("name", NAMES)
def test_what_is_read_and_written_again_has_the_same_digits(name):
    """Rounding twice is rounding once."""
    first = export(PD, name, compare=False)
    if name.startswith("mujoco"):
        return  # a motor read from MuJoCo is at the joint: its numbers are derived anew, and tested in its room
    again = export(first.on_joint, name, compare=False)
    numbers = re.compile(r"(?<![\w.])-?\d+\.\d+(?:e[+-]?\d+)?")
    plain = [numbers.findall(re.sub(r"#.*", "", each.text)) for each in (first, again)]
    assert plain[0] == plain[1]


def test_six_digits_are_worth_less_than_a_hundred_thousandth():
    """The torque error of the digits alone."""
    motor = replace(ODD, friction=None, rotor=None, gearbox=be.Gearbox(stages=(be.Stage(ratio=53.0833333333333),)))
    motor = replace(motor, winding=be.Winding(resistance=0.29912345678912))
    for error in export(be.Actuator(motor, controller=be.Torque()), "mjlab").errors:
        assert error.unknown or error.worst < 1e-5 * error.peak


@pytest.mark.parametrize("digits", [2, 18, True, "6", 6.0])
def test_digits_out_of_reason_are_refused(digits):
    with pytest.raises(ParameterError, match=r"digits = .*whole number from 3 to 17"), written_digits(digits):
        pass


def test_only_floats_are_rounded():
    with written_digits(4):
        assert round_digits((1.23456789, 7, "a")) == (1.235, 7, "a")
    assert round_digits(1.23456789) == 1.23456789
