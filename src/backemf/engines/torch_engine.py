"""PyTorch: for training loops; one fused graph per kind of motor."""

from __future__ import annotations

import math
from types import SimpleNamespace

import torch

from ..physics import step as laws
from ..tree import map_numbers
from .bind import bind


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
    if isinstance(condition, torch.Tensor):
        return torch.where(condition, a, b)
    return a if condition else b


def _power(base, exponent):
    if isinstance(base, torch.Tensor) or isinstance(exponent, torch.Tensor):
        return torch.pow(base, exponent)
    return math.pow(base, exponent)


def _total(x):
    return torch.sum(x, dim=-1, keepdim=True) if isinstance(x, torch.Tensor) and x.ndim else x


def _sign(x):
    return torch.sign(x) if isinstance(x, torch.Tensor) else float((x > 0) - (x < 0))


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
    where=_where,
    total=_total,
    detached=_either(torch.Tensor.detach, float),
)
_bound = bind(laws, "torch", ops)
held, coupled = _bound.held, _bound.coupled


def array(value, shape=None, *, dtype=None, device=None):
    """The value as a tensor, spread over `shape` where one is given."""
    x = torch.as_tensor(value, dtype=dtype or torch.get_default_dtype(), device=device)
    return x if shape is None else x.expand(shape).clone()


def select(mask, chosen, other):
    return torch.where(torch.as_tensor(mask), chosen, other)


def compile_held(actuator, options):
    """A function (state, command, position, velocity, dt, load_torque, load_inertia) -> (state, output)."""
    place = {"dtype": options.get("dtype"), "device": options.get("device")}
    actuator = map_numbers(actuator, lambda x: x if isinstance(x, (int, float, torch.Tensor)) else array(x, **place))

    def run(*arguments):
        return held(actuator, *arguments)

    if options.get("eager"):
        return run
    return torch.compile(run, fullgraph=True, dynamic=options.get("dynamic", False))
