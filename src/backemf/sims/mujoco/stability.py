"""Whether MuJoCo's integrator holds a motor and its gains on a joint: the step of the two as one linear map.

A joint of inertia I, deflected by q at the speed v, with what pulls it back in N·m:

    T = -P·q - D·v + G·x,   x += -h·q                       gains of the loop, back-EMF included, and its integral
    j += e·(T - j),         e = 1 - exp(-h/te)              a winding lags behind; without inductance j = T
    v += h·(j - B·v - k·q)/(I + h·S),   q += h·v            B, k: damping and spring of the joint itself

S is what the integrator takes implicitly: nothing of a spring; of the dampings Euler takes that of joints, `implicit`
and `implicitfast` take e·D of actuators too. Without lag and integral the map is stable while

    h²·(P + k) + 2·h·(D + B) < 4·(I + h·S)

so that an implicit damping holds by itself, whatever its size, and a spring never does. `discrete` takes springs too,
and RK4 takes nothing. A disturbance grows by the largest eigenvalue of the map in every step.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..step_growth import GROWS, longest_step, times
from .motor import DcMotor
from .versions import in_volts


class JointLoop(NamedTuple):
    """What pulls a joint back, all on its side of the gear."""

    stiffness: float
    """Torque per angle [N·m/rad]."""
    damping: float
    """Torque per speed, back-EMF included [N·m·s/rad]."""
    integral: float = 0.0
    """Torque per integrated angle [N·m/(rad·s)]."""
    lag: float = 0.0
    """Time constant of the current [s]."""
    joint_damping: float = 0.0
    """Damping of the joint itself [N·m·s/rad]."""
    joint_stiffness: float = 0.0
    """Spring of the joint itself [N·m/rad]."""


def loop_of(m: DcMotor) -> JointLoop:
    """The loop of one dcmotor, cold and within its limits."""
    k, per_volt, square = float(m.motor_constant), float(m.motor_constant / m.resistance), float(m.gear) ** 2
    kp, ki, kd, emf = float(m.kp), float(m.ki), float(m.kd), per_volt * k
    if "voltage" in m.inputs or not m.inputs:
        kp, ki, kd = 0.0, 0.0, emf
    elif in_volts(m.version):
        moving = m.inputs == ("velocity",)
        # a target that moves on holds the joint as a spring does
        kp, ki, kd = (per_volt * x for x in ((ki, 0.0, kp) if moving else (kp, ki, kd)))
        kd += emf
    return JointLoop(square * kp, square * kd, square * ki, float(m.time_constant))


def step_map(loop: JointLoop, inertia: float, h: float, integrator: str, damped: bool = True) -> np.ndarray:
    """One step of (q, v, j, x) as a matrix; `damped`: whether the integrator takes dampings of joints implicitly."""
    p, d, g, te, b, k = loop
    e = -math.expm1(-h / te) if te > 0.0 else 1.0
    asked = np.array([-p, -d, 0.0, g])
    # the torque that acts is that of the current at the end of the step
    torque = e * asked + (1.0 - e) * np.array([0.0, 0.0, 1.0, 0.0])
    force = torque - np.array([k, b, 0.0, 0.0])
    if integrator == "RK4":
        return _runge_kutta(force / inertia, asked, h, te)
    soft = (b if damped else 0.0) + (0.0 if integrator == "Euler" else e * d)
    held = h * (e * p + k) if integrator == "discrete" else 0.0
    here = np.eye(4)
    speed = here[1] + h * (force - np.array([0.0, held, 0.0, 0.0])) / (inertia + h * (soft + held))
    return np.array([here[0] + h * speed, speed, torque, here[3] - h * here[0]])


def _runge_kutta(acceleration: np.ndarray, asked: np.ndarray, h: float, te: float) -> np.ndarray:
    """The classical step of fourth order; a current advances exactly along the mean of its slopes."""
    here = np.eye(4)
    rate = np.array([here[1], acceleration, (asked - here[2]) / te if te > 0.0 else 0.0 * here[2], -here[0]])
    one = rate
    two = rate @ (here + 0.5 * h * one)
    three = rate @ (here + 0.5 * h * two)
    four = rate @ (here + h * three)
    mean = (one + 2.0 * two + 2.0 * three + four) / 6.0
    after = here + h * mean
    if te > 0.0:
        after[2] = here[2] - te * math.expm1(-h / te) * mean[2]
    return after


def growth(loop: JointLoop, inertia: float, h: float, integrator: str, damped: bool = True) -> float:
    """By how much a disturbance grows in a step [1]; above 1 the step is unstable."""
    kept = [0, 1] + [2] * (loop.lag > 0.0) + [3] * (loop.integral != 0.0)
    matrix = step_map(loop, inertia, h, integrator, damped)[np.ix_(kept, kept)]
    return float(np.abs(np.linalg.eigvals(matrix)).max()) if np.isfinite(matrix).all() else math.inf


def unstable_by_itself(loop: JointLoop, inertia: float) -> bool:
    """Whether the loop swings up in continuous time, where no integrator is to blame."""
    p, d, g, te, b, k = loop
    here = np.eye(4)
    asked = np.array([-p, -d, 0.0, g])
    pull = asked if te == 0.0 else here[2]
    lags = 0.0 * asked if te == 0.0 else (asked - here[2]) / te
    rate = np.array([here[1], (pull - k * here[0] - b * here[1]) / inertia, lags, -here[0]])
    kept = [0, 1] + [2] * (te > 0.0) + [3] * (g != 0.0)
    roots = np.linalg.eigvals(rate[np.ix_(kept, kept)])
    return bool(roots.real.max() > 1e-7 * np.abs(roots).max())


def complaint(
    joint: str, loop: JointLoop, inertia: float, h: float, integrator: str, damped: bool = True
) -> str | None:
    """One sentence that names the integrator, the number and the remedy; None where the step is stable."""
    grows = growth(loop, inertia, h, integrator, damped)
    if grows <= 1.0 + GROWS:
        return None
    gains = f"{loop.stiffness:.4g} N·m/rad and {loop.damping:.4g} N·m·s/rad"
    gains += f" and {loop.integral:.4g} N·m/(rad·s)" if loop.integral else ""
    begins = (
        f"joint {joint!r}: the integrator {integrator} with timestep = {h:g} s is unstable with gains of {gains} on "
        f"{inertia:.3g} kg·m²: a disturbance grows {times(grows)} in each step"
    )
    if unstable_by_itself(loop, inertia):
        return (
            f"joint {joint!r}: gains of {gains} are unstable on {inertia:.3g} kg·m² with any integrator and any "
            "timestep: lower the integral, or give more damping"
        )
    ways = []
    if integrator in ("Euler", "RK4") and growth(loop, inertia, h, "implicitfast") <= 1.0 + GROWS:
        ways.append('integrator="implicitfast"')
    if not damped and integrator == "Euler" and growth(loop, inertia, h, integrator) <= 1.0 + GROWS:
        ways.append("eulerdamp enabled")
    step = longest_step(lambda x: growth(loop, inertia, x, integrator, damped) <= 1.0 + GROWS * x / h, h)
    if step is not None:
        ways.append(f"timestep = {step:.2g} s")
    if not ways:
        ways.append("lower gains, or more inertia at the joint")
    return f"{begins}; take {' or '.join(ways)}"
