"""The documentation says what the code does: its programs run, its symbols are our fields, its pages exist."""

import dataclasses
import importlib.util
import json
import os
import re
import subprocess
import sys
import tomllib
import types
import typing
from pathlib import Path

import pytest
from long import some_now

from backemf import motor as parts

ROOT = Path(__file__).resolve().parent.parent
WITH_PROGRAMS = [
    "README.md", "CONTRIBUTING.md", "docs/index.md", "docs/concepts/actuators.md", "docs/reference/files.md",
    "docs/concepts/hardware.md", "docs/concepts/learned.md", "docs/concepts/limits.md", "docs/simulators/mujoco.md",
    "docs/concepts/randomisation.md", "docs/simulators/index.md", "docs/tutorials/servo.md",
    "docs/tutorials/gradients.md", "docs/tutorials/load.md", "docs/tutorials/robot.md", "docs/identify/logs.md",
    "docs/identify/compare.md", "docs/identify/excite.md", "docs/identify/kinds.md",
    "docs/identify/report.md", "docs/sweep/index.md",
]  # fmt: skip
THEORY = (ROOT / "docs" / "concepts" / "theory.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", some_now(WITH_PROGRAMS, lambda page: page in ("README.md", "CONTRIBUTING.md")))
def test_programs_in_the_documentation_run(page: str, tmp_path: Path):
    """The Python blocks of a page, one after the other, are a program that runs."""
    blocks = re.findall(r"^```python\n(.*?)^```", (ROOT / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks
    program = tmp_path / "program.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run([sys.executable, program], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_datasheets_in_the_documentation_give_motors():
    """Every TOML of the datasheet page is a sheet that `Datasheet` reads and turns into a motor."""
    import backemf

    page = (ROOT / "docs" / "concepts" / "datasheets.md").read_text(encoding="utf-8")
    texts = re.findall(r"^```toml\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    motor, *others = [backemf.Datasheet.loads(text).motor() for text in texts]
    assert others
    assert motor.winding.resistance == pytest.approx(1.13)
    assert motor.ratio == pytest.approx(12)


def groups(kind: object) -> list[type]:
    """The dataclasses that a field may hold."""
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        return [kind]
    if isinstance(kind, types.UnionType) or typing.get_origin(kind) is not None:
        return [group for part in typing.get_args(kind) for group in groups(part)]
    return []


def field_paths(group: type, prefix: str = "") -> set[str]:
    """Every field of a group as people type it: `magnet.saturation.scale`, `gearbox.stages[].ratio`."""
    paths = set()
    for name, kind in typing.get_type_hints(group).items():
        many = "[]" if typing.get_origin(kind) is tuple else ""
        inner = groups(kind)
        paths |= set().union(*(field_paths(part, f"{prefix}{name}{many}.") for part in inner)) if inner else set()
        if not inner:
            paths.add(f"{prefix}{name}{many}")
    return paths


def theory_symbols() -> set[str]:
    """What stands in the field column of the symbol tables."""
    found = set()
    for line in THEORY.splitlines():
        cells = line.split("|")
        if line.startswith("|") and len(cells) == 5:
            found |= {
                re.sub(r"\[.*?\]", "[]", name) for name in re.findall(r"`([a-z_]+\.[a-z_.\[\]0-9n-]+)`", cells[2])
            }
    return found


def test_theory_symbols_are_fields():
    """Every symbol of the theory page is a field of `Motor` that exists."""
    known = field_paths(parts.Motor)
    supply = {name for name in theory_symbols() if name.startswith("supply.")}
    assert theory_symbols() - supply <= known


def test_every_field_has_a_symbol():
    """Every constant of a motor is on the theory page; ratings and marks of estimates are not part of the model."""
    aside = ("ratings.", "estimates[]")
    known = {path for path in field_paths(parts.Motor) if "." in path and not path.startswith(aside)}
    assert known <= theory_symbols()


def test_supply_fields_are_on_the_theory_page():
    """The supply of an actuator is described like the parts of the motor."""
    import backemf

    known = field_paths(backemf.Supply, "supply.")
    assert known == {name for name in theory_symbols() if name.startswith("supply.")}


def test_law_files_of_the_theory_page_exist():
    """The file named at the head of a section is there."""
    named = set(re.findall(r"`(physics/\w+\.py)`", THEORY))
    assert named
    for name in named:
        assert (ROOT / "src" / "backemf" / name).exists(), name


def test_the_page_on_actuators_names_every_limit():
    """Bit and name of each, in the order of the bits."""
    from backemf.physics.state import LIMITS

    page = (ROOT / "docs" / "concepts" / "actuators.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| `([a-z ]+)` \|", page, re.MULTILINE)
    assert rows == [(str(bit), name) for name, bit in LIMITS.items()]


# --- the gallery and the reference


def gallery():
    """The tool that makes the pages of the examples."""
    spec = importlib.util.spec_from_file_location("gallery", ROOT / "tools" / "gallery.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_has_a_picture_of_what_it_does_now():
    """A program that was changed since is run again by `python tools/gallery.py NAME`."""
    tool = gallery()
    assert len(tool.programs()) >= 14
    made = json.loads(tool.DIGESTS.read_text())
    assert {name: tool.digest(path) for name, path in tool.programs().items()} == made
    for name, path in tool.programs().items():
        assert (tool.MADE / f"{name}.svg").stat().st_size > 5000
        assert tool.page(name, path).count("```") >= 2
    # every picture of an example is on its page
    page = tool.page("size_tasks", tool.programs()["size_tasks"])
    assert all(f"](size_tasks{more}.svg)" in page for more in ("", "-shoulder", "-knee", "-pan", "-tilt"))


def test_every_public_name_is_in_the_reference():
    """Each name of the package stands on a page of the reference."""
    import backemf

    pages = [path.read_text(encoding="utf-8") for path in (ROOT / "docs" / "reference").glob("*.md")]
    blocks = "\n".join(re.findall(r"^::: .*\n(?:    .*\n)*", "\n".join(pages) + "\n", re.MULTILINE))
    modules = {"analyze", "catalog", "engines", "plot", "sims", "transfer", "units", "__version__"}
    errors = {name for name in backemf.__all__ if name.endswith(("Error", "Warning"))}
    missing = {name for name in backemf.__all__ if not re.search(rf"\b{name}\b", blocks)}
    assert missing <= modules | errors


def test_version_is_said_once():
    """The package, its metadata and the changelog agree on the version."""
    import backemf

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert backemf.__version__ == project["version"]
    assert f"## {project['version']}" in (ROOT / "CHANGELOG.md").read_text()
