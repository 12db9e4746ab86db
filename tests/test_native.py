"""Machine code: one motor and batches, what motors share, runs in one call, threads, and code kept on disk."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from learned_networks import perceptron

import backemf as be
from backemf import rollout_native
from backemf.engines import code_cache, machine_code, native_text
from backemf.engines.native_plan import Plan, group_width
from backemf.errors import ParameterError
from backemf.physics.state import STATES
from backemf.simulate import choose_engine

MOTOR = be.Motor(
    winding=be.Winding(resistance=1.0, inductance=1e-3, temperature_coefficient=0.0039),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
    thermal=be.Thermal(resistance=2.0, capacitance=20.0),
    friction=be.LuGre(coulomb=0.01, stiction=0.015, stribeck_velocity=0.5, stiffness=10.0, damping=1e-3),
    limits=be.Limits(peak_current=8.0),
)
KNEE = be.Actuator(MOTOR, be.Supply(voltage=24.0), controller=be.PositionPid(kp=30.0, ki=5.0, kd=0.5))
LATE = replace(KNEE, delay=be.Delay(steps=(1.0, 4.0), schedule="period", period=3, per="environment"))
DT = 1e-3


def close(ours, reference, name: str) -> None:
    ours, reference = np.asarray(ours, dtype=float), np.asarray(reference, dtype=float)
    assert ours.shape == reference.shape or reference.ndim == 0, name
    assert np.abs(ours - reference).max() <= 1e-12 * max(np.abs(reference).max(), 1e-9), name


# --- steps


def test_one_motor_is_a_row_of_numbers():
    """States and outputs of one motor are NumPy's float64, and those of NumPy over 200 steps of a moving joint."""
    native, reference = KNEE.compile("native"), KNEE.compile("numpy")
    ours, theirs = native.initial(), reference.initial()
    for k in range(200):
        given = 0.5, 0.3 * np.sin(0.02 * k), 3.0 * np.cos(0.02 * k), DT
        (ours, out), (theirs, expected) = native(ours, *map(float, given)), reference(theirs, *given)
    for name in ("torque", "current", "winding_temperature", "torque_slope", "electrical_energy"):
        assert type(getattr(out, name)) is np.float64
        close(getattr(out, name), getattr(expected, name), name)
    for name in STATES:
        assert (getattr(ours, name) is None) == (getattr(theirs, name) is None)
        if getattr(ours, name) is not None:
            close(getattr(ours, name), getattr(theirs, name), name)


@pytest.mark.parametrize("count", [1, 2, 3, 4, 5, 7, 8, 9, 12, 17])
def test_batches_that_fill_no_vector(count):
    """Motors at the end of a batch are those of NumPy, whatever the width of a vector, delays included."""
    rng, native, reference = np.random.default_rng(count), LATE.compile("native"), LATE.compile("numpy")
    ours, theirs = native.initial((2, count), seed=5), reference.initial((2, count), seed=5)
    for _ in range(8):
        given = rng.normal(size=(3, 2, count))
        (ours, out), (theirs, expected) = native(ours, *given, DT), reference(theirs, *given, DT)
    close(out.torque, expected.torque, "torque")
    assert np.array_equal(out.limit, expected.limit) and out.limit.dtype == expected.limit.dtype
    for name in STATES:
        if getattr(theirs, name) is not None:
            close(getattr(ours, name), getattr(theirs, name), name)
    assert ours.lag.shape == (2, 1) and ours.clock.shape == (2, 1) and np.shape(ours.head) == ()


@pytest.mark.parametrize("lanes", [4, 8])
def test_a_batch_of_any_size_fills_its_vectors(monkeypatch, lanes):
    """Never more motors in a vector than there are, and from two on more than one."""
    monkeypatch.setattr("backemf.engines.native_plan.vector_width", lambda: lanes)
    widths = [group_width(count) for count in range(100)]
    assert widths[: lanes + 1] == [1, *range(1, lanes + 1)] and max(widths) == 2 * lanes
    assert all(width <= count for count, width in enumerate(widths) if count)


