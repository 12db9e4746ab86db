"""The Warp engine with the Warp that Newton brings: NumPy's numbers in both precisions, kernel and loop alike."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import warp as wp
from rig import DT, KINDS, course, reference

import backemf as be

COUNT, STEPS = 24, 40


def torques(actuator: be.Actuator, given, dtype, spread: int = 1) -> dict[str, np.ndarray]:
    """Torques, and all states after the last step; with `spread`, inputs have gaps, so that the kernel runs."""
    step = actuator.compile("warp", dtype=dtype, device="cpu")
    state, rows = step.initial((COUNT,)), []

    def make(x):
        wide = np.repeat(x.astype(float), spread)
        return wp.array(wide, dtype=dtype)[::spread] if spread > 1 else wp.array(wide, dtype=dtype)

    for p, pv, effort, q, v in zip(*given, strict=True):
        all_inputs = {"position": p, "velocity": pv, "effort": effort, "voltage": effort}
        command = {n: make(x) for n, x in all_inputs.items() if n in actuator.controller.inputs}
        state, out = step(state, be.Command(**command), make(q), make(v), DT)
        rows.append(out.torque.numpy())
    return {"torque": np.array(rows)} | {n: x.numpy() for n, x in vars(state).items() if x is not None}


@pytest.mark.parametrize("name", KINDS)
def test_float64_is_numpy(name):
    """40 steps in float64: 1e-12 of the peak."""
    given = course(COUNT, STEPS)
    expected = reference(KINDS[name], given)["torque"]
    found = torques(KINDS[name], given, wp.float64)["torque"]
    assert np.abs(found - expected).max() <= 1e-12 * np.abs(expected).max()


@pytest.mark.parametrize("name", KINDS)
def test_float32_is_numpy_to_rounding(name):
    """40 steps in float32: 1e-4 of the peak, but for one in a hundred at the edge of sticking."""
    given = course(COUNT, STEPS)
    expected = reference(KINDS[name], given)["torque"]
    error = np.abs(torques(KINDS[name], given, wp.float32)["torque"] - expected)
    assert np.quantile(error, 0.99) <= 1e-4 * np.abs(expected).max()


@pytest.mark.parametrize("name", KINDS)
def test_the_loop_of_a_cpu_is_the_kernel(name):
    """Arrays with gaps run as a kernel whose thread is a motor, those without as one loop: the same to 1e-13."""
    given = course(COUNT, STEPS)
    loop, kernel = (torques(KINDS[name], given, wp.float64, spread) for spread in (1, 2))
    for channel, expected in kernel.items():
        error = np.abs(loop[channel].astype(float) - expected.astype(float)).max()
        assert error <= 1e-13 * max(np.abs(expected.astype(float)).max(), 1.0), channel


def test_numbers_shared_along_either_axis():
    """Numbers of an environment, of a joint and of all: the loops over two axes find each its own."""
    shape, rng = (5, 4), np.random.default_rng(3)
    q, v, p = (rng.normal(size=shape) for _ in range(3))
    kind = be.Actuator(
        controller=be.IdealPd(stiffness=rng.uniform(1, 9, (5, 1)), damping=rng.uniform(0.1, 1.0, 4)),
        limits=be.EffortLimit(effort_limit=rng.uniform(1.0, 5.0, shape)),
        delay=be.Delay(steps=(0, 2), schedule="step"),
    )
    ours, theirs = kind.compile("warp", dtype="float64", device="cpu"), kind.compile("numpy")
    one, other = ours.initial(shape, seed=4), theirs.initial(shape, seed=4)
    for _ in range(6):
        one, out = ours(one, *(wp.array(x, dtype=wp.float64) for x in (p, q, v)), DT)
        other, expected = theirs(other, p, q, v, DT)
        assert np.abs(out.torque.numpy() - expected.torque).max() <= 1e-13
        p = p + 0.1


def test_three_axes():
    """A batch of three axes, a number along each."""
    shape, rng = (3, 2, 4), np.random.default_rng(3)
    q, v, p = (rng.normal(size=shape) for _ in range(3))
    kind = be.Actuator(
        controller=be.IdealPd(stiffness=rng.uniform(1, 9, (3, 1, 1)), damping=rng.uniform(0.1, 1, (2, 1)))
    )
    step = kind.compile("warp", dtype="float64", device="cpu")
    _, out = step(step.initial(shape), *(wp.array(x, dtype=wp.float64) for x in (p, q, v)), DT)
    expected = kind.controller.stiffness * (p - q) - kind.controller.damping * v
    assert np.abs(out.torque.numpy() - expected).max() <= 1e-13


def test_infinite_and_missing_commands():
    """What is no number holds the joint, in the loop as in NumPy."""
    kind = replace(KINDS["PD and DC clip"], limits=())
    bad = np.array([np.nan, np.inf, -np.inf, 1.0])
    step = kind.compile("warp", dtype="float64", device="cpu")
    zero, given = wp.zeros(4, dtype=wp.float64), wp.array(bad, dtype=wp.float64)
    _, out = step(step.initial((4,)), given, zero, zero, DT)
    assert out.torque.numpy().tolist() == [0.0, 0.0, 0.0, 8.0]
    assert (out.limit.numpy() > 0).tolist() == [True, True, True, False]


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("spread", [1, 2], ids=["loop", "kernel"])
def test_a_joint_that_is_not_finite_stays_alone(name, spread):
    """One motor's velocity is NaN for a step: it gets no torque, its states stay finite, all others are as NumPy's."""
    actuator, given = KINDS[name], course(COUNT, 3)
    given[4][1][5] = np.nan
    found = torques(actuator, given, wp.float64, spread)
    expected = reference(actuator, given)["torque"]
    assert found["torque"][1, 5] == 0.0
    assert all(np.isfinite(x.astype(float)).all() for x in found.values())
    assert np.abs(found["torque"] - expected).max() <= 1e-12 * np.abs(expected).max()


def test_the_motor_is_named():
    """`Output.check` reads the flags of Warp's arrays."""
    step = KINDS["volts"].compile("warp", device="cpu")
    x = np.zeros(COUNT, dtype=np.float32)
    x[7] = np.inf
    _, out = step(step.initial((COUNT,)), 1.0, wp.array(x), wp.zeros(COUNT), DT)
    with pytest.raises(be.ParameterError, match=r"of the joint at \(7,\) was not finite"):
        out.check()
