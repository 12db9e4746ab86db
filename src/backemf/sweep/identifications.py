"""Fits of a sweep: a motor from each of many logs."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..actuator import Actuator
from ..checks import quote
from ..errors import BackemfError, BackemfWarning, ParameterError
from ..identify import Rig, identify, read_log
from ..motor import Motor
from ..motorfile import load as load_motor
from ..random.randomize import rebuild
from ..robot.joint_drive import unit_of
from ..tree import numbers
from ..values import Foreign
from .cases import Answers, Case, Cases
from .fingerprint import file_fingerprint, fingerprint
from .simulations import resolve_field
from .space import Space
from .swept import Swept

TEXTS = ("log", "motor", "rig")
"""Fields that are paths or ids."""


class Identifications(Swept):
    """Fits to one log after the other, each by itself.

    Args:
        motor: What is believed of the drives: an id, a path, a `Motor` or an `Actuator`; None: the space has a list.
        rig: What the logs were taken on: a `Rig` or the path of one; None: the space has a list.
        log: Path of the log; None: the space has a list.
        free: Names of what may move, as of `identify`.
        hold_out: What a fit does not see, as of `identify`.
        compare: Channels to compare, as of `identify`.
        channels: Columns of the logs that are channels, as of `read_log`.
        units: Units of channels or columns, as of `read_log`.
        rate: Rows per second of logs without times [Hz].
    """

    name = "identify"
    part = 1

    def __init__(
        self, motor: Foreign = None, *, rig: Rig | str | Path | None = None, log: str | Path | None = None,
        free: Sequence[str] | str | None = None, hold_out: str | float | None = None,
        compare: Sequence[str] | None = None, channels: Mapping[str, str] | None = None,
        units: Mapping[str, str] | None = None, rate: float | None = None,
    ):  # fmt: skip
        self.given = {"motor": motor, "rig": rig, "log": log}
        self.options = {"free": free, "hold_out": hold_out, "compare": compare}
        self.reading = {"channels": channels, "units": units, "rate": rate}
        self._read: dict[str, str] = {}

    def check(self, space: Space) -> None:
        for name in TEXTS:
            if (self.given[name] is None) == (name not in space.lists):
                both = "is given, and the space has a list of them too; leave one out"
                missing = f"is missing: give one, or a list of paths in the space, called {name}"
                raise ParameterError(f"sweep: {name}: {missing if self.given[name] is None else both}")
            for path in space.lists.get(name, (self.given[name],)):
                self._check_text(name, path)
        for name in space.names:
            if name not in TEXTS:
                motor = self.given["motor"] or space.lists["motor"][0]
                resolve_field(_actuator(motor), name.removeprefix("actuator."), name)
            elif name not in space.lists:
                raise ParameterError(f"sweep: {name}: is a path, and cannot be drawn; give a list of them")

    def _check_text(self, name: str, path: Foreign) -> None:
        if name == "motor":
            self._read[str(path)] = fingerprint(_actuator(path))
        elif name == "rig":
            _rig(path)
        elif not isinstance(path, (str, Path)):
            raise ParameterError(f"sweep: log = {quote(path)}: must be the path of a log")
        elif not Path(path).exists():
            raise ParameterError(f"sweep: log = {str(path)!r}: there is no such file; give the path of a log")
        if name != "motor" and isinstance(path, (str, Path)):
            self._read[str(path)] = file_fingerprint(path)

    def nominal(self, name: str, listed: Mapping[str, np.ndarray]) -> np.ndarray | float:
        if "motor" not in listed:
            return _value(self.given["motor"], name)
        known = {motor: _value(motor, name) for motor in dict.fromkeys(listed["motor"])}
        return np.array([known[motor] for motor in listed["motor"]])

    def unit(self, name: str) -> str:
        word, _, rest = name.partition(".")
        inner = rest.split("@")[0] if word in ("found", "low", "high") else name
        try:
            return "" if name in TEXTS else unit_of(inner.removeprefix("actuator."))[1] or ""
        except ParameterError:
            return ""

    def fingerprint(self) -> str:
        return fingerprint((self.name, self.given, self.options, self.reading, sorted(self._read.values())))

    def run(self, cases: Cases, answers: Answers) -> None:
        for k in range(len(cases)):
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", BackemfWarning)
                    answer = self._fit(cases[k], cases.seed)
            except (BackemfError, ArithmeticError, np.linalg.LinAlgError) as error:
                answers.fail(k, str(error))
                continue
            answers.put_all(k, answer, tuple(cases.columns))

    def _fit(self, case: Case, seed: int) -> dict[str, object]:
        """What a fit to one log finds: every number with its interval, the errors, and the laws that stayed."""
        given: dict[str, Foreign] = {**self.given, **{name: case[name] for name in TEXTS if name in case}}
        prior = _actuator(given["motor"])
        own = {name: float(value) for name, value in case.items() if name not in TEXTS}
        changes = {resolve_field(prior, name.removeprefix("actuator."), name): value for name, value in own.items()}
        log = read_log(given["log"], **self.reading)
        fit = identify([log], rebuild(prior, changes), rig=_rig(given["rig"]), seed=seed, **self.options)
        answer: dict[str, object] = {}
        for each in fit.parameters:
            answer |= {f"found.{each.name}": each.value, f"low.{each.name}": each.low, f"high.{each.name}": each.high}
        for each in fit.errors:
            answer[f"{'held_out' if each.held_out else 'fitted'}.{each.channel}"] = each.rms
        return answer | {"laws": ", ".join(rung.name for rung in fit.rungs if rung.kept)}


def _actuator(motor: Foreign) -> Actuator:
    if isinstance(motor, Motor):
        return Actuator(motor)
    if isinstance(motor, Actuator):
        return motor
    if not isinstance(motor, (str, Path)):
        raise ParameterError(f"sweep: motor = {quote(motor)}: must be an id, a path, a Motor or an Actuator")
    return load_motor(motor)


def _value(motor: Foreign, name: str) -> float:
    prior = _actuator(motor)
    return float(dict(numbers(prior))[resolve_field(prior, name.removeprefix("actuator."), name)])


def _rig(rig: Foreign) -> Rig:
    return rig if isinstance(rig, Rig) else Rig.read(rig)
