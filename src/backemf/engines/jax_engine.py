"""JAX: compiled, differentiable and vectorised; the engine of `simulate`."""

from __future__ import annotations

import importlib
import os
from collections.abc import Iterable
from contextlib import AbstractContextManager
from dataclasses import fields
from functools import cache, partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

# XLA schedules each operation of a loop unless the loop touches little data; then it compiles it as one function. Its
# limit of 1 KiB is below one motor's step, and this makes a single motor 4 times faster. It has to be said before XLA
# starts; where something else has started it, runs are slower and no less right.
if "xla_backend_extra_options" not in os.environ.get("XLA_FLAGS", ""):
    _small_loops = "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=16384"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_small_loops}".strip()

import jax
import jax.numpy as jnp
import jax.scipy.special

from ..errors import SimulationError
from ..parts import acts
from ..physics import ops as numpy_ops
from ..tree import KINDS, WATCHERS, structure
from .jax_cache import keep_compiled
from .packing import Options, Packed, Run, Step, on_packed, with_states

if TYPE_CHECKING:
    from jax.typing import ArrayLike as Array

keep_compiled()


class _Process:
    """Whether this process was forked from one in which JAX had started."""

    forked = False


def _note_fork() -> None:
    _Process.forked = _Process.forked or _has_started()


def _has_started() -> bool:
    """Whether JAX has started its threads; where it does not say so, it has."""
    try:
        return importlib.import_module("jax._src.xla_bridge").backends_are_initialized()
    except (ImportError, AttributeError):
        return True


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_note_fork)


def require_own_process() -> None:
    """Raise a `SimulationError` in a process that would wait forever for threads that only its parent has."""
    if _Process.forked:
        raise SimulationError(
            "JAX had started before this process was forked, and does not work in it: start processes by "
            "multiprocessing.get_context('spawn') or 'forkserver', or take engine='numpy'"
        )


FEW_FRAMES = 8
"""Up to here a frame of a line is chosen by comparing slots, which XLA vectorises, rather than by an index."""


def _total(x: Array) -> Array:
    return jnp.sum(x, axis=-1, keepdims=True) if jnp.ndim(x) else x


def _single(x: Array) -> bool:
    return jnp.result_type(x) == jnp.float32


def _expm1(x: Array) -> Array:
    """exp(x) - 1; in float32 through tanh, which XLA vectorises and expm1 not: 2t/(1 - t) with t = tanh(x/2)."""
    if not _single(x):
        return jnp.expm1(x)
    t = jnp.tanh(0.5 * x)
    return 2.0 * t / (1.0 - t)


def _sin(x: Array) -> Array:
    """Sine; in float32 by reduction to a half turn and a polynomial, which is 6 times faster than XLA's own."""
    if not _single(x):
        return jnp.sin(x)
    # x = k·π + r with |r| <= π/2, π split in three so that k·π is exact; then the sign of k's parity
    k = jnp.round(x * 0.3183098861837907)
    r = ((x - k * 3.140625) - k * 0.0009670257568359375) - k * 6.2771141529083251953e-07
    s = r * r
    odd = k - 2.0 * jnp.floor(0.5 * k)
    series = r * (1.0 + s * (-1 / 6 + s * (1 / 120 + s * (-1 / 5040 + s * (1 / 362880 - s / 39916800)))))
    return series * (1.0 - 2.0 * odd)


def _pick(line: jax.Array, slots: jax.Array) -> jax.Array:
    if jnp.ndim(slots) == 0:
        return jax.lax.dynamic_index_in_dim(line, slots, 0, keepdims=False)
    if len(line) > FEW_FRAMES:
        slots = jnp.broadcast_to(slots, line.shape[1:])
        return jnp.take_along_axis(line, slots[None], axis=0)[0]
    chosen = line[0]
    for slot in range(1, len(line)):
        chosen = jnp.where(slots == slot, line[slot], chosen)
    return chosen


_SAME = ("exp", "log2", "maximum", "minimum", "power", "sign", "cos", "sqrt", "tanh", "floor", "isfinite", "where")
"""Operations of the same name in `jax.numpy`."""
ops = SimpleNamespace(
    **{name: getattr(jnp, name) for name in _SAME},
    absolute=jnp.abs,
    expm1=_expm1,
    sin=_sin,
    interpolate=jnp.interp,
    words=lambda x: jnp.asarray(x).astype(jnp.uint32),
    low_word=lambda x: x,
    as_bits=lambda x: x.astype(jnp.int16) if isinstance(x, jax.Array) else x,
    fractions=lambda x, like: x.astype(jnp.result_type(like)) * 2.0**-24,
    store=lambda line, slot, frame: jax.lax.dynamic_update_index_in_dim(line, frame, slot, 0),
    pick=_pick,
    alike=lambda x, like: jnp.broadcast_to(jnp.asarray(x, jnp.result_type(like)), jnp.shape(like)),
    to_integer=lambda x: jnp.asarray(x).astype(jnp.int32),
    total=_total,
    detach=jax.lax.stop_gradient,
    # accelerators would round the factors of a product otherwise
    matmul=partial(jnp.matmul, precision=jax.lax.Precision.HIGHEST),
    erf=jax.scipy.special.erf,
    stack_first=lambda items: jnp.stack(jnp.broadcast_arrays(*items)),
    stack_last=lambda items: jnp.stack(jnp.broadcast_arrays(*items), axis=-1),
    join_last=lambda items: jnp.concatenate(items, axis=-1),
    change=numpy_ops.change,
    refine=numpy_ops.refine,
    repeat=numpy_ops.repeat,
    same=numpy_ops.same,
    usually=jnp.where,
)


