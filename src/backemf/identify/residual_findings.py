"""What residuals still follow, such as the angle or the speed: a law that is missing leaves its mark on them.

Residuals are sorted into bins of equal numbers along each quantity. The share of their variance that lies between the
bins is compared with what chance gives: blocks of residuals in another order keep what neighbours have in common, and
no longer belong to the quantity. Only what stands out of that and is worth mending is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..datasheet import Finding
from .evidence import Evidence
from .log import Log
from .missing_torque import MISSING, surplus_torque
from .predict import Predictor
from .signals import LEAST, slope_over
from .trials import Reading

BINS = 12
"""Bins along a quantity [1]."""
DRAWS = 200
"""Orders of the blocks that are drawn [1]."""
WORTH, LARGE = 0.05, 0.005
"""Share of the variance above chance, and its size over that of the channel, from which on it is reported [1]."""
LANES, SAMPLES = 24, 2000
"""Most lanes that are looked at, and most samples of each [1]."""
FEWEST = 6
"""Blocks below which nothing can be said [1]."""
SPIKE = 5.0
"""Residual, over their usual size, to which larger ones are cut [1]."""
TOGETHER = 0.9
"""Rank correlation of two quantities from which on they cannot be told apart [1]."""


@dataclass(frozen=True)
class Quantity:
    """Something that residuals may follow."""

    name: str
    """What it is called."""
    unit: str
    """SI unit."""
    reason: str
    """What would explain residuals that follow it."""


QUANTITIES = {
    "angle": Quantity("angle", "rad", "cogging, friction over the angle, or a spring or an offset of the joint"),
    "speed": Quantity("speed", "rad/s", "Stribeck or viscous friction, drag, or a lag of commands or sensors"),
    "load": Quantity(
        "torque in the direction of motion",
        "N·m",
        "friction that grows with the load, or a load that is not as the rig says",
    ),
    "duty": Quantity("duty", "1", "dead time of the bridge, a curve from duty to voltage, or a supply that sags"),
    "time": Quantity("time", "s", "a winding that warms up, a supply that drains, or a start that is not as assumed"),
    "temperature": Quantity("temperature", "°C", "a resistance, a magnet or a friction that changes with temperature"),
}
"""What residuals are held against."""


@dataclass(frozen=True, eq=False)
class ResidualCurve:
    """Residuals of one channel along one quantity, predicted less measured."""

    channel: str
    """What was compared; of a free joint the torque that is missing along its motion, in place of its position."""
    quantity: str
    """A name of `QUANTITIES`."""
    at: np.ndarray
    """Mean of the quantity in each bin, in its unit, (bins)."""
    mean: np.ndarray
    """Mean residual in each bin, in the channel's SI unit, (bins)."""
    low: np.ndarray
    """Residual that one of ten in the bin is below, (bins)."""
    high: np.ndarray
    """Residual that one of ten in the bin is above, (bins)."""
    share: float
    """Share of the residuals' variance that lies between the bins [1]."""
    chance: float
    """What it would be by chance: the mean over other orders of the blocks [1]."""
    limit: float
    """What it would be in one of a hundred other orders [1]."""
    size: float
    """Root mean square of what follows, over that of the channel about its mean [1]."""
    others: tuple[str, ...] = ()
    """Quantities that cannot be told from this one here, since they move with it."""

    @property
    def stands_out(self) -> bool:
        """Whether more of the residuals lies between the bins than chance gives, however little that is."""
        return self.share > self.limit and self.share - self.chance > WORTH

    @property
    def follows(self) -> bool:
        """Whether the residuals follow the quantity, and that is large enough to matter."""
        return self.stands_out and self.size > LARGE


def residual_findings(curves: Sequence[ResidualCurve]) -> tuple[Finding, ...]:
    """What residuals follow, the strongest first, each with what would explain it."""
    found = []
    for curve in sorted(curves, key=lambda each: each.chance - each.share):
        if curve.follows:
            it = QUANTITIES[curve.quantity]
            others = " and ".join(QUANTITIES[name].name for name in curve.others)
            apart = f"; {others} cannot be told from it here" if others else ""
            what = "its variance" if curve.channel == MISSING else "the variance of its residuals"
            found.append(Finding(
                curve.channel, None, None, "info",
                f"{100 * curve.share:.0f} % of {what} follows the {it.name}, by chance "
                f"{100 * curve.chance:.0f} %: {it.reason}{apart}", f"residual-follows-{curve.quantity}",
            ))  # fmt: skip
    return tuple(found)


