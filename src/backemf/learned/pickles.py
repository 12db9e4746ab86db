"""Tensors from a pickle without unpickling it: a stack of plain data, on which nothing is ever called.

Python's own unpickler calls whatever a file names. Here a name stays a name (`Global`), an object is a `Record` of its
attributes, and the only functions that are understood are those that build a tensor.
"""

from __future__ import annotations

import math
import pickletools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..values import Foreign

LARGEST = 8_000_000
"""Longest pickle that is read [bytes]; the weights are not in it."""
MOST_VALUES = 16_000_000
"""Most numbers of all tensors of a pickle."""
KINDS = {
    "FloatStorage": "f4", "DoubleStorage": "f8", "HalfStorage": "f2", "BFloat16Storage": "bf", "LongStorage": "i8",
    "IntStorage": "i4", "ShortStorage": "i2", "CharStorage": "i1", "ByteStorage": "u1", "BoolStorage": "?",
}  # fmt: skip
"""PyTorch's storages and NumPy's types."""
LISTS = {f"torch.jit._pickle.build_{kind}list" for kind in ("int", "double", "bool", "tensor")}


class Unreadable(Exception):
    """A pickle that holds more than tensors and plain data, or that is damaged; says what."""


@dataclass(frozen=True)
class Global:
    """A name that the pickle refers to; nothing is looked up."""

    name: str


@dataclass(eq=False)
class Record:
    """An object of the pickle: the name of its class, and its attributes or what else its state is."""

    kind: str
    state: Foreign = field(default_factory=dict)

    @property
    def attributes(self) -> dict[str, Foreign]:
        """The attributes by name; empty where the state is something else."""
        return self.state if isinstance(self.state, dict) else {}


@dataclass(frozen=True)
class Storage:
    """Where the numbers of a tensor are: an entry of the archive."""

    key: str
    kind: str
    count: int


_MARK = object()
_PUSHED = {
    "BININT", "BININT1", "BININT2", "INT", "LONG", "LONG1", "LONG4", "BINFLOAT", "FLOAT", "BINUNICODE", "UNICODE",
    "SHORT_BINUNICODE", "BINUNICODE8", "BINSTRING", "SHORT_BINSTRING", "STRING", "BINBYTES", "SHORT_BINBYTES",
}  # fmt: skip
_PLAIN: dict[str, Callable[[], Foreign]] = {
    "NONE": lambda: None, "NEWTRUE": lambda: True, "NEWFALSE": lambda: False, "EMPTY_TUPLE": tuple,
    "EMPTY_LIST": list, "EMPTY_DICT": dict, "MARK": lambda: _MARK,
}  # fmt: skip
_TUPLES = {"TUPLE1": 1, "TUPLE2": 2, "TUPLE3": 3}


def _pairs(values: list[Foreign]) -> dict[Foreign, Foreign]:
    """A dict of keys and values in turn."""
    return dict(zip(values[::2], values[1::2], strict=True))


_COLLECTIONS: dict[str, Callable[[list[Foreign]], Foreign]] = {"TUPLE": tuple, "LIST": list, "DICT": _pairs}


def read_pickle(content: bytes, entry: Callable[[str], bytes], order: Literal["<", ">"] = "<") -> Foreign:
    """What a pickle holds, as plain data, arrays, records and names; `entry(key)` gives the bytes of a storage."""
    if len(content) > LARGEST:
        raise Unreadable(f"a pickle of {len(content)} bytes")
    machine = _Stack(entry, order)
    try:
        for opcode, argument, _ in pickletools.genops(content):
            if opcode.name == "STOP":
                return machine.pop()
            machine.run(opcode.name, argument)
    except (Unreadable, MemoryError):
        raise
    except Exception as error:  # a damaged pickle fails in every way that a stack of any data can
        raise Unreadable(f"a damaged pickle ({type(error).__name__})") from None
    raise Unreadable("a pickle without an end")


