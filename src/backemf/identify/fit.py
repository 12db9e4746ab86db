"""The result of an identification."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..actuator import Actuator, JointSpring
from ..actuator.duty_curve import DutyCurve
from ..checks import quote, require_seed, require_sizes
from ..datasheet import Finding
from ..errors import ParameterError
from ..files import write_text
from ..motor import FrictionAngleTable, FrictionOverAngle, LoadDependent, LoadShare, QuadraticShare
from ..motor.motor import Friction
from ..motorfile import dumps
from ..motorfile import save as save_actuator
from ..random.randomize import rebuild
from ..robot import ActuatorSet
from ..units import convert, positional, practical_unit
from .bootstrap import Bootstrap, bootstrap
from .channels import CHANNELS, require_channel
from .drives import Drive, predict_drive
from .evidence import Error, Evidence, mean_error
from .filter_rung import residuals_of_filter
from .found_rig import rig_with
from .information import NINETY_FIVE, Blind, is_of_network
from .ladder import Climbed
from .log import Log, only_joint
from .parameters import Space
from .profile import POINTS, Profile, profile
from .residual_findings import ResidualCurve
from .rig import Rig
from .saturation import without_idle_saturation


@dataclass(frozen=True)
class Fitted:
    """One number: what was believed, and what the logs say."""

    name: str
    """Its name, such as motor.winding.resistance; of a robot, with the joint or the kind of joints behind an @."""
    unit: str
    """SI unit."""
    prior: float
    """Before the fit; of a number that nobody gave, its usual size."""
    value: float
    """After it."""
    low: float
    """Lower end of the 95 % interval."""
    high: float
    """Upper end of it."""
    source: str
    """Where the prior is from."""
    deviation: float
    """How far it moved, in spreads of its prior [1]."""
    at_bound: bool = False
    """Whether it stopped at the end of what it may be."""


def error_unit(channel: str, errors: Sequence[Error]) -> str:
    """The unit in which errors of a channel are printed, by the largest: mrad of an angle, K of a temperature."""
    unit = CHANNELS[channel].unit
    if unit == "rad":
        return "mrad"
    sizes = [e.mean_absolute for e in errors if np.isfinite(e.mean_absolute)]
    return practical_unit(max(sizes, default=0.0), unit.replace("degC", "K"))


@dataclass(frozen=True, eq=False)
class Fit:
    """A motor found from logs: `fit.actuator`, `fit.predict(log)`, `fit.parameters`, `fit.samples(n)`."""

    actuator: Actuator | ActuatorSet
    """The drive, with the laws that stayed and their numbers; of a robot, that of each joint."""
    rig: Rig
    """What the logs were taken on, with its quantities as given."""
    parameters: tuple[Fitted, ...]
    """Every number that was found."""
    rungs: tuple[Climbed, ...]
    """What became of each law that was tried."""
    errors: tuple[Error, ...]
    """How far predictions are off, log by log."""
    findings: tuple[Finding, ...]
    """What to look at: parameters far from the prior or at a bound, directions that the data do not see."""
    blind: tuple[Blind, ...]
    """Directions that stay at the prior."""
    residual_curves: tuple[ResidualCurve, ...]
    """Residuals of each channel along angle, speed, load, duty, time and temperature."""
    hashes: tuple[str, ...]
    """SHA-256 of each log of the training share."""
    seed: int
    """Random seed of the starts."""
    notes: tuple[str, ...]
    """What was assumed of the prior, one sentence each."""
    _drive: Drive = field(repr=False)
    _space: Space = field(repr=False)
    _theta: np.ndarray = field(repr=False)
    _active: np.ndarray = field(repr=False)
    _covariance: np.ndarray = field(repr=False)
    _evidence: Evidence = field(repr=False)

    @property
    def found_rig(self) -> Rig:
        """The rig with its quantities as they were found, and the spreads that are left.

        With the file of the drive it predicts what the fit does: `be.compare(log, "fitted.toml", fit.found_rig)`.
        """
        return rig_with(self.rig, self._drive.found)

    def predict(self, log: Log) -> Log:
        """What this drive would have logged: the channels that were compared, at the log's own times."""
        if not isinstance(log, Log):
            raise ParameterError(f"predict: log = {quote(log)}: must be a Log, such as be.read_log('swing.csv')")
        return predict_drive(self._drive, self.rig, [only_joint(log) if not self._drive.joints else log])[0]

    def _residuals(self) -> list[np.ndarray]:
        """Predicted less measured, (lanes, samples) by channel."""
        if self._drive.filter is not None:
            return residuals_of_filter(self._drive.filter, self._evidence)
        return [each[0] for each in self._evidence.problem.residuals(self._theta[None], self._active)]

    def samples(self, shape: int | tuple[int, ...], seed: int = 0) -> Actuator | ActuatorSet:
        """The drive with arrays of draws for every number of its own, as the logs leave them uncertain.

        Draws keep what the logs say of numbers together, such as a resistance that is only known with its Kt.

        Args:
            shape: How many, or the shape of a batch, as of `randomize`: (environments, joints), or (environments, 1)
                for a drive of an `ActuatorSet`, whose joints then have one draw in each environment. Of a robot, the
                number of environments: its draws are (environments, 1) for each joint.
            seed: Random seed of the draws.
        """
        if self._drive.filter is not None:
            raise ParameterError("samples: a filter has no intervals; identify with free, which keeps to laws")
        batch = require_sizes("samples: shape", shape, 1)
        if isinstance(self.actuator, ActuatorSet) and len(batch) != 1:
            raise ParameterError(f"samples: shape = {quote(shape)}: of a robot, give the number of environments")
        count = math.prod(batch)
        generator = np.random.default_rng(require_seed("samples", seed))
        draws = generator.multivariate_normal(self._theta, self._covariance, size=count, method="eigh")
        values = np.stack([self._space.values(draw, self._active) for draw in draws], axis=-1)
        moved = {target for k, each in enumerate(self._space.parameters) if self._active[k] for target in each.targets}
        places = {
            name.removeprefix("actuator."): place
            for place, name in enumerate(self._space.names)
            if name.startswith("actuator.") and name in moved
        }
        if isinstance(self.actuator, Actuator):
            return rebuild(self.actuator, {name: values[place, 0].reshape(batch) for name, place in places.items()})
        made = {}
        for joint in self.actuator.joints:
            lane = self._evidence.trials.joints.index(joint)
            changes = {name: values[place, lane][:, None] for name, place in places.items()}
            made[re.escape(joint)] = rebuild(self.actuator[joint], changes)
        return ActuatorSet(self.actuator.joints, made)

    def error(self, channel: str = "position", held_out: bool = True) -> float:
        """Mean over the logs of the mean absolute error of a channel, in its SI unit; nan where there is none."""
        require_channel(channel, "error: ")
        return mean_error(self.errors, channel, held_out)

    def profile(self, name: str, points: int = POINTS) -> Profile:
        """How the loss rises as a parameter is held at values around its best one and all others are fitted again.

        Args:
            name: A parameter, such as motor.winding.resistance.
            points: Values on either side of the best one.
        """
        return profile(self._evidence, self._theta, self._active, self._covariance, self._full(name), points)

    def _full(self, name: str) -> str:
        """The whole name of a parameter, which may be given without `motor.` in front."""
        known = {each.name for each in self.parameters}
        return f"motor.{name}" if name not in known and f"motor.{name}" in known else name

    def bootstrap(self, n: int = 200, seed: int = 0) -> Bootstrap:
        """Fits to blocks of the logs that are drawn again, with intervals from their quantiles.

        Args:
            n: Number of draws.
            seed: Random seed of the draws.
        """
        return bootstrap(self._evidence, self._theta, self._active, n, seed)

    def report(self, path: str | Path) -> Path:
        """Write a page: errors beside simpler models, pictures, ladder, parameters, residuals, what to measure next.

        It is one HTML file that needs nothing else, light or dark, written atomically.
        """
        from .report import report_html

        require_suffix(path, ".html", "a page about a fit")
        return write_text(path, report_html(self), folders=True)

    def error_table(self) -> tuple[list[str], list[list[str]]]:
        """Headings and rows: mean absolute error and RMS of each channel, of logs held out first."""
        heads, rows = ["mean abs. / RMS error"], [["held out"], ["fitted"]]
        for channel in dict.fromkeys(error.channel for error in self.errors):
            parts = [[e for e in self.errors if e.channel == channel and e.held_out is out] for out in (True, False)]
            unit = error_unit(channel, [e for part in parts for e in part])
            heads.append(f"{channel} [{unit}]")
            for row, part in zip(rows, parts, strict=True):
                sizes = [(e.mean_absolute, e.rms) for e in part]
                means = np.mean(sizes, axis=0).tolist() if sizes else []
                row.append(" / ".join(positional(convert(x, unit), 3) for x in means) or "-")
        return heads, rows if any(e.held_out for e in self.errors) else rows[1:]

    def text(self, joint: str = "") -> str:
        """The drive as a motor file, with where each number is from; of a robot, that of a joint or of all of them."""
        if isinstance(self.actuator, ActuatorSet) and not joint:
            return "\n".join(f"# joint {name}\n{self.text(name)}" for name in self.actuator.joints)
        actuator = self.actuator[joint] if isinstance(self.actuator, ActuatorSet) else self.actuator
        lines = [f"# identified from {len(self.hashes)} logs; random seed {self.seed}"]
        for each in self.parameters:
            if is_of_network(each.name) or (joint and not self._moves(each.name, joint)):
                continue
            lines.append(
                f"# {each.name} = {each.value:.6g} {each.unit}, 95 % between {each.low:.4g} and {each.high:.4g}; "
                f"before {each.prior:.4g} ({each.source})"
            )
        lines += [f"# {note}" for note in self.notes if note.startswith("a network of ")]
        lines += [f"# log {digest}" for digest in self.hashes]
        if self._drive.filter is not None:
            return "\n".join([*lines, f"# the drive is a filter, right at steps of {self._drive.filter.dt:g} s", ""])
        return "\n".join([*lines, dumps(actuator)])

    def _moves(self, name: str, joint: str) -> bool:
        """Whether a parameter moves a joint."""
        return bool(self._space.lanes[self._space.index(name), self._evidence.trials.joints.index(joint)])

    def save(self, path: str | Path) -> Path:
        """Write the drive to a motor file, atomically; `be.load` reads it.

        Of a robot, `path` is a folder, and each joint has its file in it. A filter is written beside the file, as a
        network.
        """
        if isinstance(self.actuator, Actuator):
            require_suffix(path, ".toml", "a motor file")
        if self._drive.filter is not None and isinstance(self.actuator, Actuator):
            save_actuator(self.actuator, path)
            return Path(path)
        if isinstance(self.actuator, Actuator):
            return write_text(path, self.text())
        folder = Path(path)
        if folder.suffix:
            raise ParameterError(f"{folder}: a robot has a motor file for each joint; give a folder")
        for joint in self.actuator.joints:
            name = re.sub(r"[^A-Za-z0-9_.-]", "_", joint)
            write_text(folder / f"{name}.toml", self.text(joint), folders=True)
        return folder

    def __repr__(self) -> str:
        kept = [rung.name for rung in self.rungs if rung.kept]
        return f"Fit({len(self.parameters)} parameters; {', '.join(kept)})"


