"""The pictures of a sizing report; names of motors stand in captions, never in a picture."""

from __future__ import annotations

import numpy as np

from ..actuator import Supply
from ..errors import ParameterError
from ..motor import Motor
from ..physics.mechanics import iron_power
from ..plot import style
from ..plot.operating_range import range_of
from ..plot.types import Figure
from ..units import linear_words
from .evaluation import at_ambient
from .heat import copper_scale
from .joint_found import JointFound
from .trace import Trace

WORDS = {
    "electrical": "electrical in",
    "copper": "copper heat",
    "conversion": "conversion loss",
    "iron": "iron heat",
    "friction": "friction",
    "gear": "gear loss",
    "rotor": "rotor motion",
    "mechanical": "to the load",
}


AXES = {
    "mass": "mass [kg]",
    "energy": "energy per cycle [J]",
    "winding_temperature": "hottest winding [°C]",
    "inertia": "inertia at the joint [kg·m²]",
}
"""What is wanted as the label of an axis."""
WIDE = 10.0
"""Ratio of the largest to the smallest value from which on an axis is logarithmic [1]."""
DOTS = (300, 200)
"""Places in which pairs of a picture are told apart, across and up [1]."""


def draw_range(
    motor: Motor, supply: Supply, ambient: float, found: JointFound, trace: Trace, title: str = ""
) -> Figure:
    """The task inside the operating range of a motor: each moment as speed and torque at the gear output."""
    slides = motor.motion == "linear"
    rpm = 1.0 if slides else style.RPM
    with style.look():
        drawn, (ax,) = style.figure(height=3.1)
        most = [0.0, 0.0]
        try:
            area = range_of(motor, float(supply.voltage), ambient)
            for torque, shade, word in ((area.short_term, 0.12, "short-term"), (area.continuous, 0.38, "continuous")):
                ax.fill_betweenx(rpm * area.speed, 0.0, torque, color=style.BLUE, alpha=shade, linewidth=0, label=word)
            most = [float(np.nanmax(area.short_term)), rpm * float(np.nanmax(area.speed))]
        except ParameterError:
            pass  # a motor whose range is not known has the task alone
        velocity = np.abs(found.cycle.cells.velocity)
        inertia = float(motor.reflected_inertia) * found.cycle.cells.acceleration
        size = np.abs(trace.gear_torque + inertia)
        ax.plot(size, rpm * velocity, color=style.INK, linewidth=0.8, label="task")
        rms = float(np.sqrt(np.average(size**2, weights=found.cycle.cells.dt)))
        mean = rpm * float(np.average(velocity, weights=found.cycle.cells.dt))
        ax.plot(rms, mean, "o", color=style.VERMILION, label="RMS force" if slides else "RMS torque")
        # the edges of the range where they are near, else the task with some room
        for set_limit, task, edge in zip((ax.set_xlim, ax.set_ylim), (size, rpm * velocity), most, strict=True):
            top = float(task.max())
            set_limit(0.0, max(1.15 * top, min(1.08 * edge, 2.5 * top)))
        effort, speed = ("force", "m/s") if slides else ("torque", "rpm")
        unit = "N" if slides else "N·m"
        ax.set(xlabel=f"joint {effort}, the rotor's own included [{unit}]", ylabel=f"joint speed [{speed}]")
        ax.set_title(title)
        drawn.legend(
            *ax.get_legend_handles_labels(), loc="outside lower left", ncols=2, borderpad=0.0, columnspacing=1.2
        )
        return drawn


