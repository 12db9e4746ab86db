"""No limit is exceeded: currents, voltages and the bus of every step, by the limits as a reader understands them."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

import backemf as be
from backemf.actuator.duty_curve import full_share
from backemf.actuator.torque_limits import bounds as torque_bounds
from backemf.physics.limits import derated_current

from .cases import HELD, Case, Step, is_off
from .checks import Ratios, over

ROUNDING = 1e-9


def bound_checks(case: Case, step: Step) -> Ratios:
    """The limits of one step; with substeps only those that hold in each of them."""
    if case.motor is None:
        if case.way == HELD:
            yield from joint_torque(case, step)
        return
    yield from voltages(case, step)
    if case.actuator.substeps == 1:
        yield from currents(case, step)
        yield from battery(case, step)


def voltages(case: Case, step: Step) -> Ratios:
    """The terminals get no more than the voltage limit, and no more than the bridge passes on of the bus."""
    volts = np.abs(step.out.voltage)
    if case.actuator.voltage_limit is not None:
        yield "voltage limit", over(volts, voltage_limit(case, step) * (1.0 + ROUNDING))
    if case.actuator.supply is not None:
        yield "voltage within the bus", over(volts, duty_limit(case, step) * step.out.bus_voltage * (1.0 + ROUNDING))
    else:
        # what feeds the terminals is what they have
        yield "no bus beside the terminals", over(np.abs(step.out.bus_voltage - step.out.voltage), ROUNDING * volts)


def duty_limit(case: Case, step: Step) -> Any:
    """Largest share of the bus at the terminals: that of the bridge and its curve, and of a servo's PWM limit [1].

    The diodes of a bridge that is off conduct to the whole bus.
    """
    servo, supply = case.actuator.controller, case.actuator.supply
    share = supply.modulation_limit
    share = np.minimum(share, servo.pwm_limit) if isinstance(servo, be.DutyServo) else share
    return np.where(is_off(step.command), 1.0, full_share(share, supply.curve))


def voltage_limit(case: Case, step: Step) -> Any:
    """Largest voltage of the drive, which a bridge that is off does not have [V]."""
    return np.where(is_off(step.command), np.inf, case.actuator.voltage_limit)


def battery(case: Case, step: Step) -> Ratios:
    """The bus sags by the battery's resistance times its current, and rises only where energy goes back."""
    supply, out = case.actuator.supply, step.out
    if supply is None:
        return
    yield "bus above zero", np.where(np.asarray(out.bus_voltage) > 0.0, 0.0, np.inf)
    if not supply.regeneration or supply.resistance is None:
        yield "bus within the battery", over(out.bus_voltage, supply.voltage * (1.0 + ROUNDING))
        yield "no current back", over(np.maximum(-out.bus_current, 0.0), np.inf if supply.regeneration else 0.0)
    if supply.resistance is not None:
        sag = supply.voltage - supply.resistance * out.bus_current
        missing = np.abs(out.bus_voltage - sag)
        size = np.abs(supply.voltage) + supply.resistance * np.abs(out.bus_current)
        # a bus that collapses keeps a thousandth of its voltage, and a battery gives a quarter of V²/R at most
        collapsed = out.bus_voltage <= 0.5 * supply.voltage * (1.0 + 1e-5)
        yield "battery law", np.where(collapsed, 0.0, over(missing, 1e-4 * size))


def highest_current(case: Case, step: Step) -> Any:
    """The motor's own limit at the winding temperature of the start, and the firmware's [A]; inf: none."""
    actuator, motor = case.actuator, case.motor
    highest: Any = np.inf
    if motor.limits is not None and motor.limits.rated_current is not None:
        limits, highest = motor.limits, motor.limits.rated_current
        if limits.derates:
            degrees = motor.thermal.ambient + step.before.winding_rise
            start, end = limits.derating_start, limits.derating_end
            highest = derated_current(degrees, limits.rated_current, limits.low_current, start, end)
    firmware = getattr(actuator.controller, "current_limit", None)
    highest = highest if firmware is None else np.minimum(highest, firmware)
    # a bridge that is off conducts nothing but what its diodes do
    return np.where(is_off(step.command), 0.0, highest)


def exhausted(case: Case, step: Step, direction: Any) -> Any:
    """Where the drive gives all the voltage it has against a current or a change in this direction."""
    actuator, out = case.actuator, step.out
    reach: Any = np.inf
    if actuator.supply is not None:
        reach = duty_limit(case, step) * out.bus_voltage
    if actuator.voltage_limit is not None:
        reach = np.minimum(reach, voltage_limit(case, step))
    return -direction * out.voltage >= reach * (1.0 - 1e-6)


