"""Ctrl-C: exit code 130, one sentence, and what was recorded until then, wherever it comes."""

import importlib
import os
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
from long import some_now

import backemf as be
from backemf.interrupt import held_interruptions

HELD = """
import os, signal, sys, importlib
simulate = importlib.import_module("backemf.simulate")
simulate.CHUNK = 100
interrupt = lambda: os.kill(os.getpid(), signal.SIGINT)
"""
INSIDE = {
    "before a piece": "roll = simulate.roll_{e}; calls = []\n"
    "def patched(*a):\n    calls.append(1)\n    len(calls) == 3 and interrupt()\n    return roll(*a)\n"
    "simulate.roll_{e} = patched",
    "after a piece": "roll = simulate.roll_{e}; calls = []\n"
    "def patched(*a):\n    calls.append(1)\n    found = roll(*a)\n    len(calls) == 2 and interrupt()\n"
    "    return found\n"
    "simulate.roll_{e} = patched",
    "while it is compiled": "law = importlib.import_module('backemf.rollout').advance; calls = []\n"
    "def patched(*a):\n    calls.append(1)\n    len(calls) == 1 and interrupt()\n    return law(*a)\n"
    "for name in ('backemf.rollout', 'backemf.rollout_tracing'):\n    importlib.import_module(name).advance = patched",
    "while a part is written": "recorder = importlib.import_module('backemf.run_recording').RunRecorder\n"
    "write = recorder.write; calls = []\n"
    "def patched(self, record):\n    calls.append(1)\n    len(calls) == 2 and interrupt()\n    write(self, record)\n"
    "recorder.write = patched",
}


def command_line(program: str, *arguments: object) -> subprocess.CompletedProcess:
    """The command line after a program that sends the signal at some point."""
    ready = "\nsys.argv = ['backemf', *sys.argv[1:]]\nfrom backemf.cli import main\nmain()\n"
    words = [sys.executable, "-c", "import sys\n" + textwrap.dedent(program) + ready, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=120, env=os.environ)


@pytest.mark.parametrize(
    ("point", "engine"),
    some_now(
        [(point, engine) for engine in ("native", "jax") for point in INSIDE],
        lambda point, engine: (engine == "jax") == (point == "while it is compiled"),
    ),
)
def test_ctrl_c_within_a_run(tmp_path, point, engine):
    """One sentence that says where the run was and where its parts are; they are whole."""
    program = HELD + INSIDE[point].format(e=engine) + f"\nsimulate.choose_engine = lambda *_: {engine!r}"
    target = tmp_path / "run.parquet"
    done = command_line(program, "simulate", "maxon-re40-148877", "--command", "24 V", "-o", target)
    assert done.returncode == 130, done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1 and lines[0].startswith("stopped at t = ") and not target.exists()
    assert lines[0].endswith(f"what was recorded until then is in {target}.part") and done.stdout == ""
    rows = {"before a piece": 300, "after a piece": 200, "while it is compiled": 100, "while a part is written": 200}
    with pytest.warns(be.BackemfWarning):
        assert be.read_recording(target).rows == rows[point]


IMPORTS = """
import os, signal, sys
class Interrupt:
    def find_spec(self, name, path=None, target=None):
        if name == {name!r}:
            sys.meta_path.remove(self)
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
"""


@pytest.mark.parametrize(
    "name",
    some_now(
        ["typer", "backemf.cli.simulate", "numpy", "rich.text", "backemf.simulate", "llvmlite.binding"],
        lambda name: name in ("typer", "numpy", "llvmlite.binding"),
    ),
)
def test_ctrl_c_while_something_is_loaded(tmp_path, name):
    """No traceback of an import that was cut in two."""
    done = command_line(IMPORTS.format(name=name), "simulate", "maxon-re40-148877", "--command", "24 V")
    assert done.returncode == 130 and done.stderr.startswith("stopped") and len(done.stderr.splitlines()) == 1


def test_ctrl_c_in_python_ends_between_two_pieces(tmp_path, monkeypatch):
    """KeyboardInterrupt with the sentence; afterwards Ctrl-C is what it was."""
    simulate = importlib.import_module("backemf.simulate")
    monkeypatch.setattr(simulate, "CHUNK", 10)
    monkeypatch.setattr(simulate, "check_finite", lambda *_: signal.raise_signal(signal.SIGINT))
    motor = be.Motor(
        winding=be.Winding(resistance=1.0),
        magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
        rotor=be.Rotor(inertia=1e-4),
    )
    with pytest.raises(KeyboardInterrupt, match=r"stopped at t = 0\.01 s of 0\.1 s; what was recorded .*\.part"):
        be.simulate(motor, be.Inertia(inertia=1e-4), 1.0, 0.1, 1e-3, to=tmp_path / "run.parquet")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    with pytest.warns(be.BackemfWarning, match="after 10 steps"):
        be.read_recording(tmp_path / "run.parquet")


def test_a_second_ctrl_c_is_raised_at_once():
    """Whoever presses it twice does not want to wait."""
    with pytest.raises(KeyboardInterrupt), held_interruptions():
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)
        pytest.fail("it was not raised")
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_at_the_very_end_is_not_lost():
    with pytest.raises(KeyboardInterrupt), held_interruptions():
        signal.raise_signal(signal.SIGINT)


def test_a_handler_of_the_program_stays():
    """So does Ctrl-C in other threads, which get no signals."""
    seen: list[int] = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        with held_interruptions() as leave:
            signal.raise_signal(signal.SIGINT)
            leave("stopped")
    finally:
        signal.signal(signal.SIGINT, before)
    assert seen == [signal.SIGINT]

    def elsewhere() -> None:
        with held_interruptions() as leave:
            leave("stopped")
        seen.append(0)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert seen[-1] == 0
