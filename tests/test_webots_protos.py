"""PROTOs of Webots, replaced by what they stand for: where their files are, what their fields mean, and the bounds."""

from pathlib import Path

import pytest
from typer.testing import CliRunner

from backemf.cli.app import app
from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.sims.webots.nodes import addresses, expansion
from backemf.sims.webots.robots.description import load_robot

HEAD = "#VRML_SIM R2023b utf8\n"
WHEEL = """PROTO Wheel [
  field SFString name "wheel"
  field SFFloat  strength 3
]
{
  HingeJoint { device [ RotationalMotor { name IS name maxTorque IS strength } ] endPoint Solid { } }
}
"""


def put(folder: Path, files: dict[str, str]) -> Path:
    """Write files; the first one's path."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text if text.startswith("#") else HEAD + text)
    return folder / next(iter(files))


def torques(path: Path, **options: object) -> dict[str, float]:
    """The largest torque of each motor [N·m]."""
    return {
        name: joint.motor.max_torque
        for name, joint in webots.read_world(path, **options).motors().items()
        if joint.motor
    }


def test_a_proto_at_a_relative_address(tmp_path: Path) -> None:
    """Defaults count where nothing is given, and what is given counts over them."""
    world = put(
        tmp_path,
        {
            "worlds/a.wbt": 'EXTERNPROTO "../parts/Wheel.proto"\n'
            'Robot { name "r" children [ Wheel { name "left" } Wheel { name "right" strength 5 } ] }',
            "parts/Wheel.proto": WHEEL,
        },
    )
    assert torques(world) == {"left": 3.0, "right": 5.0}
    assert {joint.robot for joint in webots.read_world(world).joints} == {"r"}


def test_an_external_proto_with_a_name_of_its_own(tmp_path: Path) -> None:
    """VRML97's form: the name, the fields, and then the address."""
    text = 'EXTERNPROTO Rad [ field SFString name ] "w/Wheel.proto"\nRobot { children [ Rad { name "x" } ] }'
    assert torques(put(tmp_path, {"a.wbt": text, "w/Wheel.proto": WHEEL})) == {"x": 3.0}


def test_a_proto_in_the_folder_of_the_project(tmp_path: Path) -> None:
    """Worlds before R2022b name no addresses: PROTOs are in protos/ beside worlds/, at any depth."""
    files = {"worlds/a.wbt": "#VRML_SIM V8.5 utf8\nRobot { children Wheel { } }", "protos/deep/Wheel.proto": WHEEL}
    assert torques(put(tmp_path, files)) == {"wheel": 3.0}


def test_a_proto_within_the_file(tmp_path: Path) -> None:
    """A PROTO that stands before the node that uses it."""
    assert torques(put(tmp_path, {"a.wbt": WHEEL + 'Robot { children [ Wheel { name "w" } ] }'})) == {"w": 3.0}


def test_a_proto_by_itself_has_its_defaults(tmp_path: Path) -> None:
    """Its own file, which may use others."""
    robot = (
        'EXTERNPROTO "Wheel.proto"\nPROTO Car [ field SFFloat t 7 ] { Robot { children [ Wheel { strength IS t } ] } }'
    )
    assert torques(put(tmp_path, {"Car.proto": robot, "Wheel.proto": WHEEL})) == {"wheel": 7.0}


def test_a_derived_proto(tmp_path: Path) -> None:
    """The root of one PROTO is another, which hands its fields on."""
    files = {
        "a.wbt": 'EXTERNPROTO "Big.proto"\nRobot { children [ Big { name "b" } ] }',
        "Big.proto": 'EXTERNPROTO "Wheel.proto"\nPROTO Big [ field SFString name "big" ] '
        "{ Wheel { name IS name strength 90 } }",
        "Wheel.proto": WHEEL,
    }
    assert torques(put(tmp_path, files)) == {"b": 90.0}


