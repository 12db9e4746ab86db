"""For Plotly: the torque of a motor over its speed, and what a simulator's own law makes of it."""

from __future__ import annotations

import numpy as np

from .interactive import COLOURS, RED, SPEEDS, Figure, clear, figure, lean, line
from .style import axis_scale


def laws_over_speed(speed: np.ndarray, own: np.ndarray, theirs: np.ndarray, title: str, unit: str = "rpm") -> Figure:
    """The largest and the smallest torque at each speed, of the motor itself and of a simulator.

    Args:
        speed: Joint speed [rad/s], shape (samples,).
        own: Largest and smallest torque of the motor [N·m], shape (2, samples).
        theirs: Those of the simulator's law [N·m], shape (2, samples).
        title: Name of the simulator.
        unit: Unit of the axis of speed, one of `SPEEDS`.
    """
    factor, shown = axis_scale(own, "N·m")
    x = lean(SPEEDS[unit] * speed)
    blue = COLOURS[0]
    more: Figure = {"hovertemplate": f"%{{y:.4g}} {shown}"}
    low, area = more | {"showlegend": False}, more | {"fill": "tonexty", "fillcolor": clear(blue, 0.16)}
    data = [
        line(x, lean(factor * own[1]), "the motor, lowest", blue, **low),
        line(x, lean(factor * own[0]), "the motor", blue, **area),
        line(x, lean(factor * theirs[0]), title, RED, dash="dash", **more),
        line(x, lean(factor * theirs[1]), f"{title}, lowest", RED, dash="dash", **low),
    ]
    top = {"text": f"%{{x:.4g}} {unit}"}
    return figure(data, f"joint speed [{unit}]", f"joint torque [{shown}]", xaxis={"unifiedhovertitle": top})
