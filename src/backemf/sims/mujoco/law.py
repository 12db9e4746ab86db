"""What MuJoCo's `dcmotor` computes, including its quirks, in its own order: 3.7 to 3.11, and 3.12 to 4.0.

The law is elementwise: any parameter may be an array with one number per motor, and `engines.bind` puts it on JAX and
PyTorch, where gradients flow through it. Lengths, speeds and forces are those of the actuator, gear times the joint's.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

from ...actuator.control import next_integral, slew_limit
from ...checks import Number
from ...motor import Winding
from ...physics.bristle import bristle_rate, bristle_step
from ...physics.drag import drag_coefficient
from ...physics.limits import clip
from ...physics.ops import absolute, exp, maximum, sin, where
from ...physics.winding import resistance, steady_current
from ...values import Recorded
from .motor import DcMotor
from .versions import CONTROLLER_INPUTS, in_volts, known_version

Controls: TypeAlias = "Number | tuple[Number, ...] | list[Number]"
"""What ctrl holds: a number per motor, or one for each of several inputs."""
MINVAL = 1e-15
"""MuJoCo's smallest divisor."""


class DcMotorState(NamedTuple):
    """State of a motor, in MuJoCo's order; None where it has no such state. All begin at 0."""

    slew: Recorded = None
    """First control after its slew limit, in its own unit."""
    integral: Recorded = None
    """Integral of the controller [rad·s], or its moving target [rad]."""
    temperature: Recorded = None
    """Winding temperature above ambient [K]."""
    bristle: Recorded = None
    """Bending of the friction bristles [rad]."""
    current: Recorded = None
    """Winding current [A]."""


class Drive(NamedTuple):
    """What happens in the windings over a step, before any friction."""

    slew: Recorded
    """Next slew state."""
    integral: Recorded
    """Next integral."""
    rising: Recorded
    """How fast the temperature rises now [K/s]."""
    current: Recorded
    """Current at the end of the step [A]; None without a current state."""
    hot: Recorded
    """Resistance at the present temperature [Ω]."""
    torque: Number
    """Torque before the force range [N·m]."""
    voltage_clipped: Recorded
    """Whether the controller asks for more than its voltage limit."""
    rate_clipped: Recorded
    """Whether the current-rate limit acts; None without a current state."""


def dcmotor_step(
    m: DcMotor, state: DcMotorState, ctrl: Controls, length: Number, velocity: Number, dt: Number
) -> tuple[DcMotorState, Number]:
    """The state after a step, and the force of the actuator over it [N·m]."""
    drive = drive_of(m, state, ctrl, length, velocity, dt)
    temperature = None if state.temperature is None else state.temperature + drive.rising * dt
    bristle = None
    if state.bristle is not None:
        bristle = bristle_step(state.bristle, velocity, friction_level(m, velocity), m.bristle_stiffness, dt)
    after = DcMotorState(drive.slew, drive.integral, temperature, bristle, drive.current)
    return after, whole_force(m, state, drive, length, velocity)


def dcmotor_slope(
    m: DcMotor, state: DcMotorState, ctrl: Controls, length: Number, velocity: Number, dt: Number
) -> Number:
    """The derivative of the force by the velocity that MuJoCo passes to its implicit integrators [N·m·s/rad].

    It leaves out how the bristles' relaxation depends on the speed. Until 3.13 it has the cold resistance; until 3.17
    it is nothing at all where the force, cogging and friction included, is at a bound of the force range. Since 4.0 the
    winding's part is nothing where its own torque is at a bound or the current-rate limit acts, and the controller's
    where its voltage is clipped.
    """
    drive = drive_of(m, state, ctrl, length, velocity, dt)
    version = known_version(m.version)
    by_speed = controller_slope(m)
    if version >= (4, 0):
        by_speed = where(drive.voltage_clipped, 0.0 * velocity, by_speed + 0.0 * velocity)
    ohms = maximum(drive.hot if version >= (3, 14) else m.resistance, MINVAL)
    winding = m.motor_constant * (by_speed - m.motor_constant) / ohms
    if state.current is not None:
        winding = winding * (1.0 - exp(-dt / m.time_constant))
    damping = where(m.bristle_damping > 0.0, m.bristle_damping, 0.0 * m.bristle_damping)
    if version >= (4, 0):
        still: Any = at_bound(m, drive.torque)
        still = still if drive.rate_clipped is None else still | drive.rate_clipped
        return where(still, 0.0 * velocity, winding + 0.0 * velocity) - damping
    whole = winding - damping
    return where(at_bound(m, whole_force(m, state, drive, length, velocity)), 0.0 * velocity, whole + 0.0 * velocity)


def joint_torque(m: DcMotor, force: Number, joint_velocity: Number) -> Number:
    """Torque on the joint of a force of the actuator, drag included [N·m].

    MuJoCo multiplies drag of every order by gear², at the speed of the joint.
    """
    torque = m.gear * force
    for order, coefficient in enumerate(m.damping, start=1):
        torque = torque - m.gear * m.gear * drag_coefficient(joint_velocity, coefficient, order) * joint_velocity
    return torque


