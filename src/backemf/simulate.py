"""Running a motor with a load: one compiled loop for one motor or a batch."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import overload

import numpy as np

from .actuator import Actuator, Command
from .actuator.degrees import degrees_hint
from .actuator.memory import states_of
from .actuator.needs import require_command
from .checks import Number, no_number, quote, require_room, require_seed, require_sizes
from .commands import Signal, as_command
from .engines import load as load_engine
from .errors import BackemfWarning, ParameterError, SimulationError
from .files import room_on_disk
from .interrupt import held_interruptions
from .loads import Load, PrescribedMotion
from .motor import Motor
from .parts import without_neutral
from .physics.state import PER_MOTOR
from .recording_writing import assembling_memory
from .rollout import MAIN, Channels, Here, behind_time, channel_names, rest, roll_jax, roll_numpy
from .rollout_native import can_roll, roll_native
from .rollout_needs import check_begin, check_load, require_run
from .run import Run
from .run_recording import RunRecorder
from .run_stored import StoredRun
from .run_summary import RunSummary
from .runaway import EnergyWatch
from .tree import numbers

CHUNK = 16384
"""Most steps that are computed at once [1]; between pieces of a run the numbers are checked."""
PIECE_BYTES = 128_000_000
"""Most that the record of a piece takes in memory, where it is longer than one record, and its commands [bytes]."""
PIECE_PEAK = 2.5
"""Memory at the peak of a piece over that of its record: the record, its columns in a file, and what is checked [1]."""
COMMANDS_PEAK = 2.5
"""Memory for the commands of a piece over that of the numbers themselves: while they are made there are several [1]."""
COMPILING = {"jax": 400_000_000}
"""What an engine's compiler takes that lives in this process [bytes]."""
DISK_PARQUET, DISK_CSV = 17, 14
"""Most bytes on the disk for each number: the parts and the file that is assembled from them, or a line of text."""
MOST_STEPS = 1e11
"""A run of more steps is a typing error [steps]."""


@overload
def simulate(
    actuator: Actuator | Motor,
    load: Load,
    command: Command | Signal | Number,
    duration: float,
    dt: float = 1e-4,
    *,
    position: Number = 0.0,
    velocity: Number = 0.0,
    initial: Mapping[str, Number] | None = None,
    shape: tuple[int, ...] | int | None = None,
    every: int = 1,
    engine: str | None = None,
    precision: str = "float64",
    device: str | None = None,
    seed: int = 0,
    progress: bool = False,
    output: str | Path | None = None,
    to: None = None,
    channels: Sequence[str] | None = None,
) -> Run: ...


@overload
def simulate(
    actuator: Actuator | Motor,
    load: Load,
    command: Command | Signal | Number,
    duration: float,
    dt: float = 1e-4,
    *,
    position: Number = 0.0,
    velocity: Number = 0.0,
    initial: Mapping[str, Number] | None = None,
    shape: tuple[int, ...] | int | None = None,
    every: int = 1,
    engine: str | None = None,
    precision: str = "float64",
    device: str | None = None,
    seed: int = 0,
    progress: bool = False,
    output: None = None,
    to: str | Path,
    channels: Sequence[str] | None = None,
) -> StoredRun: ...


