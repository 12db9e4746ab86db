"""A robot from the content of its model to the texts of its files: what a program without folders of its own needs."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Unpack

from ...actuator import Supply
from ...datasheet import Finding
from ...errors import BackemfError, ParameterError
from ...files import write_bytes
from ...robot import JointDrive, Robot
from ...robot.joint_drive import drives_by_name
from ...robot.robot import ExportOptions
from ...robot.robot_file import write_content
from ..targets import target_of
from .exporting import ENDINGS, RobotExported, export_robot


class RobotFiles(NamedTuple):
    """A robot for a simulator."""

    files: dict[str, str]
    """Text of each file by its name: the one that the simulator loads, the robot file, and those beside them."""
    exported: RobotExported
    """What is lost of each kind of joint."""
    findings: list[Finding]
    """What does not fit together."""


def export_content(
    content: bytes,
    name: str,
    drives: Mapping[str, JointDrive],
    to: str,
    supply: Supply | None = None,
    **options: Unpack[ExportOptions],
) -> RobotFiles:
    """A model with motors for a simulator; nothing stays on the disk, and errors name the model as `name` does.

    Args:
        content: The model: MJCF, URDF or USD in one file.
        name: What its file is called, with its ending.
        drives: What drives each joint, by its name.
        to: The simulator, as for `export_robot`.
        supply: What feeds every motor that has no supply of its own.
        options: Those of `export_robot`.
    """
    ending = ENDINGS.get(to.partition("@")[0], (target_of(to).ending,))[0]
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / name
        write_bytes(model, content)
        output = model.with_name(f"{model.stem}_with_motors{ending}")
        try:
            robot = Robot(model=model, drives=drives_by_name(drives), supply=supply)
            found = export_robot(robot, to, output, **options)
            findings = robot.check()
        except BackemfError as error:
            raise ParameterError(str(error).replace(f"{folder}/", "")) from None
        toml = write_content(robot, model.parent)
    for lines in (found.changes, found.notes):
        lines[:] = [line.replace(f"{folder}/", "") for line in lines]
    beside = {each: content.decode("utf-8", errors="replace") for each, content in found.files.items()}
    return RobotFiles({output.name: found.text, f"{model.stem}.toml": toml, **beside}, found, findings)
