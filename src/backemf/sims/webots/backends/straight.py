"""Webots' law as one straight line of Python: what a controller script needs to step four motors in some 20 µs.

The law runs once on symbols, and what it does is written down as a function of plain floats, with every constant of
the motor, the joint and the step in its place. So there is one law, and here it is faster.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from types import ModuleType
from typing import Any, TypeVar

from ....engines import bind
from ....engines.tracing import FLOAT, Program, Symbol, node, ops
from ....tree import map_numbers
from ...types import Fields
from .. import law
from ..law import JointState, MotorState
from ..motor import WebotsJoint, WebotsMotor
from .axis import Axis

T = TypeVar("T", WebotsMotor, WebotsJoint)
SET_AT_RUN = ("control_p", "control_i", "control_d", "acceleration")
"""Constants of a motor that a controller may change at any time, so that they stay variables [1]."""
MEMORY = MotorState._fields
"""What the motor remembers, under the names of the axis."""

_SIGNS = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==",
    "ne": "!=", "and": "and", "or": "or",
}  # fmt: skip
_CALLS = {"abs": "abs", "sqrt": "sqrt", "atan": "atan"}


Value = Symbol | float
Step = Callable[[Axis, float], None]
"""`step(axis, load)`: reads and writes the names of `MotorState`, `position`, `speed` and `feedback` of an axis."""


@lru_cache(maxsize=256)
def straight_step(motor: WebotsMotor, joint: WebotsJoint, inertia: float, dt: float) -> Step:
    """A function that moves an axis by a basic time step under a load [N·m], as `webots_step` does.

    The gains, the acceleration limit and the brake are the axis' own, too.
    """
    given = _symbols()
    after, at, feedback = _laws().webots_step(
        *_parts(motor, joint, given), _state(given), JointState(given["position"], given["speed"]), inertia,
        given["load"], dt,
    )  # fmt: skip
    return _compile(_changes(after, given) | {"position": at.position, "speed": at.velocity, "feedback": feedback})


@lru_cache(maxsize=256)
def straight_control(motor: WebotsMotor, joint: WebotsJoint, dt: float) -> Step:
    """A function that finds what the engine is asked for: `wanted`, a velocity, with at most `most` of torque."""
    given = _symbols()
    laws = _laws()
    moving, braked = _parts(motor, joint, given)
    after = laws.commanded_velocity(moving, _state(given), given["position"], dt)
    wanted = ops.where(laws.in_torque(after), 0.0, after.velocity)
    return _compile(_changes(after, given) | {"wanted": wanted, "most": laws.largest_torque(braked, after)})


@lru_cache(maxsize=256)
def straight_kinematic(motor: WebotsMotor, dt: float) -> Step:
    """A function that moves an axis whose end point has no Physics, as `kinematic_step` does."""
    given = _symbols()
    moving, _ = _parts(motor, WebotsJoint(), given)
    after, position, _ = _laws().kinematic_step(moving, _state(given), given["position"], dt)
    speed = (position - given["position"]) / dt
    return _compile(_changes(after, given) | {"position": position, "speed": speed})


def _symbols() -> dict[str, Symbol]:
    program = Program()
    names = (*MEMORY, "position", "speed", "load", "brake", *SET_AT_RUN)
    return {name: program.load(name, FLOAT) for name in names}


def _state(given: dict[str, Symbol]) -> MotorState:
    return MotorState(*(given[name] for name in MEMORY))


def _parts(motor: WebotsMotor, joint: WebotsJoint, given: dict[str, Symbol]) -> tuple[WebotsMotor, WebotsJoint]:
    """Motor and joint with plain floats, and with symbols for what may change at any time."""
    moving = _with(map_numbers(motor, float), **{name: given[name] for name in SET_AT_RUN})
    return moving, _with(map_numbers(joint, float), brake=given["brake"])


def _changes(after: MotorState, given: dict[str, Symbol]) -> dict[str, Value]:
    return {name: value for name, value in after._asdict().items() if value is not given[name]}


def _compile(results: dict[str, Value]) -> Step:
    scope: Fields = {"sqrt": math.sqrt, "atan": math.atan, "inf": math.inf}
    exec(compile(_source(results), "<webots law>", "exec"), scope)
    return scope["step"]


def _laws() -> ModuleType:
    """The law on symbols; the arctangent is the machine's own, which differs from the law's series by 2e-15."""
    bound: Any = bind(law, "straight", ops)
    bound.arctan = lambda x: node("atan", x)
    return bound


def _with(part: T, **values: Symbol) -> T:
    """A part with symbols in it, past its checks: they are of numbers that are known."""
    changed = object.__new__(type(part))
    for name in part.__dataclass_fields__:
        object.__setattr__(changed, name, values.get(name, getattr(part, name)))
    return changed


def _source(results: dict[str, Value]) -> str:
    """The text of the function: what is used once stands where it is used, the rest has a name."""
    wanted = _symbols_needed(list(results.values()))
    uses: dict[int, int] = {}
    for value in (*results.values(), *(x for symbol in wanted for x in symbol.args)):
        if isinstance(value, Symbol):
            uses[value.index] = uses.get(value.index, 0) + 1
    # both sides of a choice between two numbers are named, since they are read twice
    for symbol in wanted:
        if symbol.op in ("max", "min"):
            uses |= {x.index: 2 for x in symbol.args if isinstance(x, Symbol)}
    lines, texts = ["def step(a, load):"], {}
    for symbol in wanted:
        if symbol.op == "load":
            name = symbol.args[0]
            texts[symbol.index] = name
            if name != "load":
                lines.append(f"    {name} = a.{name}")
            continue
        text = _text(symbol, texts)
        if uses[symbol.index] > 1:
            lines.append(f"    x{symbol.index} = {text}")
            text = f"x{symbol.index}"
        texts[symbol.index] = text
    for name, value in results.items():
        lines.append(f"    a.{name} = {_atom(value, texts)}")
    return "\n".join(lines) + "\n"


def _symbols_needed(results: list[Value]) -> list[Symbol]:
    """Every symbol that the results need, in an order in which they can be computed."""
    found: dict[int, Symbol] = {}
    open_: list[Value] = list(results)
    while open_:
        value = open_.pop()
        if isinstance(value, Symbol) and value.index not in found:
            found[value.index] = value
            open_ += value.args
    return [found[index] for index in sorted(found)]


def _text(symbol: Symbol, texts: dict[int, str]) -> str:
    parts = [_atom(x, texts) for x in symbol.args]
    if symbol.op in _SIGNS:
        return f"({parts[0]} {_SIGNS[symbol.op]} {parts[1]})"
    if symbol.op in _CALLS:
        return f"{_CALLS[symbol.op]}({parts[0]})"
    if symbol.op == "neg":
        return f"(-{parts[0]})"
    if symbol.op == "where":
        return f"({parts[1]} if {parts[0]} else {parts[2]})"
    if symbol.op in ("max", "min"):
        return f"({parts[0]} if {parts[0]} {'>' if symbol.op == 'max' else '<'} {parts[1]} else {parts[1]})"
    raise NotImplementedError(f"the law has an operation {symbol.op!r} that is not written down here")


def _atom(value: Value, texts: dict[int, str]) -> str:
    if isinstance(value, Symbol):
        return texts[value.index]
    return repr(value) if value >= 0 else f"({value!r})"
