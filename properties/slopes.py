"""The slopes that a host steps implicitly with: how the torque falls with the joint's speed and position.

A slope that is too small lets a long step overshoot, so it must never be below the true one. Dry friction, gear loss,
cogging and networks are left out: they have no part in the reported slopes.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import backemf as be
from backemf.actuator import chain
from backemf.physics import state as bits
from backemf.physics.step import has_backlash

from .cases import HELD, Case, Step, kept_states, steps_of
from .checks import Ratios, over


def slope_checks(case: Case, step: Step, laws: Any = chain) -> Ratios:
    """Slopes of the first step of a host beside differences of its torque."""
    actuator = case.actuator
    if case.way != HELD or step.index > 0 or actuator.substeps > 1 or actuator.delay is not None:
        return
    if actuator.motor is not None and has_backlash(actuator.motor):
        return
    if actuator.supply is not None and actuator.supply.shared and actuator.supply.resistance is not None:
        # one motor that moves changes the bus of the others
        return
    # a setpoint that begins with the joint moves along with it
    settled = True if case.state.fresh is None else case.state.fresh == 0.0
    smooth = without_friction(case)
    out = first(smooth, smooth.position, smooth.velocities[0], laws)
    tabled = any(isinstance(limit, be.AngleTable) for limit in actuator.limits)
    fast = np.abs(smooth.velocities[0])
    # beside a battery that gives way the slope may be that of a stiff one, which falls faster
    sags = actuator.supply is not None and actuator.supply.resistance is not None
    widths = {"torque_slope": 1e-5 * (fast + 1e-2 * np.median(fast) + 1e-12)}
    if not tabled:
        # the stiffness is that of the controller alone
        widths["torque_stiffness"] = np.full(case.shape, 1e-6)
    for name, width in widths.items():
        gentle, steep, noise = falls(smooth, out, name, width, laws)
        # where two sides disagree there is a kink; where the torque rises, a slope of 0 is as good
        known, slope = settled & ~np.isnan(gentle), getattr(out, name)
        tolerance = 1e-4 * (np.abs(steep) + np.abs(slope)) + noise
        least, most = gentle, np.inf if sags else np.maximum(steep, 0.0)
        if name == "torque_slope":
            # a bound that rises with speed counts as flat beside a drag that does not
            most = np.where(np.broadcast_to(out.limit, case.shape) & bits.TORQUE > 0, np.inf, most)
        yield f"{name} is not too small", np.where(known, over(np.maximum(least - slope, 0.0), tolerance), 0.0)
        yield f"{name} is not too large", np.where(known, over(np.maximum(slope - most, 0.0), tolerance), 0.0)


def without_friction(case: Case) -> Case:
    """The same motors without dry friction, gear loss, cogging and network."""
    motor = case.motor
    if motor is None:
        return case
    gearbox = motor.gearbox
    if gearbox is not None:
        stages = tuple(replace(s, efficiency=None, back_efficiency=None) for s in gearbox.stages)
        gearbox = be.Gearbox(stages=stages)
    bare = replace(motor, friction=None, friction_over_angle=None, network=None, gearbox=gearbox, cogging=None)
    actuator = replace(case.actuator, motor=bare)
    return replace(
        case, actuator=actuator, state=kept_states(case.state, actuator), load_torque=None, load_inertia=None
    )


def falls(case: Case, out: be.Output, name: str, width: Any, laws: Any) -> tuple[Any, Any, Any]:
    """The gentler and the steeper of how fast the torque falls on either side, nan at a kink; and their rounding.

    Each side is extrapolated from two widths: drag such as c·w·|w| has no second derivative at rest, so that a
    difference over one width is off by c times the width on both sides alike. A limit that acts at one of the points
    and not at another lies between them, and what is between them is no slope.
    """
    sides, kink, size = [], False, torque_size(case, out)
    for side in (-1.0, 1.0):
        whole, half = (moved(case, name, side * share * width, laws) for share in (1.0, 0.5))
        far, near = (side * (out.torque - other.torque) / span for other, span in ((whole, width), (half, 0.5 * width)))
        sides.append(2.0 * near - far)
        kink = kink | (np.asarray(whole.limit) != out.limit) | (np.asarray(half.limit) != out.limit)
        size = np.maximum(size, torque_size(case, whole))
    noise = 4e-13 * size / width
    gentle, steep = np.minimum(*sides), np.maximum(*sides)
    kink = kink | (steep - gentle > 1e-3 * (np.abs(gentle) + np.abs(steep)) + 2.0 * noise)
    return np.where(kink, np.nan, gentle), np.where(kink, np.nan, steep), noise


def moved(case: Case, name: str, by: Any, laws: Any) -> be.Output:
    """The first step at another velocity, or from another position for the stiffness."""
    position, velocity = case.position, case.velocities[0]
    if name == "torque_stiffness":
        return first(case, position + by, velocity, laws)
    return first(case, position, velocity + by, laws)


def torque_size(case: Case, out: be.Output) -> Any:
    """What the rounding of a torque scales with [N·m]."""
    motor = case.motor
    size = np.abs(out.torque) + np.abs(out.torque_requested)
    if motor is None:
        return size
    amperes = (np.abs(out.voltage) + np.abs(out.back_emf)) / motor.winding.resistance
    return size + np.abs(motor.ratio) * motor.magnet.torque_constant * amperes


def first(case: Case, position: Any, velocity: Any, laws: Any) -> be.Output:
    """The first step from another position or at another velocity."""
    moved = replace(case, position=position, velocities=(velocity,), commands=case.commands[:1])
    return next(iter(steps_of(moved, laws))).out
