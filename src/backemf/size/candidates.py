"""Candidates: pairs of motor and gear in batches, whose numbers are arrays with one entry per pair."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ..actuator import Actuator
from ..checks import quote
from ..design.hardware import Belt, LeadScrew
from ..design.sliding import power_of
from ..engines.symbols import leaves, replace_numbers, structure_of
from ..errors import BackemfError, ParameterError
from ..files import read_text
from ..motor import Motor, Ratings
from ..motorfile import is_actuator_file, load
from ..parts import units_of
from ..progress import progress_bar
from ..tree import numbers
from .free_gears import FreeGears

RATED = (
    "voltage", "current", "peak_current", "winding_temperature", "speed", "gear_input_speed", "gear_torque",
    "gear_peak_torque",
)  # fmt: skip
"""What a maker allows, by the names of `Ratings`."""


@dataclass(frozen=True)
class LeftOut:
    """A motor, gear or pair that is no candidate."""

    name: str
    """What it is called."""
    reason: str
    """Why, in one sentence."""


@dataclass(frozen=True, eq=False)
class Batch:
    """Pairs of one structure."""

    motor: Motor
    """Motors with their gears, without ratings; numbers are plain, or arrays with one entry per pair."""
    mass: np.ndarray
    """Mass of motor and gear [kg]; NaN: not stated."""
    diameter: np.ndarray
    """Largest diameter of both [m]; NaN: not stated."""
    rated: Mapping[str, np.ndarray]
    """What the maker allows, by the names of `Ratings`, in SI; NaN: not stated."""
    names: Sequence[str]
    """Names of the motors."""
    gears: Sequence[str]
    """Names of the gears."""
    motor_index: np.ndarray
    """Place of each pair's motor in `names`."""
    gear_index: np.ndarray
    """Place of each pair's gear in `gears`; -1: the motor's own, or none."""

    def __len__(self) -> int:
        return len(self.mass)

    def motor_name(self, k: int) -> str:
        """What the motor of a pair is called."""
        return self.names[int(self.motor_index[k])]

    def name(self, k: int) -> str:
        """What a pair is called, such as `RE40 + GP52`."""
        motor = self.motor_name(k)
        gear = int(self.gear_index[k])
        return motor if gear < 0 else f"{motor} + {self.gears[gear]}"

    def single(self, k: int) -> Motor:
        """The motor of one pair with its gear, its ratings and its name."""
        made = replace_numbers(self.motor, "motor", lambda _, x: float(np.asarray(x)[k]) if np.ndim(x) else x)
        known = {name: float(values[k]) for name, values in self.rated.items() if np.isfinite(values[k])}
        return replace(made, ratings=Ratings(**known) if known else None, name=self.name(k))

    def take(self, rows: np.ndarray) -> Batch:
        """Some of the pairs."""
        return replace(
            self, motor=replace_numbers(self.motor, "motor", lambda _, x: x[rows] if np.ndim(x) else x),
            mass=self.mass[rows], diameter=self.diameter[rows],
            rated={name: values[rows] for name, values in self.rated.items()},
            motor_index=self.motor_index[rows], gear_index=self.gear_index[rows],
        )  # fmt: skip


@dataclass(frozen=True)
class Candidates:
    """What a task is sized from."""

    batches: tuple[Batch, ...]
    """Pairs by their structure."""
    left_out: tuple[LeftOut, ...] = ()
    """What was left out, and why."""
    source: str = field(default="", compare=False)
    """Where they are from."""

    def __len__(self) -> int:
        return sum(map(len, self.batches))

    def __repr__(self) -> str:
        out = f", {len(self.left_out)} left out" if self.left_out else ""
        return f"Candidates({len(self)} pairs{out})"

    @classmethod
    def of(
        cls, motors: Iterable[Motor | Actuator | str | Path], mass: Mapping[str, float] | None = None, source: str = ""
    ) -> Candidates:
        """Motors with their own gears, or none; `mass` by their names [kg].

        Each is a `Motor`, an `Actuator` whose motor counts, a catalogue id, or the path of a motor file or a datasheet.
        """
        from .. import catalog

        rows, out = [], []
        for k, given in enumerate(motors):
            if isinstance(given, (str, Path)):
                file = catalog.path(str(given)) if str(given) in catalog.ids() else Path(given)
                if not file.is_file():
                    hint = catalog.suggestion(str(given)[:60])
                    raise ParameterError(f"candidates[{k}] = {quote(str(given))}: is no file, and no id: {hint}")
                known, left = _read_file(file)
                rows += known
                out += left
                continue
            motor = given.motor if isinstance(given, Actuator) else given
            if not isinstance(motor, Motor):
                raise ParameterError(
                    f"candidates[{k}] = {quote(given)}: must be a Motor, an Actuator with one, a catalogue id or a path"
                )
            if any(np.ndim(value) for _, value in numbers(motor)):
                raise ParameterError(f"candidates[{k}]: has arrays for numbers; give each of its motors by itself")
            rows.append((motor.name or f"motor {k + 1}", motor, (mass or {}).get(motor.name, np.nan)))
        if not rows and not out:
            raise ParameterError("there are no candidates: give one motor or more")
        return _group(rows, out, source)

    @classmethod
    def catalogue(cls) -> Candidates:
        """Every motor of the catalogue that comes with backemf; what its sheet does not give is estimated."""
        from .. import catalog

        return _read_files([catalog.path(name) for name in catalog.ids()], "the catalogue of backemf")

    @classmethod
    def read(cls, folder: str | Path) -> Candidates:
        """A folder of motor files, or one that `backemf catalogue import` has written."""
        from .pair_folder import INDEX, read_pairs

        path = Path(folder)
        if not path.is_dir():
            raise ParameterError(f"{path}: is no folder; give one with motor files, or with an imported catalogue")
        if (path / INDEX).is_file():
            return read_pairs(path)
        files = sorted(path.glob("*.toml"))
        if not files:
            hint = ""
            if any(path.glob("*_motors.csv")):
                hint = f"; import its CSV files first: backemf catalogue import {path} -o my-catalogue"
            raise ParameterError(f"{path}: has no motor files (*.toml) and no {INDEX}{hint}")
        return _read_files(files, str(path))

    def with_gears(self, gears: FreeGears) -> Candidates:
        """Every motor without a gear at each of the ratios; motors that have a gear stay as they are."""
        made: list[Batch] = []
        for batch in self.batches:
            if batch.motor.gearbox is not None:
                made.append(batch)
            else:
                # ratios with as many stages have one structure
                for count in sorted({gears.stages(float(ratio)) for ratio in gears.ratios}):
                    made.append(_geared(batch, gears, count))
        return replace(self, batches=tuple(made))

    def on_slide(self, slide: LeadScrew | Belt) -> Candidates:
        """Every pair as the linear motor that a slide feels of it."""
        return replace(self, batches=tuple(_slid(batch, slide) for batch in self.batches))


