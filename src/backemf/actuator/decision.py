"""What is decided: one substep of a control loop, as a demand on the drive or as a joint torque."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ..motor import Motor
from ..physics import state as names
from ..physics.circuit import flux_of
from ..physics.command import TORQUE, VELOCITY, Command
from ..physics.current_limits import JointBounds, SlantedBounds
from ..physics.demand import Demand
from ..physics.ops import absolute, alike, change, expm1, maximum, minimum, sign, where
from ..physics.state import Output, State
from ..values import Bits, Maybe, Number
from .arrival import mode_of
from .bridge import through_bridge
from .control import LAWS, Asked, next_integral, slew_limit
from .controllers import DutyServo, ModeSelector
from .controllers.learned import LearnedController, learned_torque
from .limit_lines import limit_lines
from .limit_slopes import tightest_slopes
from .torque_limits import tightest

if TYPE_CHECKING:
    from .actuator import Actuator
    from .controllers.controller import Controller


@dataclass(frozen=True)
class Decision:
    """What a controller decides: a demand on the drive, or a torque where there is no motor."""

    demand: Demand | None
    """`Demand` on the drive; None without a motor."""
    torque: Asked | None
    """Joint torque that is `Asked` for; None with a motor."""
    state: State
    """The state with the setpoint after this substep; the integral is still to be settled."""
    flags: Bits
    """Limits that acted so far."""
    rate: Maybe = None
    """How fast the integral goes on, before anything stops it; None: it rests."""
    full: Bits | None = None
    """Where a limit in front of the motor acts and the integral would only ask for more; None: nowhere."""


def decide(
    actuator: Actuator, state: State, command: Command, flags: Bits, position: Number, velocity: Number, dt: Number
) -> Decision:
    """One substep of the control loop, after which nothing is fresh any more."""
    decision = controller_decision(actuator, state, command, flags, position, velocity, dt)
    if state.fresh is None:
        return decision
    return change(decision, state=change(decision.state, fresh=0.0 * state.fresh))


def controller_decision(
    actuator: Actuator, state: State, command: Command, flags: Bits, position: Number, velocity: Number, dt: Number
) -> Decision:
    """What the controller makes of a command."""
    controller: Any = actuator.controller
    if state.setpoint is not None:
        command, state, flags = slew(actuator, state, command, flags, dt)
    if controller.asks == "mode":
        return select(actuator, controller, state, command, flags, position, velocity, dt)
    if controller.asks == "network":
        return network_decision(controller, state, command, flags, position, velocity)
    asked = ask(controller, state, command, position, velocity)
    if actuator.motor is None:
        return Decision(None, asked, state, flags, asked.rate, beyond_limits(actuator, asked, position, velocity))
    full = None
    if controller.asks == "torque":
        demand = torque_demand(actuator, state, asked, flags, velocity, dt)
    elif controller.asks == "duty":
        demand, flags, full = duty_demand(actuator, controller, asked, flags)
    else:
        demand = volt_demand(actuator, asked, flags)
    demand = through_bridge(actuator, with_joint_bounds(actuator, demand, state, position, velocity), command.enable)
    return Decision(demand, None, state, flags, resting_rate(asked.rate, demand), full)


def resting_rate(rate: Maybe, demand: Demand) -> Maybe:
    """How fast the integral goes on: not at all where the bridge is off."""
    return rate if rate is None or demand.off is None else where(demand.off, 0.0 * rate, rate)


def network_decision(
    controller: LearnedController, state: State, command: Command, flags: Bits, position: Number, velocity: Number
) -> Decision:
    """A torque that a network asks for."""
    assert command.position is not None
    remembered, torque = learned_torque(controller, state, command.position - position, velocity, state.fresh > 0)
    return Decision(None, Asked(torque), change(state, **remembered), flags)


def slew(actuator: Actuator, state: State, command: Command, flags: Bits, dt: Number) -> tuple[Command, State, Bits]:
    """The main input after the slew limit."""
    main = actuator.controller.main
    target = getattr(command, main)
    if target is None or actuator.slew is None:
        return command, state, flags
    setpoint = slew_limit(target, state.setpoint, actuator.slew, dt)
    flags = flags | where(absolute(setpoint - target) > 0.0, names.SLEW, 0)
    return change(command, **{main: setpoint}), change(state, setpoint=alike(setpoint, state.setpoint)), flags


def ask(controller: Controller, state: State, command: Command, position: Number, velocity: Number) -> Asked:
    """What a controller asks for, in the unit of `controller.asks`."""
    return LAWS[type(controller)](controller, command, state.integral, position, velocity)


def motor_of(actuator: Actuator) -> Motor:
    """The motor, which is there where something is asked of a drive."""
    assert actuator.motor is not None
    return actuator.motor


def volt_demand(actuator: Actuator, asked: Asked, flags: Bits) -> Demand:
    """A voltage for the drive; slopes are brought from the joint to the rotor."""
    motor = motor_of(actuator)
    volts, ratio = asked.amount, motor.ratio
    per_joint = 1.0 / ratio
    if motor.gearbox is not None and actuator.controller.inputs != ("voltage",):
        # a loop around gears that turn the other way is wired with its poles swapped
        volts, per_joint = sign(ratio) * volts, 1.0 / absolute(ratio)
    return Demand(
        volts,
        per_speed=asked.per_velocity * per_joint,
        per_angle=asked.per_position * per_joint,
        voltage_limit=actuator.voltage_limit,
        limit=flags,
    )


def duty_demand(actuator: Actuator, servo: DutyServo, asked: Asked, flags: Bits) -> tuple[Demand, Bits, Bits | None]:
    """A duty of the bus, within the PWM limit and under the current limiter."""
    assert actuator.supply is not None
    bus = actuator.supply.voltage
    demand = volt_demand(actuator, Asked(asked.amount * bus, bus * asked.per_velocity, bus * asked.per_position), flags)
    full = None
    if asked.rate is not None:
        full = (absolute(asked.amount) > servo.pwm_limit) & (asked.amount * asked.rate > 0.0)
    return change(demand, current_limit=servo.current_limit, duty_limit=servo.pwm_limit), flags, full


def torque_demand(actuator: Actuator, state: State, asked: Asked, flags: Bits, velocity: Number, dt: Number) -> Demand:
    """A joint torque for the drive, through a current loop where there is one."""
    bandwidth = actuator.controller.bandwidth
    if bandwidth is None:
        return compensating_demand(actuator, state, asked, flags, velocity)
    return current_loop_demand(actuator, bandwidth, state, asked, flags, dt)


def compensating_demand(actuator: Actuator, state: State, asked: Asked, flags: Bits, velocity: Number) -> Demand:
    """The voltage of a joint torque at rest and the back-EMF on top: v = R/Kt·torque/N + Ke·w.

    The drive knows R and Kt of the data sheet. The back-EMF it sees as it is: a magnet that is hot gives less.
    """
    motor = motor_of(actuator)
    ohms = motor.winding.resistance
    constant = motor.magnet.back_emf_constant * flux_of(motor, state)
    per_torque = ohms / (motor.magnet.torque_constant * motor.ratio)
    per_joint = per_torque / motor.ratio
    return Demand(
        per_torque * asked.amount + constant * motor.ratio * velocity,
        per_speed=per_joint * asked.per_velocity + constant,
        per_angle=per_joint * asked.per_position,
        voltage_limit=actuator.voltage_limit,
        limit=flags,
    )


def current_loop_demand(
    actuator: Actuator, bandwidth: Number, state: State, asked: Asked, flags: Bits, dt: Number
) -> Demand:
    """The aim of a first-order current loop, which closes a share 1 - exp(-bandwidth·dt) of the gap within the step."""
    motor = motor_of(actuator)
    per_torque = 1.0 / (motor.magnet.torque_constant * motor.ratio)
    share = -expm1(-bandwidth * dt)
    per_joint = share * per_torque / motor.ratio
    return Demand(
        None,
        current=state.current + share * (asked.amount * per_torque - state.current),
        per_speed=per_joint * asked.per_velocity,
        per_angle=per_joint * asked.per_position,
        voltage_limit=actuator.voltage_limit,
        limit=flags,
    )


def with_joint_bounds(actuator: Actuator, demand: Demand, state: State, position: Number, velocity: Number) -> Demand:
    """The demand with the torque limits of the joint as bounds of the current.

    Behind backlash they are those of the rotor's speed, which is the one that the drive measures.
    """
    if not actuator.limits:
        return demand
    if state.rotor_speed is not None:
        velocity = state.rotor_speed / motor_of(actuator).ratio
    return change(demand, joint=joint_bounds(actuator, position, velocity))


def joint_bounds(actuator: Actuator, position: Number, velocity: Number) -> JointBounds:
    """The torque limits of the joint as bounds of the current; a gear that turns the other way swaps them."""
    motor = motor_of(actuator)
    per_torque = 1.0 / (motor.magnet.torque_constant * motor.ratio)
    per_slope = absolute(per_torque / motor.ratio)

    def pair(low: Number, high: Number) -> tuple[Number, Number]:
        first, second = low * per_torque, high * per_torque
        return minimum(first, second), maximum(first, second)

    low, high = tightest(actuator.limits, position, velocity)
    low_slope, high_slope = tightest_slopes(actuator.limits, position, velocity)
    lines = limit_lines(actuator.limits, position, velocity)
    return JointBounds(
        *pair(low, high),
        where(per_torque > 0.0, low_slope, high_slope) * per_slope,
        where(per_torque > 0.0, high_slope, low_slope) * per_slope,
        tuple(
            SlantedBounds(
                *pair(s.low, s.high),
                where(per_torque > 0.0, s.low_fall, s.high_fall) * per_slope,
                where(per_torque > 0.0, s.high_fall, s.low_fall) * per_slope,
                s.floor * absolute(per_torque),
                s.to_zero,
            )
            for s in lines.slants
        ),
        *pair(lines.low, lines.high),
    )


SATURATED = names.VOLTAGE | names.CURRENT | names.TORQUE
"""Limits at which a motor cannot give what is asked."""


def settle(actuator: Actuator, decision: Decision, state: State, out: Output, position: Number, dt: Number) -> State:
    """The state with the integral after this substep, which rests where a limit acts and it would only ask for more."""
    if state.integral is None or decision.rate is None:
        return state
    controller: Any = actuator.controller
    if controller.asks == "mode":
        controller = controller.velocity
    stopped = None
    if controller.freeze_at_limit:
        stopped = decision.full
        if actuator.motor is not None:
            missing = out.torque_requested - actuator.motor.ratio * out.motor_torque
            short = (out.limit & SATURATED > 0) & (missing * decision.rate > 0.0)
            stopped = short if stopped is None else stopped | short
    centre = position if controller.moving_target else 0.0
    after = next_integral(state.integral, decision.rate, centre, controller.integral_limit, stopped, dt)
    return change(state, integral=alike(after, state.integral))


def beyond_limits(actuator: Actuator, asked: Asked, position: Number, velocity: Number) -> Bits | None:
    """Where a torque is beyond the limits of a joint without a motor and its integral would only ask for more."""
    if asked.rate is None or not actuator.limits:
        return None
    low, high = tightest(actuator.limits, position, velocity)
    return ((asked.amount > high) & (asked.rate > 0.0)) | ((asked.amount < low) & (asked.rate < 0.0))


def select(
    actuator: Actuator, controller: ModeSelector, state: State, command: Command, flags: Bits, position: Number,
    velocity: Number, dt: Number,
) -> Decision:  # fmt: skip
    """Torque, voltage or velocity, each motor by its mode; torque before voltage before velocity."""
    mode = mode_of(command)
    by_torque, by_velocity = mode == TORQUE, mode == VELOCITY
    nothing = 0.0 * position
    volts = nothing if command.voltage is None else command.voltage
    per_speed, per_angle, asked = 0.0, 0.0, None
    if controller.velocity is not None and command.velocity is not None:
        asked = ask(controller.velocity, state, Command(velocity=command.velocity), position, velocity)
        if controller.velocity.asks == "voltage":
            running = volt_demand(actuator, asked, flags)
        else:
            running = compensating_demand(actuator, state, asked, flags, velocity)
        volts = where(by_velocity, running.voltage, volts)
        per_speed = where(by_velocity, running.per_speed, nothing)
        per_angle = where(by_velocity, running.per_angle, nothing)
    effort = Asked(nothing if command.effort is None else command.effort)
    turning = torque_demand(actuator, state, effort, flags, velocity, dt)
    if turning.current is None:
        demand = change(
            turning,
            voltage=where(by_torque, turning.voltage, volts),
            per_speed=where(by_torque, turning.per_speed + nothing, per_speed),
            per_angle=per_angle,
        )
    else:
        demand = change(turning, voltage=volts, per_speed=per_speed, per_angle=per_angle, by_current=by_torque)
    rate = None
    if state.integral is not None:
        # outside velocity mode the moving target goes along with the joint, so that nothing adds up
        along = velocity if asked is None else where(by_velocity, 0.0, velocity)
        state = change(state, integral=alike(state.integral + along * dt, state.integral))
        rate = None if asked is None else where(by_velocity, asked.rate, 0.0)
    demand = through_bridge(actuator, with_joint_bounds(actuator, demand, state, position, velocity), command.enable)
    return Decision(demand, None, state, flags, resting_rate(rate, demand))
