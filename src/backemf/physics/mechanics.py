"""From the rotor to the joint: dry friction, gear loss and backlash, composed.

Everything here is on the motor side: a joint inertia J counts J/N², a joint torque T counts T/N.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ..motor import Motor
from ..motor.friction import Bristles, DryFriction
from ..values import Bits, Maybe, Number, Recorded
from . import load_friction  # noqa: F401  # which makes its law known
from .bristle import BRISTLES, bent_bristles, estimated_settling, settled_bristles
from .cogging import cogging_torque
from .drag import drag_coefficient, drag_slope
from .friction import BUDGETS, against, hold, stopping_torque
from .friction_over_angle import friction_share
from .gearbox import gap_after, joined_speed, loss_budget, touching, within_play
from .limits import clip
from .magnet import iron_heat
from .ops import absolute, change, sign, where
from .state import State

FrictionLaw = Callable[..., tuple[Number, Maybe, Number]]
"""Dry friction: torque, bristles after the step and the speed that is left; see `dry_friction`."""


@dataclass(frozen=True)
class Load:
    """What hangs on the rotor, seen from the motor side."""

    inertia: Recorded
    """Inertia that moves with the rotor, its own included; None: unknown [kg·m²]."""
    own_inertia: Number
    """The rotor's share of it [kg·m²]."""
    torque: Recorded
    """Torque of the load on the rotor; None: unknown [N·m]."""
    driving: Recorded
    """Torque of the motor that friction under load depends on [N·m]."""
    friction_share: Recorded = None
    """How much of the dry friction there is at the joint's angle [1]; None: all of it, at any angle."""


@dataclass(frozen=True)
class Rubbed:
    """What friction does over a step."""

    friction: Number
    gear_loss: Number
    speed: Number
    bristle: Recorded


@dataclass(frozen=True)
class Parted:
    """Rotor and gears after a step; they differ where backlash parts them."""

    rubbed: Rubbed
    passed: Recorded
    """Torque that reaches the gears, on the motor side [N·m]; None: they never part from the rotor."""
    gap: Recorded
    """Angle of the rotor ahead of the gears [rad]; None without backlash."""
    gear_speed: Number
    """Speed of the gears, on the motor side [rad/s]."""
    flank: Bits | None
    """Where a flank is touched; None without backlash."""


def cogging(motor: Motor, angle: Number) -> Number:
    """Cogging torque of all harmonics at a rotor angle [N·m]."""
    torque = 0.0
    if motor.cogging is not None:
        for harmonic in motor.cogging.harmonics:
            torque = torque + cogging_torque(angle, harmonic)
    return torque


def drag(motor: Motor, speed: Number) -> tuple[Number, Number]:
    """Torque against the motion [N·m] of all that brakes more the faster it goes, and its slope [N·m·s/rad]."""
    coefficient, slope = braking(motor, speed)
    return coefficient * speed, slope


def braking(motor: Motor, speed: Number) -> tuple[Number, Number]:
    """Torque over speed, and torque gained per speed, of all that brakes more the faster it goes [N·m·s/rad].

    That is the polynomial, viscous friction and the iron losses.
    """
    coefficient, slope = 0.0, 0.0
    if motor.drag is not None:
        for order, value in enumerate(motor.drag.coefficients, start=1):
            coefficient = coefficient + drag_coefficient(speed, value, order)
            slope = slope + drag_slope(speed, value, order)
    if motor.friction is not None and motor.friction.drags:
        coefficient, slope = coefficient + motor.friction.viscous, slope + motor.friction.viscous
    if motor.magnet.iron_loss is not None:
        coefficient, slope = coefficient + motor.magnet.iron_loss, slope + motor.magnet.iron_loss
    return coefficient, slope


def viscous_slope(motor: Motor) -> Number:
    """Torque gained per speed at standstill, the viscous part of load-dependent friction included [N·m·s/rad]."""
    slope = drag(motor, 0.0)[1]
    return slope if motor.friction is None or motor.friction.drags else slope + motor.friction.viscous


def iron_power(motor: Motor, speed: Number) -> Number:
    """Heat of the iron losses [W]."""
    return 0.0 if motor.magnet.iron_loss is None else iron_heat(speed, motor.magnet.iron_loss)


def friction_budget(friction: DryFriction, speed: Number, motor_torque: Number, load_torque: Number) -> Number:
    """Largest dry friction at this speed and load [N·m]."""
    return BUDGETS[type(friction)](friction, speed, motor_torque, load_torque)


def bristles(friction: Bristles, speed: Number) -> tuple[Number, Number, Number]:
    """Friction level, stiffness and damping of the bristles at a speed."""
    return BRISTLES[type(friction)](friction, speed)


def sliding_friction(motor: Motor, speed: Number, motor_torque: Number, load_torque: Number) -> Number:
    """Size of the dry friction of a rotor that slides at a speed, under torques of motor and load [N·m]."""
    if motor.friction is None:
        return 0.0
    if isinstance(motor.friction, Bristles):
        return bristles(motor.friction, speed)[0]
    return friction_budget(motor.friction, speed, motor_torque, load_torque)


