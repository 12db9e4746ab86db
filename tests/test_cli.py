"""The command line: what it prints, what it writes, and what its exit codes mean."""

import dataclasses
import itertools
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from long import some_now
from typer.testing import CliRunner

import backemf as be
from backemf import catalog, progress
from backemf.cli import drive
from backemf.cli import words as written
from backemf.cli.app import COMMANDS, app
from backemf.cli.words import kinds
from backemf.parts import units_of
from backemf.tree import role

RE40 = "maxon-re40-148877"
ROOT = Path(__file__).parents[1]
SHEET = """
[electrical]
nominal_voltage = "24 V"
resistance = "1.2 ohm"
kt = "50 mN*m/A"
[mechanical]
inertia = "100 g*cm^2"
"""
FAST = ["--duration", "20 ms", "--dt", "1 ms"]
SERVO = ["simulate", RE40, "--controller", "position-pid kp=10V/rad kd=0.1V*s/rad"]
FOLLOW = ["simulate", RE40, "--command", "90 deg", "--controller"]


def call(*arguments, width=80):
    """Run the command line in this process, on a terminal of some width."""
    return CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1"}).invoke(app, [str(a) for a in arguments])


def output_of(*arguments, width=80) -> str:
    """What a command that must succeed prints."""
    result = call(*arguments, width=width)
    assert result.exit_code == 0, result.output
    return result.stdout


def program(*arguments, cwd=None):
    """Run the command line as a program of its own."""
    environment = os.environ | {"COLUMNS": "80", "PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "backemf", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=cwd, timeout=120)


@pytest.fixture
def sheet(tmp_path):
    file = tmp_path / "my-motor.toml"
    file.write_text(SHEET)
    return file


# help


@pytest.mark.parametrize("command", [[], ["list"], ["check"], ["show"], ["simulate"]])
def test_help_explains_every_command(command):
    """Exit code 0, every option with a sentence, nothing wider than a terminal."""
    text = output_of(*command, "--help")
    assert text.startswith("Usage: ") and "--help" in text
    assert max(map(len, text.splitlines())) <= 80
    for line in text.splitlines():
        if re.match(r"  -{1,2}\w", line):
            assert re.search(r"\S  +\S", line) or len(line) > 20, line


def test_no_command_shows_the_help():
    """A newcomer who types the bare name is told what there is."""
    text = call().output
    assert all(name in text for name in ("list", "check", "show", "simulate", "Exit codes"))


def test_help_of_simulate_shows_every_command_and_load():
    """Each signal, load, controller and limit by an example."""
    text = output_of("simulate", "--help")
    for word in (*kinds("signal"), *kinds("load"), *drive.controllers(), *kinds("limit"), "motion", ".csv"):
        assert word in text


def test_every_example_of_the_help_can_be_run(sheet, tmp_path, monkeypatch):
    """What stands in quotes in each section of the help is taken as it stands."""
    monkeypatch.chdir(tmp_path)
    Path("volts.csv").write_text("time,volts\n0,1\n1,2\n")
    Path("path.csv").write_text("time,position\n0,0\n1,2\n")
    text = output_of("simulate", "--help")
    heads = ("Commands, in", "Controllers, whose", "Delays of", "Limits of", "Loads, at", "Examples:")
    sections = [text[text.index(a) : text.index(b)] for a, b in itertools.pairwise(heads)]
    quoted = [re.findall(r'^ +"([^"]+)"', section, re.M) for section in sections]
    assert [len(found) for found in quoted] == [5, len(drive.controllers()), 3, len(kinds("limit")), 7]
    readers = (written.command_from, drive.controller_from, delay_from, drive.limit_from, written.load_from)
    for read, found in zip(readers, quoted, strict=True):
        for words in found:
            read(words)
    written.command_from("volts.csv")


def delay_from(text):
    """A delay as the command line reads it."""
    return drive.actuator_from(be.load(RE40), delay=text).delay


def test_version():
    """The number of the package."""
    assert output_of("--version") == f"backemf {be.__version__}\n"


# list


@pytest.mark.parametrize("width", [80, 120])
def test_list_shows_every_motor_in_full(width):
    """Every id on a line of its own, nothing cut off, nothing wider than the terminal."""
    lines = output_of("list", width=width).splitlines()
    assert "…" not in "".join(lines)
    assert max(map(len, lines)) <= width
    assert [line.split()[0] for line in lines[3:]] == catalog.ids()


def test_list_has_units_in_its_head():
    """Volts, ohms, mN·m/A, rpm, N·m."""
    head = " ".join(output_of("list", width=120).splitlines()[1:3])
    assert all(f"[{unit}]" in head for unit in ("V", "Ω", "mN·m/A", "rpm", "N·m"))


def test_a_wide_list_shows_the_kind():
    """Where there is room."""
    assert "brushed DC" in output_of("list", width=160) and "brushed DC" not in output_of("list", width=80)


def test_list_as_json_is_in_si():
    """The RE 40 has 48 V, 1.13 Ω and 7590 rpm = 794.8 rad/s."""
    rows = {row["id"]: row for row in json.loads(output_of("list", "--json"))}
    assert list(rows) == catalog.ids()
    re40 = rows[RE40]
    assert re40["voltage"] == 48.0 and re40["resistance"] == 1.13
    assert re40["motor_speed"] == pytest.approx(7590 * 2 * np.pi / 60, rel=1e-12)
    assert re40["says"] == "whole motor" and re40["output_speed"] is None


def test_list_tells_the_motor_from_the_output():
    """A geared motor has both, figures at the output of an unknown gear say nothing of the motor."""
    rows = {row["id"]: row for row in json.loads(output_of("list", "--json"))}
    geared, joint = rows["maxon-re40-gp52c"], rows["unitree-go2"]
    assert geared["motor_speed"] == pytest.approx(geared["gear_ratio"] * geared["output_speed"])
    assert joint["motor_peak_torque"] is None and joint["output_peak_torque"] == pytest.approx(23.7)
    assert joint["says"] == "limits only"


def most(row: dict) -> float:
    """Largest torque that a row of the list names, at its output if it has one; 0 if it names none [N·m]."""
    return row["output_peak_torque"] or row["motor_peak_torque"] or 0.0


def fastest(row: dict) -> float:
    """Top speed in the same way [rad/s]."""
    return row["output_speed"] or row["motor_speed"] or 0.0


@pytest.mark.parametrize(
    "option, text, keeps",
    [
        ("--torque", ">5 N*m", lambda row: most(row) >= 5.0),
        ("--torque", "<=50 mNm", lambda row: 0.0 < most(row) <= 0.05),
        ("--torque", "2..10 N*m", lambda row: 2.0 <= most(row) <= 10.0),
        ("--torque", "2 N*m .. 1000 N*cm", lambda row: 2.0 <= most(row) <= 10.0),
        ("--speed", ">1000 rpm", lambda row: fastest(row) >= 1000 * np.pi / 30),
        ("--voltage", "24 V", lambda row: row["voltage"] is not None and abs(row["voltage"] - 24) <= 0.24),
        ("--maker", "MAXON", lambda row: row["maker"] == "maxon"),
    ],
)
def test_list_keeps_what_is_asked_for(option, text, keeps):
    """Each filter leaves exactly the rows that fit, and some of them."""
    rows = json.loads(output_of("list", "--json"))
    found = [row["id"] for row in json.loads(output_of("list", option, text, "--json"))]
    assert found == [row["id"] for row in rows if keeps(row)] and 0 < len(found) < len(rows)


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("--maker", "nobody"), "--maker nobody: there is no such maker; there are"),
        (("--torque", ">5 V"), "--torque: "),
        (("--torque", "10..2 N*m"), "the lower end comes first"),
        (("--voltage", "24"), "--voltage: "),
    ],
)
def test_list_refuses_what_is_no_range(arguments, words):
    """One sentence that names the option."""
    result = call("list", *arguments)
    assert result.exit_code == 2 and words in result.stderr and result.stderr.count("\n") == 1


