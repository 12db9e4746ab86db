"""From logs to a motor."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import cache, partial
from pathlib import Path

import numpy as np

from ..actuator import Actuator
from ..checks import quote, require_seed
from ..errors import ParameterError, errors_at
from ..motorfile import dumps
from ..progress import progress_bar
from ..random.randomize import rebuild
from ..robot import ActuatorSet
from .bench import PREDICTED, stack
from .check import refuse_contradictions
from .drives import Drive, bench_for
from .evidence import Evidence
from .explained import ROUNDING, explained_little, refuse_silent_logs, what_is_left
from .filter_rung import NOTE, residuals_of_filter, takes_filter, try_filter
from .fit import Fit, check_fit, list_parameters, without_idle_parts
from .found_rig import found_of_rig
from .heat_prior import as_given, has_pole_pairs
from .hold_out import held_out, note_of
from .information import blind_directions, family_of
from .joint_information import blind_joints
from .joint_priors import drives_on_rig, joints_of, make_priors, read_drives
from .joints import joint_space
from .ladder import climb, make_folds
from .log import Log, only_joint
from .loss import Problem, Scales, make_blocks
from .memory import Memory
from .network_rung import (
    allows_network,
    climb_network,
    describe_network,
    patterns_of_laws,
    takes_network,
    with_network,
)
from .parameters import Parameter, Space
from .pole_pairs import find_pole_pairs, scanned_parameters
from .predict import Predictor
from .refine import LARGEST, Refined, coarse_steps, explained_away, refine
from .residual_findings import residual_curves, residual_findings
from .rig import Rig
from .rig_parts import RobotModel
from .rungs import Rung, make_rungs
from .signals import resolution
from .starts import make_starts
from .trials import Trials, make_trials
from .unmeasured import unmeasured_channels

BLOCK = 1.0
"""About how long a block of the data is that is left out or drawn again together [s]."""
HEAT_BLOCK = 5.0
"""The same where temperatures are compared, which forget slowly [s]."""
FEWEST = 10
"""Fewest blocks [1]."""
ENOUGH, SAMPLES = 12, 1000
"""Logs with which the ladder is climbed, and samples of each: laws show in some, and at its top all are fitted [1]."""
CONSTANT = 0.01
"""Noise of a channel that never changes, over its size [1]."""


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
        prior: What is believed of it: a catalogue id, a path, a `Datasheet`, a `Motor` or an `Actuator`; of a robot,
            one for all joints, an `ActuatorSet`, or one of these by patterns of joints' names.
        rig: What the logs were taken on.
        free: Names of what may move, or of a part of which all may, with wildcards, such as "friction" or
            "friction.load.*"; None: whatever a law needs.
        hold_out: Logs that the fit does not see, by a note, as in "kp==800", or by a file, as in "file==swing.csv"; or
            the last share of each, as in 0.4.
        compare: Channels to compare; None: position and velocity of a joint that is free, torque, current and
            temperatures along a measured motion.
        seed: Random seed of the starts: the same seed gives the same bits.
        keep: File that keeps each law's fit while it is climbed: a fit that was stopped goes on from there. It is
            removed at the end.
    """
    given = require_logs(logs, "identify")
    require_rig(rig, "identify")
    if rig.load.kind is not RobotModel and not isinstance(prior, (Mapping, ActuatorSet)):
        given = [only_joint(log) for log in given]
    compare = [compare] if isinstance(compare, str) else compare
    seed = require_seed("identify", seed)
    _refuse_copies(given)
    read = read_drives(prior, joints_of(given))
    train, last = _training_share(given, hold_out)
    seen = [log if last == 1.0 else log.split(last)[0] for log, kept in zip(given, train, strict=True) if kept]
    refuse_contradictions(given, read, rig, "identify")
    drives = drives_on_rig(read, rig, seen)
    first = rig.actuator_for(next(iter(drives.values())), given[0])
    whole = make_trials(given, rig, first, compare=compare)
    channels = [each.channel for each in whole.readings]
    idle = {} if compare is not None else {n: said for n, said in unmeasured_channels(given).items() if n in channels}
    if idle:
        compare = [name for name in channels if name not in idle]
        if not compare:
            raise ParameterError(f"identify: {next(iter(idle.values()))}: log what the joint does")
        whole = make_trials(given, rig, first, compare=compare)
    believed = make_priors(drives, rig, seen, whole)
    lanes = whole.joints or ("",) * whole.lanes
    bench = stack([bench_for(believed[joint].whole, rig, log) for joint, log in zip(lanes, whole.logs, strict=True)])
    rungs = chosen_rungs(make_rungs(bench, whole, rig, given), patterns_of_laws(free))
    networks = allows_network(free) and takes_network(bench.actuator, whole)
    parameters = [*(each for rung in rungs for each in rung.parameters), *scanned_parameters(rungs)]
    space = joint_space(Space.over(parameters, bench, whole.lanes, lanes), lanes)
    predictor = Predictor(bench, whole, space.names)
    floors = np.array([_floor(rig, whole, name) for name in (r.channel for r in whole.readings)])
    blocks = make_blocks(whole, _pieces(whole, last))
    problem = Problem(predictor, space, blocks, Scales(np.ones(len(floors)), np.ones(len(floors))))
    weights = _block_weights(train, last, whole, blocks.pieces)
    _first_scales(problem, floors, weights)
    # a little more than the training share, for sensors that lag
    problem.steps = min(whole.steps, round(last * whole.steps) + round(0.1 / whole.dt))
    problem, notes = find_pole_pairs(problem, weights, floors, all(map(has_pole_pairs, read.values())))
    space = problem.space
    note = note_of(hold_out)
    groups = [log.meta.get(note, file) for log, file in zip(whole.logs, whole.files, strict=True)]
    shown = np.asarray(weights.reshape(whole.lanes, -1).any(axis=1))
    some = _lanes_of_ladder(whole, shown, groups, seed)
    part = problem if some is None else problem.among(some, SAMPLES)
    own = weights if some is None else weights.reshape(whole.lanes, -1)[some].reshape(-1)
    lanes_of_part = range(whole.lanes) if some is None else some.tolist()
    own_groups, most = [groups[k] for k in lanes_of_part], 8 if some is None else 4
    folds = make_folds(part.blocks, part.predictor.trials.files, own, own_groups, most)
    about = [
        *(dumps(each.whole) for each in believed.values()),
        rig.text(),
        repr((hold_out, compare, seed)),
        repr(rungs),
    ]
    memory = Memory(keep, [*about, *(log.hash for log in given)])
    starts = make_starts(whole, rig, shown)
    with progress_bar("identify", len(rungs) + len({rung.law_name for rung in rungs[1:]}) + 1 + networks) as done:
        top = climb(part, rungs, own, folds, floors, seed, memory, lambda law: done(1, law))
        if not top.solved.converged[0]:
            raise ParameterError(
                f"identify: the fit has not come to rest after {top.solved.iterations} steps; give a nearer prior, "
                "free fewer numbers, or log a richer motion"
            )
        on_grid = cache(partial(_on_grid, given, rig, bench.actuator, compare))
        own_grid = on_grid if some is None else lambda dt: on_grid(dt).among(some, whole.steps)
        if some is None:
            fine = refine(problem, top.theta, top.active, starts, weights, floors, on_grid)
            away = explained_away(fine, rungs, top.active, weights)
        else:
            own_starts = make_starts(part.predictor.trials, rig, np.ones(len(some), dtype=bool))
            largest = LARGEST * len(some) / whole.lanes
            fine = refine(part, top.theta, top.active, own_starts, own, floors, own_grid, largest=largest)
            away = explained_away(fine, rungs, top.active, own)
        top = top.without(away, rungs, space)

        def refine_again() -> Refined:
            problem.scales = fine.problem.scales
            return refine(
                problem, fine.theta, top.active, starts, weights, floors, on_grid, fine.level, some is not None
            )

        if away and some is None:
            fine = refine_again()
        done(1)
        network, units = None, ()
        if networks:
            # laws show with long steps as well as with short ones: the weights are fitted again at the end
            coarse = [own_grid(whole.dt / each) for each in ((1, 2) if fine.level else (1,))]
            network, units, top = climb_network(fine.problem, coarse, fine.theta, top, own, folds, rig, seed, memory)
            done(1, top.rungs[-1].name)
        if network is not None:
            problem = with_network(problem, network, units)
            space = problem.space
            believed = {joint: each.with_network(network) for joint, each in believed.items()}
            fine = replace(fine, theta=top.theta)
        if network is not None or some is not None:
            fine = refine_again()
    memory.end()
    if whole.joints:
        blind = blind_joints(space, fine.information, weights, top.active, whole.joints)
    else:
        blind = blind_directions(space.parameters, fine.information.curvature(weights), top.active)
    fitted = list_parameters(space, fine.theta, top.active, fine.covariance)
    drive = _fitted_drive(fine, top.active, {joint: each.whole for joint, each in believed.items()}, lanes)
    drive = replace(drive, found=found_of_rig(rig, fitted))
    notes += [note for each in believed.values() for note in each.notes]
    notes += idle.values()
    if network is not None:
        notes.append(describe_network(fine.problem, fine.theta, top.active, weights))
    evidence = Evidence(fine.problem, weights, tuple(train), last, floors)
    residuals = [each[0] for each in fine.problem.residuals(fine.theta[None], top.active)]
    misses, climbed = [each[0] for each in fine.residuals], top.rungs
    if free is None and takes_filter(bench.actuator, whole):
        found, rung = try_filter(evidence, seen, residuals)
        climbed = (*climbed, rung)
        if found is not None:
            drive = replace(drive, filter=found)
            misses = residuals = residuals_of_filter(found, evidence)
            notes.append(NOTE)
    left = what_is_left(evidence, misses)
    unexplained = explained_little(left)
    refuse_silent_logs(left, space, fine.information, weights, top.active)
    curves = residual_curves(evidence, fine.theta, top.active, residuals, seed)
    return Fit(
        _actuator(drive, read, drives), rig, fitted, climbed, evidence.errors(misses),
        (*unexplained, *check_fit(fitted, blind), *coarse_steps(space.parameters, fine), *residual_findings(curves)),
        tuple(blind), curves, tuple(log.hash for log, kept in zip(given, train, strict=True) if kept), seed,
        tuple(dict.fromkeys(notes)), drive, space, fine.theta, top.active, fine.covariance, evidence,
    )  # fmt: skip


