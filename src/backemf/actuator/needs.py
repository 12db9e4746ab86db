"""Checks of what a step is given: what is missing, and what does not fit."""

from __future__ import annotations

import math
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from ..checks import concrete, no_number, quote
from ..errors import ParameterError
from ..motor import LoadDependent, Motor
from ..motor.friction import Bristles
from ..parts import acts
from ..physics.command import SWITCHES, TARGETS, Command
from ..physics.load import IMMOVABLE
from ..physics.state import PER_MOTOR, State
from ..physics.step import has_backlash
from ..values import Maybe, Number
from .controllers import ModeSelector, TorquePid

if TYPE_CHECKING:
    from .actuator import Actuator

Given = Any
"""A user's own number or array, of which nothing is known yet."""
_FLOATS = {float, type(None)}
"""Kinds of inputs of one motor that are there as plain numbers, or not at all."""


def look_of(
    state: object, command: Command | Number, position: Given, velocity: Given, dt: Given, *loads: Maybe
) -> object:
    """What decides whether a step can be taken: which inputs are there, their shapes and signs; None: look at it all.

    Two steps that look alike pass or fail the checks alike, so that a loop pays for them once. Of plain numbers it is
    looked at here whether they are finite; an inertia has to be looked over whenever it changes.
    """
    if type(position) is float and (look := _look_of_floats(state, (command, position, velocity, dt, *loads))):
        return look
    try:
        told = [_look(x) for x in command.__dict__.values()] if isinstance(command, Command) else _look(command)
        held = next((x.shape for x in vars(state).values() if x is not None and x.shape), None)
        step = dt if isinstance(dt, (int, float, np.generic)) else dt.shape
        inertia = loads[1] if len(loads) > 1 and isinstance(loads[1], (int, float)) else None
        return told, _look(position), _look(velocity), step, [_look(load) for load in loads], inertia, held
    except (AttributeError, TypeError):
        return None


def _look_of_floats(state: object, given: tuple[Given, ...]) -> object:
    """The look of a step of one motor without delay; None where a number is not a finite float."""
    kinds = tuple(map(type, given))
    if not (type(state) is State and state.clock is None and _FLOATS.issuperset(kinds)):
        return None
    if not math.isfinite(sum(x for x in given if x is not None)):
        return None
    dt, inertia = given[3], given[5]
    return kinds, dt, inertia is not None and (inertia > 0.0, inertia < 0.0)


def _look(x: Maybe) -> object:
    """The shape of an array, () of a finite number, None where there is nothing; raises `TypeError` of another one."""
    if type(x) is float:
        if x - x != 0.0:
            raise TypeError("not finite")
        return ()
    return None if x is None else x.shape  # type: ignore[union-attr]


def require_step(dt: Given) -> None:
    """Raise a `ParameterError` if the step is no positive number of seconds, as far as it is known on this machine."""
    if type(dt) is float and 0.0 < dt < math.inf:
        return
    known = isinstance(dt, (int, float, np.ndarray, np.generic)) and not no_number(dt)
    wrong = known and not (np.size(dt) and bool(np.all(np.isfinite(dt) & (np.asarray(dt) > 0))))
    if wrong or dt is None or no_number(dt):
        raise ParameterError(f"dt = {quote(dt)}: must be a positive number of seconds")


def require_finite_joint(position: object, velocity: object, **loads: object) -> None:
    """Check that plain numbers of the joint are finite; raise `ParameterError` if not. The step checks a batch."""
    for name, value in {"joint_position": position, "joint_velocity": velocity, **loads}.items():
        if value is None and name.startswith("load"):
            continue
        if type(value) is float and math.isfinite(value):
            continue
        if value is None or no_number(value) or (isinstance(value, (int, float)) and not math.isfinite(value)):
            raise ParameterError(f"{name} = {quote(value)}: must be a finite number, or an array with one per motor")


def require_command(actuator: Actuator, command: object) -> None:
    """Check that a command is what the controller takes; raise `ParameterError` if not."""
    if isinstance(command, str) or command is None:
        raise ParameterError(f"command = {command!r}: must be a number, an array of them, or a Command")
    controller = actuator.controller
    if not isinstance(command, Command):
        require_finite_command("command", command)
        return
    given = [name for name in TARGETS if getattr(command, name) is not None]
    name = type(controller).__name__
    for target in given:
        if target not in controller.inputs:
            raise ParameterError(f"Command.{target}: {name} does not take it; it takes {', '.join(controller.inputs)}")
        require_finite_command(f"Command.{target}", getattr(command, target))
    if command.enable is not None and actuator.motor is None:
        raise ParameterError("Command.enable: without a motor there is no bridge to switch off; give a motor")
    if command.enable is not None:
        require_finite_command("Command.enable", command.enable)
    if command.mode is not None and not isinstance(controller, ModeSelector):
        raise ParameterError(f"Command.mode: {name} has no modes; a ModeSelector has")
    needs_main = not isinstance(controller, ModeSelector) and (
        len(controller.inputs) == 1 or (isinstance(controller, TorquePid) and acts(controller, "ki"))
    )
    if not given or (needs_main and controller.main not in given):
        raise ParameterError(f"Command(...) gives no {controller.main}, which {name} follows")
    if isinstance(controller, ModeSelector) and controller.velocity is None and "velocity" in given:
        raise ParameterError(
            "Command.velocity: this ModeSelector has no velocity mode; give it velocity=VelocityPi(...)"
        )


