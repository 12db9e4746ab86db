"""What the log of each motion would tell of a drive.

The simulation's derivatives J by the free deviations of a fit give the information

    H = Σ Jᵀ·J/σ²,   σ: noise of each channel

less what a start that is not known exactly takes from it,

    H - Hs·(Hss + Ps)⁻¹·Hsᵀ,   s: deviations of the start

and with the prior's precision P, one motion tells more than another if det(H + P) is larger: its intervals are narrower
together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..actuator import Actuator
from ..loads import LockedRotor
from .bench import stack
from .channels import CHANNELS
from .drives import Drive, bench_for, predict_drive
from .excitation import Candidate, Excitation, Revealed
from .fit import list_parameters
from .identification import chosen_rungs
from .information import blind_directions
from .log import Log, Meta
from .motion_limits import Bounded, shrink
from .motions import Motion
from .parameters import Space
from .predict import Predictor
from .prior import make_prior
from .rig import Rig
from .rungs import make_rungs
from .starts import starts_of
from .trials import make_trials

FINER = 3
"""Samples of the simulation that limits are held against, per sample of the log [1]."""
POINTS = (0.0, -2.0)
"""Deviations of laws that nobody gave at which derivatives are taken: of their usual size, and much smaller [1]."""
TURNING = ("spring.", "motor.friction_over_angle.")
"""Beginnings of numbers that nothing tells of where a joint turns without end."""


@dataclass(frozen=True, eq=False)
class Plan:
    """Everything that all candidates share."""

    prior: object
    """What was given for the drive."""
    actuator: Actuator
    """The drive with the rig's firmware and supply."""
    rig: Rig
    bounds: Mapping[str, float]
    noise: Mapping[str, float]
    """One standard deviation of each channel that will be logged."""
    meta: Mapping[str, Meta]
    seconds: float
    rate: float
    amplitude: float
    """Largest command."""
    speed: float
    """Fastest rate of the command that is of use."""
    ambient: float
    """Temperature at the start [°C]."""

    @property
    def channels(self) -> tuple[str, ...]:
        return tuple(self.noise)

    @property
    def input(self) -> str:
        return str(self.actuator.controller.main)

    @property
    def unit(self) -> str:
        return CHANNELS[f"{self.input}_command"].unit

    @property
    def times(self) -> np.ndarray:
        return np.arange(FINER * round(self.seconds * self.rate) + 1) / (FINER * self.rate)

    def log(self, motion: Motion, channels: Sequence[str], fine: bool = False) -> Log:
        """A log of a motion at rest, in which only times and first values of what is measured count."""
        time = self.times
        coarse = time[::FINER]
        command, enable = motion.sample(coarse, float(coarse[-1]))
        at = time if fine else coarse
        seen = {name: (at, np.full(len(at), self.ambient if name.endswith("temperature") else 0.0))
                for name in channels}  # fmt: skip
        given = {f"{self.input}_command": (coarse, command), "enable": (coarse, enable)}
        return Log.from_arrays(None, {**given, **seen}, meta=self.meta, name=motion.kinds)

    def shrink(self, motions: Sequence[Motion]) -> list[Bounded]:
        return shrink(motions, self.bounds, self._peaks, self.ambient)

    def _peaks(self, motions: Sequence[Motion]) -> list[dict[str, float]]:
        if not self.bounds:
            return [{} for _ in motions]
        names = list(self.bounds)
        logs = [self.log(motion, names, fine=True) for motion in motions]
        seen = predict_drive(Drive("excite", self.actuator, extrapolated=False), self.rig, logs, names)
        return [{name: float(np.abs(log[name]).max()) for name in names} for log in seen]

    def score(self, bounded: Sequence[Bounded], free: Sequence[str] | str | None) -> list[Candidate]:
        kept = [each.motion for each in bounded if not each.reason]
        gains = iter(self._information(kept, free)[1] if kept else ())
        found = []
        for each in bounded:
            words = each.motion.words(self.unit, self.seconds)
            gain = math.nan if each.reason else next(gains)
            reason = each.reason or ("" if math.isfinite(gain) else "its derivatives do not stay finite")
            found.append(Candidate(each.motion, words, gain, reason))
        return found

    def _information(
        self, motions: Sequence[Motion], free: Sequence[str] | str | None
    ) -> tuple[np.ndarray, list[float], Space]:
        """Information of each motion on the deviations, (motions, parameters, parameters), and its gain [nat].

        The gain is the mean over the points, since nobody knows how large the laws are that nobody gave; information of
        different points is not added, since both together would tell apart what neither does.
        """
        logs = [self.log(motion, self.channels) for motion in motions]
        trials = make_trials(logs, self.rig, self.actuator, compare=self.channels)
        believed = make_prior(self.prior, self.rig, logs, trials.dt)
        bench = stack([bench_for(believed.whole, self.rig, log) for log in logs])
        rungs = chosen_rungs(make_rungs(bench, trials, self.rig, logs), free, "excite")
        sought = [each for rung in rungs for each in rung.parameters if self._is_sought(each.name, free)]
        every = [*sought, *starts_of(trials, logs[0], self.noise)]
        space = Space.over(every, bench, trials.lanes)
        new, active = np.array([each.reference is not None for each in every]), np.ones(len(every), dtype=bool)
        points = [np.where(new, point, 0.0) for point in POINTS]
        values = np.stack([space.values(theta, active) for theta in points], axis=1)
        _, slopes = Predictor(bench, trials, space.names).linearise(values)
        curves = np.zeros((len(points), trials.lanes, len(every), len(every)))
        for reading, rows in zip(trials.readings, slopes, strict=True):
            for curve, theta, row in zip(curves, points, rows, strict=True):
                ways = space.tangents(theta, active) / self.noise[reading.channel]
                by = np.einsum("lsn,pnl->lsp", row, ways, optimize=True)
                curve += np.einsum("lsp,lsq->lpq", by, by, optimize=True)
        curves, space = _less_starts(curves, space, len(sought)), Space.over(sought, bench, trials.lanes)
        scaled = np.eye(len(sought)) + curves * np.outer(space.spreads, space.spreads)
        with np.errstate(invalid="ignore"):
            gains = (0.5 * np.linalg.slogdet(scaled)[1]).mean(axis=0).tolist()
        return curves[0], gains, space

    def _is_sought(self, name: str, free: Sequence[str] | str | None) -> bool:
        """Whether a fit would look for a number: all that is named, and without names all that could be told."""
        return free is not None or "position" in self.bounds or not name.startswith(TURNING)

    def result(self, order: Sequence[Candidate], free: Sequence[str] | str | None) -> Excitation:
        chosen = order[0]
        (curve,), _, space = self._information([chosen.motion], free)
        active = np.ones(len(space.parameters), dtype=bool)
        covariance = np.linalg.inv(curve + np.diag(1.0 / space.spreads**2))
        names = [*dict.fromkeys((*self._drawn(), *self.bounds, *self.channels))]
        log = self.log(chosen.motion, names, fine=True)
        (seen,) = predict_drive(Drive("excite", self.actuator, extrapolated=False), self.rig, [log], names)
        peaks = {name: float(np.abs(seen[name]).max()) for name in self.bounds}
        return Excitation(
            chosen.words, self.input, log.times("enable"), log[f"{self.input}_command"], log["enable"], seen, peaks,
            self.bounds, self.noise, chosen.gain, list_revealed(space, covariance),
            tuple(blind_directions(space.parameters, curve, active)), tuple(order),
        )  # fmt: skip

    def _drawn(self) -> tuple[str, ...]:
        moving = () if self.rig.load.kind is LockedRotor else ("position", "velocity")
        return (
            moving if self.actuator.motor is None or follows_current(self.actuator, self.rig) else (*moving, "current")
        )


