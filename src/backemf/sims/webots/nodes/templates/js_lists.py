"""Lists of JavaScript, and what they can do."""

from __future__ import annotations

import functools

from .bounds import TemplateError, check_length
from .js_texts import clip_index, cut
from .js_values import items, join_items, number_of, same, text_of, truth
from .runtime import Interpreter, Value, natives

Items = list[Value]


def _map(run: Interpreter, this: Items, do: Value) -> Items:
    """What a function makes of every item."""
    return [run.call(do, None, [item, float(index), this]) for index, item in enumerate(list(this))]


def _filter(run: Interpreter, this: Items, do: Value) -> list[tuple[int, Value]]:
    """The items that a function is true of, with their indices."""
    before = list(this)
    return [(index, before[index]) for index, kept in enumerate(_map(run, this, do)) if truth(kept)]


def _push(run: Interpreter, this: Items, *a: Value) -> float:
    this.extend(a)
    return float(len(this))


def _unshift(run: Interpreter, this: Items, *a: Value) -> float:
    run.budget.spend(len(this))
    this[0:0] = a
    return float(len(this))


def _splice(run: Interpreter, this: Items, start: Value, count: Value, *a: Value) -> Items:
    run.budget.spend(len(this))
    begin = clip_index(start, len(this), 0)
    most = float(len(this) - begin)
    end = begin + int(max(0.0, most if count is None else min(most, number_of(count))))
    removed = this[begin:end]
    this[begin:end] = a
    return removed


def _reduce(run: Interpreter, this: Items, do: Value, *initial: Value) -> Value:
    rest = [*initial[:1], *this]
    if not rest:
        raise TemplateError("reduce of an empty list needs a first value")
    made = rest.pop(0)
    for index, item in enumerate(rest):
        made = run.call(do, None, [made, item, float(index), this])
    return made


def _sort(run: Interpreter, this: Items, compare: Value) -> Items:
    run.budget.spend(4 * len(this))
    if compare is None:
        this.sort(key=text_of)
        return this

    def sign(x: Value, y: Value) -> int:
        number = number_of(run.call(compare, None, [x, y]))
        return (number > 0.0) - (number < 0.0)

    this.sort(key=functools.cmp_to_key(sign))
    return this


def _concat(run: Interpreter, this: Items, *a: Value) -> Items:
    made = list(this)
    for each in a:
        made += each if isinstance(each, list) else [each]
    run.budget.spend(len(made))
    return made


def _index(run: Interpreter, this: Items, wanted: Value) -> float:
    run.budget.spend(len(this))
    return float(next((index for index, item in enumerate(this) if same(item, wanted)), -1))


def _fill(run: Interpreter, this: Items, value: Value) -> Items:
    run.budget.spend(len(this))
    this[:] = [value] * len(this)
    return this


def _reverse(run: Interpreter, this: Items) -> Items:
    run.budget.spend(len(this))
    this.reverse()
    return this


def _join(run: Interpreter, this: Items, by: Value = ",") -> str:
    run.budget.spend(len(this))
    return run.budget.text(join_items(this, text_of(by)))


def _for_each(run: Interpreter, this: Items, do: Value) -> None:
    _map(run, this, do)


ARRAY = natives(
    {
        "push": _push, "unshift": _unshift, "splice": _splice, "join": _join, "reduce": _reduce, "sort": _sort,
        "concat": _concat, "slice": cut, "indexOf": _index, "fill": _fill, "reverse": _reverse, "map": _map,
        "forEach": _for_each,
        "pop": lambda run, this: this.pop() if this else None,
        "shift": lambda run, this: this.pop(0) if this else None,
        "includes": lambda run, this, item: _index(run, this, item) >= 0.0,
        "filter": lambda run, this, do: [item for _, item in _filter(run, this, do)],
        "find": lambda run, this, do: next((item for _, item in _filter(run, this, do)), None),
        "findIndex": lambda run, this, do: next((float(index) for index, _ in _filter(run, this, do)), -1.0),
        "some": lambda run, this, do: bool(_filter(run, this, do)),
        "every": lambda run, this, do: len(_filter(run, this, do)) == len(this),
        "toString": lambda run, this: run.budget.text(text_of(this)),
    }
)  # fmt: skip


def new_array(run: Interpreter, this: Value, *a: Value) -> Items:
    """Array(length), or the items of a list."""
    if len(a) == 1 and isinstance(a[0], float):
        check_length(a[0])
        run.budget.spend(int(a[0]))
        return [None] * int(a[0])
    return list(a)


def array_from(run: Interpreter, this: Value, given: Value, do: Value) -> Items:
    """Array.from of a list, a text or {length: ...}, with what a function makes of each."""
    if isinstance(given, dict):
        found = new_array(run, None, number_of(given.get("length", 0.0)))
    else:
        found = [each for row in items(run, given, False) for each in row]
    run.budget.spend(len(found))
    return found if do is None else [run.call(do, None, [x, float(i)]) for i, x in enumerate(found)]
