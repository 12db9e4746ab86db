"""exp and expm1 of motors as instructions: calls of the C library take longer, and none of them keeps a register.

With k = round(x/ln 2) and r = x - k·ln 2, exp(x) = 2ᵏ·exp(r) and expm1(x) = 2ᵏ·expm1(r) + (2ᵏ - 1), where expm1(r) is
its series up to r¹⁴, whose rest is 1e-17 of it. Both are within two units of the last place of the C library's.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

MAGIC = 1.5 * 2.0**52
"""Added to a number, it leaves the nearest whole number in the last bits."""
LN2_HIGH = float.fromhex("0x1.62e42feep-1")
"""ln 2 to 32 bits, so that its product with k is exact."""
LN2_LOW = float.fromhex("0x1.a39ef35793c76p-33")
"""The rest of ln 2."""
COEFFICIENTS = [1.0 / math.factorial(n) for n in range(2, 15)]
"""Of the series (expm1(r) - r)/r²."""
LEAST = {"exp": -746.0, "expm1": -40.0}
"""Below this the result is 0, or -1."""
MOST = 710.0
"""Above this the result is infinite."""


class ExpWriter:
    """Writes the instructions; `new` writes one line and returns the name of its value."""

    def __init__(self, new: Callable[[str], str], width: int):
        self._new, self._width = new, width
        self._kind, self._whole, self._test = (
            each if width == 1 else f"<{width} x {each}>" for each in ("double", "i64", "i1")
        )

    def write(self, op: str, x: str) -> str:
        """The name of exp or expm1 of a value."""
        x = self._bound(self._bound(x, "olt", LEAST[op]), "ogt", MOST)
        shifted = self._two("fadd", self._two("fmul", x, 1.0 / math.log(2.0)), MAGIC)
        k = self._two("fsub", shifted, MAGIC)
        bits = self._new(f"bitcast {self._kind} {shifted} to {self._whole}")
        magic = struct.unpack(">q", struct.pack(">d", MAGIC))[0]
        whole = self._new(f"sub {self._whole} {bits}, {self._same_whole(magic)}")
        r = self._two("fsub", x, self._two("fmul", k, LN2_HIGH))
        r = self._two("fsub", r, self._two("fmul", k, LN2_LOW))
        p = self._two("fadd", r, self._two("fmul", self._two("fmul", r, r), self._series(r)))
        if op == "expm1":
            # half of 2ᵏ, which is finite for the largest k
            half = self._power(whole, -1)
            small = self._two("fadd", self._two("fmul", half, p), self._two("fsub", half, 0.5))
            return self._two("fmul", small, 2.0)
        # 2ᵏ in two factors, since it may be too small or too large for one
        first = self._new(f"ashr {self._whole} {whole}, {self._same_whole(1)}")
        second = self._new(f"sub {self._whole} {whole}, {first}")
        scaled = self._two("fmul", self._two("fadd", p, 1.0), self._power(first, 0))
        return self._two("fmul", scaled, self._power(second, 0))

    def _series(self, r: str) -> str:
        """The series, in pairs, pairs of pairs and so on, which do not wait for each other."""
        terms: list[str | float] = [*COEFFICIENTS]
        power = r
        while len(terms) > 1:
            pairs = [
                self._two("fadd", self._two("fmul", power, terms[k + 1]), terms[k]) for k in range(0, len(terms) - 1, 2)
            ]
            terms = [*pairs, *terms[len(terms) - len(terms) % 2 :]]
            power = self._two("fmul", power, power) if len(terms) > 1 else power
        return str(terms[0])

    def _power(self, k: str, shift: int) -> str:
        """2 to the power of k + shift, from whole numbers."""
        biased = self._new(f"add {self._whole} {k}, {self._same_whole(1023 + shift)}")
        bits = self._new(f"shl {self._whole} {biased}, {self._same_whole(52)}")
        return self._new(f"bitcast {self._whole} {bits} to {self._kind}")

    def _bound(self, x: str, test: str, bound: float) -> str:
        """The bound where x is beyond it; what is not a number stays so."""
        limit = self._same(bound)
        beyond = self._new(f"fcmp {test} {self._kind} {x}, {limit}")
        return self._new(f"select {self._test} {beyond}, {self._kind} {limit}, {self._kind} {x}")

    def _two(self, word: str, a: str, b: str | float) -> str:
        # a product and a sum become one instruction where the machine has it, which rounds once
        return self._new(f"{word} contract {self._kind} {a}, {b if isinstance(b, str) else self._same(b)}")

    def _same(self, value: float) -> str:
        bits = struct.unpack(">Q", struct.pack(">d", value))[0]
        return self._every(f"double 0x{bits:016X}")

    def _same_whole(self, value: int) -> str:
        return self._every(f"i64 {value}")

    def _every(self, constant: str) -> str:
        """A constant for every motor."""
        return constant.split()[1] if self._width == 1 else f"<{', '.join([constant] * self._width)}>"
