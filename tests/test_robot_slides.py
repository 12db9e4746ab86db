"""Joints that slide: a motor behind a screw or a belt, in robot files and in the files of every simulator."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from robot_models import RAIL
from typer.testing import CliRunner

import backemf as be
from backemf.cli.app import app
from backemf.design import Belt, LeadScrew
from backemf.design.sliding import power_of
from backemf.errors import ParameterError
from backemf.transfer import read_actuators

mujoco = pytest.importorskip("mujoco")

RADIUS = 0.012
"""Pitch radius of the pulley [m]."""
MOTOR = be.Motor(
    winding=be.Winding(resistance=0.5, inductance=1e-4),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05, iron_loss=1e-6),
    rotor=be.Rotor(inertia=1e-5),
    friction=be.Coulomb(coulomb=2e-3),
    drag=be.Drag(coefficients=(1e-5, 1e-8)),
    cogging=be.Cogging(harmonics=(be.Harmonic(amplitude=1e-3, periodicity=12.0, phase=0.3),)),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=4.0, inertia=1e-6),)),
    ratings=be.Ratings(voltage=24.0, current=5.0, speed=600.0, gear_torque=2.0),
    name="m",
)
PLAIN = replace(MOTOR, cogging=None)
PD = be.IdealPd(stiffness=2000.0, damping=40.0)
MJCF = """<mujoco>
  <worldbody>
    <body>
      <joint name="lift" type="slide" axis="1 0 0" range="-1 1" limited="true" armature="0.3" frictionloss="2"/>
      <geom type="box" size="0.1 0.1 0.1" mass="5"/>
    </body>
  </worldbody>
</mujoco>
"""
URDF = """<robot name="axis">
  <link name="world"/>
  <link name="carriage">
    <inertial><mass value="5"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="lift" type="prismatic">
    <parent link="world"/><child link="carriage"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="9000" velocity="90"/>
  </joint>
