"""What a joint of a Webots file moves: mass properties by Webots' rules, all solids on it, and their weight."""

import math

import pytest
from webots_joints import BAR, MATRIX, OWN, hinge, solid
from webots_rig import lines
from work_done import WorkDone

from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.robots.notes import load_notes

# --- one solid


def test_the_way_from_the_axis_to_the_solid_counts() -> None:
    """0.1 kg·m² and 2 kg at 1 m from the anchor are 2.1 kg·m²; with the anchor at the solid 0.1 kg·m²."""
    end_point = f"Solid {{ translation 0 1 0 physics Physics {{ {MATRIX} }} }}"
    assert hinge(end_point, "axis 1 0 0").inertia == pytest.approx(2.1)
    assert hinge(end_point, "axis 1 0 0 anchor 0 1 0").inertia == pytest.approx(0.1)
    assert hinge(end_point, "axis 1 0 0 anchor 7 1 0").inertia == pytest.approx(0.1)


def test_an_end_point_is_turned_with_its_matrix() -> None:
    """A quarter turn about z makes the solid's y the joint's x; the axis is that of the joint's frame."""
    end_point = f"Solid {{ rotation 0 0 1 {math.pi / 2} physics Physics {{ {MATRIX} }} }}"
    assert hinge(end_point, "axis 1 0 0").inertia == pytest.approx(0.2)
    assert hinge(end_point, "axis 0 5 0").inertia == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("shape", "expected"),
    [
        ("Box { size 1 2 3 }", 6000.0 * (1 + 4) / 12),
        ("Sphere { radius 0.5 }", 0.4 * 1000 * math.pi / 6 * 0.25),
        ("Shape { geometry Cylinder { radius 0.5 height 3 } }", 0.5 * 1000 * math.pi * 0.25 * 3 * 0.25),
        ("Capsule { radius 1 height 2 }", 1000 * (0.5 * 2 * math.pi + 0.4 * 4 / 3 * math.pi)),
        ("Box { }", 8000.0 * 8 / 12),
    ],
)
def test_a_shape_is_filled_with_water(shape: str, expected: float) -> None:
    """1000 kg/m³ unless a density is given; Webots' own sizes where the file has none."""
    assert hinge(solid(shape)).inertia == pytest.approx(expected)
    assert hinge(solid(shape, "density 500")).inertia == pytest.approx(expected / 2)
    assert hinge(solid(shape, "density -1 mass -1")).inertia == pytest.approx(expected)


def test_a_capsule_is_a_tube_with_two_half_spheres() -> None:
    """Across its axis, each half sphere's own centre is 3/8 of the radius beyond the end of the tube."""
    radius, height = 0.3, 0.8
    tube, cap = 1000 * math.pi * radius**2 * height, 1000 * 2 / 3 * math.pi * radius**3
    half = (0.4 - (3 / 8) ** 2) * radius**2 + (height / 2 + 3 / 8 * radius) ** 2
    expected = tube * (radius**2 / 4 + height**2 / 12) + 2 * cap * half
    assert hinge(solid(f"Capsule {{ radius {radius} height {height} }}"), "axis 1 0 0").inertia == pytest.approx(
        expected
    )


def test_a_mass_is_spread_over_the_shape() -> None:
    """A mass beats a density, and a centre of mass shifts all of it."""
    assert hinge(solid("Box { size 1 2 3 }", "mass 12 density 7")).inertia == pytest.approx(5.0)
    assert hinge(solid("Box { size 1 2 3 }", "mass 12 centerOfMass [ 2 0 1 ]")).inertia == pytest.approx(5 + 12 * 4)
    assert hinge(solid("Box { size 1 2 3 }", "mass 12"), "axis 0 0 1", kind="SliderJoint").inertia == 12.0


