"""Plain Python floats: one motor, some 20 µs a step with all telemetry, for device loops and controller scripts."""

from __future__ import annotations

import math
from types import SimpleNamespace

from ..physics import step as laws
from .bind import bind


def _exp(x: float) -> float:
    return math.exp(x) if x < 709.0 else math.inf


def _expm1(x: float) -> float:
    return math.expm1(x) if x < 709.0 else math.inf


def _sign(x: float) -> float:
    return (x > 0.0) - (x < 0.0)


ops = SimpleNamespace(
    absolute=abs,
    exp=_exp,
    expm1=_expm1,
    log2=math.log2,
    maximum=lambda a, b: a if a > b else b,
    minimum=lambda a, b: a if a < b else b,
    power=math.pow,
    sign=_sign,
    sin=math.sin,
    cos=math.cos,
    sqrt=math.sqrt,
    where=lambda condition, a, b: a if condition else b,
    total=lambda x: x,
    detached=lambda x: x,
)
_bound = bind(laws, "python", ops)
held, coupled = _bound.held, _bound.coupled


def array(value, shape=None):
    """The value as a float; this engine runs one motor."""
    if shape:
        from ..errors import ParameterError

        raise ParameterError(f"shape = {shape}: the python engine runs one motor; take numpy, jax or torch for a batch")
    return float(value)


def select(mask, chosen, other):
    return chosen if mask else other


def compile_held(actuator, options):
    """A function (state, command, position, velocity, dt, load_torque, load_inertia) -> (state, output)."""

    def run(*arguments):
        return held(actuator, *arguments)

    return run
