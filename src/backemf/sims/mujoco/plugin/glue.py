"""A function in LLVM's language that knows the blocks of memory of motors, models and data, and MuJoCo's structs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ....engines.llvm_function import NOTHING, POINTER, TEST, WHOLE, Function, Operand, Value, Variable
from .memory import CONTEXT, HEAD, INTEGRATORS, MODEL, MODEL_VECTORS, VECTORS
from .places import Places


@dataclass(frozen=True)
class Setting:
    """What the code is written for."""

    of_model: Places
    """Places in MuJoCo's models."""
    of_data: Places
    """Places in its data."""
    width: int
    """Numbers in a row of a matrix: those of all joints, up to a multiple of four."""
    freedoms: int = 0
    """Degrees of freedom for which contacts are solved; 0: they are left to MuJoCo."""


class Glue(Function):
    """A function that knows the blocks."""

    def __init__(self, name: str, arguments: dict[str, str], places: Setting, returns: str = NOTHING):
        super().__init__(name, arguments, returns, internal=name.startswith("_"))
        self.of_model, self.of_data, self.width = places.of_model, places.of_data, places.width
        self.freedoms = places.freedoms

    def whole(self, name: str) -> Value:
        """A whole number of the context."""
        return self._word(name, WHOLE)

    def at(self, name: str) -> Value:
        """A place of the context."""
        return self._word(name, POINTER)

    def _word(self, name: str, kind: str) -> Value:
        place = self._element("context", (*CONTEXT, *INTEGRATORS).index(name))
        return self.once(f"load {kind}, ptr {place.name}", kind)

    def _element(self, memory: str, index: int | Value) -> Value:
        return self.once(f"getelementptr double, ptr %{memory}, {self.typed(index, WHOLE)}", POINTER)

    def _row(self, memory: str, number: int, first: int) -> Value:
        """A row with one number per joint."""
        begin = self.once(f"mul i64 {self.whole('count').name}, {number}", WHOLE)
        return self._element(memory, self.once(f"add i64 {begin.name}, {first}", WHOLE))

    def vector(self, name: str) -> Value:
        """A row of the record."""
        return self._row("record", VECTORS.index(name), len(HEAD))

    def block_vector(self, name: str) -> Value:
        """A row of the block of the model."""
        return self._row("block", MODEL_VECTORS.index(name), len(MODEL))

    def head(self, name: str) -> Value:
        """A number of the record."""
        return self.load(self["record"], HEAD.index(name))

    def set_head(self, name: str, value: Operand) -> None:
        """Write a number of the record."""
        self.store(self["record"], HEAD.index(name), value)

    def of(self, owner: str, name: str) -> Value:
        """An array of MuJoCo's."""
        places = self.of_model if owner == "model" else self.of_data
        place = self.once(f"getelementptr i8, ptr %{owner}, i64 {places[name]}", POINTER)
        return self.once(f"load ptr, ptr {place.name}", POINTER)

    def single(self, owner: str, name: str, kind: str) -> Value:
        """A number that stands in MuJoCo's struct itself."""
        places = self.of_model if owner == "model" else self.of_data
        return self.load(self.place(self[owner], places[name], "i8"), 0, kind)

    @contextmanager
    def joints(self) -> Iterator[Value]:
        """A loop over the joints."""
        with self.loop(self.whole("count")) as k:
            yield k

    def flag(self) -> Variable:
        """A test that starts false."""
        return self.variable(TEST, 0)

    def raise_flag(self, flag: Variable, test: Value) -> None:
        """True from here on where the test is."""
        flag.set(flag.now.or_(test))
