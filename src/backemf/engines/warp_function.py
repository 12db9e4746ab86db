"""From a traced program to a function that other kernels call, whose numbers stand in a row of an array."""

from __future__ import annotations

from collections.abc import Mapping

import warp as wp  # pyright: ignore[reportMissingImports]

from ..values import Module
from .tracing import FLOAT, Symbol, evaluate
from .warp_kernel import BUILT, Layout, Store, Writer, define, source_name

ARGUMENTS = ("value", "angle", "speed")
"""What the function is given: a torque, a joint angle and a joint speed."""


class FunctionWriter(Writer):
    """Writes `clamp(value, angle, speed, params, i, base)`; a row of `params` begins with the numbers named `own`."""

    cuts = ()

    def __init__(self, result: Symbol, own: tuple[str, ...] = ()):
        layout = Layout(wp.float64, (True,))
        super().__init__([Store("result", result)], {name: layout for name in (*ARGUMENTS, *own, "result")}, 1)
        self.result, self.own = result, own

    def write(self) -> str:
        live = self.reach(self.roots())
        body = [self.statement(live[k]) for k in sorted(live)] + [f"return {self.text(self.result, FLOAT)}"]
        typed = [*(f"{n}: T" for n in ARGUMENTS), "params: A", "i: wp.int32", "base: wp.int32"]
        return "\n".join([f"def clamp({', '.join(typed)}):", *(f"    {line}" for line in body), ""])

    def element(self, name: str, slot: str | None = None) -> str:
        return f"T(params[i, base + {self.own.index(name)}])" if name in self.own else name

    def uniform(self, index: int) -> str:
        return f"T(params[i, base + {len(self.own) + list(self.uniforms).index(index)}])"


def function_of(result: Symbol, numbers: Mapping[str, float], own: tuple[str, ...] = ()) -> tuple[Module, list[float]]:
    """The function in float64 (params in float32), and what its row of params holds after the numbers named `own`."""
    writer = FunctionWriter(result, own)
    source = writer.write()
    name = source_name("function_", source)
    if name not in BUILT:
        scope = define(name, source, {}, T=wp.float64, A=wp.array2d(dtype=wp.float32))
        BUILT[name] = wp.Function(func=scope["clamp"], key="clamp", namespace="", module=wp.get_module(name))
    return BUILT[name], [float(x) for x in evaluate(list(writer.uniforms.values()), numbers)]
