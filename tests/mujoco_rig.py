"""A test rig: MuJoCo's `dcmotor` on bare hinges, described by our own `Motor`, and the same hinges under our step."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

from backemf.motor import LuGre, Motor
from backemf.physics.state import State
from backemf.tree import map_numbers

mujoco = pytest.importorskip(
    "mujoco", minversion="3.11", reason="compares with the real MuJoCo: pip install 'backemf[mujoco]'"
)

NEWEST = pytest.mark.skipif(int(mujoco.__version__.split(".")[0]) < 4, reason="compares with MuJoCo 4.0")
"""For tests that compare with MuJoCo 4.0; its controllers are others than those of 3.11."""
STATES = ("slew", "integral", "winding_rise", "bristle", "current")
"""MuJoCo's activation variables of a dcmotor in the order in which it stores those that are present."""


@dataclass(frozen=True)
class Recording:
    """What a run of `steps` did: inputs and torques (steps, motors), states one row longer."""

    dt: float
    voltage: np.ndarray
    position: np.ndarray
    velocity: np.ndarray
    torque: np.ndarray
    """Torque of the motor on the joint, drag included [N·m]."""
    force: np.ndarray | None
    """MuJoCo's `actuator_force`: torque on the rotor without drag [N·m]; None where the torque is ours."""
    states: dict[str, np.ndarray]


def attributes(motor: Motor) -> dict[str, Any]:
    """One motor in the words of MuJoCo's `<dcmotor>`."""
    words: dict[str, Any] = {
        "input": "voltage",
        "motorconst": (motor.magnet.torque_constant, motor.magnet.back_emf_constant),
        "resistance": motor.winding.resistance,
        "gear": motor.ratio,
        "armature": motor.inertia,
    }
    winding, thermal, friction, drag = motor.winding, motor.thermal, motor.friction, [0.0, 0.0, 0.0]
    if winding.inductance != 0.0:
        words["inductance"] = (winding.inductance, 0.0)
    if thermal is not None:
        copper = (winding.temperature_coefficient, winding.reference_temperature)
        words["thermal"] = (thermal.resistance, thermal.capacitance, 0.0, *copper, thermal.ambient)
    if motor.drag is not None:
        drag[: len(motor.drag.coefficients)] = motor.drag.coefficients
    if isinstance(friction, LuGre):
        level = (friction.coulomb, friction.stiction, friction.stribeck_velocity)
        words["lugre"] = (friction.stiffness, friction.damping, *level)
        drag[0] += friction.viscous
    if any(drag):
        words["damping"] = drag
    if motor.cogging is not None:
        (harmonic,) = motor.cogging.harmonics
        words["cogging"] = (harmonic.amplitude, harmonic.periodicity, harmonic.phase)
    if motor.limits is not None:
        limits = motor.limits
        words["saturation"] = (0.0, limits.continuous_current or 0.0, limits.current_rate or 0.0)
    return words


def number_of_motors(motor: Motor) -> int:
    return int(np.size(motor.winding.resistance))


def one_of(motor: Motor, index: int) -> Motor:
    """One motor of a batch, with plain numbers."""
    return map_numbers(motor, lambda x: float(np.broadcast_to(x, number_of_motors(motor))[index]))


def write(words: dict[str, Any]) -> str:
    """Attributes of an XML element, every number with all its digits."""
    texts = {
        name: value if isinstance(value, str) else " ".join(repr(float(x)) for x in np.atleast_1d(value))
        for name, value in words.items()
    }
    return " ".join(f'{name}="{text}"' for name, text in texts.items())


def mjcf(motors: list[dict[str, Any]], inertia: np.ndarray, dt: float) -> str:
    """A hinge of its own for every motor, free of gravity, integrated by plain Euler steps."""
    bodies = "".join(
        f'<body><joint name="j{i}" axis="0 0 1"/>'
        f"<inertial {write({'pos': (0, 0, 0), 'mass': 1, 'diaginertia': (j, j, j)})}/></body>"
        for i, j in enumerate(np.broadcast_to(inertia, len(motors)))
    )
    actuators = "".join(f'<dcmotor joint="j{i}" {write(words)}/>' for i, words in enumerate(motors))
    return (
        "<mujoco>"
        f'<option timestep="{dt!r}" gravity="0 0 0"><flag eulerdamp="disable"/></option>'
        f"<worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"
    )


