"""What was found as a robot: the best pair of each joint with its position loop, on the supply of the task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ..actuator import Actuator, IdealPd
from ..design.gains import gains_from_bandwidth
from ..loads import inertia_of
from ..motor import Limits, Motor, Thermal
from ..robot import JointDrive, Robot
from ..robot.joint_drive import drives_by_name
from .joint_found import JointFound
from .motion import Cells
from .task import Task

HEADROOM = 1.2
"""Torque that a position loop may take over what the motion takes [1]."""
STIFF = 30.0
"""Natural frequency of a position loop over that of its motion [1]."""


def robot_of(task: Task, joints: dict[str, JointFound], bandwidth: float | None = None) -> Robot:
    """The best pair of each joint, on the model of the task where it has one."""
    model, names = None, list(joints)
    if task.robot is not None:
        model = (task.folder or Path()) / task.robot.model
        names = list(task.robot.joints or joints)
    drives = {
        name: JointDrive(motor=_actuator(task, found, bandwidth))
        for name, found in zip(names, joints.values(), strict=True)
    }
    most = task.limits.supply_current
    return Robot(
        drives=drives_by_name(drives), model=model, joint_names=() if model is not None else names, supply=task.supply,
        peak_current=None if most is None else float(most), name=task.name,
    )  # fmt: skip


def loop_bandwidth(cells: Cells) -> float:
    """Natural frequency of a position loop that is stiff beside a motion [Hz].

    A motion has its own frequency, and one of its fastest part: peak acceleration over peak velocity, as of a sine.
    """
    own, fastest = 1.0 / cells.duration, float(np.abs(cells.velocity).max())
    if fastest > 0.0:
        own = max(own, float(np.abs(cells.acceleration).max()) / fastest / (2.0 * np.pi))
    return STIFF * own


def in_its_place(motor: Motor, task: Task) -> Motor:
    """A motor in the air of the task, on what it is mounted on."""
    t = motor.thermal
    if t is None:
        return motor
    if isinstance(t, Thermal):
        return replace(motor, thermal=replace(t, ambient=task.ambient))
    housing = t.housing_resistance * task.mounting
    return replace(motor, thermal=replace(t, ambient=task.ambient, housing_resistance=housing))


def is_gear_rating_short(found: JointFound) -> bool:
    """Whether the best pair's motor gives more than its gear may bear, since a part of it never reaches the gear.

    The rating is of the gear's output. Simulators that limit a torque limit that of the motor, which also accelerates
    the rotor and overcomes its friction.
    """
    motor = found.best.motor
    ratings, gearbox = motor.ratings, motor.gearbox
    if ratings is None or gearbox is None:
        return False
    known = [ratings.gear_torque if ratings.gear_peak_torque is None else ratings.gear_peak_torque]
    most = float(np.abs(found.trace(0).motor_torque).max()) * abs(float(motor.ratio)) * float(gearbox.efficiency)
    return any(limit is not None and float(limit) < HEADROOM * most for limit in known)


def _actuator(task: Task, found: JointFound, bandwidth: float | None) -> Actuator:
    """The best pair of a joint with a critically damped position loop around rotor and load."""
    choice = found.best
    motor = in_its_place(choice.motor, task)
    if motor.ratings is not None and is_gear_rating_short(found):
        motor = replace(motor, ratings=replace(motor.ratings, gear_torque=None, gear_peak_torque=None))
    if task.limits.current is not None:
        motor = replace(motor, limits=Limits(peak_current=float(task.limits.current)))
    load = task.joints[found.cycle.name].load
    inertia = float(motor.reflected_inertia) + (0.0 if load is None else float(inertia_of(load)))
    gains = gains_from_bandwidth(inertia, loop_bandwidth(found.cycle.cells) if bandwidth is None else bandwidth)
    loop = IdealPd(stiffness=float(gains.kp), damping=float(gains.kd))
    return Actuator(motor, controller=loop, spring=choice.spring)