def residual_curves(
    evidence: Evidence, theta: np.ndarray, active: np.ndarray, residuals: Sequence[np.ndarray], seed: int = 0
) -> tuple[ResidualCurve, ...]:
    """Residuals along each quantity that was measured or is simulated, channel by channel.

    Args:
        evidence: Logs and what a fit has seen of them.
        theta: Deviations of the fit.
        active: Which of them are free.
        residuals: Predicted less measured, (lanes, samples) by channel.
        seed: Random seed of the orders that chance is taken from.
    """
    found: list[ResidualCurve] = []
    count = evidence.trials.lanes
    few = (
        np.arange(count) if evidence.trials.joints else np.unique(np.linspace(0, count - 1, min(count, LANES)).round())
    )
    few = few.astype(int)
    residuals = [
        residual[few, :: reading.stride(SAMPLES)]
        for reading, residual in zip(evidence.trials.readings, residuals, strict=True)
    ]
    evidence = evidence.among(few, SAMPLES)
    blocks = evidence.problem.blocks
    simulated = _simulate(evidence, theta, active)
    for reading, residual in _judged(evidence, theta, active, residuals):
        lanes = range(evidence.trials.lanes)
        block = [lane * blocks.pieces + _pieces(reading.time[lane], blocks.seconds, blocks.pieces) for lane in lanes]
        labels = np.concatenate([block[lane][reading.there[lane]] for lane in lanes])
        values = np.concatenate([residual[lane, reading.there[lane]] for lane in lanes])
        if len(np.unique(labels)) < FEWEST or len(values) < 4 * BINS or not np.ptp(values) > 0.0:
            continue
        values = _cut_spikes(values)
        # the same orders for all quantities
        orders = _other_orders(labels, np.random.default_rng(seed))
        quantities = _quantities(evidence, reading, simulated)
        scale = max(float(np.std(reading.values[reading.there])), 1e-300)
        own = []
        for name, along in quantities.items():
            given = values
            if name == "load" and reading.channel in ("torque", MISSING) and "speed" in quantities:
                # friction under load is against the motion, whichever way that goes
                way = np.sign(quantities["speed"])
                given, along = values * way, along * way
            own.append(_curve(reading.channel, name, along, given, scale, orders, _bin_count(name, blocks.pieces)))
        follow = [each.quantity for each in own if each.follows]
        for each in own:
            others = [
                n for n in follow if n != each.quantity and _ranks_agree(quantities[n], quantities[each.quantity])
            ]
            found.append(replace(each, others=tuple(others)))
    return tuple(found)


def _judged(
    evidence: Evidence, theta: np.ndarray, active: np.ndarray, residuals: Sequence[np.ndarray]
) -> list[tuple[Reading, np.ndarray]]:
    """Residuals to look at: the torque that is missing along the motion stands for positions and velocities."""
    pairs = list(zip(evidence.trials.readings, residuals, strict=True))
    surplus = surplus_torque(evidence, theta, active)
    if surplus is None:
        return pairs
    return [surplus, *(pair for pair in pairs if pair[0].channel not in ("position", "velocity", "torque"))]


def _curve(
    channel: str, name: str, quantity: np.ndarray, residual: np.ndarray, scale: float, orders: np.ndarray,
    bins: int,
) -> ResidualCurve:  # fmt: skip
    order = np.argsort(quantity, kind="stable")
    place = np.empty(len(quantity), dtype=int)
    place[order] = np.arange(len(quantity)) * bins // len(quantity)
    groups = [residual[place == k] for k in range(bins)]
    share = _share_between(residual, place, bins)
    by_chance = np.array([_share_between(residual[each], place, bins) for each in orders])
    size = float(np.std(residual)) * np.sqrt(max(share - by_chance.mean(), 0.0)) / scale
    low, high = (np.array([np.quantile(group, q) for group in groups]) for q in (0.1, 0.9))
    return ResidualCurve(
        channel, name, np.array([quantity[place == k].mean() for k in range(bins)]),
        np.array([group.mean() for group in groups]), low, high,
        share, float(by_chance.mean()), float(np.quantile(by_chance, 0.99)), float(size),
    )  # fmt: skip


def _share_between(residual: np.ndarray, place: np.ndarray, bins: int) -> float:
    """Variance between the bins over all of it: the correlation ratio [1]."""
    centred = residual - residual.mean()
    counts = np.bincount(place, minlength=bins)
    sums = np.bincount(place, weights=centred, minlength=bins)
    whole = float((centred**2).sum())
    return float((sums**2 / np.maximum(counts, 1)).sum()) / whole if whole > 0.0 else 0.0


