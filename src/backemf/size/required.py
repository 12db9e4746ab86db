"""The torque that a load takes along a motion: the laws of the loads, asked the other way round.

A load answers a joint with a torque and has an inertia: moving the joint along takes J·q'' less that torque.
"""

from __future__ import annotations

import numpy as np

from ..errors import ParameterError
from ..loads import Load, LockedRotor, PrescribedMotion, TwoMass
from ..physics.load import follow, react
from .motion import Cells

INSTANT = 1e-12
"""Step at which a load answers as at an instant [s]."""
ROUNDS = 50
"""Repeats after which a load with a memory has to repeat itself [1]."""
SUBSTEPS = 20
"""Steps of a load with a memory in each cell [1]."""


def required_torque(load: Load, cells: Cells) -> np.ndarray:
    """Torque that the gears have to give to the load in each cell [N·m]."""
    if isinstance(load, PrescribedMotion):
        raise ParameterError(
            "load = PrescribedMotion(...): that is a motion; give it as the motion, and here what it takes to move"
        )
    if isinstance(load, LockedRotor):
        raise ParameterError(
            "load = LockedRotor(): a joint that is held needs a torque; give the motion a column of torque"
        )
    if isinstance(load, TwoMass):
        return _settled(load, cells)
    found = react(load, (), cells.position, cells.velocity, INSTANT)
    return np.asarray(found.inertia * cells.acceleration - found.torque, dtype=float) + np.zeros_like(cells.dt)


def _settled(load: TwoMass, cells: Cells) -> np.ndarray:
    """The torque of a load with a memory, once it repeats itself from round to round."""
    memory: tuple[float, ...] = (float(cells.position[0]), float(cells.velocity[0]))
    before: np.ndarray | None = None
    for _ in range(ROUNDS):
        torques = np.empty(len(cells.dt))
        shift = memory[0] - float(cells.position[0])
        for k, dt in enumerate(cells.dt):
            step, total = float(dt) / SUBSTEPS, 0.0
            for n in range(SUBSTEPS):
                t = (n + 0.5) * step - 0.5 * float(dt)
                q = float(cells.position[k] + t * cells.velocity[k])
                answer = react(load, memory, q, float(cells.velocity[k]), step)
                memory = tuple(float(x) for x in follow(load, memory, float(answer.torque), step))
                total += float(answer.torque) / SUBSTEPS
            torques[k] = float(load.inertia) * cells.acceleration[k] - total
        if before is not None and np.abs(torques - before).max() < 1e-3 * max(np.abs(torques).max(), 1e-12):
            return torques
        before = torques
        if abs(shift) > 1e6:
            break
    raise ParameterError(
        f"load = {type(load).__name__}: its far mass does not repeat itself after {ROUNDS} rounds of the motion; "
        "give its spring more damping"
    )
