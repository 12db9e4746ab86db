"""Whether a motion can follow itself: without a jump of the speed over a rest, nor of the position under a load."""

from __future__ import annotations

import numpy as np

from ..errors import ParameterError
from ..loads import Load
from .motion import Cells
from .required import required_torque

JUMP = 0.05
"""Speed at the ends of a motion, over its peak, that counts as rest; and change of a torque that counts as none [1]."""


def require_repeatable(place: str, cells: Cells, load: Load | None, torque: np.ndarray, rest: float) -> None:
    """Check that a motion may begin where it ends; raise `ParameterError` with one sentence if not."""
    first = float(cells.velocity[0] - 0.5 * cells.dt[0] * cells.acceleration[0])
    last = float(cells.velocity[-1] + 0.5 * cells.dt[-1] * cells.acceleration[-1])
    most = float(np.abs(cells.velocity).max())
    for speed, word in ((first, "begins"), (last, "ends")):
        if rest > 0.0 and abs(speed) > JUMP * most:
            raise ParameterError(
                f"{place}its motion {word} at {speed:.3g} rad/s, and there is a rest of {rest:g} s between motions: "
                "let it begin and end at rest, or leave rest out"
            )
    way = float(np.sum(cells.velocity * cells.dt))
    if load is None or load.remembers or abs(way) < JUMP * float(np.ptp(cells.position)):
        return
    # the next motion begins where this one ends
    moved = required_torque(
        load, Cells(cells.dt, cells.position + way, cells.velocity, cells.acceleration, cells.smooth)
    )
    if float(np.abs(moved - torque).max()) > JUMP * max(float(np.abs(torque).max()), 1e-300):
        raise ParameterError(
            f"{place}its motion ends {abs(way):.3g} rad from where it begins, and there {type(load).__name__} takes "
            "another torque: let it return, or give the whole way as one motion"
        )
