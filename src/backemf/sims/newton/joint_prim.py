"""The numbers of a joint's own prim: inertia, friction and damping, and what no actuator holds.

Newton reads these attributes whether `NewtonJointAPI` is applied or not. They are in degrees where they are per angle.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...actuator import Actuator
from ..loss import APPROXIMATED, DROPPED, UNKNOWN, Loss
from ..types import Fields
from ..usd import applied_schemas
from ..usd_types import Prim
from .attributes import number

DEGREE = math.pi / 180.0
JOINT = "NewtonJointAPI"
DRIVE = "PhysicsDriveAPI:"
DIGITS = 6
"""Digits of a number that USD's 32 bits surely hold."""
SAME = 1e-5
"""Share of a motor's armature within which the joint's is that of the motor, as USD's 32 bits hold it [1]."""


def joint_numbers(prim: Prim, path: str) -> tuple[Fields, list[Loss]]:
    """Armature [kg·m²], dry friction [N·m] and damping [N·m·s/rad] of a joint, and what of the joint is lost."""
    if not prim:
        note = f"The stage has no prim {path}: armature, friction and damping of the joint are in another file."
        return {}, [Loss("rotor inertia", UNKNOWN, note)]
    turns = str(prim.GetTypeName()) != "PhysicsPrismaticJoint"
    numbers = {
        "armature": number(prim, "armature"),
        "coulomb": number(prim, "friction"),
        "viscous": number(prim, "damping", scale=1.0 / DEGREE if turns else 1.0),
    }
    return numbers, list(_losses(prim, path, turns))


def _losses(prim: Prim, path: str, turns: bool) -> Iterator[Loss]:
    speed = number(prim, "velocityLimit", None)
    if speed is not None:
        shown = f"{speed * DEGREE:.4g} rad/s" if turns else f"{speed:.4g} m/s"
        note = f"{path}: newton:velocityLimit, {shown}, is held by Newton's solver, not by a motor."
        yield Loss("speed limit", DROPPED, note)
    for name in applied_schemas(prim):
        if name.startswith(DRIVE):
            yield Loss(
                "drive of the joint",
                DROPPED,
                f"{path}: {name} acts in addition to this actuator, on the same targets: remove it from the joint, "
                "or it counts twice.",
            )


def without_rotor(numbers: Fields, actuator: Actuator, path: str) -> tuple[Fields, list[Loss]]:
    """The joint's numbers less the armature of its motor, which is in the actuator already."""
    motor = actuator.motor
    if motor is None or motor.rotor is None or "armature" not in numbers:
        return numbers, []
    whole, own = numbers["armature"], float(motor.armature)
    more = whole - own
    if more > SAME * own:
        # as many digits as the sum has in a file
        return numbers | {"armature": round(more, DIGITS - 1 - math.floor(math.log10(whole)))}, []
    losses = []
    if more < -SAME * own:
        note = (
            f"{path}: newton:armature = {whole:g} kg·m² is less than the {own:.6g} kg·m² of the motor, which is taken."
        )
        losses = [Loss("rotor inertia", APPROXIMATED, note)]
    return numbers | {"armature": 0.0}, losses
