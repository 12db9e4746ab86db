"""How much of the logs a fit explains: a drive that predicts nothing of them is none that they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..datasheet import Finding
from ..errors import ParameterError
from ..units import format_quantity
from .channels import CHANNELS
from .evidence import Evidence
from .information import WEAK, Information
from .parameters import Space
from .signals import noise_of

MOVES = 10.0
"""A channel that varies by less than so many times its noise has nothing to explain [1]."""
ROUNDING = 1e-9
"""A channel that varies by less than this share of its size is constant [1]."""
NOTHING, LITTLE = 1.0, 0.5
"""Share of the variance of a channel that is left where nothing of it, or little, is explained [1]."""


@dataclass(frozen=True)
class Left:
    """What a fit leaves of a channel, in its SI unit."""

    off: float
    """Root of the mean squared residual."""
    varies: float
    """The same of what was measured, about the mean of each log."""

    @property
    def share(self) -> float:
        """Share of the variance that is left [1]."""
        return (self.off / self.varies) ** 2

    def sentence(self, channel: str) -> str:
        """Both in words."""
        unit = CHANNELS[channel].unit
        off, varies = (format_quantity(x, "K" if unit == "degC" else unit, 3) for x in (self.off, self.varies))
        return f"predicted {off} RMS off, and varies by {varies} about its mean"


def what_is_left(evidence: Evidence, residuals: Sequence[np.ndarray]) -> dict[str, Left]:
    """What a fit leaves of the training share of each channel that varies, from residuals (lanes, samples)."""
    found = {}
    for reading, residual in zip(evidence.trials.readings, residuals, strict=True):
        lanes = range(evidence.trials.lanes)
        rows = [evidence.rows(reading, lane, held_out=False) for lane in lanes]
        there = [lane for lane in lanes if rows[lane].sum() > 2]
        if not there:
            continue
        values = [reading.values[lane, rows[lane]] for lane in there]
        noise = float(np.median([noise_of(reading.time[k, rows[k]], x) for k, x in zip(there, values, strict=True)]))
        varies = _rms([x - x.mean() for x in values])
        size = max(float(np.abs(x).max()) for x in values)
        if varies > MOVES * noise and varies > ROUNDING * size:
            found[reading.channel] = Left(_rms([residual[lane, rows[lane]] for lane in there]), varies)
    return found


def explained_little(left: Mapping[str, Left]) -> list[Finding]:
    """Channels of which little is explained; raises `ParameterError` where that is nothing in any of them."""
    if left and min(each.share for each in left.values()) >= NOTHING:
        channel, each = next(iter(left.items()))
        raise ParameterError(
            f"identify: no numbers near this prior explain the logs: {channel} is {each.sentence(channel)}: the "
            "motor, the rig's load or firmware, or a unit is another; see what be.compare says of them"
        )
    return [
        Finding(
            channel, None, None, "warning", f"{each.sentence(channel)}: little of it is explained; the motor, the rig "
            "or a unit may be another", "explained-little",
        )
        for channel, each in left.items()
        if each.share >= LITTLE
    ]  # fmt: skip


def refuse_silent_logs(
    left: Mapping[str, Left], space: Space, told: Information, weights: np.ndarray, active: np.ndarray
) -> None:
    """Refuse logs in which nothing varies and which tell less of every number than the prior: it would come back."""
    spreads = space.spreads[active]
    scaled = told.curvature(weights)[np.ix_(active, active)] * np.outer(spreads, spreads)
    if left or np.linalg.eigvalsh(0.5 * (scaled + scaled.T)).max() > WEAK:
        return
    free = int(active.sum())
    of = "the number that is free" if free == 1 else f"the {free} numbers that are free"
    raise ParameterError(
        f"identify: nothing moves in these logs, and they tell nothing of {of}: log a motion, such as be.excite finds"
    )


def _rms(rows: Sequence[np.ndarray]) -> float:
    return float(np.sqrt((np.concatenate(rows) ** 2).mean()))
