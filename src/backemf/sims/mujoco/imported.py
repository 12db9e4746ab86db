"""The way back: an actuator that is already in a MuJoCo model, in our words, with the law that MuJoCo gives it."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
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
from .files import compiled_model
from .motor import DcMotor
from .motor_law import MujocoOnJoint
from .reading import installed_version, is_motor, parsed
from .sources import (
    Found,
    actuator_elements,
    checked_source,
    from_file,
    from_model,
    picked_element,
)
from .versions import in_volts, known_version, read_inputs


def read_actuator(
    model: Any, joint: str | None = None, actuator: str | int | None = None, version: str = "4.0"
) -> MujocoOnJoint:
    """An actuator of an MJCF text, of a path to one, or of an `MjModel`: in our words, with its joint.

    A dcmotor, motor, position or velocity actuator, or a general one that is any of them, is found by its joint, its
    name or its number; where the model has one, nothing need be said. `law()` is what MuJoCo of that `version` does.
    """
    try:
        found = find(model, joint, actuator, version)
    except RecursionError:
        raise ParameterError("the model is nested too deeply to be a robot") from None
    facts, own = found.joint, found.plain
    if found.motor is not None:
        own = spoken(found, found.motor)
    if own is None:
        raise ParameterError(f"actuator {found.name!r} is no kind that can be read")
    if found.motor is None and found.history is not None:
        own = replace(own, delay=delay_of(found))
    viscous, *higher = (a + b for a, b in zip(facts.damping, found.damping, strict=True))
    return MujocoOnJoint(
        actuator=own,
        joint=facts.name,
        armature=facts.armature + found.armature,
        coulomb=facts.frictionloss,
        viscous=viscous,
        motor=found.motor,
        higher_drag=tuple(higher),
        lowest_effort=facts.lowest,
        highest_effort=facts.highest,
        history=found.history,
    )


def read(model: Any, joint: str | None = None, actuator: str | int | None = None, version: str = "4.0") -> Actuator:
    """The same actuator alone; the joint's inertia and friction become those of its motor, where it has one."""
    return read_actuator(model, joint, actuator, version).folded()


def find(model: Any, joint: str | None, actuator: str | int | None, version: str) -> Found:
    """The actuator, by the installed MuJoCo if it can compile it, else out of the file."""
    known_version(version)
    if isinstance(model, (str, Path)):
        source = checked_source(model)
        root = parsed(source)
        index = picked_element(root, joint, actuator)
        element = actuator_elements(root)[index]
        if element.tag == "dcmotor" and element.get("input") is not None:
            # MuJoCo says no more than that it does not know the word
            read_inputs(element.get("input"), version)
        installed = installed_version()
        foreign = installed is None or in_volts(installed) != in_volts(version)
        if foreign and is_motor(element):
            return from_file(root, index, version)
        return from_model(*compiled_model(source), joint, actuator, version)
    if type(model).__name__ != "MjModel":
        raise ParameterError(f"{type(model).__name__}(...): give an MJCF text, a path to one, or an MjModel")
    return from_model(*compiled_model(model), joint, actuator, version)


def delay_of(found: Found) -> Delay | None:
    """A delay in our words."""
    if found.history is None:
        return None
    # no command acts in the step in which it is sent
    if found.history.linear:
        return Delay(seconds=max(found.history.delay, found.timestep))
    return Delay(steps=max(math.ceil(found.history.delay / found.timestep - 1e-9), 1))


def spoken(found: Found, m: DcMotor) -> Actuator:
    """A dcmotor in our words; raises one sentence where it says what no motor can be."""
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
        slew=scale * m.slew if m.slew > 0.0 else None,
        voltage_limit=m.voltage_limit if limited else None,
    )


def command_range(m: DcMotor, factor: float) -> tuple[float, float] | None:
    """Range of the main input, at the joint."""
    low, high = m.lowest_ctrl[0], m.highest_ctrl[0]
    if not np.isfinite([low, high]).all():
        return None
    first, second = sorted((factor * low, factor * high))
    return first, second


def controller_of(m: DcMotor, n: float) -> Any:
    """The controller, per radian of the joint."""
    per_volt = m.motor_constant / m.resistance
    torque = {"kp": n * n * m.kp, "ki": n * n * m.ki or None, "kd": n * n * m.kd}
    # gains in volts at the joint, of either generation
    volts = {"kp": n * m.kp, "ki": n * m.ki or None, "kd": n * m.kd}
    if not in_volts(m.version):
        volts = {"kp": n * m.kp / per_volt, "ki": n * m.ki / per_volt or None}
        volts["kd"] = n * settled(m.kd / per_volt - m.motor_constant, m.motor_constant)
    elif m.inputs == ("position",):
        torque = {"kp": n * volts["kp"] * per_volt, "ki": n * (volts["ki"] or 0.0) * per_volt or None}
        torque["kd"] = n * n * per_volt * (m.kd + m.motor_constant)
    bound = {"integral_limit": m.integral_limit / n} if m.integral_limit > 0.0 and m.ki > 0.0 else {}
    if m.inputs == ("voltage",):
        return Voltage()
    if m.inputs == ("velocity",):
        return VelocityPi(kp=volts["kp"], ki=volts["ki"])
    if m.inputs in (("position",), ("pos",)):
        return PositionPid(**volts, **bound) if volts["kd"] >= 0.0 else TorquePid(**torque, **bound)
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
    if "pos" in m.inputs:
        if gains["ki"] is None:
            return IdealPd(stiffness=gains["kp"], damping=gains["kd"])
        return TorquePid(**gains, **bound)
    if m.kp:
        raise ParameterError(f"controller kp = {m.kp:g} without the input pos pulls the joint to 0; take it out")
    return TorquePid(kd=gains["kd"], follows="velocity")


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
        wave = Harmonic(amplitude=m.cogging_amplitude, periodicity=m.cogging_periodicity, phase=m.cogging_phase)
        parts["cogging"] = Cogging(harmonics=(wave,))
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


def bristles_of(m: DcMotor) -> Dahl | LuGre:
    """LuGre friction, or Dahl's where it is that."""
    if (m.bristle_damping, m.stribeck_velocity) == (0.0, 1.0) and m.stiction == m.coulomb:
        return Dahl(coulomb=m.coulomb, stiffness=m.bristle_stiffness)
    return LuGre(
        coulomb=m.coulomb,
        stiction=m.stiction,
        stribeck_velocity=m.stribeck_velocity,
        stiffness=m.bristle_stiffness,
        damping=m.bristle_damping,
    )


def drag_of(coefficients: tuple[float, ...]) -> Drag | None:
    """Drag up to its last order that is not 0."""
    used = max((order for order, value in enumerate(coefficients, start=1) if value), default=0)
    return Drag(coefficients=coefficients[:used]) if used else None
