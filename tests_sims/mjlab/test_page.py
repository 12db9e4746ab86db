"""The pages about mjlab, run as programs."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

DOCS = Path(__file__).resolve().parent.parent.parent / "docs"


@pytest.mark.parametrize("page", ["simulators/mjlab.md", "tutorials/quadruped.md"])
def test_programs_of_the_page_run(page, tmp_path):
    """The Python blocks, one after the other, are a program that runs in real mjlab."""
    blocks = re.findall(r"^```python\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert len(blocks) >= 3
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks), encoding="utf-8")
    # eager: compiling takes most of a minute, and other tests compile
    settings = {**os.environ, "TORCHDYNAMO_DISABLE": "1"}
    done = subprocess.run(
        [sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=600, env=settings
    )
    assert done.returncode == 0, done.stderr[-2000:]
