"""The laws in single precision, for compiled loops: the same laws, with what seven digits need.

The functions of an exact step come from one polynomial or one exponential instead of a series that is good to sixteen
digits, and the speed that bristles lead to from `physics/bristle_single.py`.
"""

from __future__ import annotations

from types import ModuleType

from ..physics import bristle, bristle_single, exact
from . import native_engine
from .bind import bind
from .repeated import repeat
from .tracing import FLOAT, Symbol, Traced, Value, node, operation, operations

absolute = operation("abs")
LARGEST = 3.4028234663852886e38
"""The largest finite number in single precision."""


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


def _isfinite(x: Value) -> Traced:
    """Whether a number is none of those beyond the largest, nor none at all."""
    return node("isfinite", x) if not isinstance(x, Symbol) or x.uniform else absolute(x) <= LARGEST


def single_laws(module: ModuleType) -> ModuleType:
    """The functions of a law module on symbols, in single precision."""
    ops = operations("warp", expm1=_expm1, isfinite=_isfinite, repeat=repeat)
    ops.laws = {
        exact.__name__: {name: _exact_function(name) for name in ("decay", "rise", "rise_mean")},
    }
    settling = bind(bristle_single, "single", ops)
    ops.laws[bristle.__name__] = {name: getattr(settling, name) for name in ("settled_bristles", "estimated_settling")}
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
auto exp2_of = [](float x) {
#ifdef __CUDA_ARCH__
    float y; asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x)); return y;
#else
    return wp::exp(x * 0.693147181f);
#endif
};
auto exact_of = [=](float u, float& left, float& risen, float& mean) {
    // far from u = 0 all follow from exp(-u), near it from a polynomial of rise_mean
    const float share = reciprocal_of(u);
    left = exp2_of(u * -1.44269504f);
    risen = share - left * share;
    mean = share - risen * share;
    if (wp::abs(u) < 0.75f) {
        mean = 2.50743051e-05f;
        mean = mean * u - 0.000201142786f;
        mean = mean * u + 0.00138881209f;
        mean = mean * u - 0.00833256356f;
        mean = mean * u + 0.0416666717f;
        mean = mean * u - 0.166666716f;
        mean = mean * u + 0.5f;
        risen = 1.0f - u * mean;
        left = 1.0f - u * risen;
    }
};
auto direction_of = [](float x) {
#ifdef __CUDA_ARCH__
    return __int_as_float(__float_as_int(x) & 0x80000000 | 0x3f800000);
#else
    return x < 0.0f ? -1.0f : 1.0f;
#endif
};
auto nearest_of = [](float x) {
    // the angle from the nearest whole turn, which is as long as float32 knows it
    const float turns = (x * 0.159154943f + 12582912.0f) - 12582912.0f;
    return x - turns * 6.28318548f;
};
auto sin_of = [=](float x) {
#ifdef __CUDA_ARCH__
    float y; asm("sin.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(nearest_of(x))); return y;
#else
    return wp::sin(x);
#endif
};
auto cos_of = [=](float x) {
#ifdef __CUDA_ARCH__
    float y; asm("cos.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(nearest_of(x))); return y;
#else
    return wp::cos(x);
#endif
};
"""
"""These operations in C++, in few instructions of a GPU: `exact_of` is good to 5e-7, `sin_of` and `cos_of`, of an angle
below a million turns, to 7e-7; what a greater one is off by is no more than float32 knows of it."""
