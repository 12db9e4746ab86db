"""MIME's motor on an engine."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache
from types import ModuleType
from typing import cast

import numpy as np

from ...actuator.needs import require_step
from ...checks import Maybe, Number, no_number
from ...engines import bind, load
from ...errors import ParameterError
from ...physics.state import Array
from ...tree import map_numbers, numbers
from ..on_engine import EngineOption, OnEngine
from . import law, pose
from .motor import MimeInputs, MimeMotor, MimeState, Vector

ENGINES = ("numpy", "python", "jax", "torch")
"""Engines whose numbers go in and come out."""


@cache
def laws(engine: str) -> ModuleType:
    """The law on an engine: `mime_step(motor, state, inputs, dt)`, `mode_of(inputs)` and `turn(...)`."""
    return bind(law, engine, load(engine).ops)


@cache
def pose_laws(engine: str) -> ModuleType:
    """The poses on an engine: `compose_pose(parent, axis, angle, tool)` and `quaternion_of(axis, angle)`."""
    return bind(pose, engine, load(engine).ops)


def compose_pose(parent: Vector, axis: Vector, angle: Number, tool: Vector, engine: str = "jax") -> Array:
    """Pose of the tool in the world, [x, y, z, qw, qx, qy, qz] along the last axis.

    Args:
        parent: Pose of the frame that carries the rotor.
        axis: Axis of the rotor in that frame, of any length.
        angle: Angle of the rotor [rad].
        tool: Pose of the tool on the rotor.
        engine: Whose arrays go in and come out: "jax", "numpy" or "torch".
    """
    rows = [row(engine, *given) for given in (("parent", parent, 7), ("axis", axis, 3), ("tool", tool, 7))]
    return pose_laws(engine).compose_pose(rows[0], rows[1], array(engine, angle), rows[2])


def axis_angle(axis: Vector, angle: Number, engine: str = "jax") -> Array:
    """The quaternion [w, x, y, z] of a rotation by an angle [rad] about an axis of any length."""
    return pose_laws(engine).quaternion_of(row(engine, "axis", axis, 3), array(engine, angle))


def array(engine: str, value: Vector | Number) -> Array:
    """A value as an array of an engine; what is one already stays in its precision."""
    if isinstance(value, (int, float, list, tuple, np.ndarray, np.generic)):
        return load(engine).array(value)
    return cast(Array, value)


def row(engine: str, name: str, value: Vector, length: int) -> Array:
    """Numbers along the last axis as an array of an engine; raises `ParameterError` if they are not so many."""
    try:
        values = array(engine, value)
    except (TypeError, ValueError):
        values = None
    shape = getattr(values, "shape", ())
    if not shape or shape[-1] != length:
        raise ParameterError(f"{name} must be {length} numbers along the last axis, got the shape {tuple(shape)}")
    if length == 3 and isinstance(value, (list, tuple, np.ndarray)):
        require_direction(name, value)
    return cast(Array, values)


def require_direction(name: str, value: Vector) -> None:
    """Check that an axis that is known now has a direction; raise `ParameterError` if not."""
    try:
        known = np.asarray(value, dtype=float)
    except Exception:
        # something among it is traced
        return
    if not (np.isfinite(known).all() and known.any(axis=-1).all()):
        raise ParameterError(f"{name} = {value!r}: must be finite and point somewhere")


class CompiledMime(OnEngine):
    """Steps a batch of motors: `state = step(state, inputs, dt)`."""

    def __init__(self, motor: MimeMotor, engine: str, options: Mapping[str, EngineOption]):
        if engine not in ENGINES:
            raise ParameterError(f"engine = {engine!r}: MIME's motor runs on {', '.join(ENGINES)}")
        super().__init__(engine, options)
        self._laws = laws(engine)
        self.motor = map_numbers(motor, self._number)

    def initial(self, shape: tuple[int, ...] | int = (), **values: Number) -> MimeState:
        """The state of a batch at rest; states given by name start elsewhere, e.g. angular_velocity=3.0.

        Without a shape it is that of the parameters.
        """
        shape = ((shape,) if isinstance(shape, int) else tuple(shape)) or shape_of(self.motor)
        known = MimeState.__dataclass_fields__
        for name in values:
            if name not in known:
                raise ParameterError(f"initial({name}=...): the states are {', '.join(known)}")
        return MimeState(**{name: self._spread(values.get(name, 0.0), shape) for name in known})

    def __call__(self, state: MimeState, inputs: MimeInputs, dt: Number) -> MimeState:
        """The state after `dt` seconds."""
        require_step(dt)
        require_inputs(vars(inputs), getattr(state.angle, "shape", ()))
        return self._laws.mime_step(self.motor, state, inputs, dt)


def shape_of(parts: object) -> tuple[int, ...]:
    """Shape of the batch that parameters are made for."""
    return np.broadcast_shapes(*(np.shape(value) for _, value in numbers(parts)))


def require_inputs(inputs: Mapping[str, Maybe], batch: tuple[int, ...], prefix: str = "") -> None:
    """Check that the inputs fit the batch and, where they are known now, are finite; raise `ParameterError` if not."""
    for name, value in inputs.items():
        if value is None and name == "mode":
            continue
        if value is None or no_number(value):
            raise ParameterError(f"{prefix}{name} = {value!r}: must be a number, or an array with one per motor")
        shape = tuple(getattr(value, "shape", ()))
        if len(shape) > len(batch) or any(a not in (1, b) for a, b in zip(shape[::-1], batch[::-1], strict=False)):
            raise ParameterError(f"{prefix}{name} has the shape {shape}, which does not fit the batch {tuple(batch)}")
        if isinstance(value, (int, float)) and not math.isfinite(value):
            raise ParameterError(f"{prefix}{name} = {value}: must be a finite number")