def _slid(batch: Batch, slide: LeadScrew | Belt) -> Batch:
    """The pairs of a batch behind a screw or a belt."""
    travel, units = abs(float(slide.travel)), units_of(Ratings)
    rated = {name: values * travel ** power_of(units[name]) for name, values in batch.rated.items()}
    return replace(batch, motor=slide.motor(batch.motor), rated=rated)


def _geared(batch: Batch, gears: FreeGears, count: int) -> Batch:
    """Every motor of a batch at each ratio that takes so many stages."""
    ratios = np.array([ratio for ratio in gears.ratios if gears.stages(float(ratio)) == count])
    rows = np.tile(np.arange(len(batch)), len(ratios))
    many = batch.take(rows)
    return replace(
        many, motor=replace(many.motor, gearbox=gears.gearbox(np.repeat(ratios, len(batch)), count)),
        mass=many.mass + count * float(gears.stage_mass), gears=[gears.words(float(ratio)) for ratio in ratios],
        gear_index=np.repeat(np.arange(len(ratios)), len(batch)),
    )  # fmt: skip


def _read_files(files: Sequence[Path], source: str) -> Candidates:
    """Motors from motor files and datasheets."""
    rows: list[tuple[str, Motor, float]] = []
    out: list[LeftOut] = []
    with progress_bar("motors", len(files)) as done:
        for file in files:
            done(1)
            known, left = _read_file(file)
            rows += known
            out += left
    return _group(rows, out, source)


def _read_file(file: Path) -> tuple[list[tuple[str, Motor, float]], list[LeftOut]]:
    """The motor of a file by its name and mass, or why it is none."""
    try:
        motor = load(file, estimate=True).motor
        mass = np.nan if is_actuator_file(file) else _sheet_mass(file)
    except BackemfError as error:
        return [], [LeftOut(file.stem, str(error))]
    if motor is None:
        return [], [LeftOut(file.stem, "has no winding: torque and speed limits alone say nothing of its heat")]
    return [(file.stem, motor, mass)], []


def _sheet_mass(file: Path) -> float:
    from ..datasheet import Datasheet

    mass = Datasheet.loads(read_text(file), str(file)).mechanical.mass
    return np.nan if mass is None else float(mass)


def _group(rows: Sequence[tuple[str, Motor, float]], out: Iterable[LeftOut], source: str) -> Candidates:
    """Motors in batches of one structure."""
    groups: dict[object, list[tuple[str, Motor, float]]] = {}
    left = list(out)
    for name, motor, mass in rows:
        lack = lacking(motor)
        if lack:
            left.append(LeftOut(name, lack))
            continue
        bare = replace(
            motor, cogging=None, thermistor=None, friction_over_angle=None, network=None, limits=None, ratings=None,
            estimates=(), name="",
        )  # fmt: skip
        groups.setdefault(structure_of(bare), []).append((name, replace(bare, name=""), mass))
    motors = {name: motor for name, motor, _ in rows}
    made = []
    for members in groups.values():
        columns = [leaves(motor, "motor") for _, motor, _ in members]
        stacked = {key: np.array([float(each[key]) for each in columns]) for key in columns[0]}
        made.append(
            Batch(
                motor=replace_numbers(members[0][1], "motor", lambda key, _, table=stacked: table[key]),
                mass=np.array([mass for _, _, mass in members]),
                diameter=np.full(len(members), np.nan),
                rated={
                    name: np.array([_rated(motors[key], name) for key, _, _ in members]) for name in RATED
                },
                names=[key for key, _, _ in members],
                gears=(),
                motor_index=np.arange(len(members)),
                gear_index=np.full(len(members), -1),
            )
        )  # fmt: skip
    return Candidates(tuple(made), tuple(left), source)


def _rated(motor: Motor, name: str) -> float:
    value = None if motor.ratings is None else getattr(motor.ratings, name)
    if name == "peak_current" and motor.limits is not None and motor.limits.rated_current is not None:
        value = min(np.inf if value is None else float(value), float(motor.limits.rated_current))
    return np.nan if value is None else float(value)


def lacking(motor: Motor) -> str:
    """What a motor lacks for any task, in a sentence; empty: nothing."""
    if motor.motion == "linear":
        return "is a linear motor: tasks take motors that turn, behind a slide where the joint slides"
    if motor.rotor is None:
        return "has no rotor inertia: the torque that accelerates it is unknown; give inertia"
    rated = motor.ratings
    if motor.thermal is None and (rated is None or rated.current is None):
        return "has neither thermal figures nor a continuous current: nothing says what it can bear; give one of them"
    return ""
