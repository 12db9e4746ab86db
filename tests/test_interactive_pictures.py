"""Pictures of the studio: what is not known is not drawn."""

import numpy as np

import backemf as be
from backemf.plot.interactive import torque_over_speed
from backemf.plot.interactive_channels import Curve, channels_over_time
from backemf.plot.interactive_laws import laws_over_speed
from backemf.plot.interactive_pairs import pairs_by_figures

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


def test_both_laws_are_drawn_in_the_unit_of_the_axis():
    """10 rad/s are 95.5 rpm; 0.5 N·m is drawn in mN·m, of the motor and of the simulator."""
    speed = np.array([-10.0, 10.0])
    shown = laws_over_speed(speed, np.array([[0.5, 0.1], [-0.1, -0.5]]), np.array([[0.4, 0.4], [-0.4, -0.4]]), "Toy")
    low, high, toy, _ = shown["data"]
    assert high["x"] == [-95.493, 95.493]
    assert (high["y"], low["y"], toy["y"]) == ([500.0, 100.0], [-100.0, -500.0], [400.0, 400.0])
    assert [line["name"] for line in shown["data"] if line.get("showlegend", True)] == ["the motor", "Toy"]
    assert laws_over_speed(speed, np.ones((2, 2)), np.ones((2, 2)), "Toy", "rad/s")["data"][0]["x"] == [-10.0, 10.0]


def test_channels_of_one_unit_share_an_axis():
    """Command and position stand in one of two axes, the current in the other; commands are dotted."""
    time = [0.0, 1.0]
    goal, angle = Curve("goal", "rad", time, [0.0, 1.0], True), Curve("angle", "rad", time, [0.0, 0.9])
    shown = channels_over_time([goal, angle, Curve("current", "A", time, [0.1, 0.2])])
    assert [(line["yaxis"], line["line"]["dash"]) for line in shown["data"]] == [
        ("y", "dot"), ("y", "solid"), ("y2", "solid"),
    ]  # fmt: skip
    first, second = shown["layout"]["yaxis"]["domain"], shown["layout"]["yaxis2"]["domain"]
    assert first[0] > second[1] and shown["layout"]["xaxis"]["anchor"] == "y2"


def test_pairs_open_by_their_names():
    """A point's data is the name of its pair; the front is drawn above the others."""
    rows = [{"name": "a", "mass": 1.0, "energy": 5.0}, {"name": "b", "mass": 2.0, "energy": 9.0}]
    shown = pairs_by_figures(rows, rows[:1], ("mass", "mass [kg]"), ("energy", "energy [J]"))["data"]
    assert [(points["x"], points["y"], points["customdata"]) for points in shown] == [
        ([1.0, 2.0], [5.0, 9.0], ["a", "b"]), ([1.0], [5.0], ["a"]),
    ]  # fmt: skip


def test_every_axis_of_channels_says_its_unit():
    """A duty is a number, which is said, too."""
    shown = channels_over_time([Curve("duty", "1", [0.0, 1.0], [0.1, 0.2]), Curve("heat", "degC", [0.0, 1.0], [1, 2])])
    titles = [axis["title"] for name, axis in shown["layout"].items() if name.startswith("yaxis")]
    assert [title["text"] if isinstance(title, dict) else title for title in titles] == ["[1]", "°C"]


def test_axes_of_pairs_begin_at_zero_where_nothing_is_below_it():
    """A single pair of 0.1 kg shows no negative mass; energy that is given back stays in sight."""
    rows = [{"name": "a", "mass": 0.1, "energy": -2.0}]
    axes = pairs_by_figures(rows, rows, ("mass", "mass [kg]"), ("energy", "energy [J]"))["layout"]
    assert axes["xaxis"]["rangemode"] == "nonnegative" and "rangemode" not in axes["yaxis"]
