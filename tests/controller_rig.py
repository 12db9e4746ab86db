"""A test rig for controllers: MuJoCo's `dcmotor` with its controller on bare hinges, and our actuator on the same.

MuJoCo's controllers see the actuator's length and velocity, gear x joint. Ours see the joint, so gains, limits and
commands are brought across here. MuJoCo 4.0 asks for a torque and makes up for the back-EMF; 3.11 asks for volts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from mujoco_rig import Rig, number_of_motors, of_peak, stack

import backemf as be
from backemf.actuator import Actuator
from backemf.motor import Motor

INPUTS = {"position": "pos", "velocity": "vel", "effort": "ff"}
"""Our inputs in the words of MuJoCo 4.0, in its order."""


@dataclass(frozen=True)
class Course:
    """What a free hinge did: each (steps, motors), states one row longer."""

    position: np.ndarray
    velocity: np.ndarray
    torque: np.ndarray
    states: dict[str, np.ndarray]
    """Setpoint, integral and current, brought to the joint."""
    limit: np.ndarray | None = None
    """Bits of the limits that acted; None where MuJoCo moved the hinge."""


def or_zero(number: Any) -> Any:
    return 0.0 if number is None else number


def torque_controller(actuator: Actuator) -> np.ndarray:
    """MuJoCo 4.0's `controller` (motors, 6): kp ki kd slewmax Imax Vmax, for a controller that asks for a torque."""
    c, ratio = actuator.controller, actuator.motor.ratio
    kp, kd = (c.stiffness, c.damping) if isinstance(c, be.IdealPd) else (getattr(c, "kp", 0.0), getattr(c, "kd", 0.0))
    gains = [kp / ratio**2, or_zero(getattr(c, "ki", None)) / ratio**2, kd / ratio**2]
    # the main input is an angle or a speed, which grows with the gear, or a torque, which falls with it
    scale = np.abs(1 / ratio if c.main == "effort" else ratio)
    return rows(actuator, gains, scale, np.abs(ratio))


def volt_controller(actuator: Actuator) -> np.ndarray:
    """MuJoCo 3.11's `controller` (motors, 6): kp ki kd slewmax Imax Vmax, for a controller that asks for volts."""
    c, ratio = actuator.controller, actuator.motor.ratio
    gains = [or_zero(getattr(c, name, None)) / np.abs(ratio) for name in ("kp", "ki", "kd")]
    return rows(actuator, gains, 1.0 if c.main == "voltage" else np.abs(ratio), np.abs(ratio))


def rows(actuator: Actuator, gains: list[Any], slew_scale: Any, integral_scale: Any) -> np.ndarray:
    """One row of six numbers for each motor."""
    bound = or_zero(getattr(actuator.controller, "integral_limit", None))
    limits = [or_zero(actuator.slew) * slew_scale, bound * integral_scale, or_zero(actuator.voltage_limit)]
    count = number_of_motors(actuator.motor)
    return np.stack([np.broadcast_to(number, count) for number in gains + limits], axis=1)


def turned_by_mujoco(actuator: Actuator, inertia: Any, commands: dict[str, np.ndarray], dt: float, **words) -> Course:
    """MuJoCo's hinges under commands (steps, motors), by the names of our inputs."""
    motor: Motor = actuator.motor
    ratio = motor.ratio
    names = [name for name in ("position", "velocity", "effort", "voltage") if name in commands]
    scale = {"position": ratio, "velocity": ratio, "effort": 1 / ratio, "voltage": 1.0}
    ctrl = np.stack([commands[name] * scale[name] for name in names], axis=-1)
    rig = Rig(motor, inertia, dt, **words)
    seen = rig.run(ctrl)
    states = dict(seen.states)
    if "slew" in states:
        states["setpoint"] = states.pop("slew") / scale[actuator.controller.main]
    if "integral" in states:
        states["integral"] = states["integral"] / ratio
    return Course(seen.position, seen.velocity, seen.torque, states)