class _Stack:
    """The stack of a pickle's operations."""

    def __init__(self, entry: Callable[[str], bytes], order: Literal["<", ">"]):
        self.entry = entry
        self.order: Literal["<", ">"] = order
        self.stack: list[Foreign] = []
        self.memo: dict[int, Foreign] = {}
        self.left = MOST_VALUES

    def pop(self) -> Foreign:
        value = self.stack.pop()
        if value is _MARK:
            raise Unreadable("a damaged pickle (a mark in place of a value)")
        return value

    def pop_several(self, count: int) -> list[Foreign]:
        """The last values, in the order in which they were pushed."""
        return [self.pop() for _ in range(count)][::-1]

    def above_mark(self) -> list[Foreign]:
        """The values above the last mark, which goes with them."""
        values: list[Foreign] = []
        while (value := self.stack.pop()) is not _MARK:
            values.append(value)
        return values[::-1]

    def run(self, name: str, argument: Foreign) -> None:
        """One operation."""
        if name in _PUSHED:
            self.stack.append(argument)
        elif name in _PLAIN:
            self.stack.append(_PLAIN[name]())
        elif name in _TUPLES:
            self.stack.append(tuple(self.pop_several(_TUPLES[name])))
        elif name in _COLLECTIONS:
            self.stack.append(_COLLECTIONS[name](self.above_mark()))
        elif name in ("APPEND", "APPENDS", "SETITEM", "SETITEMS"):
            self.fill(name)
        elif name in ("BINPUT", "LONG_BINPUT", "PUT", "MEMOIZE"):
            self.memo[len(self.memo) if argument is None else int(argument)] = self.stack[-1]
        elif name in ("BINGET", "LONG_BINGET", "GET"):
            self.stack.append(self.memo[int(argument)])
        elif name in ("GLOBAL", "STACK_GLOBAL"):
            words = argument.split(" ", 1) if name == "GLOBAL" else self.pop_several(2)
            self.stack.append(Global(".".join(words)))
        elif name in ("REDUCE", "NEWOBJ", "BUILD", "BINPERSID", "POP"):
            getattr(self, name.lower())()
        elif name not in ("PROTO", "FRAME"):
            raise Unreadable(f"the operation {name}, which no file of weights has")

    def fill(self, name: str) -> None:
        """Put values into the list or dict below them."""
        values = self.above_mark() if name.endswith("S") else self.pop_several(1 if name == "APPEND" else 2)
        target = self.stack[-1]
        if name.startswith("APPEND") and type(target) is list:
            target.extend(values)
        elif name.startswith("SETITEM") and type(target) is dict:
            target.update(_pairs(values))
        else:
            raise Unreadable("a damaged pickle (values for no list or dict)")

    def newobj(self) -> None:
        kind, arguments = self.pop_several(2)
        if not isinstance(kind, Global) or arguments != ():
            raise Unreadable("an object with arguments")
        self.stack.append(Record(kind.name))

    def build(self) -> None:
        state, target = self.pop(), self.stack[-1]
        if isinstance(target, Record):
            target.state = state
        elif not isinstance(target, dict):
            raise Unreadable("a state for something that is not an object")

    def binpersid(self) -> None:
        word, kind, key, _, count = self.pop()
        known = KINDS.get(kind.name.rpartition(".")[2]) if isinstance(kind, Global) else None
        if word != "storage" or known is None or not isinstance(count, int):
            raise Unreadable(f"a storage of the kind {getattr(kind, 'name', kind)}")
        self.stack.append(Storage(str(key), known, count))

    def reduce(self) -> None:
        function, arguments = self.pop_several(2)
        name = getattr(function, "name", type(function).__name__)
        if not isinstance(function, Global) or not isinstance(arguments, tuple):
            raise Unreadable(f"a call of {name}")
        if name == "torch._utils._rebuild_tensor_v2":
            self.stack.append(self.tensor(*arguments[:4]))
        elif name in ("torch._utils._rebuild_parameter", "torch.jit._pickle.restore_type_tag"):
            self.stack.append(arguments[0])
        elif name in LISTS or (name in ("__builtin__.set", "builtins.set") and arguments):
            self.stack.append(list(arguments[0]))
        elif name == "collections.OrderedDict" and not arguments:
            self.stack.append({})
        else:
            raise Unreadable(f"a call of {name}, which makes no tensor")

    def tensor(self, storage: Foreign, offset: Foreign, size: Foreign, stride: Foreign) -> np.ndarray:
        """The array of a tensor, which must be within its storage."""
        if not isinstance(storage, Storage) or len(size) != len(stride) or len(size) > 8:
            raise Unreadable("a tensor without its own storage")
        numbers = (offset, *size, *stride, storage.count)
        if not all(type(n) is int and 0 <= n <= MOST_VALUES for n in numbers):
            raise Unreadable(f"a tensor of the shape {tuple(size)}, strides {tuple(stride)} and offset {offset}")
        count = math.prod(size)
        last = offset + sum((n - 1) * step for n, step in zip(size, stride, strict=True)) if count else -1
        self.left -= count
        if self.left < 0 or last >= storage.count:
            raise Unreadable(f"a tensor of the shape {tuple(size)} in a storage of {storage.count} numbers")
        values = self.numbers(storage)
        strides = tuple(step * values.itemsize for step in stride)
        return np.lib.stride_tricks.as_strided(values[offset:], tuple(size), strides, writeable=False).copy()

    def numbers(self, storage: Storage) -> np.ndarray:
        """The numbers of a storage."""
        content = self.entry(storage.key)
        kind = np.dtype("u2" if storage.kind == "bf" else storage.kind).newbyteorder(self.order)
        if len(content) != storage.count * kind.itemsize:
            raise Unreadable(f"a storage of {storage.count} numbers with {len(content)} bytes")
        values = np.frombuffer(content, kind)
        return from_bfloat16(values) if storage.kind == "bf" else values.astype(kind.newbyteorder("="))


def from_bfloat16(values: np.ndarray) -> np.ndarray:
    """Single-precision numbers from their upper halves."""
    return (values.astype(np.uint32) << 16).view(np.float32)
