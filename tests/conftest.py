"""Settings for all tests."""

import gc
import os

import jax_cache
import pytest
from hypothesis import settings

# compiled programs stay until the end and grow to gigabytes: the collector need not look through them so often
gc.set_threshold(100_000, 50, 100)

# what JAX compiles for a test is the same in every run: it stays in a folder, which `make clean` removes
os.environ.setdefault("JAX_COMPILATION_CACHE_DIR", str(jax_cache.FOLDER))
os.environ.setdefault("JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS", "0.05")


def pytest_configure(config: pytest.Config) -> None:
    """Bound the folder in the first process, before there are others."""
    if not hasattr(config, "workerinput"):
        jax_cache.bound_folder()


# the gate tries the same examples each time; on a desk every run tries new ones
settings.register_profile("gate", derandomize=True, database=None)
if os.environ.get("CI"):
    settings.load_profile("gate")

# a part in an expectation may hold pytest.approx: it passes for an array whose numbers are not known
type(pytest.approx(0.0)).dtype = float
