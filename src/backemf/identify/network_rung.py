"""The last rung of a free joint: a small network on what the laws leave.

Physics has the first word. Where the laws that stayed leave more than noise, units of a `TorqueNetwork` are fitted to
the same logs in closed loop while the laws keep their numbers: from several random starts on the training share, then
without each fold. It stays if left-out blocks are predicted better with it by more than the standard error, as every
law, and by a tenth of their loss, as a filter: numbers without a meaning have to be worth it. Only then do laws and
weights move together.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase

import numpy as np

from ..actuator import Actuator
from ..checks import quote
from ..errors import ParameterError
from ..motor import TanhUnit, TorqueNetwork
from ..physics.network import network_torque
from ..random.randomize import rebuild
from .bench import Bench, bench_among
from .extrapolate import on_grids, with_bench
from .ladder import IDLE, Climbed, Top, compare
from .log import Log
from .loss import Problem
from .memory import Arrays, Memory
from .parameters import Parameter, Space
from .predict import Predictor
from .rig import Rig
from .rung import MOTOR
from .signals import noise_of
from .solve import Solved, solve
from .trials import Reading, Trials

NAME = "a small network on what is left"
"""What the rung is called."""
UNITS = 4
"""Units of the network [1]."""
STARTS = 16
"""Random starts [1]."""
STEPS, LONG = (4, 6), 40
"""Steps of the starts, of which half are given up each time, and of the fits after that [1]."""
WEIGHT, INPUT = 0.1, 2.0
"""Spreads: of a unit's torque over the usual torque of the motor, and of what goes into it [1]."""
FIRST = 0.01
"""Torque of a unit at its start over the usual torque of the motor [1]."""
SAMPLES = 1000
"""Most samples of each log that it is tried on [1]."""
WORTH = 0.9
"""Loss of left-out blocks with the network over that without, below which it is worth twenty more numbers [1]."""
NOISE = 1.1
"""Residual over the noise of its channel, up to which nothing is left to explain [1]."""
INPUTS = ("per_position", "per_velocity", "per_torque", "bias")
"""Fields of a unit besides its weight."""


@dataclass(frozen=True, eq=False)
class Motion:
    """Joint position, velocity and the motor's torque at the joint along simulated logs, (lanes, steps)."""

    position: np.ndarray
    """Joint position [rad]."""
    velocity: np.ndarray
    """Joint velocity [rad/s]."""
    torque: np.ndarray
    """Torque of the motor at the joint [N·m]."""


def takes_network(actuator: Actuator, trials: Trials) -> bool:
    """Whether a network can stand beside the laws: of one free joint with a motor that has none yet.

    Joints of a robot have none: what is left there is as much the model of the rest of the robot, which is taken along
    the measured motion, and a network would learn its errors as if they were the drive's.
    """
    free = trials.path is None and trials.robot is None and not trials.joints
    return free and actuator.motor is not None and actuator.motor.network is None