def _on_grid(
    given: list[Log], rig: Rig, actuator: Actuator, compare: Sequence[str] | None, dt: float
) -> Trials:  # fmt: skip
    return make_trials(given, rig, actuator, dt=dt, compare=compare)


def _fitted_drive(fine: Refined, active: np.ndarray, wholes: Mapping[str, Actuator], lanes: Sequence[str]) -> Drive:
    """The drive with what was found of it and of its rig, joint by joint."""
    moved = fine.problem.moved(active)
    made = {}
    for joint, whole in wholes.items():
        values = fine.problem.space.settings(fine.theta, active, lanes.index(joint))
        settings = {name: values[name] for name in moved}
        made[joint] = Drive(joint or "fit", whole, settings, fine.steps[0], extrapolated=len(fine.steps) > 1)
    first = next(iter(made.values()))
    return first if "" in made else replace(first, name="fit", joints=made)


def _actuator(drive: Drive, given: Mapping[str, Actuator], drives: Mapping[str, Actuator]) -> Actuator | ActuatorSet:
    """What was found as an actuator: the laws that stayed, with their numbers."""
    if drive.filter is not None:
        return drive.filter.actuator()
    made = {}
    for joint, each in (drive.joints or {"": drive}).items():
        own = {n.removeprefix("actuator."): x for n, x in each.settings.items() if n.startswith("actuator.")}
        fitted = without_idle_parts(rebuild(each.actuator, own))
        made[joint] = fitted if given[joint] is drives[joint] else as_given(fitted, given[joint])
    if "" in made:
        return made[""]
    return ActuatorSet(tuple(made), {re.escape(joint): each for joint, each in made.items()})


