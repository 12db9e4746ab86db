"""What a world has besides joints: devices that are not simulated, nodes with a DEF name, what carries a joint."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..motor import WebotsMotor
from .node import Node, NodeValue
from .solids import SOLIDS

if TYPE_CHECKING:
    from .world_parts import WorldJoint


DEVICES = {
    "Accelerometer": "accelerometer", "Altimeter": "altimeter", "Camera": "camera", "Compass": "compass",
    "Connector": "connector", "Display": "display", "DistanceSensor": "distance sensor", "Emitter": "emitter",
    "GPS": "gps", "Gyro": "gyro", "InertialUnit": "inertial unit", "LED": "led", "Lidar": "lidar",
    "LightSensor": "light sensor", "Pen": "pen", "Radar": "radar", "RangeFinder": "range-finder",
    "Receiver": "receiver", "Skin": "skin", "Speaker": "speaker", "TouchSensor": "touch sensor",
    "VacuumGripper": "vacuum gripper",
}  # fmt: skip
"""Devices that are solids and not part of a joint, and their default names."""
QUARTER = 0.5 * math.pi
"""Largest angle about the second axis of a BallJoint [rad]."""


@dataclass(frozen=True, kw_only=True)
class WorldDevice:
    """A device that a robot has and that is not simulated here."""

    name: str
    """Its name."""
    kind: str
    """Node that it is, such as Camera."""
    fields: Mapping[str, NodeValue]
    """What the text says of it."""
    robot: str = ""
    """Name of its robot."""
    after: int = 0
    """Axes of joints that stand before it in the text [1]."""


def device_kind(node: Node) -> str:
    """Device that a node is, or that a PROTO that is not read ends its name with; empty: none."""
    if node.unexpanded and node.plain_text("name"):
        return max((kind for kind in DEVICES if node.kind.endswith(kind)), key=len, default="")
    return node.kind if node.kind in DEVICES else ""


def other_device(node: Node, kind: str, robot: str, after: int) -> WorldDevice:
    """A device that is not simulated."""
    return WorldDevice(
        name=node.plain_text("name") or DEVICES[kind], kind=kind, fields=node.fields, robot=robot, after=after
    )


def has_physics(node: Node, above: bool) -> bool:
    """Whether the nearest solid from a node upwards has Physics; `above` is the answer for the node that holds it."""
    return bool(node.nodes("physics")) if node.kind in SOLIDS else above


def feedback_refusal(joint: WorldJoint, effort: str) -> str:
    """Why Webots gives no feedback of a joint's motor, "torque" or "force"; empty: it does."""
    function = f"wb_motor_enable_{effort}_feedback(): cannot be invoked"
    if joint.holder in ("Propeller", "Track"):
        return "Feedback is available for motorized joints only"
    if not joint.dynamic:
        return f"{function} for a Joint whose end point has no Physics node."
    return "" if joint.carried else f"{function} because the parent Solid has no Physics node."


def propeller_constants(node: Node) -> tuple[float, float] | None:
    """Thrust [N·s²] and torque [N·m·s²] per square of the speed, in air at rest; None: it is not a Propeller."""
    if node.kind != "Propeller":
        return None
    return node.numbers("thrustConstants", (1.0, 0.0))[0], node.numbers("torqueConstants", (1.0, 0.0))[0]


def limit_second_axis(motor: WebotsMotor) -> tuple[WebotsMotor, list[str]]:
    """The motor of a BallJoint's second axis with limits of a quarter turn, and what Webots says of others."""
    if motor.min_position == motor.max_position == 0.0:
        return replace(motor, min_position=-QUARTER, max_position=QUARTER), []
    said = []
    if motor.min_position < -QUARTER:
        said.append("The lower limit of the motor associated to the second axis shouldn't be smaller than -pi/2.")
    if motor.max_position > QUARTER:
        said.append("The upper limit of the motor associated to the second axis shouldn't be greater than pi/2.")
    low, high = max(motor.min_position, -QUARTER), min(motor.max_position, QUARTER)
    return replace(motor, min_position=low, max_position=high), said
