"""Figures of the page on real logs: servos whose logs nobody of this project made."""

import json
import os
from pathlib import Path

import numpy as np
import pytest

import backemf as be

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[1] / ".." / "shared" / "data"))
RIGS = Path(__file__).parent / "data" / "rigs"
SLOPES = {"mx64": 1.698, "mx106": 2.327}
"""Volts over free speed, of a line through all points [V·s/rad]."""


def needs(folder: str) -> pytest.MarkDecorator:
    """Skip where the logs are not here."""
    there = (DATA / folder).is_dir()
    return pytest.mark.skipif(not there, reason=f"the logs of shared/data/{folder} are not here: set BACKEMF_DATA")


@needs("mx_free_speed")
@pytest.mark.parametrize("servo", SLOPES)
def test_free_speeds_at_higher_voltages_are_predicted(servo: str):
    """Fitted on the lower 60 % of the voltages: the others within 1 %, and an interval that holds the slope."""
    rows = json.loads((DATA / "mx_free_speed" / f"velocity_{servo}.json").read_text())
    volts, speeds = np.array([float(each) for each in rows]), np.array(list(rows.values()))
    time = 0.5 * np.arange(len(volts))
    log = be.Log.from_arrays(None, {"voltage_command": (time, volts), "velocity": (time + 0.45, speeds)})
    prior = be.Datasheet.load(f"dynamixel-{servo}").actuator(estimate=True).motor
    fit = be.identify(log, prior, rig=be.Rig(be.Inertia(1e-3)), hold_out=0.4)
    assert fit.error("velocity") < 0.01 * speeds.max()
    slope = fit.actuator.motor.magnet.back_emf_constant * fit.actuator.motor.ratio
    (magnet,) = (each for each in fit.parameters if each.name == "motor.magnet")
    assert slope * magnet.low / magnet.value < SLOPES[servo] < slope * magnet.high / magnet.value
    assert slope == pytest.approx(SLOPES[servo], rel=0.02)
    assert any("resistance cannot be told" in each.explanation for each in fit.findings)


@pytest.mark.long
@needs("feetech_sts3250")
def test_a_motion_of_the_sts3250_that_was_left_out_is_predicted():
    """From a datasheet with two figures and a gear."""
    logs = [be.read_log(path) for path in sorted((DATA / "feetech_sts3250").glob("2*.json"))]
    rig = be.Rig.read(RIGS / "feetech_sts3250.toml")
    hold_out = "trajectory==up_and_down"
    fit = be.identify(logs, "feetech-sts3250", rig=rig, hold_out=hold_out, compare=["position"])
    # 4.0 mrad are seen
    assert fit.error("position") < 0.01
