"""exp and expm1 as instructions, against NumPy's."""

import ctypes

import numpy as np
import pytest

from backemf.engines.llvm_exp import ExpWriter
from backemf.engines.machine_code import compile_text

LIMITS = [0.0, -0.0, np.inf, -np.inf, np.nan, 709.78, 709.79, 710.0, -708.4, -708.5, -745.1, -745.2, -40.0, 1e-300]


def compiled(op: str, width: int = 12):
    """A function that replaces numbers by their exp, `width` at a time."""
    lines: list[str] = []

    def new(line: str) -> str:
        lines.append(f"  %v{len(lines)} = {line}")
        return f"%v{len(lines) - 1}"

    name = ExpWriter(new, width).write(op, "%x")
    kind, body = f"<{width} x double>", "\n".join(lines)
    engine = compile_text(
        "define void @all(ptr %p, i64 %n) {\nentry:\n  br label %each\neach:\n"
        "  %i = phi i64 [ 0, %entry ], [ %j, %each ]\n  %q = getelementptr double, ptr %p, i64 %i\n"
        f"  %x = load {kind}, ptr %q, align 8\n{body}\n  store {kind} {name}, ptr %q, align 8\n"
        f"  %j = add i64 %i, {width}\n  %t = icmp slt i64 %j, %n\n  br i1 %t, label %each, label %done\n"
        "done:\n  ret void\n}\n"
    )
    return ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64)(engine.get_function_address("all"))


@pytest.mark.parametrize("op", ["exp", "expm1"])
def test_within_two_units_of_the_last_place(op: str):
    """Over the whole range, near zero and at the limits; what is infinite, zero or no number is so too."""
    rng = np.random.default_rng(0)
    small = 10.0 ** rng.uniform(-300.0, 0.0, 20000) * rng.choice([-1.0, 1.0], 20000)
    x = np.concatenate([rng.uniform(-760.0, 720.0, 20000), rng.uniform(-2.0, 2.0, 20000), small, LIMITS])
    x = x[len(x) % 12 :]
    with np.errstate(over="ignore", under="ignore"):
        expected = getattr(np, op)(x)
    found = x.copy()
    compiled(op)(found.ctypes.data, len(found))
    plain = np.isfinite(expected) & (expected != 0.0)
    assert np.array_equal(found[~plain], expected[~plain], equal_nan=True)
    assert (np.abs(found[plain] - expected[plain]) <= 2.0 * np.spacing(np.abs(expected[plain]))).all()
