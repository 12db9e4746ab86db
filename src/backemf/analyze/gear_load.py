"""The torque at a gearbox output, without the part that accelerates the rotor."""

from __future__ import annotations

import numpy as np

from ..loads import LockedRotor, Pendulum, PrescribedMotion, pendulum_inertia
from ..run import Run


def gear_output_torque(run: Run) -> np.ndarray:
    """Torque at the gearbox output over time [N·m].

    `run["torque"]` also accelerates the rotor, whose inertia counts at the joint; that part never reaches the output.
    With backlash the rotor moves separately, and the gears carry all of `run["torque"]`.
    """
    own = np.asarray(0.0 if run.motor is None else run.motor.armature, dtype=float)
    return run["torque"] - own * _acceleration(run, own)


def _acceleration(run: Run, own: np.ndarray) -> np.ndarray:
    """Acceleration of the joint over time [rad/s²]."""
    load = run.load
    if isinstance(load, LockedRotor):
        return np.zeros_like(run["torque"])
    if isinstance(load, PrescribedMotion):
        few = len(run.time) < 2
        return np.zeros_like(run["velocity"]) if few else np.gradient(run["velocity"], run.time, axis=0)
    outside = pendulum_inertia(load) if isinstance(load, Pendulum) else load.inertia
    # from the torques, not from differences of the speed: it holds for thinned recordings too
    return (run["torque"] + run["load_torque"]) / (own + np.asarray(outside, dtype=float))
