"""A step that is ready to run on one engine."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, cached_property
from types import ModuleType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from ..checks import Maybe, Number, require_sizes
from ..engines import bind, load
from ..engines.reset import Mask, reset_state
from ..errors import ParameterError
from ..hooks import call_hook
from ..parts import without_neutral
from ..physics.command import Command
from ..physics.state import COUPLED, OUTPUTS, Output, State
from ..values import CompileOptions
from . import chain
from .memory import initial_state
from .needs import (
    finite_inertia,
    look_of,
    require_command,
    require_finite_joint,
    require_frames,
    require_inertia,
    require_load,
    require_shapes,
    require_step,
)

if TYPE_CHECKING:
    from .actuator import Actuator
    from .delay import Draws

S = TypeVar("S")
Joint = tuple[Number, Number]
"""Position and velocity of the joint [rad, rad/s]."""
Inputs = dict[str, Maybe]
"""Numbers and arrays that a step is given, by name; None: not given."""
Step = Callable[..., tuple[Any, Output]]
"""A step as a function, its actuator first: the new state, or those of several groups, and the output."""
_OPTIONS = {
    "torch": {"dtype", "device", "dynamic", "eager", "in_place", "telemetry"},
    "jax": {"in_place", "telemetry"},
    "warp": {"dtype", "device", "in_place", "telemetry"},
    "native": {"telemetry"},
}


class BaseStep(Generic[S]):
    """The two ways to step what has a state of type `S`: one actuator, or all of a robot."""

    def __init__(self, engine: str, options: CompileOptions):
        check_options(engine, options)
        self.engine = engine
        self._options = options
        self._engine = load(engine)
        self._place = {name: value for name, value in options.items() if name in ("dtype", "device")}
        # a function, or an object of the engine's own
        self._run: Any = self._compile("held")
        self._looks: dict[bool, object] = {}

    def _compile(self, law: str) -> Callable[..., tuple[S, Output]]:
        """One of the two ways to step, ready to run."""
        raise NotImplementedError

    def _check(
        self, state: S, command: Command | Number, dt: Number, joint: Inputs, loads: Inputs, coupled: bool
    ) -> None:
        """Check that what is given fits; raise `ParameterError` if not. A joint that moves needs an inertia."""
        raise NotImplementedError

    @cached_property
    def _run_coupled(self) -> Callable[..., tuple[S, Output]]:
        return self._compile("coupled")

    def __call__(
        self, state: S, command: Command | Number, joint_position: Number, joint_velocity: Number, dt: Number,
        load_torque: Maybe = None, load_inertia: Maybe = None, draws: Draws | None = None,
    ) -> tuple[S, Output]:  # fmt: skip
        """New state and output after `dt` seconds under a command: the controller's main input, or a `Command`.

        Position [rad] and velocity [rad/s] of the joint are held over the step. What the host knows of the joint's
        other torque [N·m] and inertia [kg·m²] may be given: load-dependent friction and backlash need it, dry friction
        stops exactly with it. `draws` stand in for the delay's own random numbers.
        """
        self._check_once(False, state, command, dt, (joint_position, joint_velocity), load_torque, load_inertia)
        return self._run(state, command, joint_position, joint_velocity, dt, load_torque, load_inertia, draws)

    def coupled(
        self, state: S, command: Command | Number, joint_position: Number, joint_velocity: Number, dt: Number,
        load_torque: Number = 0.0, load_inertia: Maybe = None, *, load_damping: Number = 0.0,
        load_stiffness: Number = 0.0, draws: Draws | None = None,
    ) -> tuple[S, Output]:  # fmt: skip
        """New state and output after `dt` seconds in which motor and load move the joint together.

        The step is implicit: back-EMF, friction, controller, limits and load act at the velocity of the end of the
        step, so that any `dt` is stable and friction stops the joint exactly. `out.joint_position` and
        `out.joint_velocity` are those of the end of the step, `out.torque` and `out.load_torque` means over it.

        Args:
            state: What the motors remember.
            command: The controller's main input, without a controller volts; or a `Command`.
            joint_position: Joint position at the start of the step [rad].
            joint_velocity: Joint velocity at the start of the step [rad/s].
            dt: Step [s].
            load_torque: Torque of the load on the joint at the start of the step [N·m].
            load_inertia: Inertia at the joint besides the motor's own [kg·m²]; None: 0. `math.inf` is a joint that
                keeps its velocity: fixed at 0, or moved by a machine.
            load_damping: How fast the torque of the load falls with velocity [N·m·s/rad].
            load_stiffness: How fast the torque of the load falls with position [N·m/rad].
            draws: Random numbers in place of the delay's own.
        """
        inertia = finite_inertia(load_inertia)
        loads = load_torque, inertia, load_damping, load_stiffness
        self._check_once(True, state, command, dt, (joint_position, joint_velocity), *loads)
        return self._run_coupled(
            state, command, joint_position, joint_velocity, dt, load_torque, inertia, draws, load_damping,
            load_stiffness,
        )  # fmt: skip

    def _check_once(
        self, coupled: bool, state: S, command: Command | Number, dt: Number, joint: Joint, *loads: Maybe
    ) -> None:
        # what looks like the step before has been checked
        look = look_of(state, command, *joint, dt, *loads)
        if look is not None and look == self._looks.get(coupled):
            return
        names = ("load_torque", "load_inertia", "load_damping", "load_stiffness")
        known: Inputs = dict(zip(names, loads, strict=False))
        require_step(dt)
        require_finite_joint(*joint, **known)
        self._check(state, command, dt, {"joint_position": joint[0], "joint_velocity": joint[1]}, known, coupled)
        self._looks[coupled] = look


class CompiledStep(BaseStep[State]):
    """Steps a batch of one kind of actuator.

    `state, out = step(state, command, position, velocity, dt)` for a host that moves the joint itself, and
    `state, out = step.coupled(...)`, which moves the joint together with a load.
    """

    def __init__(self, actuator: Actuator, engine: str, options: CompileOptions):
        self.actuator = actuator
        super().__init__(engine, options)

    def _compile(self, law: str) -> Callable[..., tuple[State, Output]]:
        step = with_outputs(getattr(laws(self.engine), law), outputs(self._options.get("telemetry"), law))
        return self._engine.compile_step(step, without_neutral(self.actuator), self._options)

    def _check(
        self, state: State, command: Command | Number, dt: Number, joint: Inputs, loads: Inputs, coupled: bool
    ) -> None:
        require_command(self.actuator, command)
        require_load(self.actuator, loads["load_torque"], loads["load_inertia"])
        require_frames(self.actuator, state, dt)
        if self.engine != "python":
            known = {name: value for name, value in loads.items() if value is not None}
            require_shapes(state, command, **joint, **known)
        if coupled:
            require_inertia(self.actuator, loads["load_inertia"])

    def __reduce__(self) -> tuple[type[CompiledStep], tuple[Actuator, str, CompileOptions]]:
        # what was compiled belongs to this process: a copy compiles it again
        return CompiledStep, (self.actuator, self.engine, self._options)

    def __repr__(self) -> str:
        return f"CompiledStep({self.engine}, {self.actuator!r})"

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)

    def initial(
        self, shape: tuple[int, ...] | int = (), *, seed: int = 0, dt: float | None = None, **values: Number
    ) -> State:
        """The state of a batch at rest, at ambient temperature; states given by name start elsewhere.

        Args:
            shape: Shape of the batch, e.g. (4096, 12) for environments and joints.
            seed: Random seed of a delay.
            dt: Step that the state is made for [s]; a delay in seconds takes its length from it.
            values: States by name, e.g. winding_rise=60.0.
        """
        if dt is not None:
            require_step(dt)
        shape = require_sizes("shape", shape)
        return initial_state(self._engine, self.actuator, shape, seed, dt, values, self._place)

    def reset(self, state: State, mask: Mask, **values: Number) -> State:
        """The state with every motor where `mask` is true back at rest and ambient temperature.

        What an environment has in common, such as its delay, starts again where any of its motors does.
        """
        for name in values:
            if getattr(state, name, None) is None:
                raise ParameterError(f"reset({name}=...): this motor has no such state")
        if (reset := getattr(self._run, "reset", None)) is not None:
            return reset(state, mask, values)
        return reset_state(self._engine, self.engine, state, mask, values, self._place)


def check_options(engine: str, options: CompileOptions) -> None:
    """Check that an engine knows every option; raise `ParameterError` if not."""
    unknown = set(options) - _OPTIONS.get(engine, set())
    if unknown:
        raise ParameterError(f"compile({engine!r}) does not know the option {sorted(unknown)[0]!r}")


def laws(engine: str) -> ModuleType:
    """The steps as pure functions on one engine: `held`, `coupled`, and `with_load` for one of our loads."""
    return bind(chain, engine, load(engine).ops)


def outputs(telemetry: str | Sequence[str] | None, law: str = "held") -> tuple[str, ...] | None:
    """The outputs that are wanted, by name; None: all. A coupled step always says where the joint is."""
    if telemetry is None:
        return None
    names = (telemetry,) if isinstance(telemetry, str) else tuple(telemetry)
    for name in names:
        if name not in OUTPUTS:
            raise ParameterError(f"telemetry names {name!r}: there are {', '.join(OUTPUTS)}")
    return names if law == "held" else (*names, *COUPLED)


@cache
def with_outputs(function: Step, names: tuple[str, ...] | None) -> Step:
    """The step with only some of its outputs; what the others need is left out when it is compiled."""
    if names is None:
        return function

    def step(*arguments: object) -> tuple[State, Output]:
        state, out = function(*arguments)
        kept: dict[str, Any] = {name: getattr(out, name) if name in names else None for name in OUTPUTS}
        return state, Output(**kept)

    return step
