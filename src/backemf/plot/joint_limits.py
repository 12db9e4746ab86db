"""The torque that a joint's limits allow at each speed, where there is no motor to draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from ..actuator import Actuator
from ..actuator.torque_limits import DcClip, DriveEnvelope, KneeCurve, TorqueSpeedTable, tightest
from ..checks import Number
from ..errors import ParameterError
from .style import BLUE, RPM, axis_scale, caption, cross, figure, look, save
from .types import Figure

BEYOND = 1.3
"""Largest speed that is drawn over the top speed [1]."""
TOP_SPEEDS = {
    DcClip: lambda limit: limit.velocity_limit,
    DriveEnvelope: lambda limit: limit.max_actuator_velocity,
    KneeCurve: lambda limit: limit.no_load_speed,
    TorqueSpeedTable: lambda limit: limit.speed[-1],
}
"""The highest speed that each kind of limit names."""


def joint_limits(actuator: Actuator, name: str = "", path: str | Path | None = None) -> Figure:
    """Highest and lowest torque of the joint over its speed, in both directions, at angle 0."""
    if not actuator.limits:
        raise ParameterError("joint_limits: Actuator.limits is empty: give it a limit such as DcClip(...)")
    top = BEYOND * top_speed(actuator)
    speed: Number = np.linspace(-top, top, 801)
    low, high = (np.broadcast_to(bound, speed.shape) for bound in tightest(actuator.limits, 0.0, speed))
    factor, unit = axis_scale([low.min(), high.max()], "N·m")
    with look():
        drawn, (ax,) = figure(1, 2.6)
        cross(ax)
        ax.fill_between(RPM * speed, factor * low, factor * high, color=BLUE, alpha=0.14, linewidth=0)
        for edge in (low, high):
            ax.plot(RPM * speed, factor * edge, color=BLUE)
        ax.set_title(caption(name, "what the limits allow"))
        ax.set(xlabel="joint speed [rpm]", ylabel=f"joint torque [{unit}]", xlim=(-RPM * top, RPM * top))
        return save(drawn, path)


def top_speed(actuator: Actuator) -> float:
    """The highest speed that any limit names [rad/s]; 10 where none does."""
    found = [TOP_SPEEDS[type(limit)](limit) for limit in actuator.limits if type(limit) in TOP_SPEEDS]
    return float(np.max(found)) if found else 10.0