class Rig:
    """MuJoCo with one free hinge per motor; keyword arguments replace or add attributes of every `<dcmotor>`.

    A value with two axes has a row for each motor.
    """

    def __init__(self, motor: Motor, inertia: Any, dt: float, **words: Any):
        self.motor, self.dt, self.inertia = motor, dt, inertia
        self.count = number_of_motors(motor)
        motors = [
            attributes(one_of(motor, i)) | {k: v[i] if np.ndim(v) == 2 else v for k, v in words.items()}
            for i in range(self.count)
        ]
        self.model = mujoco.MjModel.from_xml_string(mjcf(motors, inertia, dt))
        self.data = mujoco.MjData(self.model)
        present = [
            self.model.actuator_dynprm[0, 7] > 0,
            self.model.actuator_gainprm[0, 5] > 0,
            self.model.actuator_dynprm[0, 2] > 0,
            self.model.actuator_dynprm[0, 5] > 0,
            self.model.actuator_dynprm[0, 0] > 0,
        ]
        self.names = [name for name, there in zip(STATES, present, strict=True) if there]

    def states(self) -> dict[str, np.ndarray]:
        rows = self.data.act.reshape(self.count, len(self.names))
        return {name: rows[:, i].copy() for i, name in enumerate(self.names)}

    def set(self, **values: float) -> None:
        """Start from other states than MuJoCo's zeros."""
        rows = self.data.act.reshape(self.count, len(self.names))
        for name, value in values.items():
            rows[:, self.names.index(name)] = value

    def run(self, voltage: Any, position: Any = None, velocity: Any = None) -> Recording:
        """Step under voltages (steps, motors), or what the motors' inputs are (steps, motors, inputs).

        A position and velocity that are given are forced upon the hinges.
        """
        voltage = np.asarray(voltage, dtype=float).reshape(len(voltage), -1)
        voltage = np.broadcast_to(voltage, (len(voltage), self.model.nu))
        data, rows, states = self.data, [], [self.states()]
        for k, volts in enumerate(voltage):
            data.ctrl[:] = volts
            if position is not None:
                data.qpos[:] = position[k]
            if velocity is not None:
                data.qvel[:] = velocity[k]
            q, v = data.qpos.copy(), data.qvel.copy()
            mujoco.mj_step(self.model, data)
            rows.append((q, v, data.qfrc_actuator + data.qfrc_passive, data.actuator_force.copy()))
            states.append(self.states())
        q, v, torque, force = (np.array(column) for column in zip(*rows, strict=True))
        joined = {name: np.array([state[name] for state in states]) for name in self.names}
        return Recording(self.dt, voltage, q, v, torque, force, joined)


def replay(motor: Motor, seen: Recording, follow: tuple[str, ...] = ()) -> Recording:
    """Our motor under the voltages, positions and velocities of a recording; states in `follow` are taken from it."""
    step = motor.compile("numpy")
    state = step.initial(seen.voltage.shape[1])
    torques, states = [], [state]
    for k, volts in enumerate(seen.voltage):
        state = replace(state, **{name: seen.states[name][k] for name in follow})
        state, out = step(state, volts, seen.position[k], seen.velocity[k], seen.dt)
        torques.append(out.torque)
        states.append(state)
    return replace(seen, torque=np.array(torques), force=None, states=stack(states))


def drive(motor: Motor, inertia: Any, voltage: np.ndarray, dt: float) -> Recording:
    """Our motor on the same free hinge, integrated as MuJoCo's Euler does: speed by torque, angle by the new speed."""
    step = motor.compile("numpy")
    state = step.initial(voltage.shape[1])
    q, v = np.zeros(voltage.shape[1]), np.zeros(voltage.shape[1])
    rows, states = [], [state]
    for volts in voltage:
        state, out = step(state, volts, q, v, dt)
        rows.append((q, v, out.torque))
        states.append(state)
        v = v + dt * out.torque / (inertia + motor.armature)
        q = q + dt * v
    q, v, torque = (np.array(column) for column in zip(*rows, strict=True))
    return Recording(dt, voltage, q, v, torque, None, stack(states))


def stack(
    states: list[State], names: tuple[str, ...] = ("current", "winding_rise", "bristle")
) -> dict[str, np.ndarray]:
    present = [name for name in names if getattr(states[0], name) is not None]
    return {name: np.array([getattr(state, name) for state in states]) for name in present}


def of_peak(ours: Any, theirs: Any) -> float:
    """Largest difference over time in units of each motor's own peak."""
    ours, theirs = np.asarray(ours, dtype=float), np.asarray(theirs, dtype=float)
    assert ours.shape == theirs.shape
    peak = np.abs(theirs).max(axis=0)
    assert np.isfinite(ours).all() and (peak > 0).all(), "nothing moved: such a comparison would prove nothing"
    return float((np.abs(ours - theirs).max(axis=0) / peak).max())
