"""Worlds, PROTOs and bare nodes of Webots: every robot, motor, joint, sensor, brake and battery in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from ....errors import ParameterError
from ...on_joint import Unread
from ..coupled import coupled
from ..motor import WebotsJoint, WebotsMotor, stop_warnings
from .axes import axis_of
from .carried import end_point
from .documents import text_of
from .expansion import expand
from .loads import JointLoad, Loads
from .node import Node, walk
from .others import DEVICES, WorldDevice, has_physics, limit_second_axis, other_device, propeller_constants
from .proto_files import ROBOTS
from .solids import title
from .unexpanded import Unexpanded

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
    "position": "position",
    "damping_constant": "dampingConstant",
    "spring_constant": "springConstant",
    "static_friction": "staticFriction",
}


@dataclass(frozen=True, kw_only=True)
class WorldSensor:
    """A `PositionSensor`."""

    name: str
    """Its name."""
    noise: float = 0.0
    """Standard deviation of its noise [rad]."""
    resolution: float = -1.0
    """Smallest step of its value [rad]; -1: any."""


@dataclass(frozen=True, kw_only=True)
class WorldJoint:
    """One axis of a joint with what drives and measures it."""

    holder: str
    """Node that it is, such as HingeJoint."""
    joint: WebotsJoint
    """What its parameters say."""
    name: str = ""
    """Name of its motor; without a motor that of its end point."""
    motor: WebotsMotor | None = None
    """Its motor; None: none."""
    sensor: WorldSensor | None = None
    """Its position sensor; None: none."""
    brake: str | None = None
    """Name of its brake; None: none."""
    axis: tuple[float, float, float] = (0.0, 0.0, 1.0)
    """Direction of the axis [1]."""
    end_point: str = ""
    """Name of the solid that it moves."""
    inertia: float | None = None
    """Inertia of all that it moves about the axis [kg·m²], or the mass [kg]; None: not known."""
    dynamic: bool = False
    """Whether the end point has Physics; without, the joint moves in kinematic mode."""
    load: JointLoad = field(default_factory=JointLoad)
    """What it moves, with its weight, and what is not known of it."""
    carried: bool = True
    """Whether the solid that carries the joint has Physics; without, Webots gives no torque feedback."""
    propeller: tuple[float, float] | None = None
    """Thrust [N·s²] and torque [N·m·s²] of a propeller per square of its speed; None: it is none."""
    control: str = "torque"
    """What its controller commands, as far as the text tells: "position", "velocity" or "torque"."""
    robot: str = ""
    """Name of its robot."""
    order: tuple[str, ...] = ("motor", "sensor", "brake")
    """Order in which the text has its devices."""
    sound: str = ""
    """Wave file of the motor's sound; empty: none."""
    line: int = 0
    """Line on which the joint begins [1]."""


@dataclass(frozen=True, kw_only=True)
class WorldRobot:
    """A robot."""

    name: str
    """Its name."""
    controller: str = ""
    """Name of its controller."""
    battery: tuple[float, ...] = ()
    """Energy now [J], largest energy [J], charging power [W]; empty: no battery."""
    cpu_consumption: float = 10.0
    """Power of its computer [W]."""
    model: str = ""
    """What its maker calls it."""
    arguments: tuple[str, ...] = ()
    """Arguments of its controller."""
    node: Node | None = None
    """Its node; None: unknown."""


@dataclass(frozen=True, kw_only=True)
class World:
    """What is in a file."""

    basic_time_step: float = 0.032
    """Duration of a step [s]."""
    joints: tuple[WorldJoint, ...] = ()
    """Every axis of every joint, in the order of the text."""
    robots: tuple[WorldRobot, ...] = ()
    """Every robot, in the order of the text."""
    devices: tuple[WorldDevice, ...] = ()
    """Devices that are not simulated, in the order of the text."""
    roots: tuple[Node, ...] = ()
    """Nodes that stand by themselves in the world, in the order of the text."""
    warnings: tuple[str, ...] = ()
    """What Webots says when it loads the file."""
    unread: tuple[tuple[int, Unread], ...] = ()
    """Line and reason of each joint that is skipped, where that was asked for."""
    unexpanded: tuple[Unexpanded, ...] = ()
    """PROTOs that are not replaced by what they stand for, in the order of the text."""

    def motors(self) -> dict[str, WorldJoint]:
        """The joints with a motor, by the name of the motor."""
        return {joint.name: joint for joint in self.joints if joint.motor is not None}