def test_nodes_that_are_given_to_a_proto(tmp_path: Path) -> None:
    """One node and lists of nodes by IS, also among others of a list, read where they were written."""
    slot = """PROTO Base [ field SFNode motor NULL  field MFNode extra [ ] unconnectedField SFBool x TRUE
      vrmlField MFNode{Solid{}, HingeJoint{}} more [ ] hiddenField SFInt32 h 0x10 ]
    { Robot { children [
        HingeJoint { device IS motor }
        Group { children [ IS extra HingeJoint { device RotationalMotor { name "own" } } ] }
        Group { children IS more } ] } }"""
    world = """EXTERNPROTO "Base.proto"  IMPORTABLE EXTERNPROTO "Wheel.proto"
    Base { motor RotationalMotor { name "given" } extra [ Wheel { name "e" } ] more [ Wheel { name "m" } ] }"""
    path = put(tmp_path, {"a.wbt": world, "Base.proto": slot, "Wheel.proto": WHEEL})
    assert list(torques(path)) == ["given", "e", "own", "m"]


def test_names_of_def_stay_within_their_proto(tmp_path: Path) -> None:
    """USE in a body finds the DEF of that body, however often the PROTO is used."""
    pair = """PROTO Pair [ field SFString name "a" ] { Group { children [
      HingeJoint {
        jointParameters DEF P HingeJointParameters { dampingConstant 0.5 } device RotationalMotor { name IS name } }
      HingeJoint { jointParameters USE P device RotationalMotor { name "other" } } ] } }"""
    world = 'EXTERNPROTO "Pair.proto"\nRobot { children [ Pair { } DEF P Solid { } ] }'
    read = webots.read_world(put(tmp_path, {"a.wbt": world, "Pair.proto": pair}))
    assert [joint.joint.damping_constant for joint in read.joints] == [0.5, 0.5]


def test_addresses_elsewhere_are_looked_for_in_assets_alone(tmp_path: Path) -> None:
    """webots:// and the web: the file whose path is most like the address, and nothing without the folder."""
    address = "https://raw.githubusercontent.com/cyberbotics/webots/R2023b/projects/robots/a/protos/Wheel.proto"
    files = {
        "worlds/a.wbt": f'EXTERNPROTO "{address}"\nEXTERNPROTO "webots://projects/b/Arm.proto"\n'
        'Robot { name "r" children [ Wheel { } Arm { } ] }',
        "store/projects/robots/a/protos/Wheel.proto": WHEEL,
        "store/Wheel.proto": WHEEL.replace("strength 3", "strength 99"),
        "store/projects/b/Arm.proto": WHEEL.replace("PROTO Wheel", "PROTO Arm").replace('"wheel"', '"arm"'),
    }
    world = put(tmp_path, files)
    assert torques(world, assets=[tmp_path / "store"]) == {"wheel": 3.0, "arm": 3.0}
    assert [(each.kind, each.robot) for each in webots.read_world(world).unexpanded] == [("Wheel", "r"), ("Arm", "r")]
    with pytest.raises(ParameterError, match=r"a\.wbt: the robot has no motor .* needs the PROTOs https://.*--assets"):
        load_robot(world)
    with pytest.raises(
        ParameterError, match=r"there is no motor in it; it needs the PROTOs https.*, webots://projects"
    ):
        webots.read_actuator(world)
    with pytest.raises(ParameterError, match=r"^assets = 'nowhere': there is no such folder$"):
        webots.read_world(world, assets=["nowhere"])


def test_a_robot_with_motors_reads_without_a_proto_and_says_so(tmp_path: Path) -> None:
    """What is missing of the robot itself is said; what is missing elsewhere in the world is no matter."""
    text = """Robot { name "r" children [ HingeJoint { device RotationalMotor { name "m" } } Gripper { } ] }
    Floor { size 1 1 }"""
    robot = load_robot(put(tmp_path, {"a.wbt": text}))
    assert [each.kind for each in robot.unexpanded] == ["Gripper"]
    assert [w for w in robot.warnings if "Gripper is not read: it needs Gripper.proto" in w]
    assert not [w for w in robot.warnings if "Floor" in w]