def climb_network(
    fine: Problem, grids: Sequence[Trials], theta: np.ndarray, top: Top, train: np.ndarray, folds: np.ndarray,
    rig: Rig, seed: int, memory: Memory,
) -> tuple[TorqueNetwork | None, tuple[Parameter, ...], Top]:  # fmt: skip
    """The network with weights of 0 where it stays, its parameters, and the top with what became of it.

    Args:
        fine: Logs and laws, with predictions so fine that steps do not matter.
        grids: The logs on the grids that the network is tried on, one or two of which the second has half the step.
        theta: The optimum of the laws.
        top: Where the ladder ended.
        train: Weight of each block in the fit, (blocks).
        folds: Fold that leaves each block out, (blocks); -1 where it is not in the training share.
        rig: What the logs were taken on, for the noise of its sensors.
        seed: Random seed of the starts.
        memory: What an earlier try has found.
    """
    none = Climbed(NAME, False, 0.0, 0.0, tuple(fine.scales.sigma.tolist()), True, ())
    if not is_anything_left(fine, train, rig):
        return None, (), replace(top, rungs=(*top.rungs, none))
    problem, train, folds = _training_share(fine, grids, train, folds)
    scales = scales_of(simulated_motion(problem, theta, top.active, train))
    parameters = network_parameters(scales)
    found = memory.step("network", lambda: _find(problem, theta, top.active, scales, parameters, train, folds, seed))
    kept, gain, error = bool(found["kept"]), float(found["gain"]), float(found["error"])
    names = tuple(each.name for each in parameters)
    done = Climbed(NAME, kept, gain, error, tuple(found["sigma"].tolist()), bool(found["converged"]), names)
    rungs = (*top.rungs, done)
    if not kept:
        return None, (), replace(top, rungs=rungs)
    both = np.concatenate([theta, found["theta"]])
    active = np.concatenate([top.active, np.ones(len(parameters), dtype=bool)])
    return scales, parameters, replace(top, theta=both, active=active, rungs=rungs)


def _training_share(
    fine: Problem, grids: Sequence[Trials], train: np.ndarray, folds: np.ndarray
) -> tuple[Problem, np.ndarray, np.ndarray]:
    """The lanes that are fitted on other grids, with not too many samples; weights and folds of their blocks."""
    before, blocks = fine.predictor, fine.blocks
    weights, parts = (x.reshape(blocks.lanes, blocks.pieces) for x in (train, folds))
    lanes = np.flatnonzero(weights.any(axis=1))
    fewer = [grid.among(lanes, SAMPLES) for grid in grids]
    predictor = on_grids(Predictor(bench_among(before.bench, lanes), fewer[0], before.names), fewer)
    made = Problem(predictor, fine.space.among(lanes), replace(blocks, lanes=len(lanes)), fine.scales)
    # a little more than what is fitted, for sensors that lag
    last = blocks.seconds * (1 + int(np.flatnonzero(weights.any(axis=0))[-1])) + 0.1
    made.steps = min(fewer[0].steps, round(last / fewer[0].dt))
    return made, weights[lanes].reshape(-1), parts[lanes].reshape(-1)


def is_anything_left(problem: Problem, train: np.ndarray, rig: Rig) -> bool:
    """Whether residuals of the training share are larger than the noise of their channel."""
    trials = problem.predictor.trials
    seen = np.asarray(train.reshape(trials.lanes, -1).any(axis=1))
    for reading, sigma in zip(trials.readings, problem.scales.sigma, strict=True):
        sizes = [_noise(log, rig, reading.channel) for log, kept in zip(trials.logs, seen, strict=True) if kept]
        if sigma > NOISE * float(np.sqrt(np.mean(np.square(sizes)))):
            return True
    return False


def _noise(log: Log, rig: Rig, channel: str) -> float:
    step = float(np.max(np.asarray(rig.sensor_for(channel, log).quantisation)))
    return max(noise_of(log.times(channel), log[channel]), step / np.sqrt(12.0))


def simulated_motion(problem: Problem, theta: np.ndarray, active: np.ndarray, train: np.ndarray) -> Motion:
    """What the drive goes through in the training share as it is simulated."""
    bench, trials, blocks = _with_laws(problem, theta, active), problem.predictor.trials, problem.blocks
    time = trials.dt * np.arange(trials.steps + 1)
    at = np.broadcast_to(time, (trials.lanes, len(time)))
    nothing, there = np.zeros(at.shape), np.ones(at.shape, dtype=bool)
    names = ("position", "velocity", "motor_torque")
    dense = replace(trials, readings=tuple(Reading(name, at, nothing, there) for name in names))
    rows = Predictor(bench, dense, ()).predict(np.zeros((0, 1, trials.lanes)))
    motor = bench.actuator.motor
    assert motor is not None
    # a lane counts up to its end, and in blocks that are fitted
    ends = np.array([log.time[-1] - log.time[0] for log in trials.logs])
    piece = np.minimum((time / blocks.seconds).astype(int), blocks.pieces - 1)
    inside = (at <= ends[:, None]) & (train.reshape(blocks.lanes, blocks.pieces)[:, piece] > 0.0)
    position, velocity, torque = (each[0][inside] for each in rows)
    return Motion(position, velocity, float(np.mean(np.asarray(motor.ratio))) * torque)


