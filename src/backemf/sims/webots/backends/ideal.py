"""Webots' own motors on loads of one joint each: what stands behind the devices unless something else is asked for."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ....errors import ParameterError
from ..compiled import laws
from ..robots.description import RobotDescription
from ..robots.notes import load_notes
from .axis import Axis, log
from .gears import Follower, all_followers, carried_load, followers_of
from .straight import Step, straight_control, straight_kinematic, straight_step


class Ideal:
    """Moves every axis by a basic time step, as Webots does it with a joint on a fixed base."""

    electric = False

    def __init__(self, robot: RobotDescription, axes: list[Axis]):
        tell_notes(robot)
        self.dt = robot.basic_time_step
        self._plain: list[tuple[Axis, Step]] = []
        self._geared: list[Geared] = []
        self._kinematic: list[tuple[Axis, Step]] = []
        led = followers_of(axes, robot.couplings)
        carried_along = all_followers(led)
        for axis in axes:
            if axis in carried_along:
                continue
            if not axis.dynamic:
                self._kinematic.append((axis, straight_kinematic(axis.motor, self.dt)))
                continue
            require_inertia(robot, axis)
            if axis in led:
                self._geared.append(Geared(axis, led[axis], self.dt))
            else:
                self._plain.append((axis, straight_step(axis.motor, axis.joint, axis.inertia or 0.0, self.dt)))

    def step(self) -> None:
        for axis, move in self._plain:
            move(axis, axis.load() if axis.weight else axis.load_torque)
            axis.total = axis.feedback + axis.torque if axis.torque_mode else axis.feedback
        for geared in self._geared:
            geared.step()
        for axis, move in self._kinematic:
            move(axis, 0.0)


def require_inertia(robot: RobotDescription, axis: Axis) -> None:
    """Check that the load of a joint is known; raise ParameterError if not."""
    if axis.inertia is None:
        what = "inertia" if axis.joint.kind == "hinge" else "mass"
        why = next((joint.world.load.missing for joint in robot.joints if joint.name == axis.name), "")
        raise ParameterError(
            f"{robot.file}: what the joint of {axis.name!r} moves is not known{f' ({why})' if why else ''}: "
            f"give its {what}, or --inertia for all such joints"
        )


def tell_notes(robot: RobotDescription) -> None:
    """Say what is assumed of the loads of a world's joints."""
    for sentence in load_notes(robot):
        log(f"Note: {sentence}")


class Geared:
    """A leader with the joints that its gears carry along."""

    def __init__(self, axis: Axis, followers: list[Follower], dt: float):
        self.axis, self.followers, self.dt = axis, followers, dt
        rubs = sum(abs(follower.ratio) * follower.axis.joint.static_friction for follower in followers)
        self.joint = replace(axis.joint, static_friction=axis.joint.static_friction + rubs)
        self.control = straight_control(axis.motor, self.joint, dt)
        self.laws = laws("python")

    def step(self) -> None:
        axis, dt = self.axis, self.dt
        self.control(axis, 0.0)
        # which way power passes is known after the step alone: where it was the other way, the step is made again
        done = self._try()
        if any([follower.update_share(axis.speed, done.velocity, dt) for follower in self.followers]):
            done = self._try()
        axis.position = self.laws.next_position(axis.joint, axis.position, done.velocity, dt)
        axis.speed, axis.feedback = done.velocity, done.feedback
        axis.total = axis.feedback + axis.push()
        for follower in self.followers:
            follower.follow(axis)

    def _try(self) -> Any:
        axis, more = self.axis, carried_load(self.followers)
        joint = replace(
            self.joint,
            damping_constant=self.joint.damping_constant + more.damping,
            spring_constant=self.joint.spring_constant + more.spring,
            brake=axis.brake,
        )
        load = axis.load() + more.load + axis.push()
        inertia = (axis.inertia or 0.0) + more.inertia
        return self.laws.engine_step(joint, axis.wanted, axis.most, axis.position, axis.speed, inertia, load, self.dt)
