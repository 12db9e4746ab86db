"""Following the input of a TorchScript module through its graph, one operation after the other."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from . import layers as build
from .layers import Flow, Gates, Memory, Stumble
from .networks import Gru, Lstm

_ACTIVATIONS = {
    "relu", "relu_", "elu", "elu_", "tanh", "tanh_", "softsign", "sigmoid", "sigmoid_", "leaky_relu", "leaky_relu_",
    "gelu", "silu", "silu_",
}  # fmt: skip
_SHAPES = {
    "squeeze", "squeeze_", "unsqueeze", "reshape", "view", "flatten", "contiguous", "detach", "clone", "to", "float",
    "double", "select", "slice", "dropout", "dropout_", "feature_dropout", "type_as", "alias", "expand", "transpose",
    "permute",
}  # fmt: skip
"""Operations that leave the features as they are; what else they may do is found when the answers are compared."""
_FACTS = {"size", "dim", "len", "dtype", "device", "layout", "is_cuda", "ScalarImplicit", "Int", "NumToTensor"}
"""Operations that ask for a shape or place."""
_PLAIN = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "gt": operator.gt, "le": operator.le, "ge": operator.ge,
    "__not__": operator.not_, "__is__": lambda a, b: a is b, "__isnot__": lambda a, b: a is not b,
    "__and__": lambda a, b: a and b, "__or__": lambda a, b: a or b, "neg": operator.neg,
}  # fmt: skip
"""Operations on words and numbers that are part of the file."""
UNKNOWN = object()
"""A value that is known only while the network runs, such as a size."""


class Walk:
    """Follows the input of a module through its graph."""

    def __init__(self, torch: Any):
        self.torch = torch

    def forward(self, module: Any) -> Any:
        """The flow that comes out of a module's forward."""
        try:
            graph = module.graph
        except RuntimeError:
            kind = getattr(module, "original_name", "")
            raise Stumble(f"the layer {kind}, which has no forward of its own here") from None
        inputs = list(graph.inputs())[1:]
        if not inputs:
            raise Stumble("a network without an input")
        answer = self.call(graph, [module, Flow(), *(state_like(value) for value in inputs[1:])])
        while isinstance(answer, (tuple, list)) and answer:
            answer = answer[0]
        return as_flow(answer)

    def call(self, graph: Any, arguments: list[Any]) -> Any:
        """The value that a graph returns for arguments."""
        known = {value.debugName(): argument for value, argument in zip(graph.inputs(), arguments, strict=False)}
        self.run(graph, known)
        answers = [known.get(value.debugName(), UNKNOWN) for value in graph.outputs()]
        return answers[0] if len(answers) == 1 else tuple(answers)

    def run(self, block: Any, known: dict[str, Any]) -> None:
        """Evaluate the nodes of a block, one after the other."""
        for node in block.nodes():
            inputs = [known.get(value.debugName(), UNKNOWN) for value in node.inputs()]
            answer = self.node(node, inputs, known)
            outputs = [value.debugName() for value in node.outputs()]
            if len(outputs) == 1:
                known[outputs[0]] = answer
            else:
                known.update(zip(outputs, answer if isinstance(answer, (tuple, list)) else (), strict=False))

    def node(self, node: Any, inputs: list[Any], known: dict[str, Any]) -> Any:
        """The value of one operation."""
        space, _, name = node.kind().partition("::")
        if space == "prim":
            return self.structure(node, name, inputs, known)
        flows = [x for x in inputs if isinstance(x, (Flow, Memory))]
        if space == "aten" and flows:
            return self.operation(name, inputs)
        if space == "aten" and name in _PLAIN and UNKNOWN not in inputs:
            return _PLAIN[name](*inputs)
        if space == "aten" and name in ("t", "numpy_T") and self.torch.is_tensor(inputs[0]):
            return inputs[0].t()
        return UNKNOWN

    def structure(self, node: Any, name: str, inputs: list[Any], known: dict[str, Any]) -> Any:
        """The value of an operation of the language itself."""
        if name == "Constant":
            return constant(node)
        if name == "GetAttr":
            return getattr(inputs[0], node.s("name"))
        if name == "CallMethod":
            return self.method(inputs[0], node.s("name"), inputs[1:])
        if name == "CallFunction":
            return self.operation(str(inputs[0]), inputs[1:])
        if name == "If":
            return self.branch(node, inputs[0], known)
        if name in ("TupleConstruct", "ListConstruct"):
            return tuple(inputs)
        if name in ("TupleUnpack", "ListUnpack"):
            return inputs[0] if isinstance(inputs[0], tuple) else tuple(Memory() for _ in node.outputs())
        if name == "TupleIndex":
            return inputs[0][inputs[1]]
        if name in ("Loop", "RaiseException", "PythonOp"):
            raise Stumble(f"prim::{name}")
        if name in ("unchecked_cast", "unchecked_unwrap_optional"):
            return inputs[0]
        return UNKNOWN

    def method(self, module: Any, name: str, arguments: list[Any]) -> Any:
        """What a submodule makes of its arguments."""
        kind = getattr(module, "original_name", "")
        if kind in ("LSTM", "GRU"):
            return recurrent(module, kind, arguments)
        if kind in ("RNN", "RNNCell", "LSTMCell", "GRUCell", "MultiheadAttention") or kind.startswith(
            ("Conv", "Batch")
        ):
            raise Stumble(f"the layer {kind}")
        try:
            return self.call(getattr(module, name).graph, [module, *arguments])
        except Stumble as stumble:
            plain = not str(stumble).startswith("the layer")
            raise Stumble(f"the layer {kind} ({stumble})" if plain and kind else str(stumble)) from None

    def branch(self, node: Any, condition: Any, known: dict[str, Any]) -> Any:
        """The values of an `if` whose condition the file itself decides."""
        if condition is UNKNOWN or isinstance(condition, (Flow, Memory)):
            raise Stumble("a branch that depends on the input (prim::If)")
        taken = list(node.blocks())[0 if condition else 1]
        inner = dict(known)
        self.run(taken, inner)
        answers = tuple(inner.get(value.debugName(), UNKNOWN) for value in taken.outputs())
        return answers[0] if len(answers) == 1 else answers

    def operation(self, name: str, inputs: list[Any]) -> Any:
        """What an operation makes of the flow."""
        if name in _FACTS:
            return UNKNOWN
        if name in _SHAPES:
            return inputs[0]
        x = inputs[0]
        if name in _ACTIVATIONS:
            return self.activated(name.rstrip("_"), inputs)
        if name == "linear":
            return build.linear(as_flow(x), numbers(inputs[1]), numbers(inputs[2]))
        if name == "addmm":
            return build.linear(as_flow(inputs[1]), numbers(inputs[2]).T, numbers(x))
        if name in ("matmul", "mm"):
            return build.linear(as_flow(x), numbers(inputs[1]).T)
        if name in ("abs", "erf", "neg"):
            return {"abs": build.magnitude, "erf": build.error_function, "neg": lambda f: build.times(f, -1.0)}[name](
                as_flow(x)
            )
        if name.rstrip("_") in ("add", "sub", "mul", "div"):
            return arithmetic(name.rstrip("_"), inputs)
        raise Stumble(f"the operation {name}")

    def activated(self, name: str, inputs: list[Any]) -> Flow:
        """An activation with its parameter, where it has one."""
        given = inputs[1] if len(inputs) > 1 else None
        parameter = float(given) if isinstance(given, float) else None
        if name == "gelu" and given == "tanh":
            name = "gelu_tanh"
        return build.activation(as_flow(inputs[0]), name, parameter)