def scales_of(motion: Motion, units: int = UNITS) -> TorqueNetwork:
    """A network without weights whose scales are those of a motion."""
    nothing = tuple(TanhUnit(weight=0.0) for _ in range(units))
    return TorqueNetwork(
        units=nothing,
        position=max(float(np.abs(motion.position).max()), 1e-3),
        velocity=max(float(np.sqrt(np.mean(motion.velocity**2))), 1e-3),
        torque=max(float(np.sqrt(np.mean(motion.torque**2))), 1e-9),
    )


def network_parameters(scales: TorqueNetwork) -> tuple[Parameter, ...]:
    """Every number of the units; torques stay near 0 unless the logs ask for more."""
    made = []
    for k in range(len(scales.units)):
        place = f"network.units.{k}"
        size = WEIGHT * float(np.asarray(scales.torque))
        made.append(_parameter(f"{place}.weight", size, "N·m"))
        made += [_parameter(f"{place}.{name}", INPUT, "1") for name in INPUTS]
    return tuple(made)


def _parameter(name: str, spread: float, unit: str) -> Parameter:
    return Parameter(f"motor.{name}", (MOTOR + name,), spread, positive=False, unit=unit, source="network")


def describe_network(problem: Problem, theta: np.ndarray, active: np.ndarray, train: np.ndarray) -> str:
    """How large the torque of a network is that was found, and over what it was trained, in a sentence."""
    motion, motor = simulated_motion(problem, theta, active, train), _with_laws(problem, theta, active).actuator.motor
    assert motor is not None and motor.network is not None
    given = network_torque(motor.network, motion.position, motion.velocity, motion.torque)
    rms, beside = (float(np.sqrt(np.mean(x * x))) for x in (given, motion.torque))
    ends = [f"{x.min():.3g} to {x.max():.3g} {unit}" for x, unit in
            ((motion.position, "rad"), (motion.velocity, "rad/s"), (motion.torque, "N·m of the motor"))]  # fmt: skip
    return (
        f"a network of {len(motor.network.units)} units gives {rms:.2g} N·m RMS beside {beside:.2g} N·m of the motor, "
        f"which no law explains; it was trained over {', '.join(ends)}, and beyond that it is held where it saturates"
    )


def allows_network(free: Sequence[str] | str | None) -> bool:
    """Whether names that may move include those of a network."""
    patterns = [free] if isinstance(free, str) else free
    name = "network.units.0.weight"
    return patterns is None or any(fnmatchcase(each, p) for p in patterns for each in (name, f"motor.{name}"))


def patterns_of_laws(free: Sequence[str] | str | None) -> Sequence[str] | None:
    """The names that may move without those of a network alone."""
    if free is None:
        return None
    patterns = [free] if isinstance(free, str) else free
    laws = [each for each in patterns if not each.removeprefix("motor.").startswith("network")]
    if patterns and not laws:
        raise ParameterError(
            f"identify: free = {quote(free)}: a network stands on laws; name a law beside it, as in friction.*"
        )
    return laws


def with_network(problem: Problem, network: TorqueNetwork, parameters: Sequence[Parameter]) -> Problem:
    """The same problem with a network, and its numbers behind the others."""
    before = problem.predictor
    bench = bench_with_network(before.bench, network)
    space = problem.space.extended(parameters, bench)
    made = Problem(Predictor(bench, before.trials, space.names), space, problem.blocks, problem.scales)
    made.steps, made.reached = problem.steps, problem.reached
    return made


