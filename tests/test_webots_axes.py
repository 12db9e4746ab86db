"""The axes of Webots' joints: what they are unless a file gives them, and how they turn with each other."""

import math

import pytest
from webots_joints import MATRIX, solid

from backemf.sims import webots


def test_axes_that_a_file_does_not_give() -> None:
    """A hinge turns about x, its second axis about z; a ball joint about x, y and z."""
    end_point = solid("Box { }")
    for kind, axes in {
        "HingeJoint": [(1, 0, 0)],
        "SliderJoint": [(0, 0, 1)],
        "Hinge2Joint": [(1, 0, 0), (0, 0, 1)],
        "BallJoint": [(1, 0, 0), (0, 1, 0), (0, 0, 1)],
    }.items():
        found = webots.read_world(f"{kind} {{ endPoint {end_point} }}").joints
        assert [joint.axis for joint in found] == axes


def test_the_axes_of_a_ball_joint_stand_across() -> None:
    """The first is that of jointParameters2, the third that of jointParameters3; one alone makes the other."""
    cases = {
        "jointParameters2 JointParameters { axis 0 1 0 } jointParameters3 JointParameters { axis 1 0 0 }": (
            (0, 1, 0), (0, 0, 1), (1, 0, 0),
        ),
        "jointParameters3 JointParameters { axis 0 1 0 }": ((1, 0, 0), (0, 0, -1), (0, 1, 0)),
        "jointParameters3 JointParameters { }": ((0, 1, 0), (-1, 0, 0), (0, 0, 1)),
        "jointParameters2 JointParameters { axis 1 0 0 }": ((1, 0, 0), (0, 0, 1), (0, -1, 0)),
    }  # fmt: skip
    for parameters, axes in cases.items():
        found = webots.read_world(f"BallJoint {{ {parameters} endPoint Solid {{ }} }}").joints
        assert tuple(joint.axis for joint in found) == axes


def test_the_second_axis_turns_with_the_first() -> None:
    """After a quarter turn about x, the second axis z is at -y; the file has the end point turned already."""
    text = f"""Hinge2Joint {{
      jointParameters HingeJointParameters {{ position {math.pi / 2} }}
      jointParameters2 JointParameters {{ axis 0 0 1 }} endPoint Solid {{ physics Physics {{ {MATRIX} }} }} }}"""
    first, second = webots.read_world(text).joints
    assert first.inertia == pytest.approx(0.1) and second.inertia == pytest.approx(0.2)
    assert first.load.locked and second.load.locked


def test_the_third_axis_turns_with_both_others() -> None:
    """A quarter about x takes z to -y; one about its own y before that takes z to x, which stays where it is."""
    quarter = f"position {math.pi / 2}"
    for second, third in (("position 0", 0.2), (quarter, 0.1)):
        text = f"""BallJoint {{ jointParameters BallJointParameters {{ {quarter} }}
          jointParameters2 JointParameters {{ axis 1 0 0 {second} }} jointParameters3 JointParameters {{ axis 0 0 1 }}
          endPoint Solid {{ physics Physics {{ {MATRIX} }} }} }}"""
        assert [joint.inertia for joint in webots.read_world(text).joints] == pytest.approx([0.1, 0.3, third])
