"""Parameters of a robot with many joints: what they share, what joints of one kind share, and what each has of its own.

Left and right, front and rear have the same drives, so that a number of the drive is one for a kind of joint, such as
all knees, and a small deviation for each of them. What comes from assembly, such as the zero of an encoder, is each
joint's own. What comes from the bus, such as the lag of commands, is one for all.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..actuator import Actuator
from ..errors import ParameterError
from ..motor import Magnet, Motor, Rotor, Winding
from ..motor.friction import LoadDependent
from ..values import Number
from .parameters import Parameter, Space

SIDES = tuple("left right front rear hind back l r fl fr rl rr lf rf lh rh hl hr".split(" "))  # noqa: SIM905
"""Words of a joint's name that say where it is, not what it is."""
COMMON = ("command.", "sensors.position.lag", "sensors.velocity.lag", "actuator.supply.")
"""Beginnings of numbers that all joints of a robot share."""
ALIKE = {"actuator.motor.rotor.inertia": 0.1, "load.inertia": 0.1, "actuator.controller.": 0.5}
"""How far joints of one kind differ, as a share of the prior's spread, by the beginning of a number [1]: rotors are of
one drawing, and gains differ by the torque constant."""
APART = 0.7
"""The same for all other numbers, such as friction, which assembly and wear make differ [1]."""


def kind_of(joint: str) -> str:
    """What a joint is, wherever it is: its name without the side, such as hip_pitch for left_hip_pitch."""
    words = re.split(r"[_\-. ]+", joint)
    kept = [word for word in words if word.lower() not in SIDES]
    return "_".join(kept) or joint


def joint_parameters(parameter: Parameter, joints: Sequence[str]) -> tuple[Parameter, ...]:
    """One parameter of a drive as those of a robot: for all joints, for each kind and joint, or for each joint.

    Kind or joint stand behind an @, as in friction.coulomb@hip and friction.coulomb@FL_hip. Together they have the
    spread that was given, so that no joint is freer than a single drive would be.
    """
    every = tuple(dict.fromkeys(joints))
    if len(every) < 2 or parameter.joint:
        return (parameter,)
    target = parameter.targets[0]
    if target.startswith(COMMON):
        return (parameter,)
    kinds = joints_of_kinds(every)
    if not parameter.positive:
        # a mirrored joint has the other sign: nothing is shared
        return tuple(_own(parameter, joint, parameter.spread) for joint in every)
    apart = next((share for name, share in ALIKE.items() if target.startswith(name)), APART)
    made: list[Parameter] = []
    for kind, members in kinds.items():
        if len(members) == 1:
            made.append(_own(parameter, members[0], parameter.spread))
            continue
        made.append(_own(parameter, kind, parameter.spread * math.sqrt(1.0 - apart * apart)))
        # the kind has set where the prior is, and the joint adds to it
        made += [replace(_own(parameter, joint, parameter.spread * apart), reference=None) for joint in members]
    return tuple(made)


def joint_space(space: Space, joints: Sequence[str]) -> Space:
    """The space with parameters of a kind of joint on all lanes of that kind; `joints` are those of the lanes."""
    mask, kinds = space.lanes.copy(), joints_of_kinds(tuple(dict.fromkeys(joints)))
    for row, each in zip(mask, space.parameters, strict=True):
        if each.joint:
            row[:] = [joint in (each.joint, *kinds.get(each.joint, ())) for joint in joints]
    return replace(space, lanes=mask)


def by_joint(space: Space, theta: np.ndarray, active: np.ndarray, joints: Sequence[str]) -> dict[str, dict[str, float]]:
    """Value of each moved number for each joint, by joint and by name in the bench."""
    values = space.values(theta, active)
    return {joint: dict(zip(space.names, values[:, lane].tolist(), strict=True)) for lane, joint in enumerate(joints)}


def drive_of_joint(actuator: Actuator, armature: Number, coulomb: Number = 0.0, viscous: Number = 0.0) -> Actuator:
    """An actuator of which only the mechanics are known, as a motor at the joint: one that sticks when it stands.

    Its controller has to ask for torque. The winding then gives whatever is asked for, and its own numbers cancel.

    Args:
        actuator: Controller, delay and limits.
        armature: Inertia of rotor and gears at the joint [kg·m²].
        coulomb: Dry friction at the joint; 0: nobody knows [N·m].
        viscous: Friction per speed at the joint [N·m·s/rad].
    """
    if actuator.controller.asks != "torque":
        raise ParameterError(
            f"Actuator.controller = {type(actuator.controller).__name__}: asks for no torque; "
            "give the motor's winding, or a controller such as IdealPd"
        )
    motor = Motor(
        winding=Winding(resistance=1.0),
        magnet=Magnet(torque_constant=1.0, back_emf_constant=1.0),
        rotor=Rotor(inertia=armature),
        friction=LoadDependent(coulomb=coulomb, viscous=viscous),
    )
    return replace(actuator, motor=motor, friction=None, meter=False)


def own_deviation(parameter: Parameter, joints: Sequence[str]) -> bool:
    """Whether a parameter is how far one joint is off its kind."""
    members = next((each for each in joints_of_kinds(joints).values() if parameter.joint in each), [])
    return parameter.positive and len(members) > 1


def joints_of_kinds(joints: Sequence[str]) -> dict[str, list[str]]:
    """Joints of each kind; one whose name is that of a kind is a kind of its own."""
    kinds: dict[str, list[str]] = {}
    for joint in joints:
        kind = kind_of(joint)
        kinds.setdefault(joint if kind in joints else kind, []).append(joint)
    return kinds


def _own(parameter: Parameter, joint: str, spread: float) -> Parameter:
    return replace(parameter, name=f"{parameter.name}@{joint}", joint=joint, spread=spread)