def _other_orders(labels: np.ndarray, generator: np.random.Generator) -> np.ndarray:
    """Indices of the samples with their blocks in other orders, (draws, samples)."""
    blocks = [np.flatnonzero(labels == label) for label in np.unique(labels)]

    def draw() -> np.ndarray:
        order = np.concatenate([blocks[k] for k in generator.permutation(len(blocks))])
        return np.roll(order, generator.integers(len(order)))

    return np.stack([draw() for _ in range(DRAWS)])


def _bin_count(name: str, pieces: int) -> int:
    """Bins along a quantity; along time each has two blocks or more, since what is within a block is not shuffled."""
    return min(BINS, max(2, pieces // 2)) if name == "time" else BINS


def _pieces(time: np.ndarray, seconds: float, pieces: int) -> np.ndarray:
    return np.minimum((time / seconds).astype(int), pieces - 1)


def _cut_spikes(residual: np.ndarray) -> np.ndarray:
    most = SPIKE * max(1.4826 * float(np.median(np.abs(residual - np.median(residual)))), 1e-300)
    middle = float(np.median(residual))
    return np.clip(residual, middle - most, middle + most)


def _ranks_agree(one: np.ndarray, other: np.ndarray) -> bool:
    """Whether two quantities rise and fall together."""
    ranks = [np.argsort(np.argsort(each)).astype(float) for each in (one, other)]
    return abs(float(np.corrcoef(ranks)[0, 1])) > TOGETHER


# --- the quantities


def _quantities(
    evidence: Evidence, reading: Reading, simulated: dict[str, tuple[np.ndarray, float]]
) -> dict[str, np.ndarray]:
    """Each quantity at the times of a reading, all lanes in a row; only those that vary."""
    columns: dict[str, list[np.ndarray]] = {}
    for lane, log in enumerate(evidence.trials.logs):
        time = reading.time[lane, reading.there[lane]]
        found = {name: np.interp(time, *series) for name, series in _measured(log).items()}
        for name, (rows, dt) in simulated.items():
            if name not in found:
                found[name] = np.interp(time, dt * np.arange(rows.shape[1]), rows[lane])
        found["time"] = time
        for name, values in found.items():
            columns.setdefault(name, []).append(values)
    whole = {n: np.concatenate(columns[n]) for n in QUANTITIES if len(columns.get(n, ())) == evidence.trials.lanes}
    return {name: values for name, values in whole.items() if len(np.unique(values)) >= 2 * BINS}


def _measured(log: Log) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Times since the start and values of the quantities that a log has."""
    start, found = log.time[0], {}
    if "position" in log:
        time, position = log.times("position"), log["position"]
        found["angle"] = (time - start, position)
        if len(time) >= LEAST:
            found["speed"] = (time - start, slope_over(time, position))
    if "velocity" in log and "speed" not in found:
        found["speed"] = (log.times("velocity") - start, log["velocity"])
    for name, channel in (("temperature", "housing_temperature"), ("temperature", "winding_temperature"),
                          ("duty", "duty")):  # fmt: skip
        if channel in log:
            found[name] = (log.times(channel) - start, log[channel])
    return found


def _simulate(evidence: Evidence, theta: np.ndarray, active: np.ndarray) -> dict[str, tuple[np.ndarray, float]]:
    """Quantities of the simulation, (lanes, samples), and the time between samples."""
    problem, trials = evidence.problem, evidence.trials
    actuator = problem.predictor.bench.actuator
    channels = {"angle": "position", "speed": "velocity", "load": "torque"}
    if actuator.motor is not None and actuator.supply is not None:
        channels["duty"] = "duty"
    if actuator.motor is not None and actuator.motor.thermal is not None:
        channels["temperature"] = "winding_temperature"
    every = max(1, round(2e-3 / trials.dt))
    at = np.broadcast_to(trials.dt * np.arange(0, trials.steps + 1, every), (trials.lanes, trials.steps // every + 1))
    readings = [Reading(name, at, np.zeros(at.shape), np.ones(at.shape, dtype=bool)) for name in channels.values()]
    predictor = Predictor(problem.predictor.bench, replace(trials, readings=tuple(readings)), problem.space.names)
    seen = predictor.predict(problem.space.values(theta, active)[:, None, :])
    return {name: (rows[0], every * trials.dt) for name, rows in zip(channels, seen, strict=True)}
