"""A motor as a C function at an address, for programs that call C: a control loop, a simulator, another language.

    int32_t motors(int64_t count, int64_t steps, const double *parameters, const double *own,
                   const double *state, double *after, const double *inputs, double *outputs);

Memory is tables of doubles. `own`, `state` and `after` have a row of `count` numbers for each name; `inputs` and
`outputs` have `steps` such rows for each name, one name after the other. States that are whole numbers are stored as
64 bits. The function keeps nothing, so that any number of threads may call it at once.
"""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches

import numpy as np

from .actuator import Actuator, Command
from .actuator.compiled import laws
from .actuator.needs import require_command, require_load, require_step
from .checks import Number, require_sizes
from .engines.machine_code import compile_text
from .engines.native_engine import Stepper, require_own_motors
from .engines.native_plan import address, group_width, is_plain
from .engines.native_text import Traces, run_text, shared_symbols
from .engines.tracing import evaluate
from .errors import ParameterError
from .loads import Load, LockedRotor, PrescribedMotion
from .motor import Motor
from .parts import without_neutral
from .physics.command import TARGETS
from .physics.state import OUTPUTS
from .rollout import MAIN, Here, channel_names, record_of
from .rollout_needs import check_load, require_run
from .rollout_tracing import leaves_of, state_names, trace_run, values_of
from .simulate import channel_label, start_of
from .values import Recorded

DECLARATION = (
    "int32_t motors(int64_t count, int64_t steps, const double *parameters, const double *own, "
    "const double *state, double *after, const double *inputs, double *outputs);"
)
"""What C sees. It returns 0; 1 where there are fewer motors than it was made for, or no step, and nothing was done."""
_C = ctypes.CFUNCTYPE(ctypes.c_int32, *[ctypes.c_int64] * 2, *[ctypes.c_void_p] * 6)
_HOST = LockedRotor()
"""The load of a joint that the calling program moves: nothing that the code integrates."""
_JOINT = {"position": "joint_position", "velocity": "joint_velocity"}
"""What the joint's numbers are called beside those of commands."""


