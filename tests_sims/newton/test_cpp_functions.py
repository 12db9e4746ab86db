"""The functions of loops on a CPU beside the C library's, and that loops with them are computed for many at once."""

import numpy as np
import pytest
import warp as wp

from backemf.engines.cpp_functions import FUNCTIONS, functions_text

RANGES = {"exp": (120.0, 800.0), "tanh": (30.0, 50.0), "sin": (1e5, 1e7), "cos": (1e5, 1e7)}
"""Largest arguments that are tried, in single and in double precision."""
MODULES = {}


def compute(name: str, x: np.ndarray) -> np.ndarray:
    """A function of every number, by a loop on the CPU."""
    number = "float" if x.dtype == np.float32 else "double"
    dtype = wp.float32 if number == "float" else wp.float64
    if (name, number) not in MODULES:
        text = "\n".join([
            *functions_text({name}, number),
            f"{number} *x = ({number}*)given.data, *y = ({number}*)found.data;",
            "#pragma clang loop vectorize(assume_safety)",
            f"for (int i = 0; i < count; ++i) y[i] = {name}_of(x[i]);",
        ])  # fmt: skip

        @wp.func_native(text)
        def loop(given: wp.array(dtype=dtype), found: wp.array(dtype=dtype), count: int): ...

        def run(given: wp.array(dtype=dtype), found: wp.array(dtype=dtype), count: int):
            loop(given, found, count)

        module = wp.get_module(f"test_{name}_{number}")
        MODULES[name, number] = wp.Kernel(run, key="run", module=module)
    given, found = wp.array(x, dtype=dtype, device="cpu"), wp.zeros(len(x), dtype=dtype, device="cpu")
    wp.launch(MODULES[name, number], dim=1, inputs=[given, found, len(x)], device="cpu")
    return found.numpy()


def tried(name: str, dtype: type) -> np.ndarray:
    """Numbers of all sizes and both signs, and those near multiples of a quarter of a turn."""
    rng = np.random.default_rng(0)
    most = RANGES[name][dtype is np.float64]
    sizes = 10.0 ** rng.uniform(-30, np.log10(most), 200_000)
    near = 0.5 * np.pi * np.arange(-3000, 3000) * (1.0 + rng.normal(0.0, 1e-9, 6000))
    x = np.concatenate([rng.uniform(-most, most, 200_000), sizes, -sizes, near[np.abs(near) <= most], [0.0]])
    return x.astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_is_that_of_the_c_library(name, dtype):
    """Within three units of the last place; single precision beside double, double beside long double."""
    x = tried(name, dtype)
    with np.errstate(over="ignore", under="ignore"):
        exact = getattr(np, name)(x.astype(np.float64 if dtype is np.float32 else np.longdouble))
        expected = exact.astype(dtype)
    found = compute(name, x)
    finite = np.isfinite(expected)
    assert np.array_equal(found[~finite], expected[~finite])
    off = np.abs(found[finite].astype(exact.dtype) - exact[finite]) / np.spacing(np.abs(expected[finite]))
    assert off.max() <= 3.0, (x[finite][off.argmax()], off.max())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_function_of_what_is_not_finite(name, dtype):
    """As in the C library; a huge angle gives some number that a circular function can have."""
    with np.errstate(invalid="ignore"):
        x = np.array([np.nan, np.inf, -np.inf], dtype)
        assert np.array_equal(compute(name, x), getattr(np, name)(x), equal_nan=True)
    huge = np.array([1e19, -1e25, np.finfo(dtype).max], dtype)
    if name in ("sin", "cos"):
        assert np.abs(compute(name, huge)).max() <= 1.0
    else:
        assert np.array_equal(compute(name, -np.abs(huge)), [-1.0 if name == "tanh" else 0.0] * 3)
