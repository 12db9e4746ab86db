"""backemf log"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from ..errors import ParameterError
from .app import AsJson, app, console, option
from .complete import complete_motor
from .tables import print_findings, print_json
from .words import quantity

if TYPE_CHECKING:
    from ..identify.log import Meta

group = typer.Typer(help="Logs of real drives.", no_args_is_help=True, rich_markup_mode=None, add_completion=False)
app.add_typer(group, name="log")


@group.callback()
def _group() -> None:
    """Logs of real drives."""


@group.command(
    "check",
    short_help="Report what is suspicious about a log.",
    epilog="""\b
Files:
  .csv, .tsv, .txt, .parquet, .npz, .json, .jsonl, .mcap,
  or the folder of a ROS 2 bag

\b
Examples:
  backemf log check swing.csv
  backemf log check swing.csv --channel position=angle --unit position=deg
  backemf log check lift.json --rig rig.toml
  backemf log check walk.npz --rate "400 Hz" --motor maxon-re40-148877 --json

\b
Exit codes:
  0  nothing contradicts itself
  1  a finding is an error, such as a channel in another unit
  2  bad input, with one sentence that says what to change
""",
)
def check(
    logs: Annotated[list[Path], typer.Argument(metavar="LOG", help="Files of logs.")],
    channel: Annotated[
        list[str] | None, option("NAME=COLUMN", "Column, or topic of a bag, that is a channel; may be repeated.")
    ] = None,
    unit: Annotated[list[str] | None, option("NAME=UNIT", "Unit of a channel or a column; may be repeated.")] = None,
    rate: Annotated[str | None, option("HZ", 'Rows per second of a file without times, such as "400 Hz".')] = None,
    note: Annotated[
        list[str] | None, option("NAME=VALUE", "Note of all these logs, such as kp=400; may be repeated.")
    ] = None,
    motor: Annotated[
        str | None, option("MOTOR", "What was measured: a catalogue id or a TOML file.", complete=complete_motor)
    ] = None,
    rig: Annotated[Path | None, option("FILE", "What it was measured on: a rig in TOML.")] = None,
    json_: AsJson = False,
) -> None:
    """Report what is suspicious about logs: jitter, gaps, wrapped words, resolution, clipping, clocks, units, range.

    Each finding is one sentence with its figures and what to do.
    """
    from ..identify import Rig, read_log
    from ..motorfile import load

    channels, units = pairs("--channel", channel), pairs("--unit", unit)
    hertz = None if rate is None else quantity("--rate", rate, "Hz")
    measured = None if motor is None else load(motor)
    bench = None if rig is None else Rig.read(rig)
    answers, wrong = [], False
    for path in logs:
        log = read_log(path, channels, units, rate=hertz, meta=notes(note))
        findings = log.check(measured, bench)
        wrong = wrong or any(finding.severity == "error" for finding in findings)
        if json_:
            found = [{key: value for key, value in asdict(f).items() if value is not None} for f in findings]
            answers.append({"file": str(path), "hash": log.hash, "rows": len(log.time), "duration": log.duration,
                            "channels": list(log.channels), "joints": list(log.joints), "findings": found})  # fmt: skip
            continue
        console().print(Text(repr(log), style="bold"))
        print_findings([(f.severity, f.figure, f.explanation) for f in findings])
        if not findings:
            console().print("nothing is suspicious")
    if json_:
        print_json(answers)
    if wrong:
        raise typer.Exit(1)


def notes(texts: list[str] | None) -> dict[str, Meta]:
    """Notes from words such as `kp=400`; what is no number is a text."""
    return {name: _value(text) for name, text in pairs("--note", texts).items()}


def _value(text: str) -> Meta:
    try:
        return float(text)
    except ValueError:
        return text


def pairs(name: str, texts: list[str] | None) -> dict[str, str]:
    """A dict from words such as `position=deg`."""
    found = {}
    for text in texts or ():
        left, equals, right = text.partition("=")
        if not equals or not left.strip() or not right.strip():
            raise ParameterError(f"{name} {text!r}: must be two names such as position=angle")
        found[left.strip()] = right.strip()
    return found
