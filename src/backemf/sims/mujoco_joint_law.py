"""A motor and its joint over one step of MuJoCo, solved together.

MuJoCo integrates the joint, so it has to be told a torque. The torque of a motor depends on the speed that it leads to:
by back-EMF, drag and the friction that stops a joint. So the step is first taken here, with what MuJoCo knows of the
joint (the torque and the inertia of everything else), as `simulate` takes it: all that falls with speed is that of the
end of the step. What comes out is the mean torque, the speed at the end, and how fast the torque falls with speed; with
those MuJoCo's own step ends at the same speed, and it solves for what the joints do to each other.
"""

from __future__ import annotations

from ..actuator import Actuator, Command
from ..actuator.chain import coupled
from ..motor import Coulomb, Dahl, LoadDependent, LuGre, Motor
from ..parts import acts
from ..physics.gearbox import within_play
from ..physics.ops import absolute, change, maximum, where
from ..physics.state import COUPLED, Output, State
from ..physics.step import has_backlash
from ..values import Number

STIFF = 1e12
"""Slope of a friction that holds, in units of the joint's inertia per step."""
DOUBLE, SINGLE = 1e-9, 1e-6
"""Speeds below this share of those that they are the difference of are those of a standing joint, by precision [1]."""


def step_joint(
    actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number, dt: Number,
    load_torque: Number, load_inertia: Number, load_damping: Number, slip: Number,
    rounding: float = DOUBLE,
) -> tuple[State, Number, Number, Number, Output]:  # fmt: skip
    """New state, joint speed at the end, slope of the torque, slope of a friction that holds, and the output.

    `slip` is how much further than foreseen the joint went in the step before [rad], `rounding` that of a speed [1].
    """
    state, out = coupled(
        actuator, carry_along(actuator.motor, state, slip), command, position, velocity, dt, load_torque, load_inertia,
        load_damping=load_damping,
    )  # fmt: skip
    speed = out.joint_velocity
    # a stop is exact but for rounding, which is that of the speeds it is the difference of
    pushed = dt * (absolute(out.torque) + absolute(load_torque)) / load_inertia
    stands = absolute(speed) <= rounding * (absolute(velocity) + pushed)
    slope = felt_slope(actuator, out, dt)
    grip = holding_slope(actuator.motor, state, stands, out, dt, load_inertia)
    # where the joint ends is for MuJoCo to say
    return state, speed, slope, grip, change(out, **dict.fromkeys(COUPLED))


def step_as_output(
    actuator: Actuator, state: State, command: Command | Number, position: Number, velocity: Number, dt: Number,
    load_torque: Number, load_inertia: Number, draws: None, load_damping: Number, slip: Number,
) -> tuple[State, Output]:  # fmt: skip
    """The same in single precision, for engines that know states and outputs alone.

    The speed at the end is `joint_velocity` of the output, the slope `joint_travel` and that of a friction that holds
    `load_torque`: outputs that are not there otherwise.
    """
    state, speed, slope, grip, out = step_joint(
        actuator, state, command, position, velocity, dt, load_torque, load_inertia, load_damping, slip, SINGLE
    )
    return state, change(out, joint_velocity=speed, joint_travel=slope, load_torque=grip)


def carry_along(motor: Motor | None, state: State, slip: Number) -> State:
    """The state with bristles bent and flanks moved by what the joint did beyond what was foreseen."""
    if motor is None:
        return state
    if isinstance(motor.friction, (Dahl, LuGre)):
        bent = state.bristle + motor.ratio * slip * bending_share(motor.friction, state.bristle)
        state = change(state, bristle=bent)
    if state.gap is not None and motor.gearbox is not None:
        play = absolute(motor.ratio) * motor.gearbox.backlash
        state = change(state, gap=within_play(state.gap - motor.ratio * slip, play))
    return state


def bending_share(friction: Dahl | LuGre, bristle: Number) -> Number:
    """Share of a small motion that bends the bristles: all of it at first, none when they slip [1]."""
    bent = friction.stiffness * absolute(bristle) / friction.coulomb
    return maximum(1.0 - bent, 0.0 * bent)


def felt_slope(actuator: Actuator, out: Output, dt: Number) -> Number:
    """How fast the torque falls with the joint's speed within this step [N·m·s/rad].

    MuJoCo's step ends where ours does with any slope, as long as the joint moves alone. The right one lets it find what
    several joints do to each other.
    """
    nothing = 0.0 * out.torque
    motor: Motor | None = actuator.motor
    if motor is None:
        return maximum(out.torque_slope + dt * out.torque_stiffness, nothing)
    if motor.gearbox is not None and acts(motor.gearbox, "backlash"):
        # a flank that pushes holds the rotor to the joint, whatever other joints do to it
        return where(out.torque != 0.0, out.torque_slope + motor.reflected_inertia / dt + nothing, nothing)
    return maximum(out.torque_slope + nothing, nothing)


def holding_slope(
    motor: Motor | None, state: State, stands: bool, out: Output, dt: Number, load_inertia: Number
) -> Number:
    """How fast a friction that holds grows with the joint's speed [N·m·s/rad]; 0 where it slips."""
    nothing = 0.0 * out.torque
    if motor is None or not can_hold(motor):
        return nothing
    if isinstance(motor.friction, (Dahl, LuGre)):
        resistance = motor.friction.stiffness * dt
        if isinstance(motor.friction, LuGre):
            resistance = resistance + motor.friction.damping
        return motor.ratio * motor.ratio * resistance * bending_share(motor.friction, state.bristle)
    return where(stands, STIFF * (load_inertia + motor.reflected_inertia) / dt + nothing, nothing)


def can_hold(motor: Motor | None) -> bool:
    """Whether a motor has a friction that can hold its joint; behind backlash it holds the rotor alone."""
    if motor is None or has_backlash(motor):
        return False
    lossy = motor.gearbox is not None and not motor.gearbox.lossless
    return lossy or isinstance(motor.friction, (Coulomb, Dahl, LoadDependent, LuGre))
