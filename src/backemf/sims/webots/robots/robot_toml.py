"""A robot in a TOML file: its joints, what they move, and the devices on them. Every quantity has its unit.

name = "arm"
basic_time_step = "16 ms"

[[joint]]
inertia = "0.05 kg*m^2"
motor = { name = "shoulder", max_torque = "20 N*m", actuator = "mit-mini-cheetah", supply = "24 V" }
sensor = { name = "shoulder sensor" }
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ....errors import ParameterError, errors_at
from ....files import read_text
from ....toml_text import parse_toml
from ...types import Fields, Json
from ..coupled import couple_motors
from ..motor import WebotsJoint, WebotsMotor, stop_warnings
from ..nodes.others import DEVICES, WorldDevice
from ..nodes.world_parts import WorldJoint, WorldSensor
from .description import DURATION, MechanicalCoupling, RobotDescription, RobotJoint
from .toml_fields import SLIDES, TURNS, read_fields, rows_of, table_of

LARGEST = 1_000_000
"""Longest file that is read [bytes]."""

# what each field is: a kind of quantity, a unit, or a kind of value without one
_ROBOT = {"name": "text", "model": "text", "basic_time_step": "s", "duration": "s", "backend": "text",
          "mujoco": "text", "cpu_consumption": "W", "arguments": "texts", "battery": "battery"}  # fmt: skip
_JOINT = {"name": "text", "kind": "text", "position": "angle", "damping": "damping", "spring": "spring",
          "static_friction": "torque", "min_stop": "angle", "max_stop": "angle", "inertia": "inertia",
          "torque": "torque", "mass": "kg", "length": "m", "hangs_at": "angle", "physics": "switch",
          "joint": "text"}  # fmt: skip
_MOTOR = {"name": "text", "acceleration": "acceleration", "consumption_factor": "consumption",
          "control_pid": "gains", "min_position": "angle", "max_position": "angle", "max_velocity": "speed",
          "multiplier": "number", "max_torque": "torque", "sound": "text", "actuator": "text", "supply": "V",
          "travel": "m/rad", "derivative": "text"}  # fmt: skip
_SENSOR = {"name": "text", "noise": "angle", "resolution": "angle"}
_BRAKE = {"name": "text"}
_COUPLING = {"leader": "text", "follower": "text", "ratio": "number", "efficiency": "number"}
_DEVICE = {"kind": "text", "name": "text"}
_TABLES = {"motor": _MOTOR, "sensor": _SENSOR, "brake": _BRAKE}


def read_toml(path: Path) -> RobotDescription:
    """A robot from a file."""
    return robot_from_toml(read_text(path, LARGEST, what="a robot in TOML"), str(path), path.parent)


def robot_from_toml(text: str, file: str = "robot.toml", folder: Path | None = None) -> RobotDescription:
    """A robot from TOML text; names of files are relative to `folder`."""
    content = parse_toml(text, file, ParameterError, "a robot")
    joints, couplings, devices = (content.pop(name, []) for name in ("joint", "coupling", "device"))
    own: Fields = {"duration": DURATION} | read_fields(content, _ROBOT, {}, file)
    messages: list[str] = []
    try:
        found = [
            _joint(table, f"{file}, [[joint]] {i + 1}", messages)
            for i, table in enumerate(rows_of(joints, file, "joint"))
        ]
        rows = enumerate(rows_of(couplings, file, "coupling"))
        gears = [_coupling(table, f"{file}, [[coupling]] {i + 1}") for i, table in rows]
        rows = enumerate(rows_of(devices, file, "device"))
        others = [_device(table, f"{file}, [[device]] {i + 1}", len(found)) for i, table in rows]
        found = _consistent(found, messages)
        mujoco = own.pop("mujoco", None)
        return RobotDescription(
            **own,
            joints=tuple(_beside(joint, folder) for joint in found),
            couplings=tuple(gears),
            others=tuple(others),
            mujoco=None if mujoco is None else (folder or Path()) / mujoco,
            warnings=tuple(dict.fromkeys(messages)),
            file=file,
        )
    except ParameterError as error:
        raise error if str(error).startswith(file) else ParameterError(f"{file}: {error}") from None


def _joint(table: Json, where: str, messages: list[str]) -> RobotJoint:
    table = dict(table_of(table, where))
    kind = table.get("kind", "hinge")
    if kind not in ("hinge", "slider"):
        raise ParameterError(f"{where} kind = {kind!r}: must be hinge or slider")
    sizes = TURNS if kind == "hinge" else SLIDES
    devices = {
        name: read_fields(table_of(table.pop(name), f"{where}, {name}"), _TABLES[name], sizes, f"{where}, {name}")
        for name in list(table)
        if name in _TABLES
    }
    order = tuple(devices)
    own = read_fields(table, _JOINT, sizes, where, tuple(_TABLES))
    names = {"position": "position", "damping": "damping_constant", "spring": "spring_constant",
             "static_friction": "static_friction", "min_stop": "min_stop", "max_stop": "max_stop"}  # fmt: skip
    constants = {theirs: own[ours] for ours, theirs in names.items() if ours in own}
    with errors_at(where):
        joint, said = WebotsJoint.from_fields(kind=kind, **constants)
    motor = None
    if "motor" in devices:
        with errors_at(f"{where}, motor"):
            motor, more = _motor(devices["motor"], kind, float(joint.position))
        stops = own.get("min_stop", 0.0), own.get("max_stop", 0.0)
        said += [*more, *stop_warnings(kind, float(joint.position), motor, *stops)]
    name = devices.get("motor", {}).get("name") or own.get("name") or f"joint {where.rsplit(' ', 1)[-1]}"
    messages += [f"{where}: {sentence}" for sentence in said]
    physics = own.get("physics", True)
    if not physics and "inertia" in own:
        raise ParameterError(f"{where} inertia would never take effect without physics; leave one of them out")
    world = WorldJoint(
        holder="HingeJoint" if kind == "hinge" else "SliderJoint",
        joint=joint,
        name=name,
        motor=motor,
        sensor=_sensor(devices["sensor"], name, where) if "sensor" in devices else None,
        brake=devices["brake"].get("name", "brake") if "brake" in devices else None,
        inertia=_inertia(own, kind, where),
        dynamic=physics,
        order=order,
        sound=devices.get("motor", {}).get("sound", ""),
    )
    behind = {key: devices.get("motor", {}).get(key) for key in ("actuator", "supply", "travel")}
    loads = {key: own[key] for key in ("torque", "mass", "length", "hangs_at", "joint") if key in own}
    with errors_at(where):
        return RobotJoint(world=world, **{k: v for k, v in behind.items() if v is not None}, **loads)


def _inertia(own: Fields, kind: str, where: str) -> float | None:
    """What the joint moves: as given, else a mass at the end of its arm."""
    given = own.get("inertia")
    if given is None and own.get("mass"):
        given = own["mass"] * own.get("length", 0.0) ** 2 if kind == "hinge" else own["mass"]
    if given is not None and given <= 0.0:
        raise ParameterError(f"{where} inertia = {given:g}: must be above 0")
    return given


def _motor(given: Fields, kind: str, position: float) -> tuple[WebotsMotor, list[str]]:
    known = {name: value for name, value in given.items() if name in WebotsMotor.__dataclass_fields__}
    if "control_pid" in given:
        known["control_p"], known["control_i"], known["control_d"] = given["control_pid"]
    return WebotsMotor.from_fields(position, kind="rotational" if kind == "hinge" else "linear", **known)


def _sensor(given: Fields, motor: str, where: str) -> WorldSensor:
    for name in ("noise", "resolution"):
        if given.get(name, 0.0) < 0.0:
            raise ParameterError(f"{where}, sensor: {name} = {given[name]:g}: must be 0 or more")
    resolution = given.get("resolution", 0.0)
    return WorldSensor(
        name=given.get("name", f"{motor} sensor"),
        noise=given.get("noise", 0.0),
        resolution=resolution if resolution > 0.0 else -1.0,
    )


def _coupling(table: Json, where: str) -> MechanicalCoupling:
    given = read_fields(table_of(table, where), _COUPLING, {}, where)
    for name in ("leader", "follower"):
        if name not in given:
            raise ParameterError(f"{where}: needs {name} = the name of a joint")
    with errors_at(where):
        return MechanicalCoupling(**given)


def _device(table: Json, where: str, after: int) -> WorldDevice:
    """A device that is not simulated, which a script may ask for."""
    given = read_fields(table_of(table, where), _DEVICE, {}, where)
    if given.get("kind") not in DEVICES:
        raise ParameterError(f"{where} kind = {given.get('kind')!r}: must be one of {', '.join(DEVICES)}")
    return WorldDevice(kind=given["kind"], name=given.get("name", DEVICES[given["kind"]]), fields={}, after=after)


def _consistent(joints: list[RobotJoint], messages: list[str]) -> list[RobotJoint]:
    """The joints with the limits that motors with a common name share."""
    motors = {joint.name: joint.world.motor for joint in joints if joint.world.motor is not None}
    changed, said = couple_motors(motors)
    messages += said
    return [
        replace(joint, world=replace(joint.world, motor=changed[joint.name])) if joint.name in changed else joint
        for joint in joints
    ]


def _beside(joint: RobotJoint, folder: Path | None) -> RobotJoint:
    """The joint with the file of its actuator found beside the robot's."""
    actuator = joint.actuator
    if folder is not None and isinstance(actuator, str) and actuator.endswith(".toml"):
        return replace(joint, actuator=str(folder / actuator))
    return joint
