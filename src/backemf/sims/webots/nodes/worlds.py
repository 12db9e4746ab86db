"""Worlds, PROTOs and bare nodes of Webots: every robot, motor, joint, sensor, brake and battery in them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import replace

from ....errors import ParameterError
from ...on_joint import Unread
from ..coupled import couple_motors
from .documents import text_of
from .expansion import expand
from .former import wheel_drive
from .joints import HOLDERS, MOTORS, motor_name, motors_of, read_joints
from .loads import Loads
from .node import Node, walk
from .others import WorldDevice, device_kind, has_physics, other_device
from .proto_files import ROBOTS
from .unexpanded import Unexpanded
from .world_parts import World, WorldJoint, WorldRobot


def read(
    text_or_path: str | os.PathLike[str], skip: bool = False, assets: Iterable[str | os.PathLike[str]] = ()
) -> World:
    """Everything that moves in a world, a PROTO or a bare node.

    `skip` leaves out a joint that cannot be read. PROTOs are looked for beside the file, at the addresses that it gives
    on this machine, in the tree of Webots around it, in the folders of `assets`, where addresses on the web and webots://
    are looked for too, and in the installation of Webots that WEBOTS_HOME names.
    """
    text, file = text_of(text_or_path)
    roots, messages = expand(text, file, assets)
    missing: list[Unexpanded] = []
    unread: list[tuple[int, Unread]] = []
    step, joints, robots, solver = 32.0, [], [], {"cfm": 1e-5, "erp": 0.2}
    within: dict[int, str] = {}
    taken: dict[str, int] = {}
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
            robots.append(replace(_robot(node, taken), wheels=wheel_drive(node, loads.versions)))
            within[id(node)] = robots[-1].name
        elif kind := device_kind(node):
            devices.append(other_device(node, kind, robot, len(joints)))
        elif node.kind in HOLDERS or (node.kind in MOTORS and (parent is None or parent.kind not in HOLDERS)):
            try:
                found = read_joints(node, robot, solver, loads, messages)
                joints += [replace(joint, carried=solid[id(node)]) for joint in found]
            except ParameterError as error:
                if not skip:
                    raise
                unread += [(node.line, Unread(motor_name(each), each.kind, str(error))) for each in motors_of(node)]
    joints = _couple(joints, messages)
    return World(
        basic_time_step=1e-3 * step,
        joints=tuple(joints),
        robots=tuple(robots),
        devices=tuple(devices),
        roots=tuple(roots),
        warnings=tuple(dict.fromkeys(messages)),
        unread=tuple(unread),
        unexpanded=tuple(missing),
    )


def _robot(node: Node, taken: dict[str, int]) -> WorldRobot:
    battery = node.known_value("battery", [])
    row = tuple(battery) if isinstance(battery, (list, tuple)) else (battery,)
    if not all(isinstance(x, float) and abs(x) < float("inf") for x in row):
        raise node.error("battery", "must be numbers: energy now [J], largest energy [J], charging power [W]")
    if row:
        row = (*row, -1.0, -1.0)[:3]  # Webots' own value where one is left out
    return WorldRobot(
        name=_free_name(node.text("name", "robot"), taken),
        controller=node.text("controller", "<generic>"),
        battery=row,
        cpu_consumption=node.number("cpuConsumption", 10.0),
        model=node.plain_text("model"),
        arguments=_arguments(node),
        node=node,
    )


def _free_name(name: str, taken: dict[str, int]) -> str:
    """A unique name: "robot(1)" if another robot is called "robot", as Webots numbers copies.

    `taken` are the names that robots have, with the last number behind each.
    """
    free = name
    while free in taken:
        taken[name] += 1
        free = f"{name}({taken[name]})"
    taken[free] = 0
    return free


def _arguments(node: Node) -> tuple[str, ...]:
    given = node.fields.get("controllerArgs", [])
    row = given if isinstance(given, list) else [given]
    return tuple(argument for argument in row if isinstance(argument, str) and argument)


def _couple(joints: list[WorldJoint], messages: list[str]) -> list[WorldJoint]:
    """The joints with the limits that coupled motors of one robot share."""
    done = list(joints)
    of_robots: dict[str, list[int]] = {}
    for i, joint in enumerate(joints):
        if joint.motor is not None and "::" in joint.name:
            of_robots.setdefault(joint.robot, []).append(i)
    for mine in of_robots.values():
        motors = {done[i].name: done[i].motor for i in mine}
        changed, said = couple_motors({name: motor for name, motor in motors.items() if motor is not None})
        messages += said
        for i in mine:
            done[i] = replace(done[i], motor=changed[done[i].name])
    return done