</robot>
"""
MODELS = {"xml": MJCF, "urdf": URDF, "usda": RAIL}
# what the slide feels of the motor, by hand
N, FORCE = 4.0, 4.0 / RADIUS
ARMATURE = FORCE**2 * (1e-5 + 1e-6)
STALL = FORCE * 0.05 * 24.0 / 0.5
DRY, DRAG = FORCE * 2e-3, FORCE**2 * 1e-5
TOP_SPEED = 24.0 / 0.05 / FORCE


def axis(folder: Path, ending: str = "xml", motor: be.Motor = PLAIN, **fields: object) -> be.Robot:
    """A carriage on a belt."""
    (folder / f"axis.{ending}").write_text(MODELS[ending])
    given = {"motor": motor, "slide": Belt(radius=RADIUS), "controller": PD} | fields
    drive = be.JointDrive(**given)
    return be.Robot(model=folder / f"axis.{ending}", supply=be.Supply(voltage=24.0), drives={"lift": drive})


# --- the motor that the slide feels


@pytest.mark.parametrize(
    ("unit", "power"),
    [("N·m", -1), ("rad/s", 1), ("kg·m²", -2), ("N·m·s/rad", -2), ("N·m/A", -1), ("V·s/rad", -1), ("W·s²/rad²", -2),
     ("1/(N·m)", 1), ("1/rad", -1), ("K/W", 0), (None, 0)],
)  # fmt: skip
def test_a_unit_says_how_it_comes_to_the_slide(unit, power):
    assert power_of(unit) == power


@pytest.mark.parametrize("slide", [LeadScrew(lead=0.01), LeadScrew(lead=-0.01), Belt(radius=0.02)])
def test_a_carriage_moves_as_the_shaft_turns(slide):
    """Mass m on the slide is the inertia m·r² on the shaft: the same run, r times as far, with the same current."""
    r = float(slide.travel)
    turned = be.simulate(be.Actuator(MOTOR), be.Inertia(8.0 * r * r), 24.0, duration=0.05)
    moved = be.simulate(be.Actuator(slide.motor(MOTOR)), be.Inertia(8.0), 24.0, duration=0.05)
    np.testing.assert_allclose(moved["position"], r * turned["position"], rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(moved["current"], turned["current"], rtol=1e-9, atol=1e-12)
    assert slide.motor(MOTOR).motion == "linear"
    assert slide.motor(MOTOR).ratings.gear_torque == pytest.approx(2.0 / abs(r))


def test_a_screw_loses_by_the_direction_of_power():
    """Its efficiencies are those of a last stage."""
    stage = LeadScrew(lead=0.01, efficiency=0.4, back_efficiency=0.1).motor(MOTOR).gearbox.stages[-1]
    assert (stage.ratio, stage.efficiency, stage.back_efficiency) == (1.0, 0.4, 0.1)
    with pytest.raises(ParameterError, match=r"back_efficiency = 0: a motor behind what locks itself"):
        LeadScrew(lead=0.01, efficiency=0.4, back_efficiency=0.0).motor(MOTOR)
    with pytest.raises(ParameterError, match="m is a linear motor already"):
        Belt(radius=0.1).motor(Belt(radius=0.1).motor(MOTOR))


def test_estimates_come_along():
    """With their ranges, in the units of the slide."""
    motor = be.load("maxon-re40-148877", estimate=True).motor
    known = replace(
        motor,
        estimates=(be.motor.Estimate("rotor.inertia", float(motor.rotor.inertia), 1e-6, 1e-3, "kg*m^2", "by hand"),),
    )
    (found,) = Belt(radius=0.1).motor(known).valid_estimates
    assert found.unit == "kg" and found.high == pytest.approx(0.1)


# --- every simulator

TARGETS = [
    ("mujoco@4.0", "xml", {"armature=": ARMATURE, "frictionloss=": DRY, "motorconst=": FORCE * 0.05}),
    ("mujoco@3.11", "xml", {"armature=": ARMATURE, "frictionloss=": DRY, "motorconst=": FORCE * 0.05}),
    ("mujoco@4.0", "urdf", {"armature=": ARMATURE, "frictionloss=": DRY, "motorconst=": FORCE * 0.05}),
    ("mjlab", "xml", {" armature=": ARMATURE, "frictionloss=": DRY, "stiffness=": 2000.0, "saturation_effort=": STALL}),
    ("isaaclab", "urdf", {"armature=": ARMATURE, "dynamic_friction=": DRY, "    stiffness=": 2000.0}),
    ("webots", "xml", {"staticFriction ": DRY, "dampingConstant ": DRAG}),
    ("urdf", "urdf", {"friction=": DRY, "velocity=": TOP_SPEED, "damping=": DRAG}),
    ("newton", "usda", {"newton:armature = ": ARMATURE, "newton:friction = ": DRY, "newton:damping = ": DRAG}),
    ("physx", "usda", {"physxJointAxis:linear:armature = ": ARMATURE, "drive:linear:physics:stiffness = ": 2000.0,
                       "physxJointAxis:linear:viscousFrictionCoefficient = ": DRAG}),
]  # fmt: skip


@pytest.mark.parametrize(("to", "ending", "numbers"), TARGETS, ids=[f"{to} {ending}" for to, ending, _ in TARGETS])
def test_every_simulator_gets_a_slide_in_metres(to, ending, numbers, tmp_path):
    """Each quantity once, in N, m and kg; no sentence speaks of newton metres or radians."""
    simple = replace(PLAIN, drag=be.Drag(coefficients=(1e-5,)), magnet=replace(PLAIN.magnet, iron_loss=0.0))
    done = axis(tmp_path, ending, simple).export(to)
    for words, value in numbers.items():
        found = [part.lstrip('"').split('"')[0].split()[0].rstrip(",") for part in done.text.split(words)[1:]]
        assert len(found) == 1, (words, done.text)
        assert float(found[0]) == pytest.approx(value, rel=1e-4), words
    said = [*done.notes, *done.changes, *done.kinds[0].notes, *(loss.note for loss in done.kinds[0].statuses)]
    for sentence in [done.text.replace('angle="radian"', ""), *said]:
        assert "N·m" not in sentence and "rad" not in sentence.split(), sentence


def test_mujoco_moves_the_carriage(tmp_path):
    """The belt brings it to its target; the file reads back as a motor that slides."""
    axis(tmp_path).export("mujoco@4.0", tmp_path / "with.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "with.xml"))
    assert model.dof_armature[0] == pytest.approx(ARMATURE, rel=1e-5)
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.4
    for _ in range(2000):
        mujoco.mj_step(model, data)
    # within what dry friction leaves of 2000 N/m
    assert data.qpos[0] == pytest.approx(0.4, abs=DRY / 2000.0 + 1e-4)
    for version in ("4.0", "3.11"):
        path = tmp_path / f"with_{version}.xml"
        axis(tmp_path).export(f"mujoco@{version}", path)
        (row,) = read_actuators(path, version)
        assert row.actuator.motor.motion == "linear"


def test_the_command_prints_forces(tmp_path):
    """The error table too."""
    output = tmp_path / "with.py"
    done = CliRunner(env={"COLUMNS": "200"}).invoke(
        app, ["export", str(written(tmp_path)), "--to", "mjlab", "-o", str(output)]
    )
    assert done.exit_code == 0, done.output
    assert "Force error at the joint" in done.output and " m/s" in done.output
    assert "N·m" not in done.output and "rpm" not in done.output


# --- robot files

TEXT = """format = "backemf robot 1"
model = "axis.xml"

