"""The programs of the page on Newton run."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "simulators" / "newton.md"


def test_the_programs_of_the_page_run(tmp_path):
    """The Python blocks, one after the other, are a program that runs."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) == 5
    program = tmp_path / "program.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "def NewtonActuator" in done.stdout
    assert "The winding stays cold" not in done.stdout
    assert "There is no current" in done.stdout