# check


def test_check_of_a_sound_sheet_is_exit_code_0():
    """Every figure of the RE 40 agrees with the others."""
    text = output_of("check", RE40)
    assert "stall_torque" in text and "mechanical_time_constant" in text and "…" not in text


def test_check_of_a_contradiction_is_exit_code_1(tmp_path):
    """A no-load speed five times too high cannot be."""
    file = tmp_path / "bad.toml"
    file.write_text(SHEET + 'no_load_speed = "25000 rpm"\n')
    result = call("check", file)
    assert result.exit_code == 1
    assert "error" in result.stdout and "no_load_speed" in result.stdout and result.stderr == ""
    assert call("check", file, "--json").exit_code == 1


def test_check_says_when_there_is_nothing_to_compare(sheet):
    """A sheet that says nothing twice."""
    assert "nothing to compare" in output_of("check", sheet) or json.loads(output_of("check", sheet, "--json"))


@pytest.mark.parametrize("name", catalog.ids())
def test_check_as_json_is_valid_for_every_motor(name):
    """A list of findings with finite numbers or null, and an exit code that fits."""
    result = call("check", name, "--json")
    findings = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(word))
    severities = {finding["severity"] for finding in findings}
    assert result.exit_code == (1 if "error" in severities else 0)
    assert all(finding["explanation"] and "ratio" in finding for finding in findings)


@pytest.mark.parametrize("name", catalog.ids())
def test_check_fits_on_a_terminal_for_every_motor(name):
    """No line is wider than 80 characters and no figure is cut off."""
    lines = call("check", name).stdout.splitlines()
    assert max(map(len, lines)) <= 80 and "…" not in "".join(lines)


def test_check_marks_a_constant_that_no_one_printed(tmp_path):
    """Kt of a sheet with stall figures alone is not listed: it follows from them."""
    file = tmp_path / "drill.toml"
    file.write_text(
        'name = "drill"\n[electrical]\nnominal_voltage = "18 V"\nstall_current = "110 A"\nno_load_current = "2 A"\n'
        'resistance = "0.16 ohm"\n[mechanical]\nno_load_speed = "20000 rpm"\nstall_torque = "0.95 N*m"\n'
    )
    text = call("check", file).stdout
    assert "kt*" in text and "* kt is not printed: from stall torque / stall current" in text
    assert "(1) no source is given" in call("show", file).stdout


# show


def test_show_prints_figures_sources_and_constants():
    """What the maker says, where from, and what follows."""
    text = output_of("show", RE40)
    assert "electrical.resistance" in text and "1.13 Ω" in text and "(1) maxon RE 40 datasheet" in text
    assert re.search(r"stall torque +τ0 +2\.56\d? N·m", text)
    assert max(map(len, text.splitlines())) <= 80 and "…" not in text


def test_show_at_another_voltage_and_temperature():
    """Half the voltage gives half the stall current; 100 K more give 39 % more resistance."""

    def constants(*options):
        rows = json.loads(output_of("show", RE40, "--json", *options))["constants"]
        return {row["name"]: row["value"] for row in rows}

    plain, half = constants(), constants("--voltage", "24 V")
    hot = constants("--temperature", "125 degC")
    assert half["stall current"] == pytest.approx(plain["stall current"] / 2, rel=1e-12)
    assert hot["resistance"] == pytest.approx(plain["resistance"] * 1.39, rel=1e-9)


@pytest.mark.parametrize("name", some_now(catalog.ids(), lambda name: name in catalog.ids()[::8]))
def test_show_works_for_every_motor_or_says_what_is_missing(name):
    """Valid JSON, or one sentence."""
    result = call("show", name, "--json")
    if result.exit_code == 0:
        shown = json.loads(result.stdout, parse_constant=lambda word: pytest.fail(word))
        assert shown["figures"] and (shown.get("constants") or shown["limits"])
        assert max(map(len, output_of("show", name).splitlines())) <= 80
    else:
        assert result.exit_code == 2 and result.stderr.count("\n") == 1 and "Error: " in result.stderr


