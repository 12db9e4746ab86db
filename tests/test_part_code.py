"""Parts as code."""

import pytest

import backemf as be
from backemf.part_code import code_of


@pytest.mark.parametrize(
    "part",
    [
        be.Inertia(inertia=1e-4),
        be.Pendulum(mass=0.5, length=0.1, damping=1e-3),
        be.PositionPid(kp=10.0, ki=5.0, freeze_at_limit=True),
        be.Delay(seconds=(2e-3, 5e-3), schedule="episode"),
        be.Supply(voltage=12.0, curve=be.DutyCurve(saturation=0.6)),
    ],
)
def test_the_code_makes_the_part(part: object):
    """Evaluated, it is the same part; what is as its default is not in it."""
    text = code_of(part)
    assert eval(text, {"be": be}) == part
    assert "None" not in text


def test_defaults_are_left_out():
    assert code_of(be.Inertia(inertia=0.5)) == "be.Inertia(inertia=0.5)"
    assert code_of(be.commands.Sine(amplitude=1.0, frequency=2.0), "") == "Sine(amplitude=1.0, frequency=2.0)"
