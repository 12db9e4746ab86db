"""Files within a tree of Webots, whose PROTOs it found by their names until R2022a; and which robot a script drives."""

from pathlib import Path

import pytest
from test_webots_protos import WHEEL, put, torques
from typer.testing import CliRunner

from backemf.cli.app import app
from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.nodes import webots_trees
from backemf.sims.webots.robots.description import load_robot

WORLD = "#VRML_SIM R2019a utf8\n"
PLACE = "projects/samples/demos/worlds/a.wbt"


def tree(folder: Path, text: str, files: dict[str, str]) -> Path:
    """A tree of Webots with a world in one of its projects."""
    (folder / "resources/projects").mkdir(parents=True)
    return put(folder, {PLACE: WORLD + text, **files})


def test_a_world_in_a_tree_of_webots_finds_the_protos_of_other_projects(tmp_path: Path) -> None:
    """In the protos folders of projects, however deep, and of resources; the project's own come first."""
    files = {
        "projects/robots/maker/model/worlds/b.wbt": "",
        "projects/robots/maker/model/protos/deep/er/Wheel.proto": WHEEL,
        "resources/projects/protos/Arm.proto": WHEEL.replace("PROTO Wheel", "PROTO Arm").replace('"wheel"', '"arm"'),
        "projects/samples/demos/protos/Leg.proto": WHEEL.replace("PROTO Wheel", "PROTO Leg").replace("3", "4"),
        "projects/objects/protos/Leg.proto": WHEEL.replace("PROTO Wheel", "PROTO Leg"),
    }
    world = tree(tmp_path, 'Robot { children [ Wheel { } Arm { } Leg { name "leg" } ] }', files)
    assert torques(world) == {"wheel": 3.0, "arm": 3.0, "leg": 4.0}


def test_a_proto_of_the_tree_uses_those_of_the_tree(tmp_path: Path) -> None:
    """Also where the world is elsewhere, and the tree is given as assets."""
    pair = 'PROTO Pair [ ] { Group { children [ Wheel { name "l" } Wheel { name "r" } ] } }'
    files = {"projects/a/protos/Pair.proto": WORLD + pair, "projects/b/protos/Wheel.proto": WHEEL}
    tree(tmp_path / "webots", "", files)
    outside = put(tmp_path, {"worlds/a.wbt": "Robot { children [ Pair { } ] }"})
    assert torques(outside) == {}
    assert torques(outside, assets=[tmp_path / "webots/projects/a"]) == {"l": 3.0, "r": 3.0}


@pytest.mark.parametrize(
    "place",
    [
        "projects/a/Wheel.proto",
        "projects/a/worlds/Wheel.proto",
        "projects/a/protos/textures/Wheel.proto",
        "Wheel.proto",
    ],
)
def test_elsewhere_in_a_tree_nothing_is_looked_for(tmp_path: Path, place: str) -> None:
    """As Webots: in protos folders alone, and not where these have their pictures."""
    files = {place: WHEEL, "projects/a/protos/Other.proto": WHEEL.replace("Wheel", "Other")}
    assert torques(tree(tmp_path, "Robot { children [ Wheel { } ] }", files)) == {}


WITH_ADDRESS = 'EXTERNPROTO "%sprojects/a/protos/Wheel.proto"\nRobot { children [ Wheel { } ] }'
OWN = [
    "webots://",
    "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/",
    "https://github.com/cyberbotics/webots/blob/R2023b/",
]


@pytest.mark.parametrize("begin", OWN)
def test_an_address_of_webots_is_a_file_of_the_tree_around_it(tmp_path: Path, begin: str) -> None:
    """As Webots has it in its own worlds since R2022b; a version that has moved the file has it by its name."""
    named_alike = {"projects/0/protos/Wheel.proto": WHEEL.replace("3", "4")}
    here = {**named_alike, "projects/a/protos/Wheel.proto": WHEEL}
    assert torques(tree(tmp_path / "here", WITH_ADDRESS % begin, here)) == {"wheel": 3.0}
    assert torques(tree(tmp_path / "moved", WITH_ADDRESS % begin, named_alike)) == {"wheel": 4.0}
    assert torques(tmp_path / "here" / PLACE, assets=[tmp_path / "moved"]) == {"wheel": 4.0}


