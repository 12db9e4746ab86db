"""A step inside a host that has flat arrays of its own: numbers are found by index, results go where the host says.

One launch reads the joints, steps every actuator, writes the state after it and the outputs that are wanted, and may
add the torques to the host's array of forces. Launches are recorded, so that a step costs a look-up and a call.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ..errors import ParameterError
from ..physics.command import Command
from ..physics.state import STATES
from ..values import Module
from .tracing import FLOAT, Line, Traced, pick
from .warp_cache import launch, load
from .warp_kernel import KINDS, Layout, Store, build_kernel
from .warp_plan import Given, Launch, layout_of

if TYPE_CHECKING:
    from .warp_engine import Stepper

K = TypeVar("K")
T = TypeVar("T")

MOST_LAUNCHES = 64
"""How many recorded launches are kept."""
FORCES = "forces"
"""The host's array to which torques are added."""
NUMBERS = "numbers"
"""The array of numbers of the actuators, one row for each name and one column for each joint."""


class Launcher(Launch):
    """The launch of stores for a row of `count` joints; `numbers` are plain ones by name, the same for all."""

    def __init__(
        self,
        stores: list[Store],
        layouts: dict[str, Layout],
        count: int,
        dtype: type,
        device: wp.Device,
        numbers: Mapping[str, float],
    ):
        super().__init__(stores, layouts, (count,), dtype, device, False)
        self.numbers = numbers
        self._values: dict[float, Module] = {}
        self._launches: dict[tuple[object, ...], Module] = {}

    def load(self) -> None:
        """Compile and load now, so that nothing is left to do while a graph is captured."""
        kernel = self.kernel if self.loop is None else self.loop[0]
        load(kernel.module, self.device)

    def launch(self, arrays: Mapping[str, wp.array], dt: float = 0.0) -> None:
        """Step once: what is read, written and looked up in, by name."""
        values = _keep(self._values, dt, lambda: self.fill({**self.numbers, "dt": dt}))
        taken = [arrays[name] for name in self.writer.used]
        if any(x.requires_grad for x in taken):
            kernel = build_kernel(self.writer, self.dtype, True)[0]
            launch(kernel, dim=self.batch, inputs=[values, *taken], device=self.device)
            return
        key = (dt, *((x.ptr, x.shape, x.strides) for x in taken))
        recorded = _keep(self._launches, key, lambda: launch(**self.arguments(values, arrays), record_cmd=True))
        recorded.launch()


def _keep(kept: dict[K, T], key: K, make: Callable[[], T]) -> T:
    """What was made for a key; of many keys, the latest are kept."""
    if key not in kept:
        if len(kept) >= MOST_LAUNCHES:
            kept.clear()
        kept[key] = make()
    return kept[key]


def index_by(layout: Layout, index: str, layouts: dict[str, Layout]) -> Layout:
    """The layout of an array in which joints are found by index; "": they come first and in order."""
    if not index:
        return layout
    layouts[index] = Layout(wp.uint32, (True,))
    return replace(layout, index=index)


def in_order(index: wp.array, count: int) -> bool:
    """Whether joints come first and in order. A GPU is not asked: that would stop it, and it minds indices little."""
    return not index.device.is_cuda and bool(np.array_equal(index.numpy(), np.arange(count)))