def _register(kind: type) -> None:
    """Make a dataclass a tree: numbers are leaves; words, switches and what has no effect are structure."""
    static, neutral = tuple(structure(kind)), getattr(kind, "neutral", {})
    moving = tuple(entry.name for entry in fields(kind) if entry.name not in static)
    if not hasattr(kind, "__post_init__"):
        jax.tree_util.register_dataclass(kind, moving, static)
        return
    keys = tuple(jax.tree_util.GetAttrKey(name) for name in moving)

    def flatten(part: Any) -> tuple[list[Any], tuple[Any, ...]]:
        # a number without effect is structure too: nothing is computed with it
        idle = tuple(name for name in neutral if not acts(part, name) and getattr(part, name) is not None)
        children = [None if name in idle else getattr(part, name) for name in moving]
        return children, (*(getattr(part, name) for name in static), idle)

    def flatten_with_keys(part: Any) -> tuple[list[tuple[Any, Any]], tuple[Any, ...]]:
        children, aux = flatten(part)
        return list(zip(keys, children, strict=True)), aux

    def unflatten(aux: tuple[Any, ...], children: Iterable[Any]) -> Any:
        # a tree of gradients or axes is no part that could exist, so that nothing is checked here
        part, idle = object.__new__(kind), aux[-1]
        for name, value in (*zip(static, aux[:-1], strict=True), *zip(moving, children, strict=True)):
            object.__setattr__(part, name, neutral[name] if name in idle else value)
        return part

    jax.tree_util.register_pytree_with_keys(kind, flatten_with_keys, unflatten, flatten)


for _kind in KINDS:
    _register(_kind)
WATCHERS.append(_register)


def doubles(wanted: bool) -> AbstractContextManager[object]:
    """A stretch of program in which JAX computes in float64, or in float32."""
    if hasattr(jax, "enable_x64"):
        return jax.enable_x64(wanted)
    # where an older JAX has it
    return importlib.import_module("jax.experimental").enable_x64(wanted)


def array(value: Array, shape: tuple[int, ...] | None = None) -> jax.Array:
    """The value as an array of this engine, broadcast to `shape` where one is given."""
    x = jnp.asarray(value, dtype=jnp.result_type(float))
    return x if shape is None else jnp.broadcast_to(x, shape)


def integers(value: Array, shape: tuple[int, ...] = ()) -> jax.Array:
    """Integers as an array of this engine."""
    return jnp.broadcast_to(jnp.asarray(value, dtype=jnp.int32), shape)


def select(mask: Array, chosen: Array, other: Array) -> jax.Array:
    """The first value where a mask is true, else the second."""
    return jnp.where(mask, chosen, other)


def broadcast(value: Array, shape: tuple[int, ...], like: Array) -> jax.Array:
    """A value over a shape; a plain number in the precision of another value."""
    return jnp.broadcast_to(value, shape)


@cache
def _jit(function: Step, structure: object, numbers: tuple[float | None, ...], in_place: bool) -> Run:
    """One compiled function for all actuators of a structure with the same plain numbers; arrays are arguments."""

    def step(arrays: list[jax.Array], state: Packed | tuple[Packed, ...], *arguments: object) -> tuple[Any, Any]:
        rest = iter(arrays)
        leaves = [next(rest) if number is None else number for number in numbers]
        return on_packed(function)(jax.tree.unflatten(structure, leaves), state, *arguments)

    return jax.jit(step, donate_argnums=(1,) if in_place else ())


def compile_step(function: Step, actuator: object, options: Options) -> Run:
    """The function jitted, with its first argument, the actuator, filled in.

    Plain numbers are constants of the compiled function, which XLA folds; arrays are its arguments.
    """
    leaves, structure = jax.tree.flatten(actuator)
    numbers = tuple(leaf if isinstance(leaf, (int, float)) else None for leaf in leaves)
    arrays = [jnp.asarray(leaf) for leaf in leaves if not isinstance(leaf, (int, float))]
    run = partial(_jit(function, structure, numbers, options.get("in_place", False)), arrays)

    def run_in_own_process(*arguments: object) -> tuple[Any, Any]:
        if _Process.forked:
            require_own_process()
        return run(*arguments)

    return with_states(run_in_own_process)
