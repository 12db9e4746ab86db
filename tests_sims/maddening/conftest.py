"""Settings for the tests inside MADDENING: the CPU alone, and float64 where a test asks for it."""

import os

os.environ.setdefault("JAX_PLATFORMS", "cpu")

import pytest

from backemf.engines import load


@pytest.fixture
def x64():
    """JAX in float64."""
    with load("jax").doubles(True):
        yield
