"""A drive, or those of all joints of a robot, and what it would have logged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..actuator import Actuator
from ..errors import ParameterError, errors_at
from ..tree import numbers
from .bench import Bench, bench_of, name_in_bench, stack
from .extrapolate import on_grids
from .found_rig import Found, rig_with
from .log import Log
from .predict import Predictor
from .residual import ResidualFilter
from .rig import Rig
from .trials import Trials, make_trials

SETTLED, HALVINGS = 0.05, 4
"""Steps are halved, so many times at most, until that moves predictions by less than this part of their error [1]."""
EXACT = 1e-4
"""Part of a channel below which an error is that of nothing else than the steps [1]."""


@dataclass(frozen=True, eq=False)
class Drive:
    """A drive whose predictions are held against logs."""

    name: str
    """What it is called."""
    actuator: Actuator
    """The drive; its rig's firmware and supply come in its place."""
    settings: Mapping[str, float] = field(default_factory=dict)
    """Numbers of the bench that a fit has found, those of its rig among them."""
    dt: float | None = None
    """Step of the simulation [s]; None: a fraction of the logs' sampling time, halved until that matters little."""
    extrapolated: bool = True
    """Whether predictions are extrapolated from this step and its half."""
    joints: Mapping[str, Drive] = field(default_factory=dict)
    """Drives of a robot's joints; empty: all joints have this one."""
    filter: ResidualFilter | None = None
    """What gives its torque along a measured motion; None: its laws do."""
    found: Mapping[str, Found] = field(default_factory=dict)
    """What a fit has found of its rig's quantities, by their names; each log has its own value of them."""

    def of(self, joint: str) -> Drive:
        """The drive of a joint."""
        if not self.joints:
            return self
        if joint not in self.joints:
            known = ", ".join(self.joints)
            raise ParameterError(f"the log's joint {joint!r} has no drive; name it as one of {known}")
        return self.joints[joint]


def predict_drive(drive: Drive, rig: Rig, logs: Sequence[Log], channels: Sequence[str] | None = None) -> list[Log]:
    """What a drive would have logged, for each log: the channels that can be compared, at its own times."""
    if drive.filter is not None:
        return [_predict_filtered(drive.filter, log) for log in logs]
    alike: dict[tuple[tuple[str, ...], int], list[int]] = {}
    for k, log in enumerate(logs):
        # logs with other channels have other inputs and other readings
        alike.setdefault((tuple(log.channels), len(log.joints)), []).append(k)
    made: dict[int, Log] = {}
    for places in alike.values():
        some = [logs[k] for k in places]
        made |= dict(zip(places, _predict_alike(drive, rig, some, channels), strict=True))
    return [made[k] for k in range(len(logs))]


def _predict_alike(drive: Drive, rig: Rig, logs: Sequence[Log], channels: Sequence[str] | None) -> list[Log]:
    rig = rig_with(rig, drive.found)
    with errors_at(drive.name):
        actuator = rig.actuator_for(drive.actuator, logs[0])
        trials = make_trials(logs, rig, actuator, dt=drive.dt, compare=channels)
        drives = [drive.of(joint) for joint in trials.joints] or [drive] * trials.lanes
        bench = stack([bench_for(each.actuator, rig, log) for each, log in zip(drives, trials.logs, strict=True)])
        known = {name for name, _ in numbers(bench)} - {name_in_bench(name) for name in drive.found}
        names = [name for name in drives[0].settings if name in known]
        predictor = Predictor(bench, trials, names)
    values = np.array([[each.settings[name] for each in drives] for name in names]).reshape(len(names), 1, trials.lanes)
    if not drive.extrapolated:
        return _logs_of(trials, predictor.predict(values), logs)

    def predict(trials: Trials) -> tuple[list[np.ndarray], Trials]:
        half = make_trials(logs, rig, actuator, dt=0.5 * trials.dt, compare=channels)
        return on_grids(predictor, [trials, half]).predict(values), half

    seen, half = predict(trials)
    for _ in range(HALVINGS if drive.dt is None else 0):
        before = seen
        seen, half = predict(half)
        if _is_settled(trials, before, seen):
            break
    return _logs_of(trials, seen, logs)


def _is_settled(trials: Trials, before: list[np.ndarray], after: list[np.ndarray]) -> bool:
    """Whether shorter steps move predictions of every channel by little of how far they are off."""

    def rms(rows: np.ndarray, there: np.ndarray) -> float:
        return float(np.sqrt(np.mean(rows[there] ** 2)))

    return all(
        rms(new[0] - old[0], each.there)
        <= SETTLED * max(rms(new[0] - each.values, each.there), EXACT * rms(new[0], each.there))
        for each, old, new in zip(trials.readings, before, after, strict=True)
    )


def _logs_of(trials: Trials, seen: list[np.ndarray], logs: Sequence[Log]) -> list[Log]:
    """Predicted channels, (candidates, lanes, samples), as logs at the times of the measured ones."""
    made = []
    for file, log in enumerate(logs):
        lanes = [lane for lane, other in enumerate(trials.files) if other == file]
        found = {}
        for reading, rows in zip(trials.readings, seen, strict=True):
            columns = np.stack([rows[0, lane, reading.there[lane]] for lane in lanes], axis=1)
            found[reading.channel] = log.times(reading.channel), columns if log.joints else columns[:, 0]
        made.append(Log.from_arrays(None, found, joints=log.joints, meta=dict(log.meta), name=log.name))
    return made


def _predict_filtered(found: ResidualFilter, log: Log) -> Log:
    """The torque of a filter at the times at which it was measured, or at its own."""
    time, torque = found.predict_log(log)
    if "torque" in log:
        at = log.times("torque")
        time, torque = at, np.interp(at, time, torque)
    return Log.from_arrays(time, {"torque": torque}, meta=dict(log.meta), name=log.name)


def bench_for(whole: Actuator, rig: Rig, log: Log) -> Bench:
    """The bench of one log: a drive with the load, firmware and supply that it had while the log was taken."""
    own = bench_of(whole, rig, log)
    supply = own.actuator.supply
    if supply is not None and whole.supply is not None and whole.supply.curve is not None:
        supply = replace(supply, curve=whole.supply.curve)
    return replace(own, actuator=replace(own.actuator, supply=supply))
