"""PyTorch: for training loops; one fused graph per kind of motor."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from types import FunctionType, SimpleNamespace
from typing import Any

import torch
from numpy.typing import ArrayLike

from ..physics import ops as numpy_ops
from ..physics.command import Command
from ..physics.state import Output, State
from ..tree import map_numbers
from ..values import Foreign
from .packing import Options, Packed, Run, Step, on_packed, pack, unpack, with_states
from .torch_inputs import settle
from .torch_threads import can_choose, motors_a_thread

States = Packed | tuple[Packed, ...]
Value = torch.Tensor | float
Device = torch.device | str | None


class _Precision:
    """Precision of the step that is being computed or traced; None: PyTorch's default."""

    dtype: Any = None


_step = _Precision()


def _in_precision(function: Step, dtype: torch.dtype | None) -> Step:
    """The step with plain numbers in its own precision: `dtype`, or where that is None the widest of its inputs."""

    def step(actuator: object, state: States, *arguments: object) -> tuple[Any, Any]:
        _step.dtype = dtype or _widest((state, *arguments))
        try:
            return function(actuator, state, *arguments)
        finally:
            _step.dtype = None

    return step


def _widest(inputs: tuple[object, ...]) -> torch.dtype | None:
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
def _either(tensors: Callable[..., torch.Tensor], floats: Callable[..., object]) -> Callable[..., Any]:
    """An operation that is one function for tensors and another one for plain numbers."""

    def operation(*x: Value) -> Any:
        tensor = isinstance(x[0], torch.Tensor) or (len(x) > 1 and isinstance(x[1], torch.Tensor))
        return tensors(*x) if tensor else floats(*x)

    return operation


def _where(condition: Value, a: Value, b: Value) -> Value:
    if not isinstance(condition, torch.Tensor):
        return a if condition else b
    if isinstance(a, torch.Tensor) or isinstance(b, torch.Tensor) or not isinstance(a + b, float):
        return torch.where(condition, a, b)
    # a choice between two plain numbers would be made in PyTorch's default precision
    precision = _step.dtype or torch.get_default_dtype()
    return torch.where(condition, condition.new_full((), a, dtype=precision), b)


def _total(x: Value) -> Value:
    return torch.sum(x, dim=-1, keepdim=True) if isinstance(x, torch.Tensor) and x.ndim else x


def _interpolate(x: torch.Tensor, xs: torch.Tensor, ys: torch.Tensor) -> torch.Tensor:
    """Linear between the points of a table, held at its ends."""
    index = torch.clamp(torch.searchsorted(xs, x.detach().contiguous()), 1, len(xs) - 1)
    before, width = xs[index - 1], xs[index] - xs[index - 1]
    share = torch.clamp((x - before) / width, 0.0, 1.0)
    return ys[index - 1] + share * (ys[index] - ys[index - 1])


def _integers(x: Value) -> torch.Tensor | int:
    return x.to(torch.int64) if isinstance(x, torch.Tensor) else int(x)


def _pick(line: torch.Tensor, slots: torch.Tensor) -> torch.Tensor:
    slots = slots.expand(line.shape[1:]) if slots.ndim else slots.reshape((1,) * (line.ndim - 1)).expand(line.shape[1:])
    return torch.gather(line, 0, slots[None].to(torch.int64))[0]


def _alike(x: Value, like: torch.Tensor) -> torch.Tensor:
    if not isinstance(x, torch.Tensor):
        return torch.full_like(like, x)
    return x.to(like.dtype).expand(like.shape)


def _stack(items: Sequence[Value], dim: int) -> torch.Tensor:
    like = next((item for item in items if isinstance(item, torch.Tensor)), None)
    if like is None:
        return torch.stack([torch.as_tensor(item, dtype=_step.dtype) for item in items], dim=dim)
    items = [item if isinstance(item, torch.Tensor) else torch.full_like(like, item) for item in items]
    return torch.stack(torch.broadcast_tensors(*items), dim=dim)


def _exp(x: torch.Tensor) -> torch.Tensor:
    """exp(x), kept away from what no float holds in full: such tiny numbers are slow to compute with."""
    return torch.exp(torch.clamp(x, min=-70.0 if x.dtype == torch.float32 else -690.0))


def _expm1(x: torch.Tensor) -> torch.Tensor:
    """exp(x) - 1; compiled for a CPU, PyTorch's own has no digits near 0."""
    if x.dtype != torch.float32:
        t = torch.tanh(0.5 * x)
        return 2.0 * t / (1.0 - t)
    # x + x²/2! + x³/3! + ... up to the last term that counts
    series = 1 / 120 + x * (1 / 720)
    for factorial in (24, 6, 2, 1):
        series = 1 / factorial + x * series
    return torch.where(x.abs() < 0.25, x * series, _exp(x) - 1.0)


