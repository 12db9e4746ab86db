"""What stock actuators of MuJoCo's engines compute: a gain on the control and a bias, affine in length and velocity.

`<motor>`, `<position>`, `<velocity>` and every plain `<general>` are of this kind, the same on the CPU, in MJX and in
MuJoCo Warp.
"""

from __future__ import annotations

from ..physics.limits import clip
from ..values import Number

Affine = tuple[Number, Number, Number]
"""Constant, per length and per velocity, as the first three numbers of `gainprm` and `biasprm`."""


def actuator_force(
    gain: Affine, bias: Affine, control: Number, length: Number, velocity: Number, low: Number, high: Number
) -> Number:
    """Force of an actuator within its range, at a length and a velocity of its transmission [N·m or N]."""
    by_control = (gain[0] + gain[1] * length + gain[2] * velocity) * control
    return clip(by_control + bias[0] + bias[1] * length + bias[2] * velocity, low, high)