def test_show_of_a_thin_sheet_shows_its_figures_and_what_is_missing(tmp_path):
    """A resistance alone is worth seeing, and no motor."""
    file = tmp_path / "thin.toml"
    file.write_text('[electrical]\nresistance = "1.2 ohm"\n')
    result = call("show", file)
    assert result.exit_code == 2 and "1.2 Ω" in result.stdout and "the motor constant needs" in result.stderr


def test_show_without_a_nominal_voltage_asks_for_one(tmp_path):
    """The remedy is an option of the command line."""
    file = tmp_path / "motor.toml"
    file.write_text(SHEET.replace('nominal_voltage = "24 V"', ""))
    result = call("show", file, "--json")
    assert result.exit_code == 2 and 'add one, such as --voltage "24 V"' in result.stderr
    output_of("show", file, "--json", "--voltage", "24 V")


def test_show_writes_a_page(sheet, tmp_path):
    """An HTML file with the motor's name."""
    pytest.importorskip("matplotlib")
    page = tmp_path / "motor.html"
    assert f"wrote {page}" in output_of("show", sheet, "--page", page).replace("\n", "")
    assert page.read_text(encoding="utf-8").lstrip().startswith("<!doctype html>")


# simulate


def test_simulate_prints_the_end_and_the_energy():
    """At 24 V the RE 40 runs at half its no-load speed; the position is in radians."""
    text = output_of("simulate", RE40, "--command", "24 V")
    assert re.search(r"position +39\d\.\d rad", text)
    assert re.search(r"velocity +37\d\d rpm", text)
    assert "copper" in text and "electrical" in text
    assert max(map(len, text.splitlines())) <= 80


def test_simulate_as_json_is_what_python_computes():
    """The same run through both doors."""
    answer = json.loads(
        output_of("simulate", RE40, "--command", "24 V", "--load", "inertia inertia=2kg*cm^2", "--json")
    )
    motor = be.Datasheet.load(RE40).motor()
    run = be.simulate(motor, be.Inertia(inertia=2e-4), 24.0, 1.0, 1e-4)
    assert answer["time"] == pytest.approx(1.0)
    for name, value in answer["end"].items():
        assert value == run[name][-1]
    assert answer["peak"]["current"] == run["current"].max()
    assert answer["energy"] == {name: values[-1] for name, values in run.energy().items()}


def test_simulate_writes_parquet_csv_and_a_picture(sheet, tmp_path):
    """Each by its ending."""
    pytest.importorskip("matplotlib")
    for name in ("run.parquet", "run.csv"):
        output_of("simulate", sheet, "--command", "12 V", *FAST, "-o", tmp_path / name)
    text = output_of("simulate", sheet, "--command", "12 V", *FAST, "--plot", tmp_path / "run.png")
    assert f"wrote {tmp_path / 'run.png'}" in text
    table = pyarrow.parquet.read_table(tmp_path / "run.parquet")
    assert table.num_rows == 20 and table.schema.field("current").metadata[b"unit"] == b"A"
    assert (tmp_path / "run.csv").read_text().startswith("time [s],")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


def test_simulate_records_every_nth_step(sheet, tmp_path):
    """20 steps, every fifth: 4 rows, and no energy, which would need all."""
    options = ["--command", "12 V", *FAST, "--every", "5"]
    output_of("simulate", sheet, *options, "-o", tmp_path / "run.parquet")
    assert pyarrow.parquet.read_table(tmp_path / "run.parquet").num_rows == 4
    assert json.loads(output_of("simulate", sheet, *options, "--json"))["energy"] == {}


def test_a_supply_caps_the_run(sheet):
    """24 V from a 12 V battery of 0.8 Ω into a stalled 1.2 Ω motor: 12/2 = 6 A."""
    options = ["--command", "24 V", "--load", "locked", "--supply", "voltage=12V resistance=800 mohm", *FAST]
    assert json.loads(output_of("simulate", sheet, *options, "--json"))["end"]["current"] == pytest.approx(6.0)


def test_a_motion_from_a_file_turns_the_motor(sheet, tmp_path):
    """180 deg in 1 s are π rad/s."""
    file = tmp_path / "path.csv"
    file.write_text("time [ms],angle [deg]\n0,0\n1000,180\n")
    answer = json.loads(output_of("simulate", sheet, "--command", "0 V", "--load", f"motion {file}", *FAST, "--json"))
    assert answer["end"]["velocity"] == pytest.approx(np.pi)


@pytest.mark.parametrize(
    ("text", "load"),
    [
        ("inertia inertia=2kg*cm^2", be.Inertia(inertia=2e-4)),
        ("inertia  inertia = 2 kg*cm^2  damping=1e-3 N*m*s/rad", be.Inertia(inertia=2e-4, damping=1e-3)),
        ("pendulum mass=500 g length=10cm", be.Pendulum(mass=0.5, length=0.1)),
        ("torque torque=-100mN*m", be.ConstantTorque(torque=-0.1)),
        ("fan coefficient=1e-6N*m*s^2/rad^2", be.Fan(coefficient=1e-6)),
        (
            "two-mass inertia=1kg*cm^2 far_inertia=5kg*cm^2 stiffness=20N*m/rad backlash=12arcmin",
            be.TwoMass(inertia=1e-4, far_inertia=5e-4, stiffness=20.0, backlash=np.pi / 900),
        ),
        ("locked", be.LockedRotor()),
    ],
)
def test_a_load_is_read_from_words(text, load):
    """With or without spaces before the unit."""
    read = written.load_from(text)
    assert type(read) is type(load)
    for name, value in vars(load).items():
        assert getattr(read, name) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("-24 V", -24.0),
        ("500mV", 0.5),
        ("step value=24V time=100ms", be.commands.Step(value=24.0, time=0.1)),
        ("sine amplitude=12V frequency=2Hz offset=1V", be.commands.Sine(amplitude=12.0, frequency=2.0, offset=1.0)),
        (
            "chirp amplitude=1V start=1Hz end=2Hz duration=1s",
            be.commands.Chirp(amplitude=1.0, start=1.0, end=2.0, duration=1.0),
        ),
        (
            "trapezoid value=1V rise=1s hold=2s start=3s",
            be.commands.Trapezoid(value=1.0, rise=1.0, hold=2.0, start=3.0),
        ),
    ],
)
def test_a_command_is_read_from_words(text, command):
    """A number with a unit, or a signal with its parameters."""
    assert written.command_from(text) == command


