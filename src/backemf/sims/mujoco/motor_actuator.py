"""A dcmotor of MuJoCo's as an actuator: motor, controller and limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, PositionPid, Torque, TorquePid, VelocityPi, Voltage
from ...actuator.delay import Delay
from ...actuator.torque_limits import EffortRange
from ...errors import ParameterError
from ...motor import (
    Cogging,
    Dahl,
    Drag,
    Gearbox,
    Harmonic,
    Limits,
    LuGre,
    Magnet,
    Motor,
    Rotor,
    Stage,
    Thermal,
    Winding,
)
from .motor import DcMotor
from .motor_law import OURS
from .motor_losses import damps_effort
from .sources import Found
from .versions import in_volts


def delay_of(found: Found) -> Delay | None:
    """The delay of commands; None: they act at once."""
    if found.history is None:
        return None
    # no command acts in the step in which it is sent
    if found.history.linear:
        return Delay(seconds=max(found.history.delay, found.timestep))
    return Delay(steps=max(math.ceil(found.history.delay / found.timestep - 1e-9), 1))


def motor_actuator(found: Found, m: DcMotor) -> Actuator:
    """A dcmotor as an actuator; raises one sentence where it says what no motor can be."""
    try:
        return actuator_of(found, m)
    except ParameterError as error:
        raise ParameterError(f"actuator {found.name!r}: {error}") from None


def actuator_of(found: Found, m: DcMotor) -> Actuator:
    """The actuator of a dcmotor: motor, controller and limits."""
    n = abs(m.gear)
    if n == 0.0:
        raise ParameterError("gear = 0: it drives nothing")
    low, high = m.lowest_force, m.highest_force
    flat = np.isfinite(low) and low == -high
    ends = sorted((m.gear * low, m.gear * high))
    # until 3.11 a plain voltage knows its limit through the current alone, and since 3.12 not at all
    raw = m.inputs == ("voltage",)
    limited = m.voltage_limit > 0.0 and not (raw and (not in_volts(m.version) or m.time_constant == 0.0))
    scale = {"ff": n, "voltage": 1.0}.get((*m.inputs, "")[0], 1.0 / n)
    return Actuator(
        motor_of(found, m, high / m.motor_constant if flat else None),
        controller=controller_of(m, n),
        delay=delay_of(found),
        limits=() if flat or not np.isfinite(low) else (EffortRange(lowest=ends[0], highest=ends[1]),),
        command_range=command_range(m, math.copysign(scale, 1.0 if raw else m.gear)),
        slew=scale * m.slew if m.slew > 0.0 and not damps_effort(m) else None,
        voltage_limit=m.voltage_limit if limited else None,
    )


def command_range(m: DcMotor, factor: float) -> tuple[float, float] | None:
    """Range of the main input, at the joint."""
    low, high = m.lowest_ctrl[0], m.highest_ctrl[0]
    if not np.isfinite([low, high]).all() or damps_effort(m):
        return None
    first, second = sorted((factor * low, factor * high))
    return first, second


def controller_of(m: DcMotor, n: float) -> Any:
    """The controller, per radian of the joint."""
    per_volt = m.motor_constant / m.resistance
    # MuJoCo has an integral where its gain is above 0
    ki = max(m.ki, 0.0)
    torque = {"kp": n * n * m.kp, "ki": n * n * ki or None, "kd": n * n * m.kd}
    # gains in volts at the joint, of either generation
    volts = {"kp": n * m.kp, "ki": n * ki or None, "kd": n * m.kd}
    if not in_volts(m.version):
        volts = {"kp": n * m.kp / per_volt, "ki": n * ki / per_volt or None}
        volts["kd"] = n * settled(m.kd / per_volt - m.motor_constant, m.motor_constant)
    elif m.inputs == ("position",):
        torque = {"kp": n * volts["kp"] * per_volt, "ki": n * (volts["ki"] or 0.0) * per_volt or None}
        torque["kd"] = n * n * per_volt * (m.kd + m.motor_constant)
    bound = {"integral_limit": m.integral_limit / n} if m.integral_limit > 0.0 and ki > 0.0 else {}
    if m.inputs == ("voltage",):
        return Voltage()
    if m.inputs == ("velocity",):
        return VelocityPi(kp=volts["kp"], ki=volts["ki"])
    if m.inputs in (("position",), ("pos",)):
        if volts["kd"] >= 0.0:
            return PositionPid(**volts, **bound)
        return TorquePid(**torque, **bound, listens=("position",))
    if m.inputs == ("ff",) and not (m.kp or m.kd):
        return Torque()
    if m.inputs and "voltage" not in m.inputs:
        return torque_controller(m, torque, bound)
    raise ParameterError(
        f"input = {' '.join(m.inputs) or 'none'!r}: a voltage beside a controller, or no input at all, has no "
        "counterpart here; DcMotor.read takes it"
    )


def torque_controller(m: DcMotor, gains: dict[str, Any], bound: dict[str, Any]) -> Any:
    """A controller in torque with several inputs."""
    heard = tuple(OURS[word] for word in m.inputs)
    if "pos" in m.inputs:
        if gains["ki"] is None:
            return IdealPd(stiffness=gains["kp"], damping=gains["kd"], listens=heard)
        return TorquePid(**gains, **bound, listens=heard)
    if m.kp:
        raise ParameterError(f"controller kp = {m.kp:g} without the input pos pulls the joint to 0; take it out")
    listens = ("velocity", "effort") if damps_effort(m) else heard
    return TorquePid(kd=gains["kd"], follows="velocity", listens=listens)


def settled(value: float, beside: float) -> float:
    """A difference without what rounding leaves of its parts."""
    return 0.0 if abs(value) < 1e-12 * abs(beside) else value


def motor_of(found: Found, m: DcMotor, current: float | None) -> Motor:
    """The motor with its own gear."""
    w: dict[str, Any] = {"resistance": m.resistance, "inductance": m.time_constant * m.resistance}
    parts: dict[str, Any] = {}
    if m.thermal_resistance > 0.0:
        w |= {"temperature_coefficient": m.temperature_coefficient, "reference_temperature": m.reference_temperature}
        parts["thermal"] = Thermal(
            resistance=m.thermal_resistance, capacitance=m.thermal_capacitance, ambient=m.ambient
        )
    if m.bristle_stiffness > 0.0:
        parts["friction"] = bristles_of(m)
    n = abs(m.gear)
    parts["drag"] = drag_of(tuple(b * n**2 / n ** (order + 2) for order, b in enumerate(m.damping)))
    if m.cogging_amplitude != 0.0:
        parts["cogging"] = Cogging(harmonics=(wave_of(m),))
    if m.gear != 1.0 or found.joint.play is not None:
        parts["gearbox"] = Gearbox(stages=(Stage(ratio=m.gear),), backlash=found.joint.play)
    rate = None
    if m.current_rate > 0.0 and m.time_constant > 0.0:
        # the slope decays over the step, so that this is what it amounts to
        steps = found.timestep / m.time_constant
        rate = m.current_rate * -math.expm1(-steps) / steps
    if rate is not None or current is not None:
        parts["limits"] = Limits(peak_current=current, current_rate=rate)
    return Motor(
        winding=Winding(**w),
        magnet=Magnet(torque_constant=m.motor_constant, back_emf_constant=m.motor_constant),
        rotor=Rotor(inertia=m.armature) if m.armature > 0.0 else None,
        **parts,
    )


def wave_of(m: DcMotor) -> Harmonic:
    """The cogging as a sine of positive amplitude and periodicity: A·sin(N·l + p)."""
    amplitude, periodicity, phase = m.cogging_amplitude, m.cogging_periodicity, m.cogging_phase
    if periodicity < 0.0:
        periodicity, phase = -periodicity, math.pi - phase
    if amplitude < 0.0:
        amplitude, phase = -amplitude, phase + math.pi
    return Harmonic(amplitude=amplitude, periodicity=periodicity, phase=phase)


def bristles_of(m: DcMotor) -> Dahl | LuGre:
    """LuGre friction, or Dahl's where it is that."""
    if (m.bristle_damping, m.stribeck_velocity) == (0.0, 1.0) and m.stiction == m.coulomb:
        return Dahl(coulomb=m.coulomb, stiffness=m.bristle_stiffness)
    # without a Stribeck velocity the level is that of sliding at every speed but 0, whatever speed stands here
    falls = m.stribeck_velocity > 0.0
    return LuGre(
        coulomb=m.coulomb,
        stiction=m.stiction if falls else m.coulomb,
        stribeck_velocity=m.stribeck_velocity if falls else 1.0,
        stiffness=m.bristle_stiffness,
        damping=m.bristle_damping,
    )


def drag_of(coefficients: tuple[float, ...]) -> Drag | None:
    """Drag up to its last order that is not 0."""
    used = max((order for order, value in enumerate(coefficients, start=1) if value), default=0)
    return Drag(coefficients=coefficients[:used]) if used else None
