"""Rigs: what a log was taken on and how well that is known, in Python and in TOML."""

import copy
import math
import os
import pickle
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf.errors import ParameterError, UnitError
from backemf.identify import Known, MeasuredMotion, RobotModel, Sensor, ServoRegisters
from backemf.identify.known import parse_known, write_known

DATA = Path(os.environ.get("BACKEMF_DATA", Path(__file__).parents[2] / "shared" / "data"))
RIGS = Path(__file__).parent / "data" / "rigs"
TIME = np.linspace(0.0, 1.0, 101)
SWING = be.Log.from_arrays(TIME, {"position": np.sin(3.0 * TIME)}, meta={"kp": 400, "mass": 0.5, "motor": "xl330"})
HEAD = 'format = "backemf rig 1"\n'
LOCKED = HEAD + '[load]\nkind = "LockedRotor"\n'


# --- quantities and their spreads

TEXTS = [
    ("0.49 kg +- 1 %", "kg", Known(0.49, 0.01, True)),
    ("0.49 kg ± 0.005 kg", "kg", Known(0.49, 0.005)),
    ("490 g +/- 5 g", "kg", Known(0.49, 0.005)),
    ("0.1 m", "m", Known(0.1)),
    ("90 deg ± 1 deg", "rad", Known(math.pi / 2, math.pi / 180)),
    ("25 degC +- 2 K", "degC", Known(25.0, 2.0)),
    ("0 deg +- 2 deg", "rad", Known(0.0, math.radians(2.0))),
    ("log.kp", "1", Known(1.0, note="kp")),
    ("log.mass kg +- 1 %", "kg", Known(1.0, 0.01, True, "mass")),
    ("log.mass * 1 g", "kg", Known(1e-3, note="mass")),
    ("log.kp * 0.166 1/rad +- 50 %", "1/rad", Known(0.166, 0.5, True, "kp")),
    (0.97, "1", Known(0.97)),
]


@pytest.mark.parametrize(("text", "unit", "known"), TEXTS, ids=[str(row[0]) for row in TEXTS])
def test_a_quantity_is_read_and_written(text, unit, known):
    """In SI, and to the last bit after writing."""
    found = parse_known(text, unit)
    assert found.value == pytest.approx(known.value, rel=1e-15) and found.spread == pytest.approx(
        known.spread, rel=1e-15
    )
    assert (found.relative, found.note) == (known.relative, known.note)
    assert parse_known(write_known(found, unit), unit) == found


@pytest.mark.parametrize("share", [0.01, 1 / 3, 1.0, 0.123456789012345, 2.5e-7])
def test_any_spread_is_written_exactly(share):
    known = Known(0.1, share, True)
    assert parse_known(write_known(known, "kg"), "kg") == known
    assert parse_known(write_known(replace(known, relative=False), "kg"), "kg") == replace(known, relative=False)


BAD_TEXTS = [
    ("0.49", "kg", "has no unit"),
    (0.49, "kg", "has no unit"),
    (0.1, "rad", "has no unit"),
    ("90", "rad", "has no unit"),
    ("0.49 V", "kg", "is a voltage"),
    ("0.49 kg +- 1 V", "kg", "its spread"),
    ("0.49 kg +- 0.01", "kg", "its spread"),
    ("0.49 kg +- 0 %", "kg", "must be above 0"),
    ("0.49 kg +- -1 %", "kg", "must be above 0"),
    ("0.49 kg +- 1 % +- 1 g", "kg", "has two spreads"),
    ("0 kg +- 1 %", "kg", "a share of 0 is 0"),
    ("log.mass", "kg", '"log.mass" has no unit: write it behind the note, as "log.mass kg"'),
    ("log.mass V", "kg", "is a voltage"),
    (True, "1", "is not a quantity"),
    ([1], "kg", "is not a quantity"),
    ("inf kg", "kg", "finite"),
]


@pytest.mark.parametrize(("text", "unit", "said"), BAD_TEXTS, ids=[str(row[0]) for row in BAD_TEXTS])
def test_a_bad_quantity_is_one_sentence(text, unit, said):
    with pytest.raises(UnitError, match=said):
        parse_known(text, unit)


