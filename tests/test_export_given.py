"""What `export` takes: every entry of the catalogue in every form, for every simulator, or one sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import backemf as be
from backemf import catalog
from backemf.motorfile import dumps
from backemf.sims.on_joint import OnJoint
from backemf.transfer import NAMES, export

CHEETAH = "mit-mini-cheetah"


@pytest.fixture(scope="module")
def sheets() -> dict[str, be.Datasheet]:
    """Every datasheet of the catalogue."""
    return {name: be.Datasheet.load(name) for name in catalog.ids()}


@pytest.fixture(scope="module")
def actuators(sheets) -> dict[str, be.Actuator]:
    """Every entry that has enough figures, as `load` gives it."""
    return {name: be.load(name) for name, sheet in sheets.items() if sheet.says != "too little"}


def is_rated(actuator: be.Actuator) -> bool:
    """Whether the maker says at which voltage the motor runs, or the figures are limits without a winding."""
    motor = actuator.motor
    return motor is None or (motor.ratings is not None and motor.ratings.voltage is not None)


@pytest.mark.parametrize("to", NAMES)
def test_every_entry_that_is_loaded_can_be_written(to, sheets, actuators):
    """`export(load(id))` for the whole catalogue: a text that is read back with the limits or the motor in it.

    What has no nominal voltage says so, and is written with a supply; what has too few figures cannot be loaded.
    """
    if to in ("newton", "physx"):
        pytest.importorskip("pxr")
    unrated, too_little = 0, 0
    for name, sheet in sheets.items():
        if sheet.says == "too little":
            too_little += 1
            with pytest.raises(be.DatasheetError, match=f"^{name}.toml: too few figures"):
                export(name, to, compare=False)
            continue
        actuator, more = actuators[name], {}
        if not is_rated(actuator):
            unrated += 1
            sentence = f"{sheet.name}|{name}|the motor"
            with pytest.raises(be.ParameterError, match="no nominal voltage is known: give the supply") as caught:
                export(actuator, to, compare=False)
            assert any(str(caught.value).startswith(part) for part in sentence.split("|"))
            more = {"supply": 24.0}
        found = export(actuator, to, "knee", compare=False, **more)
        assert found.text, name
        assert found.on_joint.actuator.motor is not None or found.on_joint.actuator.limits, name
        assert found.scale.torque > 0.0, name
        by = {loss.phenomenon: loss for loss in found.statuses}
        volts = isinstance(actuator.controller, be.Voltage)
        if volts and not to.startswith("mujoco"):
            assert by["controller"].status == "dropped", name
    assert too_little == sum(sheet.says == "too little" for sheet in sheets.values()) > 0
    assert unrated > 5


def test_an_id_a_sheet_and_a_motor_are_the_same(sheets, actuators):
    """The text for a catalogue id is that for its datasheet, and where it has a motor that for its motor."""
    known = [name for name, actuator in actuators.items() if is_rated(actuator)]
    for k, name in enumerate(known[::3]):
        sheet = sheets[name]
        to = ("mujoco@4.0", "mjlab", "isaaclab", "webots")[k % 4]
        text = export(name, to, compare=False).text
        assert export(sheet, to, compare=False).text == text
        if actuators[name].motor is not None:
            assert export(sheet.motor(), to, compare=False).text == text


def test_a_file_and_an_actuator_of_a_joint(tmp_path):
    """A motor file of an actuator is the actuator; an `OnJoint` brings what belongs to the joint."""
    actuator = be.Actuator(be.Datasheet.load(CHEETAH).motor(), controller=be.IdealPd(stiffness=20.0, damping=0.5))
    path = tmp_path / "knee.toml"
    path.write_text(dumps(actuator))
    expected = export(actuator, "mjlab", compare=False).text
    for thing in (path, str(path)):
        assert export(thing, "mjlab", compare=False).text == expected
    heavy = export(OnJoint(actuator=actuator, armature=0.01), "mjlab", compare=False).on_joint.armature
    assert heavy == pytest.approx(0.01 + float(actuator.motor.armature), rel=1e-5)


def test_volts_that_have_no_way_are_told():
    """A motor in volts: MuJoCo takes the volts; a PD of another simulator is commanded in torque, and says so."""
    actuator = be.load(CHEETAH)
    kept = {loss.phenomenon: loss.status for loss in export(actuator, "mujoco@4.0", compare=False).statuses}
    assert kept["controller"] == "kept"
    found = export(actuator, "mjlab", compare=False)
    (loss,) = [loss for loss in found.losses if loss.phenomenon == "controller"]
    assert loss.status == "dropped"
    assert "takes no volts" in loss.note
    assert found.text == export(CHEETAH, "mjlab", compare=False).text
    with pytest.raises(be.ParameterError, match="cannot represent controller"):
        export(actuator, "mjlab", compare=False, strict=True)
    with pytest.raises(be.ParameterError, match="stiffness and damping are not known"):
        slow = be.Actuator(actuator.motor, controller=be.Voltage(), slew=3.0)
        export(slow, "mjlab", compare=False)
    servo = export(be.Actuator(actuator.motor, controller=be.PositionPid(kp=3.0)), "mjlab", compare=False)
    (loss,) = [loss for loss in servo.losses if loss.phenomenon == "controller"]
    assert loss.status == "approximated" and "gains in torque, with the damping of the back-EMF" in loss.note
    with pytest.raises(be.ParameterError, match="kind = 'servo'"):
        export(actuator, "mjlab", compare=False, kind="servo")


def test_volts_are_compared_as_they_are_written():
    """The motor beside the simulator's law is asked for the same torque: no error but that of the straight line."""
    found = export(be.load(CHEETAH), "mjlab")
    same = export(CHEETAH, "mjlab")
    assert [error.rms for error in found.errors[:4]] == [error.rms for error in same.errors[:4]]