def read(
    text_or_path: str | os.PathLike[str], skip: bool = False, assets: Iterable[str | os.PathLike[str]] = ()
) -> World:
    """Everything that moves in a world, a PROTO or a bare node.

    `skip` leaves out a joint that cannot be read. PROTOs are looked for beside the file, at the addresses that it gives
    on this machine, and in the folders of `assets`, where addresses on the web and webots:// are looked for too.
    """
    text, file = text_of(text_or_path)
    roots, told = expand(text, file, assets)
    missing: list[Unexpanded] = []
    unread: list[tuple[int, Unread]] = []
    step, joints, robots, solver = 32.0, [], [], {"cfm": 1e-5, "erp": 0.2}
    within: dict[int, str] = {}
    solid: dict[int, bool] = {}
    devices: list[WorldDevice] = []
    loads = Loads(roots, text, file)
    for node, parent, _ in walk(roots):
        robot = within[id(node)] = "" if parent is None else within[id(parent)]
        solid[id(node)] = has_physics(node, parent is None or solid[id(parent)])
        if node.kind == "WorldInfo":
            step = node.number("basicTimeStep", 32.0)
            if step <= 0.0:
                raise node.error("basicTimeStep", "must be a number of milliseconds above 0")
            solver = {"cfm": node.number("CFM", 1e-5), "erp": node.number("ERP", 0.2)}
        elif node.unexpanded:
            missing.append(Unexpanded.of(node, robot))
        if node.kind in ROBOTS:
            robots.append(_robot(node))
            within[id(node)] = robots[-1].name
        elif node.kind in DEVICES:
            devices.append(other_device(node, robot, len(joints)))
        elif node.kind in HOLDERS or (node.kind in MOTORS and (parent is None or parent.kind not in HOLDERS)):
            try:
                found = _joints(node, robot, solver, loads, told)
                joints += [replace(joint, carried=solid[id(node)]) for joint in found]
            except ParameterError as error:
                if not skip:
                    raise
                unread += [(node.line, Unread(_motor_name(each), each.kind, str(error))) for each in _motors(node)]
    joints = _coupled(joints, told)
    return World(
        basic_time_step=1e-3 * step,
        joints=tuple(joints),
        robots=tuple(robots),
        devices=tuple(devices),
        roots=tuple(roots),
        warnings=tuple(dict.fromkeys(told)),
        unread=tuple(unread),
        unexpanded=tuple(missing),
    )


def _robot(node: Node) -> WorldRobot:
    battery = node.known("battery", [])
    row = tuple(battery) if isinstance(battery, (list, tuple)) else (battery,)
    if len(row) not in (0, 3) or not all(isinstance(x, float) and abs(x) < float("inf") for x in row):
        raise node.error("battery", "must be three numbers: energy now [J], largest energy [J], charging power [W]")
    return WorldRobot(
        name=node.text("name", "robot"),
        controller=node.text("controller", "<generic>"),
        battery=row,
        cpu_consumption=node.number("cpuConsumption", 10.0),
        model=_spoken(node, "model"),
        arguments=_arguments(node),
        node=node,
    )


def _spoken(node: Node, name: str) -> str:
    """A text that moves nothing: where only Webots could tell it, it is left out."""
    value = node.fields.get(name, "")
    return value if isinstance(value, str) else ""


def _arguments(node: Node) -> tuple[str, ...]:
    given = node.fields.get("controllerArgs", [])
    row = given if isinstance(given, list) else [given]
    return tuple(argument for argument in row if isinstance(argument, str) and argument)


def _joints(node: Node, robot: str, solver: dict[str, float], loads: Loads, told: list[str]) -> list[WorldJoint]:
    """Each axis of a joint: a Hinge2Joint has two, a BallJoint three; and a motor that no joint holds."""
    if node.kind in MOTORS:
        return [_alone(node, robot, told)]
    count = {"Hinge2Joint": 2, "BallJoint": 3}.get(node.kind, 1)
    return [_joint(node, index, robot, solver, loads, told) for index in ("", "2", "3")[:count]]


