"""From logs to a motor."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np

from ..checks import quote
from ..errors import ParameterError
from ..motorfile import dumps
from ..progress import progress_bar
from ..random.randomize import rebuild
from .bench import PREDICTED, Bench, load_of, stack
from .evidence import Evidence
from .fit import Fit, bench_for, check_fit, list_parameters, without_idle_parts
from .hold_out import held_out, note_of
from .information import blind_directions, covariance
from .ladder import climb, make_folds
from .log import Log
from .memory import Memory
from .parameters import Parameter, Space
from .predict import Predictor
from .prior import make_prior, read_prior
from .residual_findings import residual_curves, residual_findings
from .rig import Rig
from .rungs import Rung, make_rungs
from .signals import resolution
from .solve import Problem, Scales, make_blocks
from .trials import Trials, make_trials

BLOCK = 1.0
"""About how long a block of the data is that is left out or drawn again together [s]."""
FEWEST = 10
"""Fewest blocks [1]."""


def identify(
    logs: Log | Sequence[Log],
    prior: object,
    *,
    rig: Rig,
    free: Sequence[str] | str | None = None,
    hold_out: str | float | None = None,
    compare: Sequence[str] | None = None,
    seed: int = 0,
    keep: str | Path | None = None,
) -> Fit:
    """The drive that logs show, with intervals, and what they cannot tell.

    Args:
        logs: One log or several of one drive.
        prior: What is believed of it: a catalogue id, a path, a `Datasheet`, a `Motor` or an `Actuator`.
        rig: What the logs were taken on.
        free: Names of what may move, with wildcards, such as "friction.*"; None: whatever a law needs.
        hold_out: Logs that the fit does not see, by a note, as in "kp==800"; or the last share of each, as in 0.4.
        compare: Channels to compare; None: position and velocity of a joint that is free, torque, current and
            temperatures along a measured motion.
        seed: Random seed of the starts: the same seed gives the same bits.
        keep: File that keeps each law's fit while it is climbed: a fit that was stopped goes on from there. It is
            removed at the end.
    """
    given = require_logs(logs, "identify")
    require_rig(rig, "identify")
    actuator = rig.actuator_for(read_prior(prior), given[0])
    whole = make_trials(given, rig, actuator, compare=compare)
    train, last = _training_share(given, hold_out, whole)
    believed = make_prior(prior, rig, [log for log, seen in zip(given, train, strict=True) if seen], whole.dt)
    template = Bench(actuator=believed.whole, load=load_of(rig, given[0]))
    bench = stack([bench_for(template, rig, log) for log in whole.logs])
    rungs = chosen_rungs(make_rungs(believed, bench, whole, rig, given), free)
    parameters = [each for rung in rungs for each in rung.parameters]
    space = Space.over(parameters, bench, whole.lanes, whole.joints)
    predictor = Predictor(bench, whole, space.names)
    floors = np.array([_floor(rig, whole, name) for name in (r.channel for r in whole.readings)])
    blocks = make_blocks(whole, _pieces(whole, last))
    problem = Problem(predictor, space, blocks, Scales(np.ones(len(floors)), np.ones(len(floors))))
    weights = _block_weights(train, last, whole, blocks.pieces)
    _first_scales(problem, floors, weights)
    note = note_of(hold_out)
    folds = make_folds(blocks, whole.files, weights, [log.meta.get(note, k) for k, log in enumerate(whole.logs)])
    about = [dumps(believed.whole), rig.text(), repr((hold_out, compare, seed)), repr(rungs)]
    memory = Memory(keep, [*about, *(log.hash for log in given)])
    with progress_bar("identify", len(rungs) + len({rung.law or rung.name for rung in rungs[1:]})) as done:
        top = climb(problem, rungs, weights, folds, floors, seed, memory, lambda: done(1))
    if not top.solved.converged[0]:
        raise ParameterError(
            f"identify: the fit has not come to rest after {top.solved.iterations} steps; give a nearer prior, free "
            "fewer numbers, or log a richer motion"
        )
    memory.end()
    spread = covariance(top.solved.local, weights, space.spreads, top.active)
    curve = np.einsum("b,bpq->pq", weights, top.solved.local.curve[0])
    blind = blind_directions(space.parameters, curve, top.active)
    fitted = list_parameters(space, top.theta, top.active, spread)
    own = {
        name.removeprefix("actuator."): value
        for name, value in space.settings(top.theta, top.active).items()
        if name.startswith("actuator.")
    }
    drive = without_idle_parts(rebuild(believed.whole, own))
    evidence = Evidence(problem, weights, tuple(train), last, floors)
    residuals = [each[0] for each in problem.residuals(top.theta[None], top.active)]
    curves = residual_curves(evidence, top.theta, top.active, residuals, seed)
    return Fit(
        drive, rig, fitted, top.rungs, evidence.errors(residuals),
        (*check_fit(fitted, blind), *residual_findings(curves)), tuple(blind), curves,
        tuple(log.hash for log, seen in zip(given, train, strict=True) if seen), seed, believed.notes,
        template, space, top.theta, top.active, spread, whole.dt, evidence,
    )  # fmt: skip


def require_logs(logs: object, caller: str) -> list[Log]:
    """Logs as a list; `caller` is the function that is named in the error."""
    found = [logs] if isinstance(logs, Log) else logs
    if not isinstance(found, Sequence) or not found or not all(isinstance(log, Log) for log in found):
        raise ParameterError(f"{caller}: logs = {quote(logs)}: must be a Log or a list of them")
    return list(found)  # type: ignore[arg-type]


def require_rig(rig: object, caller: str) -> Rig:
    """A rig; `caller` is the function that is named in the error."""
    if not isinstance(rig, Rig):
        raise ParameterError(f"{caller}: rig = {quote(rig)}: must be a Rig, such as be.Rig.read('rig.toml')")
    return rig


def _training_share(logs: list[Log], hold_out: object, trials: Trials) -> tuple[list[bool], float]:
    """Which logs are fitted, and up to which share of each."""
    if hold_out is None:
        return [True] * len(logs), 1.0
    if isinstance(hold_out, str):
        return [not out for out in held_out(logs, hold_out)], 1.0
    if isinstance(hold_out, bool) or not isinstance(hold_out, (int, float)) or not 0.0 < hold_out < 1.0:
        raise ParameterError(
            f"hold_out = {quote(hold_out)}: must be an expression such as kp==800, or a share such as 0.4"
        )
    return [True] * len(logs), 1.0 - float(hold_out)


def _pieces(trials: Trials, last: float) -> int:
    """Pieces of each log: about a second long, enough of them, and one ends where the last share begins."""
    least = max(round(trials.steps * trials.dt / BLOCK), -(-FEWEST // trials.lanes))
    return next((n for n in range(least, 4 * least + 20) if abs(n * last - round(n * last)) < 1e-9), least)


def _block_weights(train: list[bool], last: float, trials: Trials, pieces: int) -> np.ndarray:
    """1 for blocks of the training share, 0 for the others."""
    rows = []
    for file in trials.files:
        ends = (np.arange(pieces) + 1) / pieces
        rows.append(np.where(ends <= last + 1e-9, 1.0, 0.0) if train[file] else np.zeros(pieces))
    return np.concatenate(rows)


def _first_scales(problem: Problem, floors: np.ndarray, weights: np.ndarray) -> None:
    """Scales to begin with: a tenth of how far each channel scatters in the training share."""
    readings = problem.predictor.trials.readings
    sigma = [
        max(0.1 * float(np.std(reading.values[there])), floor)
        for reading, there, floor in zip(readings, problem.samples_in(weights), floors, strict=True)
    ]
    problem.scales = Scales(np.array(sigma), np.full(len(sigma), 0.01))


def _floor(rig: Rig, trials: Trials, channel: str) -> float:
    """Smallest residual that counts: the resolution of the channel."""
    step = float(rig.sensor_for(channel).quantisation) if channel in PREDICTED else 0.0
    seen = [resolution(log[channel]) for log in trials.logs]
    steps = [step, *(x for x in seen if x is not None)]
    size = max(float(np.std(log[channel])) for log in trials.logs)
    return max(0.5 * max(steps), 1e-6 * size, 1e-12)


def chosen_rungs(rungs: Sequence[Rung], free: Sequence[str] | str | None, caller: str = "identify") -> tuple[Rung, ...]:
    """The rungs with the parameters that may move; `caller` is the function that is named in the error."""
    if free is None:
        return tuple(rungs)
    patterns = [free] if isinstance(free, str) else list(free)
    known = [each.name for rung in rungs for each in rung.parameters]

    def matches(each: Parameter, pattern: str) -> bool:
        return any(fnmatchcase(name, pattern) for name in (each.name, each.name.removeprefix("motor.")))

    for pattern in patterns:
        if not any(matches(each, pattern) for rung in rungs for each in rung.parameters):
            raise ParameterError(f"{caller}: free = {quote(pattern)}: matches nothing of {', '.join(known)}")
    kept = [
        replace(rung, parameters=tuple(e for e in rung.parameters if any(matches(e, p) for p in patterns)))
        for rung in rungs
    ]
    found = [rung for rung in kept if rung.parameters]
    return (replace(found[0], required=True), *found[1:])
