"""PyTorch: for training loops; one fused graph per kind of motor."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from types import FunctionType, SimpleNamespace
from typing import Any

import torch
from numpy.typing import ArrayLike

from ..errors import ParameterError
from ..physics import ops as numpy_ops
from ..physics.state import Output, State
from ..tree import map_numbers
from ..values import Foreign
from .packing import Options, Packed, Run, Step, on_packed, pack, unpack, with_states
from .torch_inputs import Constants, from_numpy, outside_inference, settle, widest_of
from .torch_threads import can_choose, motors_a_thread

States = Packed | tuple[Packed, ...]
Value = torch.Tensor | float
Device = torch.device | str | None


class _Manner:
    """How the step that is being computed or traced goes about it."""

    dtype: Any = None
    """Precision of plain numbers; None: PyTorch's default."""
    spares: bool = False
    """Whether what is seldom needed is read only where it is."""


_step = _Manner()


def _in_manner(function: Step, dtype: torch.dtype | None, spares: bool) -> Step:
    """The step with plain numbers in its own precision: `dtype`, or where that is None the widest of its inputs.

    Where it `spares`, its compiled form reads what is seldom needed only for the motors that need it.
    """

    def step(actuator: object, state: States, *arguments: object) -> tuple[Any, Any]:
        _step.dtype = dtype or widest_of((state, *arguments))
        _step.spares = spares and torch.compiler.is_compiling()
        try:
            return function(actuator, state, *arguments)
        finally:
            _step.dtype, _step.spares = None, False

    return step


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


def _usually(condition: Value, value: Value, other: Value) -> Value:
    """The choice; in a kernel of a GPU the other value costs no bandwidth where it is not needed."""
    if not _step.spares or not isinstance(condition, torch.Tensor) or not isinstance(other, torch.Tensor):
        return _where(condition, value, other)
    if condition.shape == other.shape and not other.requires_grad:
        places = torch.arange(other.numel(), device=other.device)
        seldom = ~condition.reshape(-1)
        other = torch.ops.aten._unsafe_masked_index(other.reshape(-1), seldom, [places], 0.0).reshape(condition.shape)
    return _where(condition, value, other)


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
    usually=_usually,
)


def _own(x: torch.Tensor, shape: tuple[int, ...]) -> torch.Tensor:
    """A value over a shape, in memory of its own.

    Its strides are those of what a step gives back, even along axes of size 1: a step is compiled for strides, and
    would be compiled again at the second step.
    """
    return x.expand(shape).clone(memory_format=torch.contiguous_format)


_PRECISIONS = {"float32": torch.float32, "float64": torch.float64}


def precision(dtype: object) -> torch.dtype | None:
    """The precision of states and parameters by its name, or as PyTorch or NumPy says it; None: that of the inputs.

    Half precision is refused: what heats a winding in a step is less than its last digit.
    """
    if dtype is None:
        return None
    name = getattr(dtype, "__name__", str(dtype)).split(".")[-1]
    if name not in _PRECISIONS:
        raise ParameterError(
            f"dtype = {name}: the torch engine computes in float32 or float64; inputs of a step may be narrower"
        )
    return _PRECISIONS[name]


def _default_precision() -> torch.dtype:
    """PyTorch's own, where states can be held in it."""
    default = torch.get_default_dtype()
    return default if default in _PRECISIONS.values() else torch.float32


def array(
    value: ArrayLike, shape: tuple[int, ...] | None = None, *, dtype: torch.dtype | None = None, device: Device = None
) -> torch.Tensor:
    """The value as a tensor, broadcast to `shape` where one is given."""
    x = torch.as_tensor(value, dtype=precision(dtype) or _default_precision(), device=device)
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
    place: dict[str, Any] = {"dtype": precision(options.get("dtype")), "device": _device(options.get("device"))}
    with torch.inference_mode(False):
        actuator = map_numbers(
            actuator, lambda x: x if isinstance(x, (int, float, torch.Tensor)) else array(x, **place)
        )
    step = _in_manner(on_packed(function), place["dtype"], _is_on_gpu(options))

    def run(state: States, *arguments: object) -> Any:
        return step(actuator, state, *arguments)

    def run_in_place(state: States, *arguments: object) -> Any:
        after, out = step(actuator, state, *arguments)
        # written straight into the tensors that came in, so that a captured graph can be replayed
        for old, new in zip(*((x,) if isinstance(x, dict) else x for x in (state, after)), strict=True):
            for name, value in old.items():
                value.copy_(new[name])
        return out

    in_place = bool(options.get("in_place"))
    run = run_in_place if in_place else run
    run = _on_tensors(run, place) if options.get("eager") else _on_settled(run, actuator, place, options)
    return _with_same_state(run) if in_place else with_states(run)


