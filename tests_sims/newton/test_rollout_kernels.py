"""What runs in one launch share and keep: kernels of like runs, records that are still true, memory at the start."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pytest
import warp as wp

import backemf as be
import backemf.rollout_warp as rollout_warp
from backemf.engines.warp_kernel import BUILT
from backemf.errors import ParameterError

PLACE = {"engine": "warp", "device": "cpu", "precision": "float64"}
DT = 1e-3
MOTOR = be.Motor(
    winding=be.Winding(resistance=1.2, inductance=1e-3),
    magnet=be.Magnet(torque_constant=0.05, back_emf_constant=0.05),
    rotor=be.Rotor(inertia=1e-5),
    thermal=be.Thermal(resistance=3.0, capacitance=0.5),
)
LATE = be.Actuator(MOTOR, delay=be.Delay(steps=2))
LOAD = be.Inertia(inertia=1e-3)


def volts(count: int, steps: int = 12) -> np.ndarray:
    return np.random.default_rng(1).normal(size=(steps, count))


def run(actuator=MOTOR, told=None, load=LOAD, dt=DT, **more):
    return be.rollout(
        actuator, load, volts(4) if told is None else told, dt, **{"observe": ("current",)} | PLACE | more
    )


@pytest.mark.parametrize("actuator", [be.Actuator(MOTOR), LATE], ids=["at once", "late"])
def test_runs_of_one_structure_share_a_kernel(actuator):
    """Whatever their number, step, start and numbers: one for all motors, one each, or where another run ended."""
    run(actuator)
    built = len(BUILT)
    here, _ = run(actuator, volts(7), dt=2e-3, position=0.5)
    run(actuator, volts(7), start=here)
    run(actuator, position=np.linspace(0.0, 1.0, 4))
    run(actuator, volts(1)[:, 0])
    warm = replace(actuator, motor=replace(MOTOR, thermal=be.Thermal(resistance=2.0, capacitance=0.3)))
    run(warm, initial={"winding_rise": 20.0})
    assert len(BUILT) == built


def test_numbers_of_one_or_of_each_are_read_by_one_kernel():
    """Candidates as an array of one and of four: the same kernel, and each run as with plain numbers."""

    def candidate(ohms):
        return be.Actuator(replace(MOTOR, winding=replace(MOTOR.winding, resistance=ohms)))

    ohms = np.array([1.0, 1.5, 2.0, 2.5])
    _, one = run(candidate(np.array([1.5])))
    built = len(BUILT)
    _, each = run(candidate(ohms))
    assert len(BUILT) == built
    for k, number in enumerate(ohms):
        _, alone = run(candidate(float(number)))
        np.testing.assert_allclose(each["current"].numpy()[:, k], alone["current"].numpy()[:, k], rtol=1e-13)
    np.testing.assert_array_equal(one["current"].numpy()[:, 1], each["current"].numpy()[:, 1])


def test_what_a_function_closes_over_may_change():
    """The same function with another factor: another record, not that of the factor that was traced first."""
    factor = [2.0]

    def observe(here, out):
        return factor[0] * here.position

    first = run(observe=observe)[1].numpy()
    factor[0] = 3.0
    np.testing.assert_allclose(run(observe=observe)[1].numpy(), 1.5 * first, rtol=1e-15)


def test_a_function_written_in_the_call_is_traced_once():
    """Each call makes a new one of the same code."""
    for _ in range(3):
        run(observe=lambda here, out: 7.0 * here.position)
        known = len(rollout_warp._LOOPS)
    run(observe=lambda here, out: 7.0 * here.position)
    assert len(rollout_warp._LOOPS) <= known + 1


@pytest.mark.parametrize("kind", [np.asarray, lambda x: wp.array(x, dtype=wp.float64, device="cpu")], ids=["np", "wp"])
def test_gear_ratios_of_each_motor_with_backlash(kind):
    """The rotor starts as fast as each gear makes it, from one speed of the joint: as in NumPy."""
    ratios = np.array([2.0, 5.0, 10.0])

    def geared(ratio):
        return replace(MOTOR, gearbox=be.Gearbox(stages=(be.Stage(ratio=ratio),), backlash=0.01))

    _, seen = run(geared(kind(ratios)), volts(1)[:, 0], velocity=3.0, observe=("position", "rotor_speed"))
    reference = be.simulate(geared(ratios), LOAD, volts(1)[:, 0], 12 * DT, DT, velocity=3.0, engine="numpy")
    for name in seen:
        np.testing.assert_allclose(
            seen[name].numpy(), reference[name], rtol=0, atol=1e-12 * np.abs(reference[name]).max()
        )


class Seen(NamedTuple):
    place: object
    size: object
    scale: object


def test_what_is_observed_may_be_a_named_tuple():
    """With a size and a number of NumPy's."""
    _, seen = run(observe=lambda here, out: Seen(here.position, abs(here.position), np.float32(0.5)))
    assert isinstance(seen, Seen)
    np.testing.assert_array_equal(seen.size.numpy(), np.abs(seen.place.numpy()))
    assert (seen.scale.numpy() == 0.5).all()


def test_what_a_function_cannot_do_is_said():
    with pytest.raises(ParameterError, match="observe fails on the numbers of a step"):
        run(observe=lambda here, out: np.sin(here.position))


def test_no_motors_is_an_empty_record():
    """A batch of none, such as a mask has left over."""
    here, seen = run(told=np.ones((12, 0)), every=3)
    assert seen["current"].shape == (4, 0) and here.position.shape == (0,)


def test_a_batch_of_more_axes_than_arrays_of_warp_have():
    with pytest.raises(ParameterError, match=r"the batch \(1, 2, 1, 2\) has 4 axes: the warp engine takes up to 3"):
        run(told=np.ones((3, 1, 2, 1, 2)))


def test_memory_is_looked_at_before_anything_is_sent(monkeypatch):
    """A command for each motor and step that the device has no room for: 12 steps of 100 motors are 9.6 kB."""
    run(told=volts(2), observe=())
    monkeypatch.setattr(rollout_warp, "free_memory", lambda: 8_000)
    monkeypatch.setattr(rollout_warp.Place, "row", lambda *_, **__: pytest.fail("sent before it was looked at"))
    with pytest.raises(ParameterError, match="the run on cpu would take"):
        run(told=volts(100), observe=())
