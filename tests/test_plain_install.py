"""A plain install: what it runs, and the one sentence at every door that needs an extra."""

import ast
import json
import re
import sys
from functools import cache
from pathlib import Path

import pytest
from long import some_now
from plain_install import PROJECT, ROOT, base_modules, base_packages, demo_packages, modules_of, plain_python

SOURCE = ROOT / "src" / "backemf"
EXTRAS = PROJECT["optional-dependencies"]
GATHERED = {"all", "dev", "docs", "test"}
"""Extras that gather others, or are for those who work on the package."""
MODULES = {
    "files": {"pyarrow"}, "learned": {"onnx"}, "logs": {"mcap", "rosbags"},
    "maddening": {"maddening"}, "mjlab": {"mjlab", "torch"}, "mjx": {"mujoco"}, "mujoco": {"mujoco"},
    "mujoco-warp": {"mujoco_warp", "warp"},
    "ray": {"pyarrow", "ray"}, "studio": {"nicegui", "starlette"},
    "newton": {"newton", "newton_usd_schemas", "pxr", "warp"},
    "torch": {"torch"}, "usd": {"pxr"}, "warp": {"warp"}, "webots": {"_quickjs", "lupa"},
}  # fmt: skip
"""What each extra brings, by the names under which it is imported."""

SETUP = """
import zipfile
from pathlib import Path
import backemf as be
from backemf.sims import mime, mjlab, mjx, mujoco, mujoco_warp, newton, webots
motor = be.Motor(
    winding=be.Winding(resistance=1.0), magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4), ratings=be.Ratings(voltage=12.0),
)
run = be.simulate(motor, be.Inertia(1e-3), 1.0, 0.01, 1e-3, engine="numpy")
network = be.learned.Mlp(weights=([[1.0, 2.0]], [[1.0]]), biases=([0.0], [0.0]))
robot = Path("robot.xml")
robot.write_text('<mujoco><worldbody><body><joint name="j"/><geom size="1"/></body></worldbody></mujoco>')
Path("log.csv").write_text("time,position,velocity,torque,position_target\\n0,0,0,0,0\\n")
with zipfile.ZipFile("net.pt", "w") as archive:
    archive.writestr("net/code/net.py", "")
Path("net.onnx").write_text("a network")
Path("joint.usda").write_text("#usda 1.0")
Path("run.parquet").write_text("a recording")
Path("log.mcap").write_text("a log")
Path("bag").mkdir(exist_ok=True)
Path("bag/metadata.yaml").write_text("a bag")
measured = be.Log.from_run(run)
Path("script.proto").write_text("PROTO A [ ] { Robot { name %<= 1 >% } }")
Path("lua.proto").write_text("PROTO A [ ] { Robot { name %{= 1 }% } }")
"""
DOORS = [
    ("files", "run.to_parquet('run.parquet')"),
    ("files", "be.learned.fit_learned('log.csv')"),
    ("files", "be.read_recording('run.parquet')"),
    ("files", "webots.Recorder('run.parquet').begin([], False, False)"),
    ("torch", "motor.compile('torch')"),
    ("torch", "be.learned.load_network('net.pt', trust=True)"),
    ("torch", "be.learned.save_network(network, 'other.pt')"),
    ("torch", "mjlab.LearnedMlp.load('net.pt')"),
    ("warp", "motor.compile('warp')"),
    ("warp", "be.simulate(motor, be.Inertia(inertia=1e-4), 1.0, 0.01, engine='warp')"),
    ("warp", "be.rollout(motor, be.Inertia(inertia=1e-4), [1.0], 1e-3, engine='warp')"),
    ("learned", "be.learned.load_network('net.onnx')"),
    ("learned", "be.learned.save_network(network, 'other.onnx')"),
    ("mujoco", "mujoco.Motors(robot, {'j': motor})"),
    ("mujoco", "mujoco.wrap(robot)"),
    ("mjx", "mjx.Motors(robot, {'j': motor})"),
    ("mujoco-warp", "mujoco_warp.Motors(robot, {'j': motor})"),
    ("logs", "be.read_log('log.mcap')"),
    ("logs", "be.read_log('bag')"),
    ("files", "measured.save('log.parquet')"),
    ("files", "be.Log.read('run.parquet')"),
    ("mujoco", "be.Rig(be.RobotModel(model='robot.xml', joints=('j',))).load_for(measured)"),
    ("mujoco", "mujoco.attach(None, 'j', be.Actuator(motor))"),
    ("mjlab", "mjlab.MotorActuatorCfg"),
    ("mjlab", "mjlab.mdp"),
    ("mjlab", "mjlab.wrap(be.ActuatorSet(['hip'], {'hip': be.Actuator()}))"),
    ("usd", "be.export(motor, 'physx', 'knee')"),
    ("usd", "be.export(motor, 'newton', 'knee')"),
    ("usd", "from backemf.transfer import read_file; read_file(Path('joint.usda'))"),
    ("newton", "newton.BackemfDrive"),
    ("maddening", "mime.MotorNode"),
    ("files", "be.sweep(print, be.Space({'x': [1.0]}), 'out')"),
    ("studio", "from backemf.studio.app import serve_studio; serve_studio(browser=False, folder=Path('kept'))"),
    ("ray", "from backemf.sweep.ray_workers import RayTasks; RayTasks(None, 'auto')"),
    ("webots", "webots.read_world('script.proto')"),
    ("webots", "webots.read_world('lua.proto')"),
]
"""Each door that needs an extra, and the extra."""
COMMANDS = [
    (["list"], 0),
    (["check", "maxon-re40-148877"], 0),
    (["show", "maxon-re40-148877", "--page", "page.html"], 0),
    (["simulate", "maxon-re40-148877", "--command", "24 V", "--duration", "9 ms", "-o", "r.csv", "--plot", "r.png"], 0),
    (["export", "maxon-re40-gp52c", "--to", "mujoco@4.0", "-o", "knee.xml", "--compare", "all.png"], 0),
    (["export", "maxon-re40-gp52c", "--to", "physx"], "usd"),
    (["export", "maxon-re40-gp52c", "--to", "newton"], "usd"),
    (["simulate", "maxon-re40-148877", "--command", "24 V", "--duration", "1 h", "-o", "run.parquet"], "files"),
]  # fmt: skip
"""Commands, and the exit code or the extra that they ask for."""


