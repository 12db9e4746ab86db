"""Energy: a motor that is left alone never gains any, and one that is driven gains no more than it is given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

import backemf as be
from backemf.actuator import chain
from backemf.actuator.joint_spring import spring_energy
from backemf.loads import KINEMATIC
from backemf.physics.step import has_backlash

from .cases import RUN, Case, Step, kept_states, steps_of
from .checks import Ratios, load_inertia, over

ALONE = 24
"""Steps of a motor that is left alone."""


def stored_energy(case: Case, state: be.State, velocity: Any) -> Any:
    """Kinetic energy of rotor and joint, energy of the winding and of the bristles [J]."""
    motor = case.motor
    rotor = motor.ratio * velocity if state.rotor_speed is None else state.rotor_speed
    total = 0.5 * load_inertia(case) * velocity**2 + 0.5 * motor.inertia * rotor**2
    if state.current is not None and motor.winding.inductance is not None:
        total = total + 0.5 * motor.winding.inductance * state.current**2
    if state.bristle is not None:
        total = total + 0.5 * motor.friction.stiffness * state.bristle**2
    return total


def alone_checks(case: Case, laws: Any = chain) -> Ratios:
    """The motors of a run, left alone: no voltage is commanded, nothing pushes."""
    alone = left_alone(case)
    if alone is None:
        return
    before = stored_energy(alone, alone.state, alone.velocities[0])
    # rounding is that of the energy at the start
    spring = alone.actuator.spring
    held = 0.0 if spring is None else spring_energy(alone.position, spring)
    before = before + held
    worst, rounding = np.zeros(case.shape), 1e-15 * before
    motor = alone.motor
    # a limit of torque or current keeps a current flowing in an inductance, or in a rotor that the gears let go, or
    # turns it round: v·i > 0 on the way, and that energy is the drive's
    limited = alone.actuator.limits or motor.limits is not None
    feeds = limited and (motor.winding.inductance is not None or has_backlash(motor))
    for step in steps_of(alone, laws):
        after = stored_energy(alone, step.after, step.end_velocity)
        if spring is not None:
            after = after + spring_energy(step.position + alone.dt * step.end_velocity, spring)
        fed = np.maximum(alone.dt * step.out.electrical_power, 0.0) if feeds else 0.0
        gained = over(after - before - fed, 1e-9 * (before + fed) + rounding)
        worst = np.maximum(worst, np.where(np.isfinite(after), gained, np.inf))
        before = after
    yield "left alone, no energy is gained", worst


def left_alone(case: Case) -> Case | None:
    """The same motors at a command of 0 V on a plain mass; None where there is nothing to turn."""
    motor = case.motor
    if case.way != RUN or motor is None or isinstance(case.load, KINEMATIC):
        return None
    # two constants that differ, saturation beside them, and a network are sources of energy by themselves
    magnet = replace(motor.magnet, back_emf_constant=motor.magnet.torque_constant, saturation=None)
    limits = motor.limits
    if limits is not None:
        limits = None if limits.rated_current is None else replace(limits, current_rate=None)
    motor = replace(motor, magnet=magnet, cogging=None, network=None, limits=limits)
    kept = case.actuator
    # a torque that is the same at every angle gives energy for as long as the joint turns
    spring = None if kept.spring is None else replace(kept.spring, offset=0.0)
    actuator = be.Actuator(motor, kept.supply, limits=kept.limits, voltage_limit=kept.voltage_limit, spring=spring)
    state = replace(
        kept_states(case.state, actuator),
        **({} if motor.winding.inductance is None else {"current": case.state.current * 0.0}),
    )
    load = (
        be.Fan(coefficient=case.load.coefficient, inertia=load_inertia(case))
        if isinstance(case.load, be.Fan)
        else be.Inertia(load_inertia(case))
    )
    return replace(case, actuator=actuator, state=state, load=load, memory=(), commands=(np.zeros(case.shape),) * ALONE)


class Account:
    """What a run was given and what it has, step by step."""

    def __init__(self, case: Case):
        self.case = case
        moves = case.way == RUN and not isinstance(case.load, KINEMATIC)
        # over several turns of the control loop the means of torque and speed do not multiply to a power
        self.counts = moves and case.motor is not None and case.actuator.substeps == 1
        if self.counts:
            self.stored = stored_energy(case, case.state, case.velocities[0])
            self.gained: Any = 0.0
            self.moved = self.of_system(np.abs(self.stored))

    def of_system(self, energy: Any) -> Any:
        """The energy of all that exchanges energy within a step: a motor and its load, or all motors on one battery.

        What one of them draws at the end of the step moves the bus of all: they share what the battery gives.
        """
        supply = self.case.actuator.supply
        one = supply is not None and supply.shared and supply.resistance is not None
        energy = np.broadcast_to(energy, self.case.shape)
        return energy.sum(axis=-1, keepdims=True) if one else energy

    def check(self, step: Step) -> Ratios:
        """The energy that came from nowhere so far, over a share of all that has moved."""
        if not self.counts:
            return
        out, dt = step.out, self.case.dt
        stored = stored_energy(self.case, step.after, step.end_velocity)
        into_spring = 0.0 if out.spring_power is None else out.spring_power
        given = out.electrical_power + out.cogging_power - out.conversion_power + step.load_power - into_spring
        moved = np.abs(out.electrical_power) + np.abs(out.cogging_power) + np.abs(step.load_power)
        moved = moved + np.abs(into_spring)
        self.gained = self.gained + self.of_system((stored - self.stored) - dt * given)
        self.moved = self.moved + self.of_system(dt * moved)
        self.stored = stored
        yield "driven, no energy from nowhere", over(self.gained, self.moved)