def require_suffix(path: str | Path, suffix: str, what: str) -> None:
    """Check the ending of a file that is written."""
    if Path(path).suffix.lower() != suffix:
        raise ParameterError(f"{path}: {what} is written as {suffix}; give it this ending")


def without_idle_parts(actuator: Actuator) -> Actuator:
    """The drive without the parts of rungs that did not stay."""
    supply, motor, spring = actuator.supply, actuator.motor, actuator.spring
    if isinstance(spring, JointSpring) and spring.stiffness == 0.0 and spring.offset == 0.0:
        spring = None
    curve = None if supply is None else supply.curve
    if supply is not None and isinstance(curve, DutyCurve) and np.all(np.asarray(curve.saturation) == 0.0):
        supply = replace(supply, curve=None)
    if motor is not None:
        over = motor.friction_over_angle
        if isinstance(over, FrictionAngleTable) and all(np.all(np.asarray(share) == 1.0) for share in over.shares):
            over = None
        if isinstance(over, FrictionOverAngle) and np.all(np.asarray(over.per_angle) == 0.0):
            over = None
        magnet = without_idle_saturation(motor.magnet)
        network = motor.network
        if network is not None and all(np.all(np.asarray(unit.weight) == 0.0) for unit in network.units):
            network = None
        lean = _lean(motor.friction)
        motor = replace(motor, magnet=magnet, friction=lean, friction_over_angle=over, network=network)
    return replace(actuator, motor=motor, supply=supply, spring=spring, meter=True)


