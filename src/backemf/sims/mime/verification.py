"""The document's verifications: what is computed beside what theory says, with the tolerance of each.

python -c "from backemf.sims import mime; print(mime.report())"
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from .compiled import compose_pose
from .law import mime_step
from .motor import MimeInputs, MimeMotor, MimeState
from .pose import IDENTITY

REFERENCE = MimeMotor(inertia_kg_m2=1e-4, kt_n_m_per_a=0.05, r_ohm=2.0, l_henry=1e-3, damping_n_m_s=0.01)
"""The small laboratory rotor for which the default gains are chosen."""
DT = 1e-3
"""Step of the verifications [s]."""


@dataclass(frozen=True)
class Check:
    """One verification."""

    name: str
    """What is verified."""
    measured: float
    """What came out, in `unit`."""
    expected: str
    """What theory says, as it is printed."""
    error: float
    """How far it is off, in shares of `expected` [1]."""
    tolerance: float
    """How far it may be off [1]."""
    unit: str
    """Unit of `measured`."""

    @property
    def passed(self) -> bool:
        return self.error < self.tolerance


def run(motor: MimeMotor, inputs: MimeInputs, steps: int, dt: float = DT) -> dict[str, np.ndarray]:
    """Every state after each of many steps from rest, in float64."""
    nothing = np.zeros(())
    state = MimeState(angle=nothing, angular_velocity=nothing, current=nothing, velocity_integral_error=nothing)
    rows = []
    for _ in range(steps):
        state = mime_step(motor, state, inputs, dt)
        rows.append((state.angle, state.angular_velocity, state.current))
    return dict(zip(("angle", "angular_velocity", "current"), np.array(rows).T, strict=True))


def spin_up(motor: MimeMotor, torque: float, time: np.ndarray) -> np.ndarray:
    """Speed of a rotor with drag under a constant torque, τ/b·(1 - exp(-b·t/J)) [rad/s]."""
    b = motor.damping_n_m_s
    return torque / b * (1.0 - np.exp(-b * time / motor.inertia_kg_m2))


def voltage_speed(motor: MimeMotor, voltage: float) -> float:
    """Speed that a voltage leads to, V·Kt/(Kt·Ke + R·b) [rad/s]."""
    kt, ke = motor.kt_n_m_per_a, motor.ke_v_s_per_rad
    return voltage * kt / (kt * ke + motor.r_ohm * motor.damping_n_m_s)


def torque_step() -> Check:
    """A step of the torque to 0.02 N·m beside the analytic spin-up, over one second."""
    speed = run(REFERENCE, MimeInputs(commanded_torque=0.02), 1000)["angular_velocity"]
    exact = spin_up(REFERENCE, 0.02, DT * np.arange(1, 1001))
    error = float(np.sqrt(np.mean((speed / exact - 1.0) ** 2)))
    return Check("spin-up under 0.02 N·m, RMS over 1 s", 100.0 * error, "0", error, 0.05, "%")


def voltage_steps() -> tuple[Check, Check]:
    """Speed and current after two seconds under 5 V."""
    done = run(REFERENCE, MimeInputs(commanded_voltage=5.0), 2000)
    speed, current = float(done["angular_velocity"][-1]), float(done["current"][-1])
    exact = voltage_speed(REFERENCE, 5.0)
    amperes = REFERENCE.damping_n_m_s * exact / REFERENCE.kt_n_m_per_a
    return (
        Check("speed under 5 V", speed, f"{exact:.6g}", abs(speed / exact - 1.0), 1e-6, "rad/s"),
        Check("current under 5 V", current, f"{amperes:.6g}", abs(current / amperes - 1.0), 1e-6, "A"),
    )


def velocity_step() -> Check:
    """What is left of the error five seconds after a velocity of 10 rad/s is asked for, with the default gains."""
    speed = float(run(REFERENCE, MimeInputs(commanded_velocity=10.0), 5000)["angular_velocity"][-1])
    return Check("velocity 10 rad/s, after 5 s", speed, "10", abs(speed / 10.0 - 1.0), 0.01, "rad/s")


def quarter_turn() -> Check:
    """A quarter turn about z of a tool that is 0.1 m out: it is at y = 0.1 m, turned by [√½, 0, 0, √½]."""
    tool = (0.1, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    pose = compose_pose(IDENTITY, (0.0, 0.0, 1.0), 0.5 * math.pi, tool, engine="numpy")
    half = math.sqrt(0.5)
    error = float(np.max(np.abs(pose - np.array([0.0, 0.1, 0.0, half, 0.0, 0.0, half]))))
    return Check("pose after a quarter turn about z", float(pose[3]), f"{half:.6g}", error, 1e-12, "qw, and qz")


def verify() -> list[Check]:
    """All verifications, run now in float64."""
    return [
        torque_step(),
        *voltage_steps(),
        velocity_step(),
        quarter_turn(),
    ]


def report() -> str:
    """The verifications as a table of the documentation."""
    rows = ["| | measured | expected | error | tolerance | |", "|---|---:|---:|---:|---:|---|"]
    for check in verify():
        said = "passed" if check.passed else "FAILED"
        # below this it is rounding, which differs from machine to machine
        error = "< 1e-12" if check.error < 1e-12 else f"{check.error:.3g}"
        rows.append(
            f"| {check.name} | {check.measured:.4g} {check.unit} | {check.expected} | {error} | {check.tolerance:g} "
            f"| {said} |"
        )
    return "\n".join(rows)
