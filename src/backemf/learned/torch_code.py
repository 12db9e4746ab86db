"""The code of a TorchScript file, read and never run: its text is parsed, and the input is followed through it.

Only what the layers of a network need is understood: assignments, branches that the file itself decides, calls of the
file's own functions, and PyTorch's operations by name (`torch_ops`). Anything else ends the reading.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import numpy as np

from ..values import Foreign
from .archives import Archive
from .assembly import Follow
from .flow import Flow, state_of, whole
from .layers import UnsupportedLayer
from .pickles import Record, Unreadable
from .torch_ops import PLAIN, RECURRENT, UNKNOWN, Size, operation, recurrent_layers

LONGEST = 1_000_000
"""Longest text of a module [characters]."""
MOST_STEPS, DEEPEST = 20_000, 40
"""Most statements that are followed, and calls within calls."""
_FOREIGN = ("RNN", "RNNCell", "LSTMCell", "GRUCell", "MultiheadAttention")
"""Layers that no supported network has."""


class Name(str):
    """A dotted name of the code, such as torch.linear."""


class Returned(Exception):
    """The value that a function returns."""

    def __init__(self, value: object):
        super().__init__()
        self.value = value


def code_reader(archive: Archive) -> Follow:
    """What a TorchScript archive makes of an input and states; raises `Unreadable` where it is damaged."""
    root, constants = archive.content("data"), archive.content("constants")
    if not isinstance(root, Record):
        raise Unreadable("a pickle that holds no module")

    def follow(flow: Flow, states: list[Flow]) -> Flow:
        try:
            return Code(archive, constants).forward(root, flow, states)
        except RecursionError:
            raise Unreadable("code that is nested too deeply") from None

    return follow


class Code:
    """Follows an input through the code of an archive."""

    def __init__(self, archive: Archive, constants: object):
        self.archive = archive
        self.constants = constants if isinstance(constants, (tuple, list)) else ()
        self.modules: dict[str, dict[str, ast.FunctionDef | ast.ClassDef]] = {}
        self.steps = self.depth = 0

    def forward(self, root: Record, flow: Flow, states: list[Flow]) -> Flow:
        """The flow that comes out of a module's forward."""
        function = self.method(root, "forward")
        if len(function.args.args) < 2:
            raise UnsupportedLayer("a network without an input")
        arguments: list[Foreign] = [flow]
        left = states or [state_of(None), state_of(None)]
        for entry in function.args.args[2:]:
            words = ast.unparse(entry.annotation) if entry.annotation is not None else ""
            count = words.count("Tensor") if "Tuple" in words else 1
            taken, left = left[:count], left[count:]
            if len(taken) < count:
                raise UnsupportedLayer("a forward with other arguments than (input) or (input, state)")
            arguments.append(tuple(taken) if "Tuple" in words else taken[0])
        return whole(first_of(self.call_method(root, "forward", arguments)))

    # --- looking up code

    def find(self, name: str) -> ast.FunctionDef | ast.ClassDef:
        """A function or class of the file by its dotted name."""
        module, _, last = name.rpartition(".")
        if module not in self.modules:
            text = self.archive.source(module)
            self.modules[module] = {} if text is None else parse(text, module)
        found = self.modules[module].get(last)
        if found is None:
            raise Unreadable(f"no code of {name}")
        return found

    def method(self, record: Record, name: str) -> ast.FunctionDef:
        """The function of a module's method."""
        kind = self.find(record.kind)
        for entry in kind.body if isinstance(kind, ast.ClassDef) else ():
            if isinstance(entry, ast.FunctionDef) and entry.name == name:
                return entry
        raise UnsupportedLayer(f"the layer {record.kind.rpartition('.')[2]}, which has no code for {name} here")

    # --- calls

    def call_method(self, record: Record, name: str, arguments: list[Foreign]) -> Foreign:
        """What a module makes of its arguments."""
        plain = re.sub(r"___torch_mangle_\d+\.", "", record.kind)
        short = plain.rpartition(".")[2]
        if not isinstance(record.state, dict):
            raise UnsupportedLayer(f"the layer {short}, whose weights come from its own code (__setstate__)")
        if short in RECURRENT and plain == f"__torch__.torch.nn.modules.rnn.{short}":
            if "_flat_weights" in record.state or not self.is_traced(record):
                out, *states = recurrent_layers(short, record.state, *arguments)
                return out, tuple(states) if len(states) > 1 else states[0]
        elif plain.startswith("__torch__.torch.nn.") and (short in _FOREIGN or short.startswith(("Conv", "Batch"))):
            raise UnsupportedLayer(f"the layer {short}")
        try:
            return self.call(self.method(record, name), [record, *arguments], {})
        except UnsupportedLayer as error:
            inner = str(error).startswith("the layer")
            raise UnsupportedLayer(str(error) if inner else f"the layer {short} ({error})") from None

    def is_traced(self, record: Record) -> bool:
        """Whether a recurrent layer was traced: then its code is a single operation."""
        nodes = ast.walk(self.method(record, "forward"))
        return any(isinstance(node, ast.Attribute) and node.attr in ("lstm", "gru") for node in nodes)

    def call(self, function: ast.FunctionDef, arguments: list[Foreign], named: dict[str, Foreign]) -> Foreign:
        """The value that a function of the file returns."""
        names = [entry.arg for entry in function.args.args]
        defaults = function.args.defaults
        if len(arguments) > len(names):
            raise UnsupportedLayer(f"a call of {function.name} with {len(arguments)} arguments")
        known = {
            name: self.value(default, {})
            for name, default in zip(names[len(names) - len(defaults) :], defaults, strict=True)
        }
        known |= dict(zip(names, arguments, strict=False)) | named
        self.depth += 1
        if self.depth > DEEPEST:
            raise UnsupportedLayer("calls within calls without end")
        try:
            self.block(function.body, known)
        except Returned as returned:
            return returned.value
        finally:
            self.depth -= 1
        return None

    # --- statements

    def block(self, statements: list[ast.stmt], known: dict[str, Foreign]) -> None:
        """Follow statements one after the other."""
        for statement in statements:
            self.steps += 1
            if self.steps > MOST_STEPS:
                raise UnsupportedLayer(f"more than {MOST_STEPS} statements")
            match statement:
                case ast.Return(value=value):
                    raise Returned(None if value is None else self.value(value, known))
                case ast.Assign(targets=[target], value=value) | ast.AnnAssign(target=target, value=value):
                    self.assign(target, UNKNOWN if value is None else self.value(value, known), known)
                case ast.Expr(value=value):
                    self.value(value, known)
                case ast.If(test=test, body=body, orelse=orelse):
                    condition = self.value(test, known)
                    if condition is UNKNOWN or isinstance(condition, (Flow, Size, np.ndarray)):
                        raise UnsupportedLayer("a branch that depends on the input (prim::If)")
                    self.block(body if condition else orelse, known)
                case ast.Pass():
                    pass
                case _:
                    raise UnsupportedLayer(f"the statement {type(statement).__name__.lower()}")

    def assign(self, target: ast.expr, value: Foreign, known: dict[str, Foreign]) -> None:
        """Give a value to a name, or to several."""
        match target:
            case ast.Name(id=name):
                known[name] = value
            case ast.Tuple(elts=targets) | ast.List(elts=targets):
                if isinstance(value, Flow) or value is UNKNOWN:
                    value = [state_of(None) for _ in targets]
                if not isinstance(value, (tuple, list)) or len(value) != len(targets):
                    raise UnsupportedLayer("several names for something that is not a tuple")
                for one, part in zip(targets, value, strict=True):
                    self.assign(one, part, known)
            case _:
                raise UnsupportedLayer("a change of the module itself")

    # --- expressions

    def value(self, node: ast.expr, known: dict[str, Foreign]) -> Foreign:
        """The value of an expression."""
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return known[name] if name in known else FREE_NAMES.get(name, Name(name))
            case ast.Tuple(elts=entries):
                return tuple(self.value(entry, known) for entry in entries)
            case ast.List(elts=entries):
                return [self.value(entry, known) for entry in entries]
            case ast.Attribute(value=thing, attr=name):
                return self.attribute(self.value(thing, known), name)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                number = self.value(operand, known)
                return -number if isinstance(number, (int, float)) else operation("neg", [number])
            case ast.Subscript(value=thing, slice=place):
                values, index = self.value(thing, known), self.value(place, known)
                if isinstance(values, (tuple, list)) and isinstance(index, int) and -len(values) <= index < len(values):
                    return values[index]
                raise UnsupportedLayer("an item of something that is not a tuple")
            case ast.Call():
                return self.call_value(node, known)
        raise UnsupportedLayer(f"the expression {type(node).__name__}")

    def attribute(self, thing: object, name: str) -> Foreign:
        """An attribute of a module, a constant of the file, or a longer name."""
        if isinstance(thing, Record):
            # every simulator puts a network into its evaluation mode
            return False if name == "training" else thing.attributes.get(name, (thing, name))
        if not isinstance(thing, Name):
            raise UnsupportedLayer(f"an attribute {name} of something that is not a module")
        if thing != "CONSTANTS":
            return Name(f"{thing}.{name}")
        number = int(name[1:]) if re.fullmatch(r"c\d{1,6}", name) else len(self.constants)
        if number >= len(self.constants):
            raise Unreadable(f"no constant {name}")
        return self.constants[number]

    def call_value(self, node: ast.Call, known: dict[str, Foreign]) -> Foreign:
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
        if isinstance(function, tuple) and not named:
            return self.call_method(function[0], function[1], arguments)
        if not isinstance(function, Name):
            raise UnsupportedLayer("a call of something that is not a function")
        if function.startswith("__torch__."):
            found = self.find(function)
            if not isinstance(found, ast.FunctionDef):
                raise UnsupportedLayer(f"an object of the class {function.rpartition('.')[2]}")
            return self.call(found, arguments, named)
        return self.operate(function, arguments, named)

    def operate(self, function: str, arguments: list[Foreign], named: dict[str, Foreign]) -> Foreign:
        """What an operation of PyTorch makes of its arguments."""
        space, _, name = function.rpartition(".")
        if name in ("RaiseException", "PythonOp") or space not in ("torch", "ops.prim", "ops.aten"):
            raise UnsupportedLayer(f"prim::{name}" if space == "ops.prim" else f"the operation {function}")
        values = list(flat(arguments))
        if any(isinstance(value, Flow) for value in values):
            if set(named) - {"alpha", "approximate", "dtype", "device", "non_blocking", "copy", "memory_format"}:
                raise UnsupportedLayer(f"the operation {name} with {', '.join(named)}")
            extra = [named[word] for word in ("alpha", "approximate") if word in named]
            return operation(name, [*arguments, *extra])
        if name in PLAIN and not any(value is UNKNOWN or isinstance(value, (Size, np.ndarray)) for value in values):
            return PLAIN[name](*arguments)
        if name in ("t", "numpy_T") and arguments and isinstance(arguments[0], np.ndarray):
            return arguments[0].T
        # where the flow needs it, reading ends there
        return UNKNOWN


FREE_NAMES = {"inf": float("inf"), "nan": float("nan")}
"""Names of numbers that are not variables."""


def first_of(answer: Foreign) -> Foreign:
    """The first output of a network."""
    while isinstance(answer, (tuple, list)) and answer:
        answer = answer[0]
    return answer


def flat(values: Iterable[Foreign]) -> Iterable[Foreign]:
    """Values, and those in the tuples and lists among them."""
    for value in values:
        yield from value if isinstance(value, (tuple, list)) else [value]


def parse(text: str, name: str) -> dict[str, ast.FunctionDef | ast.ClassDef]:
    """The functions and classes of a text, by name."""
    if len(text) > LONGEST:
        raise Unreadable(f"code of {len(text)} characters in {name}")
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise Unreadable(f"code in {name} that cannot be parsed") from None
    return {entry.name: entry for entry in tree.body if isinstance(entry, (ast.FunctionDef, ast.ClassDef))}
