"""backemf identify"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ParameterError
from .app import AsJson, app, console, option
from .complete import complete_motor
from .log import notes, pairs
from .tables import print_columns, print_findings, print_json, print_written
from .words import quantity, require_ending

if TYPE_CHECKING:
    from ..identify import Fit
    from ..values import Json


@app.command(
    epilog="""\b
Files of logs:
  .csv, .tsv, .txt, .parquet, .npz, .json, .jsonl, .mcap,
  or the folder of a ROS 2 bag

\b
Examples:
  backemf identify swing.csv --motor my-servo.toml --rig rig.toml \\
      -o fitted.toml
  backemf identify logs/*.json --motor dynamixel-xl330-m288 \\
      --rig rig.toml --hold-out 'kp==800' -o fitted.toml --report fit.html

A fit that was stopped goes on where it was: what it has found so far is in
fitted.toml.part.
""",
)
def identify(
    logs: Annotated[list[Path], typer.Argument(metavar="LOG", help="Files of logs of one drive.")],
    motor: Annotated[
        str,
        option("MOTOR", "What is believed of it: a catalogue id or a TOML file.", complete=complete_motor),
    ],
    rig: Annotated[Path, option("FILE", "What the logs were taken on: a rig in TOML.")],
    output: Annotated[
        Path | None,
        option("FILE", "Write the motor that was found: .toml; of several joints, a folder.", "--output", "-o"),
    ] = None,
    report: Annotated[Path | None, option("FILE", "Write a page about the fit: .html.")] = None,
    found_rig: Annotated[
        Path | None, option("FILE", "Write the rig with what was found of it, such as a load or a lag: .toml.")
    ] = None,
    hold_out: Annotated[
        str | None,
        option(
            "WHICH",
            "Logs that the fit does not see, as 'kp==800' by a note or 'file==a.csv'; or the last share of each: 0.4.",
        ),
    ] = None,
    free: Annotated[
        list[str] | None, option("NAME", "What may move, such as 'friction.*'; may be repeated. Default: all.")
    ] = None,
    compare: Annotated[
        list[str] | None, option("CHANNEL", "Channel to compare; may be repeated. Default: what a log tells.")
    ] = None,
    channel: Annotated[
        list[str] | None, option("NAME=COLUMN", "Column, or topic of a bag, that is a channel; may be repeated.")
    ] = None,
    unit: Annotated[list[str] | None, option("NAME=UNIT", "Unit of a channel or a column; may be repeated.")] = None,
    rate: Annotated[str | None, option("HZ", 'Rows per second of a file without times, such as "400 Hz".')] = None,
    note: Annotated[
        list[str] | None, option("NAME=VALUE", "Note of all these logs, such as kp=400; may be repeated.")
    ] = None,
    seed: Annotated[int, option("N", "Random seed of the starts.")] = 0,
    json_: AsJson = False,
) -> None:
    """Find the motor that logs of a real drive show, with intervals, and say what they cannot tell.

    Laws are tried from simple to rich; one stays only if it predicts parts of the logs better that it has not seen.
    """
    from ..identify import Rig, read_log
    from ..identify import identify as find_drive

    require_ending("--report", report, (".html",))
    require_ending("--found-rig", found_rig, (".toml",))
    channels, units = pairs("--channel", channel), pairs("--unit", unit)
    hertz = None if rate is None else quantity("--rate", rate, "Hz")
    bench = Rig.read(rig)
    measured = [read_log(path, channels, units, rate=hertz, meta=notes(note)) for path in logs]
    _require_output(output, max(len(log.joints) for log in measured))
    keep = None if output is None else output.with_name(output.name + ".part")
    fit = find_drive(
        measured, motor, rig=bench, free=free, hold_out=share_or_note(hold_out), compare=compare, seed=seed, keep=keep
    )
    if output is not None:
        fit.save(output)
    if found_rig is not None:
        fit.found_rig.save(found_rig)
    if report is not None:
        fit.report(report)
    if json_:
        print_json(_answer(fit))
        return
    _print(fit)
    print_written((output, found_rig, report))


def _require_output(output: Path | None, joints: int) -> None:
    """Check before a long fit that its result can be written: a motor file, or a folder for several joints."""
    if joints < 2:
        require_ending("--output", output, (".toml",))
    elif output is not None and output.suffix:
        raise ParameterError(f"--output {output}: the logs have {joints} joints, and each has its file; give a folder")


def share_or_note(text: str | None) -> str | float | None:
    """A share such as 0.4, or an expression such as kp==800."""
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _print(fit: Fit) -> None:
    """Errors, laws, numbers and findings."""
    from ..identify.information import is_of_network

    heads, rows = fit.error_table()
    print_columns(heads, rows, [k > 0 for k in range(len(heads))])
    console().print()
    laws = [[rung.name, verdict(rung.kept, rung.gain, rung.error)] for rung in fit.rungs]
    print_columns(["law", "what it saves on logs it has not seen"], laws, [False, False])
    console().print()
    numbers = [
        # without what nearly all have in front, a row fits a terminal of 80 columns
        [
            f"{each.name.removeprefix('motor.')} [{each.unit}]",
            f"{each.prior:.4g}",
            f"{each.value:.4g}",
            f"{each.low:.3g} to {each.high:.3g}",
        ]
        for each in fit.parameters
        # a weight of a network means nothing by itself: a note says what the network gives
        if not is_of_network(each.name)
    ]
    print_columns(["number", "prior", "found", "95 %"], numbers, [False, True, True, True])
    print_findings([(f.severity, f.figure, f.explanation) for f in fit.findings])
    print_findings([("info", "prior", note) for note in fit.notes])


def verdict(kept: bool, gain: float, error: float) -> str:
    """What became of a law, in words."""
    if gain == 0.0 and error == 0.0:
        return "always there" if kept else "left out: saves nothing on any log"
    return f"{'stays' if kept else 'left out'}: {gain:.2g} ± {error:.2g} of the loss of a block"


def _answer(fit: Fit) -> Json:
    return {
        "errors": [asdict(error) for error in fit.errors],
        "laws": [asdict(rung) for rung in fit.rungs],
        "parameters": [asdict(each) for each in fit.parameters],
        "findings": [{k: v for k, v in asdict(f).items() if v is not None} for f in fit.findings],
        "notes": list(fit.notes),
        "logs": list(fit.hashes),
        "seed": fit.seed,
    }
