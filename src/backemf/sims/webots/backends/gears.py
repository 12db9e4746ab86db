"""Joints that gears carry along: what a leader feels of them, with the loss of the gears.

Webots couples motors by their commands alone; here a joint without a motor is at `ratio` times its leader's position,
and the leader feels it by the power that passes: 1/efficiency of it while it drives, efficiency of it while it is
driven.
"""

from __future__ import annotations

from typing import NamedTuple

from ..robots.description import MechanicalCoupling
from .axis import Axis


class Carried(NamedTuple):
    """All followers of a leader as it feels them."""

    inertia: float
    """Inertia besides its own [kg·m²]."""
    damping: float
    """Damping besides its own [N·m·s/rad]."""
    spring: float
    """Stiffness besides its own [N·m/rad]."""
    load: float
    """Torque from elsewhere besides its own, its spring's at rest included [N·m]."""


class Follower:
    """A joint that gears carry along."""

    def __init__(self, axis: Axis, leader: Axis, coupling: MechanicalCoupling):
        self.axis, self.ratio, self.efficiency = axis, coupling.ratio, coupling.efficiency
        self.offset = axis.position - coupling.ratio * leader.position
        self.share = 1.0 / coupling.efficiency
        """Torque at the leader per torque that passes, over the ratio: of a leader that drives at first [1]."""

    def update_share(self, speed_before: float, speed: float, dt: float) -> bool:
        """Whether power passes the other way than was thought, with the leader's speeds around a step [rad/s]."""
        axis, joint = self.axis, self.axis.joint
        here, rate = self.ratio * speed, self.ratio * (speed - speed_before) / dt
        passed = (axis.inertia or 0.0) * rate + (joint.damping_constant + axis.brake) * here
        passed += joint.spring_constant * (axis.position + dt * here) - axis.load()
        share = 1.0 / self.efficiency if passed * here >= 0.0 else self.efficiency
        changed = share != self.share
        self.share = share
        return changed

    def follow(self, leader: Axis) -> None:
        """Follow the leader."""
        self.axis.position = self.ratio * leader.position + self.offset
        self.axis.speed = self.ratio * leader.speed


def carried_load(followers: list[Follower], level: bool = False) -> Carried:
    """What a leader feels of its followers now; `level`: without the weights that hang on them."""
    inertia = damping = spring = load = 0.0
    for follower in followers:
        axis, joint = follower.axis, follower.axis.joint
        share, ratio = follower.share, follower.ratio
        inertia += share * ratio**2 * (axis.inertia or 0.0)
        damping += share * ratio**2 * (joint.damping_constant + axis.brake)
        spring += share * ratio**2 * joint.spring_constant
        pull = axis.load_torque if level else axis.load()
        load += share * ratio * (pull - joint.spring_constant * follower.offset)
    return Carried(inertia, damping, spring, load)


def followers_of(axes: list[Axis], couplings: tuple[MechanicalCoupling, ...]) -> dict[Axis, list[Follower]]:
    """The followers of each leader."""
    by_name = {axis.name: axis for axis in axes}
    found: dict[Axis, list[Follower]] = {}
    for coupling in couplings:
        leader = by_name[coupling.leader]
        found.setdefault(leader, []).append(Follower(by_name[coupling.follower], leader, coupling))
    return found


def all_followers(found: dict[Axis, list[Follower]]) -> set[Axis]:
    """Every axis that follows another."""
    return {follower.axis for followers in found.values() for follower in followers}