[supply]
voltage = "24 V"

[joints.lift]
motor = "maxon-re40-gp52c"
slide = { kind = "LeadScrew", lead = "20 mm", efficiency = 0.9 }
controller = { kind = "IdealPd", stiffness = "2000 N/m", damping = "40 N*s/m" }
limits = { kind = "EffortLimit", effort_limit = "300 N" }
numbers = { friction.coulomb = "2 N" }
"""


def written(folder: Path, text: str = TEXT) -> Path:
    (folder / "axis.xml").write_text(MJCF)
    path = folder / "robot.toml"
    path.write_text(text)
    return path


def test_a_robot_file_has_the_units_of_its_slide(tmp_path):
    """Newtons and metres in, and out again."""
    robot = be.read_robot(written(tmp_path))
    drive = robot.drives["lift"]
    assert drive.slide == LeadScrew(lead=0.02, efficiency=0.9) and drive.controller == PD
    assert robot.actuators["lift"].motor.friction.coulomb == 2.0
    robot.save(tmp_path / "again.toml")
    assert '"2000 N/m"' in (tmp_path / "again.toml").read_text()
    assert be.read_robot(tmp_path / "again.toml") == robot
    assert not [each for each in robot.check() if each.severity == "error"]


def test_a_linear_motor_has_them_too(tmp_path):
    """A motor file that slides by itself needs no screw."""
    be.save(Belt(radius=RADIUS).motor(PLAIN), tmp_path / "linear.toml")
    text = "\n".join(row for row in TEXT.splitlines() if not row.startswith(("slide", "numbers")))
    robot = be.read_robot(written(tmp_path, text.replace("maxon-re40-gp52c", "linear.toml")))
    assert robot.actuators["lift"].motor.motion == "linear"
    robot.save(tmp_path / "again.toml")
    assert be.read_robot(tmp_path / "again.toml") == robot


def test_what_a_motor_file_says_of_its_joint_comes_to_the_slide(tmp_path):
    """Controller, limits and the joint's own inertia and friction, by their units."""
    limit = be.EffortLimit(effort_limit=3.0)
    own = be.Actuator(PLAIN, controller=be.IdealPd(stiffness=2.0, damping=0.1), limits=limit)
    found = axis(tmp_path, motor=own, controller=None).actuators["lift"]
    assert found.controller.stiffness == pytest.approx(2.0 / RADIUS**2)
    assert found.limits[0].effort_limit == pytest.approx(3.0 / RADIUS)
    with pytest.raises(ParameterError, match="slew of the motor file is of a joint that turns"):
        axis(tmp_path, motor=replace(own, slew=3.0), controller=None).actuators  # noqa: B018


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"2000 N/m"', '"2000 N*m/rad"', 'controller stiffness: "2000 N*m/rad" is a torque or energy, not a stiffness'),
        ('slide = { kind = "LeadScrew", lead = "20 mm", efficiency = 0.9 }\n', "", "that slides, give its slide here"),
        ('kind = "LeadScrew"', 'kind = "Leadscrew"', "slide kind = 'Leadscrew': did you mean LeadScrew?"),
        ('lead = "20 mm"', 'lead = "0 mm"', "LeadScrew.lead = 0: must not be zero"),
        ('lead = "20 mm", ', "", "LeadScrew needs lead"),
        ("numbers = {", '[override."li.*"]\nlimits = { kind = "EffortLimit", effort_limit = "30 N" }\n#',
         "for a joint that slides, repeat its slide here"),
    ],
)  # fmt: skip
def test_bad_slides(old, new, words, tmp_path):
    """One sentence, with the remedy."""
    assert old in TEXT
    with pytest.raises(ParameterError) as caught:
        be.read_robot(written(tmp_path, TEXT.replace(old, new)))
    assert words in str(caught.value)


def test_motor_and_joint_have_to_move_alike(tmp_path):
    """A motor that turns needs a slide on a joint that slides, and may have none elsewhere."""
    with pytest.raises(ParameterError, match=r'slides, and m of "lift" turns.* slide = \{ kind = "LeadScrew"'):
        axis(tmp_path, slide=None).joints  # noqa: B018
    (tmp_path / "axis.xml").write_text(MJCF.replace('type="slide"', ""))
    drive = be.JointDrive(motor=PLAIN, slide=Belt(radius=RADIUS))
    with pytest.raises(ParameterError, match=r'turns, and m of "lift" slides: give it a motor that turns, without'):
        be.Robot(model=tmp_path / "axis.xml", drives={"lift": drive}).joints  # noqa: B018
    with pytest.raises(ParameterError, match="slide = 3: must be a LeadScrew or a Belt"):
        be.JointDrive(motor=PLAIN, slide=3)
