"""What the nodes of a turning shaft have in common: their inputs, their fluxes, and where the tool is.

The pose is a flux and no state: a graph computes it where an edge reads it, and XLA leaves it out elsewhere.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from collections.abc import Sized
from typing import Any, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax.core import Tracer
from maddening.core.node import BoundaryFluxSpec, BoundaryInputSpec

from ...actuator.needs import require_step
from ...checks import Number
from ...errors import ParameterError
from ...physics.state import Array
from ...values import Recorded
from ..types import Fields
from .compiled import compose_pose, require_inputs
from .motor import Vector
from .pose import IDENTITY

# name, unit, coupling type, description
COMMANDS = (
    ("commanded_torque", "N.m", "additive", "Torque on the rotor, mode 1"),
    ("commanded_voltage", "V", "replacive", "Voltage at the terminals, mode 2"),
    ("commanded_velocity", "rad/s", "replacive", "Speed to go with, mode 3"),
    ("load_torque", "N.m", "additive", "Torque on the rotor from elsewhere"),
    ("mode", None, "replacive", "1 torque, 2 voltage, 3 velocity; 0: the first command that is not 0"),
)
NUMBERS = tuple(name for name, *_ in COMMANDS)
PARENT = "parent_pose_world"
VISIBLE = ("angle", "angular_velocity", "current")
"""States that controllers and loggers see."""


Values = dict[str, Recorded]
"""States, inputs or fluxes of a node by name."""


class Shaft:
    """A shaft that a motor turns, about an axis in a parent frame, with a tool on it: in front of `SimulationNode`.

    It is no node itself, since MADDENING looks for metadata among the classes right below its own.
    """

    def __init__(self, name: str, timestep: float, axis: Vector, tool: Vector, shape: tuple[int, ...], params: Fields):
        kind = type(self).__name__
        if not isinstance(name, str) or not name:
            raise ParameterError(f"{kind}: name = {name!r}: must be a text that is not empty")
        self._prefix = f"{kind} {name!r}: "
        if isinstance(timestep, bool) or not isinstance(timestep, (int, float, np.number)):
            raise ParameterError(f"{self._prefix}timestep = {timestep!r}: must be a positive number of seconds")
        if not (timestep > 0.0 and np.isfinite(timestep)):
            raise ParameterError(f"{self._prefix}timestep = {timestep}: must be a positive number of seconds")
        # in the words of the document
        if _length(axis) != 3:
            raise ParameterError(f"axis_in_parent_frame must be length 3, got {_length(axis)}")
        if _length(tool) != 7:
            raise ParameterError(
                f"tool_offset_in_rotor_frame must be length 7 (x,y,z,qw,qx,qy,qz), got {_length(tool)}"
            )
        self._axis = self._direction("axis_in_parent_frame", axis, slice(0, 3))
        self._tool = self._direction("tool_offset_in_rotor_frame", tool, slice(3, 7))
        self._shape = shape
        node: Any = super()
        node.__init__(name, timestep, **params, axis_in_parent_frame=axis, tool_offset_in_rotor_frame=tool, shape=shape)

    def _direction(self, name: str, given: Vector, part: slice) -> jax.Array:
        """Numbers as an array, of which a part has a direction; what is traced passes."""
        try:
            values = jnp.asarray(given, float)
        except (TypeError, ValueError):
            raise ParameterError(f"{self._prefix}{name} = {given!r}: must be finite numbers") from None
        known = known_now(values)
        if known is not None and not np.isfinite(known).all():
            raise ParameterError(f"{self._prefix}{name} = {given!r}: must be finite numbers")
        if known is not None and not known[part].any():
            what = "a quaternion is never 0; no rotation is 1, 0, 0, 0" if len(known) == 7 else "must point somewhere"
            raise ParameterError(f"{self._prefix}{name} = {given!r}: {what}")
        return values

    # --- what a graph asks for

    def state_fields(self) -> list[str]:
        """States that are shown; what the controller and the sum of the angle remember stays inside."""
        return list(VISIBLE)

    def observable_fields(self) -> list[str]:
        """The same."""
        return list(VISIBLE)

    def boundary_input_spec(self) -> dict[str, BoundaryInputSpec]:
        """What can be told to the node."""
        found = {
            name: BoundaryInputSpec(
                shape=self._shape, default=0.0, coupling_type=coupling, description=text, expected_units=unit
            )
            for name, unit, coupling, text in COMMANDS
        }
        found[PARENT] = BoundaryInputSpec(
            shape=(7,), default=jnp.asarray(IDENTITY), description="Pose of the frame that carries the rotor"
        )
        return found

    def boundary_flux_spec(self) -> dict[str, BoundaryFluxSpec]:
        """What can be read from the node besides its states."""
        return {
            "rotor_angle": BoundaryFluxSpec(self._shape, description="Angle over all turns", output_units="rad"),
            "rotor_angular_velocity": BoundaryFluxSpec(self._shape, description="Speed", output_units="rad/s"),
            "rotor_pose_world": BoundaryFluxSpec(
                (*self._shape, 7), description="Pose of the tool, [x, y, z, qw, qx, qy, qz]"
            ),
        }

    def compute_boundary_fluxes(self, state: Values, boundary_inputs: Values, dt: float) -> Values:
        """Angle, speed and the pose of the tool."""
        return {
            "rotor_angle": state["angle"],
            "rotor_angular_velocity": state["angular_velocity"],
            "rotor_pose_world": self.pose(state["angle"], boundary_inputs.get(PARENT)),
        }

    # --- for everyone

    def pose(self, angle: Number, parent_pose_world: Vector | Recorded = None) -> Array:
        """Pose of the tool in the world at an angle [rad], on a parent that is at rest in the origin if none is given.

        As the transform of an edge from `angle` it serves where fluxes are not to be had, such as edges that go back.
        """
        parent: Any = IDENTITY if parent_pose_world is None else parent_pose_world
        return compose_pose(parent, self._axis, angle, self._tool)

    def check(self, state: Values) -> None:
        """Check that every state is finite; raise `ParameterError` if not."""
        for name, value in state.items():
            if not np.isfinite(np.asarray(value)).all():
                first = tuple(int(i) for i in np.argwhere(~np.isfinite(np.asarray(value)))[0])
                where = f" at {first}" if first else ""
                raise ParameterError(
                    f"{self._prefix}{name}{where} is not finite: look at its boundary inputs, and at dt"
                )

    def _inputs(self, state: Values, boundary_inputs: Values, dt: Number) -> Values:
        """The commands and the load of a step, looked over; what is traced passes."""
        require_step(dt)
        for name in boundary_inputs:
            if name not in NUMBERS and name != PARENT:
                raise ParameterError(
                    f"{self._prefix}there is no boundary input {name!r}: there are {', '.join((*NUMBERS, PARENT))}"
                )
        given = {name: boundary_inputs[name] for name in NUMBERS if name in boundary_inputs}
        require_inputs(given, np.shape(state["angle"]), self._prefix)
        for name, value in given.items():
            known = known_now(value)
            if known is not None and not np.isfinite(known).all():
                raise ParameterError(f"{self._prefix}{name} = {value}: must be finite")
        return given


def known_now(value: object) -> np.ndarray | None:
    """A value as a NumPy array; None while JAX traces it."""
    return None if isinstance(value, Tracer) else np.asarray(value)


def _length(values: Vector) -> int:
    """How many numbers there are; tracers among them count, and text is none."""
    if isinstance(values, str) or not hasattr(values, "__len__") or getattr(values, "ndim", 1) != 1:
        return 0
    return len(cast(Sized, values))