WRONG = {
    "dict": {"winding": 1.0},
    "float": 3.0,
    "int": 3,
    "bool": True,
    "NoneType": None,
    "the class Motor": be.Motor,
    "the class Datasheet": be.Datasheet,
    "list": [be.Torque()],
    "tuple": (CHEETAH,),
    "bytes": b"x",
    "function": be.load,
    "Supply": be.Supply(voltage=3.0),
    "ndarray": np.zeros((40, 3)),
    "'mit-mini-cheeta' is neither in the catalogue nor a file, did you mean mit-mini-cheetah": "mit-mini-cheeta",
    "'' is neither in the catalogue nor a file": "",
    "'.' is neither in the catalogue nor a file|it is a folder": ".",
    "'nowhere.toml' is neither in the catalogue nor a file": Path("nowhere.toml"),
    r"'a\nb' is neither in the catalogue nor a file": "a\nb",
    r"'\x00' is neither in the catalogue nor a file": "\0",
    "'xxxx": 5000 * "x",
}


@pytest.mark.parametrize("sentence", WRONG)
def test_a_wrong_object_is_one_sentence(sentence):
    """What it is and what is accepted, in one line of readable length."""
    with pytest.raises(be.BackemfError) as caught:
        export(WRONG[sentence], "mjlab", compare=False)
    told = str(caught.value)
    assert any(part in told for part in sentence.split("|")), told
    assert "\n" not in told
    assert len(told) < 400
    if "it is a folder" not in told:
        assert "a catalogue id, the path of a TOML file, a Datasheet, a Motor, an Actuator or an OnJoint" in told


def test_a_whole_actuator_from_the_command_line():
    """`--kind backemf` with a controller: the whole actuator in the file, with the current behind the torque in it."""
    pytest.importorskip("pxr")
    from typer.testing import CliRunner

    from backemf.cli.app import app

    words = ["export", CHEETAH, "--to", "newton", "--kind", "backemf", "--json"]
    gains = ["--controller", "ideal-pd stiffness=40N*m/rad damping=1N*m*s/rad"]
    found = CliRunner().invoke(app, [*words, *gains])
    assert found.exit_code == 0, found.output
    assert "BackemfControlAPI" in found.stdout
    assert "IdealPd" in found.stdout
    for effort in ("peak", "continuous"):
        held = export("maxon-re40-148867", "newton", kind="backemf", effort=effort, compare=False).on_joint.actuator
        assert (held.motor.limits is not None) == (effort == "continuous")