def _device(device: Foreign) -> Foreign:
    """A device that is there; raises ParameterError where it is none, or PyTorch cannot use it."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError, TypeError) as error:
        reason = str(error).split("\n")[0]
        raise ParameterError(
            f"device = {device!r}: PyTorch does not have it here ({reason}); leave it out for the CPU"
        ) from None
    return device


def _on_tensors(run: Run, place: dict[str, Foreign]) -> Run:
    """A step that runs as it is, on tensors that may be part of a gradient."""

    def step(state: States, *arguments: Foreign) -> Foreign:
        if torch.compiler.is_compiling():
            return run(state, *arguments)
        state, inputs = outside_inference(state), outside_inference(arguments)
        here = {**place, "dtype": place["dtype"] or widest_of((state, *inputs))}
        return run(state, *(from_numpy(x, here) for x in inputs))

    return step


def _on_settled(run: Run, actuator: object, place: dict[str, Foreign], options: Options) -> Run:
    """A step that is compiled at its first call, whose state and inputs have the form of all later calls."""
    numbers: list[torch.Tensor] = []
    map_numbers(actuator, lambda x: numbers.append(x) if isinstance(x, torch.Tensor) else None)
    own, constants, in_place = tuple(numbers), Constants(), bool(options.get("in_place"))
    long, on_gpu, dynamic = _is_long(actuator, options), _is_on_gpu(options), bool(options.get("dynamic"))
    motors = (1 if long else 2) if on_gpu else None
    # however long a kernel gets, what is between two substeps stays in registers; in a short one what joints share of a
    # delay is computed again for each of them, which takes less time than a pass over memory
    tuning: Foreign = {"max_fusion_size": 100_000} if long else {"realize_opcount_threshold": 100} if on_gpu else None
    compiled: dict[object, Run] = {}

    def compile_new() -> Run:
        # a code object of its own, since Dynamo counts recompilations by it
        fresh = FunctionType(run.__code__.replace(), run.__globals__, run.__name__, None, run.__closure__)
        return torch.compile(fresh, fullgraph=True, dynamic=dynamic, options=tuning)

    def step(state: States, *arguments: object) -> Foreign:
        if torch.compiler.is_compiling():
            # a part of a larger program that is compiled as a whole
            return run(state, *arguments)
        # a number of the motor is a constant, whatever the size of the batch
        floats = torch._dynamo.config.patch(specialize_float=True) if dynamic else nullcontext()
        with _without_inference(), floats, nullcontext() if motors is None else motors_a_thread(motors):
            state, inputs = settle(state, arguments, own, place, in_place, constants)
            # so that batches of many shapes do not count as recompilations of one
            shape = None if dynamic else _shape_of(state, inputs)
            if shape not in compiled:
                compiled[shape] = compile_new()
            return compiled[shape](state, *inputs)

    return step


def _shape_of(state: States, inputs: tuple[Foreign, ...]) -> tuple[object, ...]:
    """Shapes of a batch, by which a step is compiled."""
    parts = state if isinstance(state, tuple) else (state,)
    firsts = (next(iter(part.values()), None) for part in parts)
    return tuple(getattr(x, "shape", None) for x in (*firsts, *inputs[:3]))


@contextmanager
def _without_inference() -> Iterator[None]:
    """Inference mode as no more than a step without gradients: its tensors would be another kind, compiled anew."""
    if not torch.is_inference_mode_enabled():
        yield
        return
    with torch.inference_mode(False), torch.no_grad():
        yield


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
