"""What arrives: a command is looked over, kept within its range, and travels for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..physics import state as names
from ..physics.command import TARGETS, TORQUE, VELOCITY, VOLTAGE, Command
from ..physics.limits import clip
from ..physics.ops import absolute, alike, change, isfinite, store, usually, where
from ..physics.state import State
from ..values import Bits, Number
from .controllers import ModeSelector
from .delay import Delay, Draws, arriving_target, first_phase, next_lag

if TYPE_CHECKING:
    from .actuator import Actuator


def receive(
    actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number, dt: Number,
    draws: Draws | None,
) -> tuple[Command, Bits, State]:  # fmt: skip
    """The command as the controller sees it, the limits that acted on it, and the state with this one under way."""
    controller = actuator.controller
    told = command if isinstance(command, Command) else Command(**{controller.main: command})
    told, flags = valid(told, position)
    if actuator.command_range is not None:
        told, flags = clip_to_range(controller.main, told, actuator.command_range, flags)
    state = begin_with_joint(actuator, state, position, velocity)
    if actuator.delay is None:
        return told, flags, state
    told, state = travel(actuator, actuator.delay, state, told, dt, draws)
    return told, flags, change(state, clock=state.clock + 1)


def valid(command: Command, position: Number) -> tuple[Command, Bits]:
    """The command with what is not finite replaced: hold the position, zero of the rest, and a bridge that is off."""
    good, kept = None, {}
    for name in TARGETS:
        target = getattr(command, name)
        if target is None:
            continue
        fine = isfinite(target)
        kept[name] = usually(fine, target, position if name == "position" else 0.0)
        good = fine if good is None else good & fine
    if command.enable is not None:
        # what is not known is off
        fine = isfinite(command.enable)
        kept["enable"] = where(fine, command.enable, 0)
        good = fine if good is None else good & fine
    return change(command, **kept), 0 if good is None else where(good, 0, names.INVALID)


def clip_to_range(main: str, command: Command, limits: tuple[Number, Number], flags: Bits) -> tuple[Command, Bits]:
    """The command with its main input within the range that the actuator takes."""
    target = getattr(command, main)
    if target is None:
        return command, flags
    within = clip(target, limits[0], limits[1])
    acts = absolute(within - target) > 0.0
    return change(command, **{main: within}), flags + where(acts, names.COMMAND, 0)


def begin_with_joint(actuator: Actuator, state: State, position: Number, velocity: Number) -> State:
    """The state with what begins with the first step: where the joint is, and how fast it goes."""
    begun = {}
    if state.fresh is not None:
        first = state.fresh > 0
        if state.setpoint is not None:
            begin = {"position": position, "velocity": velocity}.get(actuator.controller.main, 0.0)
            begun["setpoint"] = where(first, begin, state.setpoint)
        if state.integral is not None and actuator.controller.moving_target:
            begun["integral"] = where(first, position, state.integral)
    if state.held_position is not None:
        begun["held_position"] = where(state.clock == 0, position, state.held_position)
    if state.phase is not None and actuator.delay is not None:
        phase = where(state.clock == 0, first_phase(actuator.delay, state.key), state.phase)
        begun["phase"] = alike(phase, state.phase)
    return change(state, **begun) if begun else state


def travel(
    actuator: Actuator, delay: Delay, state: State, command: Command, dt: Number, draws: Draws | None
) -> tuple[Command, State]:
    """The command that arrives in this step, and the state with the present one under way."""
    head = state.head
    lag, aim = next_lag(delay, state, dt, draws)
    if isinstance(actuator.controller, ModeSelector):
        command = change(command, mode=mode_of(command))
    arrives, lines, size = {}, {}, 1
    for name in actuator.delayed_inputs:
        line = getattr(state, f"{name}_line")
        size = len(line)
        target = getattr(command, name)
        if target is None and name == "position":
            # nothing stands for a position that is not commanded
            continue
        line = store(line, head, alike(0.0 if target is None else target, line[0]))
        lines[f"{name}_line"] = line
        arrives[name] = arriving_target(delay, line, head, lag, state.clock, resting(name, state))
    if state.lag is not None:
        lines["lag"] = alike(lag, state.lag)
    if state.aim is not None:
        lines["aim"] = alike(aim, state.aim)
    return change(command, **arrives), change(state, head=(head + 1) % size, **lines)


def resting(name: str, state: State) -> Number:
    """What an input is before the first command has arrived: hold the joint, without velocity, torque or voltage."""
    if name == "position":
        return state.held_position
    return TORQUE if name == "mode" else 0.0


def mode_of(command: Command) -> Number:
    """The mode that is asked for, or the first of torque, voltage and velocity that is given."""
    if command.mode is not None:
        return command.mode
    return TORQUE if command.effort is not None else VOLTAGE if command.voltage is not None else VELOCITY
