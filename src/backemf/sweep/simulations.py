"""Simulations of a sweep: many cases at once, as a batch of motors."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import is_dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from .. import catalog
from ..actuator import Actuator
from ..checks import quote
from ..commands import Constant, Signal, as_command
from ..errors import BackemfError, BackemfWarning, ParameterError
from ..loads import Load
from ..motor import Motor
from ..motorfile import load as load_motor
from ..parts import FAMILIES, units_of
from ..physics.state import LIMITS
from ..random.randomize import rebuild, resolve
from ..robot.joint_drive import unit_of
from ..run import channel_unit
from ..run_summary import RunSummary
from ..simulate import count_steps, summarize
from ..tree import numbers
from ..units import linear_unit
from ..values import Foreign, Number
from .cases import Answers, Cases
from .fingerprint import fingerprint
from .space import Space
from .swept import Swept, require_apart

BATCH = 256
"""Motors that are simulated at once [1]."""
END = ("position", "velocity", "current", "winding_temperature", "housing_temperature", "torque", "supply_voltage")
"""Channels whose last value is an answer, as far as a run has them."""
PEAK = ("velocity", "current", "torque", "winding_temperature")
"""The same for the largest size over the run."""
STARTS = ("position", "velocity")
OWN = ("load", "command", "initial", *STARTS)
"""First words of fields that are not the actuator's."""