def friction_at(motor: Motor, state: State, joint_position: Number) -> tuple[Number, State]:
    """How much of the dry friction there is at a joint position [1], and the state with bristles that it holds.

    Bristles that are bent further than the friction there holds them at rest slip at once.
    """
    share = friction_share(motor.friction_over_angle, joint_position)
    if not isinstance(motor.friction, Bristles):
        return share, state
    level, stiffness, _ = bristles(motor.friction, 0.0 * state.bristle)
    most = share * level / stiffness
    return share, change(state, bristle=clip(state.bristle, -most, most))


def budget_under(load: Load, friction: DryFriction, speed: Number) -> Number:
    """Largest dry friction at this speed, under a load and at the joint's angle [N·m]."""
    budget = friction_budget(friction, speed, load.driving, load.torque)
    if load.friction_share is None:
        return budget
    # what grows with speed is the same at every angle
    viscous = friction.viscous * absolute(speed)
    return viscous + load.friction_share * (budget - viscous)


def bristles_under(load: Load, friction: Bristles, speed: Number) -> tuple[Number, Number, Number]:
    """Friction level, stiffness and damping of the bristles at a speed and at the joint's angle."""
    level, stiffness, damping = bristles(friction, speed)
    return level if load.friction_share is None else load.friction_share * level, stiffness, damping


def dry_friction(
    motor: Motor, state: State, speed: Number, free: Number, load: Load, dt: Number, implicit: bool
) -> tuple[Number, Maybe, Number]:
    """Friction torque against the motion, the bristles after the step, and the speed that is left."""
    friction = motor.friction
    if friction is None:
        return 0.0, state.bristle, free
    if not isinstance(friction, Bristles):
        budget = budget_under(load, friction, speed)
        stopping = stopping_torque(free, load.inertia, dt)
        held = hold(stopping, budget) if implicit else against(hold(stopping, budget), speed)
        # what is left of the stopping torque, so that a rotor that is stopped stands exactly still
        return held, state.bristle, dt * (stopping - held) / load.inertia
    level, stiffness, damping = bristles_under(load, friction, speed)
    if implicit:
        # the bristles see the speed they lead to
        return settled_bristles(free, load.inertia, state.bristle, level, stiffness, damping, dt)
    held, after = bent_bristles(state.bristle, speed, level, stiffness, damping, dt)
    left = speed if load.inertia is None else free - dt * held / load.inertia
    return held, after, left


def prescribed_friction(
    motor: Motor, state: State, speed: Number, free: Number, load: Load, dt: Number, implicit: bool
) -> tuple[Number, Maybe, Number]:
    """As `dry_friction` of a joint whose motion is prescribed: it reaches `free`, so that nothing is searched for."""
    friction = motor.friction
    if not isinstance(friction, Bristles):
        return *dry_friction(motor, state, speed, free, load, dt, implicit)[:2], free
    return *bent_bristles(state.bristle, free, *bristles_under(load, friction, speed), dt), free


def estimated_friction(
    motor: Motor, state: State, speed: Number, free: Number, load: Load, dt: Number, implicit: bool
) -> tuple[Number, Maybe, Number]:
    """As `dry_friction` of bristles, with an estimate of the speed that they lead to."""
    friction = motor.friction
    assert isinstance(friction, Bristles)
    held, left = estimated_settling(free, load.inertia, state.bristle, *bristles_under(load, friction, speed), dt)
    return held, state.bristle, left


def rub(
    motor: Motor, state: State, speed: Number, torque: Number, free: Number, load: Load, dt: Number, implicit: bool,
    law: FrictionLaw,
) -> Rubbed:  # fmt: skip
    """Dry friction by a law and gear loss of a rotor that would reach the speed `free` without them."""
    held, bristle, left = law(motor, state, speed, free, load, dt, implicit)
    if motor.gearbox is None or motor.gearbox.lossless:
        return Rubbed(held, 0.0, left, bristle)
    # what passes through the gears: the rotor keeps what accelerates it, where the load is known
    passed = torque - held
    own_share = 0.0
    if load.torque is not None:
        passed = passed - load.own_inertia * (left - speed) / dt
        own_share = load.own_inertia / load.inertia
    budget = loss_budget(passed, left, motor.gearbox.efficiency, motor.gearbox.back_efficiency, own_share)
    if not implicit:
        lost = against(hold(stopping_torque(left, load.inertia, dt), budget), speed)
        slower = free - dt * lost / load.inertia
        held, bristle, left = law(motor, state, speed, slower, load, dt, implicit)
        return Rubbed(held, lost, left, bristle)
    # friction again with all of the loss: either the motion goes on, or both together stop it
    direction = sign(left)
    slower = free - dt * direction * budget / load.inertia
    held, bristle, left = law(motor, state, speed, slower, load, dt, implicit)
    stops = left * direction <= 0.0
    stopping = stopping_torque(free, load.inertia, dt)
    at_rest = resting_friction(motor, state, speed, load, stopping)
    return Rubbed(
        where(stops, at_rest, held),
        where(stops, stopping - at_rest, direction * budget),
        where(stops, 0.0, left),
        None if bristle is None else where(stops, state.bristle, bristle),
    )


