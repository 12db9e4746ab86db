"""The page about MIME and MADDENING, run as a program."""

import re
import subprocess
import sys
from pathlib import Path

PAGE = Path(__file__).resolve().parent.parent.parent / "docs" / "simulators" / "mime.md"


def test_programs_of_the_page_run(tmp_path):
    """The Python blocks, one after the other, are a program that runs in real MADDENING."""
    blocks = re.findall(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 3
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    done = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]


def test_example_runs(tmp_path):
    """The example runs with MADDENING, and says what both motors do."""
    example = PAGE.parents[2] / "examples" / "maddening_motor.py"
    done = subprocess.run([sys.executable, example], cwd=tmp_path, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "the full motor" in done.stdout
