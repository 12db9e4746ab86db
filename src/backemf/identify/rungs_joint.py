"""Rungs of a robot: what joints of one kind share comes first, then what each joint has of its own."""

from __future__ import annotations

from collections.abc import Sequence

from .joints import joint_parameters, own_deviation
from .parameters import Parameter
from .rig import Rig
from .rung import Rung
from .rungs_rig import has_spread
from .trials import Trials

BIAS = 0.02
"""How far the zero of a joint's encoder is off [rad]."""
FRICTION = ("motor.friction.coulomb", "motor.friction.viscous")
"""Numbers in which joints of one kind differ most."""
BY_KIND = ("motor.friction.stribeck", "motor.friction.load")
"""Beginnings of numbers that joints of one kind share: no joint moves enough to tell its own."""
HIDDEN = ("motor.friction.stribeck.load", "motor.friction.quadratic")
"""Beginnings of numbers that nothing tells where all joints move at once."""


def rungs_of_joints(rungs: Sequence[Rung], trials: Trials, rig: Rig) -> tuple[Rung, ...]:
    """The rungs of one drive as those of a robot."""
    joints = tuple(dict.fromkeys(trials.joints))
    first, *others = rungs
    shared, own = _split(first, joints)
    friction = tuple(each for each in own if each.name.startswith(FRICTION))
    found = [
        Rung(first.name, shared, required=True),
        Rung("friction of each joint", friction),
        Rung("gain and inertia of each joint", tuple(each for each in own if each not in friction)),
    ]
    if not has_spread(rig, "sensors.position.bias"):
        bias = Parameter("sensors.position.bias", ("sensors.position.bias",), BIAS, positive=False, unit="rad")
        found.append(Rung("zero of each encoder", joint_parameters(bias, joints)))
    for rung in others:
        if rung.parameters[0].name.startswith(HIDDEN):
            continue
        shared, own = _split(rung, joints)
        found += [Rung(rung.name, shared, rung.law), Rung(f"{rung.name}, joint by joint", own)]
    return tuple(rung for rung in found if rung.parameters)


def _split(rung: Rung, joints: tuple[str, ...]) -> tuple[tuple[Parameter, ...], tuple[Parameter, ...]]:
    """Parameters of kinds and of single joints, and deviations of joints from their kind."""
    every = [made for each in rung.parameters for made in joint_parameters(each, joints)]
    own = [each for each in every if own_deviation(each, joints)]
    return (
        tuple(each for each in every if each not in own),
        tuple(each for each in own if not each.name.startswith(BY_KIND)),
    )