def require_logs(logs: object, caller: str) -> list[Log]:
    """Logs as a list; `caller` is the function that is named in the error."""
    found = [logs] if isinstance(logs, Log) else logs
    if not isinstance(found, Sequence) or not found or not all(isinstance(log, Log) for log in found):
        raise ParameterError(f"{caller}: logs = {quote(logs)}: must be a Log or a list of them")
    return list(found)  # type: ignore[arg-type]


def _refuse_copies(logs: Sequence[Log]) -> None:
    """Refuse a log that is there twice: it would count as two measurements."""
    seen: dict[str, str] = {}
    for log in logs:
        name = log.name or "log"
        if log.hash in seen:
            raise ParameterError(f"identify: {seen[log.hash]} and {name} are the same log; give it once")
        seen[log.hash] = name


def require_rig(rig: object, caller: str) -> Rig:
    """A rig; `caller` is the function that is named in the error."""
    if not isinstance(rig, Rig):
        raise ParameterError(f"{caller}: rig = {quote(rig)}: must be a Rig, such as be.Rig.read('rig.toml')")
    return rig


def _training_share(logs: list[Log], hold_out: object) -> tuple[list[bool], float]:
    """Which logs are fitted, and up to which share of each."""
    if hold_out is None:
        return [True] * len(logs), 1.0
    if isinstance(hold_out, str):
        return [not out for out in held_out(logs, hold_out)], 1.0
    if isinstance(hold_out, bool) or not isinstance(hold_out, (int, float)) or not 0.0 < hold_out < 1.0:
        raise ParameterError(
            f"hold_out = {quote(hold_out)}: must be an expression such as kp==800, or a share such as 0.4"
        )
    with errors_at(f"identify: hold_out = {hold_out:g}"):
        for log in logs:
            log.split(1.0 - float(hold_out))
    return [True] * len(logs), 1.0 - float(hold_out)