@pytest.mark.parametrize(
    "begin",
    [
        "https://raw.githubusercontent.com/cyberbotics/webots-projects/master/",
        "https://raw.githubusercontent.com/someone/webots/main/",
        "https://example.com/cyberbotics/webots/R2023b/",
        "webots://../away/",
        "webots://projects/../",
        f"webots://projects/{'x' * 5000}/../",
    ],
)
def test_any_other_address_is_not_looked_for_in_the_tree(tmp_path: Path, begin: str) -> None:
    """The file of another repository may have the same name and be another robot."""
    assert torques(tree(tmp_path, WITH_ADDRESS % begin, {"projects/a/protos/Wheel.proto": WHEEL})) == {}


def test_a_file_with_a_name_too_long_is_not_there(tmp_path: Path) -> None:
    """Where the system refuses even to look for it."""
    begin = f"webots://projects/{'x' * 5000}/"
    assert torques(tree(tmp_path, WITH_ADDRESS % begin, {"projects/b/protos/Arm.proto": WHEEL})) == {}


@pytest.mark.parametrize("within", ["", "Contents"])
def test_the_installation_that_webots_home_names_has_webots_own_protos(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, within: str
) -> None:
    """By Webots' addresses, and without one by the name; files beside the world and folders of assets come first."""
    pair = 'EXTERNPROTO "webots://projects/a/protos/Wheel.proto"\nPROTO Pair [ ] { Group { children [ Wheel { } ] } }'
    files = {"projects/a/protos/Wheel.proto": WHEEL, "projects/b/protos/Pair.proto": pair}
    tree(tmp_path / "webots" / within, "", files)
    with_address = put(tmp_path / "new", {"worlds/a.wbt": WITH_ADDRESS % OWN[1]})
    without = put(tmp_path / "old", {"worlds/a.wbt": WORLD + "Robot { children [ Pair { } ] }"})
    another = put(tmp_path / "other", {"worlds/a.wbt": WITH_ADDRESS % "https://example.com/"})
    assert torques(with_address) == torques(without) == {}
    monkeypatch.setenv("WEBOTS_HOME", str(tmp_path / "webots"))
    assert torques(with_address) == torques(without) == {"wheel": 3.0}
    assert torques(another) == {}
    put(tmp_path / "mine", {"Wheel.proto": WHEEL.replace("3", "5")})
    assert torques(with_address, assets=[tmp_path / "mine"]) == {"wheel": 5.0}
    put(tmp_path / "new", {"protos/Wheel.proto": WHEEL.replace("3", "6")})
    assert torques(with_address) == {"wheel": 6.0}


@pytest.mark.parametrize("home", ["", "nowhere", "new"])
def test_webots_home_that_names_no_installation_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """It is not ours: what needs nothing of it is read, and the rest says what it needs in one sentence."""
    monkeypatch.setenv("WEBOTS_HOME", home and str(tmp_path / home))
    monkeypatch.chdir(tree(tmp_path / "here", "", {"projects/a/protos/Wheel.proto": WHEEL}).parents[4])
    world = put(tmp_path / "new", {"worlds/a.wbt": WITH_ADDRESS % OWN[0]})
    assert torques(world) == {}
    with pytest.raises(ParameterError, match=r"webots://projects/a/protos/Wheel\.proto: give .*or WEBOTS_HOME for"):
        load_robot(world)