def currents(case: Case, step: Step) -> Ratios:
    """The current stays within every limit, unless all of the voltage against it does not stop it."""
    actuator, out = case.actuator, step.out
    highest = highest_current(case, step)
    rounding = ROUNDING * current_size(case, step)
    excess = np.maximum(np.abs(out.current) - highest, 0.0)
    powerless = exhausted(case, step, np.sign(out.current))
    yield "current limit", np.where(powerless, 0.0, over(excess, rounding))
    motor = case.motor
    if motor.limits is not None and motor.limits.current_rate is not None:
        change = step.after.current - step.before.current
        excess = np.maximum(np.abs(change) - motor.limits.current_rate * case.dt, 0.0)
        # a limit of the current itself comes before that of its rate
        free = (
            (np.abs(step.before.current) <= highest) & ~exhausted(case, step, np.sign(change)) & (not actuator.limits)
        )
        yield "current rate", np.where(free, over(excess, rounding), 0.0)
    if actuator.limits:
        yield from joint_limits(case, step, highest, rounding)


def current_size(case: Case, step: Step) -> Any:
    """What the rounding of a current scales with: the current that all voltages would drive [A]."""
    motor, out = case.motor, step.out
    size = (np.abs(out.voltage) + np.abs(out.back_emf)) / motor.winding.resistance + np.abs(out.current)
    if step.before.current is not None:
        size = size + np.abs(step.before.current)
    if motor.winding.inductance is not None:
        # the voltage for a change of the current is found through the time constants of the step
        size = size * (1.0 + 1e-3 * motor.winding.inductance / (motor.winding.resistance * case.dt))
    return size


def joint_limits(case: Case, step: Step, highest: Any, rounding: Any) -> Ratios:
    """Each torque limit of the joint bounds the current by the nominal Kt, at any speed that the step passes.

    Speed is continuous, so a joint that is stopped or turned round passes all speeds down to rest, where some limits
    jump. Every limit is widest beside rest or at one of the ends: none rises and falls again on the way.
    """
    motor = case.motor
    begin = step.velocity if step.before.rotor_speed is None else step.before.rotor_speed / motor.ratio
    end = step.out.rotor_speed / motor.ratio
    speeds = [step.velocity, step.end_velocity, begin, end]
    speeds += [np.where(begin * end <= 0.0, 1e-300 * np.sign(side), side) for side in (begin, end)]
    low, high = widest_sensible(case.actuator.limits, step.position, speeds)
    per_torque = 1.0 / (motor.magnet.torque_constant * motor.ratio)
    first, second = low * per_torque, high * per_torque
    lowest, top = np.minimum(first, second), np.maximum(first, second)
    # a limit that asks to brake asks for no more than the motor's own limit allows
    lowest, top = np.minimum(lowest, highest), np.maximum(top, -highest)
    above, below = np.maximum(step.out.current - top, 0.0), np.maximum(lowest - step.out.current, 0.0)
    above = np.where(exhausted(case, step, 1.0), 0.0, above)
    below = np.where(exhausted(case, step, -1.0), 0.0, below)
    yield "torque limit", over(np.maximum(above, below), rounding)


def widest_sensible(limits: Any, angle: Any, speeds: list) -> tuple[Any, Any]:
    """Lowest and highest torque that all limits allow, each at one of the speeds [N·m]; 0 too where they contradict."""
    lowest, highest = np.inf, -np.inf
    for pairs in product(*([torque_bounds(limit, angle, speed) for speed in speeds] for limit in limits)):
        low = np.maximum.reduce(np.broadcast_arrays(*(pair[0] for pair in pairs)))
        high = np.minimum.reduce(np.broadcast_arrays(*(pair[1] for pair in pairs)))
        least, most = np.minimum(low, high), np.maximum(low, high)
        lowest = np.minimum(lowest, np.where(low > high, np.minimum(least, 0.0), low))
        highest = np.maximum(highest, np.where(low > high, np.maximum(most, 0.0), high))
    return lowest, highest


def joint_torque(case: Case, step: Step) -> Ratios:
    """A joint without a motor gives no more than its limits allow, friction and spring aside."""
    actuator = case.actuator
    if not actuator.limits or actuator.friction is not None or actuator.spring is not None or actuator.substeps > 1:
        return
    low, high = widest_sensible(actuator.limits, step.position, [step.velocity])
    excess = np.maximum(step.out.torque - high, low - step.out.torque)
    yield "torque limit", over(np.maximum(excess, 0.0), ROUNDING * (np.abs(low) + np.abs(high)))