# --- rigs in Python


def test_a_rig_of_plain_parts():
    """Spreads by name; what has none is taken as it stands."""
    pendulum = be.Pendulum(mass=0.49, length=0.1)
    rig = be.Rig(
        pendulum,
        firmware=be.DutyServo(kp=2.0),
        supply=be.Supply(voltage=7.4),
        sensors={"velocity": Sensor(lag=0.02, quantisation=0.024)},
        spreads={"load.mass": "1 %", "load.length": "1 mm", "sensors.velocity.lag": "5 ms"},
    )
    assert rig.load_for(SWING) == pendulum and rig.firmware_for(SWING) == be.DutyServo(kp=2.0)
    assert rig.spread_for(SWING) == pytest.approx(
        {"load.mass": 0.0049, "load.length": 1e-3, "sensors.velocity.lag": 5e-3}
    )
    assert rig.known["load.mass"] == Known(0.49, 0.01, True) and rig.known["supply.voltage"] == Known(7.4)
    assert rig.sensor_for("velocity").lag == 0.02 and rig.sensor_for("position") == Sensor()
    assert be.Rig.parse(rig.text()) == rig
    assert copy.deepcopy(rig) == rig and pickle.loads(pickle.dumps(rig)) == rig


def test_the_actuator_of_a_log_has_the_firmware_and_supply_of_the_rig():
    prior = be.Actuator(be.Datasheet.load("dynamixel-xl330-m288").motor(), be.Supply(voltage=5.0))
    rig = be.Rig(
        be.LockedRotor(), firmware=ServoRegisters(servo="dynamixel xl330-m288", position_p_gain=400),
        supply=be.Supply(voltage=7.3),
    )  # fmt: skip
    made = rig.actuator_for(prior, SWING)
    assert made.controller == be.DutyServo.dynamixel("xl330-m288", 400) and made.supply.voltage == 7.3
    assert be.Rig(be.LockedRotor()).actuator_for(prior, SWING) == prior


@pytest.mark.parametrize(
    "kind", ["Inertia", "ConstantTorque", "Pendulum", "Fan", "TwoMass", "LockedRotor", "PrescribedMotion"]
)
def test_every_load_of_the_project_can_be_written(kind):
    loads = {
        "Inertia": be.Inertia(1e-4, damping=1e-3),
        "ConstantTorque": be.ConstantTorque(torque=-0.1),
        "Pendulum": be.Pendulum(mass=0.5, length=0.1, offset=0.1),
        "Fan": be.Fan(coefficient=1e-6),
        "TwoMass": be.TwoMass(inertia=1e-4, far_inertia=1e-3, stiffness=20.0, backlash=0.01),
        "LockedRotor": be.LockedRotor(),
        "PrescribedMotion": be.PrescribedMotion(time=[0.0, 0.1, 1.0], position=[0.0, 1 / 3, 1.0]),
    }
    rig = be.Rig(loads[kind])
    assert be.Rig.parse(rig.text()).load_for(SWING) == loads[kind]


def test_measured_motion_moves_as_the_log():
    """With positions these, with velocities alone the way since the start: 2·t for 2 rad/s."""
    rig = be.Rig(MeasuredMotion())
    moved = rig.load_for(SWING)
    np.testing.assert_array_equal(moved.position, SWING["position"])
    way = rig.load_for(be.Log.from_arrays(TIME, {"velocity": np.full(101, 2.0)}))
    np.testing.assert_allclose(way.position, 2.0 * TIME, atol=1e-12)
    with pytest.raises(ParameterError, match="no channel 'position'"):
        rig.load_for(be.Log.from_arrays(TIME, {"current": TIME}))


