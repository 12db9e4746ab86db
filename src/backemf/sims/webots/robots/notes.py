"""What is assumed of the loads of a world's joints, in one sentence for all joints of which it is true."""

from __future__ import annotations

from ..nodes.loads import JointLoad
from .description import RobotDescription, RobotJoint

MOST = 4
"""Names in a sentence; more are counted [1]."""


def load_notes(robot: RobotDescription) -> list[str]:
    """What is assumed, and what is not counted."""
    moved = [joint for joint in robot.joints if joint.world.load.inertia is not None]
    unweighted = [joint for joint in moved if not joint.world.load.gravity]
    kinematic = [joint for joint in robot.joints if joint.world.load.missing and not joint.world.dynamic]
    rows = {
        "Webots takes 1 kg·m², or 1 kg on a slider, for a solid without a boundingObject that has a volume; --inertia "
        "takes its place": _those(moved, "assumed"),
        "what they carry moves as one body, further joints locked where the file has them": _those(moved, "locked"),
        "each is taken alone, as if what carries it stood still where the file has it": _those(moved, "alone"),
        "gravity has no effect, since the file does not tell its direction": unweighted,
        "they move in kinematic mode, since what they carry is not known; --inertia gives them a load": kinematic,
    }
    said = [f"{_names(joints)}: {sentence}" for sentence, joints in rows.items() if joints]
    return said + list(dict.fromkeys(note for joint in robot.joints for note in joint.world.load.notes))


def _those(joints: list[RobotJoint], name: str) -> list[RobotJoint]:
    assert name in JointLoad.__dataclass_fields__
    return [joint for joint in joints if getattr(joint.world.load, name)]


def _names(joints: list[RobotJoint]) -> str:
    names = ", ".join(repr(joint.name) for joint in joints[:MOST])
    return f"{names} and {len(joints) - MOST} more" if len(joints) > MOST else names
