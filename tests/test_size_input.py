"""Bad input of sizing: one sentence each, with the file, the field, the value and the remedy."""

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from size_rig import motor, task
from typer.testing import CliRunner

import backemf as be
from backemf.cli.app import app
from backemf.size import import_pairs, read_motion
from backemf.size.candidate_files import read_candidate_files


@cache
def catalogue() -> be.Candidates:
    """The catalogue, read once."""
    return be.Candidates.catalogue()


TASKS = Path(__file__).parents[1] / "examples" / "tasks"
TEXT = (TASKS / "arm.toml").read_text(encoding="utf-8")


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_velocity_that_is_not_the_derivative_of_its_position(tmp_path):
    rows = "".join(f"{t},{t * t},{3 * t}\n" for t in np.linspace(0.0, 1.0, 20))
    path = write(tmp_path, "move.csv", "time [s],position [rad],velocity [rad/s]\n" + rows)
    with pytest.raises(be.ParameterError, match=r"move\.csv: the velocity is not the derivative of the position: at "):
        read_motion(path)


def test_samples_out_of_order(tmp_path):
    path = write(tmp_path, "move.csv", "time [s],position [deg]\n0,0\n1,10\n0.5,20\n2,30\n")
    with pytest.raises(be.ParameterError, match=r"move\.csv: time 0\.5 s in row 3 comes after 1 s: .* sort them"):
        read_motion(path)


def test_units_of_a_motion(tmp_path):
    """Degrees, rpm and N·cm are read; the joint's own columns come first."""
    rows = "0,0,1,0\n100,30,2,5\n200,60,3,5\n300,90,4,5\n"
    path = write(tmp_path, "m.csv", "time [ms],position[knee] [deg],torque[knee] [N*cm],torque[hip] [N*m]\n" + rows)
    motion = read_motion(path, "knee", closed=False)
    assert motion.time.tolist() == pytest.approx([0.0, 0.1, 0.2, 0.3])
    assert motion.position.tolist() == pytest.approx(np.radians([0, 30, 60, 90]))
    assert motion.torque.tolist() == pytest.approx([0.01, 0.02, 0.03, 0.04])


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("limits", 3, "Task.limits = 3: must be a TaskLimits"),
        ("gears", 3, "Task.gears = 3: must be a FreeGears"),
        ("robot", "arm.xml", "Task.robot = 'arm.xml': must be a RobotModel"),
        ("name", 3, "Task.name = 3: must be a text"),
        ("samples", 0, "Task.samples = 0: must be a whole number, 8 or more"),
        ("samples", 10.5, "Task.samples = 10.5: must be a whole number"),
        ("wanted", ("energy", "energy"), "Task.wanted: 'energy' is there twice"),
    ],
)
def test_fields_of_a_task_that_cannot_be(field, value, words):
    """In Python as in a file."""
    with pytest.raises(be.ParameterError) as caught:
        task(**{field: value})
    assert str(caught.value).startswith(words)


def test_candidates_as_people_have_them(tmp_path):
    """What `load` gives, catalogue ids, motor files, or one of them alone; a datasheet has its mass."""
    be.save(motor("mine"), tmp_path / "mine.toml")
    actuator = be.Actuator(motor("whole"))
    for given in (actuator, [actuator], tmp_path / "mine.toml", [str(tmp_path / "mine.toml"), actuator]):
        assert be.size(task(), given).only.count == (2 if isinstance(given, list) and len(given) > 1 else 1)
    light = be.size(task(wanted="mass"), "maxon-re40-148867").only
    assert light.count == 1 and light.choice(0).figures["mass"] == pytest.approx(0.48)
    array = motor(winding=be.Winding(resistance=np.array([0.5, 0.6])))
    for given, words in (
        ([], "there are no candidates: give one motor or more"),
        ([3], r"candidates\[0\] = 3: must be a Motor, an Actuator with one, a catalogue id or a path"),
        (["maxon-re41"], r"candidates\[0\] = 'maxon-re41': is no file, and no id: did you mean"),
        ([array], r"candidates\[0\]: has arrays for numbers; give each of its motors by itself"),
        ("nowhere", "nowhere: is no folder"),
    ):
        with pytest.raises(be.ParameterError, match=words):
            be.size(task(), given)


@pytest.mark.parametrize("count", [0, -1, 1.5, "a"])
def test_pairs_to_verify_are_counted(count):
    with pytest.raises(be.ParameterError, match="must be a whole number of pairs, 1 or more"):
        be.size(task(), [motor()]).verify(count)