def test_links_of_a_tree_are_not_followed(tmp_path: Path) -> None:
    """Neither a folder nor a file that is elsewhere."""
    put(tmp_path, {"away/protos/Wheel.proto": WHEEL})
    world = tree(tmp_path / "webots", "Robot { children [ Wheel { } ] }", {"projects/a/protos/X.proto": WHEEL})
    (tmp_path / "webots/projects/b").symlink_to(tmp_path / "away")
    (tmp_path / "webots/projects/a/protos/Wheel.proto").symlink_to(tmp_path / "away/protos/Wheel.proto")
    assert torques(world) == {}
    for place in ("a", "b"):
        text = WITH_ADDRESS.replace("/a/", f"/{place}/") % "webots://"
        assert torques(put(tmp_path / "webots", {PLACE: WORLD + text})) == {}


def test_a_tree_is_looked_through_up_to_a_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A disk whose folders happen to have these names."""
    monkeypatch.setattr(webots_trees, "MOST_FOLDERS", 3)
    folders = {f"projects/{i}/{j}/x.txt": "" for i in range(3) for j in range(3)}
    world = tree(tmp_path, "Robot { children [ Wheel { } ] }", {**folders, "projects/z/protos/Wheel.proto": WHEEL})
    assert torques(world) == {}


# --- which robot a script drives

TWO = """
Robot { name "a" controller "left" children [ HingeJoint { device RotationalMotor { name "l" } } ] }
Robot { name "b" controller "right" children [ HingeJoint { device RotationalMotor { name "r" } } ] }
"""


def test_a_script_drives_the_robot_whose_controller_it_is(tmp_path: Path) -> None:
    """As Webots starts it; another script has to say which."""
    world = put(tmp_path, {"a.wbt": TWO})
    assert load_robot(world, controller="right").name == "b"
    assert load_robot(world, "a", controller="right").name == "a"
    with pytest.raises(ParameterError, match=r"which robot: there are 'a', 'b'; give the name of one \(--name\)"):
        load_robot(world, controller="other")
    script = tmp_path / "right.py"
    script.write_text(
        "from controller import Robot\nrobot = Robot()\nprint(robot.getName(), robot.getDevice('r').getName())\n"
    )
    ran = CliRunner().invoke(app, ["webots", "run", str(script), "--robot", str(world)])
    assert (ran.exit_code, ran.stdout) == (0, "b r\n")


def test_a_script_of_another_name_drives_the_only_robot_that_waits_for_one(tmp_path: Path) -> None:
    """Webots connects a program from outside to the robot whose controller is <extern>; the first of several alike."""
    world = put(tmp_path, {"a.wbt": TWO.replace('"right"', '"<extern>"')})
    assert load_robot(world, controller="other").name == load_robot(world).name == "b"
    assert load_robot(world, controller="left").name == "a"
    both = put(tmp_path, {"a.wbt": TWO.replace('"right"', '"<extern>"').replace('"left"', '"<extern>"')})
    robot = load_robot(both, controller="other")
    assert robot.name == "a"
    assert [line for line in robot.warnings if line.endswith("'other' drives 'a' here, and not 'b' (--name)")]
    # beside a robot with a controller of its own, two that wait are no swarm
    mixed = put(tmp_path, {"a.wbt": both.read_text() + TWO.splitlines()[1].replace('"a"', '"c"')})
    with pytest.raises(ParameterError, match="which robot: there are 'a', 'b', 'c'"):
        load_robot(mixed, controller="other")


def test_a_script_of_a_robot_without_motors_drives_no_other(tmp_path: Path) -> None:
    """Its own robot is the one that Webots would start it for."""
    world = put(tmp_path, {"a.wbt": TWO + 'Robot { name "c" controller "watch" }'})
    with pytest.raises(ParameterError, match=r"'c' has no motor .*; give the name .* \(--name\): 'a', 'b'$"):
        load_robot(world, controller="watch")
    brake = 'Robot { name "d" controller "hold" children [ HingeJoint { device Brake { } endPoint Solid { } } ] }'
    assert load_robot(put(tmp_path, {"b.wbt": TWO + brake}), controller="hold").name == "d"


def test_of_several_robots_with_one_controller_the_first_is_driven(tmp_path: Path) -> None:
    """Webots runs one script for each; here it is one, and the others are named."""
    robot = load_robot(put(tmp_path, {"a.wbt": TWO.replace("right", "left")}), controller="left")
    assert robot.name == "a"
    assert [line for line in robot.warnings if line.endswith("'left' drives 'a' here, and not 'b' (--name)")]


def test_robots_with_one_name_are_apart(tmp_path: Path) -> None:
    """Each has its own motors, and its controller is told the name of the file."""
    world = put(tmp_path, {"a.wbt": TWO.replace('"b"', '"a"')})
    assert [robot.name for robot in webots.read_world(world).robots] == ["a", "a(1)"]
    second = load_robot(world, "a(1)")
    assert (second.name, [joint.name for joint in second.joints]) == ("a", ["r"])
    assert [joint.name for joint in load_robot(world, "a").joints] == ["l"]
    with pytest.raises(ParameterError, match=r"there are 'a', 'a\(1\)'"):
        load_robot(world)
    many = webots.read_world('Robot { name "a" } Robot { name "a(2)" } Robot { name "a" } Robot { name "a" }').robots
    assert [robot.name for robot in many] == ["a", "a(2)", "a(1)", "a(3)"]


def test_a_script_whose_robot_is_missing_does_not_drive_another(tmp_path: Path) -> None:
    """The sentence names the PROTO of its robot and the option."""
    world = put(tmp_path, {"a.wbt": TWO.replace("Robot", "Far", 1) + 'Sky { } Arena { controller "judge" }'})
    assert load_robot(world).name == "b"
    with pytest.raises(
        ParameterError, match=r"the robot of 'left' is not read: it needs the PROTO Far\.proto: give.*--as"
    ):
        load_robot(world, controller="left")


def test_what_stands_somewhere_is_named_before_the_sky(tmp_path: Path) -> None:
    """Where nothing says which PROTO is the robot, also where a joint without a motor is read."""
    joint = "Robot { children [ HingeJoint { device PositionSensor { } } ] }"
    world = put(tmp_path, {"a.wbt": "Sky { } Light { } Floor { } Far { translation 0 0 1 }"})
    with pytest.raises(
        ParameterError, match=r"it needs the PROTOs Far\.proto, Sky\.proto, Light\.proto, Floor\.proto: g"
    ):
        load_robot(world)
    road, car = "webots://projects/objects/Road.proto", "webots://projects/vehicles/Car.proto"
    text = f'EXTERNPROTO "{road}"\nEXTERNPROTO "{car}"\nRoad {{ translation 0 0 0 }} Car {{ }}'
    with pytest.raises(ParameterError, match=rf"it needs the PROTOs {car}, {road}: give"):
        load_robot(put(tmp_path, {"c.wbt": text}))
    slot = put(tmp_path, {"b.wbt": f"Far {{ translation 0 0 1 slot [ {joint.replace('Robot', 'Solid')} ] }}"})
    with pytest.raises(
        ParameterError, match=r"no motor that a controller could drive; it needs the PROTO Far\.proto: give"
    ):
        load_robot(slot)


def test_a_part_of_a_robot_that_cannot_be_read_is_named_before_the_sky(tmp_path: Path) -> None:
    """The folder of the sky would not give the robot its motor."""
    part = "PROTO Part [ ] { %< let x = eval('1'); >% HingeJoint { device RotationalMotor { } } }"
    world = put(tmp_path, {"worlds/a.wbt": "Sky { } Robot { children [ Part { } ] }", "protos/Part.proto": part})
    with pytest.raises(ParameterError, match=r"no motor .*; .*Part is not read: .*eval is not a name"):
        load_robot(world)