# controllers


@pytest.mark.parametrize(
    ("text", "controller"),
    [
        ("voltage", be.Voltage()),
        ("position-pid kp=40V/rad", be.PositionPid(kp=40.0)),
        (
            "position-pid kp=10 V/rad ki=5V/(rad*s) kd=100mV*s/rad integral_limit=0.2rad*s freeze_at_limit=yes",
            be.PositionPid(kp=10.0, ki=5.0, kd=0.1, integral_limit=0.2, freeze_at_limit=True),
        ),
        ("velocity-pi kp=0.3V*s/rad ki=3V/rad", be.VelocityPi(kp=0.3, ki=3.0)),
        ("torque-pid kp=2N*m/rad ki=3N*m/(rad*s) kd=50mN*m*s/rad", be.TorquePid(kp=2.0, ki=3.0, kd=0.05)),
        (
            "torque-pid ki=3N*m/rad kd=1N*m*s/rad follows=velocity integral_limit=0.5rad",
            be.TorquePid(ki=3.0, kd=1.0, follows="velocity", integral_limit=0.5),
        ),
        (
            "ideal-pd stiffness=20N*m/rad damping=0.5N*m*s/rad current_bandwidth=3000rad/s",
            be.IdealPd(stiffness=20.0, damping=0.5, current_bandwidth=3000.0),
        ),
        ("torque current_bandwidth=1000rad/s", be.Torque(current_bandwidth=1000.0)),
        (
            "duty-servo kp=5 kd=0.05s/rad pwm_limit=90% current_limit=2A dead_band=0.01rad",
            be.DutyServo(kp=5.0, kd=0.05, pwm_limit=0.9, current_limit=2.0, dead_band=0.01),
        ),
    ],
)
def test_a_controller_is_read_from_words(text, controller):
    """Each by its name, with gains in any unit of their dimension."""
    assert drive.controller_from(text) == controller
    assert controller.called == text.split()[0]


def test_a_gain_per_degree_is_converted():
    """1 V/deg are 180/π V/rad."""
    assert drive.controller_from("position-pid kp=1V/deg").kp == pytest.approx(180 / np.pi, rel=1e-12)


@pytest.mark.parametrize("family", ["controller", "limit", "load"])
def test_every_number_of_a_part_can_be_given_with_its_unit(family):
    """One of each, in the unit that its field declares, is one inside."""
    for kind in kinds(family).values():
        for entry in dataclasses.fields(kind):
            if role(entry) == "number":
                unit = units_of(kind)[entry.name]
                assert written._read("--it", entry, f"1 {unit}" if unit != "1" else "1", None, "1") == 1.0


@pytest.mark.parametrize(
    ("text", "limit"),
    [
        (
            "dc-clip saturation_effort=3N*m velocity_limit=20rad/s effort_limit=2N*m",
            be.DcClip(saturation_effort=3.0, velocity_limit=20.0, effort_limit=2.0),
        ),
        ("effort effort_limit=500mN*m", be.EffortLimit(effort_limit=0.5)),
        ("effort-range lowest=-1N*m highest=2N*m", be.EffortRange(lowest=-1.0, highest=2.0)),
        ("envelope max_effort=2N*m max_actuator_velocity=9rad/s speed_effort_gradient=1rad/(N*m*s)",
         be.DriveEnvelope(max_effort=2.0, max_actuator_velocity=9.0, speed_effort_gradient=1.0)),
        ("knee driving_effort=1N*m braking_effort=2N*m knee_speed=3rad/s no_load_speed=9rad/s",
         be.KneeCurve(driving_effort=1.0, braking_effort=2.0, knee_speed=3.0, no_load_speed=9.0)),
    ],
)  # fmt: skip
def test_a_torque_limit_is_read_from_words(text, limit):
    """Each by its name."""
    assert drive.limit_from(text) == limit


@pytest.mark.parametrize(
    ("text", "delay"),
    [
        ("steps=2", be.Delay(steps=2)),
        ("steps=2.5", be.Delay(steps=2.5)),
        ("seconds=4ms", be.Delay(seconds=4e-3)),
        ("steps=2..5 schedule=episode", be.Delay(steps=(2, 5), schedule="episode")),
        ("seconds=2..5ms", be.Delay(seconds=(2e-3, 5e-3))),
        ("seconds=2 ms .. 0.005 s", be.Delay(seconds=(2e-3, 5e-3))),
        (
            "steps=0..3 schedule=period period=10 hold_probability=20% staggered=no reorder=yes frames=8",
            be.Delay(
                steps=(0, 3),
                schedule="period",
                period=10,
                hold_probability=0.2,
                staggered=False,
                reorder=True,
                frames=8,
            ),
        ),
        ("steps=1 targets=voltage per=joint", be.Delay(steps=1, targets=("voltage",), per="joint")),
    ],
)
def test_a_delay_is_read_from_words(text, delay):
    """In steps or in time, one value or a range; whole steps stay whole."""
    read = delay_from(text)
    assert read == delay and read.whole == delay.whole


