"""Derivatives of traced programs: each rule against finite differences, all of them through a random expression."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from backemf.engines.adjoint import derivatives
from backemf.engines.tracing import FLOAT, HOST, Program, Symbol, Traced, ops

EXPRESSIONS: dict[str, Callable[[Traced, Traced], Traced]] = {
    "sum": lambda x, y: x + 2.0 * y - x * y,
    "quotient": lambda x, y: (x + 3.0) / (y + 5.0) - x,
    "powers": lambda x, y: ops.power(ops.absolute(x) + 1.0, y) + x**3,
    "exponentials": lambda x, y: ops.exp(0.3 * x) * ops.expm1(0.2 * y) + ops.tanh(x * y),
    "logarithm": lambda x, y: ops.log2(ops.absolute(x) + 1.0 + y * y),
    "waves": lambda x, y: ops.sin(x) * ops.cos(y) + ops.sqrt(1.0 + x * x),
    "choices": lambda x, y: ops.where(x > y, x * x, y * 3.0) + ops.maximum(x, 2.0 * y) - ops.minimum(x * y, 0.4),
    "steps": lambda x, y: ops.sign(x) * y + ops.floor(y) * x,
}


def value_of(x: Traced, given: dict[str, float]) -> float:
    """A traced value, computed by the host."""
    if not isinstance(x, Symbol):
        return x
    if x.op == "load":
        return given[x.args[0]]
    return HOST[x.op](*(value_of(each, given) for each in x.args))


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_derivatives_are_those_of_small_differences(name: str):
    """(f(x + h) - f(x - h))/2h, at points away from corners."""
    program = Program()
    x, y = program.load("x", FLOAT), program.load("y", FLOAT)
    result = EXPRESSIONS[name](x, y)
    (row,) = derivatives([result], [x, y])
    for point in np.random.default_rng(0).uniform(-2.0, 2.0, (20, 2)):
        at = {"x": float(point[0]), "y": float(point[1])}
        for slope, by in zip(row, at, strict=True):
            h = 1e-6
            ahead, behind = (value_of(result, at | {by: at[by] + d}) for d in (h, -h))
            assert value_of(slope, at) == pytest.approx((ahead - behind) / (2.0 * h), rel=1e-6, abs=1e-8)


def test_what_does_not_depend_on_an_input_has_no_derivative():
    """A plain 0, so that nothing is computed for it."""
    program = Program()
    x, y = program.load("x", FLOAT), program.load("y", FLOAT)
    assert derivatives([2.0 * x, 3.0], [x, y]) == [[2.0, 0.0], [0.0, 0.0]]


def test_zero_to_a_power_does_not_change_with_the_power():
    """0^y = 0 for any y above 0: the logarithm of 0 must not make it infinite."""
    program = Program()
    x, y = program.load("x", FLOAT), program.load("y", FLOAT)
    (row,) = derivatives([ops.power(x, y)], [x, y])
    assert value_of(row[1], {"x": 0.0, "y": 2.0}) == 0.0
    assert value_of(row[1], {"x": 2.0, "y": 3.0}) == pytest.approx(8.0 * math.log(2.0))
