"""Whole robots of the studio: the files are those that the command line writes from the robot file of the page."""

import subprocess
import sys
from pathlib import Path

import pytest

from backemf.answers.exports import robot_written
from backemf.errors import ParameterError

BODY = '<body name="{0}"><joint name="{0}" axis="0 1 0"/><geom size="0.1" mass="1"/>{1}</body>'
ARM = f"<mujoco><worldbody>{BODY.format('shoulder', BODY.format('elbow', ''))}</worldbody></mujoco>"
STATE = {"m": "maxon-re40-gp52c", "g": "20", "v": "24"}


def written(folder: Path, name: str = "arm.xml", **state: str) -> dict[str, object]:
    """What the page is told of a robot with the motor of the page at its shoulder and another at its elbow."""
    upload = folder / "0a1b.xml"
    upload.write_text(ARM)
    drives = {"shoulder": STATE["m"], "elbow": "maxon-re40-148877"}
    payload = {"model": str(upload), "name": name, "drives": drives, "state": STATE | state}
    return robot_written(payload, lambda said: None)


@pytest.mark.parametrize(
    ("to", "ending", "options"),
    [("mujoco@4.0", ".xml", {}), ("mjlab", ".py", {"effort": "continuous"}), ("webots", ".proto", {"ts": "1 ms"})],
)
def test_files_are_those_of_the_command_line(tmp_path: Path, to: str, ending: str, options: dict[str, str]):
    """Byte for byte, under the same names, with what was changed on Look and the options of the page."""
    found = written(tmp_path, to=to, **options)["files"]
    assert list(found)[:2] == [f"arm_with_motors{ending}", "arm.toml"]
    assert "ratio = 20" in found["arm.toml"]
    place = tmp_path / "elsewhere"
    place.mkdir()
    (place / "arm.xml").write_text(ARM)
    (place / "arm.toml").write_text(found["arm.toml"])
    words = ["--effort", options["effort"]] if "effort" in options else []
    words += ["--timestep", options["ts"]] if "ts" in options else []
    command = [sys.executable, "-m", "backemf", "export", "arm.toml", "--to", to, *words, "-o", next(iter(found))]
    subprocess.run(command, cwd=place, check=True, capture_output=True)
    assert {path.name: path.read_text() for path in place.iterdir()} == {**found, "arm.xml": ARM}


def test_a_fault_names_the_file_of_its_owner(tmp_path: Path):
    """And no folder of ours."""
    with pytest.raises(ParameterError, match="give a USD model") as error:
        written(tmp_path, to="newton")
    assert "/" not in str(error.value)