@pytest.mark.parametrize(
    ("text", "main", "ends"),
    [
        ("-90deg..90deg", "position", (-np.pi / 2, np.pi / 2)),
        ("-90 .. 90 deg", "position", (-np.pi / 2, np.pi / 2)),
        ("0rpm..60rpm", "velocity", (0.0, 2 * np.pi)),
        ("-1..2 N*m", "effort", (-1.0, 2.0)),
        ("0 V..12 V", "voltage", (0.0, 12.0)),
    ],
)
def test_a_range_is_read_in_the_unit_of_the_command(text, main, ends):
    """The first end may leave its unit to the second."""
    assert drive.range_from(text, main) == pytest.approx(ends, rel=1e-12)


@pytest.mark.parametrize(
    ("text", "main", "command"),
    [
        ("90 deg", "position", np.pi / 2),
        ("1 rad", "position", 1.0),
        ("60 rpm", "velocity", 2 * np.pi),
        ("500 mN*m", "effort", 0.5),
        ("step value=180deg time=0.1s before=1rad", "position", be.commands.Step(value=np.pi, time=0.1, before=1.0)),
        ("sine amplitude=0.5N*m frequency=2Hz", "effort", be.commands.Sine(amplitude=0.5, frequency=2.0)),
        ("chirp amplitude=1rad/s start=1Hz end=2Hz duration=1s", "velocity",
         be.commands.Chirp(amplitude=1.0, start=1.0, end=2.0, duration=1.0)),
        ("trapezoid value=1rad rise=1s hold=2s start=3s", "position",
         be.commands.Trapezoid(value=1.0, rise=1.0, hold=2.0, start=3.0)),
    ],
)  # fmt: skip
def test_a_command_is_read_in_the_unit_of_what_is_followed(text, main, command):
    """An angle, a speed or a torque, in constants and in signals."""
    assert written.command_from(text, main) == command


def test_a_command_file_without_units_is_in_what_is_followed(tmp_path):
    """Bare numbers are rad for position control; a unit in the heading is converted."""
    file = tmp_path / "path.csv"
    file.write_text("time,target\n0,0\n1,2\n")
    assert written.command_from(str(file), "position").values[-1] == 2.0
    file.write_text("time,target [deg]\n0,0\n1,180\n")
    assert written.command_from(str(file), "position").values[-1] == pytest.approx(np.pi)


def test_a_position_step_reaches_its_target():
    """The first thing people try: the joint stops where friction holds kp·error, within coulomb·R/(Kt·kp) of 90 deg."""
    answer = json.loads(output_of(*SERVO, "--command", "90 deg", "--json"))
    motor = be.Datasheet.load(RE40).motor()
    stuck = motor.friction.coulomb * motor.winding.resistance / (motor.magnet.torque_constant * 10.0)
    assert abs(answer["end"]["position"] - np.pi / 2) <= 1.01 * stuck < 0.01


@pytest.mark.long
def test_a_run_under_a_controller_is_what_python_computes():
    """Every option of the drive arrives: the same run through both doors."""
    options = ["--delay", "steps=2..5 schedule=episode", "--slew", "600 deg/s", "--range", "-80..80 deg", "--seed", "7"]
    options += ["--voltage-limit", "6 V", "--substeps", "3", "--limit", "effort effort_limit=0.2N*m"]
    options += ["--supply", "voltage=12V resistance=0.1ohm", "--duration", "100 ms", "--dt", "1 ms"]
    answer = json.loads(output_of(*SERVO, "--command", "90 deg", *options, "--json"))
    actuator = be.Actuator(
        be.Datasheet.load(RE40).motor(),
        be.Supply(voltage=12.0, resistance=0.1),
        controller=be.PositionPid(kp=10.0, kd=0.1),
        delay=be.Delay(steps=(2, 5), schedule="episode"),
        limits=be.EffortLimit(effort_limit=0.2),
        command_range=(np.radians(-80.0), np.radians(80.0)),
        slew=np.radians(600.0),
        voltage_limit=6.0,
        substeps=3,
    )
    run = be.simulate(actuator, be.Inertia(inertia=0.0), np.pi / 2, 0.1, 1e-3, seed=7)
    for name, value in answer["end"].items():
        assert value == pytest.approx(run[name][-1], rel=1e-9, abs=1e-12)
    assert answer["limits"]["command range"] == pytest.approx(0.1)
    slewing = 1e-3 * sum("slew" in be.limit_names(int(flags)) for flags in run["limit"])
    assert answer["limits"]["slew"] == pytest.approx(slewing) and slewing > 0


def test_another_seed_draws_another_delay():
    """After delays of 0 to 15 steps the joint is elsewhere at 20 ms."""
    options = ["--command", "90 deg", "--delay", "steps=0..15", *FAST, "--json"]
    ends = {json.loads(output_of(*SERVO, *options, "--seed", seed))["end"]["position"] for seed in range(3)}
    assert len(ends) > 1


def test_json_says_the_controller_and_the_unit_of_the_command():
    """With gains in SI; a plain voltage says so too."""
    answer = json.loads(output_of(*SERVO, "--command", "90 deg", *FAST, "--json"))
    assert answer["controller"] == {"kind": "position-pid", "kp": 10.0, "ki": 0.0, "kd": 0.1, "freeze_at_limit": False}
    assert answer["command"] == {"input": "position", "unit": "rad", "end": np.pi / 2}
    answer = json.loads(output_of("simulate", RE40, "--command", "24 V", *FAST, "--json"))
    assert answer["controller"] == {"kind": "voltage"} and answer["limits"] == {}
    assert answer["command"] == {"input": "voltage", "unit": "V", "end": 24.0}


def test_the_table_shows_the_target_and_the_limits_that_acted():
    """Beside the position, and for how long."""
    text = output_of(*SERVO, "--command", "90 deg", "--voltage-limit", "2 V")
    assert re.search(r"^target \(position-pid\) +1\.571 rad$", text, re.M)
    assert re.search(r"^voltage limit acted for +[\d.]+ ms$", text, re.M)
    assert max(map(len, text.splitlines())) <= 80
    assert "target" not in output_of("simulate", RE40, "--command", "24 V", *FAST)


