"""Whole robots for simulators: the file that each loads, what it had before replaced, and what our importers read."""

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from robot_models import ARM_JOINTS, JOINTS, write_arm_urdf, write_arm_usd, write_quadruped, write_robot

import backemf as be
from backemf.errors import ParameterError
from backemf.sims import webots
from backemf.transfer import read_actuators

mujoco = pytest.importorskip("mujoco")
CHEETAH = be.load("mit-mini-cheetah").motor
ARMATURE = 6.0**2 * 6.3e-5
"""Rotor of the mini cheetah behind its gear of 6, from its datasheet [kg·m²]."""
PD = be.IdealPd(stiffness=60.0, damping=2.0)


def arm(model: Path, **fields) -> be.Robot:
    """An arm of six equal motors, whose gripper stays."""
    passive = ["finger"] if model.suffix == ".urdf" else []
    drive = be.JointDrive(motor="mit-mini-cheetah", controller=PD, **fields)
    return be.Robot(
        model=model, name="arm", supply=be.Supply(voltage=24.0), passive=passive, drives={"joint_.*": drive}
    )


# --- MuJoCo


@pytest.fixture
def quadruped(tmp_path: Path) -> tuple[Path, be.Robot]:
    """The quadruped, and a folder beside its own for what is written."""
    robot = be.read_robot(write_robot(tmp_path / "robot"))
    (tmp_path / "out").mkdir()
    return tmp_path / "out" / "with_motors.xml", robot


def test_mujoco_loads_the_quadruped_with_its_motors(quadruped: tuple[Path, be.Robot]):
    """From another folder, with its mesh: the same bodies, names and order; a dcmotor in place of each actuator."""
    path, robot = quadruped
    done = robot.export("mujoco@4.0", path)
    before, after = (mujoco.MjModel.from_xml_path(str(each)) for each in (robot.model, path))
    assert np.array_equal(before.body_mass, after.body_mass)
    assert np.array_equal(before.mesh_vert, after.mesh_vert)
    assert [after.actuator(k).name for k in range(12)] == [f"{joint}_act" for joint in JOINTS]
    assert set(map(int, after.actuator_gaintype)) == {int(mujoco.mjtGain.mjGAIN_DCMOTOR)}
    # the current limit of the motors, and not the 40 N·m of the model's default class
    assert after.actuator_forcerange[:, 1] == pytest.approx(18.0)
    dofs = [after.jnt_dofadr[after.joint(joint).id] for joint in JOINTS]
    armature = be.load("cubemars-ak80-9-v2").motor.armature
    assert after.dof_armature[dofs] == pytest.approx(4 * [ARMATURE, ARMATURE, armature], rel=1e-6)
    assert after.dof_frictionloss[dofs[:2]] == pytest.approx(0.2)
    assert not after.dof_damping[dofs].any()
    assert [kind.patterns for kind in done.kinds] == [(".*_(hip|thigh)",), (".*_calf",)]
    assert done.kinds[0].joints[:2] == ("FL_hip", "FL_thigh")
    assert "winding heat" in [loss.phenomenon for loss in done.kinds[0].statuses]


def test_the_quadruped_stands_in_mujoco(quadruped: tuple[Path, be.Robot]):
    """Its keyframe still stands: each motor's position control is where the actuator's target was."""
    path, robot = quadruped
    robot.export("mujoco@4.0", path)
    model = mujoco.MjModel.from_xml_path(str(path))
    data = mujoco.MjData(model)
    mujoco.mj_resetDataKeyframe(model, data, 0)
    assert data.ctrl[0::3] == pytest.approx(4 * [0.0, 0.7, -1.4])
    for _ in range(500):
        mujoco.mj_step(model, data)
    assert 0.25 < data.qpos[2] < 0.36
    # its weight, on twelve motors that give no more than 18 N·m
    assert 0.5 < np.abs(data.actuator_force).max() <= 18.0
    assert data.sensor("front left").data[0] == data.actuator("FL_hip_act").force[0]


def test_comments_and_classes_of_the_model_stay(quadruped: tuple[Path, be.Robot]):
    """The tree is the model's own, includes put in."""
    path, robot = quadruped
    text = robot.export("mujoco@4.0", path).text
    assert "<!-- a quadruped -->" in text and "<!-- who drives it is in its own file -->" in text
    assert '<default class="calf">' in text and "<include" not in text
    assert 'meshdir="../robot/assets"' in text