def test_columns_of_a_named_joint_say_what_is_wrong_with_them(tmp_path):
    """Rather than that there are no others."""
    write(tmp_path, "knee.csv", "time [s],position[shoulder] [deg]\n0,0\n0.2,1\n0.1,2\n0.3,3\n")
    start, end = TEXT.index('kind = "trapezoid"'), TEXT.index("[joints.shoulder.load]")
    text = TEXT[:start] + 'kind = "csv"\nfile = "knee.csv"\n\n' + TEXT[end:]
    with pytest.raises(be.ParameterError, match="samples are out of order"):
        be.Task.read(write(tmp_path, "task.toml", text))


def test_peaks_of_few_samples_keep_their_size():
    """A torque of one sample falls in straight lines to its neighbours: its peak counts, and a third of its square."""
    torque = np.zeros(9)
    torque[4] = 10.0
    motion = be.SampledMotion(time=0.1 * np.arange(9), position=np.zeros(9), torque=torque)
    only = be.size(task(joints={"joint": be.JointTask(motion=motion)}), [motor(ratio=10.0)]).only
    figures = (only.best if len(only) else only.rejected(1)[0]).figures
    assert figures["gear_peak"] == 10.0
    assert figures["peak_current"] == pytest.approx(10.0 / 10.0 / 0.05)
    assert figures["rms_current"] == pytest.approx(20.0 * np.sqrt(0.2 / 3.0 / 0.8), rel=1e-4)


def test_torque_without_inertia():
    joint = be.JointTask(motion=be.TriangleMove(angle=1.0, duration=0.5), load=be.ConstantTorque(torque=-2.0))
    with pytest.raises(be.ParameterError, match=r"ConstantTorque has a torque and no inertia, .* give its inertia"):
        be.size(task(joints={"lift": joint}), [motor()])


@pytest.mark.parametrize(
    ("motion", "rest", "words"),
    [
        (
            be.SineMotion(amplitude=1.0, frequency=0.5),
            1.0,
            "its motion begins at 3.14 rad/s, and there is a rest of 1 s",
        ),
        (be.SampledMotion(time=[0, 1, 2, 3], velocity=[0, 0, 1, 1], closed=False), 1.0, "its motion ends at 1 rad/s"),
        (
            be.TriangleMove(angle=1.5, duration=0.5, returns=False),
            0.0,
            "ends 1.5 rad from where it begins, and there P",
        ),
        (be.SampledMotion(time=[0, 1, 2, 3], position=[0, 0.2, 0.4, 0.6]), 0.0, "ends 0.6 rad from where it begins"),
    ],
)
def test_motion_that_cannot_follow_itself(motion, rest, words):
    """A jump of the speed over a rest, or of a pendulum's angle from the end of a motion to the next one."""
    weight = be.Pendulum(mass=0.5, length=0.2)
    with pytest.raises(be.ParameterError, match=f"joint 'joint': .*{words}"):
        task(joints={"joint": be.JointTask(motion=motion, load=weight, rest=rest)}).cycles()


def test_motion_that_goes_on_and_on():
    """Whole turns of a pendulum, an inertia anywhere, and a sine without a rest follow themselves."""
    turn = be.TriangleMove(angle=2 * math.pi, duration=0.5, returns=False)
    on = be.TriangleMove(angle=1.5, duration=0.5, returns=False)
    swing = be.SineMotion(amplitude=1.0, frequency=0.5)
    weight = be.Pendulum(mass=0.5, length=0.2)
    for motion, load, rest in ((turn, weight, 1.0), (on, be.Inertia(0.1), 1.0), (swing, weight, 0.0)):
        assert task(joints={"joint": be.JointTask(motion=motion, load=load, rest=rest)}).cycles()


def test_supply_too_weak_for_any_candidate():
    with pytest.raises(be.ParameterError, match=r"supply of 1 V is too weak for each of 1 candidates; m needs least"):
        be.size(task(supply=be.Supply(voltage=1.0)), [motor()])


def test_candidates_that_lack_what_every_task_needs():
    """A motor without a rotor's inertia is named, not guessed."""
    with pytest.raises(be.ParameterError, match="no candidates: 1 were left out; the first, m: has no rotor inertia"):
        be.size(task(), [motor(rotor=None)])