def draw_front(found: JointFound) -> Figure:
    """What is wanted first over what is wanted second, of all pairs that can do it, the front in colour."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    first, second = found.task.wanted[:2]
    x, y = found.figure(first), found.figure(second)
    front = found.front_places
    with style.look():
        drawn, (ax,) = style.figure(height=2.7)
        wide = [_is_wide(name, values[found.order]) for name, values in ((first, x), (second, y))]
        seen = found.order[_apart(x[found.order], y[found.order], wide)]
        ax.plot(x[seen], y[seen], ".", color=style.GREY, markersize=2)
        # with a third thing wanted, the front is no line in the picture of the first two
        dots = "o-" if len(found.task.wanted) == 2 else "o"
        ax.plot(x[front], y[front], dots, color=style.BLUE, markersize=4, linewidth=1.0)
        words = str if found.task.joints[found.cycle.name].slide is None else linear_words
        ax.set(xlabel=words(AXES[first]), ylabel=words(AXES[second]))
        for set_scale, axis, logarithmic in zip(
            (ax.set_xscale, ax.set_yscale), (ax.xaxis, ax.yaxis), wide, strict=True
        ):
            if logarithmic:
                set_scale("log")
                # plain numbers, few enough to stand beside each other
                axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
                axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
                axis.set_minor_formatter(NullFormatter())
        return drawn


def _is_wide(name: str, values: np.ndarray) -> bool:
    """Whether values are told apart by a logarithm; degrees have no ratio."""
    return name != "winding_temperature" and float(values.min()) > 0.0 and float(np.ptp(values)) > WIDE * values.min()


def _apart(x: np.ndarray, y: np.ndarray, wide: list[bool]) -> np.ndarray:
    """One pair of each place of a picture: tens of thousands of dots on each other make a file large, not clear."""
    places = np.zeros(len(x), dtype=int)
    for values, logarithmic, cells in zip((x, y), wide, DOTS, strict=True):
        along = np.log(values) if logarithmic else values
        share = (along - along.min()) / max(float(np.ptp(along)), 1e-300)
        places = places * (cells + 1) + np.round(share * cells).astype(int)
    return np.unique(places, return_index=True)[1]


def draw_cycle(found: JointFound, trace: Trace) -> Figure:
    """Current, voltage and winding temperature along the last motion of a cycle."""
    with style.look():
        drawn, axes = style.figure(3, 3.6, sharex=True)
        rows = ((trace.current, "current\n[A]", style.BLUE), (trace.voltage, "voltage\n[V]", style.ORANGE),
                (trace.winding, "winding\n[°C]", style.VERMILION))  # fmt: skip
        for ax, (values, label, colour) in zip(axes, rows, strict=True):
            ax.plot(trace.time, values, color=colour, linewidth=1.0)
            ax.set_ylabel(label)
        axes[-1].set_xlabel("time in the last motion of a cycle [s]")
        drawn.align_ylabels(axes)
        return drawn


def draw_warm_up(found: JointFound, motor: Motor, square: float, limit: float | None, hottest: float) -> Figure:
    """Mean temperatures of winding and housing from cold, up to the steady state."""
    from ..analyze.heat import time_constants
    from ..motor import Thermal
    from ..physics.thermal import one_node, two_nodes

    task = found.task
    made = at_ambient(motor, task.ambient, task.mounting)
    t = made.thermal
    assert t is not None
    slowest = float(time_constants(made)[0])
    times = np.concatenate([[0.0], np.geomspace(slowest / 500, 6.0 * slowest, 160)])
    iron = float(iron_power(made, 1.0)) * float(made.ratio) ** 2 * found.cycle.mean_square_speed()
    rows = [(0.0, 0.0)]
    for dt in np.diff(times):
        winding, housing = rows[-1]
        copper = float(copper_scale(made, task.ambient, np.asarray(task.ambient + winding))) * square
        if isinstance(t, Thermal):
            rows.append((float(one_node(winding, copper + iron, dt, t)), 0.0))
        else:
            after = two_nodes(winding, housing, copper, iron, dt, t)
            rows.append((float(after[0]), float(after[1])))
    rises = task.ambient + np.array(rows)
    with style.look():
        drawn, (ax,) = style.figure(height=2.3)
        ax.plot(times / 60.0, rises[:, 0], color=style.VERMILION, label="winding")
        if not isinstance(t, Thermal):
            ax.plot(times / 60.0, rises[:, 1], color=style.BLUE, label="housing")
        ax.axhline(hottest, color=style.VERMILION, linewidth=0.7, linestyle=(0, (4, 2)))
        if limit is not None:
            ax.axhline(limit, color=style.INK, linewidth=0.9)
        ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=2)
        ax.set(xlabel="time from cold [min]", ylabel="mean of a cycle [°C]")
        return drawn


def draw_energy(trace: Trace) -> Figure:
    """Where the energy of one motion goes."""
    flows = {name: value for name, value in trace.energy.items() if name != "electrical"}
    largest = max(abs(trace.energy["electrical"]), *(abs(value) for value in flows.values()))
    shown = {"electrical": trace.energy["electrical"]}
    shown |= {name: value for name, value in flows.items() if abs(value) > 1e-3 * largest}
    factor, unit = style.axis_scale(list(shown.values()), "J")
    with style.look():
        drawn, (ax,) = style.figure(height=0.75 + 0.24 * len(shown))
        colours = [style.ORANGE if name == "electrical" else style.GREEN if name in ("mechanical", "rotor") else
                   style.VERMILION for name in shown]  # fmt: skip
        ax.barh(range(len(shown)), [factor * value for value in shown.values()], color=colours, height=0.7)
        ax.set_yticks(range(len(shown)), [WORDS[name] for name in shown])
        ax.invert_yaxis()
        ax.set_xlabel(f"energy of one motion [{unit}]")
        return drawn
