"""Curves with fewer points."""

import numpy as np
import pytest

from backemf.identify import Log
from backemf.identify.channels import Channel
from backemf.identify.log_curves import curves_of
from backemf.thinning import thin


def test_a_thinned_curve_keeps_its_extremes():
    """Of 100,000 samples 800 are left, among them the one peak that a regular choice would miss, in order of time."""
    time = np.arange(100_000) * 1e-3
    values = np.sin(time)
    values[54_321] = 7.0
    kept, shown = thin(time, values, 800)
    assert len(kept) == len(shown) <= 800 and np.all(np.diff(kept) > 0.0)
    assert shown.max() == 7.0 and kept[shown.argmax()] == time[54_321] and shown.min() == pytest.approx(-1.0)


def test_a_short_curve_stays_as_it_is():
    """Nothing is left out where nothing has to be."""
    time = np.arange(5.0)
    kept, shown = thin(time, time**2, 5)
    assert kept.tolist() == time.tolist() and shown.tolist() == (time**2).tolist()


def test_curves_of_a_log():
    """One per channel, with so many points at most."""
    time = np.arange(3000) * 1e-3
    (curve,) = curves_of(Log({"position": Channel(time, np.sin(time))}), points=100)
    assert curve.title == curve.channel == "position" and len(curve.time) == len(curve.values) <= 100
    assert max(curve.values) == pytest.approx(1.0, abs=1e-6)
