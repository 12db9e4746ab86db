"""A whole robot for Newton: a USD layer over the model, with an actuator for every driven joint."""

from __future__ import annotations

from ...errors import ParameterError
from ...values import Foreign
from ..robot_model import SLIDE
from ..robot_text import RobotParts, RobotText
from ..types import JointNumbers
from ..usd import applied_schemas
from ..usd_robot import merge_layers, open_over, over_text
from .writing import write


def write_robot(parts: RobotParts) -> RobotText:
    """A stage with the model below it; drives and actuators that the joints had take no effect any more."""
    stage: Foreign = open_over(parts, "Newton")
    size = stage.GetMetadata("metersPerUnit") if stage.HasAuthoredMetadata("metersPerUnit") else 1.0
    if size != 1.0:
        raise ParameterError(
            f"{parts.model.path}: metersPerUnit = {size:g}: Newton's actuators are written in metres; save it in metres"
        )
    changes, texts = [], []
    chosen: JointNumbers = {} if parts.kind == "backemf" else {"effort": parts.effort}
    for name, kind in parts.driven.items():
        joint = parts.model.joint(name)
        slides = joint.kind == SLIDE
        written = write(kind.thing, joint.place, parts.kind, timestep=parts.timestep, slides=slides, **chosen)
        texts.append(written.text)
    merge_layers(stage, texts)
    for name in parts.driven:
        joint = parts.model.joint(name)
        prim = stage.GetPrimAtPath(joint.place)
        for axis in ("angular", "linear"):
            if f"PhysicsDriveAPI:{axis}" in applied_schemas(prim):
                for word in ("stiffness", "damping"):
                    prim.GetAttribute(f"drive:{axis}:physics:{word}").Set(0.0)
                prim.RemoveAppliedSchema(f"PhysicsDriveAPI:{axis}")
                changes.append(f"joint {name!r}: its {axis} drive is removed.")
        for path in joint.actuators:
            own = f"{joint.place}_actuator"
            if path.startswith("/") and path != own:
                stage.GetPrimAtPath(path).SetActive(False)
                changes.append(f"joint {name!r}: the actuator {path} is inactive now.")
    assert parts.model.path is not None
    notes = [f"Newton loads it with ModelBuilder.add_usd; it has {len(texts)} actuators."]
    if parts.kind == "backemf":
        notes.append("Newton needs `import backemf.sims.newton` before it reads the file.")
    return RobotText(
        text=over_text(stage, parts.model.path, parts.output.parent), changes=tuple(changes), notes=tuple(notes)
    )