def _motors(node: Node) -> list[Node]:
    """The motors of a joint, or the motor itself."""
    held = [device for index in ("", "2", "3") for device in node.nodes(f"device{index}")]
    return [each for each in (node, *held) if each.kind in MOTORS]


def _motor_name(node: Node) -> str:
    return _spoken(node, "name") or MOTORS[node.kind][1]


def _joint(node: Node, index: str, robot: str, solver: dict[str, float], loads: Loads, told: list[str]) -> WorldJoint:
    parameters = next(iter(node.nodes(f"jointParameters{index}")), Node("JointParameters", node.line, file=node.file))
    devices = node.nodes(f"device{index}")
    slides = node.kind in ("SliderJoint", "Track")
    numbers: dict[str, Any] = {ours: parameters.number(theirs, 0.0) for ours, theirs in _JOINT_FIELDS.items()}
    if node.kind == "BallJoint" and not node.nodes(f"jointParameters{index}"):
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
    joint, said = WebotsJoint.corrected(kind="slider" if slides else "hinge", **numbers)
    motor, name, control, sound = None, "", "torque", ""
    for device in devices:
        if device.kind in MOTORS and motor is None:
            motor, more = _motor(device, joint.position)
            name, control = device.text("name", MOTORS[device.kind][1]), _control(device)
            sound = _spoken(device, "sound")
            said += more
    if motor is not None and (node.kind, index) == ("BallJoint", "2"):
        motor, more = limit_second_axis(motor)
        said += more
    if motor is not None:
        said += stop_warnings(joint.kind, joint.position, motor, *stops)
    told += [f"{node.at()}: {sentence}" for sentence in said]
    sensor = next((_sensor(device) for device in devices if device.kind == "PositionSensor"), None)
    brake = next((device.text("name", "brake") for device in devices if device.kind == "Brake"), None)
    solid = end_point(node)
    moved = "" if solid is None else title(solid)
    load = loads.load(node, index, joint.position)
    return WorldJoint(
        holder=node.kind,
        joint=joint,
        name=name or moved or node.name,
        motor=motor,
        sensor=sensor,
        brake=brake,
        axis=axis_of(node, index),
        end_point=moved,
        inertia=load.inertia,
        dynamic=load.dynamic,
        load=load,
        propeller=propeller_constants(node),
        control=control,
        robot=robot,
        order=tuple(dict.fromkeys(_DEVICES[device.kind] for device in devices if device.kind in _DEVICES)),
        sound=sound,
        line=node.line,
    )


def _alone(node: Node, robot: str, told: list[str]) -> WorldJoint:
    """A motor that no joint holds, as in a text of nothing else."""
    motor, said = _motor(node, 0.0)
    told += [f"{node.at()}: {sentence}" for sentence in said]
    kind, name = MOTORS[node.kind]
    joint = WebotsJoint(kind="slider" if kind == "linear" else "hinge")
    return WorldJoint(
        holder="", joint=joint, name=node.text("name", name), motor=motor, control=_control(node), robot=robot,
        line=node.line,
    )  # fmt: skip


def _motor(node: Node, position: float) -> tuple[WebotsMotor, list[str]]:
    kind = MOTORS[node.kind][0]
    known: dict[str, Any] = {ours: node.number(theirs, default) for ours, (theirs, default) in _FIELDS.items()}
    known["max_torque"] = node.number("maxForce" if kind == "linear" else "maxTorque", 10.0)
    known["control_p"], known["control_i"], known["control_d"] = node.numbers("controlPID", (10.0, 0.0, 0.0))
    try:
        return WebotsMotor.corrected(position, kind=kind, **known)
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


def _coupled(joints: list[WorldJoint], told: list[str]) -> list[WorldJoint]:
    """The joints with the limits that coupled motors of one robot share."""
    done = list(joints)
    for robot in dict.fromkeys(joint.robot for joint in joints):
        mine = [i for i, j in enumerate(done) if j.robot == robot and j.motor is not None and "::" in j.name]
        motors = {done[i].name: done[i].motor for i in mine}
        changed, said = coupled({name: motor for name, motor in motors.items() if motor is not None})
        told += said
        for i in mine:
            done[i] = replace(done[i], motor=changed[done[i].name])
    return done
