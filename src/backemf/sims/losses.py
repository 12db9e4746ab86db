"""What of a motor has no place in a simulator's configuration, one short sentence each."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import numpy as np

from ..actuator import Actuator
from ..actuator.torque_limits import DcClip, dc_bounds
from ..analyze.constants import continuous_current
from ..analyze.envelope import envelope
from ..errors import ParameterError
from ..motor import Dahl, LoadDependent, LuGre, Motor
from .joint import Joint, ratio_of, single

HOT = 100.0
"""Winding temperature at which the loss by heat is told [°C]."""


def losses_of(motor: Motor | None, actuator: Actuator, joint: Joint, kept: Collection[str]) -> list[str]:
    """One sentence for each part that is lost.

    `kept` names what the configuration has: "line" (torque falls with speed), "current", "heat", "inductance",
    "bristles", "stiction", "coulomb", "viscous", "cogging", "integral", "slew".
    """
    told = list(_of_control(actuator, kept))
    if motor is not None:
        told += [*_of_electricity(motor, actuator, joint, kept), *_of_mechanics(motor, kept)]
    return told


def _of_control(actuator: Actuator, kept: Collection[str]) -> Iterator[str]:
    controller = actuator.controller
    if getattr(controller, "ki", None) is not None and "integral" not in kept:
        yield f"The integral of {type(controller).__name__} is lost: ki = {controller.ki}."
    if getattr(controller, "current_bandwidth", None) is not None:
        yield f"The current loop is infinitely fast in place of {controller.current_bandwidth:g} rad/s."
    if actuator.slew is not None and "slew" not in kept:
        yield f"The slew limit of the setpoint is lost: {actuator.slew:g} per second."
    if actuator.command_range is not None:
        yield f"The command range is lost: {actuator.command_range[0]:g} to {actuator.command_range[1]:g}."
    if actuator.friction is not None:
        yield "The friction of the joint is lost: give it to the simulator's joint."


def _of_electricity(motor: Motor, actuator: Actuator, joint: Joint, kept: Collection[str]) -> Iterator[str]:
    n, winding = ratio_of(motor), motor.winding
    if "current" not in kept:
        yield "There is no current: no voltage, power or energy comes out."
    if "line" not in kept:
        speed = f" of {joint.velocity_limit.value:.4g} rad/s" if joint.velocity_limit is not None else ""
        yield f"Torque does not fall with speed: the motor has none left at the no-load speed{speed}."
    elif "current" not in kept:
        yield from _of_line(motor, joint, kept)
        damping = n * n * motor.magnet.torque_constant * motor.magnet.back_emf_constant / winding.resistance
        yield (
            "Back-EMF limits the torque and does not brake by itself: a motor with shorted terminals would damp "
            f"the joint with {single('damping', damping):.4g} N·m·s/rad."
        )
    if "heat" not in kept:
        rise = winding.temperature_coefficient * (HOT - winding.reference_temperature)
        lost = single("loss", 100.0 * (1.0 - 1.0 / (1.0 + rise)))
        yield f"The winding stays cold: at {HOT:g} °C it has {lost:.3g} % less stall torque."
    if joint.effort_limit is not None and joint.effort_limit == joint.saturation_effort:
        yield "No current limit is known, so the largest torque is that at stall."
    current = continuous_current(motor)
    if current is not None and joint.effort_limit is not None and "heat" not in kept:
        lasting = n * single("continuous current", current) * single("Kt", motor.magnet.torque_constant)
        if joint.effort_limit.value > 1.001 * lasting:
            yield f"The largest torque never ends: the motor bears {lasting:.4g} N·m at the joint for ever."
    if winding.inductance is not None and "inductance" not in kept:
        rise_time = 1e3 * single("L/R", winding.inductance / winding.resistance)
        yield f"The current follows at once: L/R is {rise_time:.3g} ms."
    if motor.magnet.saturation is not None:
        yield "Iron saturation is lost: the torque stays proportional to the current."
    if np.any(np.asarray(motor.magnet.temperature_coefficient, dtype=float) != 0.0):
        yield "The magnets keep their flux when they are hot."
    limits = motor.limits
    if limits is not None and limits.derates:
        yield "The current limit does not fall when the winding is hot."
    if limits is not None and limits.current_rate is not None:
        yield "The limit of the current's rate is lost."
    if actuator.supply is not None and actuator.supply.resistance is not None:
        yield "The supply does not sag."


def _of_line(motor: Motor, joint: Joint, kept: Collection[str]) -> Iterator[str]:
    """How far the straight line less the joint's friction is off the motor's own envelope, while it drives."""
    top, stall, end = joint.effort_limit, joint.saturation_effort, joint.velocity_limit
    if joint.supply is None or top is None or stall is None or end is None:
        return
    line = DcClip(effort_limit=top.value, saturation_effort=stall.value, velocity_limit=end.value)
    amperes = top.value / stall.value * joint.supply.voltage * joint.supply.modulation_limit / motor.winding.resistance
    speed = np.linspace(1e-6, 1.0, 101) * end.value
    rubbed = 0.0 * speed
    for name, figure, factor in (("coulomb", joint.coulomb, 1.0), ("viscous", joint.viscous, speed)):
        rubbed = rubbed + (figure.value * factor if name in kept and figure is not None else 0.0)
    try:
        own = envelope(motor, joint.supply, amperes, joint_speed=speed).max_torque
    except ParameterError as locked:
        yield f"The motor's own torque is not known here: {locked}."
        return
    error = float(np.max(np.nan_to_num(np.abs(dc_bounds(speed, line)[1] - rubbed - own))))
    if error > 1e-6 * top.value:
        yield f"From rest to no load, the torque after friction is up to {error:.2g} N·m off the cold motor's own."


def _of_mechanics(motor: Motor, kept: Collection[str]) -> Iterator[str]:
    f, gears = motor.friction, motor.gearbox
    if isinstance(f, (Dahl, LuGre)) and "bristles" not in kept:
        yield f"{type(f).__name__} friction has no elastic pre-sliding: the joint sticks and slips at once."
    if isinstance(f, LuGre) and "bristles" not in kept:
        yield "The Stribeck curve between rest and sliding is a jump."
    if isinstance(f, LuGre) and "bristles" in kept and (f.stribeck_exponent, f.damping_exponent) != (None, None):
        yield "The exponents of LuGre friction are lost: a Gaussian Stribeck curve, constant bristle damping."
    if isinstance(f, LoadDependent) and (f.load is not None or f.quadratic is not None):
        yield "Friction does not grow with the load."
    if f is not None and "coulomb" not in kept and "bristles" not in kept:
        yield "Dry friction is lost."
    elif isinstance(f, (LuGre, LoadDependent)) and not {"stiction", "bristles"} & set(kept):
        yield "Friction at rest is no higher than when sliding."
    if motor.drag is not None and len(motor.drag.coefficients) > 1:
        yield "Drag grows in proportion to speed: its higher orders are lost."
    if motor.drag is not None and "viscous" not in kept:
        yield "Viscous drag is lost."
    if motor.cogging is not None and "cogging" not in kept:
        yield "Cogging is lost."
    elif motor.cogging is not None and len(motor.cogging.harmonics) > 1:
        yield "Of the cogging, only the first harmonic is left."
    if gears is not None and not gears.lossless:
        share, back = single("efficiency", gears.efficiency), single("back_efficiency", gears.back_efficiency)
        yield (
            f"The gears lose {100 * (1 - share):.3g} % of the torque in either direction of power; a load that drives "
            f"them back feels {100 * (1 / max(back, 1e-9) - 1):.3g} % more."
            if "line" in kept and "current" not in kept
            else "The gears lose nothing."
        )
    if gears is not None and gears.backlash is not None:
        yield "The gears have no play."
