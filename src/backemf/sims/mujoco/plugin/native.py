"""All joints of a robot as machine code: a call for each group of like actuators."""

from __future__ import annotations

import math

import numpy as np

from ....actuator import Command
from ....engines import bind, load
from ....engines.native_engine import COMMON, WHOLE, like, require_own_motors
from ....engines.native_plan import Bound, Plan, is_plain
from ....engines.native_text import Traces
from ....engines.symbols import leaves, with_symbols
from ....engines.tracing import FLOAT, Line, Program, Symbol, Traced, cast
from ....errors import ParameterError
from ....parts import without_neutral
from ....physics.state import OUTPUTS, Array, State
from ....robot.compiled import share_of
from ....robot.grouping import Group
from ....values import Recorded
from ... import mujoco_joint_law as joint_law

Part = dict[str, Array]
"""The states of a group of like actuators, by name."""


def can_step(groups: tuple[Group, ...]) -> bool:
    """Whether every motor can be stepped by itself: no networks, and no supply that motors share."""
    try:
        for group in groups:
            require_own_motors(group.actuator)
    except ParameterError:
        return False
    return True


class NativeGroup:
    """Steps the joints of one group: `part, rows = group(part, inputs)`."""

    def __init__(self, group: Group, dt: float, names: tuple[str, ...], main: str, joint: tuple[str, ...]):
        require_own_motors(group.actuator)
        self.columns = group.columns
        self._actuator = without_neutral(group.actuator)
        self._dt, self._names, self._main, self._joint = dt, names, main, joint
        self.outputs: tuple[str, ...] = ()
        self._bound: Bound | None = None

    def __call__(self, part: Part, inputs: np.ndarray) -> tuple[Part, np.ndarray]:
        """States after the step, and the rows of speed, slope, grip and `outputs` of these joints."""
        bound = self.bind(part)
        lines = [part[name.removeprefix("state.")] for name in bound.plan.traces.lines]
        states = [part[name] for name in bound.plan.state_names]
        batch = (len(self.columns),)
        after, rows = bound.run([*states, *inputs], lines, batch)  # pyright: ignore[reportArgumentType]
        return self._states(part, after), rows

    def bind(self, part: Part) -> Bound:
        """The compiled step, for states like these."""
        if self._bound is None:
            self._bound = self._trace(part)
        return self._bound

    def _states(self, part: Part, after: np.ndarray) -> Part:
        assert self._bound is not None
        plan, whole, new = self._bound.plan, after.view(np.int64), {}
        for k, name in enumerate(plan.state_names):
            row = (after if k not in plan.whole_states else whole)[k]
            new[name] = like(row, np.shape(part[name])) if name in COMMON else row
        first = len(plan.state_names)
        for name, line in plan.traces.lines.items():
            new[name.removeprefix("state.")] = after[first : first + len(line)]
            first += len(line)
        return new

    def _trace(self, part: Part) -> Bound:
        """The step on symbols, with the numbers of the actuators."""
        program = Program(branches=True)
        numbers, own = {"dt": self._dt}, {}
        named: dict[str, Traced] = {"dt": program.number("dt")}
        for name, value in leaves(self._actuator, "actuator").items():
            if is_plain(value):
                numbers[name], named[name] = float(value), program.number(name)
            else:
                own[name], named[name] = np.asarray(value, dtype=float), program.load(name, FLOAT)
        before: dict[str, Symbol] = {}
        lines: dict[str, Line] = {}
        for name, value in part.items():
            full = f"state.{name}"
            if name.endswith("_line"):
                lines[full] = Line(program, full, len(np.asarray(value)))
            else:
                before[full] = program.load(full, WHOLE.get(full, FLOAT))
        told: dict[str, Traced] = {name: program.load(f"command.{name}", FLOAT) for name in self._names}
        joint = {name: program.load(name, FLOAT) for name in self._joint}
        known: dict[str, Recorded] = {name.removeprefix("state."): x for name, x in (before | lines).items()}
        law = bind(joint_law, "native", load("native").ops)
        command = told[self._main] if self._main in told else share_of(self._actuator, Command(**told))
        position, velocity, *around = joint.values()
        after, *found, out = law.step_joint(
            with_symbols(self._actuator, "actuator", named), State(**known), command, position, velocity, named["dt"],
            *around,
        )  # fmt: skip
        said = dict(zip(("joint speed", "joint slope", "joint grip"), found, strict=True))
        said |= {name: getattr(out, name) for name in OUTPUTS if getattr(out, name) is not None}
        self.outputs = tuple(name for name in OUTPUTS if name in said)
        new = {name: getattr(after, name.removeprefix("state.")) for name in (*before, *lines)}
        traces = Traces(
            before, {**{f"command.{n}": x for n, x in told.items()}, **joint}, {n: named[n] for n in own}, lines,
            {n: new[n] for n in before}, {n: new[n] for n in lines},
            {n: cast(x, FLOAT) if isinstance(x, Symbol) else float(x) for n, x in said.items()},
        )  # fmt: skip
        return Bound(Plan(traces, {}), numbers, own)


class NativeStep:
    """Steps every group under a command of certain inputs, joints in the order of the robot."""

    def __init__(self, groups: tuple[Group, ...], dt: float, names: tuple[str, ...], main: str, joint: tuple[str, ...]):
        self.groups = [NativeGroup(group, dt, names, main, joint) for group in groups]
        self._in_order = len(groups) == 1 and groups[0].columns == tuple(range(len(groups[0].columns)))
        self.outputs: tuple[str, ...] = ()

    def __call__(self, state: tuple[Part, ...], inputs: np.ndarray) -> tuple[tuple[Part, ...], np.ndarray]:
        """States after the step, and the rows of speed, slope, grip and `outputs` of all joints."""
        if self._in_order:
            only = self.groups[0]
            after, rows = only(state[0], inputs)
            self.outputs = only.outputs
            return (after,), rows
        answers = [group(part, inputs[:, list(group.columns)]) for group, part in zip(self.groups, state, strict=True)]
        self.outputs = tuple(name for name in OUTPUTS if any(name in group.outputs for group in self.groups))
        joined = np.full((3 + len(self.outputs), inputs.shape[1]), math.nan)
        for group, (_, rows) in zip(self.groups, answers, strict=True):
            columns = list(group.columns)
            joined[:3, columns] = rows[:3]
            for name, row in zip(group.outputs, rows[3:], strict=True):
                joined[3 + self.outputs.index(name), columns] = row
        return tuple(part for part, _ in answers), joined
