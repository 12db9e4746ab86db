"""The motion that tells most of a drive: what to command, what its log would reveal, and what it would hide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..errors import ParameterError
from ..units import format_quantity
from .channels import CHANNELS
from .information import OTHERWISE, Blind
from .log import Log
from .motion_limits import ABOUT
from .motions import Motion

if TYPE_CHECKING:
    from ..plot.types import Figure


@dataclass(frozen=True)
class Revealed:
    """What a log of a motion is expected to tell of one number."""

    name: str
    """Its name, such as motor.winding.resistance."""
    unit: str
    """SI unit."""
    value: float
    """What is believed of it; of a number that nobody gave, its usual size."""
    prior_low: float
    """Lower end of the 95 % interval before."""
    prior_high: float
    """Upper end of it."""
    low: float
    """Lower end of the 95 % interval that is expected."""
    high: float
    """Upper end of it."""
    share: float
    """Expected spread over that of the prior; 1: nothing is told [1]."""


@dataclass(frozen=True)
class Candidate:
    """A motion that was tried."""

    motion: Motion
    """The motion, as large as the limits allow."""
    words: str
    """What it is."""
    gain: float
    """Information that it gives, ½·log(det(H + P)/det(P)) [nat]; nan where it was dropped."""
    reason: str = ""
    """Why it was dropped; empty: it was not."""


@dataclass(frozen=True, eq=False, repr=False)
class Excitation:
    """The motion that tells most: `to_csv(path)`, `reveals`, `hides`, `text()`, `plot(path)`."""

    name: str
    """What it is, such as `chirp of ±60 deg up to 2 Hz, then release of ±40 deg`."""
    input: str
    """Input of the controller that is commanded, such as position."""
    time: np.ndarray
    """Times of the commands, rising [s]."""
    command: np.ndarray
    """Commands at these times, each held until the next, in the input's SI unit."""
    enable: np.ndarray
    """1 while the drive is on, 0 while its torque is off [1]."""
    prediction: Log
    """What the drive is believed to do."""
    peaks: Mapping[str, float]
    """Largest size of each limited channel in the simulation, in SI."""
    bounds: Mapping[str, float]
    """What each must stay below, in SI."""
    noise: Mapping[str, float]
    """One standard deviation of each channel that will be logged, in SI."""
    gain: float
    """Information that it gives, ½·log(det(H + P)/det(P)) [nat]."""
    reveals: tuple[Revealed, ...]
    """Every number that a fit would look for, with the interval to expect; the best known first."""
    hides: tuple[Blind, ...]
    """Directions that stay at the prior."""
    candidates: tuple[Candidate, ...] = field(default=())
    """What was tried, the best first, what was dropped last."""

    @property
    def motion(self) -> Log:
        """Command and enable as a log."""
        return Log.from_arrays(self.time, {f"{self.input}_command": self.command, "enable": self.enable})

    def to_csv(self, path: str | Path) -> Path:
        """Write times, commands and enable to a CSV file with units in its header, which `be.read_log` reads."""
        target = Path(path)
        if target.suffix.lower() != ".csv":
            raise ParameterError(f"{target}: a motion is written as .csv; give it this ending")
        return self.motion.save(target)

    def text(self) -> str:
        """What the motion is, what it reveals and what it hides."""
        lines = [f"{self.name}; {self.time[-1]:g} s", *self._limit_lines(), "", *self._reveal_lines(), ""]
        if self.hides:
            lines += ["hides", *(f"  {_hidden(direction)}" for direction in self.hides)]
        else:
            lines.append("hides nothing: all of these are told better than they were known")
        dropped = [each for each in self.candidates if each.reason]
        lines += ["", f"best of {len(self.candidates) - len(dropped)} motions within the limits"]
        lines += [f"dropped: {each.words}: {each.reason}" for each in dropped]
        return "\n".join(lines)

    def _limit_lines(self) -> list[str]:
        made = []
        for name, bound in self.bounds.items():
            unit = CHANNELS[name].unit
            peak, most = format_quantity(self.peaks[name], unit, 3), format_quantity(bound, unit, 3)
            made.append(f"{ABOUT[name]} up to {peak}, limit {most}")
        noise = (f"{name.replace('_', ' ')} {format_quantity(x, CHANNELS[name].unit.replace('degC', 'K'), 2)}"
                 for name, x in self.noise.items())  # fmt: skip
        return [*made, f"noise: {', '.join(noise)}"]

    def _reveal_lines(self) -> list[str]:
        rows = [("reveals", "believed", "95 % before", "95 % after", "spread")]
        for each in self.reveals:
            rows.append((
                f"  {each.name}", f"{each.value:.3g} {each.unit}".removesuffix(" 1"),
                f"{each.prior_low:.3g} .. {each.prior_high:.3g}", f"{each.low:.3g} .. {each.high:.3g}",
                _percent(each.share),
            ))  # fmt: skip
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(x.ljust(w) for x, w in zip(row, widths, strict=True)).rstrip() for row in rows]
        return [*lines, "if these laws hold and the noise is that of the sensors alone"]

    def plot(self, path: str | Path | None = None) -> Figure:
        """Draw the command, what the drive is believed to do, and what is told of each number."""
        from ..plot.style import save
        from .picture import draw_excitation

        return save(draw_excitation(self), path)

    def __repr__(self) -> str:
        return f"Excitation({self.name}; {self.time[-1]:g} s, {len(self.reveals)} numbers, {len(self.hides)} hidden)"


def _percent(share: float) -> str:
    percent = 100.0 * share
    return f"{percent:.0f} %" if percent >= 9.95 else f"{percent:.2g} %"


def _hidden(direction: Blind) -> str:
    """What stays at the prior, and what would tell it where more than another motion would."""
    names = [name for name, _ in direction.parts]
    said = "stays as it was believed" if len(names) == 1 else "are told together only"
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{listed} {said}" + (f": {direction.advice}" if direction.advice != OTHERWISE else "")
