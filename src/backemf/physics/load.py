"""What loads do: their inertia, their torque on the joint, and how that falls with speed."""

from __future__ import annotations

from ..errors import ParameterError
from ..loads import ConstantTorque, Fan, Inertia, Pendulum, TwoMass
from .ops import absolute, maximum, minimum, sin, where


def pendulum_torque(position: float, p: Pendulum) -> float:
    """Torque of gravity on weight and arm [N·m]."""
    return -(p.mass + 0.5 * p.arm_mass) * p.gravity * p.length * sin(position + p.offset)


def pendulum_inertia(p: Pendulum) -> float:
    """Weight at the end of the arm and a uniform rod [kg·m²]."""
    return (p.mass + p.arm_mass / 3.0) * p.length * p.length + p.inertia


def fan_torque(speed: float, f: Fan) -> float:
    """Torque of the air, against the motion [N·m]."""
    return f.coefficient * speed * absolute(speed)


def tight_twist(twist: float, backlash: float) -> float:
    """Twist beyond the play [rad]."""
    return twist - maximum(minimum(twist, 0.5 * backlash), -0.5 * backlash)


def spring(twist: float, twist_rate: float, dt: float, m: TwoMass):
    """Torque of the spring at the end of the step if the speeds stayed, and how it grows with the rate of twist."""
    ahead = tight_twist(twist + dt * twist_rate, m.backlash)
    tight = where(absolute(ahead) > 0.0, 1.0, 0.0)
    return m.stiffness * ahead + tight * m.damping * twist_rate, tight * (dt * m.stiffness + m.damping)


def react(load, memory, position, velocity, dt):
    """Inertia [kg·m²], torque on the joint [N·m] and its slope, -d(torque)/d(speed) [N·m·s/rad]."""
    if isinstance(load, Inertia):
        return load.inertia, -load.damping * velocity, load.damping
    if isinstance(load, ConstantTorque):
        return load.inertia, load.torque, 0.0
    if isinstance(load, Pendulum):
        inertia, torque = pendulum_inertia(load), pendulum_torque(position, load) - load.damping * velocity
        # a step longer than gravity swings the arm sees part of the way that it goes, and gains no energy from it
        gravity = (load.mass + 0.5 * load.arm_mass) * load.gravity * load.length
        brake = maximum(gravity * dt - inertia / dt, 0.0)
        return inertia, torque - brake * velocity, load.damping + brake
    if isinstance(load, Fan):
        # the end speed meets the coefficient of the start, which never pushes
        return load.inertia, -fan_torque(velocity, load), load.coefficient * absolute(velocity)
    if isinstance(load, TwoMass):
        # the far mass gives way within the step: eliminate its speed from the spring's implicit torque
        far_position, far_velocity = memory
        torque, stiffening = spring(position - far_position, velocity - far_velocity, dt, load)
        give = dt / load.far_inertia
        share = 1.0 / (1.0 + stiffening * give)
        return load.inertia, -share * (torque - stiffening * give * load.far_torque), share * stiffening
    raise ParameterError(f"load = {load!r}: must be one of the loads of backemf")


def follow(load, memory, torque_on_joint, dt):
    """What the load remembers after the step, given the torque it put on the joint."""
    if not isinstance(load, TwoMass):
        return memory
    far_position, far_velocity = memory
    far_velocity = far_velocity + dt * (load.far_torque - torque_on_joint) / load.far_inertia
    return far_position + dt * far_velocity, far_velocity