def test_an_empty_batch_has_no_motors():
    """Nothing goes in, nothing comes out."""
    for shape in (0, (2, 0, 3)):
        step, nothing = KNEE.compile("native"), np.zeros(shape)
        state, out = step(step.initial(shape), nothing, nothing, nothing, DT)
        assert out.torque.shape == state.current.shape == nothing.shape


@pytest.mark.parametrize("schedule", ["constant", "episode", "period", "step", "mjlab", "isaaclab"])
@pytest.mark.parametrize("shape", [(0,), (2, 0)])
def test_an_empty_batch_with_a_delay_keeps_the_shapes_of_its_state(schedule, shape):
    """What an environment has in common keeps its shape where there is no motor to have it."""
    delay = be.Delay(steps=(1, 4), schedule=schedule, period=3 if schedule == "period" else 0)
    step, nothing = replace(KNEE, delay=delay).compile("native"), np.zeros(shape)
    state = step.initial(shape)
    before = {name: np.shape(value) for name, value in vars(state).items()}
    for run in (step, step.coupled):
        for _ in range(3):
            state, out = run(state, nothing, nothing, nothing, DT, 0.0, 1e-3)
            assert out.torque.shape == shape
            assert {name: np.shape(value) for name, value in vars(state).items()} == before


def test_telemetry_that_is_left_out_is_not_computed():
    """Only what is asked for is there, with the same numbers, and the code is shorter."""
    some, every = KNEE.compile("native", telemetry=("torque",)), KNEE.compile("native")
    given = 0.5, 0.1, 0.2, DT
    first, second = some(some.initial(), *given)[1], every(every.initial(), *given)[1]
    assert first.torque == second.torque
    assert {name for name, value in vars(first).items() if value is not None} == {"torque"}


def test_actuators_of_one_structure_share_their_code(monkeypatch):
    """A motor with other numbers is not compiled again."""
    KNEE.compile("native")(KNEE.compile("native").initial(), 0.1, 0.0, 0.0, DT)
    monkeypatch.setattr(Plan, "__init__", None)
    other = replace(KNEE, motor=replace(MOTOR, rotor=be.Rotor(inertia=2e-4)))
    step = other.compile("native")
    _, out = step(step.initial(), 0.1, 0.0, 0.0, DT)
    expected = other.compile("numpy")
    close(out.torque, expected(expected.initial(), 0.1, 0.0, 0.0, DT)[1].torque, "torque")


def test_a_state_that_was_written_to_is_the_one_that_counts():
    """States go in by value: one that a program changes in place acts in the next step, and no earlier one changes."""
    step = KNEE.compile("native")
    before = step.initial(4)
    after, _ = step(before, np.ones(4), np.zeros(4), np.zeros(4), DT)
    kept = after.winding_rise.copy()
    after.winding_rise[:] += 50.0
    hot, _ = step(after, np.ones(4), np.zeros(4), np.zeros(4), DT)
    assert (hot.winding_rise > 49.0).all() and (before.winding_rise == 0.0).all() and (kept < 1.0).all()


LEARNED = be.Actuator(controller=be.learned.LearnedMlp(network=perceptron((2, 4, 1)), history=1))
SHARED = replace(KNEE, supply=be.Supply(voltage=24.0, resistance=0.1, shared=True))


def test_what_native_code_cannot_run_is_one_sentence():
    """It names what it is, and the engines that run it."""
    words = "LearnedMlp: the native engine runs no learned networks, take jax, torch or numpy"
    with pytest.raises(ParameterError, match=re.escape(words)):
        LEARNED.compile("native")
    words = "Supply.shared: the native engine runs each motor by itself, take jax or numpy"
    with pytest.raises(ParameterError, match=re.escape(words)):
        be.simulate(SHARED, be.LockedRotor(), 1.0, 0.01, DT, engine="native")


# --- runs


@pytest.mark.parametrize("shape", [(), (5,), (2, 3)])
@pytest.mark.parametrize("every", [1, 4])
def test_runs_are_those_of_numpy(shape, every):
    """Every channel of a run with a delay, in pieces or not, to 1e-9 of its peak."""
    command = be.commands.Sine(amplitude=0.5, frequency=3.0)
    given = {"shape": shape, "every": every, "seed": 3}
    ours, theirs = (
        be.simulate(LATE, be.Pendulum(mass=0.2, length=0.2), command, 0.2, DT, engine=engine, **given)
        for engine in ("native", "numpy")
    )
    assert ours.channels == theirs.channels
    for name in theirs.channels:
        # what is left over of all powers is rounded like them
        of = "electrical_power" if name in ("numerical_power", "conversion_power") else name
        assert ours[name].shape == theirs[name].shape
        assert np.abs(ours[name] - theirs[name]).max() <= 1e-9 * np.abs(theirs[of]).max() + 1e-15, name