def test_cylinders_stood_along_y_before_r2022a() -> None:
    """The axis of a cylinder is y up to R2021b, and z since R2022a."""
    round_, across = 0.5 * 4.0, 4.0 / 4 + 4.0 * 9 / 12
    shape = solid("Cylinder { radius 1 height 3 }", "mass 4")
    for header, along_y in (("R2021b", round_), ("V8.5", round_), ("R2022a", across), ("R2025a", across)):
        assert hinge(shape, "axis 0 1 0", f"#VRML_SIM {header} utf8").inertia == pytest.approx(along_y)
    assert hinge(shape, "axis 0 1 0").inertia == pytest.approx(across)


def test_groups_and_poses_place_shapes() -> None:
    """Two cubes of 1 kg at ±1 m along x; the second is the first again; a Plane weighs nothing."""
    cube = "DEF CUBE Shape { geometry Box { size 0.1 0.1 0.1 } }"
    far = f"""Pose {{ translation 1 0 0 rotation 0 0 1 1 children [ {cube} ] }}
    Pose {{ translation -1 0 0 children USE CUBE }}"""
    found = hinge(solid(f"Group {{ children [ Group {{ children [ {far} ] }} Plane {{ }} ] }}"))
    assert found.inertia == pytest.approx(2 * (1 + 0.02 / 12)) and not found.load.notes


def test_a_pose_of_a_bounding_object_holds_one_shape() -> None:
    """Webots takes the first child of a Pose, and nothing where that is a Group."""
    pair = "Pose { children [ Box { size 0.1 0.1 0.1 } Sphere { radius 5 } ] }"
    assert hinge(solid(pair)).inertia == pytest.approx(0.02 / 12)
    assert hinge(solid("Pose { children [ Group { children [ Box { } ] } ] }")).load.assumed


def test_a_scale_counts_for_shapes_and_solids() -> None:
    """A cube twice as wide along x; a solid twice as large has 8 times the mass and 32 times the inertia."""
    wide = "Transform { scale 2 1 1 children [ Box { size 1 1 1 } ] }"
    assert hinge(solid(wide, "mass 12")).inertia == pytest.approx(5.0)
    assert hinge(solid("Box { size 1 1 1 }", "mass 12", "scale 2 2 2")).inertia == pytest.approx(32 * 2.0)
    assert "scale of a solid must be three equal numbers" in hinge(solid("Box { }", "", "scale 2 1 1")).load.missing


def test_without_a_shape_webots_takes_one_kilogram_metre_squared() -> None:
    """The identity for the inertia, the given mass or 1 kg, about the given centre of mass."""
    found = hinge("Solid { physics Physics { mass 3 centerOfMass [ 2 0 0 ] } }")
    assert found.inertia == pytest.approx(1 + 12) and found.load.assumed and found.dynamic
    for physics, mass, assumed in (("mass 3", 3.0, False), ("", 1.0, True), ("density 500", 0.5, True)):
        found = hinge(f"Solid {{ physics Physics {{ {physics} }} }}", kind="SliderJoint")
        assert (found.inertia, found.load.assumed) == (mass, assumed)


@pytest.mark.parametrize(
    ("physics", "why"),
    [
        ("mass 2 inertiaMatrix [ 0.1 0.2 0.3 0 0 0 ]", "is without a centerOfMass"),
        ("centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.1 0.2 0.3 0 0 0 ]", "is without a mass"),
        ("mass 2 centerOfMass [ 0 0 0 ] inertiaMatrix [ 0.1 0.2 0.3 0 0 9 ]", "is not positive definite"),
    ],
)
def test_an_inertia_matrix_that_webots_does_not_take(physics: str, why: str) -> None:
    """It is said, and the shape counts, about the origin of the solid."""
    shape = "Pose { translation 1 0 0 children [ Box { size 1 1 1 } ] }"
    found = hinge(solid(shape, physics.replace("centerOfMass", "density 2 centerOfMass")), "axis 0 0 1")
    assert found.inertia == pytest.approx((2 if "mass 2" in physics else 0.002 * 1000) * (1 / 6 + 1))
    assert found.load.notes[0].endswith(f"the inertiaMatrix {why}, so that Webots takes no notice of it")


