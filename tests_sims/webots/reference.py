"""Webots' control step by step with plain ifs, in front of ODE: what our law has to agree with."""

import math
from dataclasses import dataclass, field
from typing import Any

from ode import OdeJoint

from backemf.sims.webots import WebotsJoint, WebotsMotor


@dataclass
class Reference:
    """One motor on one joint."""

    motor: WebotsMotor
    joint: WebotsJoint
    inertia: float
    dt: float
    target: float = 0.0
    velocity: float = 0.0
    commanded: float = 0.0
    available: float = 0.0
    raw: float = 0.0
    user: bool = False
    integral: float = 0.0
    previous: float = 0.0
    ode: Any = field(init=False)

    def __post_init__(self) -> None:
        m, j = self.motor, self.joint
        self.target, self.velocity, self.available = j.position, m.max_velocity, m.max_torque
        self.ode = OdeJoint(j, self.inertia, self.dt)

    def command(self, position: Any = None, velocity: Any = None, available: Any = None, torque: Any = None) -> None:
        m = self.motor
        if position is not None:
            self.target, self.user = position, False
            if math.isfinite(position):
                self.target = position * m.multiplier
                if m.min_position != m.max_position:
                    self.target = min(max(self.target, m.min_position), m.max_position)
        if velocity is not None and (velocity >= 0 or math.isinf(self.target)):
            asked = velocity * m.multiplier
            self.velocity = asked if abs(asked) <= m.max_velocity else math.copysign(m.max_velocity, asked)
        if available is not None:
            self.available = min(available, m.max_torque)
        if torque is not None:
            asked, self.user = torque * m.multiplier, True
            self.raw = asked if abs(asked) <= self.available else math.copysign(self.available, asked)

    def controlled(self, position: float) -> float:
        """The velocity for the engine."""
        m, ts = self.motor, self.dt
        if self.available == 0.0:
            self.commanded = 0.0
            return 0.0
        wanted = self.velocity
        if math.isfinite(self.target):
            error = self.target - position
            self.integral += error * ts
            output = m.control_p * error + m.control_i * self.integral + m.control_d * (error - self.previous) / ts
            self.previous = error
            top = abs(self.velocity)
            wanted = output if abs(output) < top else (top if output > 0.0 else -top)
        if m.acceleration == -1.0:
            self.commanded = wanted
        else:
            change = min(m.acceleration, abs(wanted - self.commanded) / ts) * ts
            self.commanded += change if wanted > self.commanded else -change
        return self.commanded

    def step(self, load: float) -> None:
        if self.user:
            self.ode.step(0.0, self.joint.static_friction, self.raw, load)
        else:
            wanted = self.controlled(self.ode.position)
            self.ode.step(wanted, max(self.joint.static_friction, self.available), 0.0, load)
