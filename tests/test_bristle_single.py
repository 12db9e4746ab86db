"""Bristles in single precision: the speed they lead to is that of the law in few operations, for any numbers."""

from __future__ import annotations

import numpy as np
import pytest

from backemf.physics import bristle, bristle_single

COUNT = 200_000


def situations(bent: float, dtype: type, seed: int = 7) -> list[np.ndarray]:
    """Speed, inertia, bending, level, stiffness, damping and step over many orders of magnitude."""
    rng = np.random.default_rng(seed)
    inertia, level, stiffness = (10 ** rng.uniform(a, b, COUNT) for a, b in ((-7, 0), (-4, 1), (0, 5)))
    # from none to critical damping of the bristles
    damping = rng.choice([0.0, 0.1, 1.0, 2.0], COUNT) * np.sqrt(inertia * stiffness)
    dt = 10 ** rng.uniform(-5, -2, COUNT)
    free = rng.choice([-1.0, 1.0], COUNT) * 10 ** rng.uniform(-4, 3, COUNT)
    bending = rng.uniform(-bent, bent, COUNT) * level / stiffness
    return [x.astype(dtype) for x in (free, inertia, bending, level, stiffness, damping, dt)]


def errors(given: list[np.ndarray]) -> list[np.ndarray]:
    """Differences of torque, bending and speed from the law in float64, over the sizes that they may have."""
    free, inertia, bending, level, stiffness, damping, dt = exact = [x.astype(float) for x in given]
    found = bristle_single.settled_bristles(*given)
    torque = level * (1.0 + damping / (stiffness * dt)) + stiffness * np.abs(bending)
    sizes = torque, level / stiffness + np.abs(bending), np.abs(free) + dt * torque / inertia
    expected = bristle.settled_bristles(*exact)
    return [np.abs(a - b) / size for a, b, size in zip(found, expected, sizes, strict=True)]


@pytest.mark.parametrize(("dtype", "within"), [(np.float64, 4e-7), (np.float32, 1.5e-6)])
def test_bristles_settle_as_in_the_law(dtype, within):
    """To six or seven digits of friction, bending and speed; float64 shows what the search itself leaves."""
    for error in errors(situations(1.0, dtype)):
        assert error.max() <= within


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_bristles_that_relax_from_far_above_the_level(dtype):
    """Bent up to 2.5 times the level the equation may be nearly flat: all but one in a thousand are as exact."""
    for error in errors(situations(2.5, dtype)):
        assert np.quantile(error, 0.999) <= 1.5e-6
        assert error.max() <= 1e-2


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_friction_takes_energy_and_never_gives_more_than_the_bristles_held(dtype):
    """Work of the torque over the step is not less than what is stored in the bristles, to rounding."""
    given = situations(1.0, dtype, seed=8)
    held, after, left = (x.astype(float) for x in bristle_single.settled_bristles(*given))
    free, _, bending, level, stiffness, _, dt = (x.astype(float) for x in given)
    stored = 0.5 * stiffness * (after**2 - bending**2)
    work = held * left * dt
    scale = level**2 / stiffness + np.abs(work) + dt * level * np.abs(free)
    assert ((work - stored) / scale).min() >= -1e-5


EXTREMES = {
    "no friction": {"level": 0.0},
    "a joint that nothing moves": {"inertia": 1e20},
    "no inertia to speak of": {"inertia": 1e-20},
    "at rest": {"free": 0.0, "bending": 0.0},
    "bent far beyond the level": {"bending": 10.0},
    "very fast": {"free": 1e9},
    "very stiff": {"stiffness": 1e12},
    "a long step": {"dt": 1e3},
    "a short step": {"dt": 1e-12},
    "strong damping": {"damping": 1e6},
}


@pytest.mark.parametrize("case", EXTREMES)
def test_finite_numbers_stay_finite(case):
    """In float32, whose largest number is 3e38."""
    plain = {
        "free": 3.0,
        "inertia": 1e-4,
        "bending": 5e-4,
        "level": 0.01,
        "stiffness": 10.0,
        "damping": 1e-3,
        "dt": 1e-3,
    }
    for way in (-1.0, 1.0):
        given = plain | EXTREMES[case]
        given = given | {"free": way * given["free"]}
        with np.errstate(under="ignore", over="ignore"):
            found = bristle_single.settled_bristles(*(np.float32(x) for x in given.values()))
        assert np.isfinite(found).all(), (case, found)


def test_what_nothing_moves_keeps_its_speed():
    """An inertia of 1e20 kg·m² has the speed it had, and bristles that follow it, slow or fast."""
    for speed in (1e-3, 0.3, 3.0, 300.0):
        given = [np.float32(x) for x in (speed, 1e20, 0.0, 0.01, 10.0, 1e-3, 1e-3)]
        with np.errstate(over="ignore"):
            found = bristle_single.settled_bristles(*given)
        expected = bristle.settled_bristles(*(float(x) for x in given))
        np.testing.assert_allclose(found, expected, rtol=2e-6)
