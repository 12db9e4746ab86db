"""Sizing of joints that slide: motors behind a screw or a belt, checked at the shaft that they turn."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from size_rig import motor, task

import backemf as be
from backemf.design import Belt, LeadScrew
from backemf.errors import ParameterError
from backemf.size.cycle import Cycle
from backemf.size.evaluation import evaluate
from backemf.size.heat import Rhythm
from backemf.size.motion import Cells
from backemf.sweep.sweep_file import read_sweep_file

LEAD, EFFICIENCY = 0.01, 0.8
TRAVEL = LEAD / (2.0 * np.pi)
WEIGHT, MASS = 60.0, 6.0
SCREW = LeadScrew(lead=LEAD, efficiency=EFFICIENCY)
LIFT = be.JointTask(
    motion=be.TrapezoidMove(angle=0.2, duration=0.8),
    load=be.ConstantTorque(torque=-WEIGHT, inertia=MASS),
    slide=SCREW,
    rest=1.0,
)
"""A weight that goes up and down on a screw."""


def test_a_slide_is_its_shaft():
    """By hand at the screw: q = x/r, and the torque F·r, lost by the direction of power."""
    turned = motor(ratio=2.0, friction=be.Coulomb(coulomb=2e-3))
    given = task(joints={"joint": LIFT})
    slid = be.size(given, [turned]).best.figures
    c = LIFT.motion.cells(given.samples)
    force = WEIGHT + MASS * c.acceleration
    torque = force * TRAVEL * np.where(force * c.velocity > 0.0, 1.0 / EFFICIENCY, EFFICIENCY)
    cells = Cells(c.dt, c.position / TRAVEL, c.velocity / TRAVEL, c.acceleration / TRAVEL, c.smooth)
    cycle = Cycle("joint", cells, torque, Rhythm(c.duration, 1, 1.0), WEIGHT * TRAVEL)
    alone = evaluate(turned, 1, cycle, given.supply, given.ambient)
    for name in ("rms_current", "peak_current", "winding", "voltage", "energy", "supply_current"):
        assert slid[name] == pytest.approx(float(getattr(alone, name)[0]), rel=1e-9), name
    assert slid["inertia"] == pytest.approx(float(alone.inertia[0]) / TRAVEL**2)
    assert slid["gear_peak"] == pytest.approx(WEIGHT + MASS * 0.2 / 0.8**2 * 4.5)


def test_it_runs_forwards_too():
    """In a closed loop with the carriage itself as its load."""
    (seen,) = be.size(task(joints={"joint": LIFT}), [motor(ratio=2.0)]).verify(1)
    assert seen.simulated_current == pytest.approx(seen.predicted_current, rel=0.02)
    assert seen.simulated_winding == pytest.approx(seen.predicted_winding, abs=1.0)
    assert seen.tracking_error < 1e-3


def test_ratings_are_those_of_the_shaft():
    """A gear states the torque of its own output, which turns the screw against its loss; a rotor its own speed."""
    torque = (WEIGHT + MASS * 0.2 / 0.8**2 * 4.5) * TRAVEL / EFFICIENCY
    speed = 0.2 / 0.8 * 1.5 / TRAVEL
    for ratings, inside, words in (
        ({"gear_peak_torque": torque}, 1.01, "peak gear torque"),
        ({"speed": speed}, 1.01, "rotor speed"),
    ):
        ((name, value),) = ratings.items()
        for factor in (inside, 1.0 / inside):
            rated = be.Ratings(winding_temperature=125.0, **{name: factor * value})
            only = be.size(task(joints={"joint": LIFT}), [motor(ratio=1.0, ratings=rated)]).only
            assert bool(len(only)) == (factor > 1.0)
            assert len(only) or only.rejected(1)[0].reason.startswith(words)


TEXT = """
format = "backemf task 1"
wanted = "energy"

[supply]
voltage = "48 V"

[joints."z.lift"]
slide = { kind = "Belt", radius = "20 mm" }

[joints."z.lift".motion]
kind = "csv"
file = "lift.csv"

