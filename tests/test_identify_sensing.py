"""Delays of commands, and averages along a motion: fast ways against what they stand for."""

import numpy as np
import pytest

from backemf.identify.missing_torque import _Motion
from backemf.identify.sensing import delayed

STEPS, LANES = 40, 3


@pytest.mark.parametrize("late", [np.full((2, LANES), 2.25), np.array([[0.0, 1.5, -2.0], [3.0, 3.0, 3.0]])])
def test_rows_come_later_by_any_part_of_a_step(late: np.ndarray):
    """Straight in between, held at the ends; lanes with one delay and with several."""
    rows = np.random.default_rng(0).normal(size=(STEPS, 1, LANES))
    found, slope = delayed(rows, late)
    grid = np.arange(STEPS)
    for candidate, lane in np.ndindex(late.shape):
        own = rows[:, 0, lane]
        assert np.allclose(found[:, candidate, lane], np.interp(grid - late[candidate, lane], grid, own), atol=1e-14)
        after, before = (delayed(rows, late + d)[0][:, candidate, lane] for d in (1e-4, -1e-4))
        inner = slice(4, -4)
        smooth = late[candidate, lane] % 1.0 != 0.0
        if smooth:
            assert np.allclose(slope[inner, candidate, lane], ((after - before) / 2e-4)[inner], atol=1e-8)


def test_averages_have_the_weights_of_the_acceleration():
    """At a time s the weight is Σ c·max(t - s, 0), where Σ c·q(t) is the acceleration; a constant stays as it is."""
    time = np.sort(np.random.default_rng(1).uniform(0.0, 1.0, 120))
    motion, dt = _Motion(time, np.sin(7.0 * time)), 2e-3
    rows = np.cos(5.0 * dt * np.arange(502))
    found, same = motion.averages((rows, np.full(502, 3.0)), dt)
    assert np.allclose(same, 3.0, rtol=1e-12)
    for sample in range(20, 100, 7):
        window, numbers = motion._windows[sample], motion._second[sample]
        first = int(np.floor(time[window[0]] / dt))
        places = first + np.arange(int(np.ceil(time[window[-1]] / dt)) - first + 1)
        weights = (numbers * np.maximum(time[window] - dt * places[:, None], 0.0)).sum(axis=1)
        assert found[sample] == pytest.approx((weights * rows[places]).sum() / weights.sum(), rel=1e-9)