def constant(node: Any) -> Any:
    """The value of a constant; of a function, its name."""
    if node.hasAttribute("name"):
        return node.s("name")
    return node.output().toIValue() if node.hasAttribute("value") else None


def state_like(value: Any) -> Any:
    """A memory, or a tuple of them, for an input of a graph."""
    kind = value.type()
    return tuple(Memory() for _ in kind.elements()) if kind.kind() == "TupleType" else Memory()


def as_flow(value: Any) -> Flow:
    """The flow that a value is."""
    if isinstance(value, Memory) and value.flow is not None:
        return value.flow
    if not isinstance(value, Flow):
        raise Stumble("an operation on something else than the input")
    return value


def numbers(value: Any) -> Any:
    """A tensor of the file as an array; None stays None."""
    if value is None or isinstance(value, (int, float)):
        return value
    if not hasattr(value, "detach"):
        raise Stumble("weights that are not part of the file")
    return value.detach().double().numpy()


def arithmetic(name: str, inputs: list[Any]) -> Flow:
    """A sum, difference, product or quotient of the flow and a constant, or of two pieces of an activation."""
    a, b = inputs[:2]
    alpha = inputs[2] if len(inputs) > 2 and isinstance(inputs[2], (int, float)) else 1
    both = isinstance(a, (Flow, Memory)) and isinstance(b, (Flow, Memory))
    if both:
        if name == "mul":
            return build.product(as_flow(a), as_flow(b))
        if name == "div":
            return build.quotient(as_flow(a), as_flow(b))
        raise Stumble(f"a sum of two layers (aten::{name})")
    first = isinstance(a, (Flow, Memory))
    flow, value = as_flow(a if first else b), numbers(b if first else a)
    if value is None or value is UNKNOWN:
        raise Stumble(f"aten::{name} with something that is not part of the file")
    if name == "mul":
        return build.times(flow, value)
    if name == "add":
        return build.plus(flow, value * alpha if first else value)
    if name == "sub":
        return build.plus(flow, -value * alpha) if first else build.plus(build.times(flow, -1.0), value)
    if not first:
        raise Stumble("a division by a layer (aten::div)")
    return build.times(flow, 1.0 / np.asarray(value))


def recurrent(module: Any, kind: str, arguments: list[Any]) -> tuple[Flow, Any]:
    """Output and states of torch.nn.LSTM or torch.nn.GRU."""
    state = {name: numbers(value) for name, value in module.state_dict().items()}
    if any(name.endswith("_reverse") for name in state):
        raise Stumble(f"the layer {kind} (bidirectional)")
    if any("weight_hr" in name for name in state):
        raise Stumble(f"the layer {kind} (with projections)")
    rows = []
    for layer in range(sum(name.startswith("weight_ih_l") for name in state)):
        none = np.zeros(len(state[f"weight_ih_l{layer}"]))
        rows.append(
            (
                state[f"weight_ih_l{layer}"],
                state[f"weight_hh_l{layer}"],
                state.get(f"bias_ih_l{layer}", none),
                state.get(f"bias_hh_l{layer}", none),
            )
        )
    if not rows:
        raise Stumble(f"the layer {kind} (without weights)")
    flow = as_flow(arguments[0]).then(Gates(Lstm if kind == "LSTM" else Gru, tuple(rows)))
    return flow, (Memory(flow), Memory()) if kind == "LSTM" else Memory(flow)
