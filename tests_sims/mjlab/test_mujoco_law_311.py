"""Our `DcMotor` of version 3.11 is MuJoCo 3.11's own: the same rows, refusals, states, forces and slopes."""

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from dcmotor_rig import (
    VERSION,
    apart,
    attribute_sets,
    compile_motor,
    features,
    motors,
    mujoco,
    one_hinge,
    same_rows,
    slopes_apart,
)

from backemf.errors import ParameterError
from backemf.sims.mujoco import DcMotor
from backemf.sims.mujoco.reading import fields_from_file

pytestmark = pytest.mark.skipif(
    VERSION != "3.11", reason="compares with MuJoCo 3.11, the last with controllers in volts"
)
INPUTS = ["voltage", "position", "velocity"]
TOLERANCE = 1e-12


@pytest.mark.parametrize("inputs", INPUTS)
def test_same_motion_act_and_force(inputs: str):
    """Random motors with every combination of states turn the same hinge the same way for 300 steps."""
    for seed, states in enumerate(4 * features(inputs)):
        worst = apart(motors(inputs, states, 3000 + seed))
        assert max(worst.values()) < TOLERANCE, (states, worst)


@pytest.mark.parametrize("inputs", INPUTS)
def test_same_slope(inputs: str):
    """d(force)/d(velocity) is what MuJoCo's implicit integrator takes: cold copper, nothing at the force range."""
    still = []
    for seed, states in enumerate(features(inputs)):
        worst, share = slopes_apart(motors(inputs, states, 4000 + seed))
        assert worst < TOLERANCE, states
        still.append(share)
    assert 0.0 < np.mean(still) < 0.5, "limits should act at times"


def test_accepts_and_refuses_what_mujoco_does():
    """The same attribute sets are taken, with the same rows, and the same are refused."""
    taken = refused = 0
    for words in attribute_sets():
        model = compile_motor(words)
        if model is None:
            refused += 1
            with pytest.raises(ParameterError):
                DcMotor.from_attributes(version="3.11", **words)
        else:
            taken += 1
            assert same_rows(DcMotor.from_attributes(version="3.11", **words), model), words
    assert taken > 50 and refused > 50


FULL = (
    'motorconst=".3 .2" resistance="2" saturation="0 3 5" thermal="2 3 0 .1 20 25" lugre="10 1 2 3 4" cogging="1 2 3" '
    'controller="1 2 3 4 5 6" input="position" inductance="1e-3" ctrlrange="-1 1" damping="1 2 3" armature=".2"'
)


def test_reads_default_classes():
    """Numbers of a class are laid under those of the motor, by MuJoCo and by our own reading alike."""
    nested = f'<default><dcmotor {FULL}/><default class="a"><dcmotor thermal="7 4" controller="9"/></default></default>'
    text = one_hinge('<dcmotor name="m" joint="j" class="a" resistance="4" inductance="2e-3"/>', nested)
    model = mujoco.MjModel.from_xml_string(text)
    assert same_rows(DcMotor.read(text, version="3.11"), model)
    assert same_rows(DcMotor(**fields_from_file(text, "m", "3.11")), model)


def test_reads_a_general_that_is_a_dcmotor():
    """What `MjSpec.to_xml` makes of a dcmotor is the same motor."""
    spec = mujoco.MjSpec.from_string(one_hinge(f'<dcmotor name="m" joint="j" {FULL}/>'))
    spec.compile()
    written = spec.to_xml()
    assert "<general" in written and "<dcmotor" not in written
    assert same_rows(DcMotor.read(written, version="3.11"), mujoco.MjModel.from_xml_string(written))


def test_reads_models_of_the_other_generation():
    """A file for 4.0 is read though MuJoCo 3.11 is installed, which refuses it."""
    text = one_hinge(f'<dcmotor name="m" joint="j" {FULL.replace("position", "pos vel")}/>')
    with pytest.raises(ValueError):
        mujoco.MjModel.from_xml_string(text)
    motor = DcMotor.read(text, version="4.0")
    assert motor.inputs == ("pos", "vel") and motor.gainprm[8] == 0.0 and motor.lowest_ctrl == (-1.0, -1.0)


def test_stateless_voltage_passes_its_limit():
    """The torque of a plain voltage does not know the voltage limit; its heat does."""
    words = {"motorconst": 0.05, "resistance": 1.2, "thermal": (2, 3), "controller": (0, 0, 0, 0, 0, 12)}
    motor = DcMotor.from_attributes(version="3.11", **words)
    state, force = motor.step(motor.initial(), 24.0, 0.0, 0.0, 1e-3)
    assert force == pytest.approx(0.05 * 24.0 / 1.2) and state.temperature == pytest.approx(1e-3 * 12.0**2 / 1.2 / 3)