def test_a_long_run_goes_on_between_its_pieces(monkeypatch):
    """A run that is computed in pieces of 16 steps is the same to the last bit, delays under way included."""
    command = be.commands.Sine(amplitude=0.5, frequency=3.0)
    whole = be.simulate(LATE, be.Inertia(inertia=1e-3), command, 0.1, DT)
    monkeypatch.setattr(sys.modules[be.simulate.__module__], "CHUNK", 16)
    pieces = be.simulate(LATE, be.Inertia(inertia=1e-3), command, 0.1, DT)
    for name in whole.channels:
        assert np.array_equal(whole[name], pieces[name]), name


def test_what_is_rarely_needed_stands_in_branches():
    """The search for a speed ends where it stands still, and a step goes along a limit's line only where it acts."""
    actuator = be.Actuator(MOTOR, be.Supply(voltage=24.0))
    be.simulate(actuator, be.Inertia(inertia=1e-4), 1.0, 0.01, DT)
    loop = next(reversed(rollout_native._LOOPS.values()))
    branches = re.findall(r"br i1 \S+, label %more", native_text.run_text(loop.traces, 1, True, frozenset()))
    assert len(branches) >= 3
    free = replace(actuator, motor=replace(MOTOR, friction=be.Coulomb(coulomb=0.01), limits=None), supply=None)
    be.simulate(free, be.Inertia(inertia=1e-4), 1.0, 0.01, DT)
    loop = next(reversed(rollout_native._LOOPS.values()))
    assert "label %more" not in native_text.run_text(loop.traces, 1, True, frozenset())


@pytest.mark.parametrize("count", [2, 3, 6, 8, 11, 16, 21, 40])
def test_motors_of_a_vector_do_not_meet(count):
    """A limit that acts for some motors, and a search that some end later, change nothing of the others: every channel
    of each is that of the motor alone, to the last bit."""
    # from motors that stay far below the voltage of the supply to those that it always limits
    volts = np.linspace(2.0, 60.0, count) * np.cos(0.3 * np.arange(120))[:, None]
    load, motor = be.Inertia(inertia=1e-4), be.Actuator(MOTOR, be.Supply(voltage=24.0))
    together = be.simulate(motor, load, volts, 0.12, DT)
    limited = (together["limit"] != 0).any(axis=0)
    assert limited.any() and not limited.all()
    for k in range(count):
        alone = be.simulate(motor, load, volts[:, k], 0.12, DT)
        for name in alone.channels:
            assert np.array_equal(together[name][:, k], alone[name]), (k, name)


def test_where_a_run_chooses_machine_code():
    """In float64, where each motor is by itself; gradients and float32 stay with JAX."""
    assert choose_engine(KNEE, "float64") == "native"
    assert (
        choose_engine(KNEE, "float32") == choose_engine(LEARNED, "float64") == choose_engine(SHARED, "float64") == "jax"
    )
    with pytest.raises(ParameterError, match=r"precision = 'float32': .* engine='jax'"):
        be.simulate(KNEE, be.LockedRotor(), 1.0, 0.01, DT, engine="native", precision="float32")


