"""Sweeps on a real Ray cluster of two nodes: the same rows, a node that dies, and machines that do not fit."""

from __future__ import annotations

import importlib
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import ray
import ray.cloudpickle
import rig
from rig import runs, slow

import backemf as be
from backemf.errors import ParameterError
from backemf.random import Scale, Uniform
from backemf.sweep import ray_workers
from backemf.sweep.ray_workers import _task

# its functions are sent by their code, as those of a program are
ray.cloudpickle.register_pickle_by_value(rig)

SPACE = be.Space({"load.inertia": [1e-5, 1e-4], "winding.resistance": Scale(0.9, 1.1)}, draws=100)
SETTINGS = {"motor": "maxon-re40-148877", "load": be.Inertia(1e-4), "command": 24.0, "duration": 0.01}


def content(folder: Path) -> dict[str, bytes]:
    """Every part by its name."""
    return {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}


def test_a_cluster_gives_the_bytes_that_this_machine_gives(cluster, tmp_path):
    """The same seed, the same parts, whatever computes them."""
    there = be.sweep("simulate", SPACE, tmp_path / "ray", ray=cluster.address, seed=5, part=50, **SETTINGS)
    be.sweep("simulate", SPACE, tmp_path / "here", workers=1, seed=5, part=50, **SETTINGS)
    assert there.complete and there.rows == 200 and there.failed == 0
    assert len(content(tmp_path / "ray")) == 4
    assert content(tmp_path / "ray") == content(tmp_path / "here")
    # what the sweep started it ends
    assert not ray.is_initialized()


def test_a_node_is_killed_in_the_middle_and_nothing_is_lost_or_done_twice(cluster, tmp_path):
    """Ray begins again what the node took with it; what was done is not done again."""
    notes, out, before = tmp_path / "notes", tmp_path / "out", {}
    notes.mkdir()
    node = cluster.add_node(num_cpus=1)
    killed = node.node_id
    over = threading.Event()

    def kill() -> None:
        """Wait until the node has done something and does something else; then it is gone."""
        while not over.wait(0.02):
            begun = [case for case, where in runs(notes, "begun") if where == killed]
            ended = [case for case, where in runs(notes, "ended") if where == killed]
            if ended and len(begun) > len(ended):
                break
        cluster.remove_node(node, allow_graceful=False)
        before["done"] = {path.name for path in (out / "parts").iterdir() if path.name.startswith("part-")}

    space = be.Space({"x": [float(k) for k in range(40)]})
    thread = threading.Thread(target=kill)
    thread.start()
    try:
        found = be.sweep(partial(slow, folder=str(notes), seconds=0.5), space, out, ray=cluster.address, part=1)
    finally:
        over.set()
        thread.join()
    assert found.complete and found.failed == 0
    assert found["case"].tolist() == list(range(40))
    assert found["square"].tolist() == [float(k) ** 2 for k in range(40)]
    # the node was in the middle of a case, which another one has done
    begun, ended = runs(notes, "begun"), runs(notes, "ended")
    lost = {case for case, where in begun if where == killed} - {case for case, where in ended if where == killed}
    assert lost and {case for case, _ in ended} == set(range(40))
    assert len({where for _, where in ended}) == 3
    # nothing that was in the folder by then was computed again, and no case but what the node had under way
    again = {case for case in range(40) if sum(each == case for each, _ in begun) > 1}
    assert before["done"] and len(before["done"]) < 40
    assert not again & {int(name[5:14]) for name in before["done"]}
    assert again <= {case for case, where in begun if where == killed}


def test_a_sweep_that_was_stopped_goes_on_on_the_cluster(cluster, tmp_path):
    """Parts that this machine has done are not done again."""
    notes = tmp_path / "notes"
    notes.mkdir()
    space = be.Space({"x": Uniform(0.0, 1.0)}, draws=6)
    function = partial(slow, folder=str(notes), seconds=0.0)
    whole = be.sweep(function, space, tmp_path / "out", ray=cluster.address, part=1)
    first = content(tmp_path / "out")
    for k in (1, 4):
        whole.parts[k].unlink()
    again = be.sweep(function, space, tmp_path / "out", ray=cluster.address)
    assert again.complete and content(tmp_path / "out") == first
    assert sorted(case for case, _ in runs(notes, "ended")) == [0, 1, 1, 2, 3, 4, 4, 5]