def test_nothing_says_what_it_moves():
    joint = be.JointTask(motion=be.TriangleMove(angle=1.0, duration=0.5))
    with pytest.raises(be.ParameterError, match="nothing says what it moves: give a load"):
        be.size(task(joints={"a": joint}), [motor()])


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("backemf task 1", "task", "format = 'task': must be \"backemf task 1\""),
        ('kind = "trapezoid"', 'kind = "trapez"', "did you mean trapezoid"),
        ('"2 kg"', '"2 m"', "mass"),
        ("repeats = 5", "repeats = 0", "repeats = 0"),
        ("rest = ", "pause = ", "there is no such field"),
        ('["mass", "energy"]', '["weight"]', "'weight' is not what can be wanted"),
        ('voltage = "48 V"', 'voltage = "-48 V"', "voltage"),
        ('ambient = "30 degC"', "ambient = 30", "ambient"),
    ],
)
def test_bad_task_files(old, new, words):
    assert old in TEXT
    with pytest.raises(be.ParameterError, match="arm") as error:
        be.Task.parse(TEXT.replace(old, new), "arm.toml")
    assert words in str(error.value) and "arm.toml" in str(error.value)
    assert "\n" not in str(error.value)


def test_every_limit_in_a_task_file():
    """Each in a unit that people write, temperatures among them."""
    texts = {
        "mass": "800 g", "diameter": "40 mm", "current": "5000 mA", "supply_current": "3 A",
        "winding_temperature": "120 °C", "housing_temperature": "60 degC",
    }  # fmt: skip
    given = "\n[limits]\n" + "\n".join(f'{name} = "{text}"' for name, text in texts.items())
    limits = be.Task.parse(TEXT + given, "arm.toml").limits
    assert vars(limits) == {
        "mass": 0.8, "diameter": 0.04, "current": 5.0, "supply_current": 3.0, "winding_temperature": 120.0,
        "housing_temperature": 60.0,
    }  # fmt: skip


def database(
    folder: Path, motors: str, gears: str = "g,X,1,planetary,1,10,0.1,1e-8,0.9,1,2,1\n", fits: str = "m,g\n"
) -> Path:
    head = "key,manufacturer,ID,type,V,k_t,R,L,mass,inertia,omega_nl,I_nl,I_nom,Rth1,Rth2\n"
    write(folder, "x_motors.csv", head + motors)
    write(
        folder,
        "x_gearboxes.csv",
        "key,manufacturer,ID,type,stages,ratio,mass,inertia,efficiency,direction,max_int_torque,max_cont_torque\n"
        + gears,
    )
    write(folder, "x_compatibility.csv", fits)
    return folder


GOOD = "m,maxon,1,DC,24,0.03,1,1e-4,0.2,1e-5,780,0.1,2.5,2,6\n"


def test_rows_of_a_database_that_contradict_themselves_are_left_out(tmp_path):
    """A no-load speed ten times too large, a missing resistance and a gear that loses less than nothing are named."""
    bad = (
        GOOD.replace("m,", "fast,", 1).replace("780", "7800")
        + "lacks,maxon,1,DC,24,0.03,nan,1e-4,0.2,1e-5,780,0.1,2.5,2,6\n"
    )
    folder = database(
        tmp_path, GOOD + bad, "g,X,1,planetary,1,10,0.1,1e-8,0.9,1,2,1\nfree,X,1,planetary,1,10,0.1,1e-8,1.2,1,2,1\n",
        "m,g,free,,\nfast,g\nlacks,g\n",
    )  # fmt: skip
    done = import_pairs(folder, tmp_path / "out")
    assert (done.pairs, done.listed) == (1, 4)
    reasons = {each.name: each.reason for each in done.left_out}
    assert reasons.keys() == {"fast", "lacks", "free"}
    assert "contradicts itself" in reasons["fast"] and "no_load_speed" in reasons["fast"]
    assert reasons["lacks"] == "lacks R"
    assert "efficiency = '1.2'" in reasons["free"]
    read = be.Candidates.read(done.folder)
    assert len(read) == 1 and {each.name for each in read.left_out} == reasons.keys()
    made = read.batches[0].single(0)
    assert (float(made.ratio), float(made.winding.resistance)) == (10.0, 1.0)


def test_partial_keys_stand_for_all_gears_that_begin_so(tmp_path):
    gears = "".join(f"{key},X,1,planetary,1,10,0.1,1e-8,0.9,1,2,1\n" for key in ("A_1", "A_2", "B_1"))
    assert import_pairs(database(tmp_path, GOOD, gears, "m,A_*\n"), tmp_path / "out").pairs == 2


def test_folder_of_raw_csv_says_how_to_import_it(tmp_path):
    with pytest.raises(be.ParameterError, match="import its CSV files first: backemf catalogue import"):
        be.Candidates.read(database(tmp_path, GOOD))


