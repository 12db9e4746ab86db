"""Motors carried into simulators: the loss report is what happens, and what was written comes back."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

import mujoco
import numpy as np
import pytest
from long import some_now
from test_cli import call, output_of
from transfer_rig import ACTUATORS, errors_in_mujoco, geared_motor

import backemf as be
from backemf import motorfile
from backemf.sims.losses import PHENOMENA
from backemf.sims.on_joint import OnJoint
from backemf.transfer import NAMES, Exported, export, read_file, reference_duty
from backemf.transfer.duty import complete_actuator, scale_of
from backemf.transfer.exported import Error

ROOT = Path(__file__).parents[1]
RE40 = "maxon-re40-gp52c"
TORQUE = be.Actuator(geared_motor(), controller=be.Torque())
PD = be.Actuator(geared_motor(), controller=be.IdealPd(stiffness=40.0, damping=1.0))
IDEAL = be.Motor(
    winding=be.Winding(resistance=0.5),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=2e-5),
    gearbox=be.Gearbox(stages=(be.Stage(ratio=20.0),)),
    friction=be.Coulomb(coulomb=0.004),
    ratings=be.Ratings(voltage=24.0, peak_current=20.0),
)
"""A motor that a DC-motor clip with friction is exact for."""


# --- the report


@cache
def export_geared(name: str) -> Exported:
    """A geared motor of the catalogue in a simulator."""
    return export(be.Datasheet.load(RE40).motor(), name, "knee")


def known_errors(errors: list[Error]) -> list[Error]:
    """The errors that are known; without thermal figures that of ten minutes of heat is not."""
    assert [error.where for error in errors if error.unknown] in ([], ["ten minutes of heat"])
    return [error for error in errors if not error.unknown]


@pytest.mark.parametrize("name", some_now(NAMES, lambda name: name in ("mujoco@4.0", "webots")))
def test_every_simulator_takes_a_motor(name):
    """Each target gets a text, a status for every phenomenon of the motor, and five errors that are finite."""
    found = export_geared(name)
    assert "knee" in found.text
    full = complete_actuator(be.Datasheet.load(RE40).motor())
    there = [key for key, phenomenon in PHENOMENA.items() if phenomenon.there(full)]
    assert [loss.phenomenon for loss in found.statuses if loss.status != "unknown"] == there
    assert all((loss.status == "kept") == (loss.note == "") for loss in found.statuses)
    assert [error.where for error in found.errors] == [
        "operating range", "start", "stall", "braking overspeed", "ten minutes of heat",
    ]  # fmt: skip
    for error in found.errors:
        assert 0.0 <= error.rms <= error.worst < 10.0 * error.peak


@pytest.mark.parametrize("name", ["mujoco@4.0", "mujoco@3.11", "mjlab", "isaaclab", "newton"])
def test_an_ideal_motor_arrives_whole(name):
    """Where the torque-speed line is all there is, a simulator that has it makes no error worth a thought."""
    found = export(be.Actuator(IDEAL, controller=be.Torque()), name)
    for error in known_errors(found.errors):
        assert error.worst < 1e-6 * error.peak, error


def test_physx_is_right_while_it_drives_and_wrong_while_it_brakes():
    """Its quadrants are alike: the start is exact, the overspeed is off by most of the torque."""
    errors = {e.where: e for e in export(be.Actuator(IDEAL, controller=be.Torque()), "physx").errors}
    assert errors["start"].worst < 1e-5 * errors["start"].peak
    assert errors["braking overspeed"].worst > 0.9 * errors["braking overspeed"].peak


def test_heat_is_what_a_cold_simulator_misses():
    """Ten minutes at the lasting current: the torque of the cold law stays, the motor's own falls as its R(T) rises."""
    motor = replace(IDEAL, thermal=be.Thermal(resistance=3.0, capacitance=30.0))
    full = complete_actuator(be.Actuator(motor, controller=be.Torque()))
    error = export(full, "mjlab").errors[-1]
    episode = reference_duty(scale_of(full), 0.002)[-1]
    # R(T) at rest and half speed: V = R·i0 + Ke·w is held, so i = R·i0/R(T), and the rise is Rth·R(T)·i²
    asked, kt, ohms = episode.torque[-1] / 20.0, 0.05, 0.5
    rise = 0.0
    for _ in range(200):
        hot = ohms * (1.0 + motor.winding.temperature_coefficient * rise)
        rise = 3.0 * hot * (asked / kt * ohms / hot) ** 2
    lost = 20.0 * asked * (1.0 - ohms / hot)
    assert error.worst == pytest.approx(lost, rel=0.01)