def test_columns_of_a_controlled_run_have_their_units(tmp_path):
    """The command of a speed controller is in rad/s, and so is its setpoint."""
    file = tmp_path / "run.csv"
    options = ["--command", "200 rpm", "--slew", "1000 rpm/s", "-o", file, *FAST]
    output_of("simulate", RE40, "--controller", "velocity-pi kp=0.3V*s/rad ki=3V/rad", *options)
    header = file.read_text().splitlines()[0].split(",")
    assert {"command [rad/s]", "setpoint [rad/s]", "integral [rad]"} <= set(header)


@pytest.mark.parametrize(
    ("controller", "command"),
    some_now(
        [
            ("velocity-pi kp=0.3V*s/rad", "200 rpm"),
            ("torque-pid kp=1N*m/rad kd=20mN*m*s/rad", "1 rad"),
            ("torque-pid kd=20mN*m*s/rad follows=velocity", "1 rad/s"),
            ("ideal-pd stiffness=1N*m/rad damping=20mN*m*s/rad", "1 rad"),
            ("torque current_bandwidth=1000rad/s", "0.1 N*m"),
            ("duty-servo kp=2", "1 rad"),
        ],
        lambda controller, _: controller.startswith(("velocity-pi", "duty-servo")),
    ),
)
def test_every_controller_runs(controller, command, tmp_path):
    """And draws its picture."""
    pytest.importorskip("matplotlib")
    options = ["--controller", controller, "--command", command, "--supply", "voltage=24V", *FAST]
    output_of("simulate", RE40, *options, "--plot", tmp_path / "run.png")
    assert (tmp_path / "run.png").read_bytes().startswith(b"\x89PNG")


# bad input: exit code 2 and one sentence

