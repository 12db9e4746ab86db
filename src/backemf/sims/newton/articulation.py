"""The joints of a model as motors feel them: their inertia, what else accelerates them, and the velocity after a step.

Newton's solvers take a torque and hold it over the step, so a motor that is stiffer than the step can follow would
throw its link about. Here the torque is found together with the velocity that it leads to, v1, for all joints of an
articulation at once:

    H·(v1 - v0) = h·(torque(q0 + h·v1, v1) + other)

H is the inertia that the torque meets. `other` is all that is not a motor of ours: gravity, contacts, limits, loops
and forces of the user. No solver reports it, so it is what the last steps showed beyond our own torques.
"""

from __future__ import annotations

from typing import Any

import newton  # pyright: ignore[reportMissingImports]
import warp as wp  # pyright: ignore[reportMissingImports]

from .articulation_kernels import (
    add_to_diagonal,
    advance_guess,
    begin_guess,
    hand_over,
    note_lines,
    observe,
    place_joints,
)
from .loose import loose_inertia

ROUNDS = 8
"""How often the actuators are asked for their torque in a step [1]; a straight line needs two."""
SHARE = 0.3
"""Share of what the last step showed in the estimate of other torques [1]; smaller follows a contact later."""
BRACKET = ("low", "low_step", "low_torque", "high", "high_step", "high_torque")
LINES = ("torque", "slope", "base", "mine")
ROWS = ("velocity", "before", "applied", "other", "guess", "step", *LINES, *BRACKET)
"""Numbers of every velocity of the model: see the kernels."""


class Articulations:
    """Inertia and velocities of all joints of a model, shared by the rows of its actuators."""

    def __init__(self, model: Any, loose: bool = False):
        """Make room for the joints of a model.

        Args:
            model: What `ModelBuilder.finalize` made.
            loose: Whether the solver moves bodies and pulls them back into their joints afterwards, as XPBD does:
                within a step a torque then meets the two bodies of its joint alone.
        """
        self.model, self.loose = model, loose
        starts = model.joint_qd_start.numpy()
        first = starts[model.articulation_start.numpy()[: model.articulation_count]]
        last = starts[model.articulation_end.numpy()[: model.articulation_count]]
        links, dofs = model.max_joints_per_articulation, model.max_dofs_per_articulation
        block = (model.articulation_count, dofs, dofs)
        self.first, self.count = self._made(first, wp.int32), self._made(last - first, wp.int32)
        self.inertia, self._factor = self._room(block), self._room(block)
        self._jacobian = self._room((block[0], 6 * links, dofs))
        self._subspaces = self._room(model.joint_dof_count, wp.spatial_vector)
        self._links = self._room(model.body_count, wp.spatial_matrix)
        self._poses = model.state()
        self.rows = {name: self._room(model.joint_dof_count) for name in ROWS}
        self.position, self.end = self._room(model.joint_coord_count), self._room(model.joint_coord_count)
        self._served: set[int] = set()
        self._last_dt: float | None = None
        self._recorded: dict[Any, Any] = {}

    def refresh(self, row: int, state: Any, dt: float) -> None:
        """Joints, inertia and other torques at the beginning of a step; the first row that steps does it for all."""
        if self._served and row not in self._served:
            self._served.add(row)
            return
        wp.copy(self.position, state.joint_q)
        wp.copy(self.rows["velocity"], state.joint_qd)
        if not self.loose:
            self._find_inertia()
        elif not self._served:
            self.inertia.assign(loose_inertia(self.model, self.inertia.shape))
        self._served = {row}
        first = self._last_dt is None
        seen = [self.first, self.count, self.inertia, *self._named("velocity", "before", "applied")]
        self._launch(observe, [*seen, dt if first else self._last_dt, 0.0 if first else SHARE], self._named("other"))
        wp.copy(self.rows["before"], self.rows["velocity"])
        self._last_dt = dt

    def _find_inertia(self) -> None:
        model, poses = self.model, self._poses
        poses.joint_q, poses.joint_qd = self.position, self.rows["velocity"]
        newton.eval_fk(model, poses.joint_q, poses.joint_qd, poses)
        newton.eval_jacobian(model, poses, J=self._jacobian, joint_S_s=self._subspaces)
        newton.eval_mass_matrix(model, poses, H=self.inertia, J=self._jacobian, body_I_s=self._links)
        given = [self.first, self.count, model.joint_armature]
        self._launch(add_to_diagonal, given, [self.inertia], self.inertia.shape[:2])

    def begin(self) -> None:
        """Take the present velocities for those after the step."""
        self._launch(begin_guess, self._named("velocity"), self._named("guess", *BRACKET), len(self.rows["guess"]))

    def place(self, coords: Any, dofs: Any, dt: float) -> None:
        """Write the positions that a row's joints would have after the step into `end`."""
        self._launch(place_joints, [self.position, *self._named("guess"), coords, dofs, dt], [self.end], len(dofs))

    def advance(self, slopes: dict[str, Any], dofs: Any, dt: float) -> None:
        """A better guess of the velocities after the step, from a row's torques and slopes at the last guess."""
        line = [slopes["torque"], slopes["torque_slope"], slopes["torque_stiffness"]]
        self._launch(note_lines, [*line, *self._named("guess"), dofs, dt], self._named(*LINES), len(dofs))
        given = [self.first, self.count, self.inertia, *self._named("velocity", "other", *LINES), dt]
        self._launch(advance_guess, given, [self._factor, *self._named("step", "guess", *BRACKET)])

    def hand(self, dofs: Any, efforts: Any, forces: Any) -> None:
        """Add a row's torques at the end of the step to the host's forces."""
        taken = self._named("guess", "torque", "slope", "base", "low_torque", "high_torque")
        self._launch(hand_over, [*taken, dofs, efforts], [forces, *self._named("applied", "mine")], len(dofs))

    def _named(self, *names: str) -> list[Any]:
        return [self.rows[name] for name in names]

    def _launch(self, kernel: Any, inputs: list[Any], outputs: list[Any], dim: Any = None) -> None:
        """Launch a kernel, over the articulations if nothing else is said; what was launched before is kept ready."""
        arguments = (*inputs, *outputs)
        key = (kernel.key, *(x.ptr if isinstance(x, wp.array) else x for x in arguments))
        if key not in self._recorded:
            if len(self._recorded) > 256:
                self._recorded.clear()
            given: Any = {"inputs": inputs, "outputs": outputs, "device": self.model.device}
            dim = self.model.articulation_count if dim is None else dim
            made = wp.launch(kernel, dim=dim, record_cmd=True, **given)
            # the arrays stay while their addresses are kept
            self._recorded[key] = (made, arguments)
        self._recorded[key][0].launch()

    def _room(self, shape: Any, kind: Any = wp.float32) -> wp.array:
        return wp.zeros(shape, dtype=kind, device=self.model.device)

    def _made(self, values: Any, kind: Any) -> wp.array:
        return wp.array(values, dtype=kind, device=self.model.device)
