"""What MIME's motor computes in a step, in its documented discretisation.

    e = wd - w,  I' = I + e·dt,  torque = Kp·e + Ki·I'          velocity mode; elsewhere I rests
    i' = (i + dt/L·(V - Ke·w))/(1 + dt·R/L),  torque = Kt·i'    voltage mode; elsewhere i' = 0
    w' = (J·w + dt·(torque + load))/(J + dt·b),  angle' = angle + w'·dt

The current is written with L multiplied out, so that a winding without inductance is no special case.
"""

from __future__ import annotations

from ...physics.ops import absolute, alike, where
from ...values import Number
from .motor import MimeInputs, MimeMotor, MimeState

COAST, TORQUE, VOLTAGE, VELOCITY = 0, 1, 2, 3
"""Modes: which command holds; COAST where none does."""
NOTHING = 1e-30
"""A command no larger than this is none, if no mode is named."""


def mode_of(inputs: MimeInputs) -> Number:
    """The mode that is named, or that of the first command that is not 0: torque before voltage before velocity."""
    by_velocity = where(absolute(inputs.commanded_velocity) > NOTHING, VELOCITY, COAST)
    by_voltage = where(absolute(inputs.commanded_voltage) > NOTHING, VOLTAGE, by_velocity)
    first = where(absolute(inputs.commanded_torque) > NOTHING, TORQUE, by_voltage)
    if inputs.mode is None:
        return first
    mode = inputs.mode
    named = (mode == TORQUE) | (mode == VOLTAGE) | (mode == VELOCITY)
    return where(named, mode, first)


def mime_step(motor: MimeMotor, state: MimeState, inputs: MimeInputs, dt: Number) -> MimeState:
    """The state after a step."""
    mode = mode_of(inputs)
    speed = state.angular_velocity
    # the controller of velocity mode
    error = inputs.commanded_velocity - speed
    integral = state.velocity_integral_error + error * dt
    asked = motor.velocity_kp * error + motor.velocity_ki * integral
    # the winding, implicit in its resistance
    inductance, ohms = motor.l_henry, motor.r_ohm
    driven = inductance * state.current + dt * (inputs.commanded_voltage - motor.ke_v_s_per_rad * speed)
    current = where(mode == VOLTAGE, driven * (1.0 / (inductance + dt * ohms)), 0.0)
    # the rotor, implicit in its drag
    torque = where(mode == TORQUE, inputs.commanded_torque, motor.kt_n_m_per_a * current)
    torque = where(mode == VELOCITY, asked, torque) + inputs.load_torque
    after = (motor.inertia_kg_m2 * speed + dt * torque) * (1.0 / (motor.inertia_kg_m2 + dt * motor.damping_n_m_s))
    angle, remainder = turn(state.angle, state.angle_remainder, after * dt)
    return MimeState(
        angle=alike(angle, state.angle),
        angular_velocity=alike(after, speed),
        current=alike(current, state.current),
        velocity_integral_error=alike(
            where(mode == VELOCITY, integral, state.velocity_integral_error), state.velocity_integral_error
        ),
        angle_remainder=None if remainder is None else alike(remainder, state.angle),
    )


def turn(angle: Number, remainder: Number | None, way: Number) -> tuple[Number, Number | None]:
    """An angle that has gone a little further, and what rounding made it too much by.

    A turning rotor adds small ways to a large angle; Kahan's sum keeps what each addition would lose.
    """
    if remainder is None:
        return angle + way, None
    way = way - remainder
    after = angle + way
    return after, (after - angle) - way
