"""The laws in single precision, for compiled loops: the same laws, with what seven digits need.

The functions of an exact step come from one polynomial and one exponential instead of a series that is good to sixteen
digits, and the search for the speed that bristles lead to ends a step earlier.
"""

from __future__ import annotations

from types import ModuleType

from ..physics import bristle, exact
from . import native_engine
from .bind import bind
from .tracing import FLOAT, Symbol, Traced, Value, node, operations


def _exact_function(name: str) -> Traced:
    """One of the functions of an exact step, as an operation of its own."""
    plain = getattr(bind(exact, "native", native_engine.ops), name)

    def make(u: Value) -> Traced:
        if not isinstance(u, Symbol) or u.uniform:
            return plain(u)
        return node(name, u, kind=FLOAT)

    return make


def _expm1(x: Value) -> Traced:
    """exp(x) - 1 = x·rise(-x)."""
    if not isinstance(x, Symbol) or x.uniform:
        return node("expm1", x)
    return x * node("rise", x.args[0] if x.op == "neg" else -x, kind=FLOAT)


def single_laws(module: ModuleType) -> ModuleType:
    """The functions of a law module on symbols, in single precision."""
    ops = operations("warp", expm1=_expm1)
    ops.laws = {
        exact.__name__: {name: _exact_function(name) for name in ("decay", "rise", "rise_mean")},
        # Halley's method triples the digits, and Newton's doubles them: that is seven of them
        bristle.__name__: {"SETTLING_STEPS": 2, "LAST_STEP_BENDS": False},
    }
    return bind(module, "single", ops)


FUNCTIONS = """
auto max_of = [](float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float c; asm("max.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b)); return c;
#else
    return a > b ? a : (a == a ? b : a);
#endif
};
auto min_of = [](float a, float b) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    float c; asm("min.NaN.f32 %0, %1, %2;" : "=f"(c) : "f"(a), "f"(b)); return c;
#else
    return a < b ? a : (a == a ? b : a);
#endif
};
auto reciprocal_of = [](float x) {
#ifdef __CUDA_ARCH__
    float y; asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;
#else
    return 1.0f / x;
#endif
};
auto sqrt_of = [](float x) {
#ifdef __CUDA_ARCH__
    float y; asm("sqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;
#else
    return wp::sqrt(x);
#endif
};
auto exact_of = [=](float u, float& left, float& risen, float& mean) {
    // near u = 0 all follow from a polynomial of rise_mean, far from it from exp(-u); both are computed
    float near = 2.52884347e-05f;
    near = near * u - 0.000203290416f;
    near = near * u + 0.0013886448f;
    near = near * u - 0.00833088625f;
    near = near * u + 0.0416666977f;
    near = near * u - 0.16666697f;
    near = near * u + 0.5f;
    const float near_risen = 1.0f - u * near;
    const float near_left = 1.0f - u * near_risen;
#ifdef __CUDA_ARCH__
    float far_left; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(far_left) : "f"(u * -1.44269504f));
#else
    const float far_left = wp::exp(-u);
#endif
    const float share = reciprocal_of(u);
    const float far_risen = share - far_left * share;
    const float far = share - far_risen * share;
    const bool is_near = wp::abs(u) < 1.0f;
    left = is_near ? near_left : far_left;
    risen = is_near ? near_risen : far_risen;
    mean = is_near ? near : far;
};
auto sin_of = [](float x) {
    // the angle from the nearest half turn, and whether that is an odd one
    const float shifted = x * 0.318309886f + 12582912.0f;
    const float turns = shifted - 12582912.0f;
    float f = x - turns * 3.14159203f;
    f = f - turns * 6.27832947e-07f;
    f = f - turns * 1.06581410e-14f;
    const float square = f * f;
    float p = 2.60529441e-06f;
    p = p * square - 0.000198093519f;
    p = p * square + 0.00833306182f;
    p = p * square - 0.166666597f;
    p = p * (square * f) + f;
#ifdef __CUDA_ARCH__
    p = __int_as_float(__float_as_int(p) ^ (__float_as_int(shifted) << 31));
#else
    p = turns - 2.0f * wp::floor(0.5f * turns) > 0.5f ? -p : p;
#endif
    return wp::abs(x) < 1.0e5f ? p : wp::sin(x);
};
"""
"""These operations in C++, in few instructions of a GPU: `exact_of` is good to 2e-7, `sin_of` to 1e-7."""
