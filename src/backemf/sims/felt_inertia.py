"""The inertia that a torque meets at a joint of a MuJoCo model."""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType

import numpy as np

from .mujoco_types import MjModel


def felt_inertia(mujoco: ModuleType, model: MjModel, dofs: Sequence[int] | np.ndarray) -> np.ndarray:
    """Inertia that a torque at each place of qvel finds at qpos0 with all other joints free, 1/(M⁻¹)jj [kg·m²].

    A torque moves the other joints too, so that this is at most the diagonal of M. Where the step is unstable on it, so
    is that of the whole robot: of the loops' stiffness K, the largest eigenvalue of M⁻¹·K is at least (M⁻¹)jj·Kjj.
    """
    data = mujoco.MjData(model)
    mujoco.mj_fwdPosition(model, data)
    places = np.asarray(dofs, dtype=int)
    units, columns = np.zeros((len(places), model.nv)), np.zeros((len(places), model.nv))
    units[np.arange(len(places)), places] = 1.0
    mujoco.mj_solveM(model, data, columns, units)
    return 1.0 / columns[np.arange(len(places)), places]