def bench_with_network(bench: Bench, network: TorqueNetwork) -> Bench:
    """The bench with a network beside its motor's laws."""
    return replace(bench, actuator=actuator_with_network(bench.actuator, network))


def actuator_with_network(actuator: Actuator, network: TorqueNetwork) -> Actuator:
    """The actuator with a network beside its motor's laws."""
    assert actuator.motor is not None
    return replace(actuator, motor=replace(actuator.motor, network=network))


def _with_laws(problem: Problem, theta: np.ndarray, active: np.ndarray) -> Bench:
    """The bench with the numbers that were found."""
    values = problem.space.values(theta, active)
    moved = set(problem.moved(active))
    found = {
        name: float(row[0]) if (row == row[0]).all() else row
        for name, row in zip(problem.space.names, values, strict=True)
        if name in moved
    }
    return rebuild(problem.predictor.bench, found)


def _find(
    problem: Problem, theta: np.ndarray, active: np.ndarray, scales: TorqueNetwork, parameters: Sequence[Parameter],
    train: np.ndarray, folds: np.ndarray, seed: int,
) -> Arrays:  # fmt: skip
    """The weights of the whole training share, and whether left-out blocks are predicted better with them."""
    bench = bench_with_network(_with_laws(problem, theta, active), scales)
    space = Space.over(parameters, bench, problem.blocks.lanes)
    own = Problem(with_bench(problem.predictor, bench, space.names), space, problem.blocks, problem.scales)
    own.steps = problem.steps
    every = np.ones(len(parameters), dtype=bool)
    before = own.evaluate(np.zeros((1, len(parameters))), every, slopes=False).loss[0]
    best = _solve_from_several(own, train, seed)
    saved = float((train * before).sum() - best.loss[0])
    sigma = np.array([1.2533 * float(np.abs(rows[0][there]).mean()) for rows, there in
                      zip(own.residuals(best.theta, every), own.samples_in(train), strict=True)])  # fmt: skip
    found = {"theta": best.theta[0], "sigma": sigma, "converged": best.converged[0]}
    if saved < IDLE:
        return found | {"kept": np.array(False), "gain": np.array(0.0), "error": np.array(0.0)}
    count = int(folds.max()) + 1
    weights = np.stack([np.where(folds == k, 0.0, train) for k in range(count)])
    left_out = np.stack([np.where(folds == k, train, 0.0) for k in range(count)])
    without = solve(own, np.repeat(best.theta, count, axis=0), every, weights, steps=LONG)
    gain, error = compare(np.repeat(before[None], count, axis=0), without.local.loss, left_out)
    # each block is left out once
    usual = float((before * train)[train > 0.0].mean())
    kept = gain > max(error, (1.0 - WORTH) * usual)
    return found | {"kept": np.array(kept), "gain": np.array(gain), "error": np.array(error)}


def _solve_from_several(problem: Problem, train: np.ndarray, seed: int) -> Solved:
    """The best fit of the training share from random starts of hardly any torque."""
    generator = np.random.default_rng([seed, STARTS])
    spreads = problem.space.spreads
    torques = np.array([each.name.endswith(".weight") for each in problem.space.parameters])
    sizes = np.where(torques, FIRST / WEIGHT, 0.5) * spreads
    tried = generator.normal(size=(STARTS, len(spreads))) * sizes
    every = np.ones(len(spreads), dtype=bool)

    def best_of(tried: np.ndarray, steps: int) -> Solved:
        return solve(problem, tried, every, np.repeat(train[None], len(tried), axis=0), steps=steps)

    for steps in STEPS:
        short = best_of(tried, steps)
        tried = short.theta[np.argsort(short.loss)[: max(1, len(tried) // 2)]]
    last = best_of(tried, LONG)
    return last.take(np.argsort(last.loss)[:1])
