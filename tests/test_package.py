"""The package as a user meets it: the built wheel, what an import costs, the public names, the examples."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import venv
import zipfile
from pathlib import Path

import pytest
from long import some_now

ROOT = Path(__file__).resolve().parent.parent
CATALOG = ROOT / "src" / "backemf" / "catalog"
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
HEAVY = ("jax", "matplotlib", "mujoco", "numpy", "pyarrow", "scipy", "torch")


def run(*command: str | Path, **options) -> subprocess.CompletedProcess:
    """Run a command, show its output when it fails, return what it printed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done


# --- the built wheel, installed in a new environment


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built from a copy so that nothing is left in the tree."""
    source = tmp_path_factory.mktemp("source")
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", source / "dist", source)
    (built,) = (source / "dist").glob("*.whl")
    return built


@pytest.fixture(scope="session")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts of a new environment that holds the wheel; dependencies are lent by the environment of the tests."""
    home = tmp_path_factory.mktemp("installed") / "venv"
    venv.create(home, with_pip=False)
    target = Path(sysconfig.get_path("purelib", vars={"base": str(home), "platbase": str(home)}))
    run(sys.executable, "-m", "pip", "--python", home / "bin" / "python", "install", "--no-deps", "--quiet", wheel)
    # a plain path entry: the .pth files over there, the editable install among them, are not read
    (target / "lent.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return home / "bin"


def test_wheel_holds_types_catalogue_and_licence(wheel: Path):
    """Type checkers need py.typed, users need every motor of the catalogue, the licence must travel along."""
    names = zipfile.ZipFile(wheel).namelist()
    assert "backemf/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    packed = {Path(name).name for name in names if name.startswith("backemf/catalog/") and name.endswith(".toml")}
    assert packed == {path.name for path in CATALOG.glob("*.toml")}
    assert packed


def test_wheel_imports_from_its_own_environment(environment: Path, tmp_path: Path):
    """The installed copy is imported, not the working tree, and a motor runs a step."""
    program = (
        "import backemf as be; print(be.__file__); print(be.__version__);"
        "motor = be.Motor(winding=be.Winding(resistance=1.0),"
        " magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1));"
        "step = be.Actuator(motor).compile('numpy');"
        "state, out = step(step.initial(()), 12.0, 0.0, 0.0, 1e-3);"
        "assert abs(float(out.torque) - 1.2) < 1e-12, out.torque"
    )
    done = run(environment / "python", "-c", program, cwd=tmp_path, env=clean_environment())
    place, version = done.stdout.split()
    assert Path(place).is_relative_to(environment.parent)
    assert version == "0.1.0"


def test_wheel_brings_the_command_line(environment: Path, tmp_path: Path):
    """`backemf --help` explains itself and `backemf list --json` names every motor of the catalogue."""
    help_text = run(environment / "backemf", "--help", cwd=tmp_path, env=clean_environment()).stdout
    for command in ("list", "check", "show", "simulate"):
        assert command in help_text
    listed = json.loads(run(environment / "backemf", "list", "--json", cwd=tmp_path, env=clean_environment()).stdout)
    assert len(listed) == len(list(CATALOG.glob("*.toml")))


def clean_environment(**more: str) -> dict[str, str]:
    """This environment without paths that would let the working tree shine through."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "MPLBACKEND": "Agg", **more}


# --- what an import costs


def heavy_modules(program: str) -> list[str]:
    """What a program has loaded when it ends."""
    seen = (
        f"import atexit, sys\natexit.register(lambda: print('loaded:', *[n for n in {HEAVY!r} if n in sys.modules]))\n"
    )
    return run(sys.executable, "-c", seen + program).stdout.splitlines()[-1].split()[1:]


def test_import_loads_nothing_heavy():
    """Not even NumPy: names, engines, files and pictures are imported where they are used."""
    assert heavy_modules("import backemf") == []


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["list"], ["list", "--json"]], ids=" ".join)
def test_help_and_list_load_nothing_heavy(arguments: list[str]):
    """They answer at once, however many motors and commands there are; `benchmarks/startup.py` says how fast."""
    assert heavy_modules(f"from backemf.cli import main\nsys.argv = ['backemf', *{arguments!r}]\nmain()") == []


def test_functions_hide_the_modules_of_their_names():
    """`be.simulate` is the function, whoever has imported the module `backemf.simulate` before."""
    program = (
        "import backemf.simulate, backemf.rollout\nassert callable(backemf.simulate) and callable(backemf.rollout)"
    )
    assert heavy_modules(program) == ["numpy"]


def test_every_command_is_in_the_table():
    """Its module registers it under the name that `backemf --help` shows, and no other command is registered."""
    import importlib

    from backemf.cli.app import COMMANDS
    from backemf.cli.app import app as program

    for module, text in COMMANDS.values():
        importlib.import_module(f".{module}", "backemf.cli")
        assert text.endswith(".")
    named = {info.name or info.callback.__name__ for info in program.registered_commands}
    assert named | {group.name for group in program.registered_groups} == set(COMMANDS)


# --- the public names


def test_every_public_name_resolves_and_is_documented():
    """Each name of `backemf.__all__` exists, and each class and function among them says what it is."""
    import backemf

    assert len(set(backemf.__all__)) == len(backemf.__all__)
    for name in backemf.__all__:
        value = getattr(backemf, name)
        if isinstance(value, type) or callable(value):
            text = value.__doc__ or ""
            assert text.strip() and not text.startswith(f"{name}("), f"backemf.{name} has no docstring"


def test_public_names_are_listed():
    """`dir(backemf)` shows what can be typed, for completion in a shell."""
    import backemf

    assert set(backemf.__all__) <= set(dir(backemf))


def test_unknown_public_name_is_an_attribute_error():
    """A misspelt name fails as in any module."""
    import backemf

    with pytest.raises(AttributeError, match="Mottor"):
        _ = backemf.Mottor


# --- the examples


@pytest.mark.parametrize("example", some_now(EXAMPLES, lambda path: path.stem == "demo"), ids=lambda path: path.stem)
def test_example_runs(example: Path, tmp_path: Path):
    """Every example is a program that runs as it stands and writes to the folder it is given."""
    run(sys.executable, example, cwd=tmp_path, env=clean_environment(BACKEMF_OUT=str(tmp_path)), timeout=300)


# --- the page that users read first


def test_the_readme_names_every_extra():
    """Its table has the extras of pyproject.toml but those of developers, and says what `all` holds."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`[^|]*`) \| ([^|]*) \|", text[text.index("| extra |") :], re.MULTILINE)
    named = {name: brings for names, brings in rows for name in re.findall(r"`([\w-]+)`", names)}
    assert set(named) == set(extras) - {"docs", "test", "dev"}
    assert set(re.findall(r"`(\w+)`", named["all"])) == set(re.findall(r"\w+", extras["all"][0])) - {"backemf"}