def drive_of(m: DcMotor, state: DcMotorState, ctrl: Controls, length: Number, velocity: Number, dt: Number) -> Drive:
    """From the command to the torque of the windings."""
    u = [clip(x, low, high) for x, low, high in zip(controls(m, ctrl), m.lowest_ctrl, m.highest_ctrl, strict=True)]
    slew = integral = None
    if state.slew is not None:
        u[0] = slew_limit(u[0], state.slew, m.slew, dt)
        slew = state.slew + (u[0] - state.slew) / dt * dt
    if state.integral is not None:
        counts_error = m.inputs == ("position",) or not in_volts(m.version)
        rate = u[0] - length if counts_error else u[0]
        limit = where(m.integral_limit > 0.0, m.integral_limit, float("inf"))
        integral = next_integral(state.integral, rate, 0.0, limit, None, dt)
    # the integral acts with its value before this step
    so_far = 0.0 if state.integral is None else state.integral
    asked = volts_asked(m, u, so_far, length, velocity)
    volts = within(asked, m.voltage_limit)
    clipped = (m.voltage_limit > 0.0) & (absolute(asked) > m.voltage_limit)
    if not in_volts(m.version):
        # a raw voltage is added behind the limit, and is not limited
        raw = u[-1] if "voltage" in m.inputs else 0.0
        asked, volts = asked + raw, volts + raw
    hot = m.resistance
    if state.temperature is not None:
        hot = resistance(state.temperature + m.ambient, any_part(m))
    back_emf = m.motor_constant * velocity
    rising = None
    if state.temperature is not None:
        amperes = steady_current(volts, back_emf, hot) if state.current is None else state.current
        rising = (hot * amperes * amperes - state.temperature / m.thermal_resistance) / m.thermal_capacitance
    if state.current is None:
        # until 3.11 the torque of a plain voltage knows nothing of the voltage limit
        terminal = asked if m.inputs == ("voltage",) else volts
        gain = m.motor_constant / maximum(hot, MINVAL)
        torque = gain * terminal - gain * m.motor_constant * velocity
        return Drive(slew, integral, rising, None, hot, torque, clipped, None)
    free = (volts / hot - m.motor_constant / hot * velocity - state.current) / m.time_constant
    limited = within(free, m.current_rate)
    # the limit clips the slope now, which then decays over the step; the time constant stays that of the cold winding
    current = state.current + limited * m.time_constant * (1.0 - exp(-dt / m.time_constant))
    rate_clipped = (m.current_rate > 0.0) & (absolute(free) > m.current_rate)
    return Drive(slew, integral, rising, current, hot, m.motor_constant * current, clipped, rate_clipped)


def any_part(m: DcMotor) -> Winding:
    """The motor as the group of constants that a law of the physics asks for: the fields have the same names."""
    return m  # pyright: ignore[reportReturnType]  # the same fields, of another class


def controls(m: DcMotor, ctrl: Controls) -> tuple[Number, ...]:
    """The inputs one by one: from a row of them, or from the last axis of an array where there are several."""
    if isinstance(ctrl, (tuple, list)):
        return tuple(ctrl)
    if len(m.inputs) < 2:
        return (ctrl,) * len(m.inputs)
    return tuple(ctrl[..., index] for index in range(len(m.inputs)))  # pyright: ignore[reportIndexIssue]


def volts_asked(m: DcMotor, u: Sequence[Number], integral: Number, length: Number, velocity: Number) -> Number:
    """What the controller asks for, before its limit [V]."""
    if in_volts(m.version):
        if m.inputs == ("position",):
            return m.kp * (u[0] - length) + m.ki * integral - m.kd * velocity
        if m.inputs == ("velocity",):
            return m.kp * (u[0] - velocity) + m.ki * (integral - length)
        return u[0]
    named = dict(zip(m.inputs, u, strict=True))
    if not has_controller(m):
        return 0.0 * velocity
    torque = m.kp * (named.get("pos", 0.0) - length) + m.kd * (named.get("vel", 0.0) - velocity)
    torque = torque + m.ki * integral + named.get("ff", 0.0)
    return m.resistance / m.motor_constant * torque + m.motor_constant * velocity


def has_controller(m: DcMotor) -> bool:
    """Whether the controller in torque has an input."""
    return any(name in CONTROLLER_INPUTS for name in m.inputs)


def controller_slope(m: DcMotor) -> Number:
    """How the controller's voltage rises with the velocity [V·s/rad]."""
    if not in_volts(m.version):
        if has_controller(m):
            return -m.kd * m.resistance / m.motor_constant + m.motor_constant
        return 0.0 * m.motor_constant
    return {"position": -m.kd, "velocity": -m.kp, "voltage": 0.0 * m.motor_constant}[m.inputs[0]]


def within(x: Number, limit: Number) -> Number:
    """x between ±limit where the limit is above 0, and as it is where it is not."""
    bound = where(limit > 0.0, limit, float("inf"))
    return clip(x, -bound, bound)


def at_bound(m: DcMotor, force: Number) -> Number:
    """Whether a force is at a bound of the force range, or beyond it."""
    return (force <= m.lowest_force) | (force >= m.highest_force)


def friction_level(m: DcMotor, velocity: Number) -> Number:
    """Friction level g(w) between stiction at rest and Coulomb friction when sliding [N·m]."""
    ratio = velocity / maximum(m.stribeck_velocity, MINVAL)
    return maximum(m.coulomb + (m.stiction - m.coulomb) * exp(-ratio * ratio), MINVAL)


def whole_force(m: DcMotor, state: DcMotorState, drive: Drive, length: Number, velocity: Number) -> Number:
    """Torque within the force range, then cogging and friction, which it does not limit [N·m]."""
    force = clip(drive.torque, m.lowest_force, m.highest_force)
    force = force + m.cogging_amplitude * sin(m.cogging_periodicity * length + m.cogging_phase)
    if state.bristle is None:
        return force
    rate = bristle_rate(state.bristle, velocity, friction_level(m, velocity), m.bristle_stiffness)
    return force - (m.bristle_stiffness * state.bristle + m.bristle_damping * rate)
