"""A motor and its joint over one step of MuJoCo, solved together.

MuJoCo integrates the joint, so it has to be told a torque. The torque of a motor depends on the speed that it leads to:
by back-EMF, drag and the friction that stops a joint. So the step is first taken here, with what MuJoCo knows of the
joint (the torque and the inertia of everything else), as `simulate` takes it: all that falls with speed is that of the
end of the step. What comes out is the mean torque, the speed at the end, and how fast the torque falls with speed; with
those MuJoCo's own step ends at the same speed, and it solves for what the joints do to each other.
"""

from __future__ import annotations

from typing import Any

from ....actuator.chain import added, coupled, receive
from ....motor import Coulomb, Dahl, LoadDependent, LuGre, Motor
from ....parts import acts
from ....physics.gearbox import within_play
from ....physics.ops import absolute, as_bits, maximum, where
from ....physics.state import State
from ....tree import changed

STIFF = 1e12
"""Slope of a friction that holds, in units of the joint's inertia per step."""


def together(actuator, state: State, command, position, velocity, dt, load_torque, load_inertia, load_slope, slip):
    """New state, joint speed at the end, slope of the torque, slope of a friction that holds, and the output.

    `slip` is how much further than foreseen the joint went in the step before [rad].
    """
    state = taken_along(actuator.motor, state, slip)
    command, flags, state = receive(actuator, state, command, position, velocity, dt, None)
    turns, here, speed, pull = actuator.substeps, position, velocity, load_torque
    out: Any = None
    for _ in range(turns):
        state, after, turn = coupled(
            actuator, state, command, flags, here, speed, dt / turns, pull, load_inertia, load_slope
        )
        out = turn if turns == 1 else added(out, turn, turns)
        pull = pull - load_slope * (after - speed)
        here, speed = here + dt / turns * after, after
    # a stop is exact but for rounding, which is that of the speeds it is the difference of
    pushed = dt * (absolute(out.torque) + absolute(load_torque)) / load_inertia
    stands = absolute(speed) <= 1e-9 * (absolute(velocity) + pushed)
    slope = felt_slope(actuator, out, dt)
    grip = holding_slope(actuator.motor, state, stands, out, dt, load_inertia)
    return state, speed, slope, grip, changed(out, limit=as_bits(out.limit))


def taken_along(motor: Motor | None, state: State, slip):
    """The state with bristles bent and flanks moved by what the joint did beyond what was foreseen."""
    if motor is None:
        return state
    if state.bristle is not None:
        bent = state.bristle + motor.ratio * slip * unbent(motor.friction, state.bristle)
        state = changed(state, bristle=bent)
    if state.gap is not None and motor.gearbox is not None:
        play = absolute(motor.ratio) * motor.gearbox.backlash
        state = changed(state, gap=within_play(state.gap - motor.ratio * slip, play))
    return state


def unbent(friction, bristle):
    """Share of a small motion that bends the bristles: all of it at first, none when they slip [1]."""
    bent = friction.stiffness * absolute(bristle) / friction.coulomb
    return maximum(1.0 - bent, 0.0 * bent)


def felt_slope(actuator, out, dt):
    """How fast the torque falls with the joint's speed within this step [N·m·s/rad].

    MuJoCo's step ends where ours does with any slope, as long as the joint moves alone. The right one lets it find what
    several joints do to each other.
    """
    nothing = 0.0 * out.torque
    motor: Motor | None = actuator.motor
    if motor is None:
        return maximum(out.torque_slope + dt * out.torque_stiffness, nothing)
    if motor.gearbox is not None and acts(motor.gearbox, "backlash"):
        # the flank has pushed as much as it does, whatever the joint does now
        return nothing
    return maximum(out.torque_slope + nothing, nothing)


def holding_slope(motor: Motor | None, state: State, stands, out, dt, load_inertia):
    """How fast a friction that holds grows with the joint's speed [N·m·s/rad]; 0 where it slips."""
    nothing = 0.0 * out.torque
    if motor is None or state.gap is not None:
        return nothing
    if isinstance(motor.friction, (Dahl, LuGre)):
        resistance = motor.friction.stiffness * dt
        if isinstance(motor.friction, LuGre):
            resistance = resistance + motor.friction.damping
        return motor.ratio * motor.ratio * resistance * unbent(motor.friction, state.bristle)
    lossy = motor.gearbox is not None and not motor.gearbox.lossless
    if isinstance(motor.friction, (Coulomb, LoadDependent)) or lossy:
        return where(stands, STIFF * (load_inertia + motor.reflected_inertia) / dt + nothing, nothing)
    return nothing
