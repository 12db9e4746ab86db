"""Commands as programs, first runs, and rows of the catalogue for a screen."""

from __future__ import annotations

import shlex

import pytest

import backemf as be
from backemf.cli.as_program import (
    command_line,
    export_program,
    option_words,
    sheet_program,
    show_texts,
    simulate_texts,
)
from backemf.cli.catalogue import output_row, search_rows, summary
from backemf.cli.drive import actuator_from
from backemf.cli.first_run import first_run, input_of, target_words
from backemf.cli.simulate import moved_load
from backemf.cli.words import command_from

MOTOR, LIMITS, FEW = "maxon-re40-148877", "unitree-go2", "dynamixel-xl330-m288"


def test_an_option_is_read_as_it_was_written():
    """By a shell; without a value it is left out."""
    typed = command_line("backemf", "simulate", "m", *option_words({"command": "step value=24V", "delay": ""}))
    assert shlex.split(typed.replace("\\\n", "")) == ["backemf", "simulate", "m", "--command", "step value=24V"]


@pytest.mark.parametrize(
    ("text", "file"),
    [
        (sheet_program(MOTOR, drivable=True, estimate=True), ""),
        (show_texts(MOTOR, be.load(MOTOR).motor, 18.0, 60.0)[0], "range.png"),
        (show_texts(FEW, be.load(FEW).motor, None, None)[0], "range.png"),
        (show_texts(LIMITS, None, None, None)[0], "limits.png"),
        (export_program(MOTOR, "mujoco@4.0", "m.xml", {"joint": "knee", "timestep": 2e-3}, be.Torque()), "m.xml"),
        (export_program(LIMITS, "webots", "m.wbt", {"joint": "knee", "kind": None}), "m.wbt"),
    ],
)
def test_a_program_runs_as_it_stands(text: str, file: str, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    exec(text, {})
    assert not file or (tmp_path / file).stat().st_size > 100


def test_a_motor_is_shown_with_what_its_figures_tell():
    """Without a continuous torque there is no operating range to draw."""
    known, few = (
        show_texts(MOTOR, be.load(MOTOR).motor, 18.0, None, True),
        show_texts(FEW, be.load(FEW).motor, None, None),
    )
    assert "--voltage '18 V'" in known[1] and "--estimate" in known[1] and "--plot range.png" in known[1]
    assert "operating_range(motor, 18, None" in known[0] and "estimate=True" in known[0]
    assert "--plot" not in few[1] and "torque_speed(motor, None, None" in few[0]


@pytest.mark.parametrize("name", [MOTOR, LIMITS])
def test_a_first_run_needs_nothing_else(name: str, tmp_path, monkeypatch):
    """Its words are those of the command line, and its program does the same."""
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    words = first_run(be.load(name), 24.0)
    actuator = actuator_from(be.load(name), controller=words["controller"])
    load, command = moved_load(words["load"], actuator, 0.0), command_from(words["command"], actuator.controller.main)
    known: dict[str, be.Run] = {}
    program, typed = simulate_texts(name, words, (actuator, load, command), (0.01, 1e-4))
    exec(program, known)
    assert shlex.split(typed.replace("\\\n", ""))[3:5] == ["--load", words["load"]]
    own = be.simulate(actuator, load, command, 0.01, 1e-4)
    assert (known["run"]["velocity"] == own["velocity"]).all()
    assert (tmp_path / "run.parquet").exists()


@pytest.mark.parametrize(
    ("words", "main", "target"),
    [
        ("voltage", "voltage", "step value=12V time=10ms"),
        ("position-pid kp=1V/rad", "position", "step value=90deg time=10ms"),
        ("torque-pid kp=2N*m/rad follows = velocity", "velocity", "step value=300rpm time=10ms"),
        ("torque", "effort", "step value=0.1Nm time=10ms"),
        ("nonsense", "voltage", "step value=12V time=10ms"),
    ],
)
def test_a_target_is_in_the_unit_of_its_controller(words: str, main: str, target: str):
    assert (input_of(words), target_words(main, 12.0)) == (main, target)


def test_a_row_for_a_screen_has_the_figures_of_the_output():
    """Behind a gear of 53:1 the no-load speed is a 53rd; without a gear it is the motor's own."""
    geared, bare = (summary(name, be.Datasheet.load(name)) for name in ("maxon-re40-gp52c", MOTOR))
    slow, fast = output_row(geared), output_row(bare)
    assert slow["speed"] == pytest.approx(fast["speed"] / 53.0, rel=0.01)
    assert (slow["says"], slow["voltage"]) == ("whole", 24.0)
    assert [row["id"] for row in search_rows([geared, bare], "MAXON gp")] == ["maxon-re40-gp52c"]
    assert search_rows([geared, bare], "") == [geared, bare]