def _lean(friction: Friction | None) -> Friction | None:
    """Friction without terms that are 0."""
    if not isinstance(friction, LoadDependent):
        return friction

    def idle(share: LoadShare | QuadraticShare | None) -> bool:
        return share is None or (share.drive == 0.0 and share.back == 0.0)

    stribeck, quadratic = friction.stribeck, friction.quadratic
    if stribeck is not None and idle(stribeck.load):
        stribeck = replace(stribeck, load=None)
    quadratic = None if idle(quadratic) else quadratic
    if stribeck is not None and stribeck.coulomb == 0.0 and stribeck.load is None and quadratic is None:
        stribeck = None
    load = None if idle(friction.load) else friction.load
    return replace(friction, stribeck=stribeck, load=load, quadratic=quadratic)


def list_parameters(space: Space, theta: np.ndarray, active: np.ndarray, covariance: np.ndarray) -> tuple[Fitted, ...]:
    """Every free number with its interval; that of a joint counts what its kind has moved."""
    found = []
    at_prior = space.values(np.zeros(len(theta)), active)
    for k in np.flatnonzero(active).tolist():
        each = space.parameters[k]
        place, lane = space.places[k][0], int(np.argmax(space.lanes[k]))
        together = [j for j in np.flatnonzero(active).tolist() if j == k or _moves_too(space, j, k, place)]
        moved = float(theta[together].sum())
        width = NINETY_FIVE * float(np.sqrt(max(covariance[np.ix_(together, together)].sum(), 0.0)))
        prior = float(at_prior[place, lane])
        ends = [prior * np.exp(moved + d) if each.positive else prior + moved + d for d in (-width, 0.0, width)]
        ends = np.clip(ends, each.least, each.most).tolist()
        edges = np.array([*each.limits, each.least, each.most])
        stopped = np.isclose([theta[k]] * 2 + [ends[1]] * 2, edges, rtol=1e-6, atol=0.0).any()
        found.append(Fitted(each.name, each.unit, prior, float(ends[1]), float(ends[0]), float(ends[2]), each.source,
                            float(theta[k] / each.spread), bool(stopped)))  # fmt: skip
    return tuple(found)


