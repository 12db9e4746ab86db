"""A robot's actuators: joint names to actuators, and one fused step for all of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from ..engines import load
from ..errors import ParameterError
from ..motor import Motor
from ..physics.state import OUTPUTS, Output, State
from ..tree import numbers
from .actuator import Actuator
from .command import TARGETS, Command
from .compiled import check_options, laws, outputs
from .controllers import ModeSelector
from .grouping import Group, grouped
from .memory import initial_state, reset_state
from .needs import require_command, require_frames, require_load, require_step
from .randomize import randomize, rebuilt, resolved


class ActuatorSet:
    """Actuators of all joints of a robot, different motors and controllers side by side.

    Args:
        joints: Names of the joints, in the order of the last axis of every array.
        actuators: Patterns (regular expressions that match a whole name) to actuators or motors. Each joint has to be
            matched by exactly one pattern.
    """

    def __init__(self, joints: Sequence[str], actuators: Mapping[str, Actuator | Motor]):
        self.joints = check_joints(joints)
        self.patterns = matched(self.joints, actuators)
        kinds = {
            pattern: Actuator(kind) if isinstance(kind, Motor) else kind for pattern, kind in dict(actuators).items()
        }
        self.actuators: tuple[Actuator, ...] = tuple(kinds[self.patterns[joint]] for joint in self.joints)
        self.groups: tuple[Group, ...] = tuple(grouped(list(self.actuators)))
        check_supplies(self.groups)

    def __getitem__(self, joint: str) -> Actuator:
        if joint not in self.patterns:
            raise ParameterError(f"no joint {joint!r}; there are {', '.join(self.joints)}")
        return self.actuators[self.joints.index(joint)]

    def __len__(self) -> int:
        return len(self.joints)

    @property
    def armature(self) -> np.ndarray:
        """Inertia that a host has to add to each joint, 0 where there is no motor [kg·m²]."""
        known = [0.0 if each.motor is None else each.motor.armature for each in self.actuators]
        return np.stack(np.broadcast_arrays(*[np.asarray(x, dtype=float) for x in known]), axis=-1)

    def randomize(self, entries: Mapping[Any, Any], environments: int, seed: int = 0, per: str = "each") -> ActuatorSet:
        """A robot whose named parameters are arrays of draws; see `randomize`.

        A name such as "winding.resistance" varies it in every joint that has it; a pattern of joints with a dict of its
        own, {".*_knee": {"winding.resistance": Scale(0.9, 1.1)}}, in these alone.
        """
        shape = (environments, len(self.joints))
        wanted = entries_by_joint(self, entries)
        varied = {}
        for column, joint in enumerate(self.joints):
            varied[re.escape(joint)] = self.actuators[column]
            if wanted[joint]:
                # all joints draw from one batch, so that neighbours differ and environments agree
                batch = randomize(self.actuators[column], wanted[joint], shape, seed, per)
                varied[re.escape(joint)] = column_of(self.actuators[column], batch, column, len(self.joints))
        return ActuatorSet(self.joints, varied)

    def compile(self, engine: str = "numpy", **options: Any) -> CompiledSet:
        """One step for all joints on "numpy", "jax" or "torch", with the options of `Actuator.compile`."""
        return CompiledSet(self, engine, options)


class CompiledSet:
    """Steps all joints of many robots: `state, out = step(state, command, position, velocity, dt)`.

    Every array has the joints along its last axis. A state is one `State` per group of like actuators.
    """

    def __init__(self, robot: ActuatorSet, engine: str, options: dict[str, Any]):
        if engine == "python":
            raise ParameterError("the python engine runs one motor; take numpy, jax or torch for a robot")
        check_options(engine, options)
        self.robot = robot
        self.engine = engine
        self._engine = load(engine)
        self._place = {name: options[name] for name in ("dtype", "device") if name in options}
        step = fused(laws(engine), robot.groups, outputs(options.get("telemetry")), self._engine)
        self._run = self._engine.compiled(step, tuple(group.actuator for group in robot.groups), options)

    def initial(
        self, shape: tuple[int, ...] | int = (), *, seed: int = 0, dt: float | None = None
    ) -> tuple[State, ...]:
        """The state of a batch of robots at rest; `shape` is that of the batch, without the joints."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)
        return tuple(
            initial_state(
                self._engine, group.actuator, (*shape, len(group.columns)), seed + number, dt, {}, self._place
            )
            for number, group in enumerate(self.robot.groups)
        )

    def __call__(
        self,
        state: tuple[State, ...],
        command: Any,
        joint_position: Any,
        joint_velocity: Any,
        dt: Any,
        load_torque: Any = None,
        load_inertia: Any = None,
    ) -> tuple[tuple[State, ...], Output]:
        """New state and output of all joints after `dt` seconds; see `CompiledStep`.

        A plain array is the main input of each joint's controller. Of a `Command`, each controller gets what it takes.
        """
        require_step(dt)
        self._check(state, command, joint_position, joint_velocity, dt, load_torque, load_inertia)
        return self._run(state, command, joint_position, joint_velocity, dt, load_torque, load_inertia)

    def _check(self, state, command, position, velocity, dt, load_torque, load_inertia) -> None:
        given = {"joint_position": position, "joint_velocity": velocity}
        if isinstance(command, Command):
            given |= {f"Command.{name}": getattr(command, name) for name in (*TARGETS, "mode")}
            taken = {name for group in self.robot.groups for name in group.actuator.controller.inputs}
            for name in TARGETS:
                if getattr(command, name) is not None and name not in taken:
                    raise ParameterError(f"Command.{name}: no controller of this robot takes it")
        else:
            given["command"] = command
        for name, value in given.items():
            require_joints(name, value, len(self.robot))
        for group, part in zip(self.robot.groups, state, strict=True):
            require_command(group.actuator, share_of(group.actuator, command))
            require_load(group.actuator, load_torque, load_inertia)
            require_frames(group.actuator, part, dt)

    def reset(self, state: tuple[State, ...], mask: Any) -> tuple[State, ...]:
        """The state with every robot, or every joint, where `mask` is true back at the start.

        A mask without the joints' axis, or with 1 there, is of whole robots.
        """
        whole = np.ndim(mask) == 0 or np.ndim(mask) == len(batch_shape(state[0]))
        fresh = []
        for group, part in zip(self.robot.groups, state, strict=True):
            here = mask
            if np.ndim(mask) and whole:
                here = mask[..., None]
            elif np.ndim(mask) and mask.shape[-1] != 1:
                here = take(mask, group.columns)
            fresh.append(reset_state(self._engine, self.engine, part, here, {}, self._place))
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


