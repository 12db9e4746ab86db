"""URDF: joints of a robot, and their limits, friction and ros2_control interfaces written for motors."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from ..errors import ParameterError
from ..files import read_text
from .digits import round_digits
from .robot_model import BALL, FIXED, FREE, HINGE, SLIDE, Allowed, ModelJoint, RobotModel
from .robot_text import path_beside
from .xml_text import LARGEST, parse_xml, xml_text

KINDS = {
    "revolute": HINGE, "continuous": HINGE, "prismatic": SLIDE, "fixed": FIXED, "floating": FREE, "planar": FREE,
    "spherical": BALL,
}  # fmt: skip
"""Our word for each type of joint."""
TEMPLATE = ("<xacro:", "${", "$(")
"""What a file has that xacro has still to run on."""
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class UrdfNumbers:
    """What a URDF holds of a motor, at the joint; None: what the file says stays."""

    effort: float | None
    """Largest torque [N·m], or force [N]."""
    velocity: float | None
    """Largest speed [rad/s], or [m/s]."""
    damping: float | None
    """Friction per speed [N·m·s/rad]."""
    friction: float | None
    """Dry friction [N·m]."""


def read_root(path: Path) -> tuple[ElementTree.Element, str]:
    """The root of a URDF with its comments, and its text; raise ParameterError where it is none."""
    text = read_text(path, LARGEST, what="a URDF file")
    # what xacro has done may stay behind in comments
    bare = _COMMENT.sub("", text)
    if any(word in bare for word in TEMPLATE):
        raise ParameterError(f"{path}: is a xacro template: run xacro on it, and give the URDF it makes")
    root = parse_xml(text, str(path), "URDF", comments=True)
    if root.tag != "robot":
        raise ParameterError(f"{path}: its root is <{root.tag}>: a URDF begins with <robot>")
    return root, text


def read_model(path: Path) -> RobotModel:
    """The joints of a URDF file."""
    root, _ = read_root(path)
    joints: list[ModelJoint] = []
    for element in root.findall("joint"):
        name, kind = element.get("name", ""), element.get("type", "")
        if not name:
            raise ParameterError(f"{path}: a <joint> has no name; name it")
        if kind not in KINDS:
            raise ParameterError(f"{path}, joint {name!r}: type = {kind!r}: must be one of {', '.join(KINDS)}")
        if any(joint.name == name for joint in joints):
            raise ParameterError(f"{path}, joint {name!r}: is there twice; rename one of them")
        joints.append(_joint(element, name, kind, path))
    if not any(joint.is_driven for joint in joints):
        raise ParameterError(f"{path}: has no revolute, continuous or prismatic joint that a motor could drive")
    return RobotModel(path=path, format="URDF", joints=tuple(joints))


def _joint(element: ElementTree.Element, name: str, kind: str, path: Path) -> ModelJoint:
    where = f"{path}, joint {name!r}"
    limit, dynamics, mimic = (element.find(tag) for tag in ("limit", "dynamics", "mimic"))
    slides = KINDS[kind] == SLIDE
    effort, velocity = (_number(limit, word, where) for word in ("effort", "velocity"))
    allowed = [
        Allowed(f"{word} of <limit>", value, unit)
        for word, value, unit in (
            ("effort", effort, "N" if slides else "N·m"),
            ("velocity", velocity, "m/s" if slides else "rad/s"),
        )
        if value is not None
    ]
    ends = [_number(limit, word, where) for word in ("lower", "upper")]
    bounded = kind in ("revolute", "prismatic") and limit is not None
    moves = KINDS[kind] in (HINGE, SLIDE)
    return ModelJoint(
        name=name,
        kind=KINDS[kind],
        follows="" if mimic is None else mimic.get("joint", "another joint"),
        coulomb=(_number(dynamics, "friction", where) or 0.0) if moves else None,
        viscous=(_number(dynamics, "damping", where) or 0.0) if moves else None,
        span=(ends[0] or 0.0, ends[1] or 0.0) if bounded else None,
        limits=tuple(allowed),
    )


def _number(element: ElementTree.Element | None, name: str, where: str) -> float | None:
    text = None if element is None else element.get(name)
    if text is None:
        return None
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(f"{where}: {name} = {text!r}: must be a finite number")
    return value


# --- writing


def write_urdf(path: Path, numbers: Mapping[str, UrdfNumbers], folder: Path) -> tuple[str, list[str]]:
    """The text of a URDF with the limits and the friction of motors, and notes.

    Relative paths of meshes hold from `folder`. All else, comments included, stays as it is.
    """
    root, text = read_root(path)
    notes = _move_meshes(root, path.parent, folder)
    for element in root.findall("joint"):
        own = numbers.get(element.get("name", ""))
        if own is not None:
            _set(element, "limit", {"effort": own.effort, "velocity": own.velocity})
            _set(element, "dynamics", {"damping": own.damping, "friction": own.friction})
    seen: set[str] = set()
    for system in root.findall("ros2_control"):
        for element in system.findall("joint"):
            name = element.get("name", "")
            if name in numbers:
                seen.add(name)
                _set_interfaces(element, numbers[name])
    missing = [name for name in numbers if name not in seen]
    if missing and seen:
        notes.append(f"ros2_control has no joint {', '.join(missing)}.")
    elif missing:
        notes.append("The file has no <ros2_control>: <limit> and <dynamics> hold all that is written.")
    return xml_text(root, text), notes


def _move_meshes(root: ElementTree.Element, home: Path, folder: Path) -> list[str]:
    """Make relative paths of meshes and textures hold from another folder; a note where not all programs find them."""
    if home.resolve() == folder.resolve():
        return []
    compilers = root.findall("mujoco/compiler")
    below = next((each.get("meshdir", "") for each in compilers if each.get("meshdir")), "")
    whole = any(each.get("strippath") == "false" for each in compilers)
    for each in compilers:
        if each.get("meshdir") and not Path(each.get("meshdir", "")).is_absolute():
            each.set("meshdir", path_beside(home / each.get("meshdir", ""), folder))
    if below and whole:
        return ["MuJoCo finds the meshes in its meshdir, which was changed; other programs count from the old folder."]
    files = [each for tag in ("mesh", "texture") for each in root.iter(tag) if _is_relative(each.get("filename", ""))]
    for each in files:
        each.set("filename", path_beside(home / each.get("filename", ""), folder))
    if files and not below and not whole:
        words = (
            'MuJoCo leaves out the folders of meshes in a URDF, unless it has <mujoco><compiler strippath="false"/>.'
        )
        return [words]
    return []


def _is_relative(name: str) -> bool:
    """Whether a name of a file counts from the folder of the URDF; package:// and file:// do not."""
    return bool(name) and "://" not in name and not Path(name).is_absolute()


