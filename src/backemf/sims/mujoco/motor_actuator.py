"""A dcmotor of MuJoCo as a backemf actuator: motor, controller and limits, and what they do not represent."""

from __future__ import annotations

import math
from typing import Any, cast

import numpy as np

from ...actuator import Actuator
from ...actuator.controllers import IdealPd, PositionPid, Torque, TorquePid, VelocityPi, Voltage
from ...actuator.controllers.controller import Controller
from ...actuator.delay import Delay
from ...actuator.torque_limits import EffortRange
from ...errors import ParameterError, errors_at
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
from ..loss import APPROXIMATED, DROPPED, KEPT, Loss
from ..types import Fields
from .general import TARGETS
from .general_reading import LISTENS
from .motor import DcMotor
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
    """A dcmotor as an actuator; raise ParameterError where no motor can be like it."""
    with errors_at(f"actuator {found.name!r}"):
        return actuator_of(found, m)


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
    if not np.isfinite(cast(Any, [low, high])).all() or damps_effort(m):
        return None
    first, second = sorted((factor * low, factor * high))
    return first, second


def controller_of(m: DcMotor, n: float) -> Controller:
    """The controller, per radian of the joint."""
    per_volt = m.motor_constant / m.resistance
    # MuJoCo has an integral where its gain is above 0
    ki = max(m.ki, 0.0)
    torque: Fields = {"kp": n * n * m.kp, "ki": n * n * ki or None, "kd": n * n * m.kd}
    # gains in volts at the joint, of either generation
    volts: Fields = {"kp": n * m.kp, "ki": n * ki or None, "kd": n * m.kd}
    if not in_volts(m.version):
        volts = {"kp": n * m.kp / per_volt, "ki": n * ki / per_volt or None}
        kd = m.kd / per_volt - m.motor_constant
        # what rounding leaves of a difference is 0
        volts["kd"] = n * kd if abs(kd) >= 1e-12 * m.motor_constant else 0.0
    elif m.inputs == ("position",):
        torque = {"kp": n * volts["kp"] * per_volt, "ki": n * (volts["ki"] or 0.0) * per_volt or None}
        torque["kd"] = n * n * per_volt * (m.kd + m.motor_constant)
    bound: Fields = {"integral_limit": m.integral_limit / n} if m.integral_limit > 0.0 and ki > 0.0 else {}
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
        f"input = {' '.join(m.inputs) or 'none'!r}: a voltage besides a controller, or no input at all, has no "
        "counterpart here; DcMotor.read takes it"
    )


def torque_controller(m: DcMotor, gains: Fields, bound: Fields) -> Controller:
    """A controller in torque with several inputs."""
    heard = tuple(TARGETS[word] for word in m.inputs)
    if "pos" in m.inputs:
        if gains["ki"] is None:
            return IdealPd(stiffness=gains["kp"], damping=gains["kd"], listens=heard)
        return TorquePid(**gains, **bound, listens=heard)
    if m.kp:
        raise ParameterError(f"controller kp = {m.kp:g} without the input pos pulls the joint to 0; take it out")
    listens = ("velocity", "effort") if damps_effort(m) else heard
    return TorquePid(kd=gains["kd"], follows="velocity", listens=listens)


def motor_of(found: Found, m: DcMotor, current: float | None) -> Motor:
    """The motor with its own gear."""
    w: Fields = {"resistance": m.resistance, "inductance": m.time_constant * m.resistance}
    parts: Fields = {}
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
    if m.gear != 1.0 or found.joint.backlash is not None:
        parts["gearbox"] = Gearbox(stages=(Stage(ratio=m.gear),), backlash=cast(Any, found.joint.backlash))
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
    # without a Stribeck velocity the level is that of sliding at every speed but 0, for any speed given here
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


# --- what is lost


def damps_effort(m: DcMotor) -> bool:
    """Whether it takes an effort alone and has damping, for which a backemf controller follows a velocity."""
    return m.inputs == ("ff",) and m.kd != 0.0


