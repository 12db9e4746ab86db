"""Pictures of the studio: what is not known is not drawn."""

import numpy as np

import backemf as be
from backemf.plot.interactive import torque_over_speed

LIMITS = be.load("unitree-g1-4010")
WINDING = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.03, back_emf_constant=0.03),
    ratings=be.Ratings(voltage=24.0),
)


def test_an_unknown_continuous_torque_is_neither_drawn_nor_taken_for_zero():
    """Limits alone, and a winding without heat or ratings: one line, whose axis ends above its torque."""
    for actuator, motor in ((LIMITS, None), (be.Actuator(WINDING), WINDING)):
        shown = torque_over_speed([("it", actuator, motor)], None, None, "rpm")
        (line,) = shown["data"]
        assert line["name"] == "short-term"
        most = np.max([y for y in line["y"] if y is not None])
        assert most < shown["layout"]["yaxis"]["range"][1] < 1.2 * most


def test_motors_side_by_side_are_named_once():
    """By their continuous torque, or else by what is known."""
    known = be.load("maxon-re40-148877")
    shown = torque_over_speed([("a", LIMITS, None), ("b", known, known.motor)], None, None, "rpm")
    assert [line["name"] for line in shown["data"] if line["showlegend"]] == ["a", "b"]
