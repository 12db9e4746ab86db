"""A whole robot for Isaac Lab: a Python file with its `ArticulationCfg`."""

from __future__ import annotations

import json

from ..robot_text import RobotParts, RobotText, path_beside
from ..script_robot import join_scripts, require_python

SPAWN = {"USD": ("UsdFileCfg", "usd_path"), "URDF": ("UrdfFileCfg", "asset_path")}
"""What loads a kind of model, and its word for the path."""


def write_robot(parts: RobotParts) -> RobotText:
    """An `ArticulationCfg` with its model and an actuator for each kind of joint."""
    imports, bodies, names = join_scripts(parts)
    model, notes = parts.model, []
    rows = [f"        {json.dumps(name.removesuffix('_actuators'))}: {name}," for name in names]
    fields = ["    actuators={", *rows, "    },"]
    imports = [*imports, "from isaaclab.assets import ArticulationCfg"]
    if model.format in SPAWN and model.path is not None:
        loader, word = SPAWN[model.format]
        place = json.dumps(path_beside(model.path, parts.output.parent))
        imports = ["from pathlib import Path", "", "import isaaclab.sim as sim_utils", *imports]
        more = []
        if model.format == "URDF":
            # the importer asks for a drive, whose gains the actuators replace
            more = [
                "        joint_drive=sim_utils.UrdfConverterCfg.JointDriveCfg(",
                "            gains=sim_utils.UrdfConverterCfg.JointDriveCfg.PDGainsCfg(stiffness=0.0, damping=0.0),",
                "        ),", "        fix_base=False,",
            ]  # fmt: skip
            notes.append("fix_base = False in spawn: set it to True for an arm that is bolted down.")
        spawn = [
            f"    spawn=sim_utils.{loader}(",
            f"        {word}=str(Path(__file__).parent / {place}),",
            *more,
            "    ),",
        ]
        fields = [*spawn, *fields]
    else:
        what = "there is no model" if model.path is None else f"{model.path.name} is {model.format}"
        notes.append(f"Isaac Lab loads USD or URDF, and {what}: convert it, and give spawn= with its path.")
    title = parts.name.replace("\\", "").replace('"', "'") or "A robot"
    text = "\n".join([
        f'"""{title}, with motors by backemf."""', "", *imports, "", *bodies,
        "ROBOT_CFG = ArticulationCfg(", *fields, ")", "",
    ])  # fmt: skip
    return RobotText(text=require_python(text), notes=tuple(notes))
