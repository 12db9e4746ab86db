"""Following the input of a module that PyTorch has loaded through its graph, one operation after the other."""

from __future__ import annotations

from typing import Any

from .layers import Flow, Memory, Stumble
from .layers import whole as as_flow
from .torch_ops import PLAIN, UNKNOWN, operation, recurrent_module


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
            return operation(name, inputs)
        if space == "aten" and name in PLAIN and UNKNOWN not in inputs:
            return PLAIN[name](*inputs)
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
            return operation(str(inputs[0]), inputs[1:])
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
            return recurrent_module(kind, dict(module.state_dict()), arguments)
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


def constant(node: Any) -> Any:
    """The value of a constant; of a function, its name."""
    if node.hasAttribute("name"):
        return node.s("name")
    return node.output().toIValue() if node.hasAttribute("value") else None


def state_like(value: Any) -> Any:
    """A memory, or a tuple of them, for an input of a graph."""
    kind = value.type()
    return tuple(Memory() for _ in kind.elements()) if kind.kind() == "TupleType" else Memory()
