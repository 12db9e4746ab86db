"""Our torque limits as a clamp of Newton: knee curves, torque-speed tables, PhysX's envelope and all others.

Newton has a flat limit, the straight line of a DC motor and a table over the angle; these are the rest, and any of
them together.
"""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]
from newton.actuators import ClampingBase  # pyright: ignore[reportMissingImports]

from ...actuator import Actuator, torque_limits
from ...engines import bind, load
from ...engines.tracing import FLOAT, Program, Symbol
from ...engines.warp_engine import is_plain, leaves, with_symbols
from ...engines.warp_function import ARGUMENTS, function_of
from ...engines.warp_fused import Launcher, in_order, placed
from ...engines.warp_kernel import Layout, Store
from ...errors import ParameterError
from .carrier import PREFIX, Carried, _of_text

LIMITS = "limits"
"""The name of the one argument."""


def limits_of(given: Any) -> Carried:
    """The limits of an `Actuator`, of its TOML text, or a limit or a tuple of them; checked as an actuator's are."""
    if isinstance(given, Carried):
        return given
    if isinstance(given, str):
        actuator = _of_text(given)
    else:
        actuator = given if isinstance(given, Actuator) else Actuator(limits=given)
    if not actuator.limits:
        raise ParameterError("limits: give one or more, such as KneeCurve or TorqueSpeedTable")
    for name, value in leaves(actuator.limits, LIMITS).items():
        if not is_plain(value):
            raise ParameterError(f"{name}: a clamp holds one number for all of its joints; make one clamp per number")
    return Carried(actuator)


class BackemfClamp(ClampingBase):
    """A clamp of Newton that keeps a drive's torque within backemf's limits at the joint's angle and speed."""

    SHARED_PARAMS: ClassVar[set[str]] = {LIMITS, PREFIX + LIMITS}

    @classmethod
    def resolve_arguments(cls, args: dict[str, Any]) -> dict[str, Any]:
        """The limits, from objects or from the TOML text of an actuator that has them."""
        if len(args) != 1 or not set(args) <= cls.SHARED_PARAMS:
            raise ParameterError(f"a clamp takes limits= alone, not {', '.join(args) or 'nothing'}")
        ((key, value),) = args.items()
        return {key: limits_of(value)}

    def __init__(self, limits: Any = None, **given: Any):
        """Make the clamp of a limit, or of several at once."""
        carried = limits_of(given.get(PREFIX + LIMITS) if limits is None else limits)
        self.limits: tuple[torque_limits.TorqueLimit, ...] = carried.actuator.limits
        self._numbers = {name: float(x) for name, x in leaves(self.limits, LIMITS).items()}
        self._launchers: dict[Any, Launcher] = {}
        self._kept: list[Any] = []
        self.count, self.device = 0, None
        # Newton looks for the function where it looks for a class's own
        self.evaluate_clamp, self._row = function_of(self._traced(), self._numbers)

    def _traced(self) -> Symbol:
        """The clamped torque in symbols."""
        program = Program()
        value, angle, speed = (program.load(name, FLOAT) for name in ARGUMENTS)
        numbers = {name: program.number(name) for name in self._numbers}
        laws: Any = bind(torque_limits, "warp", load("warp").ops)
        low, high = laws.tightest(with_symbols(self.limits, LIMITS, numbers), angle, speed)
        return laws.limited(value, low, high)

    def finalize(self, device: Any, num_actuators: int) -> None:
        """Learn the row of joints."""
        self.device, self.count = wp.get_device(device), num_actuators

    def param_width(self) -> int:
        """How many numbers the limits have."""
        return len(self._row)

    def bind_params(self, block: Any) -> None:
        """Write the numbers of the limits into every joint's row."""
        block.assign(np.tile(np.array(self._row, dtype=np.float32), (self.count, 1)))

    def modify_forces(
        self,
        src_forces: Any,
        dst_forces: Any,
        positions: Any,
        velocities: Any,
        pos_indices: Any,
        vel_indices: Any,
        device: Any = None,
    ) -> None:
        """The torques within the limits."""
        key = id(pos_indices), id(vel_indices)
        if key not in self._launchers:
            self._launchers[key] = self._launcher(pos_indices, vel_indices)
            self._kept.append((pos_indices, vel_indices))
        arrays = {"value": src_forces, "result": dst_forces, "angle": positions, "speed": velocities}
        self._launchers[key].launch(arrays | {"at.pos": pos_indices, "at.vel": vel_indices})

    def _launcher(self, pos_indices: Any, vel_indices: Any) -> Launcher:
        own = Layout(wp.float32, (True,))
        layouts = {"value": own, "result": own}
        for name, place, index in (("angle", "at.pos", pos_indices), ("speed", "at.vel", vel_indices)):
            layouts[name] = placed(own, "" if in_order(index, self.count) else place, layouts)
        store = Store("result", self._traced())
        made = Launcher([store], layouts, self.count, wp.float32, self.device, self._numbers)
        made.load()
        return made
