"""Machine code where something is wrong: folders, files of others, processes at once, numbers that are not finite.

It is compiled anew, or refused in one sentence; no number is ever wrong.
"""

from __future__ import annotations

import math
import os
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from test_native import DT, KNEE, MOTOR, PROGRAM, cached_run
from test_robot import JOINTS, THIGH, hip, inputs
from test_robot import KNEE as LOOP

import backemf as be
from backemf.engines import code_cache
from backemf.errors import ParameterError, SimulationError
from backemf.physics.state import JOINT, OUTPUTS

# --- the folder


def test_a_folder_that_cannot_be_made_is_done_without():
    """The kernel's own folders take no files, not even root's: the step is compiled, and kept nowhere."""
    assert cached_run("/proc/self") == ["0", "1", "0.5"]


def test_a_folder_that_cannot_be_written_is_done_without(tmp_path):
    """Neither a folder without the right to write nor one without the right to enter is in the way."""
    here = tmp_path / "backemf" / "native"
    here.mkdir(parents=True)
    for mode in (0o500, 0o000):
        here.chmod(mode)
        found = cached_run(tmp_path)
        # root may write all the same
        assert found == ["0", "1", "0.5"] or (os.getuid() == 0 and found == ["1", "0", "0.5"])
    here.chmod(0o700)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no HOME")
@pytest.mark.parametrize("home", ["somewhere", "./x"])
def test_a_home_that_is_no_whole_path_is_done_without(monkeypatch, home):
    """Below where the process stands there would be a cache in every folder."""
    monkeypatch.setenv("HOME", home)
    for given in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", given)
        assert code_cache.cache_folder("native") is None


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))\n" + PROGRAM


def test_a_disk_that_is_full_leaves_no_half_file(tmp_path):
    """Where only 100 bytes can be written the step runs, and no file is left, nor a part of one."""
    pytest.importorskip("resource")
    given = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run([sys.executable, "-c", FULL], env=given, capture_output=True, text=True)
    assert done.stdout.split() == ["0", "1", "0.5"] and done.stderr == "", done.stderr
    assert list((tmp_path / "backemf" / "native").iterdir()) == []
    assert cached_run(tmp_path) == ["0", "1", "0.5"]


def test_a_folder_in_place_of_a_file_is_compiled_around(tmp_path):
    """What is no file is not read, and what cannot be replaced is left alone."""
    assert cached_run(tmp_path) == ["0", "1", "0.5"]
    (file,) = (tmp_path / "backemf" / "native").iterdir()
    file.unlink()
    file.mkdir()
    assert cached_run(tmp_path) == ["0", "1", "0.5"] and file.is_dir()


# --- files of another version


def test_code_of_another_version_is_not_read(tmp_path, monkeypatch):
    """Another backemf, LLVM or processor has other names for its files; another kind of file is not trusted."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    key = code_cache.key_of("text", ("llvm 15", "zen"))
    code_cache.keep_code(key, b"code")
    assert code_cache.find_code(key) == b"code"
    assert key != code_cache.key_of("text", ("llvm 16", "zen")) != code_cache.key_of("text", ("llvm 16", "skylake"))
    with monkeypatch.context() as patched:
        patched.setattr(be, "__version__", "0.0.1")
        assert code_cache.key_of("text", ("llvm 15", "zen")) != key
    file = tmp_path / "backemf" / "native" / f"{key}.o"
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b"native 1", b"native 0"))
    assert code_cache.find_code(key) is None
    code_cache.keep_code(key, b"code")
    assert file.read_bytes() == whole and code_cache.find_code(key) == b"code"


def test_a_file_that_is_too_large_is_not_read(tmp_path, monkeypatch):
    """One beyond the bound is left alone, whatever it holds."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code_cache.keep_code("key", b"c" * 1000)
    monkeypatch.setattr(code_cache, "LARGEST", 500)
    assert code_cache.find_code("key") is None


# --- several processes


def test_processes_that_compile_at_once_do_not_meet(tmp_path):
    """Six processes with an empty cache: each has the right torque, one whole file is left, and the next finds it."""
    given = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    several = [
        subprocess.Popen([sys.executable, "-c", PROGRAM], env=given, stdout=subprocess.PIPE, text=True)
        for _ in range(6)
    ]
    found = [process.communicate()[0].split() for process in several]
    assert all(process.returncode == 0 for process in several)
    assert [torque for *_, torque in found] == ["0.5"] * 6
    assert len(list((tmp_path / "backemf" / "native").iterdir())) == 1
    assert cached_run(tmp_path) == ["1", "0", "0.5"]


# --- numbers that are not finite


