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
from .evaluation import at_ambient
from .heat import copper_scale
from .joint_found import JointFound
from .task import WANTED
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


def draw_range(motor: Motor, supply: Supply, ambient: float, found: JointFound, trace: Trace) -> Figure:
    """The task inside the operating range of a motor: each moment as speed and torque at the gear output."""
    with style.look():
        drawn, (ax,) = style.figure(height=2.7)
        try:
            area = range_of(motor, float(supply.voltage), ambient)
            for torque, shade in ((area.short_term, 0.12), (area.continuous, 0.38)):
                ax.fill_betweenx(style.RPM * area.speed, 0.0, torque, color=style.BLUE, alpha=shade, linewidth=0)
        except ParameterError:
            pass  # a motor whose range is not known has the task alone
        velocity = np.abs(found.cycle.cells.velocity)
        inertia = float(motor.reflected_inertia) * found.cycle.cells.acceleration
        size = np.abs(trace.gear_torque + inertia)
        ax.plot(size, style.RPM * velocity, color=style.INK, linewidth=0.8)
        rms = float(np.sqrt(np.average(size**2, weights=found.cycle.cells.dt)))
        ax.plot(rms, style.RPM * float(np.average(velocity, weights=found.cycle.cells.dt)), "o", color=style.VERMILION)
        ax.set_xlim(0.0, 1.15 * float(size.max()))
        ax.set_ylim(0.0, 1.3 * style.RPM * float(velocity.max()))
        ax.set(xlabel="joint torque, the rotor's own included [N·m]", ylabel="joint speed [rpm]")
        return drawn


def draw_front(found: JointFound) -> Figure:
    """What is wanted first over what is wanted second, of all pairs that can do it, the front in colour."""
    first, second = found.task.wanted[:2]
    x, y = found.figure(first), found.figure(second)
    front = found.front_places
    with style.look():
        drawn, (ax,) = style.figure(height=2.7)
        ax.plot(x[found.order], y[found.order], ".", color=style.GREY, markersize=2)
        ax.plot(x[front], y[front], "o-", color=style.BLUE, markersize=4, linewidth=1.0)
        ax.set(xlabel=f"{WANTED[first][1]} [{_unit(first)}]", ylabel=f"{WANTED[second][1]} [{_unit(second)}]")
        return drawn


def _unit(name: str) -> str:
    return WANTED[name][0].replace("degC", "°C").replace("*", "·").replace("^2", "²")


def draw_cycle(found: JointFound, trace: Trace) -> Figure:
    """Current, voltage and winding temperature along the last motion of a cycle."""
    with style.look():
        drawn, axes = style.figure(3, 3.6, sharex=True)
        rows = ((trace.current, "current\n[A]", style.BLUE), (trace.voltage, "voltage\n[V]", style.ORANGE),
                (trace.winding, "winding\n[°C]", style.VERMILION))  # fmt: skip
        for ax, (values, label, colour) in zip(axes, rows, strict=True):
            ax.plot(trace.time, values, color=colour, linewidth=1.0)
            ax.set_ylabel(label)
        axes[-1].set_xlabel("time since the last motion of a cycle began [s]")
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
        ax.plot(times / 60.0, rises[:, 0], color=style.VERMILION, label="winding, mean of a cycle")
        if not isinstance(t, Thermal):
            ax.plot(times / 60.0, rises[:, 1], color=style.BLUE, label="housing, mean of a cycle")
        ax.axhline(hottest, color=style.VERMILION, linewidth=0.7, linestyle=(0, (4, 2)))
        if limit is not None:
            ax.axhline(limit, color=style.INK, linewidth=0.9)
        ax.legend(loc="lower right")
        ax.set(xlabel="time from cold [min]", ylabel="temperature [°C]")
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