@pytest.mark.parametrize(
    ("physics", "message"),
    [
        ("inertiaMatrix [ 1 2 3 4 ]", r"Physics.inertiaMatrix = a list of 4: must be six numbers"),
        ("centerOfMass [ 1 2 ]", r"Physics.centerOfMass = a list of 2: must be three numbers"),
        ('mass "heavy"', r"Physics.mass = 'heavy': must be a number"),
    ],
)
def test_a_bad_physics_is_one_sentence(physics: str, message: str) -> None:
    with pytest.raises(ParameterError, match=f"line 2: {message}"):
        hinge(f"Solid {{ physics Physics {{ {physics} }} }}")


# --- all that is on the end point


def test_solids_on_the_end_point_count() -> None:
    """Fixed, in a Group, in a turned Pose: 1 kg at 1 m, 2 m and 3 m from the axis."""
    on = f"""Solid {{ translation 1 0 0 {BAR} }}
    Group {{ children [ Solid {{ translation 0 2 0 {BAR} }} ] }}
    Pose {{ rotation 1 0 0 {math.pi / 2} children [ Solid {{ translation 3 0 9 {BAR} }} ] }}"""
    found = hinge(f"Solid {{ {BAR} children [ {on} Shape {{ }} GPS {{ }} ] }}")
    assert found.inertia == pytest.approx(4 * OWN + 1 + 4 + 9 + 81) and found.load == found.load
    assert not found.load.locked and not found.load.notes


def test_a_solid_without_physics_weighs_nothing() -> None:
    """ODE does not know it, nor moves what stands on it."""
    on = f"Solid {{ boundingObject Box {{ }} children [ Solid {{ {BAR} }} ] }}"
    assert hinge(f"Solid {{ {BAR} children [ {on} ] }}").inertia == pytest.approx(OWN)
    found = hinge(f"Solid {{ boundingObject Box {{ }} children [ Solid {{ {BAR} }} ] }}")
    assert found.inertia is None and not found.dynamic and not found.load.missing


def test_further_joints_are_locked_where_they_are() -> None:
    """A forearm at 1 m counts for the shoulder; a slot between is none; one without Physics does not count."""
    forearm = f"Solid {{ translation 1 0 0 {BAR} }}"
    for on in (
        f"HingeJoint {{ endPoint {forearm} }}",
        f"Slot {{ endPoint SliderJoint {{ endPoint Slot {{ endPoint {forearm} }} }} }}",
    ):
        found = hinge(f"Solid {{ {BAR} children [ {on} ] }}")
        assert found.inertia == pytest.approx(2 * OWN + 1) and found.load.locked
    found = hinge(f"Solid {{ {BAR} children [ HingeJoint {{ endPoint Solid {{ boundingObject Box {{ }} }} }} ] }}")
    assert found.inertia == pytest.approx(OWN) and not found.load.locked


def test_a_slot_between_a_joint_and_its_end_point_is_passed() -> None:
    found = hinge(f'Slot {{ endPoint Slot {{ endPoint Solid {{ name "hand" {BAR} }} }} }}')
    assert found.inertia == pytest.approx(OWN) and found.end_point == "hand"


def test_a_proto_that_is_not_read_is_said() -> None:
    """On the end point its mass is not counted; as the end point nothing is known, and the joint is kinematic."""
    found = hinge(f"Solid {{ {BAR} children [ Gripper {{ }} ] }}")
    assert found.inertia == pytest.approx(OWN)
    assert found.load.notes == (
        "line 2: Gripper is a PROTO that is not read here, and its mass, if it has any, is not counted",
    )
    found = hinge("Gripper { }")
    assert found.inertia is None and not found.dynamic
    assert found.load.missing == "line 2: the end point Gripper is a PROTO that is not read here"
    assert hinge(solid("Hull { }")).load.missing.endswith(
        "the boundingObject holds Hull, a PROTO whose shape is not known here"
    )
    assert hinge("Solid { physics Heavy { } }").load.missing.endswith(
        "the physics is Heavy, a PROTO that is not read here"
    )