class Simulations(Swept):
    """Runs of an actuator with a load under a command; each case changes numbers of any of them.

    Args:
        motor: Catalogue id, path of a TOML file, `Motor` or `Actuator`; None: the space has a list called motor.
        load: What it moves.
        command: A number, or a signal.
        duration: How long [s].
        dt: Step [s].
        position: Joint position at the start [rad].
        velocity: Joint velocity at the start [rad/s].
        initial: States of the motor at the start by name.
        engine: As of `simulate`.
        estimate: Whether what a datasheet does not give is estimated.
        parts: Controller, supply, delay, limits and other fields of the actuator, in place of the motor file's.
    """

    name = "simulate"
    part = 100_000
    together = 64

    def __init__(
        self, motor: Foreign = None, *, load: Load, command: Signal | Number, duration: float, dt: float = 1e-4,
        position: float = 0.0, velocity: float = 0.0, initial: Mapping[str, float] | None = None,
        engine: str | None = None, estimate: bool = False, **parts: Foreign,
    ):  # fmt: skip
        if not isinstance(load, tuple(FAMILIES["load"].values())):
            raise ParameterError(f"sweep: load = {quote(load)}: must be a load, such as Inertia(1e-4)")
        count_steps(duration, dt, 1)
        self.load, self.command = load, as_command(command)
        self.duration, self.dt, self.engine, self.estimate, self.parts = duration, dt, engine, estimate, parts
        self.start = {"position": float(position), "velocity": float(velocity)}
        self.initial = dict(initial or {})
        self.motor = motor
        self._made: dict[str, Actuator] = {}
        if motor is not None:
            self.actuator("")

    # --- what is run

    def actuator(self, motor: str) -> Actuator:
        """The actuator of a motor by its id or path; of an empty text, that which all cases share."""
        if motor not in self._made:
            self._made[motor] = self._make(self.motor if motor == "" else motor)
        return self._made[motor]

    def _make(self, motor: Foreign) -> Actuator:
        if motor is None:
            raise ParameterError("sweep: motor is missing: give one, or a list of them in the space, called motor")
        if isinstance(motor, (str, Path)):
            if str(motor) not in catalog.ids() and not str(motor).endswith(".toml"):
                hint = catalog.suggestion(str(motor)[:60])
                raise ParameterError(f"sweep: motor = {quote(motor)}: is not in the catalogue: {hint}")
            motor = load_motor(motor, self.estimate)
        made = Actuator(motor) if isinstance(motor, Motor) else motor
        if not isinstance(made, Actuator):
            raise ParameterError(f"sweep: motor = {quote(motor)}: must be an id, a path, a Motor or an Actuator")
        try:
            return replace(made, **self.parts) if self.parts else made
        except TypeError:
            known = [name for name in self.parts if name not in made.__dataclass_fields__]
            raise ParameterError(f"sweep: {' and '.join(known)}: is nothing that a simulation has") from None

    def fingerprint(self) -> str:
        own = (self._made, self.parts, self.load, self.command, self.duration, self.dt, self.start, self.initial)
        return fingerprint((self.name, *own, self.engine, self.estimate))

    # --- fields

    def check(self, space: Space) -> None:
        motors = self._motors(space)
        places: dict[str, object] = {}
        for name in space.names:
            if name == "motor":
                continue
            if isinstance(space.lists.get(name, (0.0,))[0], str):
                raise ParameterError(f"sweep: {name!r}: is a number, and its list has texts; give numbers in SI units")
            places[name] = self._place_in_any(name, motors)
        require_apart(places)

    def require_field(self, name: str) -> None:
        if self._made:
            self._place_in_any(name, list(self._made))

    def _place_in_any(self, name: str, motors: Sequence[str]) -> tuple[str, str]:
        """What a field belongs to in the first motor that has it; raises where none has."""
        said = []
        for motor in motors:
            try:
                return self._place(name, motor)
            except ParameterError as error:
                said.append(error)
        # where some of the motors have it, the others fail case by case
        raise said[0]

    def _motors(self, space: Space) -> Sequence[str]:
        """Every motor of the space, by its id or path; an empty text where all cases share one."""
        listed = space.lists.get("motor")
        if listed is None:
            if "motor" in space.names:
                raise ParameterError("sweep: motor: is an id or a path, and cannot be drawn; give a list of them")
            self.actuator("")
            return ("",)
        if self.motor is not None:
            raise ParameterError("sweep: motor: is given, and the space has a list of them too; leave one out")
        if not isinstance(listed[0], str):
            raise ParameterError("sweep: motor: must be a list of catalogue ids or of paths")
        for motor in listed:
            self.actuator(str(motor))
        return [str(motor) for motor in listed]

    def _place(self, name: str, motor: str) -> tuple[str, str]:
        """What a field belongs to, "actuator" or one of `OWN`, and its name there; raises where there is none."""
        word, _, rest = name.partition(".")
        if word not in OWN:
            return "actuator", resolve_field(self.actuator(motor), name.removeprefix("actuator."), name)
        if word == "load":
            return word, resolve_field(self.load, rest, name)
        if name in STARTS:
            return name, ""
        if word == "initial" and rest:
            return word, rest
        if name == "command" and isinstance(self.command, Constant):
            return word, "value"
        if word == "command" and rest and is_dataclass(self.command):
            return word, resolve_field(self.command, rest, name)
        inner = [f"{word}.{field}" for field, _ in numbers(self.command)] if word == "command" else []
        hint = f"name one of {', '.join(inner)}" if inner else "name a number below it"
        raise ParameterError(f"sweep: {name!r} is no number: {hint}")

    def nominal(self, name: str, listed: Mapping[str, np.ndarray]) -> np.ndarray | float:
        if "motor" not in listed:
            return self._value(name, "")
        known = {motor: self._value(name, motor) for motor in dict.fromkeys(listed["motor"])}
        return np.array([known[motor] for motor in listed["motor"]])

    def _value(self, name: str, motor: str) -> float:
        try:
            of, inner = self._place(name, motor)
        except ParameterError:  # the case itself says so
            return float("nan")
        if of in STARTS:
            return self.start[of]
        if of == "initial":
            return self.initial.get(inner, 0.0)
        thing = {"actuator": self.actuator(motor), "load": self.load, "command": self.command}[of]
        return float(dict(numbers(thing))[inner])

    def unit(self, name: str) -> str:
        word, _, rest = name.partition(".")
        if word in ("end", "peak"):
            return channel_unit(self._some, rest)
        if word in ("energy", "limits"):
            return "J" if word == "energy" else "s"
        if name in STARTS or name == "command":
            return channel_unit(self._some, name)
        if word == "initial":
            return "K" if rest.endswith("rise") else ""
        if word == "command":
            return units_of(type(self.command)).get(rest) or channel_unit(self._some, "command")
        try:
            own = unit_of(name.removeprefix("actuator."))[1] if word != "load" else units_of(type(self.load)).get(rest)
        except ParameterError:
            return ""
        motor = self._some.motor
        return linear_unit(own or "") if motor is not None and motor.motion == "linear" else own or ""

    @cached_property
    def _some(self) -> Actuator:
        """Any of the actuators: their units are the same."""
        if self.motor is not None:
            return self.actuator("")
        return next(iter(self._made.values()), Actuator(**self.parts))

    # --- the cases

    def run(self, cases: Cases, answers: Answers) -> None:
        motors = cases.columns.get("motor")
        shared = np.full(len(cases), "", dtype=object) if motors is None else motors
        for motor in dict.fromkeys(shared):
            where = np.flatnonzero(shared == motor)
            for first in range(0, len(where), BATCH):
                self._run_batch(motor, cases, where[first : first + BATCH], answers)

    def _run_batch(self, motor: str, cases: Cases, where: np.ndarray, answers: Answers) -> None:
        """Some cases at once; where they fail, halves of them, until those are found that do."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", BackemfWarning)
                summary = self._summarize(motor, {name: v[where] for name, v in cases.columns.items()}, len(where))
        except (BackemfError, ArithmeticError) as error:
            if len(where) == 1:
                answers.fail(where, _without_index(str(error)))
                return
            half = len(where) // 2
            self._run_batch(motor, cases, where[:half], answers)
            self._run_batch(motor, cases, where[half:], answers)
            return
        for name, values in _answers(summary).items():
            answers.put(where, name, np.broadcast_to(values, where.shape))

    def _summarize(self, motor: str, columns: Mapping[str, np.ndarray], count: int) -> RunSummary:
        changes: dict[str, dict[str, np.ndarray]] = {"actuator": {}, "load": {}, "command": {}, "initial": {}}
        start: dict[str, Foreign] = dict(self.start)
        for name, values in columns.items():
            if name == "motor":
                continue
            of, inner = self._place(name, motor)
            if of in STARTS:
                start[of] = values
            else:
                changes[of][inner] = values
        return summarize(
            rebuild(self.actuator(motor), changes["actuator"]),
            rebuild(self.load, changes["load"]),
            rebuild(self.command, changes["command"]),
            self.duration,
            self.dt,
            initial=self.initial | changes["initial"] or None,
            shape=(count,),
            engine=self.engine,
            **start,
        )


def resolve_field(thing: object, inner: str, name: str) -> str:
    """Full name of a number of a part; `name` is what the space calls it."""
    try:
        return resolve(thing, inner)
    except ParameterError as error:
        said = str(error).removeprefix("randomize: ")
        said = said.replace(f'"{inner}"', f'"{name}"', 1)
        raise ParameterError(f"sweep: {said}") from None


def _without_index(sentence: str) -> str:
    """A sentence about the only motor of a batch, without its index there."""
    return sentence.replace(" at index (0,)", "")


def _answers(summary: RunSummary) -> dict[str, np.ndarray]:
    """What is noted of a run, by name."""
    found = {f"end.{name}": summary.last[name] for name in END if name in summary.last}
    found |= {f"peak.{name}": summary.size(name) for name in PEAK if name in summary.last}
    found |= {f"energy.{name}": joules for name, joules in summary.energy().items()}
    acted = summary.limit_times()
    return found | {f"limits.{name.replace(' ', '_')}": acted.get(name, np.zeros(())) for name in LIMITS}