# --- names


def check_joints(joints: Sequence[str]) -> tuple[str, ...]:
    """The names of the joints; raises one sentence if they are none, or one is there twice."""
    if isinstance(joints, str) or not joints or not all(isinstance(name, str) for name in joints):
        raise ParameterError(f"joints = {joints!r}: must be a list of the joints' names")
    for name in joints:
        if list(joints).count(name) > 1:
            raise ParameterError(f"joints: {name!r} is there twice")
    return tuple(joints)


def matched(joints: tuple[str, ...], actuators: Mapping[str, Any]) -> dict[str, str]:
    """The pattern of each joint; raises one sentence unless every joint has exactly one and every pattern some."""
    if not isinstance(actuators, Mapping) or not actuators:
        raise ParameterError("actuators: must be a dict of patterns and actuators, e.g. {'.*_knee': Actuator(...)}")
    found: dict[str, str] = {}
    for pattern, kind in actuators.items():
        if not isinstance(kind, (Actuator, Motor)):
            raise ParameterError(f"actuators[{pattern!r}] = {kind!r}: must be an Actuator or a Motor")
        try:
            hits = [joint for joint in joints if re.fullmatch(pattern, joint)]
        except re.error as error:
            raise ParameterError(f"actuators[{pattern!r}]: is no regular expression ({error})") from None
        if not hits:
            raise ParameterError(f"actuators[{pattern!r}] matches no joint; there are {', '.join(joints)}")
        for joint in hits:
            if joint in found:
                raise ParameterError(
                    f"joint {joint!r} is matched by {found[joint]!r} and by {pattern!r}: make one of them narrower"
                )
            found[joint] = pattern
    missing = [joint for joint in joints if joint not in found]
    if missing:
        raise ParameterError(f"no actuator for the joints {', '.join(missing)}: add a pattern that matches them")
    return found


def check_supplies(groups: tuple[Group, ...]) -> None:
    """Raise one sentence if motors of different kinds would have to share a bus."""
    shared = [g for g in groups if g.actuator.supply is not None and g.actuator.supply.shared]
    if shared and len(groups) > 1:
        raise ParameterError(
            "Supply.shared=True: a bus is shared by actuators of one kind; this robot has "
            f"{len(groups)} kinds, so give them supplies of their own"
        )


