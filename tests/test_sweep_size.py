"""Sizings in a sweep: each case is the sizing of its own task."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from size_rig import motor, task
from test_cli import call

import backemf as be
from backemf.errors import ParameterError
from backemf.random import Scale
from backemf.sweep.sweep_file import read_sweep_file

PAIRS = [motor("low", 10.0), motor("high", 40.0)]


def test_every_task_has_its_best_pair(tmp_path):
    """Any number of the task varies; where none can do it, the nearest says why."""
    space = be.Space(
        {"joints.joint.load.inertia": [0.02, 0.5], "supply.voltage": [24.0, 48.0], "ambient": Scale(1, 2)}, 1
    )
    found = be.sweep("size", space, tmp_path / "out", workers=1, task=task(), candidates=PAIRS)
    assert found.rows == 4
    feasible = 0
    for k in range(4):
        if found["error"][k] is not None:
            continue
        joint = task().joints["joint"]
        given = be.JointTask(motion=joint.motion, load=be.Inertia(found["joints.joint.load.inertia"][k]))
        supply, ambient = be.Supply(voltage=found["supply.voltage"][k]), float(found["ambient"][k])
        alone = be.size(task(joints={"joint": given}, supply=supply, ambient=ambient), PAIRS)
        assert found["joint.feasible"][k] == len(alone.only)
        if len(alone.only):
            feasible += 1
            assert found["joint.name"][k] == alone.best.name
            assert found["joint.winding"][k] == pytest.approx(alone.best.figures["winding"], rel=1e-12)
        else:
            assert found["joint.reason"][k] == alone.rejected(1)[0].reason
    assert feasible
    assert found["ambient"].min() >= 25.0 and found.units["joints.joint.load.inertia"] == "kg·m²"
    assert found.units["joint.mass"] == "kg" and found.units["ambient"] == "degC"


def test_a_task_travels():
    """To another process, and is the same there."""
    there = pickle.loads(pickle.dumps(task()))
    assert there == task() and dict(there.joints) == dict(task().joints)


@pytest.mark.parametrize(
    "name, sentence",
    [
        ("joints.knee.load.inertia", "sweep: 'joints.knee.load.inertia': the task has no such joint; it has joint"),
        ("joints.joint.load.mass", 'sweep: "joints.joint.load.mass" is no parameter of this JointTask'),
        ("supply.volts", 'sweep: "supply.volts" is no parameter of this Supply; did you mean voltage'),
        ("mass", "sweep: 'mass' is no number of a task; it has ambient, mounting, supply.…, limits.…, joints.joint.…"),
    ],
)
def test_a_field_that_a_task_lacks_is_named(tmp_path, name, sentence):
    with pytest.raises(ParameterError) as caught:
        be.sweep("size", be.Space({name: [1.0]}), tmp_path / "out", workers=1, task=task(), candidates=PAIRS)
    assert str(caught.value).startswith(sentence)


def test_a_number_of_a_task_varies_once(tmp_path):
    """Under two names it would be one of them, and the table would show both."""
    space = be.Space({"supply.voltage": [24.0], "task.supply.voltage": [48.0]})
    with pytest.raises(ParameterError, match=r"'supply\.voltage' and 'task\.supply\.voltage' are the same number"):
        be.sweep("size", space, tmp_path / "out", workers=1, task=task(), candidates=PAIRS)


FILE = """
format = "backemf sweep 1"
function = "size"

[size]
task = "task.toml"
candidates = "motors"

[space.axes]
"joints.arm.load.inertia" = { from = "0.02 kg*m^2", to = "0.04 kg*m^2", count = 2 }
"joints.arm.motion.duration" = ["0.5 s", "1 s"]
"""
TASK = """
format = "backemf task 1"
supply = { voltage = "48 V" }
wanted = "energy"
[joints.arm]
motion = { kind = "triangle", angle = "90 deg", duration = "0.5 s" }
load = { kind = "Inertia", inertia = "0.02 kg*m^2" }
"""


def test_a_file_names_task_and_candidates(tmp_path):
    """In units; a candidate that has changed is another sweep."""
    (tmp_path / "motors").mkdir()
    for each in PAIRS:
        be.save(each, tmp_path / "motors" / f"{each.name}.toml")
    (tmp_path / "task.toml").write_text(TASK)
    (tmp_path / "sweep.toml").write_text(FILE)
    assert read_sweep_file(tmp_path / "sweep.toml").space.axes["joints.arm.motion.duration"] == (0.5, 1.0)
    arguments = ("sweep", tmp_path / "sweep.toml", "-o", tmp_path / "out", "--workers", 1)
    result = call(*arguments)
    assert result.exit_code == 0, result.output
    found = be.read_sweep(tmp_path / "out")
    assert found.rows == 4 and found.failed == 0, found.failures()
    assert np.isfinite(found["arm.energy"]).all() and set(found["arm.name"]) <= {"low", "high"}
    # a list of tasks, of which the units are those of any of them
    (tmp_path / "many.toml").write_text(FILE.replace('task = "task.toml"', "") + 'task = ["task.toml"]')
    assert read_sweep_file(tmp_path / "many.toml").space.axes["joints.arm.motion.duration"] == (0.5, 1.0)
    be.save(motor("low", 11.0), tmp_path / "motors" / "low.toml")
    assert "holds another sweep" in call(*arguments).output
