"""A step that is ready to run on one engine."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from ..checks import require_sizes
from ..engines import bind, load
from ..engines.reset import reset_state
from ..errors import ParameterError
from ..hooks import call_hook
from ..parts import without_neutral
from ..physics.state import OUTPUTS, Output, State
from . import chain
from .memory import initial_state
from .needs import (
    look_of,
    require_command,
    require_finite_joint,
    require_frames,
    require_load,
    require_shapes,
    require_step,
)

if TYPE_CHECKING:
    from .actuator import Actuator
    from .delay import Draws

_OPTIONS = {
    "torch": {"dtype", "device", "dynamic", "eager", "in_place", "telemetry"},
    "jax": {"in_place", "telemetry"},
    "warp": {"dtype", "device", "in_place", "telemetry"},
}


class CompiledStep:
    """Steps a batch of one kind of actuator: `state, out = step(state, command, position, velocity, dt)`."""

    def __init__(self, actuator: Actuator, engine: str, options: dict[str, Any]):
        check_options(engine, options)
        self.actuator = actuator
        composed = without_neutral(actuator)
        self.engine = engine
        self._options = options
        self._engine = load(engine)
        self._place = {name: options[name] for name in ("dtype", "device") if name in options}
        step = wanted(laws(engine).held, outputs(options.get("telemetry")))
        self._run = self._engine.compile_step(step, composed, options)
        self._look = None

    def __reduce__(self) -> tuple[Any, ...]:
        # what was compiled belongs to this process: a copy compiles it again
        return CompiledStep, (self.actuator, self.engine, self._options)

    def __repr__(self) -> str:
        return f"CompiledStep({self.engine}, {self.actuator!r})"

    def _repr_html_(self) -> str:
        return call_hook("notebook_html", self)

    def initial(
        self, shape: tuple[int, ...] | int = (), *, seed: int = 0, dt: float | None = None, **values: Any
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

    def __call__(
        self,
        state: State,
        command: Any,
        joint_position: Any,
        joint_velocity: Any,
        dt: Any,
        load_torque: Any = None,
        load_inertia: Any = None,
        draws: Draws | None = None,
    ) -> tuple[State, Output]:
        """New state and output after `dt` seconds under a command: the controller's main input, or a `Command`.

        Position [rad] and velocity [rad/s] of the joint are held over the step. What the host knows of the joint's
        other torque [N·m] and inertia [kg·m²] may be given: load-dependent friction and backlash need it, dry friction
        stops exactly with it. `draws` stand in for the delay's own random numbers.
        """
        # what looks like the step before has been checked
        look = look_of(state, command, joint_position, joint_velocity, dt, load_torque, load_inertia)
        if look is None or look != self._look:
            self._check(state, command, joint_position, joint_velocity, dt, load_torque, load_inertia)
            self._look = look
        return self._run(state, command, joint_position, joint_velocity, dt, load_torque, load_inertia, draws)

    def _check(self, state, command, joint_position, joint_velocity, dt, load_torque, load_inertia) -> None:
        require_step(dt)
        require_finite_joint(joint_position, joint_velocity, load_torque, load_inertia)
        require_command(self.actuator, command)
        require_load(self.actuator, load_torque, load_inertia)
        require_frames(self.actuator, state, dt)
        if self.engine != "python":
            require_shapes(state, command, joint_position=joint_position, joint_velocity=joint_velocity)

    def reset(self, state: State, mask: Any, **values: Any) -> State:
        """The state with every motor where `mask` is true back at rest and ambient temperature.

        What an environment has in common, such as its delay, starts again where any of its motors does.
        """
        for name in values:
            if getattr(state, name, None) is None:
                raise ParameterError(f"reset({name}=...): this motor has no such state")
        if hasattr(self._run, "reset"):
            return self._run.reset(state, mask, values)
        return reset_state(self._engine, self.engine, state, mask, values, self._place)


def check_options(engine: str, options: dict[str, Any]) -> None:
    """Raise one sentence if an engine does not know an option."""
    unknown = set(options) - _OPTIONS.get(engine, set())
    if unknown:
        raise ParameterError(f"compile({engine!r}) does not know the option {sorted(unknown)[0]!r}")


def laws(engine: str) -> Any:
    """The laws of the chain on one engine: `held` for a host, `receive` and `coupled` together with a load."""
    return bind(chain, engine, load(engine).ops)


def outputs(telemetry: Any) -> tuple[str, ...] | None:
    """The outputs that are wanted, by name; None: all."""
    if telemetry is None:
        return None
    names = (telemetry,) if isinstance(telemetry, str) else tuple(telemetry)
    for name in names:
        if name not in OUTPUTS:
            raise ParameterError(f"telemetry names {name!r}: there are {', '.join(OUTPUTS)}")
    return names


@cache
def wanted(function: Any, names: tuple[str, ...] | None) -> Any:
    """The step with only some of its outputs; what the others need is left out when it is compiled."""
    if names is None:
        return function

    def step(*arguments):
        state, out = function(*arguments)
        return state, Output(**{name: getattr(out, name) if name in names else None for name in OUTPUTS})

    return step
