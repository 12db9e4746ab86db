"""One fused step for all joints of many robots."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import fields
from functools import partial
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from ..actuator.actuator import Actuator
from ..actuator.compiled import BaseStep, Inputs, Step, laws, outputs, with_outputs
from ..actuator.controllers import ModeSelector
from ..actuator.delay import Draws
from ..actuator.memory import initial_state
from ..actuator.needs import require_command, require_frames, require_inertia, require_load, require_step
from ..checks import Maybe, Number, require_sizes
from ..engines import load
from ..engines.reset import Mask, reset_state
from ..errors import ParameterError
from ..parts import without_neutral
from ..physics.command import SWITCHES, TARGETS, Command
from ..physics.state import OUTPUTS, Output, State
from ..values import Array, CompileOptions
from .grouping import Group

T = TypeVar("T")


class CompiledSet(BaseStep[tuple[State, ...]]):
    """Steps all joints of many robots, like `CompiledStep`; every array has the joints along its last axis.

    A state is one `State` per group of like actuators. A plain array is the main input of each joint's controller; of a
    `Command`, each controller gets what it takes. In a coupled step each joint moves by itself: what joints do to each
    other is part of the loads.
    """

    def __init__(self, groups: tuple[Group, ...], engine: str, options: CompileOptions):
        if engine == "python":
            raise ParameterError("the python engine runs one motor; take numpy, jax, torch or native for a robot")
        self.groups = groups
        super().__init__(engine, options)

    def _compile(self, law: str) -> Callable[..., tuple[tuple[State, ...], Output]]:
        names = outputs(self._options.get("telemetry"), law)
        actuators = tuple(without_neutral(group.actuator) for group in self.groups)
        function = getattr(laws(self.engine), law)
        if self.engine == "native":
            # the torque says what the shape of a group's outputs is
            needed = None if names is None else tuple(dict.fromkeys((*names, "torque")))
            return self._compile_apart(with_outputs(function, needed), actuators, names)
        return self._engine.compile_step(fuse(function, self.groups, names, self._engine), actuators, self._options)

    def _compile_apart(
        self, function: Step, actuators: tuple[Actuator, ...], names: tuple[str, ...] | None
    ) -> Callable[..., tuple[tuple[State, ...], Output]]:
        """A step in which each group runs code of its own, and NumPy puts the outputs beside each other."""
        runs = {id(actuator): self._engine.compile_step(function, actuator, self._options) for actuator in actuators}

        def run_group(actuator: Actuator, *arguments: object) -> tuple[State, Output]:
            return runs[id(actuator)](*arguments)

        return partial(fuse(run_group, self.groups, names, load("numpy")), actuators)

    def __reduce__(self) -> tuple[type[CompiledSet], tuple[tuple[Group, ...], str, CompileOptions]]:
        # what was compiled belongs to this process: a copy compiles it again
        return CompiledSet, (self.groups, self.engine, self._options)

    def __repr__(self) -> str:
        joints, groups = sum(len(group.columns) for group in self.groups), len(self.groups)
        words = f"{joints} joint{'s' * (joints > 1)} in {groups} group{'s' * (groups > 1)}"
        return f"CompiledSet({self.engine}, {words})"

    def initial(
        self, shape: tuple[int, ...] | int = (), *, seed: int = 0, dt: float | None = None
    ) -> tuple[State, ...]:
        """The state of a batch of robots at rest; `shape` is that of the batch, without the joints."""
        if dt is not None:
            require_step(dt)
        shape = require_sizes("shape", shape)
        return tuple(
            initial_state(
                self._engine, group.actuator, (*shape, len(group.columns)), seed + number, dt, {}, self._place
            )
            for number, group in enumerate(self.groups)
        )

    def _check(
        self,
        state: tuple[State, ...],
        command: Command | Number,
        dt: Number,
        joint: Inputs,
        loads: Inputs,
        coupled: bool,
    ) -> None:
        given = {**joint, **loads}
        if isinstance(command, Command):
            given |= {f"Command.{name}": getattr(command, name) for name in (*TARGETS, *SWITCHES)}
            taken = {name for group in self.groups for name in group.actuator.controller.inputs}
            for name in TARGETS:
                if getattr(command, name) is not None and name not in taken:
                    raise ParameterError(f"Command.{name}: no controller of this robot takes it")
            if command.enable is not None and all(group.actuator.motor is None for group in self.groups):
                raise ParameterError("Command.enable: no joint of this robot has a motor to switch off")
        else:
            given["command"] = command
        joints = sum(len(group.columns) for group in self.groups)
        for name, value in given.items():
            require_joints(name, value, joints)
        for group, part in zip(self.groups, state, strict=True):
            require_command(group.actuator, share_of(group.actuator, command))
            require_load(group.actuator, loads["load_torque"], loads["load_inertia"])
            require_frames(group.actuator, part, dt)
            if coupled:
                require_inertia(group.actuator, take(loads["load_inertia"], group.columns))

    def reset(self, state: tuple[State, ...], mask: Mask) -> tuple[State, ...]:
        """The state with every robot, or every joint, where `mask` is true back at the start.

        A mask without the joints' axis, or with 1 there, is of whole robots.
        """
        # native code has NumPy's arrays
        engine = "numpy" if self.engine == "native" else self.engine
        whole = np.ndim(mask) == 0 or np.ndim(mask) == len(batch_shape(state[0]))
        fresh = []
        for group, part in zip(self.groups, state, strict=True):
            here = mask
            if np.ndim(mask) and whole:
                here = mask[..., None]
            elif np.ndim(mask) and mask.shape[-1] != 1:
                here = take(mask, group.columns)
            fresh.append(reset_state(load(engine), engine, part, here, {}, self._place))
        return tuple(fresh)


def batch_shape(state: State) -> tuple[int, ...]:
    """Shape of the batch of robots, without the joints."""
    for entry in fields(state):
        value = getattr(state, entry.name)
        if value is not None and entry.name != "head":
            shape = tuple(value.shape)
            if entry.name in ("hidden", "cell"):
                return shape[:-2]
            return shape[1:-1] if entry.name.endswith(("_line", "_history")) else shape[:-1]
    return ()


def require_joints(name: str, value: object, count: int) -> None:
    """Check that the last axis of an input is that of the joints; raise `ParameterError` if not."""
    shape = tuple(getattr(value, "shape", ()))
    if shape and shape[-1] not in (1, count):
        raise ParameterError(f"{name} has the shape {shape}: its last axis must be that of the {count} joints")


# --- the fused step


def share_of(actuator: Actuator, command: Command | Number) -> Command | Number:
    """What of a command the controller takes."""
    if not isinstance(command, Command):
        return command
    taken = {name: getattr(command, name) for name in actuator.controller.inputs}
    mode = command.mode if isinstance(actuator.controller, ModeSelector) else None
    return Command(**taken, mode=mode, enable=None if actuator.motor is None else command.enable)


def take(x: T, columns: tuple[int, ...]) -> T:
    """Some columns of an array; what has no axis of joints stays as it is."""
    array: Any = x
    if not getattr(x, "ndim", 0) or array.shape[-1] == 1:
        return x
    first, last = columns[0], columns[-1]
    # neighbours are a slice, which costs nothing
    if columns == tuple(range(first, last + 1)):
        return array[..., first : last + 1]
    return array[..., list(columns)]


def fuse(law: Step, groups: tuple[Group, ...], names: tuple[str, ...] | None, engine: ModuleType) -> Step:
    """One function that steps every group and puts the outputs back in the order of the joints."""
    columns = [group.columns for group in groups]
    order = [c for group in columns for c in group]
    inverse = tuple(order.index(c) for c in range(len(order)))
    wanted = OUTPUTS if names is None else names

    def step(
        actuators: tuple[Actuator, ...], state: tuple[State, ...], command: Command | Number, position: Number,
        velocity: Number, dt: Number, load_torque: Maybe, load_inertia: Maybe, draws: Draws | None, *more: Number,
    ) -> tuple[tuple[State, ...], Output]:  # fmt: skip
        after, outs = [], []
        for actuator, part, mine in zip(actuators, state, columns, strict=True):
            given = share_of(actuator, command)
            if isinstance(given, Command):
                given = Command(**{name: take(getattr(given, name), mine) for name in (*TARGETS, *SWITCHES)})
            else:
                given = take(given, mine)
            here = [take(x, mine) for x in (position, velocity)]
            loads = [take(x, mine) for x in (load_torque, load_inertia)]
            own = None if draws is None else Draws(**{name: take(x, mine) for name, x in vars(draws).items()})
            part, out = law(actuator, part, given, *here, dt, *loads, own, *(take(x, mine) for x in more))
            after.append(part)
            outs.append(out)
        merged = {}
        for name in OUTPUTS:
            values = [getattr(out, name) for out in outs]
            absent = all(value is None for value in values) or name not in wanted
            merged[name] = None if absent else beside(name, values, outs)
        return tuple(after), Output(**merged)

    def beside(name: str, values: list[Maybe], outs: list[Output]) -> Array:
        """The groups' values in the order of the joints; NaN where a group has no such output."""
        nothing = 0 if name == "limit" else math.nan
        # a joint without a state that is told one number for all robots knows nothing of the batch; others do
        batch: tuple[int, ...] = ()
        for out in outs:
            shape = tuple(getattr(out.torque, "shape", ()))
            batch = shape[:-1] if len(shape) > len(batch) + 1 else batch
        like = [
            engine.broadcast(nothing if value is None else value, (*batch, len(mine)), out.torque)
            for value, mine, out in zip(values, columns, outs, strict=True)
        ]
        joined = like[0] if len(like) == 1 else engine.ops.join_last(like)
        return joined if inverse == tuple(range(len(inverse))) else take(joined, inverse)

    return step