def _pieces(trials: Trials, last: float) -> int:
    """Pieces of each log: about a second long, enough of them, and one ends where the last share begins."""
    block = HEAT_BLOCK if any(reading.channel.endswith("temperature") for reading in trials.readings) else BLOCK
    least = max(round(trials.steps * trials.dt / block), -(-FEWEST // trials.lanes))
    return next((n for n in range(least, 4 * least + 20) if abs(n * last - round(n * last)) < 1e-9), least)


def _block_weights(train: list[bool], last: float, trials: Trials, pieces: int) -> np.ndarray:
    """1 for blocks of the training share, 0 for the others."""
    rows = []
    for file in trials.files:
        ends = (np.arange(pieces) + 1) / pieces
        rows.append(np.where(ends <= last + 1e-9, 1.0, 0.0) if train[file] else np.zeros(pieces))
    return np.concatenate(rows)


def _lanes_of_ladder(trials: Trials, seen: np.ndarray, groups: Sequence[object], seed: int) -> np.ndarray | None:
    """Lanes that are enough to climb the ladder, as many of each group, at random; None: all of them."""
    there = np.flatnonzero(seen)
    if len(there) <= ENOUGH or trials.joints:
        return None
    taken: dict[str, int] = {}
    ranked = []
    for lane in np.random.default_rng([seed, len(there)]).permutation(there).tolist():
        group = str(groups[lane])
        taken[group] = taken.get(group, 0) + 1
        ranked.append((taken[group], lane))
    return np.array(sorted(lane for _, lane in sorted(ranked, key=lambda each: each[0])[:ENOUGH]))


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
    largest = max(float(np.abs(log[channel]).max()) for log in trials.logs)
    # a channel that never changes does not show its noise, and all its samples are one
    count = sum(len(log[channel]) for log in trials.logs)
    unknown = CONSTANT * largest * np.sqrt(count) if size <= ROUNDING * largest else 0.0
    return max(0.5 * max(steps), 1e-6 * size, unknown, 1e-12)


def chosen_rungs(rungs: Sequence[Rung], free: Sequence[str] | str | None, caller: str = "identify") -> tuple[Rung, ...]:
    """The rungs with the parameters that may move; `caller` is the function that is named in the error."""
    if free is None:
        return tuple(rungs)
    patterns = [free] if isinstance(free, str) else list(free)
    if not patterns:
        raise ParameterError(
            f"{caller}: free = []: leaves nothing to find; name some, as in friction.*, or leave it out"
        )
    known = [each.name for rung in rungs for each in rung.parameters]

    def matches(each: Parameter, pattern: str) -> bool:
        short = each.name.removeprefix("motor.")
        names = {name for full in (each.name, short) for name in (full, full.split("@")[0])}
        # the name of a part is that of all its numbers
        return any(fnmatchcase(name, pattern) or fnmatchcase(name, f"{pattern}.*") for name in names)

    for pattern in patterns:
        if not any(matches(each, pattern) for rung in rungs for each in rung.parameters):
            listed = ", ".join(dict.fromkeys(family_of(name) for name in known))
            near = get_close_matches(pattern.strip("*."), [name.removeprefix("motor.") for name in known], n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ParameterError(f"{caller}: free = {quote(pattern)}: matches nothing of {listed}{hint}")
    kept = [
        replace(rung, parameters=tuple(e for e in rung.parameters if any(matches(e, p) for p in patterns)))
        for rung in rungs
    ]
    found = [rung for rung in kept if rung.parameters]
    return (replace(found[0], required=True), *found[1:])
