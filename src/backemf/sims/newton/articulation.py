"""The joints of a model as motors feel them: their inertia, what else accelerates them, and the velocity after a step.

Newton's solvers hold a torque over the step, so a motor that is too stiff for the step makes its link unstable.
Here the torque is found together with the velocity that it leads to, v1, for all joints of an articulation at once:

    H·(v1 - v0) = h·(torque(q0 + h·v1, v1) + other)

H is the inertia that the torque meets. `other` is all that is not a backemf motor: gravity, contacts, limits, loops
and forces of the user. No solver reports it, so it is what the last steps showed beyond our own torques.
"""

from __future__ import annotations

from typing import Any

import newton  # pyright: ignore[reportMissingImports]
import warp as wp  # pyright: ignore[reportMissingImports]

from ..types import Fields
from . import articulation_kernels as kernels
from .loose import loose_inertia
from .types import Model, SimState

ROUNDS = 8
"""How often the actuators are asked for their torque in a step [1]; a straight line needs two."""
SHARE = 0.3
"""Weight of the last step in the estimate of other torques [1]; a smaller one follows a contact later."""
ARMATURE_IS_IN = tuple(int(part) for part in newton.__version__.split(".")[:2]) >= (1, 8)
"""Whether Newton's mass matrix holds the armatures, as it does from 1.8 on."""


class Articulations:
    """Inertia and velocities of all joints of a model, shared by the rows of its actuators."""

    def __init__(self, model: Model, loose: bool = False):
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
        self._jacobian = self._zeros((block[0], 6 * links, dofs))
        self._subspaces = self._zeros(model.joint_dof_count, wp.spatial_vector)
        self._links = self._zeros(model.body_count, wp.spatial_matrix)
        self._poses = model.state()
        kind: Any = kernels.Joints
        self.arrays = kind()
        sizes = {"inertia": block, "factor": block, "position": model.joint_coord_count, "end": model.joint_coord_count}
        for name in set(kind.vars) - {"first", "count"}:
            setattr(self.arrays, name, self._zeros(sizes.get(name, model.joint_dof_count)))
        self.arrays.first = wp.array(first, dtype=wp.int32, device=model.device)
        self.arrays.count = wp.array(last - first, dtype=wp.int32, device=model.device)
        self._served: set[int] = set()
        self._last_dt: float | None = None
        self._recorded: dict[tuple[object, ...], tuple[wp.Launch, list[wp.array | float]]] = {}

    def refresh(self, row: int, state: SimState, dt: float) -> None:
        """Joints, inertia and other torques at the beginning of a step; the first row that steps does it for all."""
        if self._served and row not in self._served:
            self._served.add(row)
            return
        joints = self.arrays
        wp.copy(joints.position, state.joint_q)
        wp.copy(joints.velocity, state.joint_qd)
        if not self.loose:
            self._find_inertia()
        elif not self._served:
            joints.inertia.assign(loose_inertia(self.model, joints.inertia.shape))
        self._served = {row}
        first = self._last_dt is None
        self._launch(kernels.observe, [dt if first else self._last_dt, 0.0 if first else SHARE])
        wp.copy(joints.before, joints.velocity)
        self._last_dt = dt

    def _find_inertia(self) -> None:
        model, poses, inertia = self.model, self._poses, self.arrays.inertia
        poses.joint_q, poses.joint_qd = self.arrays.position, self.arrays.velocity
        newton.eval_fk(model, poses.joint_q, poses.joint_qd, poses)
        newton.eval_jacobian(model, poses, J=self._jacobian, joint_S_s=self._subspaces)
        newton.eval_mass_matrix(model, poses, H=inertia, J=self._jacobian, body_I_s=self._links)
        if not ARMATURE_IS_IN:
            self._launch(kernels.add_to_diagonal, [model.joint_armature], inertia.shape[:2])

    def begin(self) -> None:
        """Take the present velocities as the guess of those after the step."""
        self._launch(kernels.begin_guess, [], len(self.arrays.guess))

    def place(self, coords: wp.array, dofs: wp.array, dt: float) -> None:
        """Write the positions that a row's joints would have after the step into `end`."""
        self._launch(kernels.place_joints, [coords, dofs, dt], len(dofs))

    def advance(self, slopes: dict[str, wp.array], dofs: wp.array, dt: float) -> None:
        """Improve the guess of the velocities after the step, from a row's torques and slopes at the last guess."""
        line = [slopes["torque"], slopes["torque_slope"], slopes["torque_stiffness"]]
        self._launch(kernels.note_lines, [*line, dofs, dt], len(dofs))
        self._launch(kernels.advance_guess, [dt])

    def add_torques(self, dofs: wp.array, efforts: wp.array, forces: wp.array) -> None:
        """Add a row's torques at the end of the step to the host's forces."""
        self._launch(kernels.add_torques, [dofs, efforts, forces], len(dofs))

    def _launch(
        self, kernel: wp.Kernel, inputs: list[wp.array | float], dim: int | tuple[int, ...] | None = None
    ) -> None:
        """Launch a kernel on the joints, by default over the articulations; a launch is recorded and used again."""
        key = (kernel.key, *(getattr(x, "ptr", x) for x in inputs))
        if key not in self._recorded:
            if len(self._recorded) > 256:
                self._recorded.clear()
            dim = self.model.articulation_count if dim is None else dim
            given: Fields = {"inputs": [*inputs, self.arrays], "device": self.model.device, "record_cmd": True}
            # the arrays stay while their addresses are kept
            self._recorded[key] = (wp.launch(kernel, dim=dim, **given), inputs)
        self._recorded[key][0].launch()

    def _zeros(self, shape: int | tuple[int, ...], kind: type = wp.float32) -> wp.array:
        return wp.zeros(shape, dtype=kind, device=self.model.device)
