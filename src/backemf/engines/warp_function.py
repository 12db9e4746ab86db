"""From a traced program to a function that other kernels call, whose numbers stand in a row of an array."""

from __future__ import annotations

import hashlib
import linecache
from collections.abc import Mapping
from typing import Any

import warp as wp  # pyright: ignore[reportMissingImports]

from .tracing import FLOAT, Symbol, evaluated
from .warp_kernel import Layout, Store, Writer, modulo

ARGUMENTS = ("value", "angle", "speed")
"""What the function is given: a torque, a joint angle and a joint speed."""


class FunctionWriter(Writer):
    """Writes `clamp(value, angle, speed, params, i, base)`; a row of `params` begins with the numbers named `own`."""

    def __init__(self, result: Symbol, own: tuple[str, ...] = ()):
        layout = Layout(wp.float64, (True,))
        super().__init__([Store("result", result)], {name: layout for name in (*ARGUMENTS, *own, "result")}, 1)
        self.result, self.own = result, own

    def write(self, name: str) -> str:
        live = sorted(self._reach(self._roots(), set()).values(), key=lambda x: x.index)
        body = [self._statement(x, {}) for x in live] + [f"return {self._text(self.result, FLOAT)}"]
        typed = [*(f"{n}: T" for n in ARGUMENTS), "params: A", "i: wp.int32", "base: wp.int32"]
        return "\n".join([f"def {name}({', '.join(typed)}):", *(f"    {line}" for line in body), ""])

    def _read(self, name: str, kind: str) -> str:
        return f"T(params[i, base + {self.own.index(name)}])" if name in self.own else name

    def _text(self, x: Any, kind: str, arguments: set[int] | None = None) -> str:
        if not isinstance(x, Symbol) or not x.uniform:
            return super()._text(x, kind, arguments)
        self.uniforms.setdefault(x.index, x)
        text = f"T(params[i, base + {len(self.own) + list(self.uniforms).index(x.index)}])"
        return text if kind == FLOAT else f"({text} != T(0.0))"


_BUILT: dict[str, Any] = {}


def function_of(result: Symbol, numbers: Mapping[str, float], own: tuple[str, ...] = ()) -> tuple[Any, list[float]]:
    """The function in float64 (params in float32), and what its row of params holds after the numbers named `own`."""
    writer = FunctionWriter(result, own)
    source = writer.write("clamp")
    seal = hashlib.sha256(source.encode()).hexdigest()[:16]
    if seal not in _BUILT:
        name = f"backemf_function_{seal}"
        scope = {"wp": wp, "T": wp.float64, "A": wp.array2d(dtype=wp.float32), "modulo": modulo, "__name__": name}
        linecache.cache[name] = (len(source), None, source.splitlines(True), name)
        exec(compile(source, name, "exec"), scope)
        _BUILT[seal] = wp.Function(func=scope["clamp"], key="clamp", namespace="", module=wp.get_module(name))
    return _BUILT[seal], [float(x) for x in evaluated(list(writer.uniforms.values()), dict(numbers))]
