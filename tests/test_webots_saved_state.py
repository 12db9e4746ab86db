"""What a saved world has of the inside of its PROTOs."""

import math

import pytest

from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.nodes import saved_state

ARM = """
PROTO Wrist [ ] {
  Solid { name "wrist" children [ HingeJoint { device RotationalMotor { name "finger" } endPoint Solid { } } ] }
}
PROTO Arm [ field MFNode tools [ ] ] {
  Robot { name "arm" children [
    Group { children [ HingeJoint {
      jointParameters HingeJointParameters { position 0.1 axis 0 1 0 }
      device RotationalMotor { name "shoulder" minPosition -1 maxPosition 1 }
      endPoint Solid { name "upper" boundingObject Box { size 1 0.1 0.1 } physics Physics { density -1 mass 3 }
        children [
          Hinge2Joint { device RotationalMotor { name "yaw" } device2 RotationalMotor { name "pitch" }
            endPoint Solid { } }
          SliderJoint { device LinearMotor { name "extend" } endPoint Slot { endPoint Solid { name "rod" } } }
        ] }
    } ] }
    Camera { }
    Group { children IS tools }
    HingeJoint { device RotationalMotor { name "base" } endPoint SolidReference { solidName "floor" } }
  ] }
}
"""


def positions(fields: str, before: str = ARM) -> dict[str, float]:
    world = webots.read_world(f"#VRML_SIM R2023b utf8\n{before}\nWorldInfo {{ }}\n{fields}")
    return {name: joint.joint.position for name, joint in world.motors().items()}


def test_solids_and_joints_are_counted_as_webots_counts_them() -> None:
    """Solid 0 is the robot, 1 the upper arm, 2 and 3 what it holds, 4 the camera, 5 the tool that is a PROTO."""
    told = """Arm { tools [ Wrist { } ] hidden position_0_0 0.2 hidden position_0_1 0.3 hidden position_1_0 0.4
      hidden position2_1_0 0.5 hidden position_1_1 0.6 hidden position_5_0 0.7 }"""
    assert positions(told) == {
        "shoulder": 0.2, "base": 0.3, "yaw": 0.4, "pitch": 0.5, "extend": 0.6, "finger": 0.7
    }  # fmt: skip
    assert positions("Arm { }")["shoulder"] == 0.1


def test_a_saved_pose_turns_the_weight_of_what_hangs_there() -> None:
    """3 kg at 0.5 m hang down at q = π/2; saved at 0.3 rad, turned by that, the arm still hangs down there."""
    at_rest = "Arm { hidden translation_1 0.5 0 0 hidden position_0_0 0 }"
    turned = (
        f"Arm {{ hidden position_0_0 0.3 hidden rotation_1 0 1 0 0.3 "
        f"hidden translation_1 {0.5 * math.cos(0.3)} 0 {-0.5 * math.sin(0.3)} }}"
    )
    for text in (at_rest, turned):
        load = webots.read_world(f"#VRML_SIM R2023b utf8\n{ARM}\nWorldInfo {{ }}\n{text}").motors()["shoulder"].load
        assert load.weight == pytest.approx(3.0 * 9.81 * 0.5)
        assert load.hangs_at == pytest.approx(math.pi / 2)


def test_a_run_begins_at_the_saved_position_and_aims_no_further_than_the_limits() -> None:
    """Webots hands the saved position to the motor as its target, which is clipped to 1 rad."""
    text = f"#VRML_SIM R2023b utf8\n{ARM}\nArm {{ hidden position_0_0 1.5 }}"
    world = webots.read_world(text)
    assert not world.warnings
    robot = webots.from_world(world)
    with webots.simulate(robot, duration=2.0) as simulation:
        (axis,) = [each for each in simulation.axes if each.name == "shoulder"]
        assert (axis.position, axis.target_position) == (1.5, 1.0)