def test_a_run_does_not_load_jax():
    """A fresh process that simulates has no JAX."""
    program = (
        "import sys, backemf as be; motor = be.load('maxon-re40-148867').motor; "
        "be.simulate(motor, be.Inertia(inertia=1e-4), 12.0, 0.01, 1e-3); print('jax' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, text=True).stdout.strip() == "False"


# --- threads


def test_a_batch_on_several_processors_is_the_same(monkeypatch):
    """However a batch is split, every motor has the same numbers."""
    step, rng = KNEE.compile("native"), np.random.default_rng(1)
    given = rng.normal(size=(3, 1003))
    _, alone = step(step.initial(1003), *given, DT)
    monkeypatch.setattr(machine_code, "WORTH_A_THREAD", 10)
    monkeypatch.setattr(machine_code, "processors", lambda: set(range(7)))
    _, split = step(step.initial(1003), *given, DT)
    for name in ("torque", "current", "winding_temperature", "limit"):
        assert np.array_equal(getattr(split, name), getattr(alone, name)), name


def test_threads_compile_at_once():
    """Eight threads that all meet a new structure at the same time get the same torque."""
    odd = replace(KNEE, slew=3.0, controller=be.PositionPid(kp=3.0, kd=0.25))

    def torque(_: int) -> float:
        step = odd.compile("native")
        return float(step(step.initial(), 0.5, 0.1, 0.2, DT)[1].torque)

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(torque, range(16)))) == 1


# --- code on disk

PROGRAM = """
import backemf as be
from backemf.engines import code_cache
found, kept = [], []
find, keep = code_cache.find_code, code_cache.keep_code
code_cache.find_code = lambda key: found.append(find(key)) or found[-1]
code_cache.keep_code = lambda key, code: kept.append(keep(key, code))
motor = be.Motor(winding=be.Winding(resistance=1.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1))
step = motor.compile("native")
out = step(step.initial(), 6.0, 0.0, 10.0, 1e-3)[1]
print(len([x for x in found if x]), len(kept), float(out.torque))
"""


def cached_run(home: Path, **environment: str) -> list[str]:
    """Steps that a fresh process found, steps that it compiled, and a torque."""
    given = {**os.environ, "XDG_CACHE_HOME": str(home), **environment}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=given, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_a_second_process_finds_the_code(tmp_path):
    """The first one keeps it, for its user alone; the next one finds it, and a damaged file is replaced."""
    assert cached_run(tmp_path) == ["0", "1", "0.5"]
    (file,) = (tmp_path / "backemf" / "native").iterdir()
    assert (tmp_path / "backemf" / "native").stat().st_mode & 0o777 == 0o700
    assert cached_run(tmp_path) == ["1", "0", "0.5"]
    whole = file.read_bytes()
    for damaged in (whole[:-1], whole[:100] + b"?" + whole[101:], b"", b"something else"):
        file.write_bytes(damaged)
        assert cached_run(tmp_path) == ["0", "1", "0.5"]
        assert file.read_bytes() == whole


def test_a_cache_that_cannot_be_used_is_not_used(tmp_path):
    """Switched off, in a place that is a file, or in a folder that others can write to: it works without."""
    assert cached_run(tmp_path, BACKEMF_CACHE="off") == ["0", "1", "0.5"]
    assert not list(tmp_path.iterdir())
    (tmp_path / "file").write_text("")
    assert cached_run(tmp_path / "file") == ["0", "1", "0.5"]
    open_to_all = tmp_path / "backemf" / "native"
    open_to_all.mkdir(parents=True)
    open_to_all.chmod(0o777)
    assert cached_run(tmp_path) == ["0", "1", "0.5"]
    assert not list(open_to_all.iterdir())


def test_a_file_under_another_name_is_not_trusted(tmp_path, monkeypatch):
    """Code is sealed with its key: one file copied over another is not run."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    first, second = (code_cache.key_of(text, ("machine",)) for text in ("a", "b"))
    code_cache.keep_code(first, b"code")
    assert code_cache.find_code(first) == b"code" and code_cache.find_code(second) is None
    here = tmp_path / "backemf" / "native"
    (here / f"{second}.o").write_bytes((here / f"{first}.o").read_bytes())
    assert code_cache.find_code(second) is None
    assert code_cache.key_of("a", ("another machine",)) != first


def test_the_oldest_code_goes_first(tmp_path, monkeypatch):
    """No more files are kept than a fixed number."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(code_cache, "MOST_FILES", 3)
    for k in range(5):
        code_cache.keep_code(f"{k}", b"code")
        file = tmp_path / "backemf" / "native" / f"{k}.o"
        os.utime(file, (k + 1.0, k + 1.0))
    kept = {file.stem for file in (tmp_path / "backemf" / "native").iterdir()}
    assert kept == {"2", "3", "4"}
