"""Joints of Webots' files: each axis with its motor, position sensor and brake, as Webots loads them."""

from __future__ import annotations

from dataclasses import replace

from ....errors import ParameterError
from ...types import Fields
from ..motor import WebotsJoint, WebotsMotor, stop_warnings
from .axes import axis_of, file_position, position_of
from .carried import end_point
from .loads import Loads
from .node import Node
from .others import limit_second_axis, propeller_constants
from .solids import title
from .world_parts import WorldJoint, WorldSensor

MOTORS = {"RotationalMotor": ("rotational", "rotational motor"), "LinearMotor": ("linear", "linear motor")}
"""Kind and default name of each motor node."""
HOLDERS = ("HingeJoint", "Hinge2Joint", "BallJoint", "SliderJoint", "Propeller", "Track")
"""Nodes that hold motors."""
_DEVICES = {**dict.fromkeys(MOTORS, "motor"), "PositionSensor": "sensor", "Brake": "brake"}
_FIELDS = {
    "acceleration": ("acceleration", -1.0),
    "consumption_factor": ("consumptionFactor", 10.0),
    "min_position": ("minPosition", 0.0),
    "max_position": ("maxPosition", 0.0),
    "max_velocity": ("maxVelocity", 10.0),
    "multiplier": ("multiplier", 1.0),
}
_JOINT_FIELDS = {
    "damping_constant": "dampingConstant",
    "spring_constant": "springConstant",
    "static_friction": "staticFriction",
}


def read_joints(
    node: Node, robot: str, solver: dict[str, float], loads: Loads, messages: list[str]
) -> list[WorldJoint]:
    """Each axis of a joint: a Hinge2Joint has two, a BallJoint three; and a motor that no joint holds."""
    if node.kind in MOTORS:
        return [_alone(node, robot, messages)]
    count = {"Hinge2Joint": 2, "BallJoint": 3}.get(node.kind, 1)
    return [_joint(node, index, robot, solver, loads, messages) for index in ("", "2", "3")[:count]]


def motors_of(node: Node) -> list[Node]:
    """The motors of a joint, or the motor itself."""
    held = [device for index in ("", "2", "3") for device in node.nodes(f"device{index}")]
    return [each for each in (node, *held) if each.kind in MOTORS]


def motor_name(node: Node) -> str:
    """Name of a motor, or the default of its kind."""
    return node.plain_text("name") or MOTORS[node.kind][1]


def _joint(
    node: Node, index: str, robot: str, solver: dict[str, float], loads: Loads, messages: list[str]
) -> WorldJoint:
    devices = node.nodes(f"device{index}")
    joint, stops, said = _parameters(node, index, solver)
    device = next((each for each in devices if each.kind in MOTORS), None)
    motor = None
    if device is not None:
        motor, more = _motor(device, float(joint.position))
        said += more
        if (node.kind, index) == ("BallJoint", "2"):
            motor, more = limit_second_axis(motor)
            said += more
        said += stop_warnings(joint.kind, float(joint.position), motor, *stops)
    messages += [f"{node.at()}: {sentence}" for sentence in said]
    # Webots checks the limits at the position of the PROTO, and takes that of a saved world afterwards
    joint = replace(joint, position=position_of(node, index))
    solid = end_point(node)
    moved = "" if solid is None else title(solid)
    load = loads.load(node, index, float(joint.position))
    return WorldJoint(
        holder=node.kind,
        joint=joint,
        name=device.text("name", MOTORS[device.kind][1]) if device is not None else moved or node.name,
        motor=motor,
        sensor=next((_sensor(each) for each in devices if each.kind == "PositionSensor"), None),
        brake=next((each.text("name", "brake") for each in devices if each.kind == "Brake"), None),
        axis=axis_of(node, index),
        end_point=moved,
        inertia=load.inertia,
        dynamic=load.dynamic,
        load=load,
        propeller=propeller_constants(node),
        control="torque" if device is None else _control(device),
        robot=robot,
        order=tuple(dict.fromkeys(_DEVICES[each.kind] for each in devices if each.kind in _DEVICES)),
        sound="" if device is None else device.plain_text("sound"),
        line=node.line,
    )


def _parameters(node: Node, index: str, solver: dict[str, float]) -> tuple[WebotsJoint, tuple[float, float], list[str]]:
    """An axis of a joint without its devices, its stops [rad] or [m], and what Webots says of its parameters."""
    given = node.nodes(f"jointParameters{index}")
    parameters = given[0] if given else Node("JointParameters", node.line, file=node.file)
    numbers: Fields = {ours: parameters.number(theirs, 0.0) for ours, theirs in _JOINT_FIELDS.items()}
    numbers["position"] = file_position(node, index)
    if node.kind == "BallJoint" and not given:
        # what the first axis has holds for all that say nothing
        first = next(iter(node.nodes("jointParameters")), parameters)
        numbers |= {name: first.number(_JOINT_FIELDS[name], 0.0) for name in ("damping_constant", "spring_constant")}
    stops = parameters.number("minStop", 0.0), parameters.number("maxStop", 0.0)
    if stops[0] != stops[1]:
        numbers["min_stop"], numbers["max_stop"] = stops
    numbers["cfm"] = solver["cfm"]
    for name in ("cfm", "erp"):
        own = parameters.number(f"stop{name.upper()}", -1.0)
        numbers[f"stop_{name}"] = own if own >= 0.0 else solver[name]
    slides = node.kind in ("SliderJoint", "Track")
    joint, said = WebotsJoint.from_fields(kind="slider" if slides else "hinge", **numbers)
    return joint, stops, said


def _alone(node: Node, robot: str, messages: list[str]) -> WorldJoint:
    """A motor that no joint holds, as in a text of nothing else."""
    motor, said = _motor(node, 0.0)
    messages += [f"{node.at()}: {sentence}" for sentence in said]
    kind, name = MOTORS[node.kind]
    joint = WebotsJoint(kind="slider" if kind == "linear" else "hinge")
    return WorldJoint(
        holder="", joint=joint, name=node.text("name", name), motor=motor, control=_control(node), robot=robot,
        line=node.line,
    )  # fmt: skip


def _motor(node: Node, position: float) -> tuple[WebotsMotor, list[str]]:
    kind = MOTORS[node.kind][0]
    known: Fields = {ours: node.number(theirs, default) for ours, (theirs, default) in _FIELDS.items()}
    known["max_torque"] = node.number("maxForce" if kind == "linear" else "maxTorque", 10.0)
    known["control_p"], known["control_i"], known["control_d"] = node.numbers("controlPID", (10.0, 0.0, 0.0))
    try:
        return WebotsMotor.from_fields(position, kind=kind, **known)
    except ParameterError as error:
        raise ParameterError(f"{node.at()}: {error}") from None


def _control(node: Node) -> str:
    """What the controller commands: as a comment says, or a position where the gains of the PID are given."""
    words = {"setPosition": "position", "setVelocity": "velocity", "setTorque": "torque", "setForce": "torque"}
    for word, control in words.items():
        if any(word in comment for comment in node.comments):
            return control
    return "position" if "controlPID" in node.fields else "torque"


def _sensor(node: Node) -> WorldSensor:
    resolution = node.number("resolution", -1.0)
    return WorldSensor(
        name=node.text("name", "position sensor"),
        noise=max(node.number("noise", 0.0), 0.0),
        resolution=resolution if resolution > 0.0 else -1.0,
    )
