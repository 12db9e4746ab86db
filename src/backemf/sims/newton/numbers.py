"""Numbers of a row of joints that may change while it runs: one array of them, read anew by every step.

Nothing that a step computes from them is kept, and the array stays where it is, so that a captured graph sees a change
as any other step does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, TypeAlias

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ...actuator import Actuator
from ...checks import Number
from ...engines.tracing import Symbol
from ...engines.warp_engine import Stepper
from ...errors import ParameterError
from ...parts import without_neutral
from ...random.randomize import rebuild
from ...tree import numbers as numbers_of
from .types import Device

Given: TypeAlias = Any
"""A number, a row of them or an array of Warp's; None: none is given."""
ROOT = "actuator."
"""What the engine's names of an actuator's numbers begin with."""


@wp.kernel(enable_backward=False)
def _write(
    values: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
    indices: wp.array(dtype=wp.int32),  # pyright: ignore[reportInvalidTypeForm]
    mask: wp.array(dtype=wp.bool),  # pyright: ignore[reportInvalidTypeForm]
    row: wp.array(dtype=wp.float32),  # pyright: ignore[reportInvalidTypeForm]
):
    k = wp.tid()
    joint = k
    if indices:
        joint = indices[k]
    if mask and not mask[joint]:
        return
    row[joint] = values[wp.min(k, values.shape[0] - 1)]


