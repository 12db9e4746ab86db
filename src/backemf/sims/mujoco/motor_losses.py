"""What an actuator of ours does not hold of a dcmotor: MuJoCo's own ways of stepping, and fields without a place."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ..loss import APPROXIMATED, DROPPED, KEPT, Loss
from .general_reading import LISTENS
from .motor import DcMotor
from .versions import in_volts


def motor_rows(m: DcMotor) -> Iterator[Loss]:
    """A row for everything of a dcmotor that is not the same in our actuator."""
    yield from command_rows(m)
    yield from integral_rows(m)
    yield from winding_rows(m)
    yield from limit_rows(m)
    yield from friction_rows(m)


def damps_effort(m: DcMotor) -> bool:
    """Whether it takes an effort alone and damps beside it, for which a controller here follows a velocity."""
    return m.inputs == ("ff",) and m.kd != 0.0


def command_rows(m: DcMotor) -> Iterator[Loss]:
    """Targets, their ranges and their slew."""
    if m.gear != 1.0 and m.inputs != ("voltage",):
        note = f"targets are the joint's: ctrl is {m.gear:g} times a position or velocity, an effort over {m.gear:g}"
        yield Loss("command", KEPT, note)
    if damps_effort(m):
        yield LISTENS
    ends = [*(m.lowest_ctrl or ()), *(m.highest_ctrl or ())]
    beside = [end for index, end in enumerate(ends) if index % max(len(m.inputs), 1) or damps_effort(m)]
    if np.isfinite(beside).any():
        yield Loss("command range", DROPPED, "ctrlrange bounds every input in MuJoCo; here it bounds the main one")
    if m.slew > 0.0 and damps_effort(m):
        yield Loss("slew", DROPPED, "a slew limit of the effort, which is not the main input here")
    elif m.slew > 0.0:
        note = "MuJoCo's slew limit starts at 0, wherever the joint is and whatever is commanded first"
        yield Loss("slew", APPROXIMATED, note)


def integral_rows(m: DcMotor) -> Iterator[Loss]:
    """The integral and its bound."""
    if not m.ki > 0.0 or m.inputs in ((), ("voltage",), ("position",)):
        return
    if not in_volts(m.version):
        if "pos" not in m.inputs:
            note = f"MuJoCo integrates {m.inputs[0]} less the joint's angle, which no controller here does"
            yield Loss("integral", DROPPED, note)
        return
    note = "MuJoCo's moving target starts at 0, wherever the joint is; ours starts where the joint is"
    yield Loss("start of the integral", APPROXIMATED, note)
    if m.integral_limit > 0.0:
        note = (
            f"MuJoCo keeps the moving target within {m.integral_limit / abs(m.gear):g} rad of 0; "
            "VelocityPi.integral_limit is how far it may be ahead of the joint, and is left out"
        )
        yield Loss("integral limit", DROPPED, note)


def winding_rows(m: DcMotor) -> Iterator[Loss]:
    """Current and heat."""
    if m.time_constant > 0.0:
        if m.thermal_resistance > 0.0:
            note = "MuJoCo's electrical time constant stays that of the cold winding; ours falls as the winding warms"
            yield Loss("inductance", APPROXIMATED, note)
        if m.current_rate > 0.0:
            note = "the rate that MuJoCo comes to over the model's timestep; it clips the slope at the start of a step"
            yield Loss("current-rate limit", APPROXIMATED, note)
    if m.thermal_resistance > 0.0:
        yield Loss("winding heat", APPROXIMATED, "MuJoCo's temperature is an Euler step, ours is exact")
    stateless = in_volts(m.version) and m.inputs == ("voltage",) and m.time_constant == 0.0
    if stateless and m.voltage_limit > 0.0 and m.thermal_resistance > 0.0:
        note = "without an inductance MuJoCo limits the voltage that heats and not the one that drives"
        yield Loss("voltage limit", DROPPED, note)


def limit_rows(m: DcMotor) -> Iterator[Loss]:
    """The force range."""
    if not np.isfinite([m.lowest_force, m.highest_force]).any():
        return
    stateful = m.time_constant > 0.0 or m.thermal_resistance > 0.0
    if stateful or m.voltage_limit > 0.0:
        note = "MuJoCo limits the torque; ours limits the current, with its heat, as far as the voltage can"
        yield Loss("current limit", APPROXIMATED, note)


def friction_rows(m: DcMotor) -> Iterator[Loss]:
    """Bristles."""
    if not m.bristle_stiffness > 0.0:
        return
    if m.stribeck_velocity <= 0.0 and m.stiction != m.coulomb:
        note = "without a Stribeck velocity MuJoCo has stiction at speed 0 alone; here the friction slides there too"
        yield Loss("stiction", APPROXIMATED, note)
    note = "MuJoCo acts with the bristles of the start of a step, ours with their mean over it"
    yield Loss("bristle friction", APPROXIMATED, note)


def joint_range_row(m: DcMotor) -> Loss | None:
    """What the joint's actuatorfrcrange does that a limit of the motor's current does not."""
    beyond = m.cogging_amplitude != 0.0 or m.bristle_stiffness > 0.0
    if not beyond and m.time_constant == 0.0 and m.thermal_resistance == 0.0:
        return None
    note = "actuatorfrcrange bounds the motor's current here; in MuJoCo its torque, cogging and bristles included"
    return Loss("joint effort range", APPROXIMATED, note)
