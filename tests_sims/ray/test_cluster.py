"""Sweeps on a real Ray cluster of two nodes: the same rows, a node that dies, and machines that do not fit."""

from __future__ import annotations

import importlib
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import ray
import ray.cloudpickle
import rig
from rig import Run, patiently, runs, slow

import backemf as be
from backemf.errors import ParameterError
from backemf.random import Scale, Uniform
from backemf.sweep import ray_workers
from backemf.sweep.ray_workers import _task

# its functions are sent by their code, as those of a program are
ray.cloudpickle.register_pickle_by_value(rig)

SPACE = be.Space({"load.inertia": [1e-5, 1e-4], "winding.resistance": Scale(0.9, 1.1)}, draws=100)
CASES = 16
SETTINGS = {"motor": "maxon-re40-148877", "load": be.Inertia(1e-4), "command": 24.0, "duration": 0.01}


def content(folder: Path) -> dict[str, bytes]:
    """Every part by its name."""
    return {path.name: path.read_bytes() for path in (folder / "parts").iterdir()}


def test_a_cluster_gives_the_bytes_that_this_machine_gives(cluster, tmp_path, monkeypatch, capsys):
    """The same seed, the same parts, whatever computes them; where Ray has a dashboard, its address is printed."""
    init, shown = ray.init, type("Context", (), {"dashboard_url": "127.0.0.1:8265"})

    def started(**options: object) -> object:
        # a plain install of Ray has none
        init(**options)
        return shown

    monkeypatch.setattr(ray, "init", started)
    there = be.sweep("simulate", SPACE, tmp_path / "ray", ray=cluster.address, seed=5, part=50, **SETTINGS)
    be.sweep("simulate", SPACE, tmp_path / "here", workers=1, seed=5, part=50, **SETTINGS)
    assert there.complete and there.rows == 200 and there.failed == 0
    assert len(content(tmp_path / "ray")) == 4
    assert content(tmp_path / "ray") == content(tmp_path / "here")
    assert "Ray dashboard: http://127.0.0.1:8265" in capsys.readouterr().err
    # what the sweep has joined it leaves
    assert not ray.is_initialized()


def test_a_node_is_killed_in_the_middle_and_nothing_is_lost_or_done_twice(joined, tmp_path):
    """Ray begins again what the node took with it; what was done is not done again."""
    notes, out, before = tmp_path / "notes", tmp_path / "out", {}
    notes.mkdir()
    node = patiently(lambda: joined.add_node(num_cpus=1))
    killed, over = node.node_id, threading.Event()

    def kill() -> None:
        """Wait until the node has done a case and is in the middle of another one; then it is gone."""
        busy: list[Run] = []
        while not over.wait(0.02):
            begun = {run for run in runs(notes, "begun") if run.node == killed}
            ended = {run for run in runs(notes, "ended") if run.node == killed}
            busy = sorted(begun - ended)
            if ended and busy:
                break
        before["lost"] = {run.case for run in busy}
        before["done"] = {int(path.name[5:14]) for path in (out / "parts").glob("part-*")}
        for run in busy:
            os.kill(run.process, signal.SIGKILL)
        joined.remove_node(node, allow_graceful=False)

    space = be.Space({"x": [float(k) for k in range(CASES)]})
    thread = threading.Thread(target=kill)
    thread.start()
    try:
        found = be.sweep(partial(slow, folder=str(notes), seconds=1.0), space, out, ray="auto", part=1)
    finally:
        over.set()
        thread.join()
    assert found.complete and found.failed == 0
    assert found["case"].tolist() == list(range(CASES))
    assert found["square"].tolist() == [float(k) ** 2 for k in range(CASES)]
    # the node was in the middle of a case, which another one has done
    begun, ended = runs(notes, "begun"), runs(notes, "ended")
    assert before["lost"] and before["done"] and len(before["done"]) < CASES
    assert not any(run.node == killed and run.case in before["lost"] for run in ended)
    assert {run.case for run in ended} == set(range(CASES))
    assert len({run.node for run in ended}) == 3
    # nothing was computed twice but what was lost, and nothing that was in the folder by then
    again = {case for case in range(CASES) if sum(run.case == case for run in begun) > 1}
    assert before["lost"] <= again <= {run.case for run in begun if run.node == killed}
    assert not again & before["done"]
    assert Counter(run.case for run in ended).most_common(1)[0][1] == 1


def test_a_sweep_goes_on_where_it_was(joined, tmp_path):
    """Only the parts that are missing are computed; a cluster that a program has joined is not left."""
    notes = tmp_path / "notes"
    notes.mkdir()
    space = be.Space({"x": Uniform(0.0, 1.0)}, draws=6)
    function = partial(slow, folder=str(notes), seconds=0.0)
    whole = be.sweep(function, space, tmp_path / "out", ray="auto", part=1)
    first = content(tmp_path / "out")
    for k in (1, 4):
        whole.parts[k].unlink()
    again = be.sweep(function, space, tmp_path / "out", ray="auto")
    assert again.complete and content(tmp_path / "out") == first
    assert sorted(run.case for run in runs(notes, "ended")) == [0, 1, 1, 2, 3, 4, 4, 5]
    assert ray.is_initialized()


def test_a_case_that_fails_is_a_row(joined, tmp_path):
    """And the others go on, of a function that is written here."""

    def half(case: be.Case) -> dict[str, object]:
        if case["x"] > 1.5:
            raise ValueError("too much")
        return {"y": 0.5 * case["x"]}

    found = be.sweep(half, be.Space({"x": [1.0, 2.0]}), tmp_path / "out", ray="auto")
    assert found.failures() == [(1, "ValueError: too much")]
    assert np.isnan(found["y"][1]) and found["y"][0] == 0.5


# --- machines that do not fit


def test_a_machine_of_another_version_is_named(joined, tmp_path, monkeypatch):
    """One sentence with the machine, both versions, and what to install."""
    monkeypatch.setattr(ray_workers, "__version__", "9.9.9")
    with pytest.raises(ParameterError, match=r"has backemf 0\.1\.0, and this one 9\.9\.9: pip install .*0 of 4 parts"):
        be.sweep("simulate", SPACE, tmp_path / "out", ray="auto", part=50, **SETTINGS)


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
