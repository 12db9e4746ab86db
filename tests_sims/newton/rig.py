"""Actuators, joints and stages that the tests inside Newton share."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import warp as wp

import backemf as be

DT = 2e-3


def motor(**parts) -> be.Motor:
    """A geared motor with heat."""
    parts = {"thermal": be.Thermal(resistance=3.0, capacitance=0.5)} | parts
    return be.Motor(
        winding=be.Winding(resistance=1.2, inductance=1e-3, temperature_coefficient=0.004),
        magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.06),
        rotor=be.Rotor(inertia=1e-5),
        gearbox=be.Gearbox(stages=(be.Stage(ratio=10.0, efficiency=0.9),)),
        **parts,
    )


BRISTLES = be.LuGre(coulomb=0.004, stiction=0.007, stribeck_velocity=2.0, stiffness=5.0, damping=1e-3, viscous=1e-5)
BATTERY = be.Supply(voltage=14.8, resistance=0.1, modulation_limit=0.95)
CLIP = be.DcClip(saturation_effort=5.0, velocity_limit=12.0, effort_limit=3.0)
KINDS = {
    "PD and DC clip": be.Actuator(controller=be.IdealPd(stiffness=8.0, damping=0.5), limits=CLIP),
    "PID in torque": be.Actuator(
        controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, integral_limit=0.02), limits=be.EffortLimit(effort_limit=2.0)
    ),
    "PID in volts, heat": be.Actuator(motor(), BATTERY, controller=be.PositionPid(kp=20.0, ki=30.0, kd=0.5)),
    "current loop and bristles": be.Actuator(
        motor(friction=BRISTLES), BATTERY, controller=be.TorquePid(kp=6.0, ki=20.0, kd=0.15, current_bandwidth=500.0)
    ),
    "delay and slew": be.Actuator(
        motor(), BATTERY, controller=be.IdealPd(stiffness=6.0, damping=0.1), delay=be.Delay(steps=2.5), slew=25.0
    ),
    "drawn delay": be.Actuator(
        controller=be.IdealPd(stiffness=6.0), delay=be.Delay(steps=(0, 3), schedule="step", per="joint")
    ),
    "velocity": be.Actuator(motor(), BATTERY, controller=be.VelocityPi(kp=3.0, ki=20.0)),
    "volts": be.Actuator(motor(), BATTERY),
    "servo": be.Actuator(motor(), BATTERY, controller=be.DutyServo(kp=5.0, ki=8.0, kd=0.05, dead_band=0.01)),
    "turns": be.Actuator(motor(friction=BRISTLES), BATTERY, controller=be.PositionPid(kp=20.0), substeps=3),
}


def array(x, kind=wp.float32, **more) -> wp.array:
    return wp.array(np.asarray(x), dtype=kind, **more)


def course(count: int, steps: int, seed: int = 3):
    """Targets, positions and velocities of joints, each (steps, count) in float32."""
    rng = np.random.default_rng(seed)
    v = (3.0 * rng.normal(size=(steps, count))).astype(np.float32)
    q = (DT * np.cumsum(v, axis=0) + 0.2).astype(np.float32)
    p, pv, effort = (rng.normal(size=(steps, count)).astype(np.float32) for _ in range(3))
    return p, pv, effort, q, v


class Host:
    """Arrays of a simulation that are longer than the row of joints, which stand in them at `places`."""

    def __init__(self, count: int, seed: int = 7, straight: bool = False):
        rng = np.random.default_rng(seed)
        self.size = count if straight else 3 * count
        self.places = np.arange(count) if straight else rng.permutation(self.size)[:count]
        self.indices = array(self.places, wp.uint32)
        self.state = SimpleNamespace(joint_q=None, joint_qd=None)
        self.control = SimpleNamespace(joint_target_q=None, joint_target_qd=None, joint_act=None)
        self.control.joint_f = wp.zeros(self.size, dtype=wp.float32)
        for name in ("joint_q", "joint_qd"):
            setattr(self.state, name, wp.full(self.size, 1e6, dtype=wp.float32))
        for name in ("joint_target_q", "joint_target_qd", "joint_act"):
            setattr(self.control, name, wp.full(self.size, 1e6, dtype=wp.float32))

    def set(self, p, pv, effort, q, v) -> None:
        """Put numbers where the joints are."""
        for part, name, x in (
            (self.control, "joint_target_q", p), (self.control, "joint_target_qd", pv),
            (self.control, "joint_act", effort), (self.state, "joint_q", q), (self.state, "joint_qd", v),
        ):  # fmt: skip
            whole = getattr(part, name).numpy()
            whole[self.places] = x
            getattr(part, name).assign(whole)
        self.control.joint_f.zero_()

    def forces(self) -> np.ndarray:
        """The torques of the joints; what belongs to no joint of ours is 0."""
        found = self.control.joint_f.numpy()
        assert not np.delete(found, self.places).any()
        return found[self.places]


def run(actuator, host: Host, given, reset_at: int | None = None, mask=None, watch=None) -> np.ndarray:
    """Torques (steps, count) of an actuator of Newton over a course; some joints are reset in one of the steps."""
    before, after, rows = actuator.state(), actuator.state(), []
    for k, row in enumerate(zip(*given, strict=True)):
        if k == reset_at and before is not None:
            before.reset(array(mask, wp.bool))
        host.set(*row)
        actuator.step(host.state, host.control, before, after, dt=DT)
        rows.append(host.forces().copy())
        before, after = after, before
    return np.array(rows)


def reference(actuator: be.Actuator, given, reset_at: int | None = None, mask=None) -> dict[str, np.ndarray]:
    """Outputs (steps, count) of the NumPy step on the same course."""
    step = actuator.compile("numpy")
    count = given[0].shape[1]
    state, rows = step.initial((count,)), []
    for k, (p, pv, effort, q, v) in enumerate(zip(*given, strict=True)):
        if k == reset_at:
            state = step.reset(state, np.asarray(mask))
        all_inputs = {"position": p, "velocity": pv, "effort": effort, "voltage": effort}
        command = {n: x.astype(float) for n, x in all_inputs.items() if n in actuator.controller.inputs}
        state, out = step(state, be.Command(**command), q.astype(float), v.astype(float), DT)
        rows.append({n: np.broadcast_to(x, (count,)) for n, x in vars(out).items() if x is not None})
    return {name: np.array([row[name] for row in rows]) for name in rows[0]}