def test_duty_has_a_start_a_stall_an_overspeed_and_ten_minutes():
    """The motion is what the names say."""
    scale = scale_of(complete_actuator(TORQUE))
    start, stall, brake, heat = reference_duty(scale, 0.002)
    assert start.velocity[0] == 0.0 and start.velocity[-1] == pytest.approx(0.95 * scale.speed, rel=0.01)
    assert not stall.velocity.any() and stall.dt * len(stall.velocity) == pytest.approx(1.0)
    assert brake.velocity[0] == pytest.approx(1.2 * scale.speed) and brake.torque[-1] == -scale.asked
    assert heat.dt * len(heat.velocity) == pytest.approx(600.0)
    assert np.allclose(np.diff(start.position), start.dt * start.velocity[:-1])


def test_a_supply_that_is_not_given_is_the_rated_voltage():
    """Without a supply the no-load speed is that of the rated voltage."""
    assert scale_of(complete_actuator(IDEAL)).speed == pytest.approx(24.0 / (20.0 * 0.05))
    assert scale_of(complete_actuator(IDEAL, supply=12.0)).speed == pytest.approx(12.0 / (20.0 * 0.05))


@pytest.mark.parametrize("kind", some_now(ACTUATORS, lambda kind: kind in ("pd", "lugre")))
def test_written_models_behave_in_mujoco_as_the_report_says(kind):
    """Along every episode the real MuJoCo 4.0 is off our motor by what is reported, within 5 %."""
    actuator = ACTUATORS[kind]
    found = export(actuator, "mujoco@4.0")
    for error, (rms, worst) in zip(found.errors[1:], errors_in_mujoco(mujoco, found, actuator), strict=True):
        floor = 1e-6 * error.peak
        assert rms == pytest.approx(error.rms, rel=0.05, abs=floor), error
        assert worst == pytest.approx(error.worst, rel=0.05, abs=floor), error


MARKS = {"kept": "●", "approximated": "◐", "dropped": "○"}


def page_tables() -> tuple[list[str], list[str]]:
    """The two tables of the page on simulators: statuses and errors of one geared motor, equal columns as one."""
    found = [export_geared(name) for name in NAMES]
    columns: dict[tuple, list[str]] = {}
    for one in found:
        marks = tuple(MARKS[loss.status] for loss in one.statuses)
        errors = tuple(f"{error.rms:.2g}" for error in one.errors)
        columns.setdefault((marks, errors), []).append(one.target.title)
    heads = "| | " + " | ".join(", ".join(titles) for titles in columns.values()) + " |"
    tables = []
    for part, rule, names in (
        (0, ":-:", [loss.phenomenon for loss in found[0].statuses]),
        (1, "--:", [error.where for error in found[0].errors]),
    ):
        rows = [f"| {name} | " + " | ".join(key[part][k] for key in columns) + " |" for k, name in enumerate(names)]
        tables.append([heads, "|---" + f"|{rule}" * len(columns) + "|", *rows])
    return tables[0], tables[1]


@pytest.mark.long
def test_the_page_has_the_fates_and_errors_that_come_out():
    """Both tables of docs/simulators/index.md are those of the motor that the page speaks of."""
    page = (ROOT / "docs" / "simulators" / "index.md").read_text(encoding="utf-8")
    for table in page_tables():
        assert "\n".join(table) in page


