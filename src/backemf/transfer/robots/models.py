"""The model of a robot, by the ending of its file."""

from __future__ import annotations

from pathlib import Path

from ...errors import ParameterError
from ...robot.robot import Robot
from ...sims import urdf, usd_robot_model
from ...sims.robot_model import ModelJoint, RobotModel


def read_model(robot: Robot) -> RobotModel:
    """The joints of a robot's model, or those that it names itself."""
    if robot.model is None:
        for name in robot.joint_names:
            if list(robot.joint_names).count(name) > 1:
                raise ParameterError(f"{place_of(robot)}joint_names: {name!r} is there twice; leave one of them out")
        return RobotModel(path=None, format="names", joints=tuple(ModelJoint(name=name) for name in robot.joint_names))
    return read_model_file(Path(robot.model))


def read_model_file(path: Path) -> RobotModel:
    """The joints of a model: MJCF, URDF or USD."""
    ending = path.suffix.lower()
    if ending == ".urdf":
        return urdf.read_model(path)
    if ending in (".xml", ".mjcf"):
        if _is_urdf(path):
            return urdf.read_model(path)
        from ...sims.mujoco.robot_model import read_model as read_mjcf

        return read_mjcf(path)
    return usd_robot_model.read_model(path)


def _is_urdf(path: Path) -> bool:
    """Whether a file that is called .xml is a URDF."""
    from ...sims.xml_text import root_tag

    return root_tag(path) == "robot"


def place_of(robot: Robot) -> str:
    """What an error begins with: the robot's file, if it has one."""
    return "" if robot.file is None else f"{robot.file}: "