def motor_rows(m: DcMotor) -> list[Loss]:
    """A row for everything of a dcmotor that is not the same in the backemf actuator."""
    volts, heats, lags = in_volts(m.version), m.thermal_resistance > 0.0, m.time_constant > 0.0
    ends = [*(m.lowest_ctrl or ()), *(m.highest_ctrl or ())]
    others = [end for index, end in enumerate(ends) if index % max(len(m.inputs), 1) or damps_effort(m)]
    integrates = m.ki > 0.0 and m.inputs not in ((), ("voltage",), ("position",))
    bounded = np.isfinite(cast(Any, [m.lowest_force, m.highest_force])).any()
    bristles = m.bristle_stiffness > 0.0
    rows = [
        (m.gear != 1.0 and m.inputs != ("voltage",), "command", KEPT,
         f"targets are the joint's: ctrl is {m.gear:g} times a position or velocity, an effort over {m.gear:g}"),
        (damps_effort(m), LISTENS.phenomenon, LISTENS.status, LISTENS.note),
        (np.isfinite(cast(Any, others)).any(), "command range", DROPPED,
         "ctrlrange bounds every input in MuJoCo; here it bounds the main one"),
        (m.slew > 0.0 and damps_effort(m), "slew", DROPPED,
         "a slew limit of the effort, which is not the main input here"),
        (m.slew > 0.0 and not damps_effort(m), "slew", APPROXIMATED,
         "MuJoCo's slew limit starts at 0, wherever the joint is and whatever is commanded first"),
        (integrates and not volts and "pos" not in m.inputs, "integral", DROPPED,
         f"MuJoCo integrates {' '.join(m.inputs[:1])} minus the joint's angle, which no backemf controller does"),
        (integrates and volts, "start of the integral", APPROXIMATED,
         "MuJoCo's moving target starts at 0, wherever the joint is; ours starts where the joint is"),
        (integrates and volts and m.integral_limit > 0.0, "integral limit", DROPPED,
         f"MuJoCo keeps the moving target within {m.integral_limit / (abs(m.gear) or 1.0):g} rad of 0; "
         "VelocityPi.integral_limit is how far it may be ahead of the joint, and is left out"),
        (lags and heats, "inductance", APPROXIMATED,
         "MuJoCo's electrical time constant stays that of the cold winding; ours falls as the winding warms"),
        (lags and m.current_rate > 0.0, "current-rate limit", APPROXIMATED,
         "the mean rate in MuJoCo over the model's timestep; it clips the slope at the start of a step"),
        (heats, "winding heat", APPROXIMATED, "MuJoCo's temperature is an Euler step, ours is exact"),
        (volts and m.inputs == ("voltage",) and not lags and heats and m.voltage_limit > 0.0, "voltage limit", DROPPED,
         "without an inductance MuJoCo limits the voltage that heats and not the one that drives"),
        (bounded and (lags or heats or m.voltage_limit > 0.0), "current limit", APPROXIMATED,
         "MuJoCo limits the torque; ours limits the current, with its heat, as far as the voltage can"),
        (bristles and m.stribeck_velocity <= 0.0 and m.stiction != m.coulomb, "stiction", APPROXIMATED,
         "without a Stribeck velocity MuJoCo has stiction at speed 0 alone; here the friction slides there too"),
        (bristles, "bristle friction", APPROXIMATED,
         "MuJoCo uses the bristles at the start of a step, ours their mean over it"),
    ]  # fmt: skip
    return [Loss(phenomenon, status, note) for there, phenomenon, status, note in rows if there]


def joint_range_row(m: DcMotor) -> Loss | None:
    """How the joint's actuatorfrcrange differs from a limit of the motor's current."""
    if not (m.cogging_amplitude != 0.0 or m.bristle_stiffness > 0.0 or m.time_constant or m.thermal_resistance):
        return None
    note = "actuatorfrcrange bounds the motor's current here; in MuJoCo its torque, cogging and bristles included"
    return Loss("joint effort range", APPROXIMATED, note)
