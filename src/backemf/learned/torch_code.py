"""The code of a TorchScript file, read and never run: its text is parsed, and the input followed through it.

Only what layers of a network need has a meaning here: assignments, branches that the file itself decides, calls of the
file's own functions, and PyTorch's operations by name (`torch_ops`). Anything else ends the reading.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np

from ..actuator.networks import Network
from .archives import Archive
from .assembly import read_layers
from .layers import Flow, Memory, Stumble
from .layers import whole as as_flow
from .pickles import Record, Unreadable
from .torch_ops import PLAIN, UNKNOWN, Size, operation, recurrent_module

LONGEST = 1_000_000
"""Longest text of a module [characters]."""
MOST_STEPS, DEEPEST = 20_000, 40
"""Most statements that are followed, and calls within calls."""
_FOREIGN = ("RNN", "RNNCell", "LSTMCell", "GRUCell", "MultiheadAttention")
"""Layers that no network here has."""


class Name(str):
    """A dotted name of the code, such as torch.linear."""


class Returned(Exception):
    """The value that a function returns."""

    def __init__(self, value: Any):
        super().__init__()
        self.value = value


def read_code(archive: Archive) -> Network:
    """The network of a TorchScript archive; raises `Stumble` where it is none, `Unreadable` where it is damaged."""
    root, constants = archive.content("data"), archive.content("constants")
    if not isinstance(root, Record):
        raise Unreadable("a pickle that holds no module")
    try:
        return read_layers(lambda flow, states: Code(archive, constants).forward(root, flow, states))
    except RecursionError:
        raise Unreadable("code that is nested too deeply") from None


class Code:
    """Follows an input through the code of an archive."""

    def __init__(self, archive: Archive, constants: Any):
        self.archive, self.constants = archive, constants
        self.parsed: dict[str, dict[str, Any]] = {}
        self.steps = self.depth = 0

    def forward(self, root: Record, flow: Flow, states: list[Memory]) -> Any:
        """The flow that comes out of a module's forward."""
        function = self.method(root, "forward")
        arguments: list[Any] = [flow]
        left = list(states) or [Memory(), Memory()]
        for entry in function.args.args[2:]:
            words = ast.unparse(entry.annotation) if entry.annotation is not None else ""
            count = words.count("Tensor") if "Tuple" in words else 1
            taken, left = left[:count], left[count:]
            if len(taken) < count:
                raise Stumble("a forward with other arguments than (input) or (input, state)")
            arguments.append(tuple(taken) if "Tuple" in words else taken[0])
        if len(function.args.args) < 2:
            raise Stumble("a network without an input")
        answer = self.call_method(root, "forward", arguments)
        while isinstance(answer, (tuple, list)) and answer:
            answer = answer[0]
        return as_flow(answer)

    # --- looking up code

    def module(self, name: str) -> dict[str, Any]:
        """Functions and classes of a module of the file."""
        if name not in self.parsed:
            text = self.archive.source(name)
            if text is None:
                raise Unreadable(f"no code of {name}")
            self.parsed[name] = parse(text, name)
        return self.parsed[name]

    def find(self, name: str) -> Any:
        """A function or class by its dotted name."""
        module, _, last = name.rpartition(".")
        found = self.module(module).get(last)
        if found is None:
            raise Unreadable(f"no code of {name}")
        return found

    def method(self, record: Record, name: str) -> ast.FunctionDef:
        """The function of a module's method."""
        kind = self.find(record.kind)
        for entry in kind.body if isinstance(kind, ast.ClassDef) else ():
            if isinstance(entry, ast.FunctionDef) and entry.name == name:
                return entry
        short = record.kind.rpartition(".")[2]
        raise Stumble(f"the layer {short}, which has no {name} of its own here")

    # --- calls

    def call_method(self, record: Record, name: str, arguments: list[Any]) -> Any:
        """What a module makes of its arguments."""
        plain = re.sub(r"___torch_mangle_\d+\.", "", record.kind)
        short = plain.rpartition(".")[2]
        if not isinstance(record.state, dict):
            raise Stumble(f"the layer {short}, whose weights come out of code of its own (__setstate__)")
        if plain in ("__torch__.torch.nn.modules.rnn.LSTM", "__torch__.torch.nn.modules.rnn.GRU"):
            if "_flat_weights" in record.state or not self.traced(record):
                return recurrent_module(short, record.state, arguments)
        elif plain.startswith("__torch__.torch.nn.") and (short in _FOREIGN or short.startswith(("Conv", "Batch"))):
            raise Stumble(f"the layer {short}")
        try:
            return self.call(self.method(record, name), [record, *arguments], {})
        except Stumble as stumble:
            plain_words = not str(stumble).startswith("the layer")
            raise Stumble(f"the layer {short} ({stumble})" if plain_words else str(stumble)) from None

    def traced(self, record: Record) -> bool:
        """Whether a recurrent layer was traced: then its code is a single operation."""
        return any(isinstance(node, ast.Attribute) and node.attr in ("lstm", "gru")
                   for node in ast.walk(self.method(record, "forward")))  # fmt: skip

    def call(self, function: ast.FunctionDef, arguments: list[Any], named: dict[str, Any]) -> Any:
        """The value that a function of the file returns."""
        names = [entry.arg for entry in function.args.args]
        defaults = function.args.defaults
        known: dict[str, Any] = {}
        for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True):
            known[name] = self.value(default, {})
        if len(arguments) > len(names):
            raise Stumble(f"a call of {function.name} with {len(arguments)} arguments")
        known.update(zip(names, arguments, strict=False))
        known.update(named)
        self.depth += 1
        if self.depth > DEEPEST:
            raise Stumble("calls within calls without end")
        try:
            self.block(function.body, known)
        except Returned as returned:
            return returned.value
        finally:
            self.depth -= 1
        return None

    # --- statements

    def block(self, statements: list[Any], known: dict[str, Any]) -> None:
        """Follow statements one after the other."""
        for statement in statements:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise Stumble(f"more than {MOST_STEPS} statements")
            if isinstance(statement, ast.Return):
                raise Returned(None if statement.value is None else self.value(statement.value, known))
            if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
                self.assign(statement.targets[0], self.value(statement.value, known), known)
            elif isinstance(statement, ast.AnnAssign):
                value = UNKNOWN if statement.value is None else self.value(statement.value, known)
                self.assign(statement.target, value, known)
            elif isinstance(statement, ast.Expr):
                self.value(statement.value, known)
            elif isinstance(statement, ast.If):
                condition = self.value(statement.test, known)
                if condition is UNKNOWN or isinstance(condition, (Flow, Memory, Size, np.ndarray)):
                    raise Stumble("a branch that depends on the input (prim::If)")
                self.block(statement.body if condition else statement.orelse, known)
            elif not isinstance(statement, ast.Pass):
                raise Stumble(f"the statement {type(statement).__name__.lower()}")

    def assign(self, target: Any, value: Any, known: dict[str, Any]) -> None:
        """Give a value to a name, or to several."""
        if isinstance(target, ast.Name):
            known[target.id] = value
        elif isinstance(target, (ast.Tuple, ast.List)):
            if isinstance(value, (Flow, Memory)) or value is UNKNOWN:
                value = [Memory() for _ in target.elts]
            if not isinstance(value, (tuple, list)) or len(value) != len(target.elts):
                raise Stumble("several names for something that is no tuple")
            for one, part in zip(target.elts, value, strict=True):
                self.assign(one, part, known)
        else:
            raise Stumble("a change of the module itself")

    # --- expressions

    def value(self, node: Any, known: dict[str, Any]) -> Any:
        """The value of an expression."""
        if isinstance(node, ast.Constant):
            return node.value
        if isinstance(node, ast.Name):
            return known[node.id] if node.id in known else free_name(node.id)
        if isinstance(node, (ast.Tuple, ast.List)):
            values = [self.value(entry, known) for entry in node.elts]
            return tuple(values) if isinstance(node, ast.Tuple) else values
        if isinstance(node, ast.Attribute):
            return self.attribute(self.value(node.value, known), node.attr)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            number = self.value(node.operand, known)
            return -number if isinstance(number, (int, float)) else operation("neg", [number])
        if isinstance(node, ast.Subscript):
            return self.item(self.value(node.value, known), self.value(node.slice, known))
        if isinstance(node, ast.Call):
            return self.called(node, known)
        raise Stumble(f"the expression {type(node).__name__}")

    def item(self, values: Any, index: Any) -> Any:
        if isinstance(values, (tuple, list)) and isinstance(index, int) and -len(values) <= index < len(values):
            return values[index]
        raise Stumble("an item of something that is no tuple")

    def attribute(self, thing: Any, name: str) -> Any:
        """An attribute of a module, a constant of the file, or a longer name."""
        if isinstance(thing, Record):
            if name == "training":
                # every simulator puts a network into its evaluation mode
                return False
            if name in thing.attributes:
                return thing.attributes[name]
            return (thing, name)
        if isinstance(thing, Name):
            if thing == "CONSTANTS":
                number = int(name[1:]) if re.fullmatch(r"c\d{1,6}", name) else -1
                if isinstance(self.constants, (tuple, list)) and 0 <= number < len(self.constants):
                    return self.constants[number]
                raise Unreadable(f"no constant {name}")
            return Name(f"{thing}.{name}")
        raise Stumble(f"an attribute {name} of something that is no module")

    def called(self, node: ast.Call, known: dict[str, Any]) -> Any:
        """The value of a call."""
        plain = node.func.id if isinstance(node.func, ast.Name) and node.func.id not in known else ""
        if plain in ("annotate", "unchecked_cast") and len(node.args) == 2:
            return self.value(node.args[1], known)
        if plain == "uninitialized":
            return UNKNOWN
        function = self.value(node.func, known)
        arguments = [self.value(entry, known) for entry in node.args]
        named = {entry.arg: self.value(entry.value, known) for entry in node.keywords if entry.arg}
        if plain == "getattr" and len(arguments) == 2 and isinstance(arguments[1], str):
            return self.attribute(arguments[0], arguments[1])
        if plain in ("int", "float", "bool") and len(arguments) == 1:
            return arguments[0] if isinstance(arguments[0], (int, float)) else UNKNOWN
        if isinstance(function, tuple):
            if named:
                raise Stumble("a method with named arguments")
            return self.call_method(function[0], function[1], arguments)
        if not isinstance(function, Name):
            raise Stumble("a call of something that is no function")
        if function.startswith("__torch__."):
            found = self.find(function)
            if not isinstance(found, ast.FunctionDef):
                raise Stumble(f"an object of the kind {function.rpartition('.')[2]}")
            return self.call(found, arguments, named)
        return self.operation(function, arguments, named)

    def operation(self, function: str, arguments: list[Any], named: dict[str, Any]) -> Any:
        """What an operation of PyTorch makes of its arguments."""
        space, _, name = function.rpartition(".")
        if name in ("RaiseException", "PythonOp") or space not in ("torch", "ops.prim", "ops.aten"):
            raise Stumble(f"prim::{name}" if space == "ops.prim" else f"the operation {function}")
        if any(isinstance(value, (Flow, Memory)) for value in flat(arguments)):
            if set(named) - {"alpha", "approximate", "dtype", "device", "non_blocking", "copy", "memory_format"}:
                raise Stumble(f"the operation {name} with {', '.join(named)}")
            extra = [named[word] for word in ("alpha", "approximate") if word in named]
            return operation(name, [*arguments, *extra])
        known = not any(value is UNKNOWN or isinstance(value, (Size, np.ndarray)) for value in flat(arguments))
        if name in PLAIN and known:
            return PLAIN[name](*arguments)
        if name in ("t", "numpy_T") and arguments and isinstance(arguments[0], np.ndarray):
            return arguments[0].T
        # where the flow needs it, reading ends there
        return UNKNOWN


def free_name(name: str) -> Any:
    """A name that is no variable."""
    return {"inf": float("inf"), "nan": float("nan")}.get(name, Name(name))


def flat(values: Any) -> list[Any]:
    """Values, and those in the tuples and lists among them."""
    found: list[Any] = []
    for value in values:
        found += value if isinstance(value, (tuple, list)) else [value]
    return found


def parse(text: str, name: str) -> dict[str, Any]:
    """The functions and classes of a text, by name."""
    if len(text) > LONGEST:
        raise Unreadable(f"code of {len(text)} characters in {name}")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unreadable(f"code in {name} that cannot be parsed") from None
    return {entry.name: entry for entry in tree.body if isinstance(entry, (ast.FunctionDef, ast.ClassDef))}
