"""What a converter does to numbers: words that wrap, coarse steps, and ends at which values are clipped."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...datasheet import Finding
from ..channels import HELD
from ..signals import resolution, slope_over
from .view import View, amount, finding

WORD = 65536
"""Values of a 16-bit word [1]."""
LEVELS, FEW = 5000, 30
"""Fewer levels between smallest and largest value are worth a word, and still fewer a warning [1]."""
FLAT = 3
"""So many equal samples in a row are a flat top [1]."""
SHARE = 0.01
"""Smallest share of samples at an end that is clipping [1]."""


def check_words(view: View) -> Iterator[Finding]:
    """Wrapped words, resolution and clipping of each measured channel."""
    for name, channel in view.log.channels.items():
        if name in HELD or name == "enable" or len(channel) < 8:
            continue
        step = resolution(channel.values)
        wrapped = list(_find_wraps(name, channel.time, channel.values, step))
        yield from wrapped
        if wrapped:
            continue
        if step is not None:
            yield from _find_coarse_steps(name, channel.values, step)
        if name in ("velocity", "current", "torque", "duty"):
            yield from _find_clipping(view, name, channel.values, step)


def _find_wraps(name: str, time: np.ndarray, values: np.ndarray, step: float | None) -> Iterator[Finding]:
    jumps = np.abs(np.diff(values))
    full = None if step is None else WORD * step
    over = np.zeros(0, dtype=int)
    if full is not None:
        over = np.flatnonzero((jumps > 0.6 * full) & (jumps <= full))
    if len(over):
        yield finding(
            name,
            "error",
            f"jumps by {amount(float(jumps[over[0]]), name)}, nearly {WORD} steps of {amount(step or 0.0, name)}, at "
            f"t = {time[over[0] + 1]:.6g} s and {len(over) - 1} times more: 16-bit words that wrapped; subtract "
            f"{WORD} steps from what is above half of that",
            "wrapped-word",
        )
    elif name == "position":
        turns = np.flatnonzero((jumps > 0.9 * 2 * math.pi) & (jumps < 1.01 * 2 * math.pi) & (_usual(jumps) < 1.0))
        if len(turns):
            yield finding(
                name,
                "error",
                f"jumps by a turn at t = {time[turns[0] + 1]:.6g} s and {len(turns) - 1} times more; unwrap it with "
                "numpy.unwrap",
                "wrapped-angle",
            )


def _usual(jumps: np.ndarray) -> float:
    return float(np.percentile(jumps, 90))


def _find_coarse_steps(name: str, values: np.ndarray, step: float) -> Iterator[Finding]:
    levels = round(float(np.ptp(values)) / step) + 1
    if levels >= LEVELS or levels < 2:
        return
    few = levels < FEW and name in ("position", "velocity", "current", "torque")
    advice = "excite it more, or log it finer" if few else "give it to the rig as the sensor's quantisation"
    yield finding(
        name,
        "warning" if few else "info",
        f"resolution of {amount(step, name)}, {levels} levels over its range; {advice}",
        "quantisation",
    )


def _find_clipping(view: View, name: str, values: np.ndarray, step: float | None) -> Iterator[Finding]:
    """Flat tops at an end: several, or on both sides, so that a steady state is none."""
    runs, count, ends = 0, 0, []
    for end in (values.max(), values.min()):
        at = values == end
        starts = np.flatnonzero(np.diff(np.concatenate([[0], at.astype(int), [0]])) == 1)
        stops = np.flatnonzero(np.diff(np.concatenate([[0], at.astype(int), [0]])) == -1)
        flat = (stops - starts) >= FLAT
        # a coarse sine stays at its top level little longer than at the next
        beside = 0 if step is None else int((np.abs(values - end) < 1.5 * step).sum()) - int(at.sum())
        if end != 0.0 and flat.any() and abs(end) > 0.5 * np.abs(values).max() and at.sum() > 3 * beside:
            runs, count = runs + int(flat.sum()), count + int((stops - starts)[flat].sum())
            ends.append(float(end))
    if runs < 2 or count < SHARE * len(values) or len(np.unique(values)) < 8:
        return
    if name == "velocity" and not _faster(view, values):
        return
    shown = " and ".join(amount(end, name) for end in ends)
    share = 100.0 * count / len(values)
    if name == "duty" and all(abs(abs(end) - 1.0) < 0.05 for end in ends):
        yield finding(
            name, "info", f"at {shown} in {share:.2g} % of the samples: there the gains tell nothing", "saturation"
        )
        return
    yield finding(
        name,
        "warning",
        f"{runs} flat tops at {shown}, {share:.2g} % of the samples: a limit acted or the sensor was clipped; "
        "give the limit to the prior, or leave these samples out",
        "clipping",
    )


def _faster(view: View, values: np.ndarray) -> bool:
    """Whether the position goes faster than the velocity says at its ends."""
    if not view.has("position", "velocity"):
        return False
    slope = np.interp(view.log.times("velocity"), view.log.times("position"), _slope(view))
    ends = np.abs(values) >= 0.999 * np.abs(values).max()
    return bool(np.median(np.abs(slope[ends])) > 1.05 * np.abs(values).max())


def _slope(view: View) -> np.ndarray:
    return slope_over(view.log.times("position"), view.log["position"], half=1)
