"""What a URDF holds of a motor: largest effort and velocity, damping and friction."""

from __future__ import annotations

from dataclasses import replace

from ...actuator import Actuator, Torque
from ...errors import ParameterError
from ...sims.joint import Joint, joint_of, parts_of
from ...sims.losses import Loss, statuses
from ...sims.on_joint import OnJoint, with_actuator
from ...sims.robot_model import Allowed
from ...sims.robot_text import RobotParts, RobotText
from ...sims.urdf import UrdfNumbers, write_urdf

NAME, TITLE = "urdf", "URDF"


def urdf_statuses(thing: Actuator | OnJoint, effort: str) -> list[Loss]:
    """Status of each phenomenon in a URDF, which has numbers for those who plan and no law of a motor."""
    known = _at_joint(thing, effort)
    kept = {"dry friction": "", "viscous drag": ""}
    if known.effort_limit is not None:
        kept["current limit"] = "It is in effort, the largest torque."
        kept["effort limit"] = ""
    if known.velocity_limit is not None:
        kept["speed limit"] = ""
        kept["voltage limit"] = kept["torque-speed line"] = (
            f"velocity is the no-load speed, {known.velocity_limit.value:.4g} rad/s: effort and velocity are not there "
            "at the same time."
        )
    return statuses(thing, kept)


def write_robot(parts: RobotParts) -> RobotText:
    """The model with the limits and the friction of its motors."""
    path = parts.model.path
    if path is None or parts.model.format != "URDF":
        raise ParameterError(f"--to urdf changes a URDF, and the robot has {parts.model.format}: give a URDF model")
    numbers: dict[str, UrdfNumbers] = {}
    changes = []
    for name, kind in parts.driven.items():
        known = _at_joint(kind.thing, parts.effort)
        most = {
            "effort": None if known.effort_limit is None else known.effort_limit.value,
            "velocity": None if known.velocity_limit is None else known.velocity_limit.value,
        }
        for allowed in parts.model.joint(name).limits:
            word = allowed.what.partition(" ")[0]
            most[word], change = _tighter(word, allowed, most[word])
            changes += [f"joint {name!r}: {change}"] if change else []
        numbers[name] = UrdfNumbers(
            **most,
            damping=0.0 if known.viscous is None else known.viscous.value,
            friction=0.0 if known.coulomb is None else known.coulomb.value,
        )
    text, notes = write_urdf(path, numbers, parts.output.parent)
    notes.append("A URDF has no place for the rotor's inertia; ros2_control and planners do not miss it.")
    return RobotText(text=text, changes=tuple(changes), notes=tuple(notes))


def _tighter(word: str, allowed: Allowed, own: float | None) -> tuple[float | None, str]:
    """The motor's limit, or the model's where it is below that, and what changes; 0 in a model means that it does not
    say."""
    if own is None:
        return None, ""
    shown = f"{word} {allowed.value:g} {allowed.unit}"
    if 0.0 < allowed.value <= own:
        return allowed.value, f"{shown} kept: the motor's {own:.6g} is above it."
    return own, f"{shown} replaced by {own:.6g} of the motor."


def _at_joint(thing: Actuator | OnJoint, effort: str) -> Joint:
    actuator = parts_of(thing)[1]
    plain = replace(actuator, controller=Torque(), command_range=None, slew=None, delay=None, substeps=1)
    return joint_of(with_actuator(thing, plain), effort=effort)