BAD = [
    (["check", "maxon-re40-148876"], "DatasheetError: maxon-re40-148876: is not in the catalogue: did you mean"),
    (["show", "no/such/file.toml"], "there is no such file"),
    (["show", RE40, "--voltage", "24 A"], "UnitError: --voltage: \"24 A\" is a current, not a voltage"),
    (["show", RE40, "--voltage", "0 V"], "--voltage: \"0 V\" must be above 0"),
    (["show", RE40, "--voltage", "-5 V"], "--voltage: \"-5 V\" must be above 0"),
    (["show", RE40, "--temperature", "hot"], "--temperature: \"hot\""),
    (["show", RE40, "--temperature", "-300 degC", "--json"], "temperature = -300.0 °C: so cold"),
    (["show", RE40, "--page", "no/such/folder/x.html"], "there is no folder no/such/folder"),
    (["simulate", RE40, "--command", "24"], "UnitError: --command: \"24\" has no unit: write it like \"48 V\""),
    (["simulate", RE40, "--command", "24 A"], "--command: \"24 A\" is a current, not a voltage"),
    (["simulate", RE40, "--command", ""], "--command"),
    (["simulate", RE40, "--command", "nan V"], "--command 'nan V': must be volts"),
    (["simulate", RE40, "--command", "1e999 V"], "not finite"),
    (["simulate", RE40, "--command", "square value=3V"], "must be volts, a CSV file, or begin with step, sine"),
    (["simulate", RE40, "--command", "step"], "--command: Step also needs value=..."),
    (["simulate", RE40, "--command", "sine amplitude=3V frequency=120rpm"], "is not a frequency in hertz"),
    (["simulate", RE40, "--command", "sine amplitude=3V frequency=-2Hz"], "Sine.frequency = -2"),
    (["simulate", RE40, "--command", "sine amplitude=3V frequenzy=2Hz"], "one of amplitude, frequency"),
    (["simulate", RE40, "--command", "step value"], "'value': must be name=value"),
    (["simulate", RE40, "--command", "missing.csv"], "ParameterError: missing.csv: no such file"),
    (["simulate", RE40, "--command", "24 V", "--duration", "0 s"], "duration = 0.0: must be a positive"),
    (["simulate", RE40, "--command", "24 V", "--duration", "-1 s"], "duration = -1.0: must be a positive"),
    (["simulate", RE40, "--command", "24 V", "--duration", "1 m"], "--duration: \"1 m\" is a length, not a time"),
    (["simulate", RE40, "--command", "24 V", "--dt", "0 s"], "dt = 0.0: must be a positive"),
    (["simulate", RE40, "--command", "24 V", "--every", "0"], "every = 0"),
    (["simulate", RE40, "--command", "24 V", "--load", "brick"], "must begin with one of inertia, torque"),
    (["simulate", RE40, "--command", "24 V", "--load", "pendulum mass=1kg"], "Pendulum also needs length=..."),
    (["simulate", RE40, "--command", "24 V", "--load", "locked mass=1kg"], "name=value with nothing"),
    (["simulate", RE40, "--command", "24 V", "--load", "inertia inertia=5mN*m"], "inertia: \"5mN*m\" is a torque"),
    (["simulate", RE40, "--command", "24 V", "--load", "inertia inertia=-5kg*m^2"], "Inertia.inertia = -5"),
    (["simulate", RE40, "--command", "24 V", "--load", "motion missing.csv"], "missing.csv: no such file"),
    (["simulate", RE40, "--command", "24 V", "--supply", "resistance=1ohm"], "Supply also needs voltage=..."),
    (["simulate", RE40, "--command", "24 V", "--supply", "voltage=1V shared=maybe"], "must be yes or no"),
    ([*FOLLOW, "pid kp=3V/rad"], f"must begin with one of {', '.join(drive.controllers())}"),
    ([*FOLLOW, "position-pid damping=3V/rad"], "'damping=3V/rad': must be name=value with one of kp, ki, kd, integral"),
    ([*FOLLOW, "voltage kp=3V/rad"], "'kp=3V/rad': must be name=value with nothing"),
    ([*FOLLOW, "position-pid"], "--controller: PositionPid also needs kp=..."),
    ([*FOLLOW, "position-pid kp=40"], "--controller, kp: \"40\" has no unit: write it like \"10 V/rad\""),
    ([*FOLLOW, "position-pid kp=40N*m/rad"], "is a torque or energy, not a voltage per angle"),
    ([*FOLLOW, "position-pid kp=-1V/rad"], "PositionPid.kp = -1"),
    ([*FOLLOW, "torque-pid follows=speed"], "TorquePid.follows = 'speed': must be one of position, velocity"),
    ([*FOLLOW, "torque current_bandwidth=500Hz"], "is a frequency, and a turn is 2π rad: write it like \"3000 rad/s\""),
    ([*FOLLOW, "duty-servo kp=3"], "add one, such as --supply \"voltage=12V\""),
    ([*SERVO, "--command", "24 V"], "--command: \"24 V\" is a voltage, not an angle: write it like \"90 deg\""),
    ([*SERVO, "--command", "90"], "--command: \"90\" has no unit: write it like \"90 deg\""),
    ([*SERVO, "--command", "square"], "must be an angle, a CSV file, or begin with step"),
    ([*SERVO, "--command", "step value=3V"], "--command, value: \"3V\" is a voltage, not an angle"),
    (["simulate", RE40, "--command", "2 Hz", "--controller", "velocity-pi kp=1V*s/rad"], "\"2 Hz\" is a frequency"),
    ([*FOLLOW, "torque"], "not a torque: write it like \"0.5 N*m\""),
    ([*SERVO, "--command", "1 rad", "--range", "1 rad"], "must be the lowest and the highest command"),
    ([*SERVO, "--command", "1 rad", "--range", "2..1 rad"], "--range \"2..1 rad\": the lowest comes first"),
    ([*SERVO, "--command", "1 rad", "--range", "-1..1"], "--range: \"-1\" has no unit"),
    ([*SERVO, "--command", "1 rad", "--range", "-1..1 V"], "--range: \"-1V\" is a voltage, not an angle"),
    ([*SERVO, "--command", "1 rad", "--slew", "1 V/s"], "--slew: \"1 V/s\" is a rate of voltage, not a rate of angle"),
    ([*SERVO, "--command", "1 rad", "--slew", "0 rad/s"], "--slew: \"0 rad/s\" must be above 0"),
    ([*SERVO, "--command", "1 rad", "--voltage-limit", "3 A"], "--voltage-limit: \"3 A\" is a current"),
    ([*SERVO, "--command", "1 rad", "--voltage-limit", "-3 V"], "--voltage-limit: \"-3 V\" must be above 0"),
    ([*SERVO, "--command", "1 rad", "--substeps", "0"], "substeps = 0: must be a whole number"),
    ([*SERVO, "--command", "1 rad", "--seed", "-1", "--delay", "steps=0..2"], "seed = -1: must be a whole number"),
    ([*SERVO, "--command", "1 rad", "--delay", "2"], "--delay, '2': must be name=value with one of steps, seconds"),
    ([*SERVO, "--command", "1 rad", "--delay", "steps=two"], "'two' must be a number of steps"),
    ([*SERVO, "--command", "1 rad", "--delay", "steps=5..2"], "the shortest comes first"),
    ([*SERVO, "--command", "1 rad", "--delay", "seconds=4"], "--delay, seconds: \"4\" has no unit"),
    ([*SERVO, "--command", "1 rad", "--delay", "steps=1 seconds=4ms"], "give either steps or seconds"),
    ([*SERVO, "--command", "1 rad", "--delay", "steps=1..2 schedule=sometimes"], "must be one of constant, episode"),
    ([*SERVO, "--command", "1 rad", "--delay", "steps=1..2 schedule=period period=x"], "period: 'x' must be a whole"),
    ([*SERVO, "--command", "1 rad", "--limit", "wall"], "must begin with one of dc-clip, effort, effort-range"),
    ([*SERVO, "--command", "1 rad", "--limit", "effort effort_limit=1V"], "is a voltage, not a torque"),
    (["simulate", RE40, "--command", "24 V", "-o", "run.xlsx"], "run.xlsx: the name must end in .parquet or .csv"),
    (["simulate", RE40, "--command", "24 V", "--plot", "run.gif"], "--plot run.gif: the name must end in .png"),
    (["simulate", RE40, "--command", "24 V", "-o", "no/such/run.csv"], "there is no folder no/such; make it first"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "words"), BAD, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_bad_input_is_exit_code_2_and_one_sentence(arguments, words, tmp_path, monkeypatch):
    """On the error stream, naming what was given and what to do; nothing on the other, no file left behind."""
    monkeypatch.chdir(tmp_path)
    result = call(*arguments)
    assert result.exit_code == 2, result.output
    assert words in result.stderr and result.stderr.count("\n") == 1 and result.stdout == ""
    assert isinstance(result.exception, SystemExit)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[electrical", "my-motor.toml, line 1"),
        ('[electrical]\nresistence = "1 ohm"', 'did you mean "resistance"'),
        ('[mechanical]\ninertia = "5 mN*m"', "is a torque or energy, not a moment of inertia"),
        ('[electrical]\nresistance = "-1 ohm"', "must be positive"),
        ('[electrical]\nresistance = "1 ohm"', "the motor constant needs"),
        (SHEET + '[friction]\ncoulomb = "2 mN*m"\nstiction = "1 mN*m"\nstribeck_velocity = "1 rad/s"', "my-motor.toml"),
        (SHEET.replace('resistance = "1.2 ohm"', 'resistance = "1.2 ohm"\nke = "500 mV*s/rad"'), "contradicts"),
    ],
)
@pytest.mark.parametrize("command", [["show"], ["simulate", "--command", "12 V"]], ids=lambda c: c[0])
def test_a_bad_sheet_is_exit_code_2_and_one_sentence(command, text, words, tmp_path):
    """Malformed, misspelt, of the wrong dimension, negative, insufficient, contradictory."""
    file = tmp_path / "my-motor.toml"
    file.write_text(text)
    result = call(command[0], file, *command[1:])
    assert result.exit_code == 2
    assert words in result.stderr and "my-motor.toml" in result.stderr and result.stderr.count("\n") == 1


