"""What mjlab 1.6 computes in its explicit actuators: the PD law and the DC-motor clip, in its order of operations.

Targets and measured values are those of one physics step. A target that is not given is 0, as in mjlab.
"""

from __future__ import annotations

from ...actuator.torque_limits import DcClip, dc_bounds
from ...checks import Number
from ...parts import number, part
from ...physics.limits import clip
from ..pd_law import Gains, LimitedPd, pd_torque


@part
class IdealPd(LimitedPd):
    """`IdealPdActuatorCfg`: a PD law and a flat limit; mjlab writes inf for none."""


@part
class DcMotor(Gains):
    """`DcMotorActuatorCfg`: the PD law, clipped to a straight torque-speed line with a flat top.

    mjlab also takes an infinite effort limit; a limit far above saturation_effort gives the same torque.
    """

    effort_limit: Number = number("N·m", above=0.0)
    """Flat top: the largest torque at any speed."""
    saturation_effort: Number = number("N·m", above=0.0)
    """Torque at stall, where the straight line meets zero speed."""
    velocity_limit: Number = number("rad/s", above=0.0)
    """No-load speed, where the straight line meets zero torque."""

    @property
    def limit(self) -> DcClip:
        """The clip alone."""
        return line_of(self)


def line_of(law: object) -> DcClip:
    """The DC-motor clip of what has its three fields."""
    names = ("saturation_effort", "velocity_limit", "effort_limit")
    return DcClip(**{name: getattr(law, name) for name in names})


# --- the laws


def ideal_pd_torque(
    law: IdealPd,
    position_target: Number,
    velocity_target: Number,
    effort_target: Number,
    position: Number,
    velocity: Number,
) -> Number:
    """What `IdealPdActuator` writes as its control [N·m]."""
    torque = pd_torque(law, position_target, velocity_target, effort_target, position, velocity)
    return torque if law.effort_limit is None else clip(torque, -law.effort_limit, law.effort_limit)


def dc_motor_torque(
    law: DcMotor,
    position_target: Number,
    velocity_target: Number,
    effort_target: Number,
    position: Number,
    velocity: Number,
) -> Number:
    """What `DcMotorActuator` writes as its control [N·m]."""
    torque = pd_torque(law, position_target, velocity_target, effort_target, position, velocity)
    low, high = dc_bounds(velocity, law.limit)
    return clip(torque, low, high)


def motor_force(control: Number, built_limit: Number) -> Number:
    """What the joint gets of a control [N·m].

    mjlab builds the limit of the config into MuJoCo's `<motor>`, as its control and force range, and leaves it there:
    `dr.effort_limits` may lower the limit, but a limit raised above the one built in has no effect.
    """
    return clip(control, -built_limit, built_limit)
