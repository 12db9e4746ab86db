"""The chain: from a command through delay, slew and controller to the motor, or to a joint torque where there is none.

`receive` runs once per step: it looks a command over and lets it travel. What the controller makes of it may run
several times per step, each time with the joint a little further on.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

from ..physics import state as names
from ..physics.drive import Demand
from ..physics.limits import clip
from ..physics.ops import absolute, alike, as_bits, expm1, isfinite, maximum, minimum, sign, stored, where
from ..physics.state import OUTPUTS, Output, State
from ..physics.step import coupled as motor_coupled
from ..physics.step import held as motor_held
from .command import TARGETS, TORQUE, VELOCITY, VOLTAGE, Command
from .control import Asked, ideal_pd, integrated, position_pid, slewed, torque_pid, velocity_pi
from .controllers import (
    DutyServo,
    IdealPd,
    ModeSelector,
    PositionPid,
    Torque,
    TorquePid,
    VelocityPi,
    Voltage,
    bandwidth_of,
)
from .delay import Draws, arrived, first_phase, next_lag
from .joint_friction import tanh_friction, tanh_friction_per_speed, tanh_friction_slope
from .learned.learned import LearnedController
from .learned.learned import asked as network_asks
from .torque_limits import DcClip, dc_slope, narrowed, tightest


def changed(part: Any, **changes: Any) -> Any:
    """A copy of a state, command or output with some fields changed."""
    return type(part)(**{entry.name: changes.get(entry.name, getattr(part, entry.name)) for entry in fields(part)})


# --- what arrives


def receive(actuator, state: State, command, position, velocity, dt, draws: Draws | None):
    """The command as the controller sees it, the limits that acted on it, and the state with this one under way."""
    controller = actuator.controller
    if not isinstance(command, Command):
        command = Command(**{controller.main: command})
    command, flags = valid(command, position)
    if actuator.command_range is not None:
        command, flags = ranged(controller.main, command, actuator.command_range, flags)
    if state.clock is None:
        return command, flags, state
    state = started(actuator, state, position, velocity)
    if actuator.delay is not None:
        command, state = travel(actuator, state, command, dt, draws)
    return command, flags, changed(state, clock=state.clock + 1)


def valid(command: Command, position):
    """The command with what is no finite number replaced: hold the position, and zero of the rest."""
    good, kept = None, {}
    for name in TARGETS:
        target = getattr(command, name)
        if target is None:
            continue
        fine = isfinite(target)
        kept[name] = where(fine, target, position if name == "position" else 0.0)
        good = fine if good is None else good & fine
    return changed(command, **kept), 0 if good is None else where(good, 0, names.INVALID)


def ranged(main: str, command: Command, limits, flags):
    """The command with its main input within the range that the actuator takes."""
    target = getattr(command, main)
    if target is None:
        return command, flags
    within = clip(target, limits[0], limits[1])
    acts = absolute(within - target) > 0.0
    return changed(command, **{main: within}), flags + where(acts, names.COMMAND, 0)


def started(actuator, state: State, position, velocity) -> State:
    """The state with what a controller begins with in its first step: where the joint is, and how fast it goes."""
    first, fresh = state.clock == 0, {}
    main = actuator.controller.main
    if state.setpoint is not None:
        begin = {"position": position, "velocity": velocity}.get(main, 0.0)
        fresh["setpoint"] = where(first, begin, state.setpoint)
    if state.integral is not None and moving_target(actuator.controller):
        fresh["integral"] = where(first, position, state.integral)
    if state.held_position is not None:
        fresh["held_position"] = where(first, position, state.held_position)
    if state.phase is not None:
        fresh["phase"] = alike(where(first, first_phase(actuator.delay, state.key), state.phase), state.phase)
    return changed(state, **fresh)


def moving_target(controller) -> bool:
    """Whether the integral is a target that moves on, rather than an error that adds up."""
    if isinstance(controller, ModeSelector):
        return True
    return isinstance(controller, VelocityPi) or getattr(controller, "follows", None) == "velocity"


def travel(actuator, state: State, command: Command, dt, draws: Draws | None):
    """The command that arrives in this step, and the state with the present one under way."""
    delay = actuator.delay
    lag, aim = next_lag(delay, state, dt, draws)
    arrives, lines = {}, {}
    head = after = state.head
    for name in actuator.delayed:
        target, line = getattr(command, name), getattr(state, f"{name}_line")
        if target is None:
            continue
        line = stored(line, head, alike(target, line[0]))
        resting = state.held_position if name == "position" else 0.0
        lines[f"{name}_line"] = line
        arrives[name] = arrived(delay, line, head, lag, state.clock, resting)
        after = (head + 1) % len(line)
    if not lines:
        return command, state
    if state.lag is not None:
        lines["lag"] = alike(lag, state.lag)
    if state.aim is not None:
        lines["aim"] = alike(aim, state.aim)
    return changed(command, **arrives), changed(state, head=after, **lines)


# --- what is asked


@dataclass(frozen=True)
class Decision:
    """What a controller decides: a demand on the drive, or a torque where there is no motor."""

    demand: Any
    """`Demand` on the drive; None without a motor."""
    torque: Any
    """Joint torque that is `Asked` for; None with a motor."""
    state: State
    """The state with the setpoint after this turn; the integral is still to be settled."""
    flags: Any
    """Limits that acted so far."""
    rate: Any = None
    """How fast the integral goes on, before anything stops it; None: it rests."""
    full: Any = None
    """Where a limit in front of the motor acts and the integral would only ask for more; None: nowhere."""


def decide(actuator, state: State, command: Command, flags, position, velocity, dt) -> Decision:
    """One turn of the control loop."""
    controller = actuator.controller
    if state.setpoint is not None:
        command, state, flags = slew(actuator, state, command, flags, dt)
    if isinstance(controller, ModeSelector):
        return select(actuator, controller, state, command, flags, position, velocity, dt)
    if isinstance(controller, LearnedController):
        return learned(controller, state, command, flags, position, velocity)
    asked, in_volts = ask(controller, state, command, position, velocity)
    if actuator.motor is None:
        return Decision(None, asked, state, flags, asked.rate, beyond_limits(actuator, asked, position, velocity))
    full = None
    if not in_volts:
        demand = torque_demand(actuator, state, asked, flags, velocity, dt)
    elif isinstance(controller, DutyServo):
        demand, flags, full = duty_demand(actuator, controller, asked, flags)
    else:
        demand = volt_demand(actuator, asked, flags)
    demand = bounded(actuator, demand, position, velocity)
    return Decision(demand, None, state, flags, asked.rate, full)


def learned(controller: LearnedController, state: State, command: Command, flags, position, velocity) -> Decision:
    """A torque that a network asks for; in the first step after a reset the clock has just left 0."""
    remembered, torque = network_asks(controller, state, command.position - position, velocity, state.clock == 1)
    return Decision(None, Asked(torque), changed(state, **remembered), flags)


def slew(actuator, state: State, command: Command, flags, dt):
    """The main input after the slew limit."""
    main = actuator.controller.main
    target = getattr(command, main)
    if target is None:
        return command, state, flags
    setpoint = slewed(target, state.setpoint, actuator.slew, dt)
    flags = flags | where(absolute(setpoint - target) > 0.0, names.SLEW, 0)
    return changed(command, **{main: setpoint}), changed(state, setpoint=alike(setpoint, state.setpoint)), flags


def ask(controller, state: State, command: Command, position, velocity) -> tuple[Asked, bool]:
    """What a controller asks for, and whether that is in volts."""
    if isinstance(controller, (PositionPid, DutyServo)):
        return position_pid(controller, command.position, state.integral, position, velocity), True
    if isinstance(controller, VelocityPi):
        return velocity_pi(controller, command.velocity, state.integral, position, velocity), True
    if isinstance(controller, TorquePid):
        return torque_pid(controller, command, state.integral, position, velocity), False
    if isinstance(controller, IdealPd):
        return ideal_pd(controller, command, position, velocity), False
    if isinstance(controller, Torque):
        return Asked(command.effort), False
    return Asked(command.voltage), True


def volt_demand(actuator, asked: Asked, flags) -> Demand:
    """A voltage for the drive; slopes are brought from the joint to the rotor."""
    volts, ratio = asked.amount, actuator.motor.ratio
    per_joint = 1.0 / ratio
    if actuator.motor.gearbox is not None and not isinstance(actuator.controller, Voltage):
        # a loop around gears that turn the other way is wired with its poles swapped
        volts, per_joint = sign(ratio) * volts, 1.0 / absolute(ratio)
    return Demand(
        volts,
        per_speed=asked.per_velocity * per_joint,
        per_angle=asked.per_position * per_joint,
        voltage_limit=actuator.voltage_limit,
        limit=flags,
    )


def duty_demand(actuator, servo: DutyServo, asked: Asked, flags):
    """A duty of the bus, within the PWM limit and under the current limiter."""
    duty = clip(asked.amount, -servo.pwm_limit, servo.pwm_limit)
    beyond = absolute(duty - asked.amount) > 0.0
    flags = flags + where(beyond, names.VOLTAGE, 0)
    # a duty at its limit no longer follows the joint
    bus = actuator.supply.voltage
    follows = where(beyond, 0.0 * duty, bus)
    volts = Asked(duty * bus, follows * asked.per_velocity, follows * asked.per_position)
    demand = volt_demand(actuator, volts, flags)
    full = None if asked.rate is None else beyond & (asked.amount * asked.rate > 0.0)
    if servo.current_limit is None:
        return demand, flags, full
    return changed(demand, low_current=-servo.current_limit, high_current=servo.current_limit), flags, full


def torque_demand(actuator, state: State, asked: Asked, flags, velocity, dt) -> Demand:
    """A joint torque for the drive, through a current loop where there is one."""
    bandwidth = bandwidth_of(actuator.controller)
    if bandwidth is None:
        return compensated(actuator, asked, flags, velocity)
    return looped(actuator, bandwidth, state, asked, flags, dt)


def compensated(actuator, asked: Asked, flags, velocity) -> Demand:
    """The voltage of a joint torque at rest and the back-EMF on top: v = R/Kt·torque/N + Ke·w, with the cold R."""
    motor = actuator.motor
    ohms, constant = motor.winding.resistance, motor.magnet.back_emf_constant
    per_torque = ohms / (motor.magnet.torque_constant * motor.ratio)
    per_joint = per_torque / motor.ratio
    return Demand(
        per_torque * asked.amount + constant * motor.ratio * velocity,
        per_speed=per_joint * asked.per_velocity + constant,
        per_angle=per_joint * asked.per_position,
        voltage_limit=actuator.voltage_limit,
        limit=flags,
    )


def looped(actuator, bandwidth, state: State, asked: Asked, flags, dt) -> Demand:
    """The aim of a first-order current loop, which closes a share 1 - exp(-bandwidth·dt) of the gap within the step."""
    motor = actuator.motor
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


def bounded(actuator, demand: Demand, position, velocity) -> Demand:
    """The demand with the torque limits of the joint as bounds of the current."""
    if not actuator.limits:
        return demand
    motor = actuator.motor
    low, high = tightest(actuator.limits, position, velocity)
    per_torque = 1.0 / (motor.magnet.torque_constant * motor.ratio)
    # a gear that turns the other way swaps them
    first, second = low * per_torque, high * per_torque
    low, high = minimum(first, second), maximum(first, second)
    if demand.low_current is not None:
        low, high = narrowed(low, high, demand.low_current, demand.high_current)
    return changed(demand, low_current=low, high_current=high)


SATURATED = names.VOLTAGE | names.CURRENT | names.TORQUE
"""Limits at which a motor cannot give what is asked."""


def settle(actuator, decision: Decision, state: State, out: Output, position, dt) -> State:
    """The state with the integral after this turn, which rests where a limit acts and it would only ask for more."""
    if state.integral is None or decision.rate is None:
        return state
    controller: Any = actuator.controller
    if isinstance(controller, ModeSelector):
        controller = controller.velocity
    stopped = None
    if controller.freeze_at_limit:
        stopped = decision.full
        if actuator.motor is not None:
            missing = out.torque_requested - actuator.motor.ratio * out.motor_torque
            short = (out.limit & SATURATED > 0) & (missing * decision.rate > 0.0)
            stopped = short if stopped is None else stopped | short
    centre = position if moving_target(controller) else 0.0
    after = integrated(state.integral, decision.rate, centre, controller.integral_limit, stopped, dt)
    return changed(state, integral=alike(after, state.integral))


def beyond_limits(actuator, asked: Asked, position, velocity):
    """Where a torque is beyond the limits of a joint without a motor and its integral would only ask for more."""
    if asked.rate is None or not actuator.limits:
        return None
    low, high = tightest(actuator.limits, position, velocity)
    return ((asked.amount > high) & (asked.rate > 0.0)) | ((asked.amount < low) & (asked.rate < 0.0))


def select(
    actuator, controller: ModeSelector, state: State, command: Command, flags, position, velocity, dt
) -> Decision:
    """Torque, voltage or velocity, each motor by its mode; torque before voltage before velocity."""
    mode = command.mode
    if mode is None:
        mode = TORQUE if command.effort is not None else VOLTAGE if command.voltage is not None else VELOCITY
    by_torque, by_velocity = mode == TORQUE, mode == VELOCITY
    nothing = 0.0 * position
    volts = nothing if command.voltage is None else command.voltage
    per_speed, per_angle, asked = 0.0, 0.0, None
    if controller.velocity is not None and command.velocity is not None:
        asked, in_volts = ask(controller.velocity, state, Command(velocity=command.velocity), position, velocity)
        running = volt_demand(actuator, asked, flags) if in_volts else compensated(actuator, asked, flags, velocity)
        volts = where(by_velocity, running.voltage, volts)
        per_speed = where(by_velocity, running.per_speed, nothing)
        per_angle = where(by_velocity, running.per_angle, nothing)
    effort = Asked(nothing if command.effort is None else command.effort)
    turning = torque_demand(actuator, state, effort, flags, velocity, dt)
    if turning.current is None:
        demand = changed(
            turning,
            voltage=where(by_torque, turning.voltage, volts),
            per_speed=where(by_torque, turning.per_speed + nothing, per_speed),
            per_angle=per_angle,
        )
    else:
        demand = changed(turning, voltage=volts, per_speed=per_speed, per_angle=per_angle, by_current=by_torque)
    rate = None
    if state.integral is not None:
        # outside velocity mode the moving target goes along with the joint, so that nothing adds up
        along = velocity if asked is None else where(by_velocity, 0.0, velocity)
        state = changed(state, integral=alike(state.integral + along * dt, state.integral))
        rate = None if asked is None else where(by_velocity, asked.rate, 0.0)
    return Decision(bounded(actuator, demand, position, velocity), None, state, flags, rate)


# --- one step


def held(actuator, state: State, command, position, velocity, dt, load_torque=None, load_inertia=None, draws=None):
    """New state and output for a joint position and velocity that a host holds over the step."""
    command, flags, state = receive(actuator, state, command, position, velocity, dt, draws)
    turns = actuator.substeps
    short = dt / turns
    outs = []
    for turn in range(turns):
        # the joint goes on at its speed while the loop turns
        here = position if turn == 0 else position + (turn * short) * velocity
        state, out = turn_held(actuator, state, command, flags, here, velocity, short, load_torque, load_inertia)
        outs.append(out)
    out = outs[0] if turns == 1 else averaged(outs)
    return state, changed(out, limit=as_bits(out.limit))


def turn_held(actuator, state: State, command, flags, position, velocity, dt, load_torque, load_inertia):
    """One turn of the control loop and the motor."""
    decision = decide(actuator, state, command, flags, position, velocity, dt)
    if actuator.motor is None:
        out = joint_output(actuator, decision, position, velocity)
        return settle(actuator, decision, decision.state, out, position, dt), out
    state, out = motor_held(
        actuator, decision.state, decision.demand, position, velocity, dt, load_torque, load_inertia
    )
    return metered(settle(actuator, decision, state, out, position, dt), out, dt)


def coupled(actuator, state: State, command, flags, position, velocity, dt, load_torque, load_inertia, load_slope):
    """New state, joint velocity at the end and output of one turn together with a load, after `receive`."""
    decision = decide(actuator, state, command, flags, position, velocity, dt)
    if actuator.motor is None:
        return joint_coupled(actuator, decision, position, velocity, dt, load_torque, load_inertia, load_slope)
    state, velocity, out = motor_coupled(
        actuator, decision.state, decision.demand, position, velocity, dt, load_torque, load_inertia, load_slope
    )
    state, out = metered(settle(actuator, decision, state, out, position, dt), out, dt)
    return state, velocity, out


def metered(state: State, out: Output, dt):
    """State and output with the electrical energy of the step counted."""
    if state.energy is None:
        return state, out
    energy = state.energy + out.electrical_power * dt
    return changed(state, energy=energy), changed(out, electrical_energy=energy)


AT_THE_END = (
    "voltage", "current", "back_emf", "winding_temperature", "housing_temperature", "rotor_speed", "bus_voltage",
    "torque_slope", "torque_stiffness", "electrical_energy",
)  # fmt: skip
"""What is reported as it is after the last turn; all else is the mean over the turns."""


def averaged(outs: list[Output]) -> Output:
    """One output for several turns."""
    merged = {}
    for name in OUTPUTS:
        values = [getattr(out, name) for out in outs]
        if values[0] is None or name in AT_THE_END:
            merged[name] = values[-1]
        elif name == "limit":
            flags = values[0]
            for more in values[1:]:
                flags = flags | more
            merged["limit"] = flags
        else:
            merged[name] = sum(values) * (1.0 / len(values))
    return Output(**merged)


# --- without a motor


def limited_torque(actuator, asked: Asked, position, velocity):
    """The joint torque within its limits, how fast it falls with speed and with position, and the flag of the limit."""
    torque, slope, stiffness, flag = asked.amount, -asked.per_velocity, -asked.per_position, 0
    if actuator.limits:
        low, high = tightest(actuator.limits, position, velocity)
        torque = clip(torque, low, high)
        acts = absolute(torque - asked.amount) > 0.0
        flag = where(acts, names.TORQUE, 0)
        nothing = slanted = 0.0 * torque
        if len(actuator.limits) == 1 and isinstance(actuator.limits[0], DcClip):
            flat = absolute(torque) >= actuator.limits[0].effort_limit
            slanted = where(flat, nothing, dc_slope(velocity, actuator.limits[0]))
        slope, stiffness = where(acts, slanted, slope), where(acts, nothing, stiffness)
    return torque, slope, stiffness, flag


def joint_output(actuator, decision: Decision, position, velocity) -> Output:
    """Torque and telemetry of an actuator without a motor."""
    asked = decision.torque
    torque, slope, stiffness, flag = limited_torque(actuator, asked, position, velocity)
    if actuator.friction is not None:
        torque = torque - tanh_friction(velocity, actuator.friction)
        slope = slope + tanh_friction_slope(velocity, actuator.friction)
    return Output(
        torque=torque,
        torque_requested=asked.amount,
        torque_slope=slope,
        torque_stiffness=stiffness,
        mechanical_power=torque * velocity,
        limit=decision.flags | flag,
    )


def joint_coupled(actuator, decision: Decision, position, velocity, dt, load_torque, load_inertia, load_slope):
    """The torque taken at the end of the step, so that any gain is stable at any dt.

    J·(v1 - v0) = dt·(torque(v0) - slope·(v1 - v0) - stiffness·dt·v1 + load)
    """
    out = joint_output(actuator, decision, position, velocity)
    slope = out.torque_slope
    if actuator.friction is not None:
        # friction goes down to 0 with the speed, where its slope would carry it past
        slope = slope - tanh_friction_slope(velocity, actuator.friction)
        slope = slope + tanh_friction_per_speed(velocity, actuator.friction)
    inertia = load_inertia + dt * (slope + load_slope) + dt * dt * out.torque_stiffness
    push = out.torque + load_torque - dt * out.torque_stiffness * velocity
    end = velocity + dt * push / inertia
    torque = out.torque - slope * (end - velocity) - dt * out.torque_stiffness * end
    state = settle(actuator, decision, decision.state, out, position, dt)
    return state, end, changed(out, torque=torque, mechanical_power=torque * end)
