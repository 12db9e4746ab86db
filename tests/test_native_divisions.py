"""Divisions of compiled steps: those by the same number share its reciprocal."""

import math
from collections import Counter

import numpy as np
import pytest

from backemf.engines.native_plan import Bound, Plan
from backemf.engines.native_text import Traces
from backemf.engines.simplify import share_divisions
from backemf.engines.tracing import FLOAT, Program, node, reach


def traces() -> Traces:
    """Quotients of two inputs by one of them, by a number that all motors share, and one that is rounded down."""
    program = Program()
    a, b = program.load("a", FLOAT), program.load("b", FLOAT)
    same = program.number("same")
    out = {
        "twice": a / b + 3.0 / b,
        "shared": a / same + b / (2.0 * same),
        "alone": b / a,
        "whole": node("floor", a / same),
    }
    return Traces({}, {"a": a, "b": b}, {}, {}, {}, {}, out)


def divisions(given: Traces) -> Counter[str]:
    return Counter(x.op for x in reach(given.roots()).values() if not x.uniform)


def test_one_division_for_each_number():
    """1/b for two quotients; b/a; a/same, whose last digit decides what it is rounded down to."""
    assert divisions(traces())["div"] == 6 - 1
    assert divisions(share_divisions(traces()))["div"] == 3


@pytest.mark.parametrize("count", [1, 20])
def test_the_numbers_are_those_of_the_quotients(count: int):
    """To rounding; 0.3 over 0.1, in floats just below 3, is rounded down to 2, and 0.3·(1/0.1) would be to 3."""
    bound = Bound(Plan(traces(), {}), {"same": 0.1}, {})
    a, b = np.full(count, 0.3), np.linspace(0.3, 7.0, count)
    _, out = bound.run([a, b], [], (count,))
    np.testing.assert_allclose(out[0], (a + 3.0) / b, rtol=1e-15)
    np.testing.assert_allclose(out[1], a / 0.1 + b / 0.2, rtol=1e-15)
    np.testing.assert_allclose(out[2], b / a, rtol=1e-15)
    assert math.floor(0.3 / 0.1) == 2
    assert (out[3] == 2.0).all()