@pytest.mark.parametrize("name", ["arm", "knee", "pan_tilt"])
def test_gallery_tasks(name):
    """Each task of the gallery has its cycle; every joint does work."""
    given = replace(be.Task.read(TASKS / f"{name}.toml"), samples=100)
    for cycle in given.cycles().values():
        assert cycle.peak_torque > 0.0 and cycle.top_speed > 0.0
    found = be.size(given, catalogue())
    for joint in found.joints.values():
        assert joint.count > 10 and joint.rejected(1)[0].reason


def test_command_line(tmp_path):
    """The command prints the table, and JSON; the report is a page."""
    page = tmp_path / "size.html"
    folder = tmp_path / "motors"
    folder.mkdir()
    for ratio in (40.0, 80.0):
        be.save(motor(ratio=ratio, ratings=be.Ratings(winding_temperature=125.0)), folder / f"gear{ratio:g}.toml")
    text = TEXT.replace('["mass", "energy"]', '["energy", "inertia"]').replace('"2 kg"', '"0.5 kg"')
    given = write(tmp_path, "task.toml", text)
    done = CliRunner().invoke(app, ["size", str(given), "--from", str(folder), "--json", "--report", str(page)])
    assert done.exit_code == 0, done.output
    assert '"feasible": 2' in done.output
    content = page.read_text(encoding="utf-8")
    assert "<svg" in content or "data:image/svg" in content
    assert "gear40" in content
    for width in (80, 200):
        shown = CliRunner(env={"COLUMNS": str(width)}).invoke(app, ["size", str(given), "--from", str(folder)]).output
        assert "…" not in shown and max(map(len, shown.splitlines())) <= width
        titles = shown.splitlines()[2].split()
        # what the task wants is there in any case
        assert {"[J]", "[kg·m²]", "tightest"} <= set(titles)
        assert ("[V]" in titles) == (width == 200)
    bad = CliRunner().invoke(app, ["size", str(tmp_path / "no.toml")])
    assert bad.exit_code == 2


LOAD = TEXT[TEXT.index("[joints.shoulder.load]") :]
HEAD = TEXT[: TEXT.index("[joints.shoulder.motion]")]
ENERGY = TEXT.replace('["mass", "energy"]', '"energy"')
SAMPLED = HEAD + '[joints.shoulder.motion]\nkind = "csv"\nfile = "move.csv"\n'


@pytest.mark.parametrize(
    ("text", "samples", "words"),
    [
        (TEXT, "", "none of 1 candidates states what the task needs; the first, geared: does not state its mass"),
        (ENERGY.replace('"48 V"', '"2 V"'), "", "the supply of 2 V is too weak for each of "),
        (ENERGY.replace('"0.1 ohm"', '"200 ohm"'), "", "the supply of 48 V is too weak for each of "),
        (SAMPLED + LOAD, "position [rad],velocity [rad/s]\n0,0,0\n1,1,9\n2,2,9\n3,3,9\n", "is not the derivative of"),
        (SAMPLED + LOAD, "position [rad]\n0,0\n2,1\n1,2\n3,3\n", "the samples are out of order; sort them by time"),
        (SAMPLED + LOAD, "position [rad],torque [N*m]\n0,0,1\n1,1,1\n2,2,1\n3,3,1\n", "it has a load too; leave out"),
        (
            TEXT.replace(LOAD, '[joints.shoulder.load]\nkind = "ConstantTorque"\ntorque = "2 N*m"\n'), "",
            "has a torque and no inertia",
        ),
        (TEXT + "[gears]\nratios = [0.5]\n", "", "FreeGears.ratios = [0.5]: must be one or more numbers from 1"),
    ],
    ids=["mass", "weak supply", "weak battery", "derivative", "order", "torque and load", "no inertia", "gears"],
)  # fmt: skip
def test_bad_input_through_the_command_line(text, samples, words, tmp_path):
    """One sentence and the status 2, never a traceback."""
    given = write(tmp_path, "task.toml", text)
    if samples:
        write(tmp_path, "move.csv", "time [s]," + samples)
    folder = tmp_path / "motors"
    folder.mkdir()
    be.save(motor(ratio=40.0), folder / "geared.toml")
    bad = CliRunner(env={"COLUMNS": "1000"}).invoke(
        app, ["size", str(given.with_name("task.toml")), "--from", str(folder)]
    )
    assert isinstance(bad.exception, (SystemExit, be.ParameterError))
    said = str(bad.exception) if isinstance(bad.exception, be.ParameterError) else bad.output
    assert words in said and "Traceback" not in said and len(said.strip().splitlines()) == 1


@pytest.mark.parametrize(("option", "value"), [("--top", "0"), ("--top", "-3"), ("--verify", "-1")])
def test_counts_of_the_command(option, value, tmp_path):
    """A number of pairs that makes no sense is refused before anything is computed."""
    bad = CliRunner().invoke(app, ["size", str(write(tmp_path, "task.toml", TEXT)), option, value])
    assert f"{option} {value}: must be a whole number" in (str(bad.exception) + bad.output) and bad.exit_code != 0


