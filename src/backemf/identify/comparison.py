"""Logs against drives that were not fitted to them: a datasheet, a motor of the catalogue, a motor file, a fit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..actuator import Actuator
from ..checks import quote
from ..datasheet import Datasheet
from ..errors import ParameterError
from ..progress import progress_bar
from ..units import convert, positional
from .check import refuse_contradictions
from .drives import Drive, predict_drive
from .evidence import Error
from .fit import Fit, error_unit
from .identification import require_logs, require_rig
from .log import Log
from .prior import read_prior
from .rig import Rig
from .unmeasured import unmeasured, unmeasured_channels

if TYPE_CHECKING:
    from ..plot.types import Figure


@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """What drives predict for logs: `comparison.errors`, `comparison.predict(log)`, `comparison.plot(path)`."""

    drives: tuple[Drive, ...]
    """What was compared, in the order given."""
    rig: Rig
    """What the logs were taken on."""
    logs: tuple[Log, ...]
    """What was measured."""
    predictions: Mapping[str, tuple[Log, ...]]
    """Predicted logs by the name of the drive, one for each log, at its own times."""
    errors: Mapping[str, tuple[Error, ...]]
    """How far the predictions are off, log by log, by the name of the drive."""

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the drives."""
        return tuple(drive.name for drive in self.drives)

    @property
    def notes(self) -> tuple[str, ...]:
        """Channels that were not compared, one sentence each."""
        compared = {error.channel for found in self.errors.values() for error in found}
        return tuple(said for name, said in unmeasured_channels(self.logs).items() if name not in compared)

    def error(self, channel: str = "position", name: str | None = None) -> float:
        """Mean over the logs of the mean absolute error of a channel, in its SI unit."""
        found = self.mean(channel, name)
        return float("nan") if found is None else found.mean_absolute

    def mean(self, channel: str, name: str | None = None) -> Error | None:
        """Errors of a channel, each the mean over the logs; None where it was not compared."""
        found = [e for e in self.errors[self._drive(name).name] if e.channel == channel]
        if not found:
            return None
        absolute, rms = (float(np.mean([getattr(e, kind) for e in found])) for kind in ("mean_absolute", "rms"))
        return Error(f"mean of {len(found)}", channel, absolute, rms, held_out=True)

    def predict(self, log: Log, name: str | None = None) -> Log:
        """What a drive would have logged; `name` says which, where there are several."""
        drive = self._drive(name)
        return predict_drive(drive, self.rig, require_logs(log, "predict"))[0]

    def _drive(self, name: str | None) -> Drive:
        if name is None and len(self.drives) == 1:
            return self.drives[0]
        found = [drive for drive in self.drives if drive.name == name]
        if not found:
            raise ParameterError(f"name = {quote(name)}: must be one of {', '.join(self.names)}")
        return found[0]

    def table(self) -> tuple[list[str], list[list[str]]]:
        """Headings, of two lines, and rows: mean absolute error and RMS by log and channel, their mean last."""
        heads = ["log", "channel", *(f"{name}\nmean abs. / RMS" for name in self.names)]
        places = {name: {(e.log, e.channel): e for e in found} for name, found in self.errors.items()}
        keys = list(dict.fromkeys(key for found in places.values() for key in found))
        short = _short_names([log for log, _ in keys])
        channels = dict.fromkeys(channel for _, channel in keys)
        means = {channel: [self.mean(channel, name) for name in self.names] for channel in channels}
        units = {
            channel: error_unit(channel, [e for e in errors if e is not None]) for channel, errors in means.items()
        }
        every = [(short[log], channel, [places[name].get((log, channel)) for name in self.names])
                 for log, channel in keys]  # fmt: skip
        for channel, errors in means.items():
            count = len({log for log, other in keys if other == channel})
            if count > 1:
                every.append((f"mean of {count}", channel, errors))
        rows = [[log, f"{channel} [{units[channel]}]", *(_cell(e, units[channel]) for e in errors)]
                for log, channel, errors in every]  # fmt: skip
        return heads, rows

    def text(self) -> str:
        """The table as text."""
        heads, rows = self.table()
        lines = [*(list(line) for line in zip(*(_two_lines(head) for head in heads), strict=True)), *rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        return "\n".join(
            "  ".join(
                text.ljust(width) if k < 2 else text.rjust(width)
                for k, (text, width) in enumerate(zip(line, widths, strict=True))
            ).rstrip()
            for line in lines
        )

    def draw(self, log: Log) -> Figure:
        """What was measured in one of the logs, and what each drive predicts."""
        from .picture import draw_comparison

        if log not in self.logs:
            raise ParameterError(f"{log.name or 'log'}: was not compared; give one of {len(self.logs)} logs")
        place = self.logs.index(log)
        return draw_comparison(log, {name: self.predictions[name][place] for name in self.names})

    def plot(self, path: str | Path) -> list[Path]:
        """Draw each log to a file: .png, .svg or .pdf; of several logs, the log's name stands behind the file's."""
        from ..plot.style import save

        target = Path(path)
        stems = [Path(log.name).stem or "log" for log in self.logs]
        if len(set(stems)) < len(stems):
            stems = [f"{k + 1}-{stem}" for k, stem in enumerate(stems)]
        made = [target] if len(stems) == 1 else [target.with_stem(f"{target.stem}-{stem}") for stem in stems]
        with progress_bar("pictures", len(made)) as done:
            for log, file in zip(self.logs, made, strict=True):
                save(self.draw(log), file)
                done(1)
        return made

    def __repr__(self) -> str:
        count = "1 log" if len(self.logs) == 1 else f"{len(self.logs)} logs"
        return "\n".join((f"Comparison of {count}", self.text(), *self.notes))


def compare(
    logs: Log | Sequence[Log],
    actuator: object,
    rig: Rig,
    *,
    channels: Sequence[str] | None = None,
) -> Comparison:
    """What a drive predicts for logs, and how far it is off; nothing is fitted.

    Args:
        logs: One log or several of one drive.
        actuator: The drive: a catalogue id, a path, a `Datasheet`, a `Motor`, an `Actuator` or a `Fit`; or several by
            their names, as in {"datasheet": "dynamixel-xl330-m288", "fitted": fit}.
        rig: What the logs were taken on; its firmware and supply come in place of the drive's.
        channels: Channels to compare; None: position and velocity of a joint that is free, torque, current and
            temperatures, as far as a log has them.

    A `Fit` brings what it has found of the rig's quantities, where this rig has them as its own had; its file has the
    drive alone, and `fit.found_rig` the rest.
    """
    given = _named(require_logs(logs, "compare"))
    bench = require_rig(rig, "compare")
    channels = [channels] if isinstance(channels, str) else channels
    drives = _drives(actuator)
    for drive in drives:
        own = {joint: each.actuator for joint, each in drive.joints.items()} or {"": drive.actuator}
        refuse_contradictions(given, own, bench, "compare")
    predictions, errors = {}, {}
    with progress_bar("compare", len(drives)) as done:
        for drive in drives:
            predictions[drive.name] = tuple(predict_drive(drive, bench, given, channels))
            errors[drive.name] = tuple(e for pair in zip(given, predictions[drive.name], strict=True)
                                       for e in _errors(*pair, every=channels is not None))  # fmt: skip
            done(1)
    return Comparison(drives, bench, tuple(given), predictions, errors)


def _named(logs: list[Log]) -> list[Log]:
    """Logs of which each has a name of its own."""
    names = [log.name for log in logs]
    return [
        log if log.name and names.count(log.name) == 1 else replace(log, name=f"{log.name or 'log'} {k + 1}".strip())
        for k, log in enumerate(logs)
    ]


def _drives(given: object) -> tuple[Drive, ...]:
    if isinstance(given, Mapping):
        if not given or not all(isinstance(name, str) and name for name in given):
            raise ParameterError(f"compare: actuator = {quote(given)}: must have a drive by each name")
        return tuple(_drive(name, each) for name, each in given.items())
    return (_drive(_name_of(given), given),)


def _drive(name: str, given: object) -> Drive:
    if isinstance(given, Fit):
        return replace(given._drive, name=name)
    actuator = read_prior(given, what=f"compare: {name}")
    if actuator.delay is not None:
        raise ParameterError(
            f"compare: {name} has a Delay, which logs are not simulated with; leave it out, or give the rig's sensor "
            "the lag"
        )
    if actuator.controller.asks == "network":
        raise ParameterError(f"compare: {name} is a network, which logs are not simulated with; give a motor")
    return Drive(name, actuator)


def _name_of(given: object) -> str:
    """What one drive is called that has no name of its own."""
    if isinstance(given, (str, Path)):
        return Path(given).stem if Path(given).suffix else str(given)
    if isinstance(given, Fit):
        return "fit"
    motor = given.motor if isinstance(given, Actuator) else given
    name = given.name if isinstance(given, Datasheet) else getattr(motor, "name", "")
    return name if isinstance(name, str) and name else "drive"


def _errors(log: Log, predicted: Log, every: bool) -> list[Error]:
    """Errors of each joint, without channels that nobody measured unless every one is asked for."""
    found = []
    idle = {joint: () if every else unmeasured(log.joint(joint) if joint else log) for joint in log.joints or ("",)}
    for channel in predicted.channels:
        measured = log[channel]
        off = predicted[channel] - (measured if measured.ndim == predicted[channel].ndim else measured[:, None])
        for k, joint in enumerate(log.joints or ("",)):
            if channel in idle[joint]:
                continue
            part = off[:, k] if log.joints else off
            name = f"{log.name}, {joint}" if joint else log.name
            found.append(
                Error(name, channel, float(np.abs(part).mean()), float(np.sqrt((part**2).mean())), held_out=True)
            )
    return found


def _cell(error: Error | None, unit: str) -> str:
    if error is None:
        return "-"
    return " / ".join(f"{positional(convert(x, unit), 3):>5}" for x in (error.mean_absolute, error.rms))


def _two_lines(head: str) -> tuple[str, str]:
    first, newline, second = head.partition("\n")
    return (first, second) if newline else ("", first)


def _short_names(names: Sequence[str]) -> dict[str, str]:
    """Names without their folders, where they still differ."""
    every = list(dict.fromkeys(names))
    short = [Path(name).name or name for name in every]
    return dict(zip(every, short if len(set(short)) == len(short) else every, strict=True))