def test_a_cluster_that_a_program_has_joined_is_not_left(cluster, tmp_path):
    """A program that has called `ray.init` goes on with it."""
    ray.init(address=cluster.address, log_to_driver=False)
    try:
        space = be.Space({"x": [1.0, 2.0]})
        found = be.sweep(lambda case: {"y": 2.0 * case["x"]}, space, tmp_path / "out", ray="auto")
        assert found["y"].tolist() == [2.0, 4.0]
        assert ray.is_initialized()
    finally:
        ray.shutdown()


# --- machines that do not fit


def test_a_machine_of_another_version_is_named(cluster, tmp_path, monkeypatch):
    """One sentence with the machine, both versions, and what to install."""
    monkeypatch.setattr(ray_workers, "__version__", "9.9.9")
    with pytest.raises(ParameterError, match=r"has backemf 0\.1\.0, and this one 9\.9\.9: pip install .*0 of 4 parts"):
        be.sweep("simulate", SPACE, tmp_path / "out", ray=cluster.address, part=50, **SETTINGS)


BARE = """
import pickle, sys
sys.modules["backemf"] = None
task = pickle.loads(sys.stdin.buffer.read())
print(task(b"", 0))
"""


def test_a_machine_without_backemf_says_so():
    """The task is sent by its code, so that it runs where nothing of backemf is."""
    sent = ray.cloudpickle.dumps(_task("0.1.0", {}))
    done = subprocess.run([sys.executable, "-c", BARE], input=sent, capture_output=True, check=True)
    assert b"of the Ray cluster has no backemf: pip install 'backemf[ray]==0.1.0' on every" in done.stdout


LACKS = """
import pickle, sys
task, payload = pickle.loads(sys.stdin.buffer.read())
print(task(payload, 0))
"""


def test_a_machine_that_lacks_the_module_of_the_function_says_so(tmp_path, monkeypatch):
    """A function that lives in a module is sent by its name."""
    (tmp_path / "only_here.py").write_text("def answer(case):\n    return {}\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    payload = ray.cloudpickle.dumps(importlib.import_module("only_here").answer)
    sent = ray.cloudpickle.dumps((_task(be.__version__, {}), payload))
    done = subprocess.run([sys.executable, "-c", LACKS], input=sent, capture_output=True, check=True)
    assert b"cannot load the function (No module named 'only_here'): install that there" in done.stdout


def test_an_address_where_nothing_is_ends_at_once(tmp_path):
    """Ray itself would wait for minutes."""
    with pytest.raises(ParameterError, match=r"ray = '127\.0\.0\.1:1': no Ray cluster answers there \(.*refused\)"):
        be.sweep("simulate", SPACE, tmp_path / "out", ray="127.0.0.1:1", **SETTINGS)
    with pytest.raises(ParameterError, match=r"must be .auto., or an address with its port"):
        be.sweep("simulate", SPACE, tmp_path / "out", ray="head", **SETTINGS)


def test_the_address_of_the_dashboard_is_printed(cluster, tmp_path, monkeypatch, capsys):
    """Where Ray has one; a plain install of Ray has none."""
    init, shown = ray.init, type("Context", (), {"dashboard_url": "127.0.0.1:8265"})

    def started(**options: object) -> object:
        init(**options)
        return shown

    monkeypatch.setattr(ray, "init", started)
    space = be.Space({"x": [1.0]})
    be.sweep(lambda case: {"y": 1.0}, space, tmp_path / "out", ray=cluster.address)
    assert "Ray dashboard: http://127.0.0.1:8265" in capsys.readouterr().err


def test_a_case_that_fails_is_a_row(cluster, tmp_path):
    """And the others go on."""

    def half(case: be.Case) -> dict[str, object]:
        if case["x"] > 1.5:
            raise ValueError("too much")
        return {"y": 0.5 * case["x"]}

    found = be.sweep(half, be.Space({"x": [1.0, 2.0]}), tmp_path / "out", ray=cluster.address)
    assert found.failures() == [(1, "ValueError: too much")]
    assert np.isnan(found["y"][1]) and found["y"][0] == 0.5
