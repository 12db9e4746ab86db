"""Delays that differ between targets: a position that comes over a slow bus, an effort that comes over a fast one.

mjlab delays position, velocity and effort by one lag. Here each `Delay` delays its own targets, with its own lags,
draws and resets, before they meet at the controller.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace

from ...actuator import Actuator, Command, Delay
from ...actuator.arrival import receive
from ...actuator.chain import held
from ...actuator.compiled import outputs, with_outputs
from ...actuator.memory import delay_states, initial_state
from ...checks import Number
from ...engines import bind, load
from ...engines.reset import reset_state
from ...errors import ParameterError
from ...parts import without_neutral
from ...physics.ops import as_bits, change
from ...physics.state import Output, State
from ..types import Fields
from .implicit import line_ahead, step_taken

APART = 1_000_003
"""Distance of the random seeds of two delays of one actuator."""


def require_delays(actuator: Actuator, delays: object) -> tuple[Delay, ...]:
    """The delays, each with targets that no other delay has; raises ParameterError if two share a target."""
    given = (delays,) if isinstance(delays, Delay) else delays
    if not isinstance(given, (tuple, list)) or not all(isinstance(each, Delay) for each in given):
        raise ParameterError(
            f"MotorActuatorCfg.delays = {delays!r}: must be one or more backemf.Delay, each with its own targets"
        )
    seen = dict.fromkeys(actuator.delayed_inputs, "Actuator.delay")
    for number, delay in enumerate(given):
        own = f"MotorActuatorCfg.delays[{number}]"
        if delay.targets is None:
            raise ParameterError(f'{own}: say which targets it delays, e.g. Delay(steps=2, targets=("position",))')
        for name in delay.targets:
            if name not in actuator.controller.inputs:
                takes = ", ".join(actuator.controller.inputs)
                raise ParameterError(
                    f"{own} delays {name!r}, but {type(actuator.controller).__name__} takes {takes}; leave it out"
                )
            if name in seen:
                raise ParameterError(f"{own} delays {name!r}, and so does {seen[name]}; give each target one delay")
            seen[name] = own
    return tuple(given)


class DelayedStep:
    """Steps a batch of actuators of one kind whose targets arrive over several lines, like `CompiledStep`.

    Its state is a tuple: the actuator's state, then the state of each line. `law` is "held" for a joint whose speed is
    held over the step, "ahead" for a line of torque over speed, or "taken" for a step whose end is known; the last two
    take the arguments of `implicit.line_ahead` and `implicit.step_taken`.
    """

    def __init__(self, actuator: Actuator, delays: tuple[Delay, ...], options: Fields, law: str = "held"):
        self._engine = load("torch")
        self._place = {name: options[name] for name in ("dtype", "device") if name in options}
        # a line knows the controller and the range of its command, and takes nothing but its own targets
        self._lines = tuple(replace(actuator, delay=delay) for delay in delays)
        late = {name for line in self._lines for name in line.delayed_inputs}
        if actuator.controller.main in late:
            # the range holds where a command is sent
            actuator = replace(actuator, command_range=None)
        self._actuator = actuator
        laws = bind(sys.modules[__name__], "torch", self._engine.ops)
        step = with_outputs(getattr(laws, f"{law}_over_lines"), outputs(options.get("telemetry")))
        self._run = self._engine.compile_step(step, (without_neutral(actuator), *self._lines), options)

    def initial(self, shape: tuple[int, ...], seed: int, dt: float) -> tuple[State, ...]:
        """The state of a batch at rest, with nothing under way."""
        first = initial_state(self._engine, self._actuator, shape, seed, dt, {}, self._place)
        lines = []
        for number, line in enumerate(self._lines, start=1):
            state = initial_state(self._engine, line, shape, seed + APART * number, dt, {}, self._place)
            lines.append(State(**{name: getattr(state, name) for name in delay_states(line)}))
        return (first, *lines)

    def __call__(
        self, states: tuple[State, ...], command: Command, position: Number, velocity: Number, dt: float, *load: Number
    ) -> tuple[tuple[State, ...], Output]:
        """New states and output after `dt` seconds."""
        return self._run(states, command, position, velocity, dt, *load)

    def reset(self, states: tuple[State, ...], mask: Number) -> tuple[State, ...]:
        """The states with every motor and every line where `mask` is true back at the start."""
        return tuple(reset_state(self._engine, "torch", state, mask, {}, self._place) for state in states)


Actuators = tuple[Actuator, ...]
States = tuple[State, ...]
Step = Callable[..., tuple[State, Output]]


def held_over_lines(actuators: Actuators, states: States, command: Command, *joint: float) -> tuple[States, Output]:
    """Let each line deliver its targets, then step the actuator under what has arrived."""
    return over_lines(held, actuators, states, command, *joint)


def ahead_over_lines(actuators: Actuators, states: States, command: Command, *joint: float) -> tuple[States, Output]:
    """The same for a line of torque over speed."""
    return over_lines(line_ahead, actuators, states, command, *joint)


def taken_over_lines(actuators: Actuators, states: States, command: Command, *joint: float) -> tuple[States, Output]:
    """The same for a step whose end is known."""
    return over_lines(step_taken, actuators, states, command, *joint)


def over_lines(
    law: Step, actuators: Actuators, states: States, command: Command, position: float, velocity: float, *rest: float
) -> tuple[States, Output]:
    """New states and output of a law under what the lines deliver; `rest` is dt [s] and what the law takes besides."""
    flags, after = 0, []
    for line, state in zip(actuators[1:], states[1:], strict=True):
        sent = Command(**{name: getattr(command, name) for name in line.delayed_inputs})
        arrived, invalid, state = receive(line, state, sent, position, velocity, rest[0], None)
        command = change(command, **{name: getattr(arrived, name) for name in line.delayed_inputs})
        flags = flags | invalid
        after.append(state)
    state, out = law(actuators[0], states[0], command, position, velocity, *rest)
    return (state, *after), change(out, limit=as_bits(out.limit | flags))
