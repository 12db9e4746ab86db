"""Which of mjlab's simulations a model belongs to.

mjlab gives an actuator the model, but not the simulation that owns it. Only the simulation can give a field of the
model a copy per environment and record its CUDA graphs again. It is made after the spec that our actuators edit, so
each one that is made from then on is noted, without being kept alive.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

from functools import cache, wraps
from weakref import WeakSet

from ...errors import ParameterError
from .types import SimModel, Simulation

_noted: WeakSet[Simulation] = WeakSet()


@cache
def note_simulations() -> None:
    """Note each `mjlab.sim.Simulation` that is made from now on."""
    from mjlab.sim import Simulation as Made

    make = Made.__init__

    @wraps(make)
    def make_and_note(self: Simulation, *arguments: object, **options: object) -> None:
        make(self, *arguments, **options)
        _noted.add(self)

    Made.__init__ = make_and_note


def simulation_of(model: SimModel) -> Simulation:
    """mjlab's `Simulation` of the model that an actuator is initialized with."""
    found = next((each for each in _noted if each.model is model), None)
    if found is None:
        raise ParameterError(
            "MotorActuatorCfg.implicit: no mjlab.sim.Simulation has the model that the actuator was initialized with; "
            "pass sim.model to scene.initialize, or give implicit=False"
        )
    return found