def test_a_rig_is_one_line_and_a_table():
    rig = be.Rig(be.Pendulum(mass=0.49, length=0.1), sensors={"velocity": Sensor(lag=0.02)}, name="swing")
    assert repr(rig) == "Rig(swing: Pendulum, sensors of velocity)"
    assert "load.mass" in rig._repr_html_() and "0.49" in rig._repr_html_()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ({"load": 3}, "Rig.load = 3: must be one of Inertia"),
        ({"load": be.Supply(voltage=1.0)}, r"Rig.load = Supply\(...\)"),
        ({"firmware": be.Inertia(1.0)}, "Rig.firmware"),
        ({"sensors": {"speed": Sensor()}}, "'speed' is not a channel"),
        ({"sensors": {"velocity": 3}}, "Rig.sensors.velocity = 3"),
        ({"spreads": {"load.mas": "1 %"}}, "no quantity 'load.mas': did you mean load.mass"),
        ({"spreads": {"load.mass": "1 V"}}, "load.mass = '1 V'"),
        ({"load": be.Inertia(np.array([1.0, 2.0]))}, "a rig holds one number"),
    ],
)
def test_a_bad_rig_is_one_sentence(words, said):
    with pytest.raises(ParameterError, match=said):
        be.Rig(**{"load": be.Pendulum(mass=0.49, length=0.1)} | words)


# --- notes of the log


def test_gains_and_masses_follow_the_notes_of_a_log():
    text = LOCKED.replace("LockedRotor", "Pendulum") + 'mass = "log.mass kg +- 2 %"\nlength = "10 cm"\n'
    text += '[firmware]\nkind = "DutyServo"\nkp = "log.kp * 0.003 1/rad"\n'
    rig = be.Rig.parse(text)
    assert rig.notes == ("mass", "kp")
    assert rig.load_for(SWING) == be.Pendulum(mass=0.5, length=0.1)
    assert rig.firmware_for(SWING).kp == pytest.approx(1.2)
    assert rig.spread_for(SWING) == {"load.mass": pytest.approx(0.01)}
    assert rig.firmware_for(SWING.with_meta(kp=800)).kp == pytest.approx(2.4)
    with pytest.raises(ParameterError, match=r"\[firmware\] kp: the log has no note 'kp', which the rig refers to"):
        rig.firmware_for(be.Log.from_arrays(TIME, {"position": TIME}))
    with pytest.raises(ParameterError, match="note kp = 'high': must be a number"):
        rig.firmware_for(SWING.with_meta(kp="high"))
    with pytest.raises(ParameterError, match=r"\[load\]: Pendulum.mass = -1"):
        rig.load_for(SWING.with_meta(mass=-1))


# --- files


