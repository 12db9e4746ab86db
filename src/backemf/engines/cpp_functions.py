"""exp, tanh, sin and cos in C++ without branches and calls, so that a compiler computes them for many motors at once.

With k = round(x/ln 2) and r = x - k·ln 2, exp(x) = 2ᵏ·exp(r) and expm1(x) = 2ᵏ·expm1(r) + (2ᵏ - 1), where expm1(r) is
its series; tanh(x) = e/(e + 2) with e = expm1(2x). With k = round(2x/π) and r = x - k·π/2, sin(x) is one of ±sin(r) and
±cos(r), each its series. All are within three units of the last place; what is not a number stays so.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from string import Template

HALF_PI = (1.5707963267948966, 6.123233995736766e-17)
"""π/2 as the sum of two numbers."""


@dataclass(frozen=True)
class _Precision:
    """What the series need in a precision."""

    number: str
    """Type of the numbers."""
    whole: str
    """Type of whole numbers as long."""
    digits: int
    """Bits of the fraction."""
    bias: int
    """Of the exponent."""
    terms: int
    """Highest power of the series of expm1."""
    ln2_high: float
    """ln 2 to so few bits that its product with k is exact."""
    ln2_low: float
    """The rest of ln 2."""
    least: float
    """Below this exp is 0."""
    most: float
    """Above this exp is infinite."""
    flat: float
    """Beyond this tanh is 1."""

    @property
    def mark(self) -> str:
        """What a literal ends with."""
        return "f" if self.number == "float" else ""

    @property
    def magic(self) -> str:
        """Added to a number, it leaves the nearest whole number in the last bits."""
        return self.literal(1.5 * 2.0**self.digits)

    def literal(self, x: float) -> str:
        """A number as text."""
        return f"{x!r}{self.mark}"


_PRECISIONS = {
    "float": _Precision("float", "int", 23, 127, 7, 0.693145751953125, 1.4286068203094172e-06, -104.0, 89.0, 10.0),
    "double": _Precision("double", "long long", 52, 1023, 14, float.fromhex("0x1.62e42feep-1"),
                         float.fromhex("0x1.a39ef35793c76p-33"), -746.0, 710.0, 20.0),
}  # fmt: skip

_EXPONENTIAL = Template("""\
auto power_of_2 = []($whole k) { return __builtin_bit_cast($real, (k + $bias) << $digits); };
auto reduced = []($real x, $real& r) {
    const $real shifted = x * $log2e + $magic, k = shifted - $magic;
    r = (x - k * $ln2_high) - k * $ln2_low;
    r = r + (r * r) * ($series);
    return __builtin_bit_cast($whole, shifted) - __builtin_bit_cast($whole, $magic);
};
auto exp_of = [&]($real x) {
    $real p;
    x = x < $least ? $least : x;
    x = x > $most ? $most : x;
    // in two factors, since 2 to the power of k may be too small or too large for one
    const $whole k = reduced(x, p), half = k >> 1;
    return (p + $one) * power_of_2(half) * power_of_2(k - half);
};
auto tanh_of = [&]($real x) {
    $real p;
    x = x < -$flat ? -$flat : x;
    x = x > $flat ? $flat : x;
    const $real scale = power_of_2(reduced(x + x, p)), e = scale * p + (scale - $one);
    return e / (e + $two);
};""")

_CIRCULAR = Template("""\
auto turned = [](double x, long long quarters) {
    // a number in float loses nothing in double, and one in double is reduced by both parts of half a turn
    const double shifted = x * 0.6366197723675814 + 6755399441055744.0, k = shifted - 6755399441055744.0;
    double r = __builtin_fma(-k, $half_pi_low, __builtin_fma(-k, $half_pi_high, x));
    // so many turns that no fraction of one is left: any angle is as good
    r = r < -1.0 ? -1.0 : r;
    r = r > 1.0 ? 1.0 : r;
    const double s = r * r;
    const double sine = r + r * s * ($sine), cosine = 1.0 - 0.5 * s + s * s * ($cosine);
    const long long n = __builtin_bit_cast(long long, shifted) + quarters;
    const double found = (n & 1) ? cosine : sine;
    return (n & 2) ? -found : found;
};
auto sin_of = [&]($real x) { return ($real)turned(x, 0); };
auto cos_of = [&]($real x) { return ($real)turned(x, 1); };""")

FUNCTIONS = {"exp": _EXPONENTIAL, "tanh": _EXPONENTIAL, "sin": _CIRCULAR, "cos": _CIRCULAR}
"""The text that has each function; it is called as `exp_of(x)`."""


def functions_text(names: set[str], number: str) -> list[str]:
    """The text of some functions for float or double."""
    p = _PRECISIONS[number]
    words = {
        "real": p.number, "whole": p.whole, "bias": p.bias, "digits": p.digits, "magic": p.magic,
        "log2e": p.literal(1.0 / math.log(2.0)), "ln2_high": p.literal(p.ln2_high), "ln2_low": p.literal(p.ln2_low),
        "series": _series([1.0 / math.factorial(n) for n in range(2, p.terms + 1)], "r", p.mark),
        "least": p.literal(p.least), "most": p.literal(p.most), "flat": p.literal(p.flat), "one": p.literal(1.0),
        "two": p.literal(2.0), "half_pi_high": HALF_PI[0], "half_pi_low": HALF_PI[1],
        "sine": _series(_signed(3, 17), "s"), "cosine": _series(_signed(4, 18), "s"),
    }  # fmt: skip
    texts = dict.fromkeys(FUNCTIONS[name] for name in sorted(names))
    return [line for text in texts for line in text.substitute(words).splitlines()]


def _signed(first: int, last: int) -> list[float]:
    """Coefficients of a circular function from a power on, every second one."""
    return [(-1.0) ** (n // 2) / math.factorial(n) for n in range(first, last + 1, 2)]


def _series(coefficients: list[float], x: str, mark: str = "") -> str:
    """c₀ + x·(c₁ + x·(c₂ + ...))."""
    *rest, text = (f"{c!r}{mark}" for c in coefficients)
    for each in reversed(rest):
        text = f"{each} + {x} * ({text})"
    return text
