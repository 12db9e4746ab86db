"""A whole robot for PhysX: a USD layer over the model, with a drive on every driven joint."""

from __future__ import annotations

from ...values import Foreign
from ..robot_model import SLIDE
from ..robot_text import RobotParts, RobotText
from ..usd_robot import open_over, over_text
from .drives import author
from .writing import write


def write_robot(parts: RobotParts) -> RobotText:
    """A stage with the model below it; the drives that joints had say what the motors do."""
    stage: Foreign = open_over(parts, "PhysX")
    changes = []
    for name, kind in parts.driven.items():
        joint = parts.model.joint(name)
        axis = "linear" if joint.kind == SLIDE else "angular"
        author(write(kind.thing, joint.place, instance=axis, effort=parts.effort).drive, stage, joint.place)
        if any(not path.startswith("/") for path in joint.actuators):
            changes.append(f"joint {name!r}: its {axis} drive is replaced.")
        inertia = stage.GetPrimAtPath(joint.place).GetAttribute("physxJoint:armature")
        if inertia and inertia.HasAuthoredValue() and inertia.Get():
            inertia.Set(0.0)
            changes.append(f"joint {name!r}: physxJoint:armature is 0 now, since the axis has the rotor's inertia.")
    assert parts.model.path is not None
    return RobotText(text=over_text(stage, parts.model.path, parts.output.parent), changes=tuple(changes))
