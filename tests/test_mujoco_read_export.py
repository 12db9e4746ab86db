"""A servo read from MuJoCo is exported again: without a limit, with two different ones, with an integral alone."""

import pytest
from mujoco_reading_rig import VERSION, from_motor_file, one_joint

from backemf.sims.mujoco import read_actuator
from backemf.transfer import export

SERVOS = {
    "position": '<position joint="j" kp="20" kv="2"/>',
    "motor with a two-ended range": '<motor joint="j" gear="3" forcerange="-1 2"/>',
    "velocity": '<velocity joint="j" kv="3"/>',
    "intvelocity": '<intvelocity joint="j" kp="30" forcerange="-4 6"/>',
    "general": '<general joint="j" gainprm="0.3" biastype="affine" biasprm="1 -20 -1" ctrlrange="0 255"/>',
}


@pytest.mark.parametrize("kind", SERVOS)
def test_exported_again_without_an_error(kind: str):
    """The law of what is written is that of what was read, over the operating range and the episodes of the duty."""
    found = from_motor_file(read_actuator(one_joint(SERVOS[kind], 'damping="0.3" armature="0.1"'), version=VERSION))
    exported = export(found, f"mujoco@{VERSION}", "j", digits=None)
    assert exported.on_joint.actuator.controller == found.actuator.controller
    known = [error for error in exported.errors if not error.unknown]
    assert len(known) == 4 and max(error.worst for error in known) < 1e-9 * max(error.peak for error in known)
