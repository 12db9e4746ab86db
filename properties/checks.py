"""What holds for every motor in every step: finite numbers, balanced powers, losses that only take.

Each check answers with a ratio for each motor of the batch, what is found over what is allowed: above 1 it is violated,
and what is not a number counts as violated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import numpy as np

import backemf as be
from backemf.loads import pendulum_inertia

from .cases import HELD, Case, Step

GIVEN = ("electrical", "cogging", "numerical")
TAKEN = (
    "copper", "magnetic", "conversion", "iron", "drag", "friction", "bristle", "gear", "rotor", "mechanical", "spring",
)  # fmt: skip
BALANCE = 1e-9
"""Largest power that may be missing in the balance, over the largest in it [1]."""
NOTHING = 1e-290
"""Keeps a ratio of two zeros at 0."""

Ratios = Iterator[tuple[str, Any]]
"""Names of checks and their ratios."""


def over(found: Any, allowed: Any) -> Any:
    """What is found over what is allowed [1]."""
    return found / (allowed + NOTHING)


def step_checks(case: Case, step: Step) -> Ratios:
    """All checks of one step that need nothing but the step."""
    yield from finite(case, step)
    if case.motor is None:
        return
    yield "power balance", over(np.abs(residual(step.out)), BALANCE * sizes(case, step))
    yield from losses(case, step)
    yield from heat(case, step)


def finite(case: Case, step: Step) -> Ratios:
    """Every state, every output, and the joint's speed."""
    good: Any = np.isfinite(step.end_velocity)
    for part in (step.after, step.out):
        for entry in fields(part):
            value = getattr(part, entry.name)
            if value is not None and not entry.name.endswith(("_line", "_history")):
                good = good & np.isfinite(value)
    yield "finite numbers", np.where(good, 0.0, np.inf)


def residual(out: be.Output) -> Any:
    """What is left over of the power balance [W]."""
    return sum(powers_of(out, GIVEN)) - sum(powers_of(out, TAKEN))


def powers_of(out: be.Output, names: tuple[str, ...]) -> list[Any]:
    """Those powers that there are [W]; a joint may have no spring."""
    return [power for name in names if (power := getattr(out, f"{name}_power")) is not None]


def sizes(case: Case, step: Step) -> Any:
    """Largest power of the step, or of the terms that its powers are differences of [W]."""
    terms = [np.abs(power) for power in powers_of(step.out, (*GIVEN, *TAKEN))]
    return np.maximum(np.maximum.reduce(np.broadcast_arrays(*terms)), stored_over_time(case, step))


def stored_over_time(case: Case, step: Step) -> Any:
    """Powers of which others are small differences: stored energies over the step, v·i of the steady current [W]."""
    motor, out = case.motor, step.out
    dt = case.dt / case.actuator.substeps
    size: Any = momentum_power(case, step)
    if motor.winding.inductance is not None:
        steady = (np.abs(out.voltage) + np.abs(out.back_emf)) / motor.winding.resistance
        largest = np.maximum(np.maximum(np.abs(step.before.current), np.abs(step.after.current)), steady)
        size = size + motor.winding.inductance * largest**2 / dt
        size = size + (np.abs(out.voltage) + np.abs(out.back_emf)) * largest
    if step.after.bristle is not None:
        largest = np.maximum(np.abs(step.before.bristle), np.abs(step.after.bristle))
        size = size + 0.5 * motor.friction.stiffness * largest**2 / dt
    return size


def momentum_power(case: Case, step: Step) -> Any:
    """J·w²/dt of all that turns; friction is what is missing of the momentum and has its rounding [W]."""
    motor = case.motor
    fast = np.maximum(np.abs(step.velocity), np.abs(step.end_velocity))
    rotor = np.maximum(np.abs(motor.ratio) * fast, np.abs(step.out.rotor_speed))
    if step.before.rotor_speed is not None:
        rotor = np.maximum(rotor, np.maximum(np.abs(step.before.rotor_speed), np.abs(step.after.rotor_speed)))
    dt = case.dt / case.actuator.substeps
    # what is asked beyond all limits is subtracted again: a few parts in 1e15 of it remain
    asked = 1e-6 * np.abs(step.out.torque_requested / motor.ratio)
    pushed = (torque_size(case, step) + asked) * rotor
    return (motor.inertia * rotor**2 + load_inertia(case) * fast**2) / dt + pushed


def torque_size(case: Case, step: Step) -> Any:
    """Largest torque on the rotor, that of the load included [N·m]."""
    motor, out = case.motor, step.out
    pull = 0.0 if case.load_torque is None else np.abs(case.load_torque)
    with np.errstate(all="ignore"):
        loaded = np.where(np.abs(step.end_velocity) > 0.0, np.abs(step.load_power / step.end_velocity), 0.0)
    return np.abs(out.motor_torque) + (np.abs(out.torque) + pull + loaded) / np.abs(motor.ratio)


def load_inertia(case: Case) -> Any:
    """Inertia at the joint without the motor's own [kg·m²]; 0 where it is not known."""
    if case.way == HELD:
        return 0.0 if case.load_inertia is None else case.load_inertia
    if isinstance(case.load, be.Pendulum):
        return pendulum_inertia(case.load)
    return getattr(case.load, "inertia", 0.0)


def losses(case: Case, step: Step) -> Ratios:
    """Copper, iron, drag, friction, gears and the brake resistor only take energy."""
    # what is left of a rotor that stands still is rounding, too
    out, rounding = step.out, 1e-9 * sizes(case, step) + 1e-20
    for name in ("copper", "iron", "drag", "friction", "gear", "brake"):
        power = getattr(out, f"{name}_power")
        yield f"{name} gives no energy", over(np.maximum(-power, 0.0), rounding)


def heat(case: Case, step: Step) -> Ratios:
    """Nothing gets colder than its surroundings; one node gets no hotter than its heat can make it."""
    motor, before, after = case.motor, step.before, step.after
    for name in ("winding_rise", "housing_rise"):
        rise = getattr(after, name)
        if rise is not None:
            yield "never below ambient", over(np.maximum(-rise, 0.0), 1e-9 + 1e-12 * np.abs(before.winding_rise))
    if isinstance(motor.thermal, be.Thermal) and case.actuator.substeps == 1:
        steady = motor.thermal.resistance * (step.out.copper_power + step.out.iron_power)
        highest = np.maximum(before.winding_rise, steady)
        yield "heat within its source", over(after.winding_rise - highest, 1e-9 * (highest + 1.0))
