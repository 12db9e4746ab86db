"""Commands of many robots in MuJoCo Warp, as arrays of Warp in the order of the groups of like actuators."""

from __future__ import annotations

import numpy as np
import warp as wp  # pyright: ignore[reportMissingImports]

from ...checks import Number
from ...errors import ParameterError
from ...robot.actuator_set import ActuatorSet
from ..robot_commands import CommandReader, refuse_not_finite
from . import kernels
from .engine import Engine


class WarpCommands(CommandReader[wp.array]):
    """Reads commands of all worlds."""

    def __init__(self, robot: ActuatorSet, order: wp.array, engine: Engine):
        super().__init__(robot)
        self.order, self._engine = order, engine
        self._rows: dict[str, wp.array] = {}

    def row(self, name: str, value: Number) -> wp.array:
        """A number for all joints, one per joint, or one per world and joint, as an array of worlds and joints."""
        worlds, count = self._engine.worlds, self._engine.count
        if isinstance(value, wp.array):
            given: wp.array = value
            if given.dtype is not wp.float32:
                raise ParameterError(f"{name} is of {given.dtype.__name__}: must be of wp.float32")
        else:
            try:
                known = np.asarray(value, dtype=np.float32)
            except (TypeError, ValueError):
                raise ParameterError(f"{name} = {value!r}: must be a number, or one per joint") from None
            self._require_shape(name, known.shape, worlds, count)
            for one in np.broadcast_to(known, (worlds, count)) if known.ndim == 2 else known.reshape(1, -1):
                refuse_not_finite(self._robot, name.removeprefix("Command."), np.broadcast_to(one, (count,)))
            given = wp.array(known, dtype=wp.float32, device=self._engine.device)
        self._require_shape(name, tuple(given.shape), worlds, count)
        table = given if given.ndim == 2 else given.reshape((1, given.size))
        if name not in self._rows:
            self._rows[name] = self._engine.joints()
        self._engine.launch(kernels.arrange, (worlds, count), table, self.order, self._rows[name])
        return self._rows[name]

    def _require_shape(self, name: str, shape: tuple[int, ...], worlds: int, count: int) -> None:
        if shape not in ((), (1,), (count,), (worlds, count)):
            raise ParameterError(
                f"{name} has the shape {shape}: must be one number, one for each of {count} joints, or one for each of "
                f"{worlds} worlds and {count} joints"
            )

    def require_finite(self, names: tuple[str, ...], rows: list[wp.array]) -> None:
        """Nothing: numbers of the host were looked at as they came, and the step itself holds those of the device."""