def resting_friction(motor: Motor, state: State, speed: Number, load: Load, stopping: Number) -> Number:
    """Friction torque of a rotor that comes to rest within the step [N·m]."""
    if motor.friction is None:
        return 0.0
    if isinstance(motor.friction, Bristles):
        return motor.friction.stiffness * state.bristle
    return hold(stopping, budget_under(load, motor.friction, speed))


def part(
    motor: Motor, state: State, speed: Number, torque: Number, driving: Maybe, own_inertia: Number,
    gear_speed: Number, gear_inertia: Number, pull: Number, share: Maybe, dt: Number, law: FrictionLaw,
) -> Parted:  # fmt: skip
    """A rotor that backlash lets go: in free flight, or against a flank and together with the gears.

    `driving` is the torque of the motor that friction under load depends on, `gear_speed` what the gears reach by
    themselves within the step, `gear_inertia` what moves with them, `pull` the torque of the load on them and `law`
    that of dry friction, of which there is a `share` at the joint's angle.
    """
    gearbox = motor.gearbox
    assert gearbox is not None
    play = absolute(gearbox.ratio) * gearbox.backlash
    # play that has been made smaller since holds the rotor in what is left
    begin = within_play(state.gap, play)
    # in free flight
    free = speed + dt * torque / own_inertia
    alone = Load(own_inertia, own_inertia, 0.0, driving, share)
    flight, flight_bristle, flight_speed = law(motor, state, speed, free, alone, dt, implicit=True)
    gap = gap_after(begin, flight_speed, gear_speed, dt)
    stopped = within_play(gap, play)
    # against the flank: rotor and gears close the rest of the play and go on as one
    approach = (stopped - begin) / dt
    joined = joined_speed(own_inertia, free, gear_inertia, gear_speed, approach)
    both = Load(own_inertia + gear_inertia, own_inertia, pull, driving, share)
    contact, contact_bristle, contact_speed = law(motor, state, speed, joined, both, dt, implicit=True)
    lossless = contact, contact_bristle, contact_speed
    hit = touching(gap, play)
    lost = 0.0
    if not gearbox.lossless:
        # the gears lose their share of what passes, which slows both until one of them stops; then friction again
        passed = own_inertia * (free - contact_speed) / dt - contact
        reached = gear_speed + dt * passed / gear_inertia
        own_share = own_inertia / both.inertia
        budget = loss_budget(passed, reached, gearbox.efficiency, gearbox.back_efficiency, own_share)
        slower = where(absolute(contact_speed) < absolute(reached), contact_speed, reached)
        slower = where(hit & (contact_speed * reached > 0.0), slower, 0.0)
        lost = hold(stopping_torque(slower, both.inertia, dt), budget)
        stopping = stopping_torque(joined, both.inertia, dt)
        joined = joined - dt * lost / both.inertia
        contact, contact_bristle, contact_speed = law(motor, state, speed, joined, both, dt, implicit=True)
        # bent bristles that would turn both round against the loss: gears and friction hold them together
        holds = contact_speed * lost < 0.0
        at_rest = resting_friction(motor, state, speed, both, stopping)
        contact, lost = where(holds, at_rest, contact), where(holds, stopping - at_rest, lost)
        contact_speed = where(holds, 0.0, contact_speed)
        contact_bristle = None if contact_bristle is None else where(holds, state.bristle, contact_bristle)
        # unless the gears still close the play the other way, where that loss would push them: there is none
        pushes = holds & (lost * approach > 0.0)
        contact, contact_speed = where(pushes, lossless[0], contact), where(pushes, lossless[2], contact_speed)
        contact_bristle = None if contact_bristle is None else where(pushes, lossless[1], contact_bristle)
        lost = where(pushes, 0.0, lost)
    passed = own_inertia * (free - contact_speed) / dt - contact
    if motor.friction is not None and motor.friction.by_load:
        # friction under load may hold the rotor back from the flank, which cannot pull: they touch without a force
        grazes = passed * gap < 0.0
        grazing = gear_speed + approach
        contact = where(grazes, own_inertia * (free - grazing) / dt, contact)
        contact_speed = where(grazes, grazing, contact_speed)
        passed, lost = where(grazes, 0.0, passed), where(grazes, 0.0, lost)
    else:
        # bristles that ease the rotor away from a flank: it flies on
        hit = hit & (passed * gap >= 0.0)
        lost = where(hit, lost, 0.0)
    # whichever it is
    held = where(hit, contact, flight)
    after = where(hit, contact_speed, flight_speed)
    bristle = None if flight_bristle is None else where(hit, contact_bristle, flight_bristle)
    passed = where(hit, passed, 0.0)
    # gears that are pushed go along with the rotor, less what is left of the play
    reached = where(hit, after - approach, gear_speed)
    return Parted(Rubbed(held, lost, after, bristle), passed, stopped, reached, hit)