@pytest.mark.parametrize("path", sorted(RIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_the_rigs_of_the_real_logs_read_back_as_the_same(path, tmp_path):
    rig = be.Rig.read(path)
    assert be.Rig.read(rig.save(tmp_path / "rig.toml")) == rig
    assert be.Rig.read(tmp_path / "rig.toml").text() == rig.text()


def test_sensors_are_in_the_units_of_their_channels():
    rig = be.Rig.read(RIGS / "xl330_pendulum.toml")
    assert rig.sensor_for("velocity").quantisation == pytest.approx(0.229 * math.pi / 30)
    assert rig.sensor_for("position").quantisation == pytest.approx(2 * math.pi / 4096)
    heat = be.Rig.parse(
        LOCKED + '[sensors.winding_temperature]\nbias = "1 K +- 1 K"\ntime_constant = "1.5 s +- 50 %"\n'
    )
    assert heat.sensor_for("winding_temperature") == Sensor(bias=1.0, time_constant=1.5)


BAD_FILES = [
    ("", 'format = None: must be "backemf rig 1"'),
    ('format = "backemf actuator 1"', "must be"),
    (HEAD, r"has no \[load\]"),
    (HEAD + "[load", "correct the TOML there"),
    (HEAD + '[load]\nkind = "Pendulm"', r"\[load\] kind = 'Pendulm': did you mean Pendulum"),
    (HEAD + "[load]\nmass = 3", r"\[load\] has no kind"),
    (HEAD + '[load]\nkind = "Pendulum"\nmass = "1 kg"', r"\[load\]: Pendulum needs length"),
    (HEAD + '[load]\nkind = "Pendulum"\nmas = "1 kg"', r"\[load\] mas: there is no such field: did you mean mass"),
    (HEAD + '[load]\nkind = "Pendulum"\nmass = "1 V"\nlength = "1 m"', r"\[load\] mass: .* is a voltage"),
    (HEAD + '[load]\nkind = "Pendulum"\nmass = "-1 kg"\nlength = "1 m"', r"\[load\]: Pendulum.mass = -1"),
    (HEAD + "load = 3", r"load = 3: must be a table"),
    (LOCKED + '[lod]\na = 1', "lod: there is no such table: did you mean load"),
    (LOCKED + '[sensors.speed]\nlag = "1 ms"', r"\[sensors\] speed: there is no such channel"),
    (LOCKED + '[sensors.velocity]\nlagg = "1 ms"', r"velocity\] lagg: there is no such field: did you mean lag"),
    (LOCKED + '[sensors.velocity]\nbias = "1 deg"', r"\[sensors.velocity\] bias"),
    (LOCKED + '[sensors]\nvelocity = 3', r"\[sensors\] velocity = 3: must be a table"),
    (LOCKED + '[firmware]\nkind = "LearnedMlp"', r"\[firmware\] kind = 'LearnedMlp'"),
    (LOCKED + '[firmware]\nkind = "DutyServo"\nkp = "2 1/rad"\nfreeze_at_limit = 3', "must be true or false"),
    (LOCKED + '[firmware]\nkind = "ServoRegisters"\nservo = "xl330"', "must be dynamixel or feetech and a model"),
    (LOCKED + '[supply]\nvoltag = "5 V"', r"\[supply\] voltag: there is no such field: did you mean voltage"),
    (LOCKED + 'name = 3', r"\[load\] name"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "said"), BAD_FILES, ids=[said for _, said in BAD_FILES])
def test_a_bad_file_is_one_sentence(text, said, tmp_path):
    path = tmp_path / "rig.toml"
    path.write_text(text)
    with pytest.raises(ParameterError, match=said) as caught:
        be.Rig.read(path)
    assert str(caught.value).startswith(str(path)) and "\n" not in str(caught.value)


def test_registers_that_a_servo_does_not_have_are_one_sentence():
    rig = be.Rig(be.LockedRotor(), firmware=ServoRegisters(servo="feetech sts3215", position_d_gain=3))
    with pytest.raises(ParameterError, match="a feetech takes position_p_gain and current_limit"):
        rig.firmware_for(SWING)


# --- robots

PENDULUM = """<mujoco><worldbody><body name="base" pos="0 0 1">
<freejoint/><inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>
<geom type="mesh" mesh="gone"/>
<body name="arm"><joint name="hip" axis="0 1 0" armature="0.3" damping="2" frictionloss="1"/>
<inertial pos="0 0 -0.4" mass="0.7" diaginertia="0.01 0.02 0.03"/>
<body name="shin" pos="0 0 -0.8"><joint name="knee" axis="0 1 0" armature="0.1" stiffness="5"/>
<inertial pos="0 0 -0.3" mass="{shin}" diaginertia="0.01 0.02 0.03"/></body></body></body></worldbody>
<asset><mesh name="gone" file="gone.obj"/></asset></mujoco>"""
BOTH = be.Log.from_arrays(
    TIME, {"position": np.stack([np.sin(3 * TIME), 0.5 * np.cos(5 * TIME)], axis=1)}, joints=("hip", "knee")
)


def robot(tmp_path: Path, shin: float = 0.5) -> Path:
    path = tmp_path / "robot.xml"
    path.write_text(PENDULUM.format(shin=shin))
    return path


def test_the_mass_matrix_and_bias_of_one_joint_are_those_of_a_pendulum(tmp_path):
    """m·l² + I and m·g·l·sin(q): a light shin is held, the base hangs, no armature, and the mesh is not there."""
    robot(tmp_path, shin=1e-9)
    rig = replace(be.Rig(RobotModel(model="robot.xml", joints=("hip",))), folder=tmp_path)
    moved = rig.load_for(SWING)
    np.testing.assert_allclose(moved.inertia[:, 0, 0], 0.7 * 0.4**2 + 0.02 + 0.02, rtol=1e-6)
    # position 0 hangs; gravity is that of MuJoCo, 9.81 m/s²
    np.testing.assert_allclose(moved.bias[:, 0], 0.7 * 9.81 * 0.4 * np.sin(SWING["position"]), atol=1e-6)


def test_the_terms_of_two_joints_are_those_of_the_inverse_dynamics(tmp_path):
    """inertia·q'' + bias against MuJoCo's own mj_inverse without what belongs to the motors, on a fixed base."""
    mujoco = pytest.importorskip("mujoco")
    text = PENDULUM.format(shin=0.5).replace("<freejoint/>", "").replace('<geom type="mesh" mesh="gone"/>', "")
    for word in ('armature="0.3" damping="2" frictionloss="1"', 'armature="0.1" stiffness="5"'):
        text = text.replace(word, "")
    text = text.replace('<asset><mesh name="gone" file="gone.obj"/></asset>', "")
    model = mujoco.MjModel.from_xml_string(text)
    data = mujoco.MjData(model)
    moved = replace(be.Rig(RobotModel(model=str(robot(tmp_path))))).load_for(BOTH)
    speeding = np.random.default_rng(0).normal(size=moved.position.shape)
    for row in range(0, 101, 10):
        data.qpos[:], data.qvel[:], data.qacc[:] = moved.position[row], moved.velocity[row], speeding[row]
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(moved.inertia[row] @ speeding[row] + moved.bias[row], data.qfrc_inverse, atol=1e-9)
    np.testing.assert_allclose(moved.velocity[5:-5, 0], 3 * np.cos(3 * TIME[5:-5]), atol=0.02)


def test_a_bad_robot_is_one_sentence(tmp_path):
    path = str(robot(tmp_path))
    bare = tmp_path / "bare.xml"
    bare.write_text(PENDULUM.format(shin=1).replace('<inertial pos="0 0 0" mass="5" diaginertia="1 1 1"/>', ""))
    for part, said in (
        (RobotModel(model=path, joints=("hip",)), "names 1 joints, and the log has 2"),
        (RobotModel(model=path, joints=("hip", "nee")), "has no joint 'nee': did you mean knee"),
        (RobotModel(model=str(tmp_path / "none.xml")), "no such file"),
        (RobotModel(model=str(bare)), "the mass of the body 'base' comes from a mesh"),
    ):
        with pytest.raises(ParameterError, match=said):
            be.Rig(part).load_for(BOTH)
    (tmp_path / "bad.xml").write_text("<mujoco><joint/></mujoco>")
    with pytest.raises(ParameterError, match="MuJoCo cannot read the model") as caught:
        be.Rig(RobotModel(model=str(tmp_path / "bad.xml"))).load_for(BOTH)
    assert "\n" not in str(caught.value)


# --- real measurements


@pytest.mark.skipif(
    not (DATA / "go2_in_air").is_dir(),
    reason="needs go2_in_air of the shared measurements: BACKEMF_DATA names their folder",
)
def test_the_go2_hangs_in_the_air():
    """Twelve joints; the left and the right hip carry the same weight in opposite directions while the robot stands."""
    rig = replace(be.Rig.read(RIGS / "go2_in_air.toml"), folder=DATA / "go2_in_air")
    moved = rig.load_for(be.read_log(DATA / "go2_in_air" / "first_half.npz").slice(t1=0.5))
    assert moved.inertia.shape[1:] == (12, 12)
    np.testing.assert_allclose(moved.inertia, np.swapaxes(moved.inertia, 1, 2), atol=1e-12)
    assert np.linalg.eigvalsh(moved.inertia).min() > 1e-3
    assert moved.bias[0, 0] == pytest.approx(-moved.bias[0, 3], rel=0.02)


@pytest.mark.skipif(
    not (DATA / "xl330_pendulum").is_dir(),
    reason="needs xl330_pendulum of the shared measurements: BACKEMF_DATA names their folder",
)
def test_the_firmware_of_the_pendulum_follows_the_gain_of_each_log():
    rig = be.Rig.read(RIGS / "xl330_pendulum.toml")
    for path in sorted((DATA / "xl330_pendulum").glob("*.json")):
        log = be.read_log(path)
        assert rig.firmware_for(log).kp == pytest.approx(log.meta["kp"] * 4096 / (2 * math.pi * 256 * 885))
        assert rig.load_for(log).mass == 0.49
