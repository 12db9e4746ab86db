"""JAX: compiled, differentiable and vectorised; the engine of `simulate`."""

from __future__ import annotations

import os
from dataclasses import fields
from types import SimpleNamespace

# XLA schedules each operation of a loop unless the loop touches little data; then it compiles it as one function. Its
# limit of 1 KiB is below one motor's step, and this makes a single motor 4 times faster. It has to be said before XLA
# starts; where something else has started it, runs are slower and no less right.
if "xla_backend_extra_options" not in os.environ.get("XLA_FLAGS", ""):
    _small_loops = "--xla_backend_extra_options=xla_cpu_small_while_loop_byte_threshold=16384"
    os.environ["XLA_FLAGS"] = f"{os.environ.get('XLA_FLAGS', '')} {_small_loops}".strip()

import jax
import jax.numpy as jnp

from ..physics import step as laws
from ..tree import KINDS
from .bind import bind


def _total(x):
    return jnp.sum(x, axis=-1, keepdims=True) if jnp.ndim(x) else x


def _single(x) -> bool:
    return jnp.result_type(x) == jnp.float32


def _expm1(x):
    """exp(x) - 1; in float32 through tanh, which XLA vectorises and expm1 not: 2t/(1 - t) with t = tanh(x/2)."""
    if not _single(x):
        return jnp.expm1(x)
    t = jnp.tanh(0.5 * x)
    return 2.0 * t / (1.0 - t)


def _sin(x):
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


ops = SimpleNamespace(
    absolute=jnp.abs,
    exp=jnp.exp,
    expm1=_expm1,
    log2=jnp.log2,
    maximum=jnp.maximum,
    minimum=jnp.minimum,
    power=jnp.power,
    sign=jnp.sign,
    sin=_sin,
    cos=jnp.cos,
    sqrt=jnp.sqrt,
    where=jnp.where,
    total=_total,
    detached=jax.lax.stop_gradient,
)
_bound = bind(laws, "jax", ops)
held, coupled = _bound.held, _bound.coupled

for _kind in KINDS:
    # numbers are leaves; words, switches and None parts are structure
    _static = [entry.name for entry in fields(_kind) if entry.type in ("bool", "str")]
    jax.tree_util.register_dataclass(_kind, [e.name for e in fields(_kind) if e.name not in _static], _static)


def array(value, shape=None):
    """The value as an array of this engine, spread over `shape` where one is given."""
    x = jnp.asarray(value, dtype=jnp.result_type(float))
    return x if shape is None else jnp.broadcast_to(x, shape)


def select(mask, chosen, other):
    return jnp.where(mask, chosen, other)


_jitted = jax.jit(held)


def compile_held(actuator, options):
    """A function (state, command, position, velocity, dt, load_torque, load_inertia) -> (state, output).

    The actuator's numbers are arguments of the compiled function, so another motor of the same kind reuses it.
    """

    def run(*arguments):
        return _jitted(actuator, *arguments)

    return run
