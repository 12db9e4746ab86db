"""Webots' motors on an engine."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, partial
from types import ModuleType
from typing import NamedTuple

from ...checks import Number
from ...engines import bind, load
from ...errors import ParameterError
from ...physics.state import Array
from ...tree import map_numbers
from ..on_engine import EngineOption, OnEngine
from . import commands, law
from .commands import Commands
from .law import JointState, MotorState
from .motor import WebotsJoint, WebotsMotor


@cache
def laws(engine: str) -> ModuleType:
    """The law on an engine: `webots_step(motor, joint, state, at, inertia, load, dt)`, `kinematic_step(...)`."""
    return bind(law, engine, load(engine).ops)


@cache
def command_laws(engine: str) -> ModuleType:
    """The commands on an engine: `apply_commands(motor, state, calls)` and all."""
    return bind(commands, engine, load(engine).ops)


class State(NamedTuple):
    """A batch of motors and their joints."""

    motor: MotorState
    """What the motors remember."""
    joint: JointState
    """Where the joints are."""


class CompiledWebots(OnEngine):
    """Steps a batch of motors and joints: `state, feedback = step(state, inertia, load, dt)`."""

    def __init__(
        self, motor: WebotsMotor, joint: WebotsJoint | None = None, engine: str = "numpy", **options: EngineOption
    ):
        super().__init__(engine, options)
        self._laws, self._commands = laws(engine), command_laws(engine)
        self.motor = map_numbers(motor, self._number)
        self.joint = map_numbers(joint or WebotsJoint(), self._number)

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        # what was compiled belongs to this process: a copy compiles it again
        return partial(CompiledWebots, **self._place), (self.motor, self.joint, self.engine)

    def __repr__(self) -> str:
        return f"CompiledWebots({self.engine}, {self.motor})"

    def initial(self, shape: tuple[int, ...] | int = ()) -> State:
        """A batch as Webots loads it: at rest, holding its position, with the largest velocity and torque."""
        numbers = (self.joint.position, self.motor.max_velocity, self.motor.max_torque, 0.0)
        start, fastest, most, nothing = (self._spread(number, shape) for number in numbers)
        motor = MotorState(start, fastest, most, nothing, nothing, nothing, nothing, nothing)
        return State(motor, JointState(start, nothing))

    def command(self, state: State, **calls: Number) -> State:
        """The state after calls of a step: position= [rad], velocity= [rad/s], available= and torque= [N·m]."""
        for name in calls:
            if name not in Commands._fields:
                raise ParameterError(f"command({name}=...): a motor takes {', '.join(Commands._fields)}")
        return State(self._commands.apply_commands(self.motor, state.motor, Commands(**calls)), state.joint)

    def __call__(self, state: State, inertia: Number, load: Number, dt: Number) -> tuple[State, Array]:
        """The state after a basic time step, and the torque feedback over it [N·m].

        `inertia` is what the joint moves [kg·m²], `load` the torque on it from elsewhere [N·m].
        """
        motor, joint, feedback = self._laws.webots_step(
            self.motor, self.joint, state.motor, state.joint, inertia, load, dt
        )
        return State(motor, joint), feedback

    def kinematic(self, state: State, dt: Number) -> State:
        """The state after a basic time step of a joint whose end point has no Physics."""
        motor, position, _ = self._laws.kinematic_step(self.motor, state.motor, state.joint.position, dt)
        speed = (position - state.joint.position) / dt
        return State(motor, JointState(position, speed))
