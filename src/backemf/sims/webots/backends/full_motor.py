"""Our full motor in the place of Webots' ideal one: the same commands meet heat, friction, back-EMF and a supply.

Webots' PID answers a position error with a velocity once per basic time step, and its engine reaches that velocity
within the step. Here a velocity loop of a drive does its best: in shorter steps, it asks the motor for

    torque = kp·(Vc - w) + ki·∫(Vc - w)    within the available torque, with kp = 3 J/ts and ki = kp·3/(4 ts)

where J is all that moves and ts the basic time step: a change of the velocity takes about one basic time step, as in
Webots, as far as the motor can. The integral rests where the torque is limited. A commanded torque goes to the drive as
it is. A current loop makes the torque, which is that of the current, before friction and gear loss.
"""

from __future__ import annotations

import math
from typing import Any

from ....actuator import Actuator, Supply, Torque
from ....errors import ParameterError
from ....motor import Motor
from ....motorfile import load
from ..robots.description import RobotDescription, RobotJoint
from .axis import Axis, log
from .gears import Carried, Follower, all_followers, carried_load, followers_of
from .ideal import require_inertia, tell_notes
from .straight import straight_control

LONGEST = 1e-3
"""Longest step of the motor [s]."""
BANDWIDTH = 3000.0
"""How fast the current loop of the drive is [rad/s]."""
TELEMETRY = ("torque", "current", "voltage", "winding_temperature", "limit")
"""What is asked of the motor besides where the joint is."""
SHARPNESS = 3.0
"""Basic time step over the time constant of the velocity loop [1]."""


class FullMotors:
    """Moves every axis by a basic time step with a motor of ours."""

    electric = True

    def __init__(self, robot: RobotDescription, axes: list[Axis]):
        tell_notes(robot)
        led = followers_of(axes, robot.couplings)
        carried_along = all_followers(led)
        joints = {joint.name: joint for joint in robot.joints}
        self._drives = [
            Drive(axis, joints[axis.name], led.get(axis, []), robot) for axis in axes if axis not in carried_along
        ]

    def step(self) -> None:
        for drive in self._drives:
            drive.step()


def actuator_of(joint: RobotJoint, robot: RobotDescription) -> Actuator:
    """The motor behind a device with a drive that takes torques."""
    given = joint.actuator
    if given is None:
        raise ParameterError(
            f"{robot.file}: the motor {joint.name!r} names no actuator, which the backend motor needs: "
            'give actuator = "an id of the catalogue, or a file", or --motor'
        )
    found = Actuator(given) if isinstance(given, Motor) else given if isinstance(given, Actuator) else load(given)
    if found.motor is None:
        raise ParameterError(f"{robot.file}: the actuator of {joint.name!r} has no motor; give one of the catalogue")
    supply = Supply(voltage=joint.supply) if isinstance(joint.supply, (int, float)) else joint.supply
    return Actuator(
        found.motor,
        supply or found.supply,
        controller=Torque(current_bandwidth=BANDWIDTH),
        voltage_limit=found.voltage_limit,
    )


