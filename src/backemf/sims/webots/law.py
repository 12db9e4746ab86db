"""What Webots computes for a motor and its joint: from a target to a velocity, and what its engine makes of it.

The law is elementwise: any parameter may be an array with one number per motor, and `engines.bind` puts it on JAX and
PyTorch, where gradients flow through it. One joint on a fixed base is exactly what ODE computes.
"""

from __future__ import annotations

from typing import NamedTuple

from ...physics.limits import clip
from ...physics.ops import absolute, isfinite, maximum, minimum, sign, sqrt, where
from ...values import Number, Recorded
from .motor import UNLIMITED, WebotsJoint, WebotsMotor

THRESHOLD = 1e-6
"""Position and velocity errors below which kinematic mode is at its target [rad], [rad/s]."""


class MotorState(NamedTuple):
    """What a motor remembers. Of a LinearMotor in N and m."""

    target_position: Recorded
    """Position to go to [rad]; infinite: velocity control."""
    target_velocity: Recorded
    """Velocity to go with, its sign counts in velocity control alone [rad/s]."""
    available: Recorded
    """Torque that may be used [N·m]."""
    torque: Recorded
    """Torque of torque control [N·m]."""
    torque_mode: Recorded
    """1 where the torque is commanded, 0 where a position or a velocity is [1]."""
    velocity: Recorded
    """Velocity that was last commanded to the engine [rad/s]."""
    integral: Recorded
    """Integrated position error [rad·s]."""
    previous_error: Recorded
    """Position error of the step before [rad]."""


class JointState(NamedTuple):
    """Where the joint is. Of a slider in m."""

    position: Recorded
    """Angle, counted on beyond a turn [rad]."""
    velocity: Recorded
    """Velocity [rad/s]."""


class Engine(NamedTuple):
    """What the engine did in a step."""

    feedback: Recorded
    """Torque of the motor, or of the static friction, without any commanded torque, spring or damper; at a hard stop
    that of the stop [N·m]."""
    velocity: Recorded
    """Velocity after the step [rad/s]."""


# --- control


def in_torque(state: MotorState) -> Number:
    """Whether the torque is commanded."""
    return state.torque_mode != 0.0


def commanded_velocity(m: WebotsMotor, state: MotorState, position: Number, dt: Number) -> MotorState:
    """The state with the velocity that goes to the engine: PID, velocity limit, acceleration limit."""
    positioned = isfinite(state.target_position)
    error = where(positioned, state.target_position, position) - position
    # there is no anti-windup, and a change of the target or of the mode resets nothing
    integral = state.integral + error * dt
    rate = (error - state.previous_error) / dt
    rate = rate if m.derivative == "source" else -rate
    output = m.control_p * error + m.control_i * integral + m.control_d * rate
    most = absolute(state.target_velocity)
    wanted = where(positioned, clip(output, -most, most), state.target_velocity)
    change = clip(wanted - state.velocity, -m.acceleration * dt, m.acceleration * dt)
    limited = where(m.acceleration == UNLIMITED, wanted, state.velocity + change)
    controls = (state.available != 0.0) & (state.torque_mode == 0.0)
    counts = controls & positioned
    return state._replace(
        velocity=where(controls, limited, where(in_torque(state), state.velocity, 0.0 * limited)),
        integral=where(counts, integral, state.integral),
        previous_error=where(counts, error, state.previous_error),
    )


def largest_torque(joint: WebotsJoint, state: MotorState) -> Number:
    """What the engine may use to reach the commanded velocity [N·m]."""
    holding = joint.static_friction + 0.0 * state.available
    return where(in_torque(state), holding, maximum(holding, state.available))


# --- the engine


def engine_step(
    joint: WebotsJoint,
    wanted: Number,
    most: Number,
    position: Number,
    velocity: Number,
    inertia: Number,
    load: Number,
    dt: Number,
) -> Engine:
    """One joint on a fixed base through a step of ODE, which takes damper and spring at the end of the step.

    The motor is a constraint: it gives what makes the velocity `wanted - cfm·torque`, within its largest torque.
    """
    damping = joint.damping_constant + joint.brake + dt * joint.spring_constant
    pull = load - joint.spring_constant * position
    row = Row(wanted, joint.cfm, -most, most)
    if joint.min_stop is not None:
        row, push = stop_row(joint, row, most, position, dt)
        pull = pull + push
    heavy = inertia + dt * damping
    needed = (heavy * row.velocity - inertia * velocity - dt * pull) / (dt + row.softness * heavy)
    torque = clip(needed, row.low, row.high)
    return Engine(torque, (inertia * velocity + dt * (torque + pull)) / heavy)


class Row(NamedTuple):
    """A constraint of the engine."""

    velocity: Recorded
    """Velocity to reach [rad/s]."""
    softness: Recorded
    """By how much it is missed per torque [rad/(s·N·m)]."""
    low: Recorded
    """Lowest torque [N·m]."""
    high: Recorded
    """Highest torque [N·m]."""


