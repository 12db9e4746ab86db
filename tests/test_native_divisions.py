"""Divisions of compiled steps: those by the same number share its reciprocal."""

import math
from collections import Counter

import numpy as np
import pytest

import backemf as be
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
        "nearest": node("floor", a / (2.0 * same) + 0.5),
    }
    return Traces({}, {"a": a, "b": b}, {}, {}, {}, {}, out)


def divisions(given: Traces) -> Counter[str]:
    return Counter(x.op for x in reach(given.roots()).values() if not x.uniform)


def test_one_division_for_each_number():
    """1/b for two quotients; b/a; two whose last digit decides what they are rounded down to."""
    assert divisions(traces())["div"] == 7 - 1
    assert divisions(share_divisions(traces()))["div"] == 4


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


@pytest.mark.parametrize("count", [1, 20])
def test_what_leads_to_rounding_keeps_its_last_digit(count: int):
    """0.0075/0.003 is 2.5, which goes up to 3; 0.0075·(1/0.003) would be just below, and go down."""
    assert 0.0075 * (1.0 / 0.003) < 2.5 == 0.0075 / 0.003
    bound = Bound(Plan(traces(), {}), {"same": 0.0015}, {})
    _, out = bound.run([np.full(count, 0.0075), np.ones(count)], [], (count,))
    assert (out[4] == 3.0).all()


def test_a_delay_of_half_steps_is_that_of_numpy():
    """Delays of k + ½ steps, in seconds, are rounded to the same whole number of steps by both engines."""
    seconds, seen = (np.arange(8) + 0.5) * 0.003, []
    actuator = be.Actuator(
        controller=be.IdealPd(stiffness=1.0, damping=0.0), delay=be.Delay(seconds=seconds, whole=True)
    )
    for engine in ("numpy", "native"):
        step = actuator.compile(engine)
        state, torques = step.initial((8,), dt=0.003), []
        for k in range(12):
            state, out = step(state, float(k), 0.0, 0.0, 0.003)
            torques.append(out.torque)
        seen.append(np.array(torques))
    assert np.array_equal(*seen)


@pytest.mark.parametrize("count", [1, 20])
@pytest.mark.parametrize("b", [5e-324, 1e-315, 2e-308, 1e-302, 1e-200, 1.0, 1e200, 1.7e308])
@pytest.mark.parametrize("share", [0.0, 0.5, 3.0, -7.0])
def test_any_number_can_be_divided_by(b: float, share: float, count: int):
    """1/b is infinite below 5.6e-309, where 0/b is still 0 and b/b is 1."""
    a = share * b
    bound = Bound(Plan(traces(), {}), {"same": b}, {})
    _, out = bound.run([np.full(count, a), np.full(count, b)], [], (count,))
    with np.errstate(all="ignore"):
        expected = np.float64(a) / b + np.float64(3.0) / b, np.float64(a) / b + b / (2.0 * np.float64(b))
    np.testing.assert_allclose(out[0], expected[0], rtol=1e-14)
    np.testing.assert_allclose(out[1], expected[1], rtol=1e-14)