def _set(joint: ElementTree.Element, tag: str, values: dict[str, float | None]) -> None:
    """Attributes of a child, which is made where there is none."""
    known = {name: _text(value) for name, value in values.items() if value is not None}
    if not known:
        return
    element = joint.find(tag)
    if element is None:
        last = joint[-1] if len(joint) else None
        element = ElementTree.SubElement(joint, tag)
        if last is not None:
            # indented as its neighbours are
            element.tail, last.tail = last.tail, joint.text
    for name, value in known.items():
        element.set(name, value)


def _set_interfaces(joint: ElementTree.Element, own: UrdfNumbers) -> None:
    """Limits of the effort and velocity commands where they are above the motor's; positions keep theirs."""
    most = {"effort": own.effort, "velocity": own.velocity}
    for element in joint.findall("command_interface"):
        bound = most.get(element.get("name", ""))
        if bound is None:
            continue
        for name, value in (("min", -bound), ("max", bound)):
            param = next((each for each in element.findall("param") if each.get("name") == name), None)
            if param is None:
                param = ElementTree.SubElement(element, "param", {"name": name})
            if not _is_within(param.text, bound):
                param.text = _text(value)


def _is_within(text: str | None, bound: float) -> bool:
    """Whether a limit is there and at most as large as another."""
    try:
        return text is not None and abs(float(text)) <= bound
    except ValueError:
        return False


def _text(value: float) -> str:
    rounded = round_digits(value)
    return f"{rounded!r}"