def stop_row(joint: WebotsJoint, row: Row, most: Number, position: Number, dt: Number) -> tuple[Row, Number]:
    """The constraint at a hard stop, and the motor's torque beside it [N·m].

    ODE has one constraint for both. At a stop it is the stop's, and the motor pushes with all of its torque the way it
    wants to go, or into the stop where it wants to rest.
    """
    low = position <= joint.min_stop
    high = (position >= joint.max_stop) & (position > joint.min_stop)
    behind = position - where(low, joint.min_stop, joint.max_stop)
    way = where(row.velocity == 0.0, where(low, -1.0, 1.0), sign(row.velocity))
    nothing, endless = 0.0 * row.high, float("inf")
    stop = Row(
        where(low | high, -joint.stop_erp / dt * behind, row.velocity),
        where(low | high, joint.stop_cfm, row.softness),
        where(low, nothing, where(high, -endless, row.low)),
        where(low, endless, where(high, nothing, row.high)),
    )
    return stop, where(low | high, way * most, nothing)


def next_position(joint: WebotsJoint, position: Number, velocity: Number, dt: Number) -> Number:
    """Position after a step [rad]. ODE adds the turn to a quaternion, which makes it 2·atan(w·dt/2)."""
    if joint.kind == "slider":
        return position + velocity * dt
    return position + 2.0 * arctan(0.5 * dt * velocity)


def arctan(x: Number) -> Number:
    """The angle of a tangent [rad]: halved three times to less than 0.2, then by its series, to 2e-15."""
    for _ in range(3):
        x = x / (1.0 + sqrt(1.0 + x * x))
    s = x * x
    series = 1 / 17 - s * (1 / 19)
    series = 1 / 9 - s * (1 / 11 - s * (1 / 13 - s * (1 / 15 - s * series)))
    return 8.0 * x * (1.0 - s * (1 / 3 - s * (1 / 5 - s * (1 / 7 - s * series))))


def webots_step(
    m: WebotsMotor, joint: WebotsJoint, state: MotorState, at: JointState, inertia: Number, load: Number, dt: Number
) -> tuple[MotorState, JointState, Number]:
    """Motor and joint after a basic time step, and the torque feedback over it [N·m].

    `inertia` is what the joint moves [kg·m²], `load` the torque on it from elsewhere, such as gravity [N·m].
    """
    state = commanded_velocity(m, state, at.position, dt)
    pushed = load + where(in_torque(state), state.torque, 0.0 * state.torque)
    wanted = where(in_torque(state), 0.0 * state.velocity, state.velocity)
    done = engine_step(joint, wanted, largest_torque(joint, state), at.position, at.velocity, inertia, pushed, dt)
    return state, JointState(next_position(joint, at.position, done.velocity, dt), done.velocity), done.feedback


# --- without physics


def kinematic_step(
    m: WebotsMotor, state: MotorState, position: Number, dt: Number
) -> tuple[MotorState, Number, Number]:
    """State, position [rad] and direction (-1, 0, 1) after a step of a joint whose end point has no Physics.

    The torque stands for an acceleration there, and nothing slows down before the target.
    """
    target, asked = state.target_position, state.target_velocity
    positioned = isfinite(target)
    bounded = m.min_position != m.max_position
    outside = ((position >= m.max_position) & (asked >= 0.0)) | ((position <= m.min_position) & (asked <= 0.0))
    near = absolute(where(positioned, target, 0.0 * position) - position) < THRESHOLD
    rests = where(positioned, near, bounded & outside)
    unlimited = (m.acceleration == UNLIMITED) | (m.acceleration > state.available)
    gain = where(unlimited, state.available, m.acceleration) * dt
    short = asked - state.velocity
    faster = state.velocity + clip(short, -gain, gain)
    velocity = where(absolute(short) > THRESHOLD, faster, state.velocity)
    up = target > position
    there = where(up, minimum(position + velocity * dt, target), maximum(position - velocity * dt, target))
    after = state._replace(velocity=where(rests, 0.0 * velocity, velocity))
    way = where(rests, 0.0 * velocity, where(up, 1.0 + 0.0 * velocity, -1.0 + 0.0 * velocity))
    return after, where(rests, position, there), way


def imposed_torque(
    joint: WebotsJoint, wanted: Number, most: Number, position: Number, velocity: Number, load: Number
) -> Number:
    """The motor's torque under prescribed motion, as with an infinitely heavy load [N·m].

    All of it goes towards the wanted velocity; at that velocity it is what keeps it.
    """
    damping = joint.damping_constant + joint.brake
    keeps = damping * velocity + joint.spring_constant * position - load
    return where(velocity == wanted, clip(keeps, -most, most), sign(wanted - velocity) * most)


def propeller_effort(velocity: Number, thrust: Number, torque: Number, max_torque: Number) -> Number:
    """What a propeller at a speed [rad/s] pays for: its thrust [N] plus its torque [N·m], in air at rest.

    `thrust` [N·s²] and `torque` [N·m·s²] are its constants per square of the speed.
    """
    square = velocity * velocity
    return absolute(thrust) * square + minimum(absolute(torque) * square, max_torque + 0.0 * square)