def test_a_broken_proto_is_named_with_its_line(tmp_path: Path) -> None:
    """The sentence is that of the PROTO's own file."""
    files = {
        "a.wbt": 'EXTERNPROTO "B.proto"\nB { controller "c" }',
        "B.proto": "PROTO B [ ] {\n Robot { 3 } }",
    }
    with pytest.raises(ParameterError, match=r"no motor .*B is not read: .*B\.proto, line 3: Robot: expected the"):
        load_robot(put(tmp_path, files))


def test_robots_of_former_versions_have_their_motors(tmp_path: Path) -> None:
    """DifferentialWheels had its motors built in."""
    robot = load_robot(put(tmp_path, {"a.wbt": '#VRML_SIM V6.0 utf8\nDifferentialWheels { controller "x" }'}))
    assert [joint.name for joint in robot.joints] == ["left wheel motor", "right wheel motor"]


def test_a_solid_behind_slots_is_the_end_point() -> None:
    """As the wheels of Webots' cars are."""
    text = """HingeJoint { device RotationalMotor { name "m" } endPoint Slot { type "a" endPoint Slot { endPoint
      Solid { name "wheel" physics Physics { density -1 mass 1 centerOfMass [ 0 0 0 ]
      inertiaMatrix [ 2 2 2 0 0 0 ] } } } } }"""
    (joint,) = webots.read_world(text).joints
    assert (joint.end_point, joint.inertia, joint.dynamic) == ("wheel", 2.0, True)


# --- texts as they exist


@pytest.mark.parametrize(
    "text",
    [
        'Robot { children [ HingeJoint { hidden position_0_0 0.1 hidden translation_1 0 0 0 device M { } } ] }',
        'Robot { children [ HingeJoint { device RotationalMotor { name "z" } device M { } } ] }',
        'Robot { children [ USE nothing HingeJoint { device [ M { } ] } ] }',
        'Robot { aFieldOfTomorrow [ 1, 2 3 ] physics NULL children HingeJoint { device M { } } }',
        'Robot\t{children[HingeJoint{device[M{}]}]}',
        'Robot { # [ } "\n children [ # }\n HingeJoint { device [ M { } ] } ] name "100 % # of { it" }',
    ],
)  # fmt: skip
@pytest.mark.parametrize("form", ["plain", "windows", "bom", "latin-1"])
def test_texts_as_programs_and_people_leave_them(text: str, form: str, tmp_path: Path) -> None:
    """Saved state, repeated fields, unknown names, any space, and the marks of other systems."""
    whole = "#VRML_SIM R2021a utf8\n# Grün\n" + text.replace("M {", 'RotationalMotor { name "m"').replace(
        "M{", 'RotationalMotor{name"m"'
    )
    raw = whole.replace("\n", "\r\n" if form == "windows" else "\n").encode("latin-1" if form == "latin-1" else "utf-8")
    file = tmp_path / "a.wbt"
    file.write_bytes(b"\xef\xbb\xbf" + raw if form == "bom" else raw)
    assert list(webots.read_world(file).motors()) == ["m"]


def test_a_use_without_def_is_said() -> None:
    """Webots leaves it out, and so do we."""
    assert webots.read_world("Robot { children [ USE X ] }").warnings == (
        "line 1: USE X: there is no node of that name before it; it is left out",
    )


# --- bounds


def test_a_proto_that_contains_itself(tmp_path: Path) -> None:
    """By itself or by another: one sentence, and no end of nodes."""
    files = {
        "a.wbt": "A { }",
        "A.proto": "PROTO A [ ] { Robot { children [ B { } ] } }",
        "B.proto": "PROTO B [ ] { Group { children [ A { } ] } }",
    }
    with pytest.raises(ParameterError, match=r"B\.proto, line 2: A: the PROTO A contains itself"):
        webots.read_world(put(tmp_path, files))


