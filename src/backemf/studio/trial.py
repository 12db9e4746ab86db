"""A run for the page Try: simulated as the command line does, and drawn no finer than a screen shows.

The channels lie in files, so that a run of any length takes little memory: a drawing reads the part that is in view,
and of a long part the smallest and the largest value of each stretch.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import numpy as np

from ..cli.drive import actuator_from
from ..cli.simulate import MOST_KEPT, NO_LOAD, NOT_CHECKED
from ..cli.words import command_from, load_from, quantity
from ..errors import BackemfWarning, ParameterError
from ..files import make_folder
from ..loads import with_inertia
from ..physics.state import LIMITS
from ..plot import interactive as pictures
from ..plot.ratings import rating_lines
from ..plot.response import spans_of
from ..plot.style import RPM, axis_scale
from ..rollout import channel_names
from ..run import Run
from ..run_stored import StoredRun
from ..simulate import count_steps, simulate
from ..units import linear_unit
from ..values import Foreign, Json
from ..work.workers import Progress
from .session import Session

ROWS = {
    "position": ("position", "position"),
    "speed": ("velocity", "velocity"),
    "torque": ("torque", "effort"),
    "current": ("current", None),
    "temperature": ("winding_temperature", None),
    "energy": ("electrical_energy", None),
}
"""The channel of each row of the picture, and the input of a controller that is its target."""
MOST_STEPS = 50_000_000
"""Longest run of the page [steps]."""
QUICK = 100_000
"""Longest run that is computed at once, without a process of its own [steps]."""
POINTS = 1200
"""Stretches of which a line shows the smallest and the largest value."""
BLOCK = 256
"""Samples behind each value of the coarse copy of a channel."""


# --- running


def steps_of(state: Mapping[str, str]) -> int:
    """How many steps a run takes."""
    length, step = quantity("duration", state["dur"], "s"), quantity("dt", state["dt"], "s")
    steps = count_steps(length, step, 1)
    if steps > MOST_STEPS:
        raise ParameterError(f"duration / dt are {steps} steps: at most {MOST_STEPS} are drawn; use the command line")
    return steps


def run_trial(payload: dict[str, Foreign], tell: Progress | None = None) -> dict[str, Json]:
    """Run what a state says, put the channels into a folder, and answer what is to be said of them."""
    state, folder = payload["state"], Path(payload["folder"])
    if tell is not None:
        from ..progress import watched_progress

        def watch(label: str, done: int, total: int, word: str) -> None:
            tell({"label": label, "done": done, "total": total, "word": word})

        with watched_progress(watch):
            return _run(state, folder, payload.get("output"))
    return _run(state, folder, payload.get("output"))


def _run(state: dict[str, str], folder: Path, output: str | None) -> dict[str, Json]:
    actuator, load, command = parts_of(state)
    length, step, steps = quantity("duration", state["dur"], "s"), quantity("dt", state["dt"], "s"), steps_of(state)
    make_folder(folder)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BackemfWarning)
        if steps > MOST_KEPT:
            drawn = [*(channel for channel, _ in ROWS.values()), "limit", "command"]
            there = {*channel_names(actuator, load), "command"}
            names = tuple(name for name in drawn if name in there)
            file = folder / (output or "run.parquet")
            run: Run | StoredRun = simulate(
                actuator, load, command, length, step, to=file, progress=True, channels=names
            )
        else:
            file = None if output is None else folder / output
            run = simulate(actuator, load, command, length, step, output=file, progress=True)
    kept = _keep(run, folder)
    energy = {k: float(v) for k, v in run.summary.energy().items()} if isinstance(run, StoredRun) else _energy(run)
    findings = [] if isinstance(run, StoredRun) else [asdict(f) for f in run.findings() if f.severity != "hint"]
    notes = [NOT_CHECKED] if isinstance(run, StoredRun) else []
    bare = Run(run.actuator, load, step, np.zeros(1), {})
    ratings = {row: [[line.words, float(line.limit)] for line in rating_lines(bare, row)] for row in ROWS}
    return {
        "folder": str(folder), "steps": steps, "dt": step, "channels": kept, "main": actuator.controller.main,
        "units": {row: run.unit(channel) for row, (channel, _) in ROWS.items() if channel in kept},
        "findings": findings, "notes": notes, "energy": energy, "ratings": ratings,
    }  # fmt: skip


def parts_of(state: dict[str, str]) -> tuple[Foreign, Foreign, Foreign]:
    """Actuator, load and command that a state describes, in the words of the command line."""
    session = Session("/try", dict(state))
    chosen = session.chosen
    actuator, armature = chosen.actuator, 0.0
    if chosen.joint:
        from ..sims.on_joint import OnJoint

        own = dict(chosen.joint)
        actuator = OnJoint(actuator=actuator, joint=own.pop("name", ""), **own).fold()
        armature = own.get("armature", 0.0) if actuator.motor is None else 0.0
    for name in ("load", "cmd"):
        text = session.get(name).strip().lower()
        if text.endswith(".csv") or text.startswith("motion"):
            raise ParameterError(f"{name} {text[:60]!r}: a table of values is read on the command line, not here")
    supply = session.get("v")
    actuator = actuator_from(
        actuator, controller=session.get("ctrl") or None, delay=session.get("delay") or None,
        supply=f"voltage={supply}V" if supply else None,
    )  # fmt: skip
    linear = actuator.motor is not None and actuator.motor.motion == "linear"
    load = session.get("load") or (linear_unit(NO_LOAD) if linear else NO_LOAD)
    moved = with_inertia(load_from(load, linear), armature)
    return actuator, moved, command_from(session.get("cmd"), actuator.controller.main)


def _keep(run: Run | StoredRun, folder: Path) -> list[str]:
    """Write the channels that are drawn; names of those that there are."""
    wanted = dict.fromkeys([channel for channel, _ in ROWS.values()] + ["limit", "command"])
    names = [name for name in wanted if name in run.channels]
    steps = run.rows if isinstance(run, StoredRun) else len(run.time)
    files = {
        name: np.lib.format.open_memmap(
            folder / f"{name}.npy", "w+", np.int32 if name == "limit" else np.float32, (steps,)
        )
        for name in names
    }
    pieces = run.pieces(names, 262_144) if isinstance(run, StoredRun) else [{name: run[name] for name in names}]
    begin = 0
    for piece in pieces:
        count = len(piece[names[0]])
        for name in names:
            files[name][begin : begin + count] = piece[name]
        begin += count
    for name, values in files.items():
        if steps > 20 * POINTS * BLOCK // 8:
            np.save(folder / f"{name}.low.npy", _blocks(values, BLOCK, name))
    return names


def _blocks(values: np.ndarray, size: int, name: str) -> np.ndarray:
    """Smallest and largest value of each stretch of so many samples, shape (stretches, 2); of flags all set."""
    starts = np.arange(0, len(values), size)
    if name == "limit":
        both = np.bitwise_or.reduceat(values, starts)
        return np.stack([both, both], axis=1)
    return np.stack([np.minimum.reduceat(values, starts), np.maximum.reduceat(values, starts)], axis=1)


def _energy(run: Run) -> dict[str, Json]:
    if run.motor is None:
        return {}
    return {name: float(values[-1]) for name, values in run.energy().items()}


# --- drawing


def view(found: Mapping[str, Foreign], name: str, begin: float, end: float) -> tuple[np.ndarray, np.ndarray]:
    """Times [s] and values of a channel between two times, as many as a screen shows.

    Of a long part each stretch gives its smallest and its largest value, so that no peak is lost.
    """
    folder, step, steps = Path(found["folder"]), found["dt"], found["steps"]
    first, last = max(int(begin / step) - 1, 0), min(int(np.ceil(end / step)) + 1, steps)
    count = max(last - first, 1)
    if count <= 2 * POINTS:
        values = np.load(folder / f"{name}.npy", mmap_mode="r")[first:last]
        return step * (1.0 + np.arange(first, last)), np.asarray(values, dtype=float if name != "limit" else int)
    low = folder / f"{name}.low.npy"
    if low.exists() and count > 4 * POINTS * BLOCK:
        ends = np.load(low, mmap_mode="r")[first // BLOCK : -(-last // BLOCK)]
        size = -(-len(ends) // POINTS)
        starts = np.arange(0, len(ends), size)
        times = step * (1.0 + (first // BLOCK + starts) * BLOCK)
        lowest, highest = ends[:, 0], ends[:, 1]
    else:
        lowest = highest = np.load(folder / f"{name}.npy", mmap_mode="r")[first:last]
        starts = np.arange(0, count, -(-count // POINTS))
        times = step * (1.0 + first + starts)
    if name == "limit":
        return times, np.bitwise_or.reduceat(lowest, starts).astype(int)
    pair = np.stack([np.minimum.reduceat(lowest, starts), np.maximum.reduceat(highest, starts)], axis=1)
    return np.repeat(times, 2), pair.reshape(-1).astype(float)


def draw(
    found: Mapping[str, Foreign], shadow: Mapping[str, Foreign] | None, span: tuple[float, float] | None, speed: str
) -> pictures.Figure:
    """All rows over one axis of time, the run before as a shadow, and a band for each limit that acts."""
    whole = found["steps"] * found["dt"]
    begin, end = span or (0.0, whole)
    rows = [row for row in ROWS if ROWS[row][0] in found["channels"]]
    time, flags = view(found, "limit", begin, end) if "limit" in found["channels"] else (np.zeros(1), np.zeros(1, int))
    acting = [name for name, bit in LIMITS.items() if bool((flags & bit).any())]
    scale, unit = axis_scale(whole, "s")
    layout: dict[str, Foreign] = {
        "hoversubplots": "axis",
        "showlegend": False,
        "margin": {"l": 88, "r": 12, "t": 6, "b": 40},
    }
    heights = [1.0] * len(rows) + [0.16 + 0.22 * max(len(acting), 1)]
    total, top, gap = sum(heights), 1.0, 0.022
    data: list[pictures.Figure] = []
    axis = {"zeroline": False, "showgrid": True, "fixedrange": True, "nticks": 4}
    for k, (row, height) in enumerate(zip([*rows, "limits"], heights, strict=True)):
        low = top - height / total
        name = "y" if k == 0 else f"y{k + 1}"
        place = "yaxis" + name[1:]
        layout[place] = {**axis, "domain": [max(low + gap, 0.0), top], "automargin": False}
        top = low
        if row == "limits":
            lanes = [f"{limit} limit" for limit in acting] or ["no limit acts"]
            ticks = {"tickvals": list(range(len(lanes))), "ticktext": lanes}
            layout[place] |= {"showgrid": False, "range": [len(lanes) - 0.4, -0.6], **ticks}
            for lane, limit in enumerate(acting):
                spans = spans_of(scale * time, flags & LIMITS[limit])[:600]
                x = [v for a, b in spans for v in (float(f"{a:.7g}"), float(f"{b:.7g}"), None)]
                y = [None if v is None else lane for v in x]
                data.append(pictures.line(x, y, limit, pictures.RED, yaxis=name, width=11, hoverinfo="skip"))
            if not acting:
                # an axis without a line would not be drawn, and the axis of time hangs on it
                ends = [scale * begin, scale * end]
                data.append(pictures.line(ends, [0, 0], "", "rgba(0,0,0,0)", yaxis=name, hoverinfo="skip"))
            continue
        channel, aim = ROWS[row]
        factor, shown = _shown(found["units"][row], speed)
        words, value = f"{row}<br>[{shown}]", f"%{{y:.4g}} {shown}"
        layout[place]["title"] = {"text": words, "standoff": 4, "font": {"size": 12}}
        for source, colour, width in ((shadow, pictures.SHADOW, 1.5), (found, pictures.COLOURS[0], 1.8)):
            if source is not None and channel in source["channels"]:
                t, values = view(source, channel, begin, min(end, source["steps"] * source["dt"]))
                said = "before" if source is shadow else row
                x, y = pictures.lean(scale * t, 7), pictures.lean(factor * values)
                data.append(pictures.line(x, y, said, colour, yaxis=name, width=width, hovertemplate=value))
        if aim == found["main"] and "command" in found["channels"]:
            t, values = view(found, "command", begin, end)
            x, y = pictures.lean(scale * t, 7), pictures.lean(factor * values)
            look = {"yaxis": name, "width": 1.4, "dash": "dash", "hovertemplate": value}
            data.append(pictures.line(x, y, "target", pictures.COLOURS[1], **look))
        _ratings(data, found, row, name, scale * np.array([begin, end]), factor)
    last = "y" if len(heights) == 1 else f"y{len(heights)}"
    bounds = [scale * begin, scale * end]
    layout["xaxis"] = {"range": bounds, "anchor": last, "unifiedhovertitle": {"text": f"%{{x:.5g}} {unit}"}}
    drawn = pictures.figure(data, f"time [{unit}]", "", **layout)
    drawn["layout"]["uirevision"] = f"{found['folder']} {bounds}"
    return drawn


def _ratings(
    data: list[pictures.Figure], found: Mapping[str, Foreign], row: str, axis: str, ends: np.ndarray, factor: float
) -> None:
    """What the maker allows as thin lines, where the run comes near it."""
    values = view(found, ROWS[row][0], 0.0, found["steps"] * found["dt"])[1]
    for words, limit in found["ratings"].get(row, []):
        # makers print speeds in rpm
        most = limit / RPM if row == "speed" else limit
        for sign in (1.0, -1.0):
            if (sign * values).max() >= 0.4 * most:
                level = [float(f"{sign * factor * most:.5g}")] * 2
                look = {"yaxis": axis, "width": 1, "dash": "dashdot", "hovertemplate": "%{y:.4g}"}
                data.append(pictures.line(pictures.lean(ends, 7), level, f"{words} rating", pictures.RED, **look))


def _shown(unit: str, speed: str) -> tuple[float, str]:
    """Factor to the unit that is drawn, and its name."""
    if unit == "rad/s":
        return pictures.SPEEDS[speed], speed
    return 1.0, {"degC": "°C"}.get(unit, unit).replace("*", "·")
