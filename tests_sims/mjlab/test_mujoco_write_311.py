"""What is written for MuJoCo 3.11 runs in it as it says, and as ours where it can; the same on a live MjSpec."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from dcmotor_rig import VERSION, mujoco, same_rows
from mujoco_write_rig import DT, any_actuator, in_mujoco, law_torques, matching_actuator, motion, off, ours
from test_mujoco_attach import (  # noqa: F401  the same facts, in this version
    test_a_gear_of_mujocos_is_ours,
    test_attach_refuses_in_one_sentence,
    test_attached_is_what_is_written,
    test_attached_play_is_what_is_written,
    test_free_travel_is_the_backlash,
    test_play_is_read_back,
    test_read_refuses_in_one_sentence,
    test_reads_plain_actuators,
    test_the_law_of_plain_actuators_is_mujocos,
)

from backemf.actuator.controllers import Torque
from backemf.sims.mujoco import DcMotor, read_actuator, write

pytestmark = pytest.mark.skipif(
    VERSION != "3.11", reason="compares with MuJoCo 3.11, the last with controllers in volts"
)
COUNT = 60


@pytest.mark.parametrize("seed", range(COUNT))
def test_compiles_into_the_rows_it_names(seed: int):
    """The model compiles, and its rows are those of `DcMotor.from_attributes(**written.attributes)`."""
    written = write(any_actuator(seed), "knee", version=VERSION, timestep=DT)
    model = mujoco.MjModel.from_xml_string(written.text)
    assert same_rows(DcMotor.from_attributes(version=VERSION, **written.attributes), model)


@pytest.mark.parametrize("seed", range(COUNT))
def test_the_law_that_is_read_is_mujocos(seed: int):
    """Along an imposed motion, actuator and passive forces are those of `read_actuator(text).law()`."""
    actuator = any_actuator(seed)
    if isinstance(actuator.controller, Torque):
        # the voltage that a host commands for a torque is that of the speed at which it does
        actuator = replace(actuator, delay=None)
    written = write(actuator, "knee", version=VERSION, timestep=DT)
    on_joint = read_actuator(written.text, version=VERSION)
    position, velocity, commands = motion(actuator, seed)
    law = replace(on_joint, coulomb=0.0).law()
    theirs = in_mujoco(written.text, on_joint, position, velocity, commands)
    assert off(law_torques(law, position, velocity, commands), theirs) < 1e-12


@pytest.mark.parametrize("seed", range(COUNT))
def test_moves_as_ours_where_mujoco_lacks_nothing(seed: int):
    """With nothing that MuJoCo 3.11 lacks, its torque is that of our own actuator."""
    actuator = matching_actuator(seed, in_volts=True)
    written = write(actuator, "knee", version=VERSION, timestep=DT)
    position, velocity, commands = motion(actuator, seed)
    theirs = in_mujoco(written.text, read_actuator(written.text, version=VERSION), position, velocity, commands)
    assert off(ours(actuator, position, velocity, commands), theirs) < 1e-9
