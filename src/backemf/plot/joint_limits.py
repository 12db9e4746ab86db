"""The torque that a joint's limits allow at each speed, where there is no motor to draw."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..actuator import Actuator
from ..actuator.torque_limits import DcClip, DriveEnvelope, KneeCurve, TorqueSpeedTable, tightest
from ..checks import Number
from ..errors import ParameterError
from .style import BLUE, RPM, caption, cross, figure, look, save, scaled

if TYPE_CHECKING:
    from matplotlib.figure import Figure

REACH = 1.3
"""How far beyond the top speed is drawn [1]."""


def joint_limits(actuator: Actuator, name: str = "", path: str | Path | None = None) -> Figure:
    """Highest and lowest torque of the joint over its speed, in both directions, at angle 0."""
    if not actuator.limits:
        raise ParameterError("joint_limits: Actuator.limits is empty: give it a limit such as DcClip(...)")
    top = REACH * top_speed(actuator)
    speed: Number = np.linspace(-top, top, 801)
    low, high = (np.broadcast_to(bound, speed.shape) for bound in tightest(actuator.limits, 0.0, speed))
    factor, unit = scaled([low.min(), high.max()], "N·m")
    with look():
        drawn, (ax,) = figure(1, 2.6)
        cross(ax)
        ax.fill_between(RPM * speed, factor * low, factor * high, color=BLUE, alpha=0.14, linewidth=0)
        for edge in (low, high):
            ax.plot(RPM * speed, factor * edge, color=BLUE)
        ax.set_title(caption(name, "what the limits allow"))
        ax.set_xlabel("joint speed [rpm]")
        ax.set_ylabel(f"joint torque [{unit}]")
        ax.set_xlim(RPM * speed[0], RPM * speed[-1])
        return save(drawn, path)


def top_speed(actuator: Actuator) -> float:
    """The highest speed that any limit names [rad/s]; 10 where none does."""
    found = []
    for limit in actuator.limits:
        if isinstance(limit, DcClip):
            found.append(limit.velocity_limit)
        elif isinstance(limit, DriveEnvelope):
            found.append(limit.max_actuator_velocity)
        elif isinstance(limit, KneeCurve):
            found.append(limit.no_load_speed)
        elif isinstance(limit, TorqueSpeedTable):
            found.append(limit.speed[-1])
    return float(np.max(found)) if found else 10.0