def simulate(
    actuator: Actuator | Motor,
    load: Load,
    command: Command | Signal | Number,
    duration: float,
    dt: float = 1e-4,
    *,
    position: Number = 0.0,
    velocity: Number = 0.0,
    initial: Mapping[str, Number] | None = None,
    shape: tuple[int, ...] | int | None = None,
    every: int = 1,
    engine: str | None = None,
    precision: str = "float64",
    device: str | None = None,
    seed: int = 0,
    progress: bool = False,
    output: str | Path | None = None,
    to: str | Path | None = None,
    channels: Sequence[str] | None = None,
) -> Run | StoredRun:
    """Run an actuator with a load under a command.

    Args:
        actuator: A `Motor`, or an `Actuator` with its controller, delay and supply.
        load: What it moves: `Inertia`, `Pendulum`, `Fan`, `ConstantTorque`, `TwoMass`, `LockedRotor`,
            `PrescribedMotion`.
        command: The controller's main input, without a controller volts: a number, an array with one value (or row) per
            step, or `Constant`, `Step`, `Sine`, `Chirp`, `Trapezoid`, `from_csv(...)`; or a `Command` of several.
        duration: How long [s].
        dt: Step [s]; any step is stable, a short one is exact.
        position: Joint position at the start [rad].
        velocity: Joint velocity at the start [rad/s].
        initial: States of the motor at the start by name, e.g. {"winding_rise": 60.0}.
        shape: Shape of the batch, if no parameter or command array says it.
        every: Record every n-th step; the run ends with the last step that is recorded.
        engine: "native" (machine code, in float64), "jax" (compiled by XLA), "warp" (a thread per motor on a GPU), or
            "numpy" (the reference, slow); None: native where it can, for a controller with a network, a supply that
            motors share and float32 JAX.
        precision: "float64" or "float32".
        device: With engine="warp" where it runs, such as "cuda" or "cpu"; None: Warp's default.
        seed: Random seed of a delay that varies.
        progress: Show a progress bar.
        output: Also write all channels to this .parquet or .csv file, part by part: whatever ends the run early, what
            was recorded until then is in a file with .part behind its name, which `read_recording` reads.
        to: Write the channels to this file alone, in the same way, and keep nothing in memory: the memory that a run
            takes does not grow with its length, and the answer is a `StoredRun`.
        channels: With `to` the channels that are written, with engine="warp" those that are recorded at all, which
            saves memory, while the check for a step that diverges needs most of them; None: all.

    Ctrl-C ends a run between two pieces of it, with what was recorded until then in the file.
    """
    done = _run(
        actuator, load, command, duration, dt, position=position, velocity=velocity, initial=initial, shape=shape,
        every=every, engine=engine, precision=precision, device=device, seed=seed, progress=progress, output=output,
        to=to, channels=channels, keep=to is None,
    )  # fmt: skip
    if to is not None:
        return StoredRun(done.actuator, load, dt, Path(to), tuple(done.written), done.batch, done.summary)
    time = (np.arange(done.steps // every) + 1) * (dt * every)
    if (hint := degrees_hint(done.actuator, done.kept)) is not None:
        warnings.warn(hint, BackemfWarning, stacklevel=2)
    return Run(done.actuator, load, dt, time, done.kept)


def summarize(
    actuator: Actuator | Motor,
    load: Load,
    command: Command | Signal | Number,
    duration: float,
    dt: float = 1e-4,
    *,
    position: Number = 0.0,
    velocity: Number = 0.0,
    initial: Mapping[str, Number] | None = None,
    shape: tuple[int, ...] | int | None = None,
    engine: str | None = None,
    seed: int = 0,
) -> RunSummary:
    """What a run comes to, without its channels, so that its memory does not grow with its length.

    Arguments as of `simulate`.
    """
    done = _run(
        actuator, load, command, duration, dt, position=position, velocity=velocity, initial=initial, shape=shape,
        every=1, engine=engine, precision="float64", device=None, seed=seed, progress=False, output=None, to=None,
        channels=None, keep=False,
    )  # fmt: skip
    return done.summary


@dataclass(frozen=True)
class _Done:
    """A run that has ended."""

    actuator: Actuator
    kept: dict[str, np.ndarray]
    summary: RunSummary
    written: list[str]
    batch: tuple[int, ...]
    steps: int


def _run(
    actuator: Actuator | Motor, load: Load, command: Command | Signal | Number, duration: float, dt: float, *,
    position: Number, velocity: Number, initial: Mapping[str, Number] | None, shape: tuple[int, ...] | int | None,
    every: int, engine: str | None, precision: str, device: str | None, seed: int, progress: bool,
    output: str | Path | None, to: str | Path | None, channels: Sequence[str] | None, keep: bool,
) -> _Done:  # fmt: skip
    """Check what is asked for and run it; with `keep` its channels are kept, without its summary."""
    actuator = require_run("simulate", actuator, load)
    if engine not in (None, "native", "jax", "numpy", "warp"):
        raise ParameterError(f"engine = {engine!r}: a run needs 'native', 'jax', 'warp' or 'numpy'")
    if device is not None and engine != "warp":
        raise ParameterError(f"device = {device!r}: only engine='warp' runs on a device of your choice")
    if precision not in ("float64", "float32"):
        raise ParameterError(f"precision = {precision!r}: must be 'float64' or 'float32'")
    steps = count_steps(duration, dt, every)
    signals = signals_of(actuator, command)
    for name, signal in signals.items():
        if signal.steps not in (None, steps):
            raise ParameterError(
                f"{name} has {signal.steps} rows, but {duration:g} s in steps of {dt:g} s are {steps}; "
                "give one value per step, or a command object such as Table"
            )
    require_seed("simulate", seed)
    if initial is not None and not isinstance(initial, dict):
        raise ParameterError(f"initial = {initial!r}: must be a dict such as {{'winding_rise': 60.0}}")
    batch = batch_shape(actuator, load, signals, position, velocity, initial or {}, shape)
    check_load(actuator, load)
    named = [*channel_names(actuator, load), *(channel_label(name) for name in signals)]
    written = check_written(output, to, channels, named, engine)
    recorded = written if engine == "warp" else named
    told = numbers_told(batch, signals)
    longest = longest_call(told, len(recorded))
    size = piece_steps(every, batch, len(recorded), longest)
    composed = without_neutral(actuator)
    engine = engine or choose_engine(composed, precision)
    file = to if output is None else output
    more = COMPILING.get(engine, 0) + int(COMMANDS_PEAK * 8 * told * min(longest, size))
    check_memory(steps // every, batch, len(recorded), size // every, keep, more, file, len(written))
    check_disk(file, steps // every, batch, len(written))
    start = start_of(actuator, load, batch, position, velocity, initial or {}, dt, seed)

    roll = roll_on(engine, device, recorded)
    kept: dict[str, np.ndarray] = {}
    here = start
    watch, summary = EnergyWatch(actuator, load, velocity, dt, every), RunSummary(dt * every)
    with (
        _bar(progress, steps) as advance,
        RunRecorder(output if to is None else to, actuator, dt * every, written, "output" if to is None else "to")
        as recorder,
        held_interruptions(roll is not roll_numpy) as leave,
    ):  # fmt: skip
        for first, count in chunks(steps, every, size):
            values, record, spacing = {}, Channels(), every
            for begin, length in calls(first, count, longest):
                leave(f"stopped at t = {begin * dt:g} s of {steps * dt:g} s")
                times = (begin + np.arange(length)) * dt
                values = {name: signal.sample(begin, times) for name, signal in signals.items()}
                path = np.append(times, times[-1] + dt)
                path = load.at(path) if isinstance(load, PrescribedMotion) else None
                # of several calls that are one record the last one's counts
                spacing = every if length == count else length
                here, record = roll(composed, load, here, values, path, dt, spacing, batch, precision)
                advance(length)
            for name, row in values.items():
                label = channel_label(name)
                if label not in recorded:
                    continue
                row = behind_time(row[spacing - 1 :: spacing], len(batch))
                record[label] = np.broadcast_to(row, (count // every, *batch)).copy()
            check_finite(record, (first + every) * dt, dt * every, actuator, load)
            watch.look(record, (first + every) * dt)
            recorder.write(record)
            if keep:
                kept = keep_piece(kept, record, first // every, steps // every)
            else:
                summary.look(record)
    return _Done(actuator, kept, summary, written, batch, steps)


def roll_on(engine: str, device: str | None, recorded: list[str]) -> Callable[..., tuple[Here, Channels]]:
    """The function that computes a piece of a run on an engine; Warp's keeps nothing but the `recorded` channels."""
    if engine != "warp":
        return {"native": roll_native, "jax": roll_jax, "numpy": roll_numpy}[engine]
    load_engine("warp")
    from .rollout_warp import roll_warp

    return partial(roll_warp, device=device, recorded=recorded)


def choose_engine(actuator: Actuator, precision: str) -> str:
    """The engine for a run where none is asked for."""
    return "native" if can_roll(actuator, precision) else "jax"


def signals_of(actuator: Actuator, command: Command | Signal | Number) -> dict[str, Signal]:
    """The command of each input over time, by name."""
    if not isinstance(command, Command):
        return {MAIN: as_command(command)}
    given = {entry.name: getattr(command, entry.name) for entry in fields(command)}
    signals = {name: as_command(value) for name, value in given.items() if value is not None}
    require_command(actuator, Command(**dict.fromkeys(signals, 0.0)))
    return signals


def count_steps(duration: float, dt: float, every: int) -> int:
    """Number of steps of a run; raises `ParameterError` on times that make no sense."""
    for name, value in (("dt", dt), ("duration", duration)):
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float, np.number))
            or not (value > 0 and math.isfinite(value))
        ):
            raise ParameterError(f"{name} = {value!r}: must be a positive number of seconds")
    if isinstance(every, bool) or not isinstance(every, (int, np.integer)) or every < 1:
        raise ParameterError(f"every = {every!r}: must be a whole number of steps, 1 or more")
    if duration / dt > MOST_STEPS:
        raise ParameterError(f"duration = {duration:g} s in steps of dt = {dt:g} s never ends: shorten it or raise dt")
    steps = round(duration / dt)
    if steps < every:
        raise ParameterError(
            f"duration = {duration:g} s holds no recorded step of {dt * every:g} s: lengthen it, or lower every or dt"
        )
    return steps - steps % every


def channel_label(name: str) -> str:
    """The channel of an input of the controller."""
    return name if name == MAIN else f"{name}_command"


def numbers_told(batch: tuple[int, ...], signals: Mapping[str, Signal]) -> int:
    """How many numbers the commands of one step are: one each, or one for each motor [1]."""
    sizes = (math.prod(signal.sample(0, np.zeros(1)).shape[1:]) for signal in signals.values())
    return sum(1 if size == 1 else math.prod(batch) for size in sizes)


def longest_call(told: int, channels: int) -> int:
    """Most steps that are computed in one call, so that their commands take no more than a record may [steps]."""
    return min(CHUNK, max(channels, PIECE_BYTES // (8 * max(1, told))))


def piece_steps(every: int, batch: tuple[int, ...], channels: int, longest: int) -> int:
    """Length of a piece of a run, a whole multiple of `every` [steps]: large batches go in short pieces."""
    records = PIECE_BYTES // (8 * max(1, channels * math.prod(batch)))
    return every * max(1, min(longest // every, records))


def calls(first: int, count: int, longest: int) -> Iterator[tuple[int, int]]:
    """First step and length of each call for a piece: several of nearly one length where one record takes so long."""
    parts = -(-count // longest)
    ends = [count * k // parts for k in range(parts + 1)]
    for begin, end in pairwise(ends):
        yield first + begin, end - begin


def keep_piece(
    kept: dict[str, np.ndarray], record: dict[str, np.ndarray], first: int, rows: int
) -> dict[str, np.ndarray]:
    """The channels of a run with a piece put in its place, from the recorded step `first` on."""
    count = len(next(iter(record.values())))
    if count == rows:
        return record
    if not kept:
        kept = {name: np.empty((rows, *values.shape[1:]), values.dtype) for name, values in record.items()}
    for name, values in record.items():
        kept[name][first : first + count] = values
    return kept


def chunks(steps: int, every: int, size: int | None = None) -> Iterator[tuple[int, int]]:
    """First step and length of each piece; whole multiples of `every`."""
    size = max(every, CHUNK - CHUNK % every) if size is None else size
    for first in range(0, steps, size):
        yield first, min(size, steps - first)


def batch_shape(
    actuator: Actuator, load: Load, signals: dict[str, Signal], position: Number, velocity: Number,
    initial: Mapping[str, Number], shape: tuple[int, ...] | int | None,
) -> tuple[int, ...]:  # fmt: skip
    """The shape every array of the run broadcasts to."""
    asked = () if shape is None else require_sizes("shape", shape, 1)
    # how large the record of a shape is comes later; one that no array can have ends here
    require_room(f"a run of the shape {quote(asked)}", 8 * math.prod(asked), "run fewer motors at once", 2**60)
    shapes = {"shape": asked}
    for name, value in numbers(actuator):
        shapes[name] = np.shape(value)
    if not isinstance(load, PrescribedMotion):
        for name, value in numbers(load):
            shapes[f"load.{name}"] = np.shape(value)
    for name, signal in signals.items():
        shapes[channel_label(name)] = signal.sample(0, np.zeros(1)).shape[1:]
    shapes["position"], shapes["velocity"] = np.shape(position), np.shape(velocity)
    shapes |= {f"initial.{name}": np.shape(value) for name, value in initial.items()}
    whole: tuple[int, ...] = ()
    for name, each in shapes.items():
        try:
            whole = np.broadcast_shapes(whole, each)
        except ValueError:
            raise ParameterError(
                f"{name} has the shape {each}, which does not fit the batch {whole}: give one value, or one per motor"
            ) from None
    return whole


def check_memory(
    records: int, batch: tuple[int, ...], channels: int, piece: int, keep: bool, more: int = 0,
    file: str | Path | None = None, written: int = 0,
) -> None:  # fmt: skip
    """Check that a run fits into the memory at its peak; raise `ParameterError` if not.

    At its peak there are the record, as far as it is kept, and one piece with what is computed from it and `more` bytes
    beside; or, at the end, the last piece and a part of the parquet file that is assembled, with so many channels.
    """
    motors, piece = math.prod(batch), min(piece, records)
    row = 8 * motors * channels
    peak = int(PIECE_PEAK * piece * row) + more
    if file is not None and str(file).endswith(".parquet"):
        peak = max(peak, piece * row + assembling_memory(records, piece, 1 + written * motors))
    wanted = peak + (8 * motors * records * (channels + 1) if keep else 0)
    remedy = "raise every or dt, shorten duration, run fewer motors at once, or write it to a file with to="
    fewer = (
        "run fewer motors at once" if file is None else "raise every, name fewer channels, or run fewer motors at once"
    )
    require_room("the run", wanted, remedy if keep else fewer)


def check_written(
    output: str | Path | None, to: str | Path | None, channels: Sequence[str] | None, known: list[str],
    engine: str | None,
) -> list[str]:  # fmt: skip
    """The channels that are written; raises `ParameterError` where what is asked for makes no sense."""
    if output is not None and to is not None:
        raise ParameterError("output and to are both given: output keeps the run in memory too, to does not; give one")
    if channels is None:
        return known
    if to is None and engine != "warp":
        raise ParameterError(
            "channels = ...: says what is written with to=, or kept with engine='warp': leave it out, or give one"
        )
    names = [channels] if isinstance(channels, str) else list(channels)
    for name in names:
        if name not in known:
            raise ParameterError(f"channels: no channel {quote(name)}; there are {', '.join(known)}")
    if not names:
        raise ParameterError("channels is empty: name at least one, or leave it out")
    return list(dict.fromkeys(names))


def check_disk(path: str | Path | None, records: int, batch: tuple[int, ...], channels: int) -> None:
    """Check that what a run writes fits onto the disk, with the parts that it is assembled from; raise if not."""
    if path is None or (free := room_on_disk(path)) is None:
        return
    wanted = records * (1 + channels * math.prod(batch)) * (DISK_CSV if str(path).endswith(".csv") else DISK_PARQUET)
    require_room(f"{path}", int(wanted), "raise every, name fewer channels, or write to another disk", free)


def start_of(
    actuator: Actuator, load: Load, batch: tuple[int, ...], position: Number, velocity: Number,
    initial: Mapping[str, Number], dt: float, seed: int,
) -> Here:  # fmt: skip
    """Everything at the start, spread over the batch."""
    for name, value in (("position", position), ("velocity", velocity), *initial.items()):
        if no_number(value) or value is None or not np.isfinite(np.asarray(value, dtype=float)).all():
            raise ParameterError(f"{name} = {value!r}: must be a finite number, or a NumPy array with one per motor")
    present = [name for name in states_of(actuator) if name in PER_MOTOR]
    for name in initial:
        if name not in present:
            raise ParameterError(
                f"initial[{name!r}]: this motor has no such state; it has {', '.join(present) or 'none'}"
            )
    check_begin(actuator, load, position, velocity, initial)
    return rest(actuator, load, batch, position, velocity, initial=initial, dt=dt, seed=seed)


_STATES = {
    "velocity": ("rotor.inertia", "load.inertia"),
    "current": ("winding.inductance", "winding.resistance"),
    "winding_rise": ("thermal.capacitance", "thermal.winding_capacitance", "winding.temperature_coefficient"),
    "housing_rise": ("thermal.housing_capacitance",),
    "phase_rise": ("thermal.capacitance", "thermal.winding_capacitance"),
    "bristle": ("friction.stiffness",),
    "far_velocity": ("load.far_inertia", "load.stiffness"),
    "rotor_speed": ("rotor.inertia",),
    "position": ("rotor.inertia", "load.inertia"),
}
"""States, the telling ones first, and the parameters that make them run away when they are absurd."""
_TELEMETRY = {
    "torque": ("magnet.torque_constant", "winding.resistance", "load.torque"),
    "back_emf": ("magnet.back_emf_constant",),
    "copper_power": ("winding.resistance", "magnet.back_emf_constant"),
    "mechanical_power": ("magnet.torque_constant", "rotor.inertia", "load.torque"),
}
"""The same for what follows from the states."""


def check_finite(record: Channels, first: float, spacing: float, actuator: Actuator, load: Load) -> None:
    """Check that a record is finite; if not, raise `SimulationError` with the time, the state and likely parameters."""
    moments = {}
    for name, values in record.items():
        if name in record.finite:
            continue
        bad = ~np.isfinite(values)
        if bad.any():
            moments[name] = int(np.argwhere(bad)[0][0])
    if not moments:
        return
    index = min(moments.values())
    early = [name for name, when in moments.items() if when == index]
    suspects = _STATES | _TELEMETRY
    # one state that runs away takes the others with it within a step: two of them say enough
    found = [name for name in suspects if name in early][:2] or early[:1]
    known = dict(numbers(actuator if actuator.motor is None else actuator.motor)) | {
        f"load.{name}": value for name, value in numbers(load)
    }
    params = dict.fromkeys(name for channel in found for name in suspects.get(channel, ()) if name in known)
    look = ", ".join(["the command", *(f"{name} = {known[name]}" for name in params)])
    raise SimulationError(
        f"at t = {first + index * spacing:g} s the run was no longer finite, first in {' and '.join(found)}; "
        f"look at {look}, or lower dt"
    )


def _bar(progress: bool, steps: int) -> AbstractContextManager[Callable[[int], None]]:
    """A context that gives a function to report progress with."""
    if not progress:
        return nullcontext(lambda done: None)
    from .progress import progress_bar

    return progress_bar("simulating", steps)