def test_a_proto_may_be_given_to_itself() -> None:
    """A chain of links is no PROTO that contains itself."""
    link = """PROTO L [ field MFNode next [ ] field SFString n "" ]
    { HingeJoint { device RotationalMotor { name IS n } endPoint Solid { children IS next } } }"""
    text = link + 'Robot { children L { n "1" next L { n "2" next L { n "3" } } } }'
    assert list(webots.read_world(text).motors()) == ["1", "2", "3"]


def test_protos_that_double_each_other_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Twenty PROTOs of two of the next would be a million nodes."""
    monkeypatch.setattr(expansion, "MOST_NODES", 2_000)
    rows = [f"PROTO P{i} [ ] {{ Group {{ children [ P{i + 1} {{ }} P{i + 1} {{ }} ] }} }}" for i in range(20)]
    text = "\n".join([*rows, "PROTO P20 [ ] { Robot { } }", "Robot { children P0 { } }"])
    with pytest.raises(ParameterError, match=r"its PROTOs have more than 2000 nodes in all"):
        webots.read_world(text)


def test_protos_within_each_other_are_bounded() -> None:
    """A long chain of different PROTOs."""
    rows = [f"PROTO P{i} [ ] {{ P{i + 1} {{ }} }}" for i in range(40)]
    with pytest.raises(ParameterError, match="more than 32 PROTOs within each other"):
        webots.read_world("\n".join([*rows, "PROTO P40 [ ] { Robot { } }", "P0 { }"]))


def test_a_folder_with_too_many_files_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Somebody gives the root of the disk."""
    monkeypatch.setattr(addresses, "MOST_FILES", 3)
    put(tmp_path, {f"{i}.txt": "" for i in range(5)})
    with pytest.raises(ParameterError, match="has more than 3 files; give the folder of the PROTOs"):
        webots.read_world("Robot { children X { } }", assets=[tmp_path])


def test_of_two_devices_with_one_name_the_first_is_found(tmp_path: Path) -> None:
    """Webots warns, and gives a controller the first."""
    motor = 'HingeJoint {{ device RotationalMotor {{ name "m" maxTorque {} }} }}'
    text = f'Robot {{ name "r" children [ {motor.format(1)} {motor.format(2)} ] }}'
    robot = load_robot(put(tmp_path, {"a.wbt": text}))
    assert [joint.world.motor.max_torque for joint in robot.joints if joint.world.motor] == [1.0]
    assert [w for w in robot.warnings if "two devices are called 'm': a controller finds the first" in w]


def test_a_negative_consumption_is_webots_own() -> None:
    """Its E-puck has consumptionFactor -0.001."""
    found = webots.read_actuator('RotationalMotor { name "m" consumptionFactor -0.001 }')
    assert found.motor.consumption_factor == -0.001


def test_a_missing_proto_of_a_robot_is_an_actuator_that_is_not_read() -> None:
    """It may have motors, so that the list says so."""
    (missing,) = webots.read_actuators('Robot { name "r" children [ Arm { } ] } Floor { }')
    assert "Arm is not read: it needs Arm.proto" in str(missing)


def test_the_command_line_takes_folders_of_assets(tmp_path: Path) -> None:
    """Without them the sentence names the option; with them the script finds the motor."""
    script = tmp_path / "script.py"
    script.write_text("from controller import Robot\nprint(Robot().getDevice('wheel').getMaxTorque())\n")
    files = {"w/a.wbt": 'EXTERNPROTO "webots://Wheel.proto"\nRobot { children [ Wheel { } ] }', "s/Wheel.proto": WHEEL}
    words = ["webots", "run", str(script), "--robot", str(put(tmp_path, files))]
    bare = CliRunner().invoke(app, words)
    assert bare.exit_code == 2 and "webots://Wheel.proto" in bare.output and "--assets" in bare.output
    found = CliRunner().invoke(app, [*words, "--assets", str(tmp_path / "w"), "--assets", str(tmp_path / "s")])
    assert (found.exit_code, found.stdout.strip()) == (0, "3.0")
