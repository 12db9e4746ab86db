"""PyTorch: for training loops; one fused graph per kind of motor."""

from __future__ import annotations

import math
from types import FunctionType, SimpleNamespace
from typing import Any

import torch

from ..physics.command import Command
from ..physics.state import Output
from ..tree import map_numbers
from .packing import on_packed, packed, unpacked, with_states


class _Precision:
    """Precision of the step that is being computed or traced; None: PyTorch's default."""

    dtype: Any = None


_step = _Precision()


def _in_precision(function, dtype):
    """The step with plain numbers in its own precision: `dtype`, or where that is None the widest of its inputs."""

    def step(actuator, state, *arguments):
        _step.dtype = dtype or _widest((state, *arguments))
        try:
            return function(actuator, state, *arguments)
        finally:
            _step.dtype = None

    return step


def _widest(inputs):
    """The widest float type among tensors, however nested; None where there is none."""
    found = None
    for item in inputs:
        inner: Any = None
        if isinstance(item, torch.Tensor):
            inner = item.dtype if item.is_floating_point() else None
        elif isinstance(item, dict):
            inner = _widest(tuple(item.values()))
        elif isinstance(item, tuple):
            inner = _widest(item)
        elif isinstance(item, Command):
            inner = _widest((item.position, item.velocity, item.effort, item.voltage))
        found = inner if found is None else found if inner is None else torch.promote_types(found, inner)
    return found


# parameters that are plain floats stay so: they are computed once while tracing
def _either(tensors, floats):
    def operation(x):
        return tensors(x) if isinstance(x, torch.Tensor) else floats(x)

    return operation


def _maximum(a, b):
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return torch.where(a > b, a, b)
    return max(a, b)


def _minimum(a, b):
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor):
        return torch.where(a < b, a, b)
    return min(a, b)


def _where(condition, a, b):
    if not isinstance(condition, torch.Tensor):
        return a if condition else b
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor) or not isinstance(a + b, float):
        return torch.where(condition, a, b)
    # a choice between two plain numbers would be made in PyTorch's default precision
    precision = _step.dtype or torch.get_default_dtype()
    return torch.where(condition, condition.new_full((), a, dtype=precision), b)


def _power(base, exponent):
    if isinstance(base, torch.Tensor) or isinstance(exponent, torch.Tensor):
        return torch.pow(base, exponent)
    return math.pow(base, exponent)


def _total(x):
    return torch.sum(x, dim=-1, keepdim=True) if isinstance(x, torch.Tensor) and x.ndim else x


def _sign(x):
    return torch.sign(x) if isinstance(x, torch.Tensor) else float((x > 0) - (x < 0))


def _interpolate(x, xs, ys):
    """Linear between the points of a table, held at its ends."""
    index = torch.clamp(torch.searchsorted(xs, x.detach().contiguous()), 1, len(xs) - 1)
    before, width = xs[index - 1], xs[index] - xs[index - 1]
    share = torch.clamp((x - before) / width, 0.0, 1.0)
    return ys[index - 1] + share * (ys[index] - ys[index - 1])


def _isfinite(x):
    # nothing but a finite number is 0 after taking itself away
    return x - x == 0.0 if isinstance(x, torch.Tensor) else math.isfinite(x)


def _words(x):
    return x.to(torch.int64) if isinstance(x, torch.Tensor) else x


def _fractions(x, like):
    return x.to(like.dtype) * 2.0**-24


def _stored(line, slot, frame):
    return torch.index_copy(line, 0, slot.reshape(1), frame[None])


def _picked(line, slots):
    slots = slots.expand(line.shape[1:]) if slots.ndim else slots.reshape((1,) * (line.ndim - 1)).expand(line.shape[1:])
    return torch.gather(line, 0, slots[None].to(torch.int64))[0]


def _alike(x, like):
    if not isinstance(x, torch.Tensor):
        return torch.full_like(like, x)
    return x.to(like.dtype).expand(like.shape)


def _matmul(x, weight):
    return torch.matmul(x, weight.to(x.dtype))


def _stacked(items, dim):
    like = next((item for item in items if isinstance(item, torch.Tensor)), None)
    if like is None:
        return torch.stack([torch.as_tensor(item, dtype=_step.dtype) for item in items], dim=dim)
    items = [item if isinstance(item, torch.Tensor) else torch.full_like(like, item) for item in items]
    return torch.stack(torch.broadcast_tensors(*items), dim=dim)


