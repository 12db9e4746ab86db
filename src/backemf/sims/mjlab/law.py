"""What mjlab 1.6 computes in its explicit actuators: the PD law and the DC-motor clip, in its order of operations.

Targets and measured values are those of one physics step. A target that mjlab is not given is 0 there, and is here.
"""

from __future__ import annotations

from dataclasses import dataclass

from ...actuator.torque_limits import DcClip, dc_bounds
from ...checks import Number, require
from ...physics.limits import clip
from ...tree import kind_of_numbers
from ..pd_law import Gains, LimitedPd, pd_torque


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class IdealPd(LimitedPd):
    """`IdealPdActuatorCfg`: a PD law and a flat limit; mjlab writes inf for none."""


@kind_of_numbers
@dataclass(frozen=True, kw_only=True)
class DcMotor(Gains):
    """`DcMotorActuatorCfg`: the PD law, clipped to a straight torque-speed line with a flat top.

    mjlab also takes an infinite effort limit; a limit far above saturation_effort gives the same torque.
    """

    effort_limit: Number
    """Flat top: the largest torque at any speed [N·m]."""
    saturation_effort: Number
    """Torque at stall, where the straight line meets zero speed [N·m]."""
    velocity_limit: Number
    """Speed at which the straight line meets zero torque, the no-load speed [rad/s]."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("effort_limit", "saturation_effort", "velocity_limit"):
            require(self, name, ">")

    @property
    def limit(self) -> DcClip:
        """The clip alone."""
        return DcClip(
            saturation_effort=self.saturation_effort,
            velocity_limit=self.velocity_limit,
            effort_limit=self.effort_limit,
        )


# --- the laws


def ideal_pd_torque(
    law: IdealPd,
    position_target: float,
    velocity_target: float,
    effort_target: float,
    position: float,
    velocity: float,
) -> float:
    """What `IdealPdActuator` writes as its control [N·m]."""
    torque = pd_torque(law, position_target, velocity_target, effort_target, position, velocity)
    return torque if law.effort_limit is None else clip(torque, -law.effort_limit, law.effort_limit)


def dc_motor_torque(
    law: DcMotor,
    position_target: float,
    velocity_target: float,
    effort_target: float,
    position: float,
    velocity: float,
) -> float:
    """What `DcMotorActuator` writes as its control [N·m]."""
    torque = pd_torque(law, position_target, velocity_target, effort_target, position, velocity)
    low, high = dc_bounds(velocity, law.limit)
    return clip(torque, low, high)


def motor_force(control: float, built_limit: float) -> float:
    """What the joint gets of a control [N·m].

    mjlab builds the limit of the config into MuJoCo's `<motor>`, as its control and force range, and leaves it there:
    `dr.effort_limits` may lower the limit, but a limit raised above the one built in has no effect.
    """
    return clip(control, -built_limit, built_limit)
