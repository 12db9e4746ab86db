"""Sizes that no machine has: one sentence with the size, before anything is made."""

import tracemalloc

import numpy as np
import pytest
from test_bad_input import LOAD, MOTOR, refusal

import backemf as be

jnp = pytest.importorskip("jax").numpy
torch = pytest.importorskip("torch")

HUGE = [10**12, (10**9, 10**9), 10**30, (4096, 10**400)]
WRONG = [-1, 1.5, "ab", None, True, (2, -3), (2, True), {"a": 1}]
ROBOT = be.ActuatorSet(["knee", "hip"], {"knee": be.Actuator(MOTOR), "hip": be.Actuator()})


def within_200_megabytes(make, *words) -> None:
    """Refused without taking memory on the way."""
    tracemalloc.start()
    try:
        refusal(make, *words)
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("engine", ["numpy", "jax", "torch"])
@pytest.mark.parametrize("shape", HUGE, ids=lambda shape: str(shape)[:20])
def test_a_state_larger_than_the_machine(engine, shape):
    """The sentence says how large it would be and what to do."""
    options = {"eager": True} if engine == "torch" else {}
    step = MOTOR.compile(engine, **options)
    within_200_megabytes(lambda: step.initial(shape), "a state of the shape", "GiB", "run fewer motors at once")


@pytest.mark.parametrize("shape", HUGE, ids=lambda shape: str(shape)[:20])
def test_runs_draws_and_robots(shape):
    """The same for `simulate`, `randomize` and a robot."""
    within_200_megabytes(lambda: be.simulate(MOTOR, LOAD, 1.0, 0.01, 1e-3, shape=shape, engine="numpy"), "GiB", "fewer")
    entries = {"winding.resistance": be.random.Scale(0.9, 1.1)}
    within_200_megabytes(lambda: be.randomize(MOTOR, entries, shape), "GiB", "draw for fewer motors")
    step = ROBOT.compile("numpy")
    within_200_megabytes(lambda: step.initial(shape), "GiB", "run fewer motors")


@pytest.mark.parametrize(
    "delay",
    [be.Delay(steps=10**12), be.Delay(steps=1e300), be.Delay(seconds=1e9), be.Delay(steps=1, frames=10**400)],
    ids=["steps", "1e300 steps", "seconds", "frames"],
)
def test_a_delay_longer_than_the_memory(delay):
    """The sentence says how many frames it has; also for one motor on plain floats and in a run."""
    kind = be.Actuator(MOTOR, delay=delay)
    for engine in ("numpy", "python"):
        step = kind.compile(engine)
        within_200_megabytes(lambda step=step: step.initial((), dt=1e-6), "GiB", "shorten the delay, which has 1e+")
    within_200_megabytes(lambda: be.simulate(kind, LOAD, 1.0, 0.01, 1e-3, engine="numpy"), "shorten the delay")


def test_a_delay_without_end():
    """Seconds over a step may leave the finite numbers."""
    step = be.Actuator(MOTOR, delay=be.Delay(seconds=1e300)).compile("numpy")
    refusal(lambda: step.initial(2, dt=1e-300), "Delay.seconds = 1e+300", "shorten it or raise dt")


@pytest.mark.parametrize("shape", WRONG, ids=repr)
def test_what_is_no_shape(shape):
    """Whole numbers of motors only."""
    step = MOTOR.compile("numpy")
    refusal(lambda: step.initial(shape), "shape = ", "must be a whole number of motors")
    refusal(lambda: be.randomize(MOTOR, {"winding.resistance": be.random.Scale(0.9, 1.1)}, shape), "shape = ")
    if shape is not None:
        refusal(lambda: be.simulate(MOTOR, LOAD, 1.0, 0.01, 1e-3, shape=shape, engine="numpy"), "shape = ")


def test_whole_numbers_of_numpy_are_sizes():
    """A size that comes out of an array."""
    assert MOTOR.compile("numpy").initial((np.int64(2), 3)).winding_rise.shape == (2, 3)