@pytest.mark.parametrize("name", ["joint_position", "joint_velocity", "load_torque", "load_inertia"])
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_one_motor_with_a_number_that_is_not_finite_is_refused(name, bad):
    """The sentence names what it is; the state is as before, and the next step as if nothing had been."""
    step = KNEE.compile("native")
    given = {"joint_position": 0.1, "joint_velocity": 0.2, "load_torque": 0.01, "load_inertia": 0.02}
    state, _ = step(step.initial(), 0.5, dt=DT, **given)
    expected = step(state, 0.5, dt=DT, **given)[1].torque
    with pytest.raises(ParameterError, match=rf"^{name} = {bad}: must be a finite number"):
        step(state, 0.5, dt=DT, **{**given, name: bad})
    assert step(state, 0.5, dt=DT, **given)[1].torque == expected


@pytest.mark.parametrize("bad", [math.nan, math.inf])
@pytest.mark.parametrize("which", ["position", "velocity", "torque"])
@pytest.mark.parametrize("shared", [False, True])
def test_a_joint_of_a_robot_that_is_not_known_takes_no_part(which, bad, shared):
    """Its motor gives no torque and is named; outputs of all others are NumPy's, also on one supply."""
    parts = {".*_hip": replace(hip(), delay=None), ".*_thigh": THIGH, ".*_knee": LOOP}
    if shared:
        parts = {".*": replace(parts[".*_hip"], supply=be.Supply(voltage=24.0, resistance=0.1, shared=True))}
    built = be.ActuatorSet(JOINTS, parts)
    command, position, velocity = inputs((3, 12))
    rows = {"position": position, "velocity": velocity, "torque": 0.1 * position}
    rows[which][1, 3] = bad
    outs = []
    for engine in ("native", "numpy"):
        step = built.compile(engine)
        given = rows["position"], rows["velocity"], DT, rows["torque"], 0.02
        state, out = step.coupled(step.initial((3,)), command, *given)
        outs.append((state, out))
    (state, out), (_, expected) = outs
    assert np.array_equal(np.argwhere(out.limit & JOINT), [[1, 3]]) and out.torque[1, 3] == 0.0
    others = np.ones((3, 12), dtype=bool)
    others[1, 3] = False
    for name in OUTPUTS:
        if getattr(expected, name) is not None:
            # what else is said of a motor that took no part means nothing
            ours, theirs = getattr(out, name)[others], getattr(expected, name)[others]
            assert np.allclose(ours, theirs, rtol=1e-11, atol=1e-9, equal_nan=True), name
    for part in state:
        assert all(np.isfinite(x).all() for x in vars(part).values() if x is not None)


@pytest.mark.parametrize("count", [1, 3, 8, 40])
def test_a_run_that_leaves_the_finite_numbers_says_where(count):
    """Whichever motor of a batch it is: the sentence is NumPy's, with the same moment."""
    small = be.Magnet(torque_constant=1e-300, back_emf_constant=1e-300)
    motor = be.Motor(winding=be.Winding(resistance=1.0), magnet=small, rotor=be.Rotor(inertia=1e-300))
    # 1e8 N·m on 1e-300 kg·m² are 1e308 rad/s²: after 1.797 s there is no such speed
    torque = np.zeros(count)
    torque[count - 1] = 1e8
    said = []
    for engine in ("native", "numpy"):
        with pytest.raises(SimulationError) as caught:
            be.simulate(motor, be.ConstantTorque(torque=torque), 0.0, 3.0, 0.1, engine=engine)
        said.append(str(caught.value))
    assert said[0] == said[1] and said[0].startswith("at t = 1.8 s the run was no longer finite, first in velocity")


def test_what_was_seen_to_be_finite_is_not_looked_at_again(monkeypatch):
    """The loop itself sees that its channels are finite: only commands are left to look at."""
    looked = []
    isfinite = np.isfinite
    monkeypatch.setattr(np, "isfinite", lambda x, **more: looked.append(np.shape(x)) or isfinite(x, **more))
    be.simulate(MOTOR, be.Inertia(inertia=1e-3), 1.0, 0.05, DT, shape=(7,), engine="native")
    native = looked.count((50, 7))
    looked.clear()
    be.simulate(MOTOR, be.Inertia(inertia=1e-3), 1.0, 0.05, DT, shape=(7,), engine="numpy")
    assert native < 5 < 20 < looked.count((50, 7))


def test_energy_is_looked_at_in_blocks(monkeypatch):
    """In blocks of a few steps the sentence is the same, with the same moment and motor."""
    from backemf import runaway

    said = []
    for block in (runaway.BLOCK, 21, 1):
        monkeypatch.setattr(runaway, "BLOCK", block)
        watch = runaway.EnergyWatch(be.Actuator(MOTOR), be.Inertia(inertia=1e-3), 0.0, DT, 1)
        velocity = np.full((50, 3), 0.1)
        velocity[30, 1] = 1e4
        record = dict.fromkeys((f"{name}_power" for name in (*runaway.GIVING, *runaway.TAKING)), np.full((50, 3), 1e-3))
        with pytest.raises(SimulationError, match=r"at t = 0\.031 s the joint of motor \(1,\) has") as caught:
            watch.look({"velocity": velocity, "load_torque": 0.0 * velocity, **record}, DT)
        said.append(str(caught.value))
    assert len(set(said)) == 1