# --- round trips


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("actuator", [TORQUE, PD], ids=["torque", "pd"])
def test_export_then_import_changes_nothing_that_the_target_can_hold(name, actuator, tmp_path):
    """What is read from a written file is written as the same file again, through a motor file."""
    first = export(actuator, name, "knee", compare=False)
    path = tmp_path / f"knee{first.target.ending}"
    path.write_text(first.text)
    version = {"version": name.split("@")[1]} if "@" in name else {}
    found = read_file(path, **version)
    own = {key: getattr(found, "joint" if key == "name" else key) for key in motorfile.JOINT}
    again, joint = motorfile.loads_with_joint(motorfile.dumps(found.actuator, own))
    joint.pop("name", None)
    second = export(OnJoint(actuator=again, **joint), name, "knee", compare=False)
    assert numbers(second.text) == pytest.approx(numbers(first.text), rel=1e-6)


@pytest.mark.parametrize("name", ["mjlab", "isaaclab", "newton"])
def test_a_dc_motor_clip_goes_into_mujoco_as_a_motor(name, tmp_path):
    """What one simulator calls a clip is exactly a dcmotor of MuJoCo 4.0 that is told a torque."""
    first = export(be.Actuator(IDEAL, controller=be.Torque()), name, "knee", compare=False)
    path = tmp_path / f"knee{first.target.ending}"
    path.write_text(first.text)
    for error in known_errors(export(read_file(path), "mujoco@4.0", "knee").errors):
        assert error.worst < 1e-6 * error.peak, error


@pytest.mark.parametrize("name", ["mujoco@4.0", "mjlab"])
def test_the_friction_of_a_joint_counts_on_both_sides(name, tmp_path):
    """A model's own frictionloss is in the motor that is compared with, and in what is written of it."""
    path = tmp_path / "knee.xml"
    path.write_text(export(be.Actuator(IDEAL, controller=be.Torque()), "mujoco@4.0", "knee", compare=False).text)
    found = read_file(path)
    assert found.coulomb == pytest.approx(20.0 * 0.004)
    for error in known_errors(export(found, name, "knee").errors):
        assert error.worst < 1e-6 * error.peak, error


def numbers(text: str) -> list[float]:
    """Every number of a text, comments apart, by size."""
    bare = re.sub(r"<!--.*?-->", "", re.sub(r"#.*", "", text), flags=re.DOTALL)
    return sorted(float(x) for x in re.findall(r"(?<![\w.])-?\d+\.?\d*(?:e[+-]?\d+)?(?![\w.])", bare))


# --- the command line


@pytest.mark.parametrize("name", some_now(["mujoco@4.0", "webots"], lambda name: name == "webots"))
def test_export_prints_what_to_paste_and_the_tables_beside_it(name):
    """The text is on the output, the tables are on the error stream."""
    result = call("export", RE40, "--to", name, "--joint", "knee", width=120)
    assert result.exit_code == 0, result.output
    assert result.stdout.strip() == export_geared(name).text.strip()
    for words in ("kept", "approximated", "operating range", "ten minutes of heat", "N·m"):
        assert words in result.stderr


@pytest.mark.long
def test_export_as_json_has_everything():
    """For scripts: the text, the statuses and the errors."""
    answer = json.loads(output_of("export", RE40, "--to", "mjlab", "--json"))
    assert answer["to"] == "mjlab" and "DcMotorActuatorCfg" in answer["text"]
    assert {loss["status"] for loss in answer["statuses"]} == {"kept", "approximated", "dropped"}
    assert len(answer["errors"]) == 5


@pytest.mark.long
def test_export_writes_the_file_and_import_reads_it(tmp_path):
    """export -o, import -o, and export of what came back are the same."""
    usda, toml, again = (tmp_path / name for name in ("knee.usda", "knee.toml", "again.usda"))
    output_of("export", RE40, "--to", "physx", "--joint", "knee", "-o", usda)
    output_of("import", usda, "-o", toml)
    output_of("export", toml, "--to", "physx", "--joint", "knee", "-o", again)
    assert again.read_text() == usda.read_text()


