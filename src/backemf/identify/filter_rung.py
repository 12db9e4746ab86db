"""The last rung where torque was logged along a measured motion: a filter in place of the laws."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..actuator import Actuator
from .evidence import Evidence
from .ladder import Climbed
from .log import Log
from .loss import KAPPA
from .residual import HISTORIES, ResidualFilter, fit_residual_logs, left_out_errors, rows_of_logs
from .trials import Trials

NAME = "filter over past errors and velocities"
"""What the rung is called."""
NOTE = "the drive is a filter: its numbers above are those of the laws that it takes the place of"
"""What a fit says of it."""
WORTH = 0.9
"""Mean error of the filter over that of the laws, below which it is worth more than numbers with a meaning [1]."""
FOLDS = 5
"""Blocks of the training share, each of which is left out in turn [1]."""


def takes_filter(actuator: Actuator, trials: Trials) -> bool:
    """Whether a filter can stand for the drive: only torque is compared, along errors and velocities that were logged.

    A drive whose motor is known keeps its laws, since they also tell of current and heat.
    """
    bare = actuator.motor is None and "position" in actuator.controller.inputs
    alone = [reading.channel for reading in trials.readings] == ["torque"] and not trials.joints
    if trials.path is None or not bare or not alone:
        return False
    samples = sum(len(log["torque"]) for log in trials.logs)
    known = all("velocity" in log and ("position_error" in log or "position" in log) for log in trials.logs)
    return known and samples >= 2 * FOLDS * (4 * max(HISTORIES) + 4)


def try_filter(
    evidence: Evidence, seen: Sequence[Log], residuals: Sequence[np.ndarray]
) -> tuple[ResidualFilter | None, Climbed]:
    """The filter, where blocks that it was not fitted to are predicted better than by laws that were fitted to them.

    Args:
        evidence: What the laws were fitted to.
        seen: The training share.
        residuals: Those of the laws, (lanes, samples) by channel.
    """
    found = fit_residual_logs(seen, folds=FOLDS)
    own = left_out_errors(found, seen, FOLDS)
    laws = _on_rows(evidence, seen, residuals[0])
    there = np.isfinite(own) & np.isfinite(laws)
    size = 1.2533 * float(np.abs(laws[there]).mean())
    saved = _loss(laws[there] / size) - _loss(own[there] / size)
    # samples of a block are alike: blocks of a twentieth of the log each count once
    blocks = [float(part.mean()) for part in np.array_split(saved, 20)]
    gain, error = float(np.mean(blocks)), float(np.std(blocks, ddof=1) / np.sqrt(len(blocks)))
    kept = gain > error and float(np.abs(own[there]).mean()) < WORTH * float(np.abs(laws[there]).mean())
    return (found if kept else None), Climbed(NAME, kept, gain, error, (found.left_out,), True, ())


def residuals_of_filter(found: ResidualFilter, evidence: Evidence) -> list[np.ndarray]:
    """Predicted less measured torque, (lanes, samples), as of the laws."""
    (reading,) = evidence.trials.readings
    made = np.zeros(reading.values.shape)
    for lane, log in enumerate(evidence.trials.logs):
        time, torque = found.predict_log(log)
        at = reading.there[lane]
        made[lane, at] = np.interp(log.times("torque"), time, torque) - reading.values[lane, at]
    return [made]


def _on_rows(evidence: Evidence, seen: Sequence[Log], residual: np.ndarray) -> np.ndarray:
    """Residuals of the laws at the rows of the filter."""
    (reading,) = evidence.trials.readings
    kept = [k for k in range(evidence.trials.lanes) if evidence.train[evidence.trials.files[k]]]
    made = []
    for lane, log in zip(kept, seen, strict=True):
        whole = evidence.trials.logs[lane]
        off = whole.times("torque")
        _, _, torque, dt = rows_of_logs([log])
        time = log.times("position_error" if "position_error" in log else "position")[0] + dt * np.arange(len(torque))
        made.append(np.where(np.isfinite(torque), np.interp(time, off, residual[lane, reading.there[lane]]), np.nan))
    return np.concatenate(made)


def _loss(ratio: np.ndarray) -> np.ndarray:
    return KAPPA**2 * (np.sqrt(1.0 + (ratio / KAPPA) ** 2) - 1.0)
