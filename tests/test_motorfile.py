"""Actuators in TOML files: the same actuator comes back, and what is wrong is said in one sentence."""

import re
from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf import motorfile

CONTROLLERS = [
    be.Voltage(),
    be.PositionPid(kp=10.0, ki=2.0, kd=0.1, integral_limit=3.0, freeze_at_limit=True),
    be.VelocityPi(kp=1.0, ki=0.5),
    be.TorquePid(kp=3.0, kd=0.2, follows="velocity", current_bandwidth=500.0),
    be.IdealPd(stiffness=40.0, damping=1.0),
    be.Torque(),
    be.DutyServo(kp=2.0, dead_band=0.01),
    be.ModeSelector(velocity=be.VelocityPi(kp=1.0)),
]
LIMITS = [
    be.DcClip(saturation_effort=3.0, velocity_limit=20.0, effort_limit=2.0),
    be.EffortRange(lowest=-1.0, highest=2.0),
    be.DriveEnvelope(max_effort=3.0, max_actuator_velocity=20.0, speed_effort_gradient=1.0),
    be.KneeCurve(driving_effort=1.0, braking_effort=2.0, knee_speed=3.0, no_load_speed=7.0),
    be.TorqueSpeedTable(speed=np.array([0.0, 1.0, 2.0]), driving=np.array([3.0, 2.0, 1.0]), braking=np.ones(3)),
    be.AngleTable(angle=np.array([-1.0, 0.0, 1.0]), effort=np.array([3.0, 2.0, 1.0])),
]


def whole_motor(**parts):
    """A motor with every kind of part."""
    given = {
        "winding": be.Winding(resistance=0.3, inductance=1e-4),
        "magnet": be.Magnet(
            torque_constant=0.05,
            back_emf_constant=0.06,
            temperature_coefficient=-0.001,
            iron_loss=1e-6,
            saturation=be.Saturation(knee_current=20.0, scale=0.02, torque=0.5),
        ),
        "rotor": be.Rotor(inertia=1e-5),
        "thermal": be.TwoNodeThermal(
            winding_resistance=1.0, winding_capacitance=20.0, housing_resistance=4.0, housing_capacitance=200.0
        ),
        "friction": be.LoadDependent(
            coulomb=0.01,
            stribeck=be.Stribeck(velocity=3.0, coulomb=0.005, load=be.LoadShare(drive=0.1, back=0.2)),
            load=be.LoadShare(drive=0.05, back=0.06),
            quadratic=be.QuadraticShare(drive=0.1, back=0.1),
        ),
        "drag": be.Drag(coefficients=(1e-5, 1e-7)),
        "cogging": be.Cogging(harmonics=(be.Harmonic(amplitude=0.01, periodicity=12.0, phase=0.3),)),
        "gearbox": be.Gearbox(stages=(be.Stage(ratio=-5.0, efficiency=0.9), be.Stage(ratio=3.0)), backlash=0.01),
        "limits": be.Limits(
            peak_current=30.0, continuous_current=8.0, current_rate=1e4, derating_start=80.0, derating_end=120.0
        ),
        "ratings": be.Ratings(voltage=24.0, current=6.0),
        "name": 'a "motor" with\nall parts',
    }
    return be.Motor(**(given | parts))


def comes_back(actuator: be.Actuator) -> bool:
    """Whether the same actuator is read from what is written of it, and the same text is written of that."""
    text = motorfile.dumps(actuator)
    again = motorfile.loads(text)
    return again == actuator and motorfile.dumps(again) == text


@pytest.mark.parametrize("controller", CONTROLLERS, ids=lambda c: type(c).__name__)
def test_every_controller_comes_back(controller):
    """A file holds every controller with its gains, and the motor with all its parts."""
    assert comes_back(be.Actuator(whole_motor(), be.Supply(voltage=24.0, resistance=0.1), controller=controller))


@pytest.mark.parametrize("limit", LIMITS, ids=lambda c: type(c).__name__)
def test_every_limit_comes_back(limit):
    """A file holds every torque limit, tables included."""
    actuator = be.Actuator(controller=be.Torque(), limits=(limit, be.EffortLimit(effort_limit=9.0)))
    assert comes_back(actuator)


@pytest.mark.parametrize(
    "friction",
    [
        be.Coulomb(coulomb=0.1),
        be.Dahl(coulomb=0.1, stiffness=3.0),
        be.LuGre(coulomb=0.1, stiction=0.2, stribeck_velocity=0.1, stiffness=50.0, stribeck_exponent=1.0),
    ],
    ids=lambda f: type(f).__name__,
)
def test_every_friction_comes_back(friction):
    """A file says which model of friction it holds."""
    assert comes_back(be.Actuator(whole_motor(friction=friction)))


@pytest.mark.parametrize(
    "delay",
    [
        be.Delay(steps=2),
        be.Delay(steps=(2, 5), schedule="period", period=10, hold_probability=0.1),
        be.Delay(seconds=(0.001, 0.004), per="joint", targets=("position",)),
        be.Delay(steps=(1.5, 2.5), schedule="step", reorder=True),
    ],
)
def test_every_delay_comes_back(delay):
    """A file holds a delay with its schedule."""
    assert comes_back(be.Actuator(controller=be.IdealPd(stiffness=1.0), delay=delay, limits=LIMITS[:1]))


