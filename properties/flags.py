"""Every limit that shapes the answer is flagged, and no flag is set by a limit that does nothing.

The same step is taken again without a limit. Where the answer changes, its flag must have been set. A flag that is set
must belong to a limit that changes the answer, at least while no other limit is there, or that lacks the voltage to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import backemf as be
from backemf.actuator import chain
from backemf.physics import state as bits
from backemf.physics.step import has_backlash
from backemf.tree import map_numbers

from .bounds import current_size, exhausted
from .cases import HELD, Case, Step, kept_states, steps_of
from .checks import Ratios

Change = Callable[[Any], Any]


def without_voltage(actuator: Any) -> Any:
    return replace(actuator, supply=None, voltage_limit=None)


def without_current(actuator: Any) -> Any:
    limits = actuator.motor.limits
    rate = None if limits is None else limits.current_rate
    kept = None if rate is None else be.Limits(current_rate=rate)
    controller = actuator.controller
    if getattr(controller, "current_limit", None) is not None:
        controller = replace(controller, current_limit=None)
    return replace(actuator, motor=replace(actuator.motor, limits=kept), controller=controller)


def without_rate(actuator: Any) -> Any:
    return replace(actuator, motor=replace(actuator.motor, limits=replace(actuator.motor.limits, current_rate=None)))


def without_derating(actuator: Any) -> Any:
    limits = actuator.motor.limits
    cool = be.Limits(peak_current=limits.rated_current, current_rate=limits.current_rate)
    return replace(actuator, motor=replace(actuator.motor, limits=cool))


REMOVED: dict[int, tuple[str, Change]] = {
    bits.VOLTAGE: ("voltage", without_voltage),
    bits.CURRENT: ("current", without_current),
    bits.RATE: ("current rate", without_rate),
    bits.DERATING: ("derating", without_derating),
    bits.TORQUE: ("torque", lambda actuator: replace(actuator, limits=())),
    bits.COMMAND: ("command range", lambda actuator: replace(actuator, command_range=None)),
    bits.SLEW: ("slew", lambda actuator: replace(actuator, slew=None)),
}


def present_limits(actuator: Any) -> list[int]:
    """The limits of an actuator that can be taken away, each by its bit."""
    found = [bits.TORQUE] if actuator.limits else []
    found += [bits.COMMAND] if actuator.command_range is not None else []
    found += [bits.SLEW] if actuator.slew is not None else []
    motor, supply = actuator.motor, actuator.supply
    if motor is None:
        return found
    if all_removable(actuator) and (supply is not None or actuator.voltage_limit is not None):
        found.append(bits.VOLTAGE)
    limits = motor.limits
    if limits is not None and limits.current_rate is not None:
        found.append(bits.RATE)
    if (limits is not None and limits.rated_current is not None) or getattr(
        actuator.controller, "current_limit", None
    ) is not None:
        found.append(bits.CURRENT)
    if limits is not None and limits.derates:
        found.append(bits.DERATING)
    return found


def flag_checks(case: Case, step: Step) -> Ratios:
    """The flags of the first step of a host."""
    if not can_be_asked(case, step):
        return
    present = present_limits(case.actuator)
    flags = np.broadcast_to(step.out.limit, case.shape)
    drives = [bit for bit in present if bit not in (bits.COMMAND, bits.SLEW)]
    unlimited = again(case, without(case.actuator, drives)) if drives else step.out
    for bit in present:
        name, remove = REMOVED[bit]
        other = again(case, remove(case.actuator))
        changes, at_all = differs(case, step, step.out, other), differs(case, step, step.out, other, 0.0)
        yield f"{name} flag is set", np.where(changes & (flags & bit == 0), np.inf, 0.0)
        # derating is a current limit that is lower; range and slew say what they did to the command, whatever follows
        if bit not in drives or bit == bits.DERATING or not all_removable(case.actuator):
            continue
        kept = (bit, bits.DERATING) if bit == bits.CURRENT else (bit,)
        alone = without(case.actuator, [one for one in drives if one not in kept])
        idle = ~at_all & ~differs(case, step, again(case, alone), unlimited, 0.0) & ~out_of_volts(case, step)
        yield f"{name} flag has a cause", np.where(idle & (flags & bit > 0), np.inf, 0.0)


def can_be_asked(case: Case, step: Step) -> bool:
    """Whether a step answers by itself: not the motors of one battery, nor a rotor that moves on within the step."""
    actuator = case.actuator
    if case.way != HELD or step.index > 0 or actuator.delay is not None or actuator.substeps > 1:
        return False
    shared = actuator.supply is not None and actuator.supply.shared and actuator.supply.resistance is not None
    return not shared and (actuator.motor is None or not has_backlash(actuator.motor))


def without(actuator: Any, limits: list[int]) -> Any:
    """The actuator without some of its limits; a derated limit loses its derating before it goes."""
    for bit in sorted(limits, reverse=True):
        actuator = REMOVED[bit][1](actuator)
    return actuator


def all_removable(actuator: Any) -> bool:
    """Whether every limit of the drive can be taken away: not the duty of a servo, nor a bus that sags or a curve."""
    supply = actuator.supply
    shapes = supply is not None and (supply.resistance is not None or supply.curve is not None)
    return not shapes and not isinstance(actuator.controller, be.DutyServo)


def out_of_volts(case: Case, step: Step) -> Any:
    """Where a limit asks for more voltage than there is, so that it acts and changes nothing."""
    if case.motor is None:
        return np.zeros(case.shape, dtype=bool)
    return exhausted(case, step, 1.0) | exhausted(case, step, -1.0)


def again(case: Case, actuator: Any) -> be.Output:
    """The first step of another actuator from the same start."""
    other = replace(case, actuator=actuator, state=kept_states(case.state, actuator), commands=case.commands[:1])
    return next(iter(steps_of(other))).out


def differs(case: Case, step: Step, one: be.Output, other: be.Output, rounding: float = 1e-9) -> Any:
    """Where two answers are not the same, to rounding or at all."""
    if case.motor is None:
        size = np.abs(one.torque_requested) + np.abs(one.torque)
        return np.broadcast_to(np.abs(one.torque - other.torque) > rounding * size, case.shape)
    volts = np.abs(one.voltage) + np.abs(one.back_emf)
    found = np.abs(one.voltage - other.voltage) > rounding * volts
    apart = np.abs(one.current - other.current) > rounding * current_size(case, step)
    return np.broadcast_to(found & apart, case.shape)


def invalid_checks(case: Case, step: Step, laws: Any = chain) -> Ratios:
    """A command that is not finite is flagged where it is, and changes nothing elsewhere."""
    if step.index > 0 or case.actuator.delay is not None:
        return
    bad = np.zeros(case.shape, dtype=bool)
    bad[..., ::7] = True

    def spoil(x: Any) -> Any:
        return np.where(bad, np.nan, x) if np.asarray(x).dtype.kind == "f" else x

    command = map_numbers(case.commands[0], spoil)
    spoiled = next(iter(steps_of(replace(case, commands=(command,)), laws)))
    flagged = np.broadcast_to(spoiled.out.limit, case.shape) & bits.INVALID > 0
    fine = np.isfinite(spoiled.out.torque) & (flagged == bad)
    shared = case.actuator.supply is not None and case.actuator.supply.shared
    if not shared:
        fine = fine & (bad | (spoiled.out.torque == step.out.torque))
    yield "invalid commands are flagged", np.where(fine, 0.0, np.inf)
