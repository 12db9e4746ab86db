"""Nodes of Webots 5 to 8 as those that took their place: Servo, and the wheels of DifferentialWheels.

A Servo was a solid on a joint with a motor and a position sensor; since Webots 8 it is a PROTO of these. A
DifferentialWheels was a robot that turned its solids "left wheel" and "right wheel".
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from .node import Node, NodeValue, Unreadable, walk
from .versions import Versions

SIDES = ("left", "right")
"""The wheels of a DifferentialWheels."""
_POSE = ("translation", "rotation", "scale")
_JOINT = ("position", "minStop", "maxStop", "springConstant", "dampingConstant", "staticFriction")
_MOTOR = ("maxVelocity", "acceleration", "minPosition", "maxPosition")
_FIRST_AXIS = (0.0, 1.0, 0.0, 0.0)
"""Rotation of a solid that says nothing [1] and [rad]."""


@dataclass(frozen=True, kw_only=True)
class WheelDrive:
    """What a DifferentialWheels says of both of its wheels."""

    speed_unit: float = 1.0
    """Speed that 1 stands for in a command [rad/s]."""
    max_speed: float = 10.0
    """Largest speed [rad/s]."""
    max_acceleration: float = 10.0
    """Largest acceleration of wheels without Physics [rad/s²]."""
    slip_noise: float = 0.1
    """Largest share by which a wheel without Physics turns too far or not far enough in a step [1]."""
    encoder_noise: float = -1.0
    """The same of what its encoder counts [1]; negative: there are no encoders."""
    encoder_resolution: float = -1.0
    """What its encoder counts per radian [1/rad]; negative: there are no encoders."""
    consumption: float = 0.0
    """Power per mean speed of the wheels [W·s/rad]."""


def convert_former(roots: list[Node]) -> list[str]:
    """Replace every Servo, and put the wheels of every DifferentialWheels on joints; and what Webots says of them."""
    said: list[str] = []
    for node, _, _ in list(walk(roots)):
        if node.kind == "Servo" and not node.unexpanded:
            _convert_servo(node)
        elif node.kind == "DifferentialWheels":
            said += _put_on_joints(node)
    return said


def wheel_drive(node: Node, versions: Versions) -> WheelDrive | None:
    """What a robot's node says of its wheels; None: it is not a DifferentialWheels."""
    if node.kind != "DifferentialWheels":
        return None
    return WheelDrive(
        speed_unit=node.number("speedUnit", 0.1 if versions.major(node) < 6 else 1.0),
        max_speed=abs(node.number("maxSpeed", 10.0)),
        max_acceleration=abs(node.number("maxAcceleration", 10.0)),
        slip_noise=node.number("slipNoise", 0.1),
        encoder_noise=node.number("encoderNoise", -1.0),
        encoder_resolution=node.number("encoderResolution", -1.0),
        consumption=node.number("motorConsumption", 0.0),
    )


def _convert_servo(node: Node) -> None:
    """Make a Servo the transform of its pose, with a joint on which its own solid stands."""
    slides = node.plain_text("type") == "linear"
    name = node.plain_text("name") or "servo"
    parameters = _part(node, "JointParameters" if slides else "HingeJointParameters", _JOINT)
    if not slides:
        _set_axis(parameters, node, 1.0)
    motor = _part(node, "LinearMotor" if slides else "RotationalMotor", _MOTOR)
    motor.fields |= {"name": name, "controlPID": (node.fields.get("controlP", 10.0), 0.0, 0.0)}
    _rename(node, "maxForce", motor, "maxForce" if slides else "maxTorque", 10.0)
    motor.comments = node.comments
    own = [field for field in node.fields if field not in (*_POSE, *_JOINT, *_MOTOR, "type", "controlP", "maxForce")]
    solid = _part(node, "Solid", own)
    solid.fields["name"] = name
    sensor = Node("PositionSensor", node.line, file=node.file, fields={"name": f"{name} sensor"})
    fields = {"jointParameters": parameters, "device": [motor, sensor], "endPoint": solid}
    joint = Node("SliderJoint" if slides else "HingeJoint", node.line, file=node.file, fields=fields)
    pose = {field: node.fields[field] for field in _POSE if field in node.fields}
    node.kind, node.fields = "Transform", pose | {"children": [joint]}


def _put_on_joints(node: Node) -> list[str]:
    """Put each wheel of a robot on a joint, or a joint alone where there is none."""
    said = []
    children = node.nodes("children")
    dynamic = bool(node.nodes("physics"))
    for side in SIDES:
        name = f"{side} wheel"
        wheel = next((c for c in children if c.kind == "Solid" and c.plain_text("name").lower() == name), None)
        joint = _wheel_joint(node, name, wheel, dynamic)
        if wheel is None:
            children.append(joint)
        else:
            children[children.index(wheel)] = joint
        if dynamic:
            said += [f"{node.at()}: {sentence}" for sentence in _missing(name, wheel)]
    node.fields["children"] = children
    return said


def _wheel_joint(node: Node, name: str, wheel: Node | None, dynamic: bool) -> Node:
    """The joint of a wheel: forwards is against the axis of the wheel's rotation."""
    motor = Node("RotationalMotor", node.line, file=node.file)
    motor.fields = {"name": f"{name} motor", "consumptionFactor": 0.0}
    _rename(node, "maxForce", motor, "maxTorque", 0.3)
    _rename(node, "maxSpeed", motor, "maxVelocity", 10.0)
    sensor = Node("PositionSensor", node.line, file=node.file, fields={"name": f"{name} sensor"})
    parameters = Node("HingeJointParameters", node.line, file=node.file)
    fields: dict[str, NodeValue] = {"jointParameters": parameters, "device": [motor, sensor]}
    if wheel is not None:
        _set_axis(parameters, wheel, -1.0)
        parameters.fields["anchor"] = wheel.fields.get("translation", (0.0, 0.0, 0.0))
        # where the robot has no Physics, that of its wheels moves nothing
        still = {field: value for field, value in wheel.fields.items() if field != "physics"}
        fields["endPoint"] = wheel if dynamic else replace(wheel, fields=still)
    return Node("HingeJoint", node.line, file=node.file, fields=fields)


def _missing(name: str, wheel: Node | None) -> list[str]:
    """What Webots says of a wheel of a robot with Physics."""
    if wheel is None:
        return [f'A Solid children named "{name}" is missing.']
    without = [field for field in ("boundingObject", "physics") if not wheel.nodes(field)]
    return [f"The Solid children named \"{name}\" has no '{field}'." for field in without[:1]]


def _set_axis(parameters: Node, node: Node, sign: float) -> None:
    """Let a joint turn about the axis of a node's rotation, or against it; or say that only Webots knows it."""
    rotation = node.fields.get("rotation")
    if not isinstance(rotation, Unreadable):
        # a sum with 0 has no -0
        rotation = tuple(0.0 + sign * x for x in node.numbers("rotation", _FIRST_AXIS)[:3])
    parameters.fields["axis"], parameters.lines["axis"] = rotation, node.lines.get("rotation", node.line)


def _part(node: Node, kind: str, names: Iterable[str]) -> Node:
    """A new node with some of a node's fields."""
    part = Node(kind, node.line, file=node.file)
    for name in names:
        if name in node.fields:
            _rename(node, name, part, name, None)
    return part


def _rename(node: Node, name: str, part: Node, new: str, default: NodeValue) -> None:
    """Give a part a field of a node under another name, with its line."""
    part.fields[new] = node.fields.get(name, default)
    part.lines[new] = node.lines.get(name, node.line)