ops = SimpleNamespace(
    absolute=_either(torch.abs, abs),
    exp=_either(torch.exp, math.exp),
    expm1=_either(torch.expm1, math.expm1),
    log2=_either(torch.log2, math.log2),
    maximum=_maximum,
    minimum=_minimum,
    power=_power,
    sign=_sign,
    sin=_either(torch.sin, math.sin),
    cos=_either(torch.cos, math.cos),
    sqrt=_either(torch.sqrt, math.sqrt),
    tanh=_either(torch.tanh, math.tanh),
    floor=_either(torch.floor, math.floor),
    isfinite=_isfinite,
    where=_where,
    interpolate=_interpolate,
    words=_words,
    low_word=lambda x: x & 0xFFFFFFFF,
    as_bits=lambda x: x.to(torch.int16) if isinstance(x, torch.Tensor) else x,
    fractions=_fractions,
    stored=_stored,
    picked=_picked,
    alike=_alike,
    counted=lambda x: x.to(torch.int64) if isinstance(x, torch.Tensor) else int(x),
    total=_total,
    detached=_either(torch.Tensor.detach, float),
    matmul=_matmul,
    erf=_either(torch.erf, math.erf),
    stack_first=lambda items: _stacked(items, 0),
    stack_last=lambda items: _stacked(items, -1),
    join_last=lambda items: torch.cat(items, dim=-1),
)


def array(value, shape=None, *, dtype=None, device=None):
    """The value as a tensor, spread over `shape` where one is given."""
    x = torch.as_tensor(value, dtype=dtype or torch.get_default_dtype(), device=device)
    return x if shape is None else x.expand(shape).clone()


def whole(value, shape=(), *, dtype=None, device=None):
    """Whole numbers as a tensor."""
    return torch.as_tensor(value, dtype=torch.int64, device=device).expand(shape).clone()


def select(mask, chosen, other):
    return torch.where(torch.as_tensor(mask), chosen, other)


def spread(value, shape, like):
    """A value over a shape; a plain number in the precision of another value."""
    if isinstance(value, torch.Tensor):
        return value.expand(shape)
    if isinstance(like, torch.Tensor) and isinstance(value, float):
        return torch.full(shape, value, dtype=like.dtype, device=like.device)
    return torch.full(shape, value, device=like.device if isinstance(like, torch.Tensor) else None)


def joined(parts):
    """Tensors side by side along the last axis."""
    return torch.cat(parts, dim=-1)


def compiled(function, actuator, options):
    """The function compiled to one graph, with its first argument, the actuator, filled in."""
    place = {"dtype": options.get("dtype"), "device": options.get("device")}
    actuator = map_numbers(actuator, lambda x: x if isinstance(x, (int, float, torch.Tensor)) else array(x, **place))
    step = _in_precision(on_packed(function), place["dtype"])

    def run(state, *arguments):
        return step(actuator, state, *arguments)

    def run_in_place(state, *arguments):
        after, out = step(actuator, state, *arguments)
        # written straight into the tensors that came in, so that a captured graph can be replayed
        for old, new in zip(*((x,) if isinstance(x, dict) else x for x in (state, after)), strict=True):
            for name, value in old.items():
                value.copy_(new[name])
        return out

    run = run_in_place if options.get("in_place") else run
    if not options.get("eager"):
        # a code object of its own, since Dynamo counts recompilations by it
        run = FunctionType(run.__code__.replace(), run.__globals__, run.__name__, None, run.__closure__)
        run = torch.compile(
            run, fullgraph=True, dynamic=options.get("dynamic", False), options=tuned(actuator, options)
        )
    return keeping_state(run) if options.get("in_place") else with_states(run)


def tuned(actuator: Any, options: dict[str, Any]) -> dict[str, Any] | None:
    """Options of the compiler: several turns of a control loop on a GPU go into one kernel, however long it gets.

    With every output that would be too much for one kernel's registers.
    """
    turns = max(each.substeps for each in (actuator if isinstance(actuator, tuple) else (actuator,)))
    on_gpu = torch.device(options.get("device") or "cpu").type == "cuda"
    return {"max_fusion_size": 100_000} if turns > 1 and on_gpu and options.get("telemetry") is not None else None


def keeping_state(run):
    """A step that has written into the state it was given."""

    def step(state, *arguments):
        return state, unpacked(Output, run(packed(state), *arguments))

    return step
