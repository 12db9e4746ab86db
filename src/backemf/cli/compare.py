"""backemf compare"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..errors import ParameterError
from .app import AsJson, app, option
from .complete import complete_motor
from .log import notes, pairs
from .tables import print_columns, print_findings, print_json, print_written
from .words import quantity, require_ending

if TYPE_CHECKING:
    from ..identify import Comparison
    from ..values import Json


@app.command(
    epilog="""\b
Files of logs:
  .csv, .tsv, .txt, .parquet, .npz, .json, .jsonl, .mcap,
  or the folder of a ROS 2 bag

\b
Examples:
  backemf compare swing.csv --motor maxon-re40-148877 --rig rig.toml
  backemf compare logs/*.json --motor dynamixel-xl330-m288 \\
      --motor fitted.toml --rig rig.toml --plot compare.png
""",
)
def compare(
    logs: Annotated[list[Path], typer.Argument(metavar="LOG", help="Files of logs.")],
    motor: Annotated[
        list[str],
        option("MOTOR", "What is compared: a catalogue id or a TOML file; may be repeated.", complete=complete_motor),
    ],
    rig: Annotated[Path, option("FILE", "What the logs were taken on: a rig in TOML.")],
    channel: Annotated[
        list[str] | None, option("NAME=COLUMN", "Column, or topic of a bag, that is a channel; may be repeated.")
    ] = None,
    unit: Annotated[list[str] | None, option("NAME=UNIT", "Unit of a channel or a column; may be repeated.")] = None,
    rate: Annotated[str | None, option("HZ", 'Rows per second of a file without times, such as "400 Hz".')] = None,
    note: Annotated[
        list[str] | None, option("NAME=VALUE", "Note of all these logs, such as kp=400; may be repeated.")
    ] = None,
    plot: Annotated[
        Path | None,
        option("FILE", "Draw each log over its predictions: .png, .svg or .pdf; of several, FILE-LOG.png."),
    ] = None,
    json_: AsJson = False,
) -> None:
    """Print how far motors are off from logs, without fitting them: mean absolute error and RMS by log and channel.

    The mean over all logs comes last. Firmware and supply are those of the rig.
    """
    from ..identify import Rig, read_log
    from ..identify import compare as compare_logs

    require_ending("--plot", plot, (".png", ".svg", ".pdf"))
    for name in {name for name in motor if motor.count(name) > 1}:
        raise ParameterError(f"--motor {name}: is given twice; give each motor once")
    channels, units = pairs("--channel", channel), pairs("--unit", unit)
    hertz = None if rate is None else quantity("--rate", rate, "Hz")
    bench = Rig.read(rig)
    measured = [read_log(path, channels, units, rate=hertz, meta=notes(note)) for path in logs]
    found = compare_logs(measured, dict(zip(_titles(motor), motor, strict=True)), bench)
    pictures = [] if plot is None else found.plot(plot)
    if json_:
        print_json(_answer(found))
        return
    heads, rows = found.table()
    print_columns(heads, rows, [k > 1 for k in range(len(heads))])
    print_findings([("info", "logs", note) for note in found.notes])
    print_written(pictures)


def _titles(motors: list[str]) -> list[str]:
    """Motors as a table calls them: the names of files without folder and ending, where they still differ."""
    short = [Path(name).stem if Path(name).suffix == ".toml" else name for name in motors]
    return short if len(set(short)) == len(short) else motors


def _answer(found: Comparison) -> Json:
    answer = []
    for name in found.names:
        every = found.errors[name]
        means = [found.mean(channel, name) for channel in dict.fromkeys(e.channel for e in every)]
        answer.append({"motor": name, "errors": [_row(asdict(e)) for e in every],
                       "mean": [_row(asdict(e)) for e in means if e is not None]})  # fmt: skip
    return {"logs": [{"file": log.name, "hash": log.hash} for log in found.logs], "motors": answer,
            "notes": list(found.notes)}  # fmt: skip


def _row(error: dict[str, Json]) -> Json:
    return {name: value for name, value in error.items() if name != "held_out"}
