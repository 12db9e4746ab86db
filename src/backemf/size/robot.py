"""What was found as a robot: the best pair of each joint with its position loop, on the supply of the task."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

from ..actuator import Actuator, IdealPd
from ..design.gains import gains_from_bandwidth
from ..loads import inertia_of
from ..motor import Limits, Motor, Thermal
from ..robot import JointDrive, Robot
from .joint_found import JointFound
from .task import Task

STIFF = 30.0
"""Natural frequencies of a position loop in one motion [1]."""


def robot_of(task: Task, joints: dict[str, JointFound], bandwidth: float | None = None) -> Robot:
    """The best pair of each joint, with the model of the task where a torque came from it."""
    model = _model(task, joints)
    names = list(joints)
    if model is not None and task.robot is not None and task.robot.joints:
        names = list(task.robot.joints)
    drives = {
        re.escape(name): JointDrive(motor=_actuator(task, found, bandwidth))
        for name, found in zip(names, joints.values(), strict=True)
    }
    most = task.limits.supply_current
    return Robot(
        drives=drives, model=model, joint_names=() if model is not None else names, supply=task.supply,
        peak_current=None if most is None else float(most), name=task.name,
    )  # fmt: skip


def in_its_place(motor: Motor, task: Task) -> Motor:
    """A motor in the air of the task, on what it is mounted on."""
    t = motor.thermal
    if t is None:
        return motor
    if isinstance(t, Thermal):
        return replace(motor, thermal=replace(t, ambient=task.ambient))
    housing = t.housing_resistance * task.mounting
    return replace(motor, thermal=replace(t, ambient=task.ambient, housing_resistance=housing))


def _actuator(task: Task, found: JointFound, bandwidth: float | None) -> Actuator:
    """The best pair of a joint with a critically damped position loop around rotor and load."""
    choice = found.best
    motor = in_its_place(choice.motor, task)
    if task.limits.current is not None:
        motor = replace(motor, limits=Limits(peak_current=float(task.limits.current)))
    load = task.joints[found.cycle.name].load
    inertia = float(motor.reflected_inertia) + (0.0 if load is None else float(inertia_of(load)))
    gains = gains_from_bandwidth(inertia, STIFF / found.cycle.cells.duration if bandwidth is None else bandwidth)
    loop = IdealPd(stiffness=float(gains.kp), damping=float(gains.kd))
    return Actuator(motor, controller=loop, spring=choice.spring)


def _model(task: Task, joints: dict[str, JointFound]) -> Path | None:
    """The model of the task, where the torque of a joint came from it."""
    asked = any(task.joints[name].load is None and found.cycle.cells.torque is None for name, found in joints.items())
    if task.robot is None or not asked:
        return None
    return (task.folder or Path()) / task.robot.model
