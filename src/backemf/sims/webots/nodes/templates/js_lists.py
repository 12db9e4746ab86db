"""Lists of JavaScript, and what they can do."""

from __future__ import annotations

import functools
from typing import Any

from .bounds import TemplateError
from .evaluate import Interpreter
from .js_expressions import NULL
from .js_slices import clipped, sliced
from .js_values import number_of, same, text_of
from .natives import argument, natives


def _each(run: Interpreter, this: list[Any], a: list[Any]) -> list[tuple[Any, Any]]:
    """Every item with what a function makes of it."""
    do = argument(a, 0)
    return [(item, run.call(do, None, [item, float(index), this])) for index, item in enumerate(list(this))]


def _true(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    return [item for item, kept in _each(run, this, a) if run.dialect.truth(kept)]


def _position(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    found = [index for index, (_, kept) in enumerate(_each(run, this, a)) if run.dialect.truth(kept)]
    return float(found[0]) if found else -1.0


def _push(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    this.extend(a)
    return float(len(this))


def _unshift(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    run.budget.spend(len(this))
    this[0:0] = a
    return float(len(this))


def _splice(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(len(this))
    start = clipped(argument(a, 0), len(this), 0)
    count = int(max(0.0, min(float(len(this) - start), number_of(argument(a, 1, float(len(this)))))))
    taken = this[start : start + count]
    this[start : start + count] = a[2:]
    return taken


def _join(run: Interpreter, this: list[Any], a: list[Any]) -> str:
    run.budget.spend(len(this))
    return run.budget.text(
        text_of(argument(a, 0, ",")).join("" if x is None or x is NULL else text_of(x) for x in this)
    )


def _reduce(run: Interpreter, this: list[Any], a: list[Any]) -> Any:
    items = list(this)
    if len(a) < 2 and not items:
        raise TemplateError("reduce of an empty list needs a first value")
    made = a[1] if len(a) > 1 else items.pop(0)
    for index, item in enumerate(items):
        made = run.call(a[0], None, [made, item, float(index), this])
    return made


def _sorted(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(4 * len(this))
    if not a:
        this.sort(key=text_of)
    else:
        this.sort(key=functools.cmp_to_key(lambda x, y: _sign(number_of(run.call(a[0], None, [x, y])))))
    return this


def _sign(number: float) -> int:
    return (number > 0.0) - (number < 0.0)


def _concat(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    made = list(this)
    for each in a:
        made += each if isinstance(each, list) else [each]
    run.budget.spend(len(made))
    return made


def _index(run: Interpreter, this: list[Any], a: list[Any]) -> float:
    run.budget.spend(len(this))
    return float(next((index for index, item in enumerate(this) if same(item, argument(a, 0))), -1))


def _filled(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(len(this))
    this[:] = [argument(a, 0)] * len(this)
    return this


def _reverse(run: Interpreter, this: list[Any], a: list[Any]) -> list[Any]:
    run.budget.spend(len(this))
    this.reverse()
    return this


ARRAY = natives(
    {
        "push": _push, "unshift": _unshift, "splice": _splice, "join": _join, "reduce": _reduce, "sort": _sorted,
        "concat": _concat, "slice": sliced, "indexOf": _index, "fill": _filled, "filter": _true, "reverse": _reverse,
        "pop": lambda run, this, a: this.pop() if this else None,
        "shift": lambda run, this, a: this.pop(0) if this else None,
        "includes": lambda run, this, a: _index(run, this, a) >= 0.0,
        "map": lambda run, this, a: [made for _, made in _each(run, this, a)],
        "forEach": lambda run, this, a: _each(run, this, a) and None,
        "find": lambda run, this, a: next(iter(_true(run, this, a)), None), "findIndex": _position,
        "some": lambda run, this, a: bool(_true(run, this, a)),
        "every": lambda run, this, a: len(_true(run, this, a)) == len(this),
        "toString": lambda run, this, a: run.budget.text(text_of(this)),
    }
)  # fmt: skip


def made_array(run: Interpreter, this: Any, a: list[Any]) -> list[Any]:
    """Array(length), or the items of a list."""
    if len(a) == 1 and isinstance(a[0], float):
        run.budget.fits(a[0])
        run.budget.spend(int(a[0]))
        return [None] * int(a[0])
    return list(a)


def array_from(run: Interpreter, this: Any, a: list[Any]) -> list[Any]:
    """Array.from of a list, a text or {length: ...}, with what a function makes of each."""
    given = argument(a, 0)
    if isinstance(given, dict):
        items = made_array(run, None, [number_of(given.get("length", 0.0))])
    else:
        items = [row[0] for row in run.dialect.items(run, given, False)]
    run.budget.spend(len(items))
    return items if len(a) < 2 else [run.call(a[1], None, [x, float(i)]) for i, x in enumerate(items)]
