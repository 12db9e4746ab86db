"""Springs beside motors, as springs of the joints of an MJCF model: an actuator of MuJoCo has none."""

from __future__ import annotations

import math
from dataclasses import replace

from ..actuator.joint_spring import JointSpring
from .joint import parts_of
from .loss import DROPPED, KEPT, Loss
from .mjcf_edit import MjcfFile
from .numbers import single
from .on_joint import with_actuator
from .robot_model import HINGE, ModelJoint
from .robot_text import RobotKind, RobotParts

SPRING = "joint spring"
"""The phenomenon."""


def put_springs(file: MjcfFile, parts: RobotParts) -> tuple[tuple[RobotKind, ...], list[str]]:
    """Write the springs that the actuators themselves do not carry; the kinds with that kept, and what changes."""
    kinds, changes = [], []
    for kind in parts.kinds:
        actuator = parts_of(kind.thing)[1]
        spring = actuator.spring
        dropped = any(loss.phenomenon == SPRING and loss.status == DROPPED for loss in kind.written.statuses)
        if spring is None or not dropped or not single("JointSpring.stiffness", spring.stiffness):
            kinds.append(kind)
            continue
        changes += [_put_spring(file, joint, spring) for joint in kind.joints]
        statuses = [Loss(SPRING, KEPT) if loss.phenomenon == SPRING else loss for loss in kind.written.statuses]
        without = with_actuator(kind.thing, replace(actuator, spring=None))
        kinds.append(replace(kind, thing=without, written=replace(kind.written, statuses=statuses)))
    return tuple(kinds), changes


def _put_spring(file: MjcfFile, joint: ModelJoint, spring: JointSpring) -> str:
    """Give a spring to a joint, besides one that it has; a sentence about it."""
    stiffness, offset = single("JointSpring.stiffness", spring.stiffness), single("offset", spring.offset)
    # a constant torque moves the angle at which the spring pulls neither way
    rest = single("rest_angle", spring.rest_angle) + offset / stiffness
    had, had_rest = joint.spring or (0.0, 0.0)
    total = had + stiffness
    middle = (had * had_rest + stiffness * rest) / total
    shown = math.degrees(middle) if joint.kind == HINGE and file.in_degrees else middle
    file.set_joint(joint.name, {"stiffness": repr(total), "springref": repr(shown)})
    words = f"joint {joint.name!r}: stiffness {total:.6g} with springref {shown:.6g}"
    return f"{words}, of the spring beside its motor{' and its own' if had else ''}."
