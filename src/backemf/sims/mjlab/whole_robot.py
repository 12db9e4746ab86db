"""A whole robot for mjlab: a Python file with its `EntityCfg`, and the model without actuators beside it."""

from __future__ import annotations

import json

from ...errors import ParameterError
from ..mjcf_edit import MjcfFile
from ..mjcf_springs import put_springs
from ..robot_text import RobotParts, RobotText
from ..script_robot import join_scripts, require_python

JOINT = {"armature": "armature", "frictionloss": "coulomb", "damping": "viscous"}
"""Numbers of a joint that mjlab's configurations set, and our names for them."""


def write_robot(parts: RobotParts) -> RobotText:
    """`get_spec`, the actuators and `get_robot_cfg`; the file of the model is written beside it."""
    path = parts.model.path
    if path is not None and parts.model.format != "MJCF":
        raise ParameterError(f"mjlab loads MJCF, and the robot has {parts.model.format}: give an MJCF model")
    imports, bodies, names = join_scripts(parts)
    entity = ["EntityArticulationInfoCfg"] + ([] if path is None else ["EntityCfg"])
    imports.append(f"from mjlab.entity import {', '.join(entity)}")
    tail = ["ARTICULATION = EntityArticulationInfoCfg(", f"    actuators=({', '.join(names)},),", ")", ""]
    files, changes, kinds = {}, [], ()
    if path is not None:
        beside = f"{parts.output.stem}_model.xml"
        file, changes = stripped_model(parts)
        kinds, springs = put_springs(file, parts)
        changes += springs
        keys = bool(file.keys())
        file.move_to(parts.output.parent)
        files[beside] = file.text()
        imports = ["from pathlib import Path", "", "import mujoco", *imports]
        start = ["        # the model's keyframe", "        init_state=EntityCfg.InitialStateCfg(joint_pos=None),"]
        tail += [
            "", "def get_spec() -> mujoco.MjSpec:",
            f"    return mujoco.MjSpec.from_file(str(Path(__file__).parent / {json.dumps(beside)}))",
            "", "", "def get_robot_cfg() -> EntityCfg:", "    return EntityCfg(",
            *(start if keys else []),
            "        spec_fn=get_spec,", "        articulation=ARTICULATION,", "    )", "",
        ]  # fmt: skip
    text = "\n".join([f'"""{_title(parts)}, with motors by backemf."""', "", *imports, "", *bodies, *tail])
    return RobotText(text=require_python(text), files=files, changes=tuple(changes), kinds=kinds)


def _title(parts: RobotParts) -> str:
    return parts.name.replace("\\", "").replace('"', "'") or "A robot"


def stripped_model(parts: RobotParts) -> tuple[MjcfFile, list[str]]:
    """The model without the actuators, inertia and friction of driven joints, and what was taken out."""
    assert parts.model.path is not None
    file = MjcfFile(parts.model.path)
    labels = {label for name in parts.driven for label in parts.model.joint(name).actuators}
    changes = []
    gone = [each for each, label in zip(file.elements, file.labels(), strict=True) if label in labels]
    if gone:
        names = ", ".join(f"<{each.tag}> {each.get('name', '')!r}" for each in gone)
        changes.append(f"The model beside it is without the actuators {names}.")
    changes += file.remove(gone)
    for name in parts.driven:
        joint = parts.model.joint(name)
        file.set_joint(name, {word: "0" for word, own in JOINT.items() if getattr(joint, own)})
    keys = file.keys()
    for key in keys:
        # mjlab adds the controls of its own actuators
        for word in ("ctrl", "act"):
            key.attrib.pop(word, None)
    return file, changes