class CFunction:
    """Machine code that steps motors, and what its tables hold.

    `function(state, inputs)` calls it from Python; C programs get its `address`, and pointers to arrays of NumPy or
    their own. The code lives as long as this object.
    """

    declaration = DECLARATION

    def __init__(self, traces: Traces, numbers: Mapping[str, float], own: Mapping[str, np.ndarray], count: int):
        self._traces = traces
        self.least = min(count, group_width(count))
        """Motors of a call at least [1]."""
        shared = shared_symbols(traces)
        self.parameters = np.array([float(x) for x in evaluate(shared, numbers)] or [0.0])
        """Numbers that all motors share, as the code uses them."""
        self.own = np.empty((len(own), count))
        """Numbers that each motor has of its own, in the order of `own_names`."""
        for k, value in enumerate(own.values()):
            self.own[k] = value
        self.own_names = tuple(name.removeprefix("actuator.") for name in own)
        self.state_names = tuple(_rows(traces))
        """Name of each row of the states; the last is 0, or not a number after an output that was not finite."""
        self.input_names = tuple(traces.inputs)
        """Name of each table of inputs."""
        self.output_names = tuple(traces.out)
        """Name of each table of outputs."""
        self._engine = compile_text(_text(traces, self.least))
        self.address: int = self._engine.get_function_address("motors")
        """Where the code is."""
        self._call = _C(self.address)

    def __call__(self, state: np.ndarray, inputs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """States after the steps, and outputs: tables of names, steps and motors."""
        count = self.own.shape[1]
        wanted = len(self.state_names), count
        if np.shape(state) != wanted:
            raise ParameterError(f"state has the shape {np.shape(state)}: must be {wanted}, as `c_function` gives it")
        given = np.ascontiguousarray(inputs, dtype=float)
        if given.ndim != 3 or given.shape[::2] != (len(self.input_names), count) or not given.shape[1]:
            names = ", ".join(self.input_names)
            raise ParameterError(
                f"inputs has the shape {given.shape}: must be ({len(self.input_names)}, steps, {count}), for {names}"
            )
        state = np.ascontiguousarray(state, dtype=float)
        after, out = np.empty_like(state), np.empty((len(self.output_names), given.shape[1], count))
        places = (address(x) for x in (self.parameters, self.own, state, after, given, out))
        self._call(count, given.shape[1], *places)
        return after, out


def c_function(
    actuator: Actuator | Motor,
    dt: float,
    *,
    count: int = 1,
    load: Load | None = None,
    load_is_known: bool = False,
    commands: Sequence[str] = (),
    outputs: Sequence[str] = ("torque",),
    position: Number = 0.0,
    velocity: Number = 0.0,
    initial: Mapping[str, Number] | None = None,
    seed: int = 0,
) -> tuple[CFunction, np.ndarray]:
    """Motors as a C function, and the states with which they start.

    Args:
        actuator: What is stepped; its numbers may be arrays with one per motor.
        dt: Step [s].
        count: How many motors there are; calls may have more.
        load: What the joint moves, which the code then integrates; None: the calling program moves the joint.
        load_is_known: Without `load`: whether the calling program says the torque [N·m] and the inertia [kg·m²] at the
            joint, in each step.
        commands: Targets that are commanded, such as ("position", "effort"); none: the controller's main input.
        outputs: What is put out: fields of `Output`, with a load channels of a run.
        position: Joint position at the start [rad].
        velocity: Joint velocity at the start [rad/s].
        initial: States of the motor by name, such as {"winding_rise": 60.0}.
        seed: Random seed of a delay.
    """
    actuator = require_run("c_function", actuator, load or _HOST)
    require_own_motors(actuator)
    require_step(dt)
    if not is_plain(dt):
        raise ParameterError(f"dt has the shape {np.shape(dt)}: must be one number of seconds, the same for all motors")
    (count,) = require_sizes("count", count, 1)
    commands = _require_commands(actuator, commands)
    if load is None and (np.any(position) or np.any(velocity)):
        raise ParameterError(
            "position, velocity: without load they are inputs of each step: leave them out, or give a load"
        )
    start = start_of(actuator, load or _HOST, (count,), position, velocity, initial or {}, dt, seed)
    composed = without_neutral(actuator)
    values = leaves_of(composed, load or _HOST)
    if load is not None and load_is_known:
        raise ParameterError(
            "load_is_known = True: is for a load of the calling program: leave it out, or leave load out"
        )
    if load is None:
        require_load(actuator, *((0.0, 1.0) if load_is_known else (None, None)))
        traces = _trace_held(composed, start, commands, load_is_known, outputs)
    else:
        own = tuple(name for name, value in values.items() if not is_plain(value))
        traces = _trace_with(composed, load, start, commands, own, outputs)
    numbers = {"dt": float(dt)} | {name: float(x) for name, x in values.items() if name not in traces.own}
    function = CFunction(traces, numbers, {name: _each(name, values[name], count) for name in traces.own}, count)
    state = np.zeros((traces.rows_after_a_run, count))
    state[:-1] = traces.pack(values_of(start), (count,))
    return function, state


def _trace_with(
    actuator: Actuator, load: Load, start: Here, commands: tuple[str, ...], own: tuple[str, ...], outputs: Sequence[str]
) -> Traces:
    """Motor and load together, which integrate the joint."""
    if isinstance(load, PrescribedMotion):
        raise ParameterError(
            "load = PrescribedMotion(...): leave load out, and give the motion as joint_position and joint_velocity"
        )
    check_load(actuator, load)
    names = _require_outputs(outputs, channel_names(actuator, load))
    traces = trace_run(
        laws("native"), actuator, load, state_names(start.state), commands or (MAIN,), (), own,
        lambda here, out: dict(zip(names, record_of(names, load, here, out), strict=True)),
    )  # fmt: skip
    inputs = {channel_label(name.removeprefix("input.")): x for name, x in traces.inputs.items()}
    return replace(traces, inputs=inputs)


def _trace_held(
    actuator: Actuator, start: Here, commands: tuple[str, ...], load_is_known: bool, outputs: Sequence[str]
) -> Traces:
    """Motors whose joints the calling program moves."""
    given = [f"state.{name}" for name, frames in state_names(start.state) if frames is None]
    given += [f"command.{name}" for name in commands] or ["command"]
    given += ["position", "velocity", *(("load_torque", "load_inertia") if load_is_known else ())]
    frames = {f"state.{name}": count for name, count in state_names(start.state) if count is not None}
    stepper = Stepper(laws("native").held, actuator)
    plan = stepper.plan(given, frames, True, (Command if commands else float, type(None)))
    said = plan.traces.out | plan.plain
    names = _require_outputs(outputs, [name for name in OUTPUTS if name in said])
    labels = {f"command.{name}": channel_label(name) for name in commands} | _JOINT
    inputs = {labels.get(name, name): x for name, x in plan.traces.inputs.items()}
    return replace(plan.traces, inputs=inputs, out={name: said[name] for name in names})


def _require_commands(actuator: Actuator, commands: str | Sequence[str]) -> tuple[str, ...]:
    """The targets that are commanded, none for the main one; raises `ParameterError` where they are not to be had."""
    names = (commands,) if isinstance(commands, str) else tuple(commands)
    for name in names:
        if name not in TARGETS:
            raise ParameterError(f"commands: there is no target {name!r}, there are {', '.join(TARGETS)}")
    require_command(actuator, Command(**dict.fromkeys(names or (actuator.controller.main,), 0.0)))
    return names


def _each(name: str, value: Recorded, count: int) -> np.ndarray:
    """A number for each motor; raises `ParameterError` where there are not as many."""
    try:
        return np.broadcast_to(np.asarray(value, dtype=float), (count,))
    except ValueError:
        shape = np.shape(value)
        raise ParameterError(
            f"{name} has the shape {shape}: give one number, or one for each of count = {count} motors"
        ) from None


def _require_outputs(wanted: str | Sequence[str], known: list[str]) -> list[str]:
    """The outputs that are wanted; raises `ParameterError` where there is no such."""
    names = [wanted] if isinstance(wanted, str) else list(wanted)
    for name in names:
        if name not in known:
            near = get_close_matches(str(name), known, n=1) or known[:1]
            raise ParameterError(f"outputs: no output {name!r} here, the nearest is {near[0]!r}")
    return names


def _rows(traces: Traces) -> list[str]:
    """The name of each row of the states."""
    names = [name.removeprefix("state.") for name in traces.states]
    names = [_JOINT.get(name, name) for name in names]
    for name, line in traces.lines.items():
        names += [f"{name.removeprefix('state.')}.{k}" for k in range(len(line))]
    return [*names, "finite"]


def _text(traces: Traces, least: int) -> str:
    """The code: a loop over steps and motors, behind a function whose arguments are always the same."""
    inputs = [f"%in{k}" for k in range(len(traces.inputs))]
    places = [
        line
        for k, name in enumerate(inputs)
        for line in (f"  %at{k} = mul i64 %apart, {k}", f"  {name} = getelementptr double, ptr %inputs, i64 %at{k}")
    ]
    memories = ["%parameters", "%own", "%state", "%after", "%outputs", *inputs]
    arguments = ", ".join(f"ptr {name}" for name in memories)
    return "\n".join(
        [
            run_text(traces, least, False, frozenset()),
            "define i32 @motors(i64 %count, i64 %steps, ptr %parameters, ptr %own, ptr %state, ptr %after, "
            "ptr %inputs, ptr %outputs) {",
            f"  %few = icmp slt i64 %count, {least}",
            "  %none = icmp slt i64 %steps, 1",
            "  %refused = or i1 %few, %none",
            "  br i1 %refused, label %refuse, label %step",
            "refuse:",
            "  ret i32 1",
            "step:",
            "  %apart = mul i64 %count, %steps",
            *places,
            f"  call void @run(i64 %count, i64 0, i64 %count, i64 %steps, i64 1, i64 %apart, {arguments})",
            "  ret i32 0",
            "}",
            "",
        ]
    )