def require_finite_command(name: str, value: object) -> None:
    """Check that a command for one motor is finite; raise `ParameterError` if not. The step checks a batch."""
    if isinstance(value, (int, float)) and not math.isfinite(value):
        raise ParameterError(f"{name} = {value}: must be a finite number")


def require_shapes(state: State, command: object, **inputs: object) -> None:
    """Check that every input broadcasts to the batch; raise `ParameterError` if not."""
    if isinstance(command, Command):
        targets = {name: getattr(command, name) for name in (*TARGETS, *SWITCHES)}
        inputs = {f"Command.{name}": value for name, value in targets.items() if value is not None} | inputs
    else:
        inputs = {"command": command} | inputs
    batch = batch_of(state)
    for name, value in inputs.items():
        if isinstance(value, str) or value is None:
            raise ParameterError(f"{name} = {value!r}: must be a number or an array of them")
        shape = tuple(getattr(value, "shape", ()))
        if any(a != b and a != 1 and b != 1 for a, b in zip(reversed(shape), reversed(batch), strict=False)):
            raise ParameterError(f"{name} has the shape {shape}, which does not fit the batch {batch}")
        batch = shape if len(shape) > len(batch) else batch


def batch_of(state: State) -> tuple[int, ...]:
    """Shape of the batch that a state is made for."""
    for name in PER_MOTOR:
        value = getattr(state, name)
        if hasattr(value, "shape"):
            return tuple(value.shape)
    for entry in fields(state):
        value = getattr(state, entry.name)
        if entry.name.endswith(("_line", "_history")) and hasattr(value, "shape"):
            return tuple(value.shape[1:])
    return ()


def require_frames(actuator: Actuator, state: State, dt: Number) -> None:
    """Check that the state has enough frames for a delay in seconds; raise `ParameterError` if not."""
    delay = actuator.delay
    if delay is None or delay.seconds is None or not isinstance(dt, (int, float)):
        return
    lines = [getattr(state, f"{name}_line") for name in actuator.delayed_inputs]
    frames, longest = len(next(line for line in lines if line is not None)), concrete(delay.longest)
    # a hair of rounding in seconds/dt is no further frame
    if longest is not None and longest.max() / dt > frames - 1 + 1e-9 * frames:
        raise ParameterError(
            f"Delay.seconds = {delay.seconds} at dt = {dt:g} s is longer than the {frames} frames of this state: "
            f"make it with initial(shape, dt={dt:g})"
        )


def finite_inertia(load_inertia: Maybe) -> Number:
    """The inertia of a load where None is no load, and a plain infinity a joint that no motor moves [kg·m²]."""
    if load_inertia is None:
        return 0.0
    return IMMOVABLE if isinstance(load_inertia, float) and load_inertia == math.inf else load_inertia


def require_inertia(actuator: Actuator, load_inertia: Maybe) -> None:
    """Check that a torque has something to move; raise `ParameterError` if not.

    What is traced or on another device passes: a step never waits for it.
    """
    armature = 0.0 if actuator.motor is None else actuator.motor.armature
    if type(armature) is float and type(load_inertia) is float and armature >= 0.0 and load_inertia > 0.0:
        return
    own = concrete(armature)
    if own is None or not isinstance(load_inertia, (int, float, np.ndarray, np.generic)):
        return
    outside = np.asarray(load_inertia, dtype=float)
    if (outside < 0.0).any():
        raise ParameterError(f"load_inertia = {quote(load_inertia)}: must be 0 or more")
    if (own + outside <= 0.0).any():
        raise ParameterError(
            "nothing has inertia: give Motor.rotor, or a load with an inertia above 0, "
            "so that a torque has something to move"
        )
    if actuator.motor is not None and has_backlash(actuator.motor) and (outside <= 0.0).any():
        raise ParameterError("load_inertia = 0: backlash needs a load with an inertia, which the gears can hit")


def require_load(actuator: Actuator, load_torque: Maybe, load_inertia: Maybe) -> None:
    """Check that the motor's physics knows enough of the load; raise `ParameterError` if not."""
    motor: Motor | None = actuator.motor
    if motor is None:
        return
    if has_backlash(motor) and (load_torque is None or load_inertia is None):
        raise ParameterError(
            "backlash needs load_torque and load_inertia: what the rotor hits at the end of the backlash"
        )
    if has_backlash(motor) and motor.rotor is None:
        raise ParameterError("backlash needs Motor.rotor: give its inertia, or leave the backlash out")
    friction = motor.friction
    if isinstance(friction, LoadDependent) and load_torque is None:
        shares = (friction.load, friction.quadratic, friction.stribeck and friction.stribeck.load)
        if any(share is not None for share in shares):
            raise ParameterError(
                "load-dependent friction needs load_torque; pass load_torque=0.0 if nothing is known of it"
            )
    lossy = motor.gearbox is not None and not motor.gearbox.lossless
    rigid = friction is not None and not isinstance(friction, Bristles)
    if (rigid or lossy) and motor.rotor is None and load_inertia is None:
        raise ParameterError(
            "dry friction and gear loss need an inertia to stop: give Motor.rotor, or load_inertia with the step"
        )