def test_a_sheet_without_inertia_needs_a_load_with_one(tmp_path):
    """One sentence says what to give."""
    file = tmp_path / "light.toml"
    file.write_text(SHEET.partition("[mechanical]")[0])
    result = call("simulate", file, "--command", "12 V")
    assert result.exit_code == 2 and "nothing has inertia: give Motor.rotor, or a load" in result.stderr
    output_of("simulate", file, "--command", "12 V", "--load", "inertia inertia=1kg*cm^2", *FAST)


@pytest.mark.parametrize("arguments", [["--nonsense"], ["fly"], ["show"], ["simulate", RE40], ["list", "--jsn"]])
def test_usage_errors_are_exit_code_2(arguments):
    """An unknown option or command, a missing argument."""
    result = call(*arguments)
    assert result.exit_code == 2 and "Error: " in result.stderr and "Traceback" not in result.output


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["check", RE40, "--json"], 0),
        (["show", "no-such-motor"], 2),
        (["simulate", RE40, "--command", "24 A"], 2),
        (["list", "--nonsense"], 2),
    ],
)
def test_the_program_ends_with_its_exit_code_and_no_traceback(arguments, code, tmp_path):
    """As a process of its own."""
    done = program(*arguments, cwd=tmp_path)
    assert done.returncode == code, done.stderr
    assert "Traceback" not in done.stderr
    assert (done.stderr == "") == (code == 0)


def test_a_run_that_overflows_ends_the_program_in_one_sentence(tmp_path):
    """Exit code 2, with time, state and parameter."""
    file = tmp_path / "absurd.toml"
    file.write_text(SHEET)
    done = program("simulate", file, "--command", "1e307 V", "--load", "locked", *FAST)
    assert done.returncode == 2 and done.stderr.count("\n") == 1
    assert done.stderr.startswith("SimulationError: at t = 0.001 s the run was no longer finite")


def test_a_piped_run_shows_no_progress_and_plain_text():
    """No bar and no colours outside a terminal."""
    done = program("simulate", RE40, "--command", "24 V", *FAST)
    assert done.returncode == 0 and done.stderr == "" and "\x1b" not in done.stdout


def test_a_terminal_without_greek_letters_is_no_fault():
    """What it cannot show becomes a question mark."""
    environment = os.environ | {
        "PYTHONIOENCODING": "ascii",
        "PYTHONPATH": os.pathsep.join(sys.path),
        "COLUMNS": "120",
    }
    command = [sys.executable, "-m", "backemf", "list"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert done.returncode == 0 and done.stderr == "" and "[?]" in done.stdout and RE40 in done.stdout


def test_a_reader_that_leaves_early_gets_no_traceback():
    """As in `backemf list | head -1`."""
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    command = [sys.executable, "-m", "backemf", "list", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment) as done:
        done.stdout.readline()
        done.stdout.close()
        assert "Traceback" not in done.stderr.read()


def bar_on(monkeypatch, capsys, terminal, patience):
    """What a progress bar of 10 steps leaves on the error stream."""
    if terminal:
        monkeypatch.setenv("FORCE_COLOR", "1")
        monkeypatch.setenv("TTY_COMPATIBLE", "1")
    with progress.progress_bar("simulating", 10, patience=patience) as advance:
        for _ in range(10):
            advance(1)
    return capsys.readouterr().err


def test_a_progress_bar_shows_on_a_terminal_that_waits(monkeypatch, capsys):
    """After its patience is over."""
    assert "simulating" in bar_on(monkeypatch, capsys, terminal=True, patience=0.0)


def test_a_short_run_shows_no_progress_bar(monkeypatch, capsys):
    """It would only flicker."""
    assert bar_on(monkeypatch, capsys, terminal=True, patience=60.0) == ""


def test_no_progress_bar_outside_a_terminal(monkeypatch, capsys):
    """A log file stays clean."""
    assert bar_on(monkeypatch, capsys, terminal=False, patience=0.0) == ""


# the page


OPTION = r"(?<![-\w])--[a-z]+(?:-[a-z]+)*"


def options(*words) -> set[str]:
    """The options of a command, and of those below it."""
    text = output_of(*words, "--help")
    below = re.findall(r"^  ([a-z]+)  ", text.partition("\nCommands:\n")[2], re.M)
    own = text.partition("\nOptions:\n")[2].partition("\n\n")[0]
    return set(re.findall(OPTION, own)).union(*(options(*words, name) for name in below))


def test_the_page_names_options_that_exist():
    """Every --option in docs/reference/cli.md is one of the command it stands with, and every option is on the page."""
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    known = {name: options(name) for name in COMMANDS}
    everything = set.union(*known.values()) | {"--version", "--install-completion", "--show-completion"}
    assert set(re.findall(OPTION, page)) == everything
    pattern = rf"backemf ({'|'.join(COMMANDS)})\b((?:[^\n`]*\\\n)*[^\n`]*)"
    for name, rest in re.findall(pattern, page):
        assert set(re.findall(OPTION, rest)) <= known[name], rest


@pytest.mark.long
def test_the_page_shows_what_the_program_prints():
    """Each block that begins with `$ backemf ...` holds lines of its real output."""
    page = (ROOT / "docs" / "reference" / "cli.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\n\$ backemf ([^\n]*)\n(.*?)```", page, re.S)
    assert len(blocks) >= 4
    for line, shown in blocks:
        result = call(*shlex.split(line))
        printed = [text.rstrip() for text in result.output.splitlines()]
        for text in shown.splitlines():
            assert text.rstrip() in printed or text.strip() in ("", "..."), (line, text)
