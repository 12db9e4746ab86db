"""Pictures for Plotly, as plain dictionaries of what the analysis says; colours of lines suit light and dark pages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .. import analyze
from ..actuator import Actuator
from ..actuator.torque_limits import tightest
from ..analyze.constants import continuous_current, no_load
from ..analyze.given import limit_of
from ..errors import ParameterError
from ..motor import Motor
from ..values import Foreign
from .joint_limits import BEYOND, top_speed
from .operating_range import SHOWN, OperatingRange, range_of
from .style import RPM, axis_scale, first

Figure = dict[str, Foreign]
"""A picture of Plotly: data, layout and configuration."""
COLOURS = ("#2589c9", "#d98600", "#0f9d76", "#c2649a")
"""One colour per motor, which stands out on white and on black."""
RED, SHADOW = "#e0622b", "#8b97a3"
CONFIG = {
    "displaylogo": False, "modeBarButtonsToRemove": ["select2d", "lasso2d", "autoScale2d"],
    "toImageButtonOptions": {"filename": "backemf", "scale": 2},
}  # fmt: skip
SPEEDS = {"rpm": RPM, "rad/s": 1.0}
"""Units of speed that can be chosen, and what a speed in rad/s is multiplied by."""


def lean(values: Foreign, digits: int = 5) -> list[float | None]:
    """Numbers as a page needs them: few digits, None where there is none."""
    return [float(f"{v:.{digits}g}") if np.isfinite(v) else None for v in np.asarray(values, dtype=float).tolist()]


def figure(data: list[Figure], x: str, y: str, **layout: Foreign) -> Figure:
    """A picture with the look of the studio; `layout` adds to it."""
    axis = {"showgrid": True, "zeroline": False, "ticks": "", "automargin": True}
    known: Figure = {
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "system-ui, Segoe UI, Roboto, sans-serif", "size": 13},
        "margin": {"l": 10, "r": 12, "t": 8, "b": 8},
        "xaxis": {**axis, "title": {"text": x, "standoff": 8}, **layout.pop("xaxis", {})},
        "yaxis": {**axis, "title": {"text": y, "standoff": 8}, **layout.pop("yaxis", {})},
        "legend": {"orientation": "h", "y": 1.0, "yanchor": "bottom", "x": 0.0, "bgcolor": "rgba(0,0,0,0)"},
        "hovermode": "x unified",
        # the page's own colours, light or dark, come from its style
        "hoverlabel": {"bgcolor": "#ffffff"},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": SHADOW, "activecolor": COLOURS[0]},
        "showlegend": True,
        "uirevision": "kept",
    }
    return {"data": data, "layout": known | layout, "config": CONFIG}


def line(x: Foreign, y: Foreign, name: str, colour: str, **more: Foreign) -> Figure:
    """A line of a picture."""
    look = {"color": colour, "width": more.pop("width", 2), "dash": more.pop("dash", "solid")}
    return {"type": "scatter", "mode": "lines", "x": x, "y": y, "name": name, "line": look, **more}


def clear(colour: str, share: float) -> str:
    """A colour that lets through what is behind it."""
    return "rgba({},{},{},{})".format(*(int(colour[k : k + 2], 16) for k in (1, 3, 5)), share)


# --- torque over speed


def torque_over_speed(
    motors: Sequence[tuple[str, Actuator, Motor | None]], volts: float | None, celsius: float | None, speed: str
) -> Figure:
    """Continuous and short-term torque of one motor over its speed, or of several side by side."""
    found = [_torque_lines(actuator, motor, volts, celsius) for _, actuator, motor in motors]
    # what is not known is not drawn, and does not bound the axis
    tops = [float(np.fmin(SHOWN * r.continuous.max(), r.short_term.max())) or 1.0 for r in found]
    factor, unit = axis_scale(max(tops), "N·m")
    data: list[Figure] = []
    for (name, _, _), shape, colour in zip(motors, found, COLOURS, strict=False):
        x = lean(SPEEDS[speed] * shape.speed)
        several = len(motors) > 1
        for torque, words, share, dash in (
            (shape.short_term, "short-term", 0.10, "dot"), (shape.continuous, "continuous", 0.30, "solid"),
        ):  # fmt: skip
            # Plotly reads tags in a name
            name = name.replace("<", "‹")
            if np.isnan(torque).all():
                continue
            names_motor = dash == "solid" or bool(np.isnan(shape.continuous).all())
            said = (name if names_motor else f"{name}, {words}") if several else words
            data.append(
                line(
                    x, lean(factor * torque), said, colour, dash=dash, fill="tozeroy",
                    fillcolor=clear(colour, 0.3 * share if several else share),
                    hovertemplate=f"%{{y:.4g}} {unit}", showlegend=not several or names_motor,
                )
            )  # fmt: skip
    top = factor * 1.08 * max(tops)
    x, y = f"speed [{speed}]", f"torque [{unit}]"
    across = {"rangemode": "tozero", "unifiedhovertitle": {"text": f"%{{x:.4g}} {speed}"}}
    return figure(data, x, y, yaxis={"range": [0, top]}, xaxis=across)


def _torque_lines(
    actuator: Actuator, motor: Motor | None, volts: float | None, celsius: float | None
) -> OperatingRange:
    """What a motor gives, or what limits alone allow; NaN where nothing says what is continuous."""
    if motor is not None:
        motor = first(motor)
        known = known_range(motor, volts, celsius)
        if known is not None:
            return known
        # nothing says what is continuous: what the voltage allows is short-term
        shape = analyze.envelope(motor, supply_volts(motor, volts), None, warmth(motor, celsius), samples=241)
        ahead = shape.joint_speed >= 0.0
        torque = np.maximum(np.nan_to_num(shape.max_torque[ahead]), 0.0)
        return OperatingRange(shape.joint_speed[ahead], np.full(torque.shape, np.nan), torque)
    speed = np.linspace(0.0, top_speed(actuator) * (1.0 if len(actuator.limits) == 1 else BEYOND), 121)
    high = np.broadcast_to(np.asarray(tightest(actuator.limits, 0.0, speed)[1], dtype=float), speed.shape)
    return OperatingRange(speed, np.full(speed.shape, np.nan), np.maximum(high, 0.0))


def supply_volts(motor: Motor, volts: float | None) -> float:
    """The voltage that is set, the rated one, or else 24 V."""
    if volts is not None:
        return volts
    rated = None if motor.ratings is None else motor.ratings.voltage
    return 24.0 if rated is None else float(np.asarray(rated).flat[0])


def warmth(motor: Motor, celsius: float | None) -> float:
    """The winding temperature that is set, or else that of the figures [°C]."""
    return float(motor.winding.reference_temperature) if celsius is None else celsius


def known_range(motor: Motor, volts: float | None, celsius: float | None) -> OperatingRange | None:
    """The operating range; None where the figures do not say what is continuous."""
    try:
        return range_of(motor, supply_volts(motor, volts), warmth(motor, celsius), 121)
    except ParameterError:
        return None


# --- efficiency and heat


def efficiency(motor: Motor, volts: float | None, celsius: float | None, speed: str) -> Figure:
    """Efficiency over the plane of speed and torque, with current and voltage under the cursor."""
    volts, celsius = supply_volts(motor, volts), warmth(motor, celsius)
    shape = known_range(motor, volts, celsius)
    largest = analyze.envelope(motor, volts, None, celsius, joint_speed=np.zeros(1)).max_torque
    top = float(largest[0])
    if shape is not None and shape.continuous.max() > 0.0:
        top = min(top, SHOWN * float(shape.continuous.max()))
    fast = float(np.abs(no_load(motor, volts, celsius)[0] / motor.ratio))
    speeds, torques = np.linspace(0.0, fast, 49), np.linspace(0.0, top, 37)
    found = analyze.efficiency_map(motor, volts, celsius, joint_speed=speeds, joint_torque=torques)
    factor, unit = axis_scale(top, "N·m")
    share = [lean(100.0 * row, 3) for row in found.efficiency]
    more = [
        [[a, v] for a, v in zip(lean(i, 3), lean(u, 3), strict=True)]
        for i, u in zip(found.current, found.voltage, strict=True)
    ]
    values = "%{z:.0f} %, %{customdata[0]} A, %{customdata[1]} V"
    shown = f"%{{x:.4g}} {speed}, %{{y:.4g}} {unit}<br>{values}<extra></extra>"
    bar = {"title": {"text": "%", "side": "top"}, "thickness": 12, "outlinewidth": 0, "tickvals": [0, 25, 50, 75, 100]}
    data: list[Figure] = [
        {
            "type": "heatmap", "x": lean(SPEEDS[speed] * speeds), "y": lean(factor * torques), "z": share,
            "customdata": more, "hoverongaps": False, "hovertemplate": shown, "zmin": 0, "zmax": 100,
            "colorscale": "Cividis", "zsmooth": False, "colorbar": bar,
        }
    ]  # fmt: skip
    if shape is not None:
        x, y = lean(SPEEDS[speed] * shape.speed), lean(factor * shape.continuous)
        data.append(line(x, y, "continuous", "#ffffff", hoverinfo="skip", width=2.5))
    return figure(data, f"speed [{speed}]", f"torque [{unit}]", hovermode="closest", showlegend=False)


def heating(motor: Motor, celsius: float | None) -> Figure:
    """How long each current may last until the winding reaches its limit, from its temperature now."""
    limit = float(limit_of(motor, None))
    rated = continuous_current(motor)
    steady = float(rated) if rated is not None else 1.0
    most = max(4.0 * steady, 1e-3)
    current = np.geomspace(0.5 * steady, most, 61)
    time = analyze.time_to_limit(motor, current, start=warmth(motor, celsius))
    data = [line(lean(current), lean(time), f"to {limit:.0f} °C", RED, hovertemplate="%{y:.3g} s")]
    ticks = {1: "1 s", 10: "10 s", 60: "1 min", 600: "10 min", 3600: "1 h", 36000: "10 h"}
    layout: Foreign = {"type": "log", "tickvals": list(ticks), "ticktext": list(ticks.values())}
    marks = [] if rated is None else [upright(steady, "continuous")]
    return figure(
        data, "current [A]", "time to the winding's limit", yaxis=layout, showlegend=False,
        xaxis={"unifiedhovertitle": {"text": "%{x:.3g} A"}},
        shapes=[m["shape"] for m in marks], annotations=[m["words"] for m in marks],
    )  # fmt: skip


def upright(x: float, words: str) -> Figure:
    """A dashed upright line with its name."""
    look = {"color": SHADOW, "dash": "dash", "width": 1.5}
    shape = {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": look}
    name = {"x": x, "yref": "paper", "y": 1, "text": words, "showarrow": False, "xanchor": "left", "xshift": 4}
    return {"shape": shape, "words": name}