def python_blocks(page: Path) -> list[str]:
    """The programs of a page."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


# --- what a plain install runs


@pytest.mark.long
@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_program_of_a_page_needs_no_extra(page: str, tmp_path: Path):
    """It runs as it stands, and its picture and its table are there."""
    program = tmp_path / "program.py"
    program.write_text(python_blocks(ROOT / page)[0], encoding="utf-8")
    done = plain_python(program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.csv").stat().st_size > 1000
    assert (tmp_path / "run.png").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "expected"),
    some_now(COMMANDS, lambda arguments, _: not {"--page", "--plot", "--compare"} & set(arguments)),
    ids=lambda x: " ".join(x) if isinstance(x, list) else None,
)
def test_commands_of_a_plain_install(arguments: list[str], expected: int | str, tmp_path: Path):
    """They end well, or with one sentence that names the extra, before anything long is computed."""
    done = plain_python("-m", "backemf", *arguments, cwd=tmp_path)
    assert "Traceback" not in done.stderr
    if isinstance(expected, int):
        assert done.returncode == expected, done.stderr
    else:
        assert done.returncode == 2
        assert re.fullmatch(
            rf"MissingExtraError: .* is not installed: pip install 'backemf\[{expected}\]'\n", done.stderr
        )


def test_targets_that_are_text_need_no_extra(tmp_path: Path):
    """MuJoCo, mjlab, Isaac Lab and Webots are written without the simulator."""
    program = tmp_path / "program.py"
    program.write_text(
        "import backemf as be\n"
        "from backemf.transfer.targets import NAMES, target_of\n"
        "geared = be.load('maxon-re40-gp52c').motor\n"
        "knee = be.Actuator(geared, be.Supply(voltage=24.0), controller=be.Torque())\n"
        "for name in NAMES:\n"
        "    if name not in ('newton', 'physx'):\n"
        "        assert 'knee' in target_of(name).write(knee, 'knee', 2e-3).text\n"
    )
    done = plain_python(program, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_the_optional_packages_are_hidden(tmp_path: Path):
    """What the tests above say holds only if nothing but a plain install is seen."""
    program = tmp_path / "program.py"
    names = sorted(set().union(*MODULES.values()) | {"pytest", "hypothesis"})
    program.write_text(f"from importlib.util import find_spec\nprint([n for n in {names} if find_spec(n)])")
    assert plain_python(program).stdout.strip() == "[]"


# --- doors that need an extra


@cache
def said_at_the_doors(folder: Path) -> list[str]:
    """What each door says where no extra is installed."""
    program = folder / "doors.py"
    lines = [SETUP, "import json", "said = []", f"for door in {[door for _, door in DOORS]!r}:"]
    lines += ["    try:", "        exec(door)", "        said.append('nothing')"]
    lines += ["    except Exception as error:", "        said.append(f'{type(error).__name__}: {error}')"]
    program.write_text("\n".join([*lines, "print(json.dumps(said))"]), encoding="utf-8")
    done = plain_python(program, cwd=folder)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def doors_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("doors")


@pytest.mark.parametrize("index", range(len(DOORS)), ids=[door for _, door in DOORS])
def test_every_door_names_its_extra(index: int, doors_folder: Path):
    """One sentence: what needs which package, and how to install it."""
    said = said_at_the_doors(doors_folder)[index]
    extra = DOORS[index][0]
    assert re.fullmatch(
        rf"MissingExtraError: .+ needs [\w-]+, which is not installed: pip install 'backemf\[{extra}\]'", said
    )


def test_every_extra_has_a_door():
    """The table above knows all of them."""
    assert {extra for extra, _ in DOORS} == set(EXTRAS) - GATHERED == set(MODULES)


# --- what is declared


def source_trees() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text(encoding="utf-8"))) for path in SOURCE.rglob("*.py")]


def test_every_extra_that_an_error_names_exists():
    """MissingExtraError(package, extra, what)."""
    named = {
        node.args[1].value
        for _, tree in source_trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "MissingExtraError"
        if isinstance(node.args[1], ast.Constant)
    }
    assert {"files", "mujoco", "usd"} <= named <= set(EXTRAS)


def test_every_import_is_declared():
    """What the package imports is in the standard library, a dependency of it, or an extra."""
    declared = base_modules().union(sys.stdlib_module_names, {"backemf"}, *MODULES.values())
    for path, tree in source_trees():
        for node in ast.walk(tree):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and not node.level:
                names = [str(node.module)]
            undeclared = [name for name in names if name.partition(".")[0] not in declared]
            assert not undeclared, (path, undeclared)


def test_pages_name_extras_that_exist():
    """Every `backemf[extra]` and `.[extra]` on a page."""
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")]:
        for extra in re.findall(r"(?:backemf|\.)\[([\w,]+)\]'", page.read_text(encoding="utf-8")):
            assert set(extra.split(",")) <= set(EXTRAS), (page, extra)


def test_what_is_pinned_for_the_demo_is_complete():
    """A plain install with all that it asks for, so that the first command of a newcomer finds it."""
    assert base_packages() <= demo_packages(), sorted(base_packages() - demo_packages())


def test_the_demo_runs_on_what_is_pinned_for_it(tmp_path):
    """Nothing of the environment for developers is seen, which `make demo` on a new machine does not have."""
    done = plain_python(ROOT / "examples" / "demo.py", seen=modules_of(demo_packages()), cwd=tmp_path)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "what to paste" in done.stdout