def turned_by_us(actuator: Actuator, inertia: Any, commands: dict[str, np.ndarray], dt: float) -> Course:
    """Our actuator on the same hinges, integrated as MuJoCo's Euler does: speed by torque, angle by the new speed."""
    step = actuator.compile("numpy")
    steps, count = next(iter(commands.values())).shape
    state = step.initial(count)
    q, v = np.zeros(count), np.zeros(count)
    rows, states = [], [state]
    for k in range(steps):
        command = be.Command(**{name: values[k] for name, values in commands.items()})
        state, out = step(state, command, q, v, dt)
        rows.append((q, v, out.torque, np.broadcast_to(out.limit, count)))
        states.append(state)
        v = v + dt * out.torque / (inertia + actuator.motor.armature)
        q = q + dt * v
    q, v, torque, limit = (np.array(column) for column in zip(*rows, strict=True))
    return Course(q, v, torque, stack(states, ("setpoint", "integral", "current", "winding_rise")), limit)


def apart(ours: Course, theirs: Course) -> float:
    """Largest difference of motion, torque and states in units of each motor's own peak."""
    assert ours.states.keys() == theirs.states.keys()
    pairs = [(getattr(ours, name), getattr(theirs, name)) for name in ("position", "velocity", "torque")]
    pairs += [(state, theirs.states[name]) for name, state in ours.states.items()]
    return max(of_peak(mine, other) for mine, other in pairs)


def limit_share(course: Course, name: str) -> np.ndarray:
    """Share of the steps in which a limit acted, for each motor."""
    return (course.limit & be.physics.state.LIMITS[name] > 0).mean(axis=0)


# --- random motors, gains and commands


def log_uniform(rng: np.random.Generator, low: float, high: float, count: int) -> np.ndarray:
    return np.exp(rng.uniform(np.log(low), np.log(high), count))


@dataclass(frozen=True)
class Joints:
    """Random motors on hinges, and how fast their position loops are to be."""

    motor: Motor
    inertia: np.ndarray
    """Inertia of the hinge without the rotor, at the joint [kg·m²]."""
    frequency: np.ndarray
    """Natural frequency of the position loop [rad/s]."""
    volts: np.ndarray
    """A voltage that the motor is made for [V]."""

    @property
    def total_inertia(self) -> np.ndarray:
        """All inertia at the joint [kg·m²]."""
        return self.inertia + self.motor.armature

    @property
    def volts_per_torque(self) -> np.ndarray:
        """Voltage that gives a joint torque at standstill [V/(N·m)]."""
        return self.motor.winding.resistance / (self.motor.magnet.torque_constant * self.motor.ratio)


def joints(seed: int, count: int, traits: str = "", dt: float = 1e-3) -> Joints:
    """Random motors with any of "inductive", "thermal" and "gear"."""
    rng = np.random.default_rng(seed)
    constant, resistance = log_uniform(rng, 0.01, 0.2, count), log_uniform(rng, 0.1, 5.0, count)
    volts = rng.uniform(12.0, 48.0, count)
    winding: dict[str, Any] = {"resistance": resistance}
    parts: dict[str, Any] = {}
    if "inductive" in traits:
        winding["inductance"] = resistance * dt * log_uniform(rng, 0.2, 3.0, count)
    if "thermal" in traits:
        capacitance = volts**2 / resistance / rng.uniform(20.0, 100.0, count)
        parts["thermal"] = be.Thermal(resistance=1e9 / capacitance, capacitance=capacitance, ambient=20.0)
    if "gear" in traits:
        ratio = log_uniform(rng, 2.0, 50.0, count) * rng.choice([-1.0, 1.0], count)
        parts["gearbox"] = be.Gearbox(stages=(be.Stage(ratio=ratio),))
    # the free hinge reaches its speed within 50 to 500 ms; a third of its inertia is the rotor's
    felt = rng.uniform(0.05, 0.5, count) * constant**2 / resistance
    magnet = be.Magnet(torque_constant=constant, back_emf_constant=constant)
    motor = Motor(winding=be.Winding(**winding), magnet=magnet, rotor=be.Rotor(inertia=felt / 3), **parts)
    return Joints(motor, (2 / 3) * felt * motor.ratio**2, rng.uniform(10.0, 40.0, count), volts)


def moves(seed: int, steps: int, count: int, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Steps and sines, two different shapes (steps, motors) of about ±1."""
    rng = np.random.default_rng(seed)
    t = dt * np.arange(steps)[:, None]
    held = rng.uniform(-1.0, 1.0, (steps // 80 + 1, count))[np.arange(steps) // 80]
    wave = np.sin(2 * np.pi * rng.uniform(1.0, 6.0, count) * t + rng.uniform(-3.0, 3.0, count))
    return held, wave
