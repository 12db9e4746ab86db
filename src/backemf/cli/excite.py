"""backemf excite"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from .app import AsJson, MotorName, app, console, option
from .log import notes
from .tables import print_json, print_written
from .words import quantity, require_ending

if TYPE_CHECKING:
    from ..identify import Excitation
    from ..values import Json


@app.command(
    epilog="""\b
Examples:
  backemf excite dynamixel-xl330-m288 --rig rig.toml --seconds 10 \\
      --note kp=400 --max-position "60 deg" -o motion.csv --plot motion.png
  backemf excite maxon-re40-148877 --rig dyno.toml --seconds 20 \\
      --max-current "3 A" --log current --log winding_temperature
""",
)
def excite(
    motor: MotorName,
    rig: Annotated[Path, option("FILE", "What the logs will be taken on: a rig in TOML.")],
    seconds: Annotated[float, option("S", "How long the motion is, in seconds, from 0.5 to 60.")],
    max_position: Annotated[
        str | None,
        option("ANGLE", 'Largest position, either way, such as "60 deg"; default: 90 deg under position control.'),
    ] = None,
    max_speed: Annotated[
        str | None, option("SPEED", 'Largest joint speed, such as "60 rpm"; default: the maker\'s, or none.')
    ] = None,
    max_current: Annotated[
        str | None, option("AMPERES", 'Largest current, such as "1.5 A"; default: the maker\'s, or none.')
    ] = None,
    max_temperature: Annotated[
        str | None, option("CELSIUS", 'Hottest winding, such as "80 degC"; default: the maker\'s, or none.')
    ] = None,
    log: Annotated[
        list[str] | None,
        option(
            "CHANNEL", "What will be logged, such as current; may be repeated. Default: what the rig has sensors for."
        ),
    ] = None,
    rate: Annotated[str, option("HZ", "Samples per second of command and log.")] = "200 Hz",
    note: Annotated[
        list[str] | None, option("NAME=VALUE", "Note that the rig refers to, such as kp=400; may be repeated.")
    ] = None,
    seed: Annotated[int, option("N", "Random seed of the levels of steps.")] = 0,
    output: Annotated[Path | None, option("FILE", "Write the motion: .csv.", "-o", "--output")] = None,
    plot: Annotated[Path | None, option("FILE", "Draw the motion: .png, .svg or .pdf.")] = None,
    json_: AsJson = False,
) -> None:
    """Find the motion whose log tells most of a motor, within limits, and print what it reveals and what it hides.

    Chirps, triangles, steps, lifts, releases, staircases and sequences of them are simulated with the load of the rig.
    """
    from ..identify import MotionLimits, Rig
    from ..identify import excite as find_motion

    require_ending("--output", output, (".csv",))
    require_ending("--plot", plot, (".png", ".svg", ".pdf"))
    limits = MotionLimits(
        position=_given("--max-position", max_position, "deg"),
        speed=_given("--max-speed", max_speed, "rpm"),
        current=_given("--max-current", max_current, "A"),
        temperature=_given("--max-temperature", max_temperature, "degC"),
    )
    meta = notes(note)
    found = find_motion(
        motor, Rig.read(rig), seconds, limits=limits, channels=log, rate=quantity("--rate", rate, "Hz"), meta=meta,
        seed=seed,
    )  # fmt: skip
    if output is not None:
        found.to_csv(output)
    if plot is not None:
        found.plot(plot)
    if json_:
        print_json(_answer(found))
        return
    console().print(Text(found.text()), soft_wrap=True)
    print_written((output, plot))


def _given(name: str, text: str | None, unit: str) -> float | None:
    return None if text is None else quantity(name, text, unit)


def _answer(found: Excitation) -> Json:
    return {
        "name": found.name,
        "input": found.input,
        "seconds": float(found.time[-1]),
        "gain": found.gain,
        "peaks": dict(found.peaks),
        "limits": dict(found.bounds),
        "noise": dict(found.noise),
        "reveals": [asdict(each) for each in found.reveals],
        "hides": [{"parts": dict(each.parts), "advice": each.advice} for each in found.hides],
        "candidates": [
            {"name": each.words, "gain": each.gain, "dropped": each.reason or None} for each in found.candidates
        ],
        "time": found.time.tolist(),
        "command": found.command.tolist(),
        "enable": found.enable.tolist(),
    }
