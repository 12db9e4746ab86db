"""Derivatives of a traced program, as more symbols of the same program.

Each output is followed backwards once, through the operations that lead to it:

    adjoint(argument) += adjoint(value)·∂value/∂argument
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from .tracing import FLOAT, Symbol, Traced, kind_of, node, sign, where

Rule = Callable[[Symbol, Traced], tuple[Traced, ...]]
"""What each argument of an operation adds to its adjoint, from the symbol and its own adjoint."""


def _max(x: Symbol, g: Traced) -> tuple[Traced, ...]:
    first = x.args[0] >= x.args[1]
    return where(first, g, 0.0), where(first, 0.0, g)


def _min(x: Symbol, g: Traced) -> tuple[Traced, ...]:
    first = x.args[0] <= x.args[1]
    return where(first, g, 0.0), where(first, 0.0, g)


def _rise_mean(x: Symbol, g: Traced) -> tuple[Traced, ...]:
    u = x.args[0]
    # (rise - 2·rise_mean)/u, near 0 its series
    small = (u < 0.1) & (u > -0.1)
    far = (node("rise", u, kind=FLOAT) - 2.0 * x) / where(small, 1.0, u)
    return (g * where(small, -1.0 / 6.0 + u * (1.0 / 12.0 - u * (1.0 / 40.0 - u / 180.0)), far),)


def _pow(x: Symbol, g: Traced) -> tuple[Traced, ...]:
    base, exponent = x.args
    by_base = g * exponent * node("pow", base, exponent - 1.0)
    # 0 to any power does not change with the power
    positive = base > 0.0
    by_exponent = where(positive, g * x * node("log2", where(positive, base, 1.0)) * math.log(2.0), 0.0)
    return by_base, by_exponent


RULES: dict[str, Rule] = {
    "add": lambda x, g: (g, g),
    "sub": lambda x, g: (g, -g),
    "mul": lambda x, g: (g * x.args[1], g * x.args[0]),
    "div": lambda x, g: (g / x.args[1], -(g * x / x.args[1])),
    "mod": lambda x, g: (g, 0.0),
    "neg": lambda x, g: (-g,),
    "abs": lambda x, g: (g * sign(x.args[0]),),
    "exp": lambda x, g: (g * x,),
    "expm1": lambda x, g: (g * (x + 1.0),),
    "log2": lambda x, g: (g / (x.args[0] * math.log(2.0)),),
    "max": _max,
    "min": _min,
    "pow": _pow,
    "sin": lambda x, g: (g * node("cos", x.args[0]),),
    "cos": lambda x, g: (-(g * node("sin", x.args[0])),),
    "sqrt": lambda x, g: (0.5 * g / x,),
    "tanh": lambda x, g: (g * (1.0 - x * x),),
    # those of an exact step, see `physics/exact.py`
    "decay": lambda x, g: (-(g * x),),
    "rise": lambda x, g: (g * (node("rise_mean", x.args[0], kind=FLOAT) - x),),
    "rise_mean": _rise_mean,
    "where": lambda x, g: (0.0, where(x.args[0], g, 0.0), where(x.args[0], 0.0, g)),
}
"""Rule of each operation that has a derivative; all others are steps or switches."""


def derivatives(outputs: Sequence[Traced], inputs: Sequence[Symbol]) -> list[list[Traced]]:
    """Derivative of each output by each input: a symbol, or 0 where it does not depend on it."""
    return [_backwards(output, inputs) for output in outputs]


def _backwards(output: Traced, inputs: Sequence[Symbol]) -> list[Traced]:
    if not isinstance(output, Symbol):
        return [0.0] * len(inputs)
    adjoints: dict[int, Traced] = {output.index: 1.0}
    wanted = _leading(output, {x.index for x in inputs})
    for index in sorted(wanted, reverse=True):
        symbol = wanted[index]
        given = adjoints.get(index, 0.0)
        if symbol.op not in RULES or (isinstance(given, float) and given == 0.0):
            continue
        for argument, more in zip(symbol.args, RULES[symbol.op](symbol, given), strict=True):
            if isinstance(argument, Symbol) and argument.index in wanted and kind_of(argument) == FLOAT:
                before = adjoints.get(argument.index)
                adjoints[argument.index] = more if before is None else before + more
    return [adjoints.get(x.index, 0.0) for x in inputs]


def _leading(output: Symbol, inputs: set[int]) -> dict[int, Symbol]:
    """Symbols on a way from any input to the output."""
    order: list[Symbol] = []
    seen: set[int] = set()
    stack = [output]
    while stack:
        symbol = stack.pop()
        if symbol.index not in seen:
            seen.add(symbol.index)
            order.append(symbol)
            stack += [x for x in symbol.args if isinstance(x, Symbol)]
    on_way: dict[int, Symbol] = {}
    for symbol in sorted(order, key=lambda x: x.index):
        leads = any(isinstance(x, Symbol) and x.index in on_way for x in symbol.args)
        if symbol.index in inputs or (leads and symbol.op in RULES):
            on_way[symbol.index] = symbol
    return on_way