class Numbers(Mapping[str, wp.array]):
    """The numbers of a row of joints by name, e.g. "motor.winding.resistance", each an array of Warp, shape (N,).

    Names are those of the fields with dots between; "motor." may be left out. What is written into an array is taken
    by the next step.
    """

    def __init__(self, actuator: Actuator, count: int, device: Device, grad: bool = False):
        self.actuator, self.count, self.device = actuator, count, device
        # what has no effect is in no step
        given = {f"{ROOT}{name}": value for name, value in numbers_of(without_neutral(actuator))}
        self._known = {f"{ROOT}{name}" for name, _ in numbers_of(actuator)}
        self.rows: dict[str, int] = {}
        """Names of the engine, and the row of each in `block`."""
        columns = []
        for name, value in given.items():
            # how many frames are kept follows from a delay, and an array of the user's stays that array
            if name.startswith(f"{ROOT}delay.") or isinstance(value, wp.array):
                continue
            self.rows[name] = len(columns)
            columns.append(self._column(name, value))
        whole = np.array(columns, dtype=np.float32).reshape(len(columns), count)
        self.block = wp.array(whole, dtype=wp.float32, device=device, requires_grad=grad) if columns else None
        self._views = {name: self.block[row] for name, row in self.rows.items()} if self.block is not None else {}
        self._views |= {name: x for name, x in given.items() if isinstance(x, wp.array)}
        self.used: tuple[str, ...] = ()
        """Names of the engine that a step takes."""

    def give(self, stepper: Stepper) -> None:
        """Have a step read these arrays in place of plain numbers."""
        for name in self.rows:
            stepper.numbers.pop(name, None)
            stepper.arrays[name] = self._views[name]

    def load(self) -> None:
        """Load what changes a number now, so that nothing is left to do while a graph is captured."""
        wp.load_module(__name__, device=self.device)

    def move(self, arrays: Mapping[str, wp.array]) -> None:
        """Keep numbers in other arrays from now on; they get what the numbers are."""
        for name, x in arrays.items():
            wp.copy(x, self._views[name])
            self._views[name] = x

    @property
    def arrays(self) -> dict[str, wp.array]:
        """The arrays by the engine's names."""
        return self._views

    def _column(self, name: str, value: Number) -> np.ndarray:
        try:
            return np.broadcast_to(np.asarray(value, dtype=np.float32), (self.count,))
        except ValueError:
            raise ParameterError(
                f"{name.removeprefix(ROOT)} has the shape {np.shape(value)}: must be one number, or one for each of "
                f"{self.count} joints"
            ) from None

    def __getitem__(self, name: str) -> wp.array:
        return self._views[self._full(name)]

    def __iter__(self) -> Iterator[str]:
        return (name.removeprefix(ROOT) for name in self.used)

    def __len__(self) -> int:
        return len(self.used)

    def _full(self, name: str) -> str:
        """The engine's name of a number; raises ParameterError if a change would have no effect."""
        ways = (f"{ROOT}{name}", f"{ROOT}motor.{name}")
        for full in ways:
            if full in self.used:
                return full
        shown = ", ".join(self)
        if name.startswith("delay."):
            raise ParameterError(
                f"numbers[{name!r}]: the length of a delay is that of its buffer: make an actuator with another Delay"
            )
        if any(full in self._known for full in ways):
            raise ParameterError(f"numbers[{name!r}]: no step of this actuator takes it; it takes {shown}")
        raise ParameterError(f"numbers[{name!r}]: this actuator has no such number; it has {shown}")

    def set(self, name: str, values: Given, mask: Given = None, indices: Given = None) -> None:
        """Change a number; see `BackemfDrive.set_numbers`."""
        row = self[name]
        chosen = self._select(name, mask, indices)
        count = self.count if chosen[1] is None else len(chosen[1])
        if not isinstance(values, wp.array):
            values = self._check_values(name, values, count, *chosen)
        if values.dtype is not wp.float32 or tuple(values.shape) not in ((1,), (count,)):
            raise ParameterError(
                f"set_numbers({name!r}): values are {values.dtype.__name__} of the shape {tuple(values.shape)}: must "
                f"be float32, one or {count} of them"
            )
        inputs = [values, chosen[1], chosen[0]]
        wp.launch(_write, dim=count, inputs=inputs, outputs=[row], device=self.device)

    def _select(self, name: str, mask: Given, indices: Given) -> tuple[Given, Given]:
        """The mask and the indices as arrays of the device."""
        if mask is not None and indices is not None:
            raise ParameterError(f"set_numbers({name!r}): give mask= or indices=, not both")
        if mask is not None:
            if not isinstance(mask, wp.array):
                mask = wp.array(np.asarray(mask, dtype=bool), dtype=wp.bool, device=self.device)
            if mask.dtype is not wp.bool or tuple(mask.shape) != (self.count,):
                raise ParameterError(
                    f"set_numbers({name!r}): the mask is {mask.dtype.__name__} of the shape {tuple(mask.shape)}: must "
                    f"be bool, one for each of {self.count} joints"
                )
        if indices is not None and not isinstance(indices, wp.array):
            indices = self._indices(name, indices)
        if indices is not None and (indices.dtype is not wp.int32 or indices.ndim != 1):
            raise ParameterError(f"set_numbers({name!r}): indices must be a row of int32")
        return mask, indices

    def _indices(self, name: str, indices: Number) -> wp.array:
        places = np.atleast_1d(np.asarray(indices))
        good = places.ndim == 1 and (places.dtype.kind in "iu" or not len(places))
        if not good or not ((places >= 0) & (places < self.count)).all():
            raise ParameterError(
                f"set_numbers({name!r}): indices = {indices!r}: must be whole numbers from 0 to {self.count - 1}, the "
                "places of joints in this row"
            )
        return wp.array(places, dtype=wp.int32, device=self.device)

    def _check_values(self, name: str, values: Number, count: int, mask: Given, indices: Given) -> wp.array:
        """Values of the host as an array; raises the error of the part that refuses them."""
        try:
            given = np.asarray(values, dtype=np.float32)
            spread = np.broadcast_to(given, (count,))
        except (TypeError, ValueError):
            raise ParameterError(
                f"set_numbers({name!r}): values = {values!r}: must be one number, or one for each of {count} joints"
            ) from None
        full = self._full(name)
        now = {key: x.numpy() for key, x in self._views.items() if key in self.used}
        after = now[full].astype(float)
        chosen = np.arange(self.count)[mask.numpy()] if mask is not None else slice(None)
        chosen = indices.numpy() if indices is not None else chosen
        after[chosen] = spread[chosen] if mask is not None else spread
        self._present({**now, full: after})
        return wp.array(given.reshape(-1), dtype=wp.float32, device=self.device)

    def present(self) -> Actuator:
        """The actuator with its numbers as they are now, read back; one that is the same for all is one number."""
        return self._present({name: x.numpy() for name, x in self._views.items()})

    def _present(self, values: Mapping[str, np.ndarray]) -> Actuator:
        short = {}
        for name, x in values.items():
            same = len(x) == 0 or bool((x == x[0]).all())
            short[name.removeprefix(ROOT)] = float(x[0]) if same and len(x) else x.astype(float)
        return rebuild(self.actuator, short)


def loads_in(*parts: object) -> set[str]:
    """Names of the arrays that traced values come from."""
    found: set[str] = set()
    seen: set[int] = set()
    todo = [x for part in parts for x in vars(part).values()]
    while todo:
        x = todo.pop()
        if not isinstance(x, Symbol):
            # a line of frames has a slot and a frame
            todo += [each for each in (getattr(x, "slot", None), getattr(x, "frame", None)) if each is not None]
            continue
        if x.index in seen:
            continue
        seen.add(x.index)
        if x.op == "load":
            found.add(x.args[0])
        todo += [each for each in x.args if isinstance(each, Symbol)]
    return found