@pytest.mark.long
def test_a_file_that_was_imported_can_be_run(tmp_path):
    """A motor file goes into simulate like a datasheet."""
    output_of("export", RE40, "--to", "mujoco@4.0", "--controller", "voltage", "-o", tmp_path / "one.xml")
    output_of("import", tmp_path / "one.xml", "-o", tmp_path / "one.toml")
    assert "at the end" in output_of("simulate", tmp_path / "one.toml", "--command", "12 V", "--duration", "20 ms")


def test_a_motor_file_can_be_shown_and_not_checked(tmp_path):
    """Its constants are those of the motor; a datasheet's figures are not in it."""
    be.save(be.Actuator(geared_motor(), controller=be.Torque()), tmp_path / "one.toml", {"armature": 0.004})
    told = output_of("show", tmp_path / "one.toml")
    assert "What follows" in told and "what the maker says" not in told
    result = call("check", tmp_path / "one.toml")
    assert result.exit_code == 2 and "is a motor file, not a datasheet" in result.stderr
    be.save(be.Actuator(controller=be.Torque()), tmp_path / "bare.toml")
    assert "the actuator has no motor" in call("show", tmp_path / "bare.toml").stderr


def test_compare_draws_all_simulators(tmp_path):
    """One picture for all targets, with or without --to."""
    output_of("export", RE40, "--compare", tmp_path / "all.png")
    assert (tmp_path / "all.png").read_bytes().startswith(b"\x89PNG")


BAD = [
    (["--to", "gazebo"], "--to gazebo: must be one of mujoco@4.0"),
    (["--to", "mujoco@2.3"], "version = '2.3'"),
    (["--to", "mjlab@1.0"], "mjlab has one version here"),
    ([], "--to is missing"),
    (["--to", "mjlab", "--strict"], "cannot represent"),
    (["--to", "mjlab", "--kind", "muscle"], "kind = 'muscle'"),
    (["--to", "mjlab", "--effort", "often"], "effort = 'often'"),
    (["--to", "physx", "--kind", "pd"], "PhysX has one kind of motor"),
    (["--to", "mjlab", "--backlash"], "--backlash is for MuJoCo"),
    (["--to", "mujoco@4.0", "--backlash"], "backlash"),
    (["--to", "mjlab", "--timestep", "0 s"], "--timestep"),
    (["--to", "mjlab", "--compare", "all.gif"], "--compare all.gif: the name must end in"),
    (["--to", "mjlab", "-o", "no/such/folder/a.py"], "there is no folder"),
    (["--compare", "all.png", "-o", "a.py"], "--output needs --to"),
]


@pytest.mark.parametrize(("options", "words"), BAD)
def test_bad_exports_end_in_one_sentence(options, words, tmp_path, monkeypatch):
    """Exit code 2, one sentence, and no file."""
    monkeypatch.chdir(tmp_path)
    result = call("export", RE40, *options)
    assert result.exit_code == 2 and words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1 and result.stdout == ""
    assert list(tmp_path.iterdir()) == []


def test_a_motor_without_a_voltage_needs_a_supply():
    """The sentence names the option that is missing."""
    result = call("export", "cubemars-ri50", "--to", "mjlab")
    assert result.exit_code == 2 and '--supply "voltage=24V"' in result.stderr
    assert "DcMotorActuatorCfg" in output_of("export", "cubemars-ri50", "--to", "mjlab", "--supply", "voltage=24V")


def test_strict_leaves_a_file_as_it_was(tmp_path):
    """A refusal writes nothing over what is there."""
    path = tmp_path / "knee.py"
    path.write_text("mine")
    assert call("export", RE40, "--to", "mjlab", "--strict", "-o", path).exit_code == 2
    assert path.read_text() == "mine" and list(tmp_path.iterdir()) == [path]


FILES = {
    "empty.xml": ("", "empty.xml"),
    "broken.xml": ("<mujoco><actuator>", "broken.xml"),
    "bomb.xml": (
        '<!DOCTYPE a [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]><mujoco>&b;</mujoco>',
        "bomb.xml",
    ),
    "broken.usda": ("#usda 1.0\n(((", "broken.usda"),
    "noise.usd": ("\x01\x02\x03", "noise.usd"),
    "broken.py": ("actuator = DcMotorActuatorCfg(", "broken.py"),
    "other.py": ("print(1)\n", "has no actuator of mjlab or Isaac Lab"),
    "call.py": ("from mjlab import x\nx(target_names_expr=__import__('os').system('true'))\n", "call.py"),
    "broken.wbt": ("#VRML_SIM R2025a utf8\nHingeJoint {", "broken.wbt"),
    "sheet.toml": ('name = "a motor"\n', "is a datasheet"),
    "robot.urdf": ("<robot/>", "must end in"),
}