def _moves_too(space: Space, other: int, own: int, place: int) -> bool:
    """Whether a parameter moves the same number in the same way for a kind of joints to which this one's belongs."""
    one, two = space.parameters[other], space.parameters[own]
    wider = bool(one.joint) and bool(np.all(space.lanes[other] >= space.lanes[own])) and one.joint != two.joint
    return wider and one.positive == two.positive and place in space.places[other]


def check_fit(parameters: Sequence[Fitted], blind: Sequence[Blind]) -> tuple[Finding, ...]:
    """What to look at."""
    found = [
        Finding(
            each.name, each.value, each.prior, "warning",
            f"{each.value:.4g} {each.unit} is {abs(each.deviation):.1f} spreads from the prior's {each.prior:.4g}: the "
            "prior is wrong, or another law is missing", "far-from-prior", each.unit,
        )
        for each in parameters
        if abs(each.deviation) > 3.0 and not is_of_network(each.name)
    ]  # fmt: skip
    found += [
        Finding(
            each.name, each.value, each.prior, "warning",
            f"stopped at {each.value:.4g} {each.unit}, the end of what it may be: its law does not fit these logs, or "
            "does not matter to them", "at-bound", each.unit,
        )
        for each in parameters
        if each.at_bound
    ]  # fmt: skip
    found += [
        Finding(direction.parts[0][0], None, None, "info", f"{direction}", "not-identifiable") for direction in blind
    ]
    return tuple(found)