def _less_starts(curves: np.ndarray, space: Space, count: int) -> np.ndarray:
    """Information on the first `count` deviations, whatever the others are within their spreads."""
    with np.errstate(invalid="ignore"):
        known = curves[..., count:, count:] + np.diag(1.0 / space.spreads[count:] ** 2)
        taken = np.linalg.solve(known, curves[..., count:, :count])
        return curves[..., :count, :count] - curves[..., :count, count:] @ taken


def list_revealed(space: Space, covariance: np.ndarray) -> tuple[Revealed, ...]:
    theta, active = np.zeros(len(space.parameters)), np.ones(len(space.parameters), dtype=bool)
    after = list_parameters(space, theta, active, covariance)
    before = list_parameters(space, theta, active, np.diag(space.spreads**2))
    shares = np.sqrt(np.diag(covariance)) / space.spreads
    found = [
        Revealed(new.name, new.unit, new.prior, old.low, old.high, new.low, new.high, float(share))
        for new, old, share in zip(after, before, shares, strict=True)
    ]
    return tuple(sorted(found, key=lambda each: each.share))


def follows_current(actuator: Actuator, rig: Rig) -> bool:
    """Whether a measured current would be the input of a simulation: a torque controller on a locked joint."""
    return rig.load.kind is LockedRotor and actuator.controller.inputs == ("effort",)