@pytest.mark.parametrize(
    "end_point",
    [
        "Solid { boundingObject Box { size %<= x >% } physics Physics { } }",
        "Solid { boundingObject %<= x >% physics Physics { } }",
        "Solid { physics Physics { mass %<= x >% } }",
        "Solid { physics %<= x >% }",
        "Solid { rotation %<= x >% physics Physics { } }",
        f"Solid {{ {BAR} children [ HingeJoint {{ endPoint Solid {{ translation %<= x >% {BAR} }} }} ] }}",
    ],
)
def test_what_a_template_computes_is_not_known(end_point: str) -> None:
    """The joint is read all the same, and a run says in one sentence what is missing."""
    found = hinge(end_point)
    assert found.inertia is None and found.dynamic and "a template of the PROTO computes it" in found.load.missing
    text = f'HingeJoint {{ device RotationalMotor {{ name "m" }} endPoint {end_point} }}'
    robot = webots.from_world(webots.read_world(text), "arm.wbt")
    with pytest.raises(
        ParameterError, match=r"arm.wbt: what the joint of 'm' moves is not known \(line 1: .*or --inertia"
    ):
        webots.Simulation(robot)


def test_work_grows_with_the_text_alone() -> None:
    """A node that is used twice within one that is used twice, 40 times over, and 2000 solids within each other."""
    parts = ["DEF N0 Group { children [ Box { size 1 1 1 } ] }"]
    parts += [f"DEF N{k} Group {{ children [ USE N{k - 1} USE N{k - 1} ] }}" for k in range(1, 41)]
    text = solid(f"Group {{ children [ {' '.join(parts)} ] }}", "mass 1")
    with WorkDone() as work:
        assert hinge(text).inertia == pytest.approx(1 / 6)
    assert work.calls < 40_000
    deep = "Solid { translation 0 0 1 physics Physics { mass 1 } children [ " * 2000 + "] } " * 2000
    assert hinge(deep, kind="SliderJoint").inertia == 2000.0


# --- what is said


def test_what_is_assumed_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    """One sentence for all joints of which it is true."""
    inner = "".join(
        f'HingeJoint {{ device RotationalMotor {{ name "{name}" }} endPoint Solid {{ {BAR} }} }}' for name in "bcdefg"
    )
    text = f"""WorldInfo {{ }} Robot {{ children [ HingeJoint {{
      device RotationalMotor {{ name "a" }} endPoint Solid {{ {BAR} children [ {inner} ] }} }}
      HingeJoint {{ device RotationalMotor {{ name "x" }} endPoint Solid {{ physics Physics {{ }} }} }}
      HingeJoint {{ device RotationalMotor {{ name "y" }} endPoint Gripper {{ }} }} ] }}"""
    robot = webots.from_world(webots.read_world(text))
    webots.Simulation(robot)
    said = load_notes(robot)
    assert [line for line in lines(capsys) if "Note: " in line] == [f"Note: {sentence}" for sentence in said]
    assert said == [
        "'x': Webots takes 1 kg·m², or 1 kg on a slider, for a solid without a boundingObject that has a volume; "
        "--inertia takes its place",
        "'a': what they carry moves as one body, further joints locked where the file has them",
        "'b', 'c', 'd', 'e' and 2 more: each is taken alone, as if what carries it stood still where the file has it",
        "'y': they move in kinematic mode, since what they carry is not known; --inertia gives them a load",
    ]


def test_a_robot_of_a_toml_file_says_nothing_of_loads() -> None:
    robot = webots.robot_from_toml('[[joint]]\ninertia = "1 kg*m^2"\nmotor = { name = "m" }')
    assert load_notes(robot) == []