def test_state_of_another_proto_than_the_one_saved_is_reset() -> None:
    """A joint that is no more there: Webots says so, and takes nothing of the saved state."""
    text = f"#VRML_SIM R2023b utf8\n{ARM}\nArm {{ hidden position_0_0 0.2 hidden position_1_7 0.3 }}"
    world = webots.read_world(text)
    assert world.motors()["shoulder"].joint.position == 0.1
    (warning,) = world.warnings
    assert "PROTO 'Arm' changed after this world was saved" in warning
    hinge = f"#VRML_SIM R2023b utf8\n{ARM}\nArm {{ hidden position2_0_0 0.2 }}"
    assert "changed after this world was saved" in webots.read_world(hinge).warnings[0]
    # a solid that is no more there is not looked for, and no number of digits is too many
    assert positions(f"Arm {{ hidden position_0_0 0.2 hidden position_{'9' * 5000}_0 1 }}")["shoulder"] == 0.2
    assert positions("Arm { hidden position_0_0 0.2 hidden position_90_0 0.3 }")["shoulder"] == 0.2


def test_what_comes_after_a_proto_that_is_missing_is_not_guessed() -> None:
    """How many solids a PROTO has that is not there nobody knows."""
    told = "Arm { tools [ Missing { } ] hidden position_1_0 0.4 hidden position_0_0 0.2 hidden position_0_1 0.3 }"
    before = f"#VRML_SIM R2023b utf8\n{ARM}\n"
    world = webots.read_world(before + told)
    found = {name: joint.joint.position for name, joint in world.motors().items()}
    assert (found["shoulder"], found["base"]) == (0.2, 0.0)
    assert [line for line in world.warnings if "saved state" in line] == [
        f"line {before.count(chr(10)) + 1}: of the saved state of Arm, what comes after Missing is not known"
    ]


def test_the_count_of_solids_is_bounded(monkeypatch) -> None:
    """Twenty groups that use each other twice would hold a million solids."""
    monkeypatch.setattr(saved_state, "MOST_COUNTED", 1_000)
    rows = "\n".join(f"DEF G{i} Group {{ children [ USE G{i - 1} USE G{i - 1} ] }}" for i in range(1, 21))
    proto = f"PROTO Heap [ ] {{ Robot {{ children [ DEF G0 Solid {{ }} {rows}\n"
    proto += 'HingeJoint { device RotationalMotor { name "m" } } ] } }'
    world = webots.read_world(f"#VRML_SIM R2023b utf8\n{proto}\nHeap {{ hidden position_0_0 0.3 }}")
    assert world.motors()["m"].joint.position == 0.0
    assert "of the saved state of Heap, what comes after" in world.warnings[0]


def test_state_within_a_field_of_a_proto_is_left_as_it_is() -> None:
    """Webots reads it of the outermost PROTO alone, and of one that is a solid."""
    assert positions("Arm { tools [ Wrist { hidden position_0_0 0.7 } ] }")["finger"] == 0.0
    group = "PROTO Pair [ ] { Group { children [ Arm { } ] } }"
    assert positions("Pair { hidden position_0_0 0.7 }", ARM + group)["shoulder"] == 0.1


def test_a_joint_without_parameters_has_a_position_of_its_own() -> None:
    """What Webots saves of a joint that has no jointParameters; where it has some, theirs count."""
    own = 'Robot { children [ HingeJoint { position 0.4 %s device RotationalMotor { name "m" } } ] }'
    assert positions(own % "") == {"m": 0.4}
    assert positions(own % "jointParameters HingeJointParameters { position 0.1 }") == {"m": 0.1}
    two = 'Robot { children [ Hinge2Joint { position2 0.4 device2 RotationalMotor { name "m" } } ] }'
    assert positions(two) == {"m": 0.4}


def test_a_saved_position_that_is_no_number_is_one_sentence() -> None:
    with pytest.raises(ParameterError, match="position_0_0"):
        positions("Arm { hidden position_0_0 TRUE }")
