"""Webots' motors on an engine."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from ...engines import bind, load
from ...errors import ParameterError
from ...tree import map_numbers
from . import commands, law
from .commands import Commands
from .law import JointState, MotorState
from .motor import WebotsJoint, WebotsMotor


@cache
def laws(engine: str) -> Any:
    """The law on an engine: `webots_step(motor, joint, state, at, inertia, load, dt)`, `kinematic_step(...)`."""
    return bind(law, engine, load(engine).ops)


@cache
def command_laws(engine: str) -> Any:
    """The commands on an engine: `commanded(motor, state, calls)` and all."""
    return bind(commands, engine, load(engine).ops)


class State(NamedTuple):
    """A batch of motors and their joints."""

    motor: MotorState
    """What the motors remember."""
    joint: JointState
    """Where the joints are."""


class CompiledWebots:
    """Steps a batch of motors and joints: `state, feedback = step(state, inertia, load, dt)`."""

    def __init__(self, motor: WebotsMotor, joint: WebotsJoint | None = None, engine: str = "numpy", **options: Any):
        unknown = set(options) - ({"dtype", "device"} if engine == "torch" else set())
        if unknown:
            raise ParameterError(f"options {', '.join(sorted(unknown))}: the {engine} engine has none of that name")
        self.engine, self._engine, self._place = engine, load(engine), options
        self._laws, self._commands = laws(engine), command_laws(engine)
        self.motor = map_numbers(motor, self._number)
        self.joint = map_numbers(joint or WebotsJoint(), self._number)

    def _number(self, value: Any) -> Any:
        """A parameter as the engine takes it: plain numbers and the engine's own arrays stay."""
        foreign = type(value).__module__ == "numpy" and self.engine != "numpy"
        return self._engine.array(value, **self._place) if foreign else value

    def initial(self, shape: tuple[int, ...] | int = ()) -> State:
        """A batch as Webots loads it: at rest, holding its position, with the largest velocity and torque."""
        shape = (shape,) if isinstance(shape, int) else tuple(shape)

        def spread(value: Any) -> Any:
            return self._engine.array(value, shape, **self._place)

        start, nothing = spread(self.joint.position), spread(0.0)
        motor = MotorState(
            start, spread(self.motor.max_velocity), spread(self.motor.max_torque), nothing, nothing, nothing, nothing,
            nothing,
        )  # fmt: skip
        return State(motor, JointState(start, nothing))

    def command(self, state: State, **calls: Any) -> State:
        """The state after calls of a step: position= [rad], velocity= [rad/s], available= and torque= [N·m]."""
        for name in calls:
            if name not in Commands._fields:
                raise ParameterError(f"command({name}=...): a motor takes {', '.join(Commands._fields)}")
        return State(self._commands.commanded(self.motor, state.motor, Commands(**calls)), state.joint)

    def __call__(self, state: State, inertia: Any, load: Any, dt: Any) -> tuple[State, Any]:
        """The state after a basic time step, and the torque feedback over it [N·m].

        `inertia` is what the joint moves [kg·m²], `load` the torque on it from elsewhere [N·m].
        """
        motor, joint, feedback = self._laws.webots_step(
            self.motor, self.joint, state.motor, state.joint, inertia, load, dt
        )
        return State(motor, joint), feedback

    def kinematic(self, state: State, dt: Any) -> State:
        """The state after a basic time step of a joint whose end point has no Physics."""
        motor, position, _ = self._laws.kinematic_step(self.motor, state.motor, state.joint.position, dt)
        speed = (position - state.joint.position) / dt
        return State(motor, JointState(position, speed))