[joints."z.lift".load]
kind = "Inertia"
inertia = "6 kg"
"""
ROWS = "time [ms],position[z.lift] [mm],velocity[z.lift] [mm/s]\n0,0,0\n100,5,100\n200,20,200\n300,35,100\n400,40,0\n"
BACK = "500,35,-100\n600,20,-200\n700,5,-100\n800,0,0\n"


def test_a_file_has_metres_and_newtons(tmp_path):
    """In any multiple; a joint whose name has a dot finds its columns."""
    (tmp_path / "lift.csv").write_text(ROWS + BACK)
    (tmp_path / "task.toml").write_text(TEXT)
    (joint,) = be.Task.read(tmp_path / "task.toml").joints.values()
    assert joint.slide == Belt(radius=0.02) and joint.load == be.Inertia(6.0)
    np.testing.assert_allclose(joint.motion.position[:3], [0.0, 5e-3, 0.02])
    np.testing.assert_allclose(joint.motion.velocity[:3], [0.0, 0.1, 0.2])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('"6 kg"', '"6 kg*m^2"', '"6 kg*m^2" is a moment of inertia, not a mass'),
        ("position[z.lift] [mm]", "position[z.lift] [deg]", "the unit 'deg' of the position"),
        ('kind = "Inertia"\ninertia = "6 kg"', 'kind = "Pendulum"\nmass = "1 kg"\nlength = "1 m"', "cannot swing a"),
        ('kind = "Belt"', 'kind = "Rope"', "slide kind = 'Rope'"),
        ('slide = { kind = "Belt", radius = "20 mm" }', "", "for a joint that slides, give its slide"),
    ],
)
def test_bad_slides(old, new, words, tmp_path):
    """One sentence each."""
    assert old in TEXT + ROWS
    (tmp_path / "lift.csv").write_text((ROWS + BACK).replace(old, new))
    (tmp_path / "task.toml").write_text(TEXT.replace(old, new))
    with pytest.raises(ParameterError) as caught:
        be.Task.read(tmp_path / "task.toml")
    assert words in str(caught.value)


MODEL = """<mujoco>
  <worldbody>
    <body>
      <joint name="lift" type="{kind}" axis="0 0 1"/>
      <geom type="box" size="0.1 0.1 0.1" mass="6"/>
    </body>
  </worldbody>
</mujoco>
"""


def robot_task(folder: Path, kind: str, slide: LeadScrew | None) -> be.Task:
    """The weight of a model, which its inverse dynamics say."""
    (folder / "lift.xml").write_text(MODEL.format(kind=kind))
    joint = replace(LIFT, load=None, slide=slide)
    model = be.RobotModel(model=str(folder / "lift.xml"))
    return task(joints={"lift": joint}, robot=model)


def test_a_model_says_its_weight_and_gets_its_motor(tmp_path):
    """From the task through the robot file to a carriage that MuJoCo holds up."""
    mujoco = pytest.importorskip("mujoco")
    found = be.size(robot_task(tmp_path, "slide", SCREW), [motor(ratio=2.0)])
    assert found.best.figures["gear_peak"] == pytest.approx(6.0 * (9.81 + 0.2 / 0.8**2 * 4.5), rel=1e-6)
    found.robot().save(tmp_path / "robot.toml")
    be.read_robot(tmp_path / "robot.toml").export("mujoco@4.0", tmp_path / "with.xml")
    model = mujoco.MjModel.from_xml_path(str(tmp_path / "with.xml"))
    data = mujoco.MjData(model)
    data.ctrl[0] = 0.1
    for _ in range(1000):
        mujoco.mj_step(model, data)
    assert data.qpos[0] == pytest.approx(0.1, abs=2e-3)


def test_task_and_model_have_to_move_alike(tmp_path):
    """Newtons are no newton metres: a joint that slides needs its slide, and one that turns has none."""
    pytest.importorskip("mujoco")
    with pytest.raises(ParameterError, match=r"joint 'lift' slides in .*give what brings them to the slide"):
        robot_task(tmp_path, "slide", None).cycles()
    with pytest.raises(ParameterError, match=r"joint 'lift' turns in .*: leave its slide out"):
        robot_task(tmp_path, "hinge", SCREW).cycles()


def test_a_robot_without_a_model_has_it_too():
    """The motor says how its joint moves."""
    robot = be.size(task(joints={"lift": LIFT}), [motor(ratio=2.0)]).robot()
    assert robot.actuators["lift"].motor.motion == "linear"


def test_a_sweep_has_the_units_of_the_slide(tmp_path):
    """Loads and motions in newtons and metres; what is found at the joint in kilograms."""
    (tmp_path / "lift.csv").write_text(ROWS + BACK)
    (tmp_path / "task.toml").write_text(TEXT)
    (tmp_path / "sweep.toml").write_text(
        'format = "backemf sweep 1"\nfunction = "size"\n[size]\ntask = "task.toml"\n[space.axes]\n'
        '"joints.z.lift.load.inertia" = ["5 kg", "6 kg"]\n"joints.z.lift.slide.radius" = ["10 mm"]\n'
    )
    asked = read_sweep_file(tmp_path / "sweep.toml")
    assert asked.space.axes["joints.z.lift.load.inertia"] == (5.0, 6.0)
    assert asked.space.axes["joints.z.lift.slide.radius"] == (0.01,)
    assert asked.swept.unit("z.lift.inertia") == "kg"


def test_a_linear_motor_is_no_candidate():
    """It is left out by name; the screw makes one of a motor that turns."""
    found = be.size(task(joints={"joint": LIFT}), [motor("turns", ratio=2.0), SCREW.motor(motor("slides"))])
    (out,) = found.only.left_out
    assert out.name == "slides" and "is a linear motor: tasks take motors that turn" in out.reason