@pytest.mark.parametrize("id", be.Datasheet.catalog())
def test_every_motor_of_the_catalogue_comes_back(id):
    """The motor of each datasheet that says enough is written and read."""
    sheet = be.Datasheet.load(id)
    try:
        motor = sheet.motor()
    except be.DatasheetError as error:
        assert "too few figures" in str(error)
        return
    assert comes_back(be.Actuator(motor, substeps=3, slew=2.0, command_range=(-1.0, 1.0), meter=False))


def test_a_file_is_loaded_like_a_datasheet(tmp_path):
    """`load` takes an id, a datasheet and a file of ours alike."""
    actuator = be.Actuator(whole_motor(), controller=be.Torque())
    be.save(actuator, tmp_path / "one.toml")
    assert be.load(tmp_path / "one.toml") == actuator
    assert be.load("mit-mini-cheetah").motor == be.Datasheet.load("mit-mini-cheetah").motor()


def test_the_joint_comes_back(tmp_path):
    """A file holds the inertia and friction of the joint itself; what is 0 is left out."""
    own = {"name": "knee", "armature": 0.01, "coulomb": 0.2, "stiction": 0.3, "viscous": 0.0}
    motorfile.save(be.Actuator(controller=be.Torque()), tmp_path / "one.toml", own)
    assert motorfile.load_with_joint(tmp_path / "one.toml")[1] == {k: v for k, v in own.items() if v}


GOOD = motorfile.dumps(be.Actuator(whole_motor(), controller=be.IdealPd(stiffness=40.0)))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("resistance = 0.3", "resistence = 0.3", "[motor.winding] resistence: there is no such field: did you mean"),
        ("resistance = 0.3", "resistance = -0.3", "[motor.winding]: Winding.resistance = -0.3"),
        ("resistance = 0.3", 'resistance = "a"', "[motor.winding]: Winding.resistance = 'a'"),
        ("resistance = 0.3", "resistance = nan", "Winding.resistance = nan"),
        ("resistance = 0.3", "", "[motor.winding]: Winding needs resistance"),
        ('kind = "IdealPd"', 'kind = "Ideal"', "[controller] kind = 'Ideal': must be one of"),
        ('kind = "IdealPd"', "", "[controller] has no kind: must be one of"),
        ('kind = "IdealPd"', 'kind = "Winding"', "[controller] kind = 'Winding': must be one of DutyServo"),
        ('kind = "LoadDependent"', 'kind = "Rotor"', "must be one of Coulomb, Dahl, LoadDependent, LuGre"),
        ('"backemf actuator 1"', '"backemf actuator 2"', "format = 'backemf actuator 2'"),
        ("resistance = 0.3", "resistance = ", "correct the TOML there"),
        ("resistance = 0.3", "resistance = 1979-05-27", "must be a number, a text or a table"),
        ("[motor.winding]", "[joint]\ncolour = 1\n[motor.winding]", "[joint] colour: there is no such field"),
        ("[motor.winding]", "[joint]\narmature = -1\n[motor.winding]", "[joint] armature = -1: must be a number, 0 or"),
        ("[motor.winding]", "[joint]\nname = 3\n[motor.winding]", "[joint] name = 3: must be a text"),
    ],
)
def test_what_is_wrong_is_said_in_one_sentence(old, new, words):
    """The file, the table, the field, the value and the remedy."""
    assert old in GOOD
    with pytest.raises(be.ParameterError, match=re.escape(words)) as error:
        motorfile.loads(GOOD.replace(old, new, 1), "one.toml")
    assert str(error.value).startswith("one.toml") and "\n" not in str(error.value)


def test_nesting_without_end_is_refused():
    """A hostile file ends in a sentence, not in a full stack."""
    with pytest.raises(be.ParameterError, match=r"nested too deeply|correct the TOML"):
        motorfile.loads(f'format = "{motorfile.FORMAT}"\nslew = ' + "[" * 5000 + "]" * 5000)


def test_networks_and_batches_have_no_place():
    """A file holds one motor with a formula."""
    many = be.Actuator(whole_motor(winding=be.Winding(resistance=np.array([0.1, 0.2]))))
    with pytest.raises(be.ParameterError, match="one file per motor"):
        motorfile.dumps(many)


def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path, monkeypatch):
    """A write that fails leaves the old file, and nothing beside it."""
    path = tmp_path / "one.toml"
    be.save(be.Actuator(controller=be.Torque()), path)
    before = path.read_text()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    with pytest.raises(be.ParameterError, match=r"one\.toml: cannot be written: No space left"):
        be.save(be.Actuator(controller=be.Torque(), slew=3.0), path)
    assert path.read_text() == before and list(tmp_path.iterdir()) == [path]


def test_a_folder_that_is_not_there_is_said(tmp_path):
    """The path is in the sentence."""
    with pytest.raises(be.ParameterError, match="cannot be written"):
        be.save(be.Actuator(controller=be.Torque()), Path(tmp_path) / "no" / "one.toml")


def test_a_motor_is_saved_as_an_actuator_on_a_voltage(tmp_path):
    motor = be.load("maxon-re40-148877").motor
    be.save(motor, tmp_path / "motor.toml")
    assert be.load(tmp_path / "motor.toml") == be.Actuator(motor)
    with pytest.raises(be.ParameterError, match="must be an Actuator or a Motor"):
        be.save("maxon-re40-148877", tmp_path / "motor.toml")
