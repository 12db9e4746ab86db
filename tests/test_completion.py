"""What the shell offers when Tab is pressed, asked for as bash asks."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from backemf import catalog
from backemf.cli.drive import controllers
from backemf.cli.words import kinds
from backemf.transfer.targets import NAMES

PROGRAM = "import sys; sys.argv = ['backemf']; from backemf.cli import main; main()"


def ask(program: str, line: str, folder: Path) -> str:
    """What a program prints when bash asks it to complete a line at its end."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "_BACKEMF_COMPLETE": "complete_bash",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(line.split(" ")) - 1),
    }
    done = subprocess.run(
        [sys.executable, "-c", program], env=environment, cwd=folder, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two datasheets, one of them further down, and what is none."""
    (tmp_path / "my-motor.toml").touch()
    (tmp_path / "notes.txt").touch()
    (tmp_path / "sheets").mkdir()
    (tmp_path / "sheets" / "maxon.toml").touch()
    return tmp_path


RE40 = [id for id in catalog.ids() if id.startswith("maxon-re40")]
OFFERS = {
    "backemf s": ["show", "simulate", "size", "sweep", "studio"],
    "backemf check maxon-re40": RE40,
    "backemf show ": [*catalog.ids(), "my-motor.toml", "sheets/"],
    "backemf simulate my-": ["my-motor.toml"],
    "backemf export sheets/": ["sheets/maxon.toml"],
    "backemf export maxon-re40-gp52c --to ": [*NAMES, "urdf"],
    "backemf export maxon-re40-gp52c --to mu": [name for name in NAMES if name.startswith("mu")],
    "backemf simulate maxon-re40-gp52c --controller ": list(controllers()),
    "backemf export maxon-re40-gp52c --controller tor": ["torque", "torque-pid"],
    "backemf simulate maxon-re40-gp52c --limit ": list(kinds("limit")),
    "backemf simulate maxon-re40-gp52c --load ": [*kinds("load"), "motion"],
    "backemf simulate maxon-re40-gp52c --comm": ["--command"],
}


@pytest.mark.parametrize("line", OFFERS)
def test_the_shell_offers(line: str, folder: Path):
    """Motors and TOML files, simulators, and the first words of parts."""
    assert ask(PROGRAM, line, folder).split() == OFFERS[line]


@pytest.mark.parametrize("line", ["backemf ", "backemf check max"])
def test_completion_loads_nothing_heavy(line: str, folder: Path):
    """Whoever presses Tab waits for it."""
    heavy = ("jax", "matplotlib", "numpy", "pyarrow", "scipy")
    told = f"import atexit, sys; atexit.register(lambda: print('loaded', [n for n in {heavy} if n in sys.modules])); "
    assert ask(told + PROGRAM, line, folder).splitlines()[-1] == "loaded []"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_shown(shell: str, folder: Path):
    """`--show-completion` prints what `--install-completion` installs."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join(sys.path),
        "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1",
    }
    program = (
        f"import sys; sys.argv = ['backemf', '--show-completion', {shell!r}]; from backemf.cli import main; main()"
    )
    done = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and f"_BACKEMF_COMPLETE=complete_{shell}" in done.stdout
