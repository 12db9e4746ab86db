"""A full motor behind a device of Webots', substep by substep through the public coupled step: what the machine code of
the backend is compared with."""

import math

from backemf.actuator import Actuator, Torque
from backemf.sims.webots.backends.full_motor import LONGEST, SHARPNESS, actuator_of
from backemf.sims.webots.backends.gears import all_followers, carried_load, followers_of
from backemf.sims.webots.backends.straight import straight_control


class ReferenceMotors:
    """Moves every axis by a basic time step, one motor and one substep after the other."""

    electric = True

    def __init__(self, robot, axes):
        led = followers_of(axes, robot.couplings)
        joints = {joint.name: joint for joint in robot.joints}
        self.drives = [
            ReferenceDrive(axis, joints[axis.name], led.get(axis, []), robot)
            for axis in axes
            if axis not in all_followers(led)
        ]

    def step(self):
        for drive in self.drives:
            drive.step()


class ReferenceDrive:
    """An axis with kp = 3 J/ts and ki = kp·3/(4 ts), substeps of 1 ms at most, and plain Python floats."""

    def __init__(self, axis, joint, followers, robot):
        self.axis, self.followers, self.dt = axis, followers, robot.basic_time_step
        self.substeps = max(1, math.ceil(self.dt / LONGEST - 1e-9))
        self.travel = (joint.travel or 1.0) if axis.joint.kind == "slider" else 1.0
        self.control = straight_control(axis.motor, axis.joint, self.dt)
        actuator = actuator_of(joint, robot) if axis.driven else Actuator(controller=Torque())
        self.motor = actuator.compile("python")
        self.state = self.motor.initial()
        own = 0.0 if actuator.motor is None else float(actuator.motor.armature)
        whole = own + ((axis.inertia or 0.0) + carried_load(followers).inertia) * self.travel**2
        self.kp = SHARPNESS * whole / self.dt
        self.ki = self.kp * SHARPNESS / (4.0 * self.dt)
        self.sum, self.was_torque = 0.0, False

    def step(self):
        axis = self.axis
        self.control(axis, 0.0)
        if bool(axis.torque_mode) != self.was_torque:
            self.sum, self.was_torque = 0.0, bool(axis.torque_mode)
        torques = [self.substep(self.dt / self.substeps) for _ in range(self.substeps)]
        axis.total = sum(torques) / self.substeps / self.travel
        axis.feedback = 0.0 if axis.torque_mode else axis.total
        for follower in self.followers:
            follower.update_share(axis.speed, axis.speed, self.dt)

    def substep(self, short):
        axis, joint, r, more = self.axis, self.axis.joint, self.travel, carried_load(self.followers)
        speed = axis.speed / r
        error, most = axis.wanted / r - speed, axis.available * r
        wish = self.kp * error + self.ki * (self.sum + error * short)
        asked = axis.torque * r if axis.torque_mode else max(-most, min(wish, most))
        damping = joint.damping_constant + axis.brake + more.damping
        spring = joint.spring_constant + more.spring
        pull = axis.load() + more.load - damping * axis.speed - spring * axis.position
        inertia = ((axis.inertia or 0.0) + more.inertia) * r * r
        self.state, out = self.motor.coupled(
            self.state, asked, axis.position / r, speed, short, pull * r, inertia,
            load_damping=damping * r * r, load_stiffness=spring * r * r,
        )  # fmt: skip
        limited = wish != asked or out.limit
        if not axis.torque_mode and not (limited and wish * error > 0.0):
            self.sum += error * short
        axis.speed = float(out.joint_velocity) * r
        axis.position += short * axis.speed
        if joint.min_stop is not None:
            low, high = axis.position - joint.min_stop, axis.position - joint.max_stop
            if low < 0.0:
                axis.speed = max(axis.speed, -joint.stop_erp * low / short)
            elif high > 0.0:
                axis.speed = min(axis.speed, -joint.stop_erp * high / short)
        for follower in self.followers:
            follower.follow(axis)
        if out.current is not None:
            axis.current, axis.voltage = float(out.current), float(out.voltage)
            axis.temperature = float(out.winding_temperature)
        return float(out.torque)
