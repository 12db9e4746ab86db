"""backemf's torque limits as a clamp of Newton: knee curves, torque-speed tables, PhysX's envelope and all others.

Newton has a flat limit, the straight line of a DC motor and a table over the angle; these are the rest, and any of
them together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import ClassVar, TypeAlias

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]
from newton.actuators import ClampingBase  # pyright: ignore[reportMissingImports]

from ...actuator import Actuator, torque_limits
from ...checks import Maybe, Number
from ...engines import bind, load
from ...engines.symbols import leaves, with_symbols
from ...engines.tracing import FLOAT, Program, Symbol
from ...engines.warp_engine import is_plain
from ...engines.warp_function import ARGUMENTS, function_of
from ...engines.warp_fused import Launcher, in_order, index_by
from ...engines.warp_kernel import Layout, Store
from ...errors import ParameterError
from ...tree import numbers as numbers_of
from ..types import Field, Fields
from .carrier import PREFIX, Carried, _of_text
from .numbers import ROOT, Numbers
from .rows import Kind, kind_with
from .types import Device

Limits: TypeAlias = Actuator | str | torque_limits.TorqueLimit | tuple[torque_limits.TorqueLimit, ...]
"""A limit, several, an actuator that has them, or its TOML text."""
LIMITS = "limits"
"""The name of the one argument."""


def limits_of(given: Limits | None) -> Actuator:
    """The limits of an `Actuator`, of its TOML text, or a limit or a tuple of them, as an actuator of limits alone."""
    if isinstance(given, str):
        actuator = _of_text(given)
    else:
        actuator = given if isinstance(given, Actuator) else Actuator(limits=given)
    if not actuator.limits:
        raise ParameterError("limits: give one or more, such as KneeCurve or TorqueSpeedTable")
    for name, value in leaves(actuator.limits, LIMITS).items():
        if not is_plain(value):
            raise ParameterError(f"{name}: a clamp holds one number for all of its joints; make one clamp per number")
    return _alone(Carried(actuator))


@lru_cache(maxsize=256)
def _alone(given: Carried) -> Actuator:
    """An actuator of the same limits alone, the same one for the same."""
    return Actuator(limits=given.actuator.limits)


class BackemfClamp(ClampingBase):
    """A clamp of Newton that keeps a drive's torque within backemf's limits at the joint's angle and speed."""

    SHARED_PARAMS: ClassVar[set[str]] = {"kind", LIMITS, PREFIX + LIMITS}

    @classmethod
    def resolve_arguments(cls, args: Fields) -> Fields:
        """The limits, from objects or from the TOML text of an actuator that has them.

        Which limits they are is shared by the joints of a row, and each joint says which of that kind are its own.
        """
        if len(args) != 1 or not set(args) <= {LIMITS, PREFIX + LIMITS}:
            raise ParameterError(f"a clamp takes limits= alone, not {', '.join(args) or 'nothing'}")
        kind, place = kind_with(limits_of(*args.values()))
        return dict.fromkeys(cls.SHARED_PARAMS) | {"kind": kind, "place": float(place)}

    def __init__(
        self, limits: Limits | None = None, *, kind: Kind | None = None, place: wp.array = None, **given: Field
    ):
        """Make the clamp of a limit, or of several at once; `kind` and `place` are what `resolve_arguments` found."""
        if kind is not None:
            self._actuator = kind.row(place.numpy() if isinstance(place, wp.array) else place)
        else:
            self._actuator = limits_of(given.get(PREFIX + LIMITS) if limits is None else limits)
        self.limits: tuple[torque_limits.TorqueLimit, ...] = self._actuator.limits
        # the points of tables are the same for all joints
        own = {f"{ROOT}{name}" for name, _ in numbers_of(self._actuator)}
        every = leaves(self.limits, ROOT + LIMITS)
        self._own = tuple(name for name in every if name in own)
        self._shared = {name: float(x) for name, x in every.items() if name not in own}
        self._launchers: dict[tuple[int, int], Launcher] = {}
        self._kept: list[object] = []
        self.count, self.device = 0, None
        # Newton looks for the function where it looks for a class's own
        self.evaluate_clamp, self._row = function_of(self._trace(), self._shared, self._own)

    def _trace(self) -> Symbol:
        """The clamped torque in symbols."""
        program = Program()
        value, angle, speed = (program.load(name, FLOAT) for name in ARGUMENTS)
        numbers = {name: program.number(name) for name in self._shared}
        numbers |= {name: program.load(name, FLOAT) for name in self._own}
        laws = bind(torque_limits, "warp", load("warp").ops)
        low, high = laws.tightest(with_symbols(self.limits, ROOT + LIMITS, numbers), angle, speed)
        return laws.clamp(value, low, high)

    def finalize(self, device: Device, num_actuators: int) -> None:
        """Make room for the numbers of a row of joints."""
        self.device, self.count = wp.get_device(device), num_actuators
        self._numbers = Numbers(self._actuator, num_actuators, self.device)
        self._numbers.used = self._own

    @property
    def numbers(self) -> Numbers:
        """Arrays of the numbers of the limits, by name, e.g. "limits.0.effort_limit" [N·m], shape (N,).

        The next step uses what is written there. Newton's implicit mode moves them to its own array when it is switched
        on: ask again then.
        """
        if self.device is None:
            raise ParameterError("numbers: make the actuator of Newton with this clamp first")
        return self._numbers

    def set_numbers(self, name: str, values: Number, mask: Maybe = None, indices: Maybe = None) -> None:
        """Change a number of all joints or of some, as `BackemfDrive.set_numbers` does."""
        self.numbers.set(name, values, mask, indices)

    def param_width(self) -> int:
        """How many numbers the limits have."""
        return len(self._own) + len(self._row)

    def bind_params(self, block: wp.array) -> None:
        """Write the numbers of the limits into every joint's row, and keep them there from now on."""
        rows = np.zeros((self.count, self.param_width()), dtype=np.float32)
        rows[:, len(self._own) :] = self._row
        block.assign(rows)
        self.numbers.move({name: block[:, k] for k, name in enumerate(self._own)})

    def modify_forces(
        self,
        src_forces: wp.array,
        dst_forces: wp.array,
        positions: wp.array,
        velocities: wp.array,
        pos_indices: wp.array,
        vel_indices: wp.array,
        device: Device = None,
    ) -> None:
        """The torques within the limits."""
        key = id(pos_indices), id(vel_indices)
        if key not in self._launchers:
            self._launchers[key] = self._launcher(pos_indices, vel_indices)
            self._kept.append((pos_indices, vel_indices))
        arrays = {"value": src_forces, "result": dst_forces, "angle": positions, "speed": velocities}
        arrays |= self.numbers.arrays
        self._launchers[key].launch(arrays | {"at.pos": pos_indices, "at.vel": vel_indices})

    def _launcher(self, pos_indices: wp.array, vel_indices: wp.array) -> Launcher:
        own = Layout(wp.float32, (True,))
        layouts = dict.fromkeys(("value", "result", *self._own), own)
        for name, place, index in (("angle", "at.pos", pos_indices), ("speed", "at.vel", vel_indices)):
            layouts[name] = index_by(own, "" if in_order(index, self.count) else place, layouts)
        store = Store("result", self._trace())
        made = Launcher([store], layouts, self.count, wp.float32, self.device, self._shared)
        made.load()
        return made
