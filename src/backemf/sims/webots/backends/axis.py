"""One axis of a robot as it moves: its constants, what its motor remembers, and what a command does to it.

Here is what Webots does with a command when it arrives. What the controller's own library refuses before it is sent is
in `motor_device`.
"""

from __future__ import annotations

import math
import sys
from typing import Any

from ..motor import KINDS, WebotsJoint, WebotsMotor

NONE = WebotsMotor(max_torque=0.0)
"""Stands in for the motor of a joint that has none."""


def log(text: str) -> None:
    """A line on the error stream, where Webots' console would have it."""
    print(text, file=sys.stderr)


class Axis:
    """A joint with its motor. A LinearMotor has N and m."""

    def __init__(self, joint: WebotsJoint, motor: WebotsMotor | None, name: str, inertia: float | None, dynamic: bool):
        known: Any = NONE if motor is None else motor
        held: Any = joint  # of a file, and so with plain numbers
        self.joint, self.motor, self.name, self.dynamic = joint, known, name, dynamic
        self.driven = motor is not None
        self.inertia = inertia
        """What the joint moves [kg·m²]; None: its end point has no Physics, or a simulator knows it."""
        self.load_torque = 0.0
        """Constant torque on the joint from elsewhere [N·m]."""
        self.weight = 0.0
        """Torque of gravity where the arm is level [N·m]."""
        self.hangs_at = 0.0
        """Position at which the arm hangs down [rad]."""
        self.propeller: tuple[float, float] | None = None
        """Thrust [N·s²] and torque [N·m·s²] of a propeller per square of its speed; None: it is not a propeller."""
        self.numb = ""
        """Why Webots gives no feedback of its motor; empty: it does."""
        # what the controller may change at any time
        self.control_p, self.control_i, self.control_d = known.control_p, known.control_i, known.control_d
        self.acceleration = known.acceleration
        self.brake = held.brake
        # what the motor remembers: the names of MotorState
        low, high, start = known.min_position, known.max_position, held.position
        self.target_position = start if low == high else min(max(start, low), high)
        self.target_velocity = known.max_velocity
        self.available = known.max_torque
        self.torque = 0.0
        self.torque_mode = 0.0 if self.driven else 1.0
        self.velocity = 0.0
        self.integral = 0.0
        self.previous_error = 0.0
        # where the joint is, and what the last step did
        self.position = held.position
        self.speed = 0.0
        self.feedback = 0.0
        self.total = 0.0
        """Torque of the motor on the joint, a commanded one included [N·m]."""
        self.wanted, self.most = 0.0, 0.0
        self.current = self.voltage = self.temperature = math.nan
        self.coupled = False
        """Whether other motors share its name, so that Webots says nothing of torques that are too large."""

    def load(self) -> float:
        """Torque on the joint from elsewhere, here and now [N·m]."""
        if self.weight == 0.0:
            return self.load_torque
        return self.load_torque - self.weight * math.sin(self.position - self.hangs_at)

    def push(self) -> float:
        """Torque that the controller commands itself [N·m]."""
        return self.torque if self.torque_mode else 0.0

    # --- commands as they arrive

    def take_position(self, asked: float) -> None:
        """`setPosition`: within the soft limits; torque control ends."""
        motor = self.motor
        self.torque_mode = 0.0
        if asked - asked != 0.0:
            # an infinite target has no multiplier, which might turn its sign
            self.target_position = asked
            return
        target = asked * motor.multiplier
        low, high = motor.min_position, motor.max_position
        if low != high:
            if target > high:
                target = high
                self.warn(f"too big requested position: {asked:g} > {high:g}")
            elif target < low:
                target = low
                self.warn(f"too low requested position: {asked:g} < {low:g}")
        self.target_position = target

    def take_velocity(self, asked: float) -> None:
        """`setVelocity`: no more than the largest."""
        velocity, most = asked * self.motor.multiplier, self.motor.max_velocity
        if abs(velocity) > most:
            self.warn(f"The requested velocity {velocity:g} exceeds 'maxVelocity' = {most:g}.")
            velocity = most if velocity >= 0.0 else -most
        self.target_velocity = velocity

    def take_available(self, asked: float) -> None:
        """`setAvailableTorque`: no more than the largest."""
        most = self.motor.max_torque
        if asked > most:
            if not self.coupled:
                self.warn(f"The requested available motor {self.effort} {asked:g} exceeds '{self.limit}' = {most:g}")
            asked = most
        self.available = asked

    def take_torque(self, asked: float) -> None:
        """`setTorque`: torque control, with no more than is available."""
        torque, most = asked * self.motor.multiplier, self.available
        self.torque_mode = 1.0
        if abs(torque) > most:
            if not self.coupled:
                self.warn(f"The requested motor {self.effort} {torque:g} exceeds '{self.limit}' = {most:g}")
            torque = most if torque >= 0.0 else -most
        self.torque = torque

    def take_acceleration(self, asked: float) -> bool:
        """`setAcceleration` [rad/s²]; whether it is another one than before."""
        before, self.acceleration = self.acceleration, asked
        return before != asked

    def take_gains(self, p: float, i: float, d: float) -> bool:
        """`setControlPID`; whether the gains are others than before, which is all that resets the PID."""
        if (p, i, d) == (self.control_p, self.control_i, self.control_d):
            return False
        self.control_p, self.control_i, self.control_d = p, i, d
        self.integral = self.previous_error = 0.0
        return True

    def power(self, on: bool) -> None:
        """The battery ran empty, or got its first charge. A commanded torque stays."""
        self.available = self.motor.max_torque if on else 0.0

    # --- words

    @property
    def rotates(self) -> bool:
        """Whether it turns rather than slides."""
        return (self.motor.kind == "rotational") if self.driven else (self.joint.kind == "hinge")

    @property
    def effort(self) -> str:
        """What its motor gives."""
        return "torque" if self.rotates else "force"

    @property
    def limit(self) -> str:
        """Field with the most of it."""
        return "maxTorque" if self.rotates else "maxForce"

    def warn(self, text: str) -> None:
        """Say what Webots' console says of the motor."""
        log(f'WARNING: {KINDS[self.motor.kind]} "{self.name}": {text}')

    def units(self) -> dict[str, str]:
        """Unit of each recorded channel."""
        angle, torque = ("rad", "N*m") if self.rotates else ("m", "N")
        units = {"angle": angle, "speed": f"{angle}/s", "torque": torque}
        return {name: units.get(kind, kind) for name, kind in _UNITS.items()}

    def row(self) -> tuple[float, ...]:
        """What is recorded of a step, in the order of `CHANNELS`."""
        target = self.target_position
        mode = 2.0 if self.torque_mode else 0.0 if target - target == 0.0 else 1.0
        return (
            self.position, self.speed, target, self.target_velocity, self.velocity, self.available, self.total,
            self.feedback, mode,
        )  # fmt: skip


_UNITS = {
    "position": "angle", "velocity": "speed", "target_position": "angle", "target_velocity": "speed",
    "commanded_velocity": "speed", "available_torque": "torque", "torque": "torque", "torque_feedback": "torque",
    "mode": "1", "current": "A", "voltage": "V", "winding_temperature": "degC",
}  # fmt: skip
CHANNELS = tuple(_UNITS)[:-3]
"""What is recorded of every axis; the mode is 0 for a position, 1 for a velocity, 2 for a torque."""
ELECTRIC = tuple(_UNITS)[-3:]
"""What is also recorded of an axis with a backemf motor."""