_BOTH = ("log2", "sin", "cos", "sqrt", "tanh", "floor", "erf")
"""Operations of the same name in PyTorch and `math`."""
ops = SimpleNamespace(
    **{name: _either(getattr(torch, name), getattr(math, name)) for name in _BOTH},
    absolute=_either(torch.abs, abs),
    exp=_either(_exp, math.exp),
    expm1=_either(_expm1, math.expm1),
    maximum=_either(lambda a, b: torch.where(a > b, a, b), max),
    minimum=_either(lambda a, b: torch.where(a < b, a, b), min),
    power=_either(torch.pow, math.pow),
    sign=_either(torch.sign, lambda x: float((x > 0) - (x < 0))),
    # nothing but a finite number is 0 after taking itself away
    isfinite=_either(lambda x: x - x == 0.0, math.isfinite),
    where=_where,
    interpolate=_interpolate,
    words=_integers,
    low_word=lambda x: x & 0xFFFFFFFF,
    as_bits=lambda x: x.to(torch.int16) if isinstance(x, torch.Tensor) else x,
    fractions=lambda x, like: x.to(like.dtype) * 2.0**-24,
    store=lambda line, slot, frame: torch.index_copy(line, 0, slot.reshape(1), frame[None]),
    pick=_pick,
    alike=_alike,
    to_integer=_integers,
    total=_total,
    detach=_either(torch.Tensor.detach, float),
    matmul=lambda x, weight: torch.matmul(x, weight.to(x.dtype)),
    stack_first=lambda items: _stack(items, 0),
    stack_last=lambda items: _stack(items, -1),
    join_last=lambda items: torch.cat(items, dim=-1),
    change=numpy_ops.change,
    refine=numpy_ops.refine,
    repeat=numpy_ops.repeat,
    same=numpy_ops.same,
)


def _own(x: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """A value over a shape, in memory of its own.

    Its strides are those of what a step gives back, even along axes of size 1: a step is compiled for strides, and
    would be compiled again at the second step.
    """
    return x.expand(shape).clone(memory_format=torch.contiguous_format)


def array(
    value: ArrayLike, shape: tuple[int, ...] | None = None, *, dtype: torch.dtype | None = None, device: Device = None
) -> torch.Tensor:
    """The value as a tensor, broadcast to `shape` where one is given."""
    x = torch.as_tensor(value, dtype=dtype or torch.get_default_dtype(), device=device)
    return x if shape is None else _own(x, shape)


def integers(
    value: ArrayLike, shape: tuple[int, ...] = (), *, dtype: torch.dtype | None = None, device: Device = None
) -> torch.Tensor:
    """Integers as a tensor."""
    return _own(torch.as_tensor(value, dtype=torch.int64, device=device), shape)


def select(mask: ArrayLike, chosen: torch.Tensor, other: torch.Tensor) -> torch.Tensor:
    """The first value where a mask is true, else the second."""
    return torch.where(torch.as_tensor(mask), chosen, other)


def broadcast(value: Value, shape: tuple[int, ...], like: Value) -> torch.Tensor:
    """A value over a shape; a plain number in the precision of another value."""
    if isinstance(value, torch.Tensor):
        return value.expand(shape)
    if isinstance(like, torch.Tensor) and isinstance(value, float):
        return torch.full(shape, value, dtype=like.dtype, device=like.device)
    return torch.full(shape, value, device=like.device if isinstance(like, torch.Tensor) else None)


def compile_step(function: Step, actuator: object, options: Options) -> Run:
    """The function compiled to one graph, with its first argument, the actuator, filled in."""
    place: dict[str, Any] = {"dtype": options.get("dtype"), "device": options.get("device")}
    actuator = map_numbers(actuator, lambda x: x if isinstance(x, (int, float, torch.Tensor)) else array(x, **place))
    step = _in_precision(on_packed(function), place["dtype"])

    def run(state: States, *arguments: object) -> Any:
        return step(actuator, state, *arguments)

    def run_in_place(state: States, *arguments: object) -> Any:
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
        long, on_gpu = _is_long(actuator, options), _is_on_gpu(options)
        # however long a kernel gets, what is between two substeps stays in registers
        tuning: Foreign = {"max_fusion_size": 100_000} if long else None
        compiled = torch.compile(run, fullgraph=True, dynamic=options.get("dynamic", False), options=tuning)
        run = _on_settled(
            compiled, actuator, place, bool(options.get("in_place")), (1 if long else 2) if on_gpu else None
        )
    return _with_same_state(run) if options.get("in_place") else with_states(run)


def _on_settled(
    compiled: Run, actuator: object, place: dict[str, Foreign], in_place: bool, motors: int | None
) -> Foreign:
    """A compiled step whose state and inputs always have the form for which it was compiled first.

    On a GPU it has so many `motors` in a thread.
    """
    numbers: list[torch.Tensor] = []
    map_numbers(actuator, lambda x: numbers.append(x) if isinstance(x, torch.Tensor) else None)
    own = tuple(numbers)

    def run(state: States, *arguments: object) -> Foreign:
        state, inputs = settle(state, arguments, own, place, in_place)
        with nullcontext() if motors is None else motors_a_thread(motors):
            return compiled(state, *inputs)

    return run


def _is_long(actuator: Any, options: Options) -> bool:
    """Whether a step is several substeps of a control loop on a GPU, which one kernel has the registers for."""
    substeps = max(each.substeps for each in (actuator if isinstance(actuator, tuple) else (actuator,)))
    return substeps > 1 and _is_on_gpu(options) and (options.get("telemetry") is not None or can_choose())


def _is_on_gpu(options: Options) -> bool:
    device: Any = options.get("device") or "cpu"
    return torch.device(device).type == "cuda"


def _with_same_state(run: Callable[..., Any]) -> Run:
    """A step that has written into the state it was given."""

    def step(state: State | tuple[State, ...], *arguments: object) -> tuple[Any, Output]:
        return state, unpack(Output, run(pack(state), *arguments))

    return step
