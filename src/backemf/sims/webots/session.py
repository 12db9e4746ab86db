"""Which simulation the devices of the module `controller` belong to."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from ...errors import SimulationError

if TYPE_CHECKING:
    from .simulation import Simulation

_running: list[Simulation] = []


def current(who: str) -> Simulation:
    """The simulation that runs now."""
    if not _running:
        raise SimulationError(
            f"{who}: no simulation is running: run the script by `backemf webots run`, "
            "or within `with webots.simulate(...)`"
        )
    return _running[-1]


@contextmanager
def running(simulation: Simulation) -> Iterator[Simulation]:
    """Make a simulation the one that devices belong to."""
    _running.append(simulation)
    try:
        yield simulation
    finally:
        _running.remove(simulation)
