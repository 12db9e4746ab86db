"""The recipes of CONTRIBUTING.md for a law, a controller and a simulator, followed as printed in a copy."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
TABLE = "src/backemf/transfer/targets.py"
LAST = '    "webots": Row((".wbt", ".proto")),\n'
"""The line of the table behind which a new one goes."""


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the package and of the contract, with the files of the recipe in their places."""
    home = tmp_path_factory.mktemp("recipe")
    shutil.copytree(ROOT / "src", home / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    (home / "tests").mkdir()
    for name in ("contract.py", "test_contract.py"):
        shutil.copy(ROOT / "tests" / name, home / "tests")
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```py\n# (\S+)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(blocks) == 12
    for place, text in blocks:
        path = home / place
        path.parent.mkdir(parents=True, exist_ok=True)
        if place == TABLE:
            table = path.read_text(encoding="utf-8")
            assert table.count(LAST) == 1
            text = table.replace(LAST, LAST + text)
        path.write_text(text, encoding="utf-8")
    changes = re.findall(r"^```diff\n# (\S+)\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    assert len(changes) == 5
    for place, lines in changes:
        change(home / place, lines.splitlines(keepends=True))
    return home


def change(path: Path, lines: list[str]) -> None:
    """Change a file as a diff says."""
    before, after = ("".join(line[1:] for line in lines if line[0] in kept) for kept in (" -", " +"))
    text = path.read_text(encoding="utf-8")
    assert text.count(before) == 1, before
    path.write_text(text.replace(before, after), encoding="utf-8")


def run(scratch: Path, *arguments: str) -> str:
    """What a program prints that finds the copy in place of the package."""
    paths = os.pathsep.join([str(scratch / "src"), str(scratch / "tests")])
    done = subprocess.run(
        [sys.executable, *arguments],
        cwd=scratch,
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    return done.stdout


def test_the_recipe_makes_a_room(scratch: Path):
    """Its own tests pass, and so does the contract, which has taken up the new simulator by itself."""
    said = run(scratch, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "tests", "-k", "toy")
    passed = re.search(r"(\d+) passed", said)
    assert passed is not None and int(passed.group(1)) >= 14, said


def test_the_command_line_knows_the_new_room(scratch: Path):
    """Exported to a file of Toy's, and imported from there, with nothing but the line in the table."""
    run(scratch, "-m", "backemf", "export", "mit-mini-cheetah", "--to", "toy", "--joint", "knee", "-o", "knee.toy")
    assert (scratch / "knee.toy").read_text().startswith("servo knee ")
    assert "knee" in run(scratch, "-m", "backemf", "import", "knee.toy", "--list")


# --- a law and a controller

ENGINES = """
import sys
import numpy as np
import torch
import backemf as be
from backemf.actuator.controllers import PositionPd
from backemf.motor.brushes import Brushes

motor = be.Motor(
    winding=be.Winding(resistance=1.0, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.1, back_emf_constant=0.1),
    rotor=be.Rotor(inertia=1e-4),
    brushes=Brushes(voltage=1.4, current=0.25),
)
supply = be.Supply(voltage=24.0)
actuator = be.Actuator(motor, supply, controller=PositionPd(stiffness=20.0, damping=0.3))
found = {}
for engine, options in {"numpy": {}, "python": {}, "jax": {}, "torch": {"dtype": torch.float64, "eager": True}}.items():
    step = actuator.compile(engine, **options)
    state, spread = step.initial((3,) if engine != "python" else ()), 1.0 if engine == "python" else np.ones(3)
    if engine == "torch":
        spread = torch.ones(3, dtype=torch.float64)
    for k in range(20):
        state, out = step(state, 0.5 * spread, 0.01 * k * spread, 3.0 * spread, 1e-3)
    found[engine] = float(np.ravel(np.asarray(out.torque))[0])
near = [abs(x - found["numpy"]) < (1e-5 if engine == "jax" else 1e-12) for engine, x in found.items()]
assert all(near), found
be.save(actuator, "brushed.toml")
again = be.load("brushed.toml")
assert again == actuator
without = be.Actuator(be.Motor(**{**vars(motor), "brushes": None}), supply, controller=actuator.controller)
step = without.compile("numpy")
state = step.initial(())
for k in range(20):
    state, out = step(state, 0.5, 0.01 * k, 3.0, 1e-3)
assert abs(float(out.torque) - found["numpy"]) > 1e-3
run = be.simulate(actuator, be.Inertia(inertia=1e-4), 1.0, 0.5, 1e-3)
assert abs(run["position"][-1] - 1.0) < 0.2
print("same on all")
"""


def test_the_law_and_the_controller_run_on_every_engine_and_in_a_motor_file(scratch: Path):
    """The tests printed with them pass, and a motor with both is the same on all engines and when it is read again."""
    said = run(scratch, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-n", "0", "tests/test_brushes.py")
    assert "2 passed" in said
    assert "same on all" in run(scratch, "-c", ENGINES)


def test_the_command_line_and_an_export_know_the_new_controller(scratch: Path):
    """By the word that comes of its name, with its units; where a simulator has no place for it, that is said."""
    words = "position-pd stiffness=20V/rad damping=0.3V*s/rad"
    line = ("maxon-re40-148877", "--controller", words)
    said = run(scratch, "-m", "backemf", "simulate", *line, "--command", "90deg", "--duration", "20ms")
    assert "target (position-pd)" in said
    run(scratch, "-m", "backemf", "export", *line, "--to", "newton", "--kind", "backemf", "-o", "joint.usda")
    assert "position" in (scratch / "joint.usda").read_text().lower()
