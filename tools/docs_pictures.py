"""Draw every picture of docs/images anew: `python tools/docs_pictures.py`.

Those of the gallery are made by tools/gallery.py.
"""

from __future__ import annotations

import os
import re
import runpy
import subprocess
import sys
import tempfile
from pathlib import Path

import backemf as be
from backemf.transfer.picture import simulators

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"


def draw_tutorial(page: str, names: dict[str, str]) -> None:
    """Run the programs of a page, and keep the pictures that they write under other names."""
    text = (ROOT / "docs" / page).read_text(encoding="utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", "\n".join(blocks)], cwd=folder, check=True)
        for made, kept in names.items():
            (IMAGES / kept).write_bytes((Path(folder) / made).read_bytes())


def main() -> None:
    draw_tutorial("tutorials/servo.md", {"range.svg": "tutorial_range.svg", "run.svg": "tutorial_run.svg"})
    os.environ["BACKEMF_OUT"] = str(IMAGES)
    for program in ("pictures.py", "webots/compare.py"):
        runpy.run_path(str(ROOT / "examples" / program), run_name="__main__")
    geared = be.Datasheet.load("maxon-re40-gp52c").motor()
    simulators(geared, title=geared.name, path=IMAGES / "simulators.svg")
    cheetah = be.Datasheet.load("mit-mini-cheetah").motor()
    be.plot.simplified_limits(cheetah, current_limit=40.0, path=IMAGES / "limits_mini_cheetah.svg")
    estimates = runpy.run_path(str(ROOT / "tools" / "fit_estimates.py"))
    # the measurements of others are not part of the repository
    if estimates["data_folder"]().exists():
        estimates["picture"](IMAGES / "estimates.svg")


if __name__ == "__main__":
    main()