@pytest.mark.parametrize("name", FILES)
def test_bad_files_end_in_one_sentence(name, tmp_path):
    """Exit code 2 and one sentence that names the file; nothing is written."""
    text, words = FILES[name]
    path = tmp_path / name
    path.write_text(text)
    result = call("import", path, "-o", tmp_path / "out.toml")
    assert result.exit_code == 2, result.output
    assert words in result.stderr and len(result.stderr.strip().splitlines()) == 1
    assert list(tmp_path.iterdir()) == [path]


def test_files_that_are_not_there_or_not_text(tmp_path):
    """A missing file, a folder and bytes that are no text: one sentence each."""
    (tmp_path / "bytes.xml").write_bytes(b"\xff\xfe\x00\x01" * 10)
    for path in (tmp_path / "none.xml", tmp_path, tmp_path / "bytes.xml"):
        result = call("import", path)
        assert result.exit_code == 2 and len(result.stderr.strip().splitlines()) == 1


def test_a_whole_actuator_loses_nothing():
    """Newton runs the very actuator that was written; all that it is not told is the load behind dry friction."""
    pd = "ideal-pd stiffness=40N*m/rad damping=1N*m*s/rad"
    done = call("export", "mit-mini-cheetah", "--to", "newton", "--kind", "backemf", "--controller", pd, "--json")
    assert done.exit_code == 0, done.output
    answer = json.loads(done.stdout)
    assert {row["status"] for row in answer["statuses"]} == {"kept", "unknown"}
    known = [error for error in answer["errors"] if not error["unknown"]]
    assert len(known) == 4 and all(error["worst"] <= 0.2 + 1e-9 for error in known)


def test_an_error_of_a_motor_that_gives_no_torque_has_no_share(capsys):
    """A motor that its friction holds at stall: its own torque is 0, and the simulator's is not."""
    from rich.console import Console

    from backemf.cli.losses import print_errors
    from backemf.transfer.exported import Error

    rows = [
        Error("stall", 0.2, 0.26, 0.0, 0.0),
        Error("start", 0.0, 0.0, 0.0, 0.0),
        Error("braking", 1.0, 2.0, 0.0, 8.0),
    ]
    print_errors(rows, Console(width=100))
    stall, start, braking = (line.split() for line in capsys.readouterr().out.splitlines()[-3:])
    assert stall[1:5] == ["0.2", "N·m", "0.26", "N·m"] and "%" not in stall
    assert start[1:] == ["0", "0", "0", "%"] and "25" in braking


def test_titles_name_every_target_once():
    """The usual versions are those of NAMES, and older ones stand behind them."""
    from backemf.transfer.targets import target_of, titles

    found = titles()
    assert set(NAMES) <= set(found) and len(set(found.values())) == len(found)
    assert all(target_of(name).title == title for name, title in found.items())
    assert [name for name in found if name.startswith("mujoco")][:2] == ["mujoco@4.0", "mujoco@3.11"]


def test_envelopes_of_both_laws():
    """A torque limit that a simulator keeps exactly is the same envelope twice, as high as the limit."""
    from backemf.transfer.picture import REACH, envelopes

    knee = be.Actuator(controller=be.IdealPd(stiffness=40.0, damping=1.0), limits=be.EffortLimit(effort_limit=20.0))
    found = export(knee, "isaaclab", compare=False)
    both = envelopes(knee, found.on_joint)
    np.testing.assert_allclose(both.own, both.theirs, atol=1e-9)
    np.testing.assert_allclose(np.abs(both.own), 20.0)
    assert both.speed[-1] == pytest.approx(REACH * found.scale.speed)
