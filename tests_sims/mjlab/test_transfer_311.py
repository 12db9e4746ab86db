"""Models written for MuJoCo 3.11 behave in it as the loss report says."""

import sys
from pathlib import Path

import mujoco
import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from transfer_rig import ACTUATORS, errors_in_mujoco

from backemf.transfer import export

pytestmark = pytest.mark.skipif(
    not mujoco.__version__.startswith("3.11"), reason="compares with MuJoCo 3.11, the last with controllers in volts"
)


@pytest.mark.parametrize("kind", ACTUATORS)
def test_written_models_behave_in_mujoco_as_the_report_says(kind):
    """Along every episode the real MuJoCo 3.11 is off our motor by what is reported, within 5 %."""
    actuator = ACTUATORS[kind]
    found = export(actuator, "mujoco@3.11")
    for error, (rms, worst) in zip(found.errors[1:], errors_in_mujoco(mujoco, found, actuator), strict=True):
        floor = 1e-6 * error.peak
        assert rms == pytest.approx(error.rms, rel=0.05, abs=floor), error
        assert worst == pytest.approx(error.worst, rel=0.05, abs=floor), error