def test_files_of_a_folder_that_are_no_motors(tmp_path):
    """A task among the motor files is named as what it is."""
    write(tmp_path, "task.toml", TEXT)
    be.save(motor(ratio=40.0), tmp_path / "geared.toml")
    (left,) = be.Candidates.read(tmp_path).left_out
    assert left.name == "task" and 'format = "backemf task 1": is not a datasheet' in left.reason.replace("'", '"')


def test_command_writes_the_robot(tmp_path):
    """From the task to a file that export takes, its model found from there."""
    folder, robot = tmp_path / "motors", tmp_path / "robot.toml"
    folder.mkdir()
    be.save(motor(ratio=80.0, efficiency=0.9, ratings=be.Ratings(winding_temperature=155.0)), folder / "geared.toml")
    light = TEXT.replace('"2 kg"', '"0.3 kg"').replace('["mass", "energy"]', '"energy"')
    for name, text in (("arm.toml", light), ("arm.xml", (TASKS / "arm.xml").read_text(encoding="utf-8"))):
        write(tmp_path, name, text)
    done = CliRunner().invoke(app, ["size", str(tmp_path / "arm.toml"), "--from", str(folder), "--robot", str(robot)])
    assert done.exit_code == 0, done.output
    read = be.read_robot(robot)
    assert read.model == tmp_path / "arm.xml" and list(read.joints) == ["shoulder"]


@pytest.mark.parametrize("name", ["arm", "pan_tilt"])
def test_models_of_the_gallery_are_their_loads(name):
    """The torque of the loads is that of the model's inverse dynamics, where the other joint stands still."""
    pytest.importorskip("mujoco")
    given = replace(be.Task.read(TASKS / f"{name}.toml"), samples=60)
    for joint in given.joints:
        joints = {
            each: part if each == joint else replace(part, motion=replace(part.motion, amplitude=0.0))
            for each, part in given.joints.items()
        }
        alone = replace(given, joints=joints)
        bare = replace(alone, joints={each: replace(part, load=None) for each, part in joints.items()})
        one, other = (each.cycles()[joint].torque for each in (alone, bare))
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


def test_robot_model_says_the_torque(tmp_path):
    """An arm of MuJoCo's, moved alone, takes what its pendulum does."""
    pytest.importorskip("mujoco")
    write(
        tmp_path, "arm.xml",
        """<mujoco><worldbody><body><joint name="swing" type="hinge" axis="0 1 0"/>
        <inertial pos="0 0 -0.3" mass="0.5" diaginertia="1e-9 1e-9 1e-9"/></body></worldbody></mujoco>""",
    )  # fmt: skip
    move = be.SineMotion(amplitude=0.6, frequency=1.0)
    robot = be.Task(
        joints={"swing": be.JointTask(motion=move)}, supply=be.Supply(voltage=24.0),
        robot=be.RobotModel(model="arm.xml"), folder=tmp_path,
    )  # fmt: skip
    plain = be.Task(
        joints={"swing": be.JointTask(motion=move, load=be.Pendulum(mass=0.5, length=0.3, gravity=9.81))},
        supply=be.Supply(voltage=24.0),
    )
    one, other = (each.cycles()["swing"].torque for each in (robot, plain))
    np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-6)


def test_candidates_from_files_by_their_names(tmp_path):
    """Makers' tables are found by what they are called, wherever they lie; files of other kinds are left aside."""
    tables = ("x_motors.csv", "x_gearboxes.csv", "x_compatibility.csv")
    folder = database(tmp_path, GOOD)
    files = {name: str((folder / name).rename(tmp_path / f"{number}.bin")) for number, name in enumerate(tables)}
    (tmp_path / "9.bin").write_text("time [s]\n")
    found = read_candidate_files({**files, "swing.csv": str(tmp_path / "9.bin")}, 10_000)
    (made,) = (batch.single(0) for batch in found.batches)
    assert len(found) == 1 and (float(made.ratio), float(made.winding.resistance)) == (10.0, 1.0)
    with pytest.raises(be.ParameterError, match="larger"):
        read_candidate_files(files, 10)


def test_the_example_is_a_task():
    """One joint with a weight, on 48 V, that is to be light and to save energy."""
    from backemf.size.task_file import EXAMPLE

    task = be.size.Task.parse(EXAMPLE)
    assert task.supply.voltage == 48.0 and task.wanted == ("mass", "energy") and list(task.joints) == ["joint"]