class Fused(Launcher):
    """The step of one kind of actuator for a row of `count` joints.

    Args:
        stepper: The step on the Warp engine, as `Actuator.compile("warp")` holds it.
        state: Arrays of a state by name; they tell types and shapes.
        inputs: Inputs that the host has: "position", "velocity" and "command.…", each with the name of the array of
            its indices, or "" where the joints come first and in order.
        outputs: Names of the outputs that are written.
        forces: Name of the indices of the array that torques are added to, "" for joints in order; None: to none.
        frames: How many frames of a delay's lines are written, the new one first: 1 over a copy of the present state,
            2 over the state that the present one came from; None: all.
        rows: Numbers of the actuator that stand in the array "numbers" of a launch, and in which of its rows.
    """

    def __init__(
        self,
        stepper: Stepper,
        count: int,
        state: Mapping[str, wp.array],
        inputs: Mapping[str, str],
        outputs: tuple[str, ...],
        forces: str | None = None,
        frames: int | None = None,
        rows: Mapping[str, int] | None = None,
    ):
        shape = wp.empty(count, dtype=stepper.dtype, device=stepper.device)
        given: Given = {f"state.{name}": x for name, x in state.items()}
        given |= {name: shape for name in inputs} | {"dt": 1.0} | stepper.arrays
        after, out = stepper.trace(given, (Command, type(None)))
        torque: Traced = out.torque
        layouts = {n: layout_of(n, x, (count,)) for n, x in given.items() if isinstance(x, wp.array)}
        own = Layout(stepper.dtype, (True,))
        if rows:
            layouts |= {name: replace(own, block=(NUMBERS, row)) for name, row in rows.items()}
            layouts[NUMBERS] = replace(own, line=True)
        layouts |= {name: index_by(own, index, layouts) for name, index in inputs.items()}
        layouts |= {f"new.{name}": layouts[f"state.{name}"] for name in state}
        for name in outputs:
            if getattr(out, name) is None:
                raise ParameterError(f"telemetry names {name!r}: this actuator has no such output")
        layouts |= {f"out.{name}": Layout(wp.int16, (True,)) if name == "limit" else own for name in outputs}
        copied, alternates = frames != 1, frames == 2
        stores = [Store(f"new.{n}", getattr(after, n), copied, alternates) for n in STATES if n in state]
        stores += [Store(f"out.{name}", getattr(out, name)) for name in outputs]
        if forces is not None:
            layouts[FORCES] = index_by(own, forces, layouts)
            stores.append(Store(FORCES, torque, added=True))
        super().__init__(stores, layouts, count, stepper.dtype, stepper.device, stepper.numbers)
        self.arrays = stepper.arrays

    def launch(self, arrays: Mapping[str, wp.array], dt: float = 0.0) -> None:
        super().launch({**self.arrays, **arrays}, dt)


class Passing(Launcher):
    """Passes on a state that a step has made, to be written over the one that came before the present.

    The lines of a delay differ from those by two frames, so no more are read and written.

    Args:
        stepper: The step on the Warp engine.
        count: Joints of the row.
        state: Arrays of a state by name; they tell types and shapes. A launch takes those of the present state, those
            that were made, by "made.…", and those that are written, by "new.…".
        inputs: Inputs of the step, as in `Fused`.
    """

    def __init__(self, stepper: Stepper, count: int, state: Mapping[str, wp.array], inputs: Iterable[str]):
        shape = wp.empty(count, dtype=stepper.dtype, device=stepper.device)
        given: Given = {f"state.{name}": x for name, x in state.items()}
        given |= {name: shape for name in inputs} | {"dt": 1.0} | stepper.arrays
        after = stepper.trace(given, (Command, type(None)))[0]
        lines = [value for n in state if isinstance(value := getattr(after, n), Line)]
        program = lines[0].program
        layouts = {n: layout_of(n, x, (count,)) for n, x in given.items() if isinstance(x, wp.array)}
        layouts |= {f"{of}.{n}": layouts[f"state.{n}"] for n in state for of in ("made", "new")}
        stores = []
        for name, x in state.items():
            value, made = getattr(after, name), f"made.{name}"
            if isinstance(value, Line):
                value = Line(
                    program, made, value.frames, value.slot, pick(Line(program, made, value.frames), value.slot)
                )
            else:
                value = program.load(made, KINDS.get(x.dtype, FLOAT))
            stores.append(Store(f"new.{name}", value, alternates=True))
        super().__init__(stores, layouts, count, stepper.dtype, stepper.device, {})
