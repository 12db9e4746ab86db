"""The rungs of the ladder: each adds a law, or lets one be found, by a few parameters."""

from __future__ import annotations

from .bench import Bench
from .log import Log
from .rig import Rig
from .rung import Rung
from .rungs_heat import current_parameters, current_rungs, is_driven_by_current
from .rungs_joint import rungs_of_joints
from .rungs_more import more_rungs
from .rungs_rig import parameters_of_rig
from .rungs_servo import base_parameters, richer_rungs
from .trials import Trials

__all__ = ["Rung", "make_rungs"]


def make_rungs(bench: Bench, trials: Trials, rig: Rig, logs: list[Log]) -> tuple[Rung, ...]:
    """The rungs that these logs and this prior allow, the simplest first; the bench is that of all lanes."""
    actuator, known = bench.actuator, tuple(parameters_of_rig(rig, bench, logs))
    if is_driven_by_current(trials):
        first = Rung("torque constant and heat", (*current_parameters(actuator, trials), *known), required=True)
        others = current_rungs(actuator, trials, rig)
    else:
        base = (*base_parameters(actuator, trials, rig), *known)
        name = "gains" if actuator.motor is None else "Coulomb and viscous friction"
        first, others = (
            Rung(name, base, required=True),
            (*richer_rungs(actuator, trials, rig), *more_rungs(actuator, trials)),
        )
    kept = [first, *(rung for rung in others if rung.parameters)]
    return rungs_of_joints(kept, trials, rig) if trials.robot is not None else tuple(kept)
