"""The weight of what a joint of a Webots file carries, about its axis or along it."""

import math
from dataclasses import replace

import pytest
from webots_joints import OWN

import backemf as be
from backemf.sims import webots
from backemf.sims.webots import WorldJoint, controller

ARM = "Solid { translation 0.5 0 0 boundingObject Box { size 0.1 0.1 0.1 } physics Physics { mass 2 } }"


def arm(info: str, axis: str = "0 1 0", more: str = "", robot: str = "", kind: str = "HingeJoint") -> WorldJoint:
    motor = "RotationalMotor" if kind == "HingeJoint" else "LinearMotor"
    text = f"""{info} Robot {{ {robot} children [ {kind} {{
      jointParameters {kind.replace("Slider", "")}Parameters {{ axis {axis} {more} }}
      device {motor} {{ name "m" }} endPoint {ARM} }} ] }}"""
    return webots.read_world(text).joints[0]


def torque(joint: WorldJoint, position: float) -> float:
    return joint.load.weight * math.sin(joint.load.hangs_at - position)


def test_a_level_arm_pulls_with_its_whole_weight() -> None:
    """2 kg at 0.5 m along x, turned about y with z up: +9.81 N·m, which is where it falls; 0 where it hangs."""
    found = arm("WorldInfo { }", more="position 0.3")
    assert found.load.weight == pytest.approx(9.81)
    assert torque(found, 0.3) == pytest.approx(9.81) and found.load.hangs_at == pytest.approx(0.3 + math.pi / 2)
    assert torque(found, 0.3 - math.pi / 3) == pytest.approx(9.81 * math.cos(math.pi / 3))


def test_an_arm_that_is_half_way_down_hangs_a_little_further() -> None:
    """With the centre of mass 1 m ahead and 0.5 m below the axis, it hangs where both are turned by atan(1/0.5)."""
    text = "Solid { translation 1 0 -0.5 physics Physics { mass 2 centerOfMass [ 0 0 0 ] } }"
    found = webots.read_world(f"""WorldInfo {{ gravity 10 }}
      HingeJoint {{ jointParameters HingeJointParameters {{ axis 0 1 0 position -2 }} endPoint {text} }}""").joints[0]
    assert found.load.weight == pytest.approx(20 * math.hypot(1, 0.5))
    assert found.load.hangs_at == pytest.approx(-2 + math.atan2(1, 0.5))
    assert torque(found, -2.0) == pytest.approx(20.0)


@pytest.mark.parametrize(
    ("info", "axis", "expected"),
    [
        ("WorldInfo { gravity 1.62 }", "0 1 0", 1.62),
        ("WorldInfo { gravity 0 0 -3 }", "0 -1 0", -3.0),
        ('WorldInfo { coordinateSystem "NUE" }', "0 0 1", -9.81),
        ("#VRML_SIM R2021b utf8\nWorldInfo { }", "0 0 1", -9.81),
        ("#VRML_SIM R2022b utf8\nWorldInfo { }", "0 0 1", 0.0),
        ("WorldInfo { gravity 0 }", "0 1 0", 0.0),
        ("WorldInfo { gravity %<= g >% }", "0 1 0", 0.0),
        ("WorldInfo { coordinateSystem %<= c >% }", "0 1 0", 0.0),
        ("", "0 1 0", 0.0),
    ],
)
def test_gravity_is_that_of_the_world(info: str, axis: str, expected: float) -> None:
    """A number along the world's down, or three in older files; none where it is not told."""
    found = arm(f"{info}\n", axis)
    assert torque(found, 0.0) == pytest.approx(expected, abs=1e-12)
    assert found.load.gravity == ("WorldInfo" in info and "%" not in info)


def test_a_robot_that_is_turned_takes_its_joints_along() -> None:
    """A vertical axis has no weight on it; laid down, it has."""
    assert arm("WorldInfo { }", "0 0 1").load.weight == 0.0
    laid = arm("WorldInfo { }", "0 0 1", robot=f"rotation 1 0 0 {math.pi / 2}")
    assert torque(laid, 0.0) == pytest.approx(-9.81)


def test_a_wheel_has_no_weight_about_its_axle() -> None:
    """Its centre of mass is on the axis."""
    found = arm("WorldInfo { }", "0 1 0", more="anchor 0.5 0 0")
    assert found.load.weight == 0.0 and found.inertia == pytest.approx(2 * OWN)


def test_a_slider_feels_the_weight_along_its_axis() -> None:
    """-2 kg·g on a vertical one, a part of it on a slope."""
    assert arm("WorldInfo { }", "0 0 1", kind="SliderJoint").load.pull == pytest.approx(-19.62)
    assert arm("WorldInfo { }", "3 0 -4", kind="SliderJoint").load.pull == pytest.approx(19.62 * 0.8)
    assert arm("WorldInfo { }", "1 0 0", kind="SliderJoint").load.pull == 0.0


@pytest.mark.parametrize(("kind", "expected"), [("HingeJoint", -9.81), ("SliderJoint", 19.62)])
def test_a_motor_that_holds_bears_the_weight(kind: str, expected: float) -> None:
    """The torque feedback of a motor at rest is the weight of what it holds."""
    info, motor = (
        "WorldInfo { basicTimeStep 8 CFM 1e-12 }",
        "RotationalMotor" if kind == "HingeJoint" else "LinearMotor",
    )
    text = f"""{info} Robot {{ children [ {kind} {{
      jointParameters {kind.replace("Slider", "")}Parameters {{ axis {"0 1 0" if kind == "HingeJoint" else "0 0 1"} }}
      device {motor} {{ name "m" max{"Torque" if kind == "HingeJoint" else "Force"} 50 }} endPoint {ARM} }} ] }}"""
    with webots.simulate(webots.from_world(webots.read_world(text)), hints=False) as simulation:
        controller.Robot().step(80)
        assert simulation.axes[0].feedback == pytest.approx(expected, rel=1e-6)
        assert abs(simulation.axes[0].position) < 1e-6


def test_an_arm_with_our_motor_swings_to_where_it_hangs() -> None:
    """With the backend "motor" and no torque asked for, friction lets the arm come to rest below the axis."""
    text = f"""WorldInfo {{ basicTimeStep 8 }} Robot {{ children [ HingeJoint {{
      jointParameters HingeJointParameters {{ axis 0 1 0 dampingConstant 4 }}
      device RotationalMotor {{ name "m" maxTorque 0 }} endPoint {ARM} }} ] }}"""
    robot = webots.from_world(webots.read_world(text)).with_values(backend="motor")
    motor = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-4),
    )
    free = robot.with_joints(lambda joint: replace(joint, actuator=motor, supply=24.0))
    with webots.simulate(free, hints=False) as simulation:
        controller.Robot().step(4000)
        assert simulation.axes[0].position == pytest.approx(math.pi / 2, abs=0.05)