def require_joints(name: str, value: Any, count: int) -> None:
    """Raise one sentence if the last axis of an input is not that of the joints."""
    shape = tuple(getattr(value, "shape", ()))
    if shape and shape[-1] not in (1, count):
        raise ParameterError(f"{name} has the shape {shape}: its last axis must be that of the {count} joints")


# --- numbers that vary


def entries_by_joint(robot: ActuatorSet, entries: Mapping[Any, Any]) -> dict[str, dict[Any, Any]]:
    """The entries of each joint; raises one sentence if a name is in no joint, or a pattern matches none."""
    wanted: dict[str, dict[Any, Any]] = {joint: {} for joint in robot.joints}
    for key, value in entries.items():
        if isinstance(value, Mapping):
            hits = [joint for joint in robot.joints if re.fullmatch(key, joint)]
            if not hits:
                raise ParameterError(f"randomize: {key!r} matches no joint; there are {', '.join(robot.joints)}")
            for joint in hits:
                wanted[joint] |= value
            continue
        having = [joint for joint in robot.joints if has(robot[joint], key)]
        # none has it: the first joint's own sentence says what is near
        for joint in having or robot.joints[:1]:
            wanted[joint][key] = value
    return wanted


def has(actuator: Actuator, key: Any) -> bool:
    """Whether an actuator has every number of an entry."""
    try:
        for name in key if isinstance(key, tuple) else (key,):
            resolved(actuator, name)
    except ParameterError:
        return False
    return True


def column_of(before: Actuator, batch: Actuator, column: int, joints: int) -> Actuator:
    """One joint's share of what was drawn for all."""
    old = dict(numbers(before))
    drawn = {name: x for name, x in numbers(batch) if x is not old[name]}
    return rebuilt(before, {n: x[..., column : column + 1] if x.shape[-1] == joints else x for n, x in drawn.items()})


# --- the fused step


def share_of(actuator: Actuator, command: Any) -> Any:
    """What of a command the controller takes."""
    if not isinstance(command, Command):
        return command
    taken = {name: getattr(command, name) for name in actuator.controller.inputs}
    return Command(**taken, mode=command.mode if isinstance(actuator.controller, ModeSelector) else None)


def take(x: Any, columns: tuple[int, ...]) -> Any:
    """Some columns of an array; what has no axis of joints stays as it is."""
    if not getattr(x, "ndim", 0) or x.shape[-1] == 1:
        return x
    first, last = columns[0], columns[-1]
    # neighbours are a slice, which costs nothing
    if columns == tuple(range(first, last + 1)):
        return x[..., first : last + 1]
    return x[..., list(columns)]


def fused(law: Any, groups: tuple[Group, ...], names: tuple[str, ...] | None, engine: Any) -> Any:
    """One function that steps every group and puts the outputs back in the order of the joints."""
    columns = [group.columns for group in groups]
    order = [c for group in columns for c in group]
    inverse = tuple(order.index(c) for c in range(len(order)))
    wanted = OUTPUTS if names is None else names

    def step(actuators, state, command, position, velocity, dt, load_torque, load_inertia):
        after, outs = [], []
        for actuator, part, mine in zip(actuators, state, columns, strict=True):
            given = share_of(actuator, command)
            if isinstance(given, Command):
                given = Command(**{name: take(getattr(given, name), mine) for name in (*TARGETS, "mode")})
            else:
                given = take(given, mine)
            here = [take(x, mine) for x in (position, velocity)]
            loads = [take(x, mine) for x in (load_torque, load_inertia)]
            part, out = law.held(actuator, part, given, *here, dt, *loads)
            after.append(part)
            outs.append(out)
        merged = {}
        for name in OUTPUTS:
            values = [getattr(out, name) for out in outs]
            absent = all(value is None for value in values) or name not in wanted
            merged[name] = None if absent else beside(name, values, outs)
        return tuple(after), Output(**merged)

    def beside(name, values, outs):
        """The groups' values in the order of the joints; NaN where a group has no such output."""
        nothing = 0 if name == "limit" else math.nan
        like = [engine.spread(nothing if v is None else v, out.torque) for v, out in zip(values, outs, strict=True)]
        joined = like[0] if len(like) == 1 else engine.joined(like)
        return joined if inverse == tuple(range(len(inverse))) else take(joined, inverse)

    return step
