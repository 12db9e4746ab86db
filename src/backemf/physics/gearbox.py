"""The gear train: what it loses depends on which side drives, and its backlash lets go of the joint."""

from ..values import Bits, Number
from .limits import clip
from .ops import absolute, where


def loss_budget(
    torque: Number, speed: Number, efficiency: Number, back_efficiency: Number, own_share: Number = 0.0
) -> Number:
    """Torque lost between the gearbox's input and its output, on the motor side, against the motion [N·m].

    The motor drives (torque·speed > 0): the output gets efficiency·torque, so (1 - efficiency)·torque is lost.
    The load drives: the input gets back_efficiency of the load's torque, so (1/back_efficiency - 1)·torque is lost.
    `torque` is what would pass without loss. The loss slows the rotor, whose share of the inertia `own_share` of that
    passes on as well: a driving rotor gives momentum, a driven one takes less.
    """
    drives = torque * speed > 0.0
    share = where(drives, 1.0 - efficiency, 1.0 / back_efficiency - 1.0)
    return absolute(torque) * share / where(drives, 1.0 - own_share * share, 1.0 + own_share * share)


def input_torque(output: Number, direction: Number, efficiency: Number, back_efficiency: Number) -> Number:
    """Torque that enters the gears so that `output` leaves them, both on the motor side [N·m].

    The motor drives (output·direction > 0): output/efficiency. The load drives: output·back_efficiency. At rest, where
    `direction` is 0, neither side loses: the gears neither help nor hinder.
    """
    driven = where(output * direction < 0.0, output * back_efficiency, output)
    return where(output * direction > 0.0, output / efficiency, driven)


def gap_after(gap: Number, rotor_speed: Number, gear_speed: Number, dt: Number) -> Number:
    """Angle of the rotor ahead of the gears after a step of free flight, on the motor side [rad]."""
    return gap + dt * (rotor_speed - gear_speed)


def within_play(gap: Number, play: Number) -> Number:
    """The same angle, stopped by the flanks [rad]."""
    return clip(gap, -0.5 * play, 0.5 * play)


def touching(gap: Number, play: Number) -> Bits:
    """Whether a flank is hit."""
    return absolute(gap) > 0.5 * play


def joined_speed(
    rotor_inertia: Number, rotor_speed: Number, gear_inertia: Number, gear_speed: Number, approach: Number
) -> Number:
    """Rotor speed after rotor and gears have met and go on together, momentum being kept [rad/s].

    `approach` is the speed at which the rest of the backlash closes within the step.
    """
    momentum = rotor_inertia * rotor_speed + gear_inertia * (gear_speed + approach)
    return momentum / (rotor_inertia + gear_inertia)
