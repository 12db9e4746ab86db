"""A real servo: the logs of a gain that a fit has not seen."""

import os
from pathlib import Path

import pytest

import backemf as be

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data")) / "xl330_pendulum"
RIG = """
format = "backemf rig 1"
[load]
kind = "Pendulum"
mass = "0.49 kg +- 1 %"
length = "0.10 m"
arm_mass = "15 g +- 70 %"
[firmware]
kind = "ServoRegisters"
servo = "dynamixel xl330-m288"
position_p_gain = "log.kp"
[supply]
voltage = "7.3 V"
"""


@pytest.mark.long
@pytest.mark.skipif(not DATA.is_dir(), reason="the logs of shared/data/xl330_pendulum are not here: set BACKEMF_DATA")
def test_a_gain_that_was_left_out_is_predicted():
    """The published family has 64.5 mrad in the mean of three gains; the datasheet alone has hundreds."""
    logs = [be.read_log(path) for path in sorted(DATA.glob("*.json"))]
    rig = be.Rig.parse(RIG)
    fit = be.identify(logs, "dynamixel-xl330-m288", rig=rig, hold_out="kp==100", compare=["position"])
    assert fit.error() < 0.038
    kept = {rung.name for rung in fit.rungs if rung.kept}
    assert {"curve from duty to voltage", "friction by load"} <= kept
    drive = fit.actuator
    assert drive.motor is not None and drive.motor.rotor is not None
    for each in fit.parameters:
        assert each.low < each.value < each.high, each.name