class Drive:
    """An axis, the motor behind it and its velocity loop. A slider is seen as a joint that turns."""

    def __init__(self, axis: Axis, joint: RobotJoint, followers: list[Follower], robot: RobotDescription):
        if not axis.dynamic:
            raise ParameterError(
                f"{robot.file}: the joint of {axis.name!r} has no Physics, so that no motor can move it: "
                "give it an inertia, or --inertia"
            )
        require_inertia(robot, axis)
        self.axis, self.followers, self.dt = axis, followers, robot.basic_time_step
        self.turns = max(1, math.ceil(self.dt / LONGEST - 1e-9))
        self.travel = 1.0
        if axis.joint.kind == "slider":
            if joint.travel is None and axis.driven:
                raise ParameterError(
                    f"{robot.file}: the motor {axis.name!r} is linear: give travel, the way per radian, "
                    'such as "2 mm/rad"'
                )
            self.travel = joint.travel or 1.0
        self.control = straight_control(axis.motor, axis.joint, self.dt)
        actuator = actuator_of(joint, robot) if axis.driven else Actuator(controller=Torque())
        if axis.joint.static_friction > 0.0 and axis.driven:
            log(f"Note: {axis.name!r}: static_friction has no effect with the backend motor; the motor has its own.")
        shared = actuator.supply is not None and actuator.supply.shared
        self.motor = actuator.compile("python") if shared else actuator.compile("native", telemetry=TELEMETRY)
        self.state = self.motor.initial()
        own = 0.0 if actuator.motor is None else float(actuator.motor.armature)
        whole = own + (axis.inertia or 0.0) * self.travel**2 + carried_load(followers).inertia * self.travel**2
        self.kp = SHARPNESS * whole / self.dt
        self.ki = self.kp * SHARPNESS / (4.0 * self.dt)
        self.sum = 0.0
        self.was_torque = False

    def step(self) -> None:
        axis, short = self.axis, self.dt / self.turns
        self.control(axis, 0.0)
        if bool(axis.torque_mode) != self.was_torque:
            # what was learned under another command is of no use
            self.sum, self.was_torque = 0.0, bool(axis.torque_mode)
        mean = 0.0
        for _ in range(self.turns):
            mean += self._turn(short) / self.turns
        axis.total = mean / self.travel
        # as in Webots, the feedback has nothing of a commanded torque
        axis.feedback = 0.0 if axis.torque_mode else axis.total
        for follower in self.followers:
            follower.update_share(axis.speed, axis.speed, self.dt)

    def _turn(self, short: float) -> float:
        """One turn of the loop [s]; the torque on the joint [N·m]."""
        axis, r = self.axis, self.travel
        position, speed = axis.position / r, axis.speed / r
        asked = self._drive_torque(speed, short)
        more = carried_load(self.followers) if self.followers else NOTHING
        joint = axis.joint
        damping = joint.damping_constant + axis.brake + more.damping
        spring = joint.spring_constant + more.spring
        pull = axis.load() + more.load - damping * axis.speed - spring * axis.position
        inertia = ((axis.inertia or 0.0) + more.inertia) * r * r
        out: Any  # of plain numbers
        self.state, out = self.motor.coupled(
            self.state, asked, position, speed, short, pull * r, inertia, load_damping=damping * r * r,
            load_stiffness=spring * r * r,
        )  # fmt: skip
        self._integrate(asked, out, short)
        axis.speed = float(out.joint_velocity) * r
        axis.position += short * axis.speed
        if joint.min_stop is not None:
            _apply_stop(axis, short)
        for follower in self.followers:
            follower.follow(axis)
        if out.current is not None:
            axis.current, axis.voltage = float(out.current), float(out.voltage)
            axis.temperature = float(out.winding_temperature)
        return float(out.torque)

    def _drive_torque(self, speed: float, short: float) -> float:
        """The torque that the drive asks for [N·m]."""
        axis = self.axis
        if axis.torque_mode:
            return axis.torque * self.travel
        self.error = axis.wanted / self.travel - speed
        most = axis.available * self.travel
        wish = self.kp * self.error + self.ki * (self.sum + self.error * short)
        return max(-most, min(wish, most))

    def _integrate(self, asked: float, out: Any, short: float) -> None:
        """Integrate the error, unless a limit holds the torque back."""
        if self.axis.torque_mode:
            return
        wish = self.kp * self.error + self.ki * (self.sum + self.error * short)
        held = wish != asked or out.limit
        if not (held and wish * self.error > 0.0):
            self.sum += self.error * short


NOTHING = Carried(0.0, 0.0, 0.0, 0.0)


def _apply_stop(axis: Axis, short: float) -> None:
    """Stop at a hard stop, and take a share of the way behind it back."""
    joint: Any = axis.joint
    low, high = axis.position - joint.min_stop, axis.position - joint.max_stop
    if low < 0.0:
        axis.speed = max(axis.speed, -joint.stop_erp * low / short)
    elif high > 0.0:
        axis.speed = min(axis.speed, -joint.stop_erp * high / short)
