"""One launch: where the numbers of a traced step come from, and which arrays it writes."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import warp as wp  # pyright: ignore[reportMissingImports]

from ..errors import ParameterError
from ..physics.state import OUTPUTS, STATES, Output, State
from ..values import Module
from .tracing import FLOAT, Line, Symbol, Traced, Value, evaluate
from .warp_cache import launch
from .warp_kernel import Layout, Store, Writer, build_kernel, fill_struct
from .warp_native import NativeWriter, build_loop

if TYPE_CHECKING:
    from .warp_engine import Stepper

Given = dict[str, Any]
"""What a step is given, by name: arrays of Warp and plain numbers."""
MOST_NUMBERS = 64
"""How many sets of plain numbers are kept ready."""


class Launch:
    """The kernel of stores for a batch, and on a CPU the loop that does the same."""

    def __init__(
        self,
        stores: list[Store],
        layouts: dict[str, Layout],
        batch: tuple[int, ...],
        dtype: type,
        device: wp.Device,
        gradients: bool,
    ):
        self.batch, self.dtype, self.device = batch, dtype, device
        self.writer = Writer(stores, layouts, len(batch))
        self.kernel, self.struct = build_kernel(self.writer, dtype, gradients)
        self.loop = None
        native = NativeWriter(stores, layouts, len(batch), dtype)
        if native.able and not device.is_cuda:
            self.loop = build_loop(native, self.struct, dtype), native.used

    def fill(self, numbers: Mapping[str, float]) -> Module:
        """The structure of the numbers that all motors share."""
        return fill_struct(self.struct, self.writer.uniforms, numbers)

    def arguments(self, struct: Module, arrays: Mapping[str, wp.array]) -> dict[str, Module]:
        """What to launch: the loop where arrays have no gaps and need no gradient, else the kernel."""
        if self.loop is not None:
            kernel, names = self.loop
            inputs = [arrays[name] for name in names]
            if all(x.is_contiguous and not x.requires_grad for x in inputs):
                return {"kernel": kernel, "dim": 1, "inputs": [struct, *inputs, *self.batch], "device": self.device}
        inputs = [struct, *(arrays[name] for name in self.writer.used)]
        return {"kernel": self.kernel, "dim": self.batch, "inputs": inputs, "device": self.device}


class Plan:
    """The kernel for inputs of certain shapes, and where its numbers come from and go to."""

    def __init__(self, after: State, out: Output | None, given: Given, batch: tuple[int, ...], stepper: Stepper):
        self.batch = batch
        self.in_place = stepper.in_place
        self.dtype, self.device = stepper.dtype, stepper.device
        self.layouts = {name: layout_of(name, x, batch) for name, x in given.items() if isinstance(x, wp.array)}
        self.kept: dict[str, str] = {}
        """States that stay the arrays they are, by name."""
        self.copies: list[tuple[str, str]] = []
        """States that motors share, which a step in place writes aside first."""
        self.plain: dict[str, Traced] = {}
        """Outputs that are the same for all motors."""
        self.same: dict[str, str] = {}
        """Outputs that are what another array holds already."""
        self.made: dict[str, tuple[type, tuple[int, ...]]] = {}
        """Type and shape of every array that is written."""
        self.stores: list[Store] = []
        self._stored: dict[object, str] = {}
        for name in STATES:
            if getattr(after, name) is not None:
                self._state(name, getattr(after, name), given[f"state.{name}"])
        for name in () if out is None else OUTPUTS:
            self._output(name, getattr(out, name))
        self.values: dict[object, Module] = {}
        self._ready: dict[str, wp.array] = {}
        self.launch = None
        if self.stores:
            self.launch = Launch(self.stores, self.layouts, batch, self.dtype, self.device, not self.in_place)

    def _state(self, name: str, value: Value | Line, old: wp.array) -> None:
        source, target = f"state.{name}", f"new.{name}"
        untouched = isinstance(value, Line) and value.frame is None
        if untouched or (isinstance(value, Symbol) and value.op == "load" and value.args[0] == source):
            self.kept[name] = source
            return
        layout = self.layouts[source]
        if self.in_place and math.prod(old.shape[layout.line :]) == math.prod(self.batch):
            self.stores.append(Store(source, value, copied=False))
            self.kept[name] = source
        else:
            self._make(target, value, layout, old.dtype, tuple(old.shape))
            if self.in_place:
                self.copies.append((source, target))
                self.kept[name] = source
        if isinstance(value, Symbol) and value.kind == FLOAT and not layout.shared:
            self._stored[value.index] = source if self.in_place else target

    def _output(self, name: str, value: Value | Line) -> None:
        if value is None:
            return
        if not isinstance(value, Symbol) or value.uniform:
            self.plain[name] = value
        elif value.index in self._stored and name != "limit":
            self.same[name] = self._stored[value.index]
        else:
            dtype = wp.int16 if name == "limit" else self.dtype
            own = Layout(dtype, tuple(True for _ in self.batch))
            self._make(f"out.{name}", value, own, dtype, self.batch)
            self.same[name] = f"out.{name}"
            if name != "limit":
                self._stored[value.index] = f"out.{name}"

    def _make(self, target: str, value: Value | Line, layout: Layout, dtype: type, shape: tuple[int, ...]) -> None:
        self.layouts[target] = layout
        self.made[target] = dtype, shape
        self.stores.append(Store(target, value))

    def run(self, given: Given, numbers: dict[str, float]) -> tuple[Given, Given]:
        """States and outputs by name after one launch."""
        key = tuple(x for x in given.values() if not isinstance(x, wp.array))
        if key not in self.values:
            self.values = {} if len(self.values) >= MOST_NUMBERS else self.values
            self.values[key] = self._same_for_all(
                numbers | {n: x for n, x in given.items() if not isinstance(x, wp.array)}
            )
        struct, plain = self.values[key]
        arrays = given | self._new_arrays(given) if self.made else given
        if self.launch is not None:
            launch(**self.launch.arguments(struct, arrays))
        for source, target in self.copies:
            wp.copy(arrays[source], arrays[target])
        state = {n: arrays[self.kept.get(n) or f"new.{n}"] for n in STATES if f"state.{n}" in given}
        return state, {name: arrays[x] for name, x in self.same.items()} | plain

    def _same_for_all(self, numbers: dict[str, float]) -> tuple[Module, Given]:
        """The numbers that all motors share, and the outputs that are such."""
        struct = None if self.launch is None else self.launch.fill(numbers)
        own = {n: x for n, x in self.plain.items() if isinstance(x, Symbol)}
        return struct, self.plain | dict(zip(own, evaluate(list(own.values()), numbers), strict=True))

    def _new_arrays(self, given: Given) -> dict[str, wp.array]:
        if self.in_place and self._ready:
            return self._ready
        grad = any(isinstance(x, wp.array) and x.requires_grad for x in given.values())
        if grad and self.in_place:
            raise ParameterError("in_place=True writes over what gradients need: compile without it")
        made = {
            name: wp.empty(shape, dtype=dtype, device=self.device, requires_grad=grad and dtype == self.dtype)
            for name, (dtype, shape) in self.made.items()
        }
        self._ready = made if self.in_place else {}
        return made


def layout_of(name: str, x: wp.array, batch: tuple[int, ...]) -> Layout:
    """How motors find their number in an array; `head` is one for all."""
    line = name.startswith("state.") and name.endswith("_line")
    shape = tuple(x.shape)[line:]
    own = tuple(size != 1 for size in shape)
    first = len(batch) - len(shape)
    shared = tuple(k for k, size in enumerate(batch) if size != 1 and (k < first or not own[k - first]))
    return Layout(x.dtype, own, line, shared)
