"""Motors that slide: the same laws with metres in place of radians, and the right unit at every edge."""

import json
from dataclasses import fields

import numpy as np
import pytest
from typer.testing import CliRunner

import backemf as be
from backemf import analyze, plot, units
from backemf.cli.app import app
from backemf.datasheet import Datasheet
from backemf.datasheet.figures import CoggingFigures, Electrical, FrictionFigures, LimitFigures, Mechanical, Peak
from backemf.datasheet.table import quantities
from backemf.errors import DatasheetError, ParameterError

TEXT = """
name = "slide"
source = "bench"
[conventions]
motion = "linear"
[electrical]
nominal_voltage = "48 V"
resistance = "2.4 ohm"
kt = "18.5 N/A"
ke = "18.5 V*s/m"
nominal_current = "2.1 A"
[mechanical]
inertia = "400 g"
nominal_torque = "34.3 N"
no_load_speed = "2.6 m/s"
speed_torque_gradient = "7 mm/(N*s)"
[friction]
coulomb = "0.8 N"
viscous = "1.5 N*s/m"
drag = ["0.01 N*s^2/m^2"]
stiffness = "1e5 N/m"
[[cogging]]
amplitude = "0.4 N"
periodicity = "262 rad/m"
phase = "90 deg"
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "slide.toml"
    path.write_text(TEXT)
    return str(path)


def run(*words: str):
    return CliRunner().invoke(app, list(words), env={"COLUMNS": "200"})


def test_a_linear_sheet_gives_a_linear_motor():
    """N/A, kg and m/s are SI: the numbers go in as they are."""
    m = Datasheet.loads(TEXT).motor()
    assert m.motion == "linear"
    assert m.magnet.torque_constant == 18.5 == m.magnet.back_emf_constant
    assert m.rotor is not None and m.rotor.inertia == 0.4
    assert m.drag is not None and m.drag.coefficients == (1.5, 0.01)
    assert m.friction == be.Dahl(coulomb=0.8, stiffness=1e5)
    assert m.cogging is not None and m.cogging.harmonics[0].periodicity == 262.0
    assert m.cogging.harmonics[0].phase == pytest.approx(np.pi / 2)


def test_a_linear_sheet_round_trips():
    """What to_toml writes, loads reads back exactly, in its own units."""
    sheet = Datasheet.loads(TEXT)
    assert Datasheet.loads(sheet.to_toml(), "<text>") == sheet
    for unit in ("N/A", "m/s", "N*s^2/m^2", "N/m", "rad/m"):
        assert unit in sheet.to_toml()


@pytest.mark.parametrize("table", [Electrical, Mechanical, FrictionFigures, Peak, LimitFigures, CoggingFigures])
def test_no_linear_figure_has_a_torque_or_an_angle_in_its_unit(table):
    """Joules and kg·m² are of turning things; the phase of a sine is an angle anywhere."""
    for name, quantity in quantities(table).items():
        unit = quantity.unit_of("linear")
        units.example(unit)
        if name not in ("phase", "periodicity"):
            assert "rad" not in unit and "N*m" not in unit and "m^2" not in unit.replace("/m^2", ""), name
        if name == "periodicity":
            assert units.dimension(unit) == (-1, 0, 0, 0, 0)
        elif name != "phase" and unit != quantity.unit:
            assert units.dimension(unit) != units.dimension(quantity.unit), name


@pytest.mark.parametrize(
    ("table", "line", "words"),
    [
        ("electrical", 'kt = "18.5 N*m/A"', 'A": has the unit of a rotary motor.*write it like "20 N/A"'),
        ("mechanical", 'no_load_speed = "3000 rpm"', 'rotary motor.*like "1.5 m/s", or set motion = "rotary"'),
        ("mechanical", 'inertia = "137 g*cm^2"', "unit of a rotary motor"),
        ("friction", 'drag = ["1e-8 N*m*s^2/rad^2"]', "unit of a rotary motor"),
        ("cogging", 'amplitude = "1 N"\nperiodicity = 84', "unit of a rotary motor.*262 rad/m"),
        ("cogging", 'amplitude = "1 N"\npoles = 14\nslots = 12', "no turns to count them on"),
        ("gear", "ratio = 9", "a linear motor has no gearbox: leave it out"),
        ("mechanical", 'inertia = "3 A"', "is a current, not a mass"),
    ],
)  # fmt: skip
def test_a_rotary_unit_in_a_linear_sheet_is_refused(table, line, words):
    """One sentence with what to do."""
    header = f"[[{table}]]" if table in ("cogging", "gear") else f"[{table}]"
    with pytest.raises(DatasheetError, match=words) as caught:
        Datasheet.loads(f'{header}\n{line}\n[conventions]\nmotion = "linear"\n', "x.toml")
    assert str(caught.value).startswith("x.toml") and "\n" not in str(caught.value)


@pytest.mark.parametrize("line", ['kt = "18.5 N/A"', 'ke = "18.5 V*s/m"'])
def test_a_linear_unit_in_a_rotary_sheet_is_refused(line):
    """And the way to a linear sheet is named."""
    with pytest.raises(DatasheetError, match=r'unit of a linear motor.*or set motion = "linear" under'):
        Datasheet.loads(f"[electrical]\n{line}\n")


def test_the_physics_is_that_of_the_rotary_motor_with_the_same_numbers():
    """Metres in place of radians change no number."""
    slide = Datasheet.loads(TEXT).motor()
    known = {entry.name: getattr(slide, entry.name) for entry in fields(slide)}
    turning = be.Motor(**known | {"motion": "rotary"})
    runs = [be.simulate(m, be.Inertia(2.0), 24.0, duration=0.05, dt=1e-4) for m in (slide, turning)]
    for name in runs[0].channels:
        assert (runs[0][name] == runs[1][name]).all(), name
    assert runs[0].unit("position") == "m" and runs[1].unit("position") == "rad"
    assert (runs[0].unit("torque"), runs[0].unit("velocity"), runs[0].unit("current")) == ("N", "m/s", "A")


def test_findings_of_a_run_are_in_metres_per_second():
    """Too fast is said in m/s, and a target of many metres does not look like degrees."""
    slide = Datasheet.loads(TEXT.replace('inertia = "400 g"', 'inertia = "400 g"\nmax_speed = "0.5 m/s"')).motor()
    run = be.simulate(slide, be.Inertia(0.0), 24.0, duration=0.05, dt=1e-4)
    (fast,) = [finding for finding in run.findings() if finding.what == "speed"]
    assert fast.unit == "m/s" and "0.5 m/s" in fast.explanation and "rpm" not in fast.explanation
    far = be.simulate(
        be.Actuator(slide, controller=be.PositionPid(kp=1.0)), be.Inertia(0.0), 90.0, duration=0.05, dt=1e-4
    )
    assert not [finding for finding in far.findings() if "degrees" in finding.explanation]


def test_the_run_of_a_linear_motor_is_drawn_in_metres():
    """The axes have the units of the channels, and the command is found."""
    slide = Datasheet.loads(TEXT).motor()
    drawn = be.simulate(slide, be.Inertia(2.0), 24.0, duration=0.01, dt=1e-4).plot()
    labels = [ax.get_ylabel() for ax in drawn.axes]
    assert "position\n[m]" in labels and "speed\n[m/s]" in labels


def test_the_constants_of_a_linear_motor_are_in_newtons():
    """Names and units of every row."""
    rows = {name: unit for name, _, _, unit in analyze.constants(Datasheet.loads(TEXT).motor()).rows()}
    assert rows["stall force"] == "N" and rows["moving mass"] == "kg" and rows["no-load speed"] == "m/s"
    assert rows["force constant"] == "N/A" and rows["motor constant"] == "N/√W"
    assert not [name for name, unit in rows.items() if "torque" in name or "rad" in unit or "N·m" in unit]


def test_findings_are_in_linear_units():
    """kt in N/A, speeds in m/s."""
    found = {f.figure: f for f in Datasheet.loads(TEXT).check()}
    assert (found["kt"].unit, found["no_load_speed"].unit, found["nominal_torque"].unit) == ("N/A", "m/s", "N")
    assert found["speed_torque_gradient"].severity == "ok" and "m/(N·s)" in str(found["speed_torque_gradient"])


@pytest.mark.parametrize(
    ("factor", "cause"), [(10.0, "factor-10"), (1000.0, "factor-1e3"), (2 * np.pi, ""), (30 / np.pi, "")]
)
def test_a_linear_motor_has_no_slip_of_turns(factor, cause):
    """A prefix can be wrong in any unit; radians and revolutions cannot where nothing turns."""
    sheet = Datasheet.from_si(
        "x",
        conventions={"motion": "linear"},
        electrical={"kt": 18.5, "ke": 18.5, "resistance": 2.4, "nominal_voltage": 48.0},
        mechanical={"no_load_speed": factor * 48.0 / 18.5, "stall_torque": 18.5 * 48.0 / 2.4},
    )
    found = {f.figure: f for f in sheet.check()}["no_load_speed"]
    assert found.severity == "error" and found.cause == cause
    assert "rpm" not in str(found) and "rad" not in str(found)


def test_contradictions_are_in_linear_units():
    """The sentence that refuses a motor."""
    tables = {"kt": 18.5, "ke": 1.0, "resistance": 2.4}
    with pytest.raises(DatasheetError, match=r"kt = 18.5 N/A: contradicts"):
        Datasheet.from_si("x", conventions={"motion": "linear"}, electrical=tables).motor()
    friction = {"coulomb": 2.0, "stiction": 1.0, "stribeck_velocity": 1.0}
    with pytest.raises(DatasheetError, match="stiction = 1 N is below coulomb = 2 N:"):
        Datasheet.from_si("x", conventions={"motion": "linear"}, friction=friction)


def test_estimates_are_not_for_linear_motors():
    """Their rules were fitted on motors that turn."""
    sheet = Datasheet.loads(TEXT)
    assert "estimates" not in {finding.figure for finding in sheet.check()}
    with pytest.raises(DatasheetError, match="only rotary motors can be estimated, and this one is linear"):
        sheet.motor(estimate=True)


def test_a_motor_file_keeps_the_motion(tmp_path):
    """A saved linear motor is one when it is read."""
    motor = Datasheet.loads(TEXT).motor()
    be.save(be.Actuator(motor), tmp_path / "slide.toml")
    assert be.load(tmp_path / "slide.toml").motor == motor


def test_a_motion_is_one_of_two():
    """Anything else is a typo."""
    with pytest.raises(ParameterError, match=r"Motor.motion = .*must be one of rotary, linear"):
        be.Motor(
            winding=be.Winding(resistance=1.0),
            magnet=be.Magnet(torque_constant=1.0, back_emf_constant=1.0),
            motion="sliding",
        )


def test_limits_alone_make_no_linear_actuator(tmp_path):
    """An actuator of limits has newton metres: too few figures are an error, in every command."""
    sheet = Datasheet.from_si("x", conventions={"motion": "linear"}, peak={"torque": 90.0}, mechanical={"max_speed": 2})
    assert sheet.says == "too little"
    with pytest.raises(DatasheetError, match="too few figures for a motor"):
        sheet.actuator()
    file = tmp_path / "x.toml"
    file.write_text(sheet.to_toml())
    for words in (("show",), ("simulate", "--command", "1 V"), ("export", "--to", "mjlab")):
        answer = run(words[0], str(file), *words[1:])
        assert answer.exit_code != 0 and "too few figures for a motor" in answer.output + str(answer.exception)
        assert "N·m" not in answer.output
    assert "N·m" not in run("check", str(file)).output


# --- the commands


def test_check_and_show_print_linear_units(file):
    """No newton metres anywhere."""
    for word in ("check", "show"):
        answer = run(word, file)
        assert answer.exit_code == 0, answer.output
        assert "18.5 N/A" in answer.output
        assert "N·m" not in answer.output and "rpm" not in answer.output and "torque constant" not in answer.output


def test_simulate_takes_loads_in_kilograms_and_newtons(file):
    """Volts in, metres out."""
    answer = run(
        "simulate", file, "--command", "24 V", "--load", "torque torque=-5N inertia=2kg", "--duration", "10 ms"
    )
    assert answer.exit_code == 0, answer.output
    assert "m/s" in answer.output and "rad" not in answer.output and "N·m" not in answer.output
    free = run("simulate", file, "--command", "24 V", "--duration", "10 ms", "--json")
    assert free.exit_code == 0 and json.loads(free.stdout)["end"]["velocity"] > 0


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        (("simulate", "--command", "24 V", "--load", "inertia inertia=2kg*cm^2"), "is a moment of inertia, not a mass"),
        (("simulate", "--command", "24 V", "--load", "pendulum mass=1kg length=1m"), "cannot swing a pendulum"),
        (("simulate", "--command", "1 rad", "--controller", "position-pid kp=1V/rad"), "is a linear motor, which"),
        (("simulate", "--command", "24 V", "--limit", "effort effort_limit=1N*m"), "is a linear motor, which accepts"),
        *((("export", "--to", name), "is a linear motor, and simulators' files") for name in be.transfer.targets.NAMES),
        (("show", "--page", "page.html"), "is a linear motor: its pictures would"),
    ],
)  # fmt: skip
def test_what_a_command_cannot_do_it_refuses_in_one_sentence(file, tmp_path, monkeypatch, words, refusal):
    """Rather than print or write a wrong unit."""
    monkeypatch.chdir(tmp_path)
    answer = run(words[0], file, *words[1:])
    assert answer.exit_code != 0
    assert refusal in " ".join((answer.output + str(answer.exception)).split())
    assert not (tmp_path / "page.html").exists()


def test_pictures_of_linear_motors_are_refused():
    """Their axes would be wrong."""
    with pytest.raises(ParameterError, match="is a linear motor: its pictures"):
        plot.torque_speed(Datasheet.loads(TEXT).motor(), 48.0)