@pytest.mark.parametrize("version", ["4.0", "3.11"])
def test_what_is_written_for_mujoco_is_read_as_the_same_motors(quadruped: tuple[Path, be.Robot], version: str):
    """Each joint of the whole robot as the text of its motor alone."""
    path, robot = quadruped
    robot.export(f"mujoco@{version}", path, digits=None)
    rows = read_actuators(path, version)
    assert [row.joint for row in rows] == JOINTS
    for row in rows:
        alone = be.export(robot.actuators[row.joint], f"mujoco@{version}", digits=None, compare=False).on_joint
        assert row.motor == alone.motor and row.armature == alone.armature and row.coulomb == alone.coulomb


def test_an_arm_from_urdf_runs_in_mujoco(tmp_path: Path):
    """MuJoCo converts the URDF; six motors hold the arm, and the mimic finger stays an equality."""
    done = arm(write_arm_urdf(tmp_path)).export("mujoco@4.0", tmp_path / "arm.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "arm.xml"))
    assert [model.actuator(k).name for k in range(model.nactuator)] == ARM_JOINTS
    assert model.neq == 1
    data = mujoco.MjData(model)
    data.ctrl[0::3] = 0.3
    for _ in range(1500):
        mujoco.mj_step(model, data)
    held = np.array([data.joint(name).qpos[0] for name in ARM_JOINTS])
    # within what gravity and dry friction leave of 60 N·m/rad
    assert np.abs(held - 0.3).max() < 0.15
    assert done.supply.peak == pytest.approx(6 * CHEETAH.limits.peak_current)


@pytest.mark.parametrize(
    ("inertia", "words"), [('izz="0.02"', 'balanceinertia="true"/></mujoco> in <robot>'), ('izz="-1"', "no body can")]
)
def test_inertia_of_a_urdf_that_no_body_has(inertia: str, words: str, tmp_path: Path):
    """MuJoCo refuses what other programs take: the sentence names the link and what to write, which then works."""
    model = write_arm_urdf(tmp_path)
    text = model.read_text().replace('izz="0.001"', inertia)
    model.write_text(text)
    with pytest.raises(ParameterError, match="Element name 'link") as caught:
        arm(model).export("mujoco@4.0")
    assert words in str(caught.value)
    if "balance" in words:
        start = text.index(">", text.index("<robot")) + 1
        extra = '<mujoco><compiler balanceinertia="true"/></mujoco>'
        model.write_text(text[:start] + extra + text[start:])
        assert len(arm(model).export("mujoco@4.0").kinds) == 1


PLUGINS = """<mujoco>
  <extension>
    <plugin plugin="mujoco.pid">
      <instance name="stiff"><config key="kp" value="40"/></instance>
      <instance name="soft"><config key="kp" value="4"/></instance>
    </plugin>
  </extension>
  <worldbody>
    <body><joint name="a" axis="0 1 0"/><geom size="0.1"/>
      <body pos="0.3 0 0"><joint name="b" axis="0 1 0"/><geom size="0.1"/></body>
    </body>
  </worldbody>
  <actuator>
    <plugin name="a" joint="a" plugin="mujoco.pid" instance="stiff"/>
    <plugin name="b" joint="b" plugin="mujoco.pid" instance="soft"/>
  </actuator>
</mujoco>
"""


@pytest.mark.parametrize(("to", "ending"), [("mujoco@4.0", "xml"), ("mjlab", "py")])
def test_plugins_go_with_their_actuators(to: str, ending: str, tmp_path: Path):
    """An instance that no actuator has would be refused; that of an actuator that stays is kept."""
    (tmp_path / "plugins.xml").write_text(PLUGINS)
    drives = {"a": be.JointDrive(motor="mit-mini-cheetah", controller=PD)}
    robot = be.Robot(model=tmp_path / "plugins.xml", supply=be.Supply(voltage=24.0), drives=drives)
    robot.export(to, tmp_path / f"with.{ending}")
    (path,) = tmp_path.glob("with*.xml")
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.nplugin == 1
    assert 'name="stiff"' not in path.read_text()


ADDITIONS = {"add": ARMATURE + 0.01, "replace": ARMATURE}


@pytest.mark.parametrize("way", ADDITIONS)
def test_armature_is_added_only_where_asked_for(way: str, tmp_path: Path):
    """The hip of the model has 0.01 kg·m², the rotor 36·6.3e-5."""
    write_quadruped(tmp_path)
    robot = be.Robot(
        model=tmp_path / "quadruped.xml", supply=be.Supply(voltage=24.0),
        drives={".*": be.JointDrive(motor="mit-mini-cheetah", armature=way)},
    )  # fmt: skip
    robot.export("mujoco@4.0", tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert model.dof_armature[6] == pytest.approx(ADDITIONS[way], rel=1e-6)


def test_what_the_motor_does_not_say_stays_the_models(tmp_path: Path):
    """A motor without rotor and friction leaves armature, frictionloss and damping to the joint, once."""
    write_quadruped(tmp_path)
    bare = be.Motor(winding=CHEETAH.winding, magnet=CHEETAH.magnet, gearbox=CHEETAH.gearbox)
    robot = be.Robot(
        model=tmp_path / "quadruped.xml", supply=be.Supply(voltage=24.0), drives={".*": be.JointDrive(motor=bare)}
    )
    robot.export("mujoco@4.0", tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert model.dof_armature[6] == pytest.approx(0.01)
    assert model.dof_frictionloss[6] == pytest.approx(0.2)
    # drag is in the actuator, besides the joint's own
    assert model.dof_damping[6] + model.actuator_damping[0] == pytest.approx(0.1)


TENDON = """<mujoco>
  <worldbody><body><joint name="a" axis="0 0 1"/><geom size="0.1"/>
    <body><joint name="b" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
  <tendon><fixed name="both"><joint joint="a" coef="1"/><joint joint="b" coef="1"/></fixed></tendon>
  <actuator><motor name="pull" tendon="both"/></actuator>
  <sensor><actuatorfrc name="pulled" actuator="pull"/></sensor>
</mujoco>"""


def test_an_actuator_on_a_tendon_goes_with_all_of_its_joints_or_not_at_all(tmp_path: Path):
    """With motors on both joints it is removed, its sensor too; with one alone nothing is written."""
    (tmp_path / "tendon.xml").write_text(TENDON)
    drive = be.JointDrive(motor="mit-mini-cheetah", controller=PD)
    both = be.Robot(model=tmp_path / "tendon.xml", drives={"[ab]": drive})
    done = both.export("mujoco@4.0", tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert [model.actuator(k).name for k in range(model.nactuator)] == ["a", "b"]
    assert model.nsensor == 0 and "The sensor 'pulled' is removed with its actuator." in done.changes
    one = be.Robot(model=tmp_path / "tendon.xml", drives={"a": drive}, passive=["b"])
    with pytest.raises(ParameterError, match="the actuator 'pull' drives 'b' besides 'a'"):
        one.export("mujoco@4.0", tmp_path / "other.xml")
    assert not (tmp_path / "other.xml").exists()


def test_actuators_that_stay_keep_their_default_class(tmp_path: Path):
    """Motors on the calves alone: the other actuators have their forcerange of 40 N·m from the main class as before."""
    write_quadruped(tmp_path)
    drives = {".*_calf": be.JointDrive(motor="mit-mini-cheetah", controller=PD)}
    robot = be.Robot(model=tmp_path / "quadruped.xml", drives=drives, passive=[".*_(hip|thigh)"])
    robot.export("mujoco@4.0", tmp_path / "out.xml")
    before, after = (mujoco.MjModel.from_xml_path(str(tmp_path / name)) for name in ("quadruped.xml", "out.xml"))
    hip, calf = after.actuator("FL_hip_act").id, after.actuator("FL_calf_act").id
    assert after.actuator_forcerange[hip].tolist() == before.actuator_forcerange[hip].tolist() == [-40.0, 40.0]
    assert after.actuator_gainprm[hip].tolist() == before.actuator_gainprm[hip].tolist()
    assert after.actuator_forcerange[calf].tolist() == [-18.0, 18.0]
    # controls of the keyframe: 1, 1 and 3 for each leg
    assert after.key_ctrl[0][:5].tolist() == [0.0, 0.7, -1.4, 0.0, 0.0]


# --- the others


def test_mjlab_gets_a_module_and_a_model_without_actuators(quadruped: tuple[Path, be.Robot]):
    """The model beside it compiles, has no actuators and no armature; the text is read as the same numbers."""
    path, robot = quadruped
    done = robot.export("mjlab", path.with_suffix(".py"))
    assert list(done.files) == ["with_motors_model.xml"]
    model = mujoco.MjModel.from_xml_path(str(path.parent / "with_motors_model.xml"))
    assert model.nactuator == 0 and not model.dof_armature.any() and model.nkey == 1
    rows = read_actuators(path.with_suffix(".py"))
    assert [row.joint for row in rows] == [".*_(hip|thigh)", ".*_calf"]
    assert rows[0].armature == pytest.approx(ARMATURE, rel=1e-5)
    assert rows[0].actuator.controller.stiffness == 60.0
    assert "def get_robot_cfg() -> EntityCfg:" in done.text


@pytest.mark.parametrize(("make", "loader"), [(write_arm_urdf, "UrdfFileCfg"), (write_arm_usd, "UsdFileCfg")])
def test_isaac_lab_gets_an_articulation(make, loader: str, tmp_path: Path):
    """A module with the model and one configuration for six joints, which our reader reads."""
    done = arm(make(tmp_path)).export("isaaclab", tmp_path / "arm.py")
    assert f"sim_utils.{loader}(" in done.text and "ArticulationCfg(" in done.text
    (row,) = read_actuators(tmp_path / "arm.py")
    assert row.joint == "joint_.*" and row.armature == pytest.approx(ARMATURE, rel=1e-5)
    assert row.actuator.limits[0].effort_limit == pytest.approx(18.0, rel=1e-5)


@pytest.mark.parametrize("to", ["physx", "newton"])
def test_usd_gets_a_layer_over_the_model(to: str, tmp_path: Path):
    """Six drives or actuators at the joints of the model below; each is read with the motor's numbers."""
    (tmp_path / "out").mkdir()
    path = tmp_path / "out" / "arm.usda"
    done = arm(write_arm_usd(tmp_path)).export(to, path)
    assert "@../arm.usda@" in done.text
    rows = read_actuators(path)
    assert [row.joint for row in rows] == [f"/World/arm/{name}" for name in ARM_JOINTS]
    for row in rows:
        assert row.armature == pytest.approx(ARMATURE, rel=1e-5)
        assert row.actuator.controller.stiffness == pytest.approx(60.0, rel=1e-5)
        # nothing of what the joint had acts any more
        assert "drive of the joint" not in [loss.phenomenon for loss in row.losses]


def test_newton_carries_whole_actuators(tmp_path: Path):
    """With kind "backemf" the robot that is read has the very actuators that were written."""
    robot = arm(write_arm_usd(tmp_path))
    robot.export("newton", tmp_path / "with.usda", kind="backemf")
    rows = read_actuators(tmp_path / "with.usda")
    assert [row.actuator for row in rows] == list(robot.actuators.actuators)


def test_webots_gets_a_proto_with_bodies_and_motors(quadruped: tuple[Path, be.Robot]):
    """Twelve motors; the mass of a leg below the hip is in its solids, and the rotor's inertia about each axis."""
    path, robot = quadruped
    robot.export("webots", path.with_suffix(".proto"))
    rows = read_actuators(path.with_suffix(".proto"))
    assert [row.joint for row in rows] == JOINTS
    world = webots.read_world(path.with_suffix(".proto"))
    calf = next(joint for joint in world.joints if joint.name == "FL_calf")
    # about the knee: 0.001 + 0.2·0.08² of the calf, and the rotor
    rotor = be.load("cubemars-ak80-9-v2").motor.armature
    assert calf.inertia == pytest.approx(0.001 + 0.2 * 0.08**2 + rotor, rel=1e-4)
    text = path.with_suffix(".proto").read_text()
    masses = [float(each) for each in re.findall(r"^ *mass (\S+)$", text, re.MULTILINE)]
    assert sum(masses) == pytest.approx(6 + 4 * (0.6 + 0.9 + 0.2))


def test_rotors_of_webots_are_in_the_bodies_and_nothing_says_to_add_them(quadruped: tuple[Path, be.Robot]):
    """Their inertia is there once: the table and the notes of each kind say so."""
    path, robot = quadruped
    done = robot.export("webots", path.with_suffix(".proto"))
    for kind in done.kinds:
        (inertia,) = [loss for loss in kind.statuses if loss.phenomenon == "rotor inertia"]
        assert inertia.status == "approximated" and "added to the body" in inertia.note
        assert not any("add" in note for note in kind.notes)
    assert "Webots has no armature: each rotor's inertia is added to the body that its joint moves." in done.notes
    # a body without a mass has no place for it, and so its kind says what to do
    model = robot.model.with_name("light.xml")
    model.write_text(LIGHT)
    drives = {"a|b": be.JointDrive(motor="mit-mini-cheetah", controller=PD)}
    light = be.Robot(model=model, drives=drives, supply=be.Supply(voltage=24.0)).export("webots")
    assert any("Webots has no armature: add 0.002268 kg·m²" in note for note in light.kinds[0].notes)
    assert {loss.phenomenon: loss.status for loss in light.kinds[0].statuses}["rotor inertia"] == "dropped"


LIGHT = """<mujoco><worldbody>
<body><joint name="a" axis="0 1 0"/><inertial pos="0 0 0" mass="1e-7" diaginertia="1e-9 1e-9 1e-9"/>
<body><joint name="b" axis="0 0 1"/><inertial pos="0 0 0" mass="1" diaginertia="0.1 0.1 0.1"/></body></body></worldbody>
</mujoco>"""
SPRINGS = """<mujoco>COMPILER<worldbody>
<body><joint name="a" axis="0 1 0"/><geom size="0.1" pos="0.1 0 0"/></body>
<body><joint name="b" axis="0 1 0" stiffness="2" springref="ANGLE"/><geom size="0.1" pos="0.1 0 0"/></body>
</worldbody></mujoco>"""


@pytest.mark.parametrize(("compiler", "angle"), [("", 30.0), ('<compiler angle="radian"/>', np.pi / 6.0)])
def test_a_spring_beside_the_motor_is_one_of_the_joint(compiler: str, angle: float, tmp_path: Path):
    """In MuJoCo: offset - stiffness·(q - rest), and that of the model's own spring where there is one."""
    model = tmp_path / "springs.xml"
    model.write_text(SPRINGS.replace("COMPILER", compiler).replace("ANGLE", repr(angle)))
    spring = be.JointSpring(stiffness=3.0, rest_angle=-0.4, offset=0.6)
    motor = be.Actuator(CHEETAH, controller=PD, spring=spring)
    robot = be.Robot(model=model, drives={"[ab]": be.JointDrive(motor=motor)}, supply=be.Supply(voltage=24.0))
    done = robot.export("mujoco@4.0", tmp_path / "out.xml", compare=True)
    assert {loss.phenomenon: loss.status for loss in done.kinds[0].statuses}["joint spring"] == "kept"
    written = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    written.opt.gravity[:] = 0.0
    data = mujoco.MjData(written)
    data.qpos[:] = 0.3
    mujoco.mj_forward(written, data)
    own = 0.6 - 3.0 * (0.3 + 0.4)
    assert data.qfrc_passive == pytest.approx([own, own - 2.0 * (0.3 - np.pi / 6.0)], abs=1e-9)
    # what is compared are the motors: the spring is the joint's on both sides
    bare = be.JointDrive(motor=be.Actuator(CHEETAH, controller=PD))
    alone = be.Robot(model=model, drives={"[ab]": bare}, supply=be.Supply(voltage=24.0))
    assert repr(done.kinds[0].errors) == repr(alone.export("mujoco@4.0", compare=True).kinds[0].errors)
    # for mjlab it is in the model beside the module
    (beside,) = robot.export("mjlab", tmp_path / "out.py").files.values()
    stripped = mujoco.MjModel.from_xml_string(beside.decode())
    assert stripped.jnt_stiffness.ravel()[:2] == pytest.approx(written.jnt_stiffness.ravel()[:2])
    assert stripped.qpos_spring == pytest.approx(written.qpos_spring)
    # a torque alone has no place in a joint, and nothing has one in Isaac Lab
    push = be.Actuator(CHEETAH, controller=PD, spring=be.JointSpring(offset=0.6))
    constant = be.Robot(model=model, drives={"[ab]": be.JointDrive(motor=push)}, supply=be.Supply(voltage=24.0))
    for one, to in ((constant, "mujoco@4.0"), (robot, "isaaclab")):
        lost = {loss.phenomenon: loss.status for loss in one.export(to).kinds[0].statuses}
        assert lost["joint spring"] == "dropped"
        with pytest.raises(ParameterError, match=r"joint spring.* would be dropped"):
            one.export(to, strict=True)


def test_a_urdf_gets_limits_and_friction_and_keeps_the_rest(tmp_path: Path):
    """Effort of the motor, the tighter of two speeds, friction at the joint, limits of ros2_control; comments stay."""
    model = write_arm_urdf(tmp_path, effort=500.0)
    done = arm(model).export("urdf", tmp_path / "with.urdf")
    root = ElementTree.fromstring(done.text)
    limit = root.find("joint[@name='joint_3']/limit").attrib
    assert (float(limit["effort"]), float(limit["velocity"])) == (18.0, 3.1)
    assert (limit["lower"], limit["upper"]) == ("-3", "3")
    assert root.find("joint[@name='joint_3']/dynamics").attrib == {"damping": "0.01", "friction": "0.2"}
    assert root.find("joint[@name='finger']/limit").get("effort") == "20"
    control = root.find("ros2_control/joint[@name='joint_1']")
    words = {
        each.get("name"): [param.text for param in each.findall("param")]
        for each in control.findall("command_interface")
    }
    assert words == {"effort": ["-18.0", "18.0"], "velocity": ["-3.1", "3.1"], "position": ["-3", "3"]}
    assert done.text.startswith('<?xml version="1.0"?>\n<!-- an arm, by hand -->') and "<!-- joint 6 -->" in done.text


def test_limits_of_ros2_control_below_the_motors_stay(tmp_path: Path):
    """A drive that allows 5 N·m keeps them, on the side on which it says so; words that are no number are replaced."""
    model = write_arm_urdf(tmp_path, effort=500.0)
    model.write_text(model.read_text().replace(">-500<", ">-5<").replace(">500<", ">none<"))
    root = ElementTree.fromstring(arm(model).export("urdf", tmp_path / "with.urdf").text)
    effort = root.find("ros2_control/joint[@name='joint_1']/command_interface[@name='effort']")
    assert [param.text for param in effort.findall("param")] == ["-5", "18.0"]


@pytest.mark.parametrize(
    ("compiler", "meshes", "noted"),
    [
        ('<compiler strippath="false"/>', ["../robot/meshes/a.stl", "package://arm/b.stl", "/c.stl"], False),
        ("", ["../robot/meshes/a.stl", "package://arm/b.stl", "/c.stl"], True),
        ('<compiler meshdir="meshes"/>', ["../robot/meshes/a.stl", "package://arm/b.stl", "/c.stl"], False),
        ('<compiler meshdir="." strippath="false"/>', ["meshes/a.stl", "package://arm/b.stl", "/c.stl"], True),
    ],
)
def test_meshes_of_a_urdf_are_found_from_another_folder(compiler: str, meshes: list[str], noted: bool, tmp_path: Path):
    """Relative paths count from the new file, packages and absolute ones stay; in the same folder nothing changes."""
    for name in ("robot", "out"):
        (tmp_path / name).mkdir()
    model = write_arm_urdf(tmp_path / "robot")
    files = "".join(
        f'<visual><geometry><mesh filename="{name}"/></geometry></visual>'
        for name in ("meshes/a.stl", "package://arm/b.stl", "/c.stl")
    )
    text = model.read_text().replace('<link name="link_1">', f'<link name="link_1">{files}')
    model.write_text(text.replace("</robot>", f"<mujoco>{compiler}</mujoco></robot>"))
    done = arm(model).export("urdf", tmp_path / "out" / "with.urdf")
    root = ElementTree.fromstring(done.text)
    assert [each.get("filename") for each in root.iter("mesh")] == meshes
    assert any("MuJoCo" in note for note in done.notes) is noted
    own = next((each.get("meshdir") for each in root.iter("compiler") if each.get("meshdir")), None)
    assert own in (None, "../robot/meshes", "../robot")
    stays = ElementTree.fromstring(arm(model).export("urdf", tmp_path / "robot" / "with.urdf").text)
    assert next(stays.iter("mesh")).get("filename") == "meshes/a.stl"


# --- files


def test_no_file_of_the_robot_is_replaced(quadruped: tuple[Path, be.Robot]):
    """Neither the model nor what it includes, nor the robot's own file."""
    _, robot = quadruped
    folder = robot.model.parent
    for name in ("quadruped.xml", "parts/actuators.xml"):
        before = (folder / name).read_text()
        with pytest.raises(ParameterError, match="is a file that the robot is made of; give another name"):
            robot.export("mujoco@4.0", folder / name)
        assert (folder / name).read_text() == before
    be.save(be.Actuator(CHEETAH), folder / "hip.toml")
    with pytest.raises(ParameterError, match="made of"):
        be.Robot(joint_names=["hip"], drives={"hip": be.JointDrive(motor=folder / "hip.toml")}).save(
            folder / "hip.toml"
        )


REFUSED = {
    ("mujoco@4.0", "usd"): "MuJoCo loads MJCF or URDF, and the robot has USD",
    ("newton", "urdf"): "Newton loads actuators from USD, and the robot has URDF",
    ("mjlab", "urdf"): "mjlab loads MJCF, and the robot has URDF",
    ("urdf", "usd"): "--to urdf changes a URDF, and the robot has USD",
    ("webots", "usd"): "Webots gets its bodies from an MJCF or URDF model",
    ("gazebo", "urdf"): "--to gazebo: must be one of mujoco@4.0",
}  # fmt: skip


@pytest.mark.parametrize(("to", "model"), REFUSED)
def test_a_model_that_a_simulator_does_not_load(to: str, model: str, tmp_path: Path):
    """One sentence that says which model it needs."""
    path = write_arm_usd(tmp_path) if model == "usd" else write_arm_urdf(tmp_path)
    with pytest.raises(ParameterError, match=re.escape(REFUSED[to, model])):
        arm(path).export(to)


GEARED = """<mujoco>
  <default><motor gear="3" ctrlrange="-2 2"/></default>
  <worldbody><body><joint name="a" axis="0 0 1"/><geom size="0.1"/>
    <body><joint name="b" axis="0 1 0"/><geom size="0.1" pos="0.2 0 0"/></body></body></worldbody>
  <actuator><motor name="one" joint="a"/><motor name="two" joint="b"/></actuator>
</mujoco>"""


def test_gear_and_range_of_the_main_class_do_not_act_on_a_motor(tmp_path: Path):
    """The class of all actuators has a gear of 3 and a range of 2: the motor has neither, the other actuator both."""
    (tmp_path / "geared.xml").write_text(GEARED)
    drives = {"a": be.JointDrive(motor="mit-mini-cheetah", controller=PD)}
    be.Robot(model=tmp_path / "geared.xml", drives=drives, passive=["b"]).export("mujoco@4.0", tmp_path / "out.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "out.xml"))
    assert model.actuator_gear[:, 0].tolist() == [1.0, 3.0]
    assert not model.actuator_ctrllimited[:3].any() and model.actuator_ctrlrange[3].tolist() == [-2.0, 2.0]


def test_a_robot_from_the_content_of_its_model():
    """Joints that share a drive share a pattern; an error names the file as its owner does."""
    from backemf.robot import JointDrive
    from backemf.transfer.robots.in_memory import export_content

    body = '<body name="{0}"><joint name="{0}" axis="0 1 0"/><geom size="0.1" mass="1"/>{1}</body>'
    inner = body.format("b.1", body.format("c", ""))
    model = f"<mujoco><worldbody>{body.format('a', inner)}</worldbody></mujoco>".encode()
    drive = JointDrive(motor="maxon-re40-gp52c")
    drives = {"a": drive, "b.1": drive, "c": JointDrive(motor="maxon-re40-148877")}
    found = export_content(model, "arm.xml", drives, "mujoco@4.0")
    assert list(found.files) == ["arm_with_motors.xml", "arm.toml"]
    assert {kind.patterns: kind.joints for kind in found.exported.kinds} == {
        ("a|b\\.1",): ("a", "b.1"), ("c",): ("c",),
    }  # fmt: skip
    with pytest.raises(be.errors.ParameterError) as error:
        export_content(b"<mujoco>", "arm.xml", drives, "mujoco@4.0")
    assert "arm.xml" in str(error.value) and "/" not in str(error.value).split(":")[0]
